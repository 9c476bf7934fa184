"""Rows in tiles that are larger: what a mask rules out is left out, and must not be missed."""

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from support import assert_same, numpy_dtype, random_array, ulp_error

SIZES = [(256, 4, n) for n in (1, 128, 129, 200, 255, 256)]
SIZES += [(2048, 4, n) for n in (5, 1024, 1032, 1500, 1536, 2047)]
SIZES += [(4096, 8, 3000), (4096, 8, 3001), (4096, 1, 2500), (1024, 4, 781), (512, 1, 300)]
sizes = pytest.mark.parametrize("block, warps, n", SIZES)


def filled(x, block, other):
    """The tile that a masked load of the array gives."""
    return np.concatenate([x, np.full(block - len(x), other, x.dtype)])


@triton.jit
def reduce_other(x_ptr, out_ptr, n, other, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + c, mask=c < n, other=other)
    y = x * 3 + 1
    tl.store(out_ptr, tl.sum(y))
    tl.store(out_ptr + 1, tl.max(y))
    tl.store(out_ptr + 2, tl.min(x ^ 5))
    tl.store(out_ptr + 3, tl.xor_sum(y // (x - 7)))


@sizes
@pytest.mark.parametrize("other", (0, 7, -3))
def test_other_takes_part_in_reductions(backend, rng, block, warps, n, other):
    x = random_array(rng, n, "int32")
    out = np.zeros(4, np.int32)
    reduce_other[(1,)](x, out, n, other, BLOCK=block, num_warps=warps)
    wide = filled(x, block, other)
    with np.errstate(over="ignore"):
        y, d = wide * np.int32(3) + np.int32(1), wide - np.int32(7)
    # Division rounds to zero; by zero it gives zero.
    big, by = y.astype(np.int64), d.astype(np.int64)
    signless = abs(big) // np.maximum(abs(by), 1)
    quotient = np.where(by == 0, 0, np.sign(big) * np.sign(by) * signless)
    expected = [y.sum(dtype=np.int32), y.max(), (wide ^ 5).min(),
                np.bitwise_xor.reduce(quotient.astype(np.int32))]
    assert_same(out, np.array(expected, np.int32))


@triton.jit
def floats(x_ptr, out_ptr, y_ptr, n, BLOCK: tl.constexpr, OTHER: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    m = c < n
    x = tl.load(x_ptr + row * n + c, mask=m, other=OTHER)
    z = tl.exp(x - tl.max(x))
    tl.store(out_ptr + row * 2, tl.sum(z))
    tl.store(out_ptr + row * 2 + 1, tl.min(z))
    tl.store(y_ptr + row * n + c, z / (1 + tl.sum(z)), mask=m)


@sizes
@pytest.mark.parametrize("other", ("-inf", "inf", "nan", "0.5"))
def test_infinities(backend, rng, block, warps, n, other):
    x = np.stack([random_array(rng, n, "float32") for _ in range(3)])
    x[1, 0] = np.nan
    out, y = np.zeros((3, 2), np.float32), np.zeros_like(x)
    floats[(3,)](x, out, y, n, BLOCK=block, OTHER=float(other), num_warps=warps)
    wide = np.stack([filled(row, block, float(other)) for row in x]).astype(np.float64)
    with np.errstate(all="ignore"):
        z = np.exp(wide - np.fmax.reduce(wide, axis=1)[:, None])
        expected = np.stack([z.sum(axis=1), np.fmin.reduce(z, axis=1)], axis=1)
        # Of the difference in exp, and of a sum whose terms are added one by one.
        rtol = 1e-5 + block * 2.0 ** -24
        np.testing.assert_allclose(out, expected, rtol=rtol)
        np.testing.assert_allclose(y, (z / (1 + z.sum(axis=1)[:, None]))[:, :n], rtol=rtol,
                                   atol=1e-37)


@triton.jit
def two_masks(x_ptr, y_ptr, n, k, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + c, mask=c < n, other=5)
    y = (x + 2) * (x + 3) * c + tl.sum(x)
    tl.store(y_ptr + c, y, mask=(c < k) & (c != 1))


@sizes
def test_store_under_another_mask(backend, rng, block, warps, n):
    x = random_array(rng, n, "int32")
    wide = filled(x, block, 5)
    with np.errstate(over="ignore"):
        y = (wide + 2) * (wide + 3) * np.arange(block, dtype=np.int32) + wide.sum(dtype=np.int32)
    for k in (0, n // 2, n, (n + block) // 2, block):
        out = np.full(block, -1, np.int32)
        two_masks[(1,)](x, out, n, k, BLOCK=block, num_warps=warps)
        c = np.arange(block)
        assert_same(out, np.where((c < k) & (c != 1), y, -1).astype(np.int32))


@triton.jit
def scattered(x_ptr, flags_ptr, y_ptr, low, n, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    m = c < n
    flags = tl.load(flags_ptr + c, mask=m, other=0)
    some = m & (c % 3 != 1) & (c >= low) & (flags > 0)
    x = tl.load(x_ptr + c, mask=some, other=4)
    y = x * x - flags * 2
    total = tl.sum(tl.where(m, y, 1))
    tl.store(y_ptr + c, y * 2 + total, mask=m & (flags > -100))


@sizes
def test_masks_that_are_no_runs(backend, rng, block, warps, n):
    x, flags = random_array(rng, n, "int32"), random_array(rng, n, "int32", -9, 9)
    out = np.zeros(n, np.int32)
    low = n // 3
    scattered[(1,)](x, flags, out, low, n, BLOCK=block, num_warps=warps)
    c = np.arange(n)
    with np.errstate(over="ignore"):
        tile = np.where((c % 3 != 1) & (c >= low) & (flags > 0), x, 4).astype(np.int32)
        y = tile * tile - flags * 2
        expected = y * 2 + (y.sum(dtype=np.int32) + np.int32(block - n))
    assert_same(out, expected.astype(np.int32))


@triton.jit
def wanted(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + c, mask=c < n, other=-6)
    y = x * 5 - 2
    tl.store(y_ptr + c, y)
    z = y + c * 7
    tl.store(z_ptr + (BLOCK - 1 - c), z)
    tl.store(z_ptr + BLOCK, tl.sum(z * 3))
    if n % 2 == 0:
        tl.store(z_ptr + BLOCK + 1, tl.max(y))
    best = tl.argmax(y, 0)
    tl.store(z_ptr + BLOCK + 2, best.to(tl.int32))


@sizes
def test_tiles_that_others_read(backend, rng, block, warps, n):
    x = random_array(rng, n, "int32", -1000, 1000)
    y, z = np.zeros(block, np.int32), np.zeros(block + 3, np.int32)
    wanted[(1,)](x, y, z, n, BLOCK=block, num_warps=warps)
    expected = filled(x, block, -6) * np.int32(5) - np.int32(2)
    assert_same(y, expected)
    sums = expected + np.arange(block, dtype=np.int32) * 7
    last = [np.int32(3) * sums.sum(dtype=np.int32), expected.max() if n % 2 == 0 else 0,
            expected.argmax()]
    assert_same(z, np.concatenate([sums[::-1], last]).astype(np.int32))


@triton.jit
def table(x_ptr, y_ptr, rows_ptr, cols_ptr, m, n, M: tl.constexpr, N: tl.constexpr):
    r, c = tl.arange(0, M), tl.arange(0, N)
    inside = (r[:, None] < m) & (c[None, :] < n)
    x = tl.load(x_ptr + r[:, None] * n + c[None, :], mask=inside, other=2)
    x = x * 3 + 1
    sums = tl.sum(x, axis=1)
    tl.store(rows_ptr + r, sums)
    tl.store(cols_ptr + c, tl.max(x, axis=0))
    y = (x - sums[:, None]) * 7 + c[None, :]
    tl.store(y_ptr + r[:, None] * n + c[None, :], y, mask=inside)


@pytest.mark.parametrize("shape", [(8, 256), (16, 64), (64, 16), (4, 1024), (2, 2048)])
@pytest.mark.parametrize("part", (0.3, 0.55, 0.8, 1))
@pytest.mark.parametrize("warps", (1, 4))
def test_two_dimensions(backend, rng, shape, part, warps):
    M, N = shape
    m, n = max(1, int(M * part)), max(1, int(N * part) - 1)
    x = random_array(rng, (m, n), "int32")
    y, rows, cols = np.zeros_like(x), np.zeros(M, np.int32), np.zeros(N, np.int32)
    table[(1,)](x, y, rows, cols, m, n, M=M, N=N, num_warps=warps)
    wide = np.full((M, N), 2, np.int32)
    wide[:m, :n] = x
    with np.errstate(over="ignore"):
        wide = wide * np.int32(3) + np.int32(1)
        sums = wide.sum(axis=1, dtype=np.int32)
        expected = (wide - sums[:, None]) * np.int32(7) + np.arange(N, dtype=np.int32)
    assert_same(rows, sums)
    assert_same(cols, wide.max(axis=0))
    assert_same(y, expected[:m, :n])


@triton.jit
def rows_in_a_loop(x_ptr, y_ptr, rows, n, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.int32)
    for row in range(rows):
        x = tl.load(x_ptr + row * n + c, mask=c < n, other=1)
        y = x * 2 + tl.sum(x)
        tl.store(y_ptr + row * n + c, y * 3, mask=c < n)
        total += y
    tl.store(y_ptr + rows * n, tl.sum(total))


@sizes
def test_loop_over_rows(backend, rng, block, warps, n):
    x = random_array(rng, (3, n), "int32")
    y = np.zeros(3 * n + 1, np.int32)
    rows_in_a_loop[(1,)](x, y, 3, n, BLOCK=block, num_warps=warps)
    wide = np.stack([filled(row, block, 1) for row in x])
    with np.errstate(over="ignore"):
        tiles = wide * np.int32(2) + wide.sum(axis=1, dtype=np.int32)[:, None]
        expected = (tiles * np.int32(3))[:, :n].ravel()
    assert_same(y, np.append(expected, tiles.sum(dtype=np.int32)).astype(np.int32))


@triton.jit
def quotients(x_ptr, y_ptr, d_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + c, mask=c < n, other=0.)
    tl.store(y_ptr + row * n + c, x / tl.load(d_ptr + row), mask=c < n)


@sizes
def test_division_by_one_value(backend, rng, block, warps, n):
    """A divisor that many share is inverted once, large ones and subnormal ones scaled."""
    divisors = np.array([3, 1e-40, 2e38, 1.2e-38, 8.6e37, 0, np.inf, np.nan, -7e-39], np.float32)
    x = np.stack([random_array(rng, n, "float32") for _ in divisors])
    x[:, 0] = 1e-38
    x[:, -1] = 3e38
    y = np.zeros_like(x)
    quotients[(len(divisors),)](x, y, divisors, n, BLOCK=block, num_warps=warps)
    with np.errstate(all="ignore"):
        expected = (x.astype(np.float64) / divisors[:, None]).astype(np.float32)
    np.testing.assert_allclose(y, expected, rtol=2.5e-7, atol=3e-45)


@triton.jit
def narrow_weights(x_ptr, y_ptr, rows, n, R: tl.constexpr, BLOCK: tl.constexpr):
    r = tl.program_id(0) * R + tl.arange(0, R)[:, None]
    c = tl.arange(0, BLOCK)[None, :]
    m = (r < rows) & (c < n)
    x = tl.load(x_ptr + r * n + c, mask=m, other=-float("inf")).to(tl.float32)
    z = tl.exp(x - tl.max(x, axis=1)[:, None])
    z = z / tl.sum(z, axis=1)[:, None]
    tl.store(y_ptr + r * n + c, z.to(y_ptr.dtype.element_ty), mask=m)


@pytest.mark.parametrize("dtype", ("float16", "bfloat16"))
@pytest.mark.parametrize("block, warps, n, rows", [(128, 4, 128, 1), (1024, 4, 781, 1),
                                                   (256, 1, 200, 4), (64, 2, 33, 16)])
def test_weights_of_16_bits(backend, rng, dtype, block, warps, n, rows):
    """As good as if exponentials were exact, wherever they lie in their rows."""
    x = np.stack([random_array(rng, n, "float32") * scale for scale in (1, 10, 40)] * 3)
    x[:, 0] = [0, 100, 400, -100, 1e30, 3e38, -3e38, np.nan, np.inf]
    x[3, 1:], x[4, 1] = -np.inf, -1e30
    y = np.zeros(x.shape, numpy_dtype(dtype))
    narrow_weights[(-(-9 // rows),)](x, y, 9, n, R=rows, BLOCK=block, num_warps=warps)
    with np.errstate(all="ignore"):
        z = np.exp(x.astype(np.float64) - np.fmax.reduce(x, axis=1)[:, None])
        exact = z / z.sum(axis=1)[:, None]
    assert np.isnan(y[7:].astype(np.float64)).all() and np.isnan(exact[7:]).all()
    y, exact = y[:7], exact[:7]
    isNormal = exact >= 2.0 ** -126
    assert ulp_error(y[isNormal], exact[isNormal]) <= 0.52
    assert np.all(y[~isNormal].astype(np.float64) <= 2.0 ** -126)


@triton.jit
def by_sum(x_ptr, z_ptr, y_ptr, N: tl.constexpr, HOW: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    e = tl.exp(x - tl.max(x, 0))
    s = tl.sum(e, 0)
    if HOW == "others":
        tl.store(y_ptr + i, tl.load(z_ptr + i) / s)
    else:
        tl.store(z_ptr + i, e)
        tl.store(z_ptr + N, s)
        tl.store(y_ptr + i, tl.div_rn(e, s))


def test_others_than_weights_by_the_sum(backend, rng):
    """Infinite and huge numbers, and zeros with a sign, divided by the sum of a softmax."""
    x, z = random_array(rng, 64, "float32"), random_array(rng, 64, "float32")
    z[:6] = [np.inf, -np.inf, -0.0, np.nan, 3e38, -3e38]
    y = np.zeros_like(z)
    by_sum[(1,)](x, z, y, N=64, HOW="others")
    expected = z / np.exp(x.astype(np.float64) - x.max()).sum()
    np.testing.assert_allclose(y, expected, rtol=1e-6)
    assert np.signbit(y[2])


def test_rounded_weights(backend, rng):
    """tl.div_rn rounds, also what is nearly subnormal."""
    x = -rng.uniform(70, 100, 4096).astype(np.float32)
    x[:100] = 0
    z, y = np.zeros(4097, np.float32), np.zeros(4096, np.float32)
    by_sum[(1,)](x, z, y, N=4096, HOW="rounded")
    assert_same(y, z[:-1] / z[-1])
