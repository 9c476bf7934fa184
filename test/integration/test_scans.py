"""`tl.cumsum`, `tl.cumprod` and `tl.associative_scan`."""

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from support import (INTS, UNSIGNED, assert_close_sum, assert_same, is_float, is_gpu, numpy_dtype,
                     random_array)

# Every axis of these is scanned, from either end.
SHAPES = [(1,), (3,), (16,), (80,), (781,), (1024,), (1, 37), (37, 1), (4, 16), (17, 31), (64, 64),
          (3, 781), (2, 3, 4), (3, 5, 7), (16, 4, 32)]
SCANS = [(shape, axis) for shape in SHAPES for axis in range(len(shape))]


@triton.jit
def offsets(A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, RANK: tl.constexpr):
    if RANK == 1:
        at = tl.arange(0, A)
    elif RANK == 2:
        at = tl.arange(0, A)[:, None] * B + tl.arange(0, B)[None, :]
    else:
        at = ((tl.arange(0, A)[:, None, None] * B + tl.arange(0, B)[None, :, None]) * C
              + tl.arange(0, C)[None, None, :])
    return at


@triton.jit
def scan_kernel(x_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr,
                RANK: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr, OP: tl.constexpr,
                DTYPE: tl.constexpr):
    at = offsets(A, B, C, RANK)
    x = tl.load(x_ptr + at)
    if OP == "sum":
        y = tl.cumsum(x, AXIS, REVERSE, DTYPE)
    else:
        y = x.cumprod(axis=AXIS, reverse=REVERSE)
    tl.static_assert(y.dtype == out_ptr.dtype.element_ty, "the result has another type")
    tl.store(out_ptr + at, y)


def extents(shape):
    return dict(zip("ABC", (*shape, 1, 1)), RANK=len(shape))


def run(op, x, axis, reverse, to, num_warps=4, dtype=None):
    out = np.zeros(x.shape, numpy_dtype(to))
    scan_kernel[(1,)](x, out, **extents(x.shape), AXIS=axis, REVERSE=reverse, OP=op, DTYPE=dtype,
                      num_warps=num_warps)
    return out


def along(scan, x, axis, reverse):
    """`scan` as NumPy has it, from the end if `reverse`."""
    if not reverse:
        return scan(x, axis)
    return np.flip(scan(np.flip(x, axis), axis), axis)


def sum_type(dtype):
    if dtype == "bfloat16":
        return "float32"
    if is_float(dtype) or np.dtype(dtype).itemsize >= 4 and dtype != "bool":
        return dtype
    return "uint32" if dtype in UNSIGNED or dtype == "bool" else "int32"


@pytest.mark.parametrize("reverse", (False, True))
@pytest.mark.parametrize("shape,axis", SCANS)
def test_shapes(backend, rng, shape, axis, reverse):
    x = random_array(rng, shape, "int32")
    expected = along(lambda v, a: np.cumsum(v, a, dtype=np.int32), x, axis, reverse)
    assert_same(run("sum", x, axis, reverse, "int32"), expected)


@pytest.mark.parametrize("num_warps", (1, 2, 8, 16))
@pytest.mark.parametrize("shape,axis", [((1024,), 0), ((781,), 0), ((3000,), 0), ((4, 300), 1),
                                        ((300, 4), 0), ((32, 32), 0), ((2, 96, 3), 1)])
def test_warps(compiled_backend, rng, shape, axis, num_warps):
    if not is_gpu(compiled_backend):
        pytest.skip("a matter of layouts")
    x = random_array(rng, shape, "int32")
    for reverse in (False, True):
        expected = along(lambda v, a: np.cumsum(v, a, dtype=np.int32), x, axis, reverse)
        assert_same(run("sum", x, axis, reverse, "int32", num_warps), expected)


@pytest.mark.parametrize("reverse", (False, True))
@pytest.mark.parametrize("dtype", ("bool", *INTS))
def test_integers(backend, rng, dtype, reverse):
    for shape, axis in (((80,), 0), ((17, 31), 0), ((9, 24), -1)):
        x = random_array(rng, shape, dtype)
        to = sum_type(dtype)
        sums = along(lambda v, a: np.cumsum(v, a, dtype=to), x, axis, reverse)
        assert_same(run("sum", x, axis, reverse, to), sums)
        # Odd, so that products do not become zero.
        x = (x | 1).astype(x.dtype) if dtype != "bool" else x | (rng.random(shape) < 0.9)
        products = along(lambda v, a: np.logical_and.accumulate(v, a) if dtype == "bool"
                         else np.cumprod(v, a, dtype=v.dtype), x, axis, reverse)
        assert_same(run("product", x, axis, reverse, dtype), products)


@pytest.mark.parametrize("reverse", (False, True))
@pytest.mark.parametrize("dtype", ("float16", "bfloat16", "float32", "float64"))
def test_float_sums(backend, rng, dtype, reverse):
    for shape, axis in (((781,), 0), ((1024,), 0), ((31, 17), 0), ((9, 24), 1)):
        x = random_array(rng, shape, dtype)
        exact = x.astype(np.float64)
        assert_close_sum(run("sum", x, axis, reverse, sum_type(dtype)),
                         along(np.cumsum, exact, axis, reverse),
                         along(np.cumsum, np.abs(exact), axis, reverse), shape[axis],
                         sum_type(dtype))


@pytest.mark.parametrize("dtype", ("float16", "bfloat16", "float32", "float64"))
def test_float_products(backend, rng, dtype):
    """Powers of two, whose products are exact."""
    x = np.exp2(rng.integers(-1, 2, (5, 12))).astype(numpy_dtype(dtype))
    to = "float32" if dtype == "bfloat16" else dtype
    for axis in (0, 1):
        expected = np.cumprod(x.astype(np.float64), axis).astype(to)
        assert_same(run("product", x, axis, False, to), expected)


def test_dtype_casts_first(backend, rng):
    x = random_array(rng, (40,), "int8")
    assert_same(run("sum", x, 0, False, "float32", dtype=tl.float32),
                np.cumsum(x, dtype=np.float32))
    assert_same(run("sum", x, 0, True, "int16", dtype=tl.int16),
                np.cumsum(x[::-1], dtype=np.int16)[::-1])
    wide = random_array(rng, (40,), "int32")
    assert_same(run("sum", wide, 0, False, "int8", dtype=tl.int8),
                np.cumsum(wide.astype(np.int8), dtype=np.int8))


@pytest.mark.parametrize("dtype", ("float32", "float64"))
def test_special_values(backend, dtype):
    """What is left of NaN and infinity stays as it is; -0 is the sum of zeros with that sign."""
    x = np.array([-0.0, -0.0, 1, np.inf, 2, -np.inf, 1, np.nan, 3] + [1] * 31, dtype)
    with np.errstate(invalid="ignore"):
        expected = np.cumsum(x)
    result = run("sum", x, 0, False, dtype)
    assert_same(result, expected)
    assert np.signbit(result[:2]).all()


@triton.jit
def then(a, b, c, d):
    """x -> a x + b, and then x -> c x + d: order matters."""
    return a * c, b * c + d


@triton.jit
def affine(a_ptr, b_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr,
           RANK: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    at = offsets(A, B, C, RANK)
    a, b = tl.associative_scan((tl.load(a_ptr + at), tl.load(b_ptr + at)), AXIS, then,
                               reverse=REVERSE)
    tl.store(out_ptr + at, a)
    tl.store(out_ptr + A * B * C + at, b)


def affine_scan(a, b, axis):
    """Both of the maps that there are up to each place."""
    a, b = np.moveaxis(a, axis, 0).copy(), np.moveaxis(b, axis, 0).copy()
    for i in range(1, len(a)):
        b[i] += b[i - 1] * a[i]
        a[i] *= a[i - 1]
    return np.stack([np.moveaxis(a, 0, axis), np.moveaxis(b, 0, axis)])


@pytest.mark.parametrize("reverse", (False, True))
@pytest.mark.parametrize("num_warps", (1, 4))
@pytest.mark.parametrize("shape,axis", [((7,), 0), ((130,), 0), ((1024,), 0), ((9, 24), 0),
                                        ((9, 24), 1), ((64, 20), 0), ((3, 16, 5), 1)])
def test_not_commutative(backend, rng, shape, axis, num_warps, reverse):
    a, b = random_array(rng, shape, "int32"), random_array(rng, shape, "int32")
    out = np.zeros((2, *shape), np.int32)
    affine[(1,)](a, b, out, **extents(shape), AXIS=axis, REVERSE=reverse, num_warps=num_warps)
    if reverse:
        expected = np.flip(affine_scan(np.flip(a, axis), np.flip(b, axis), axis), axis + 1)
    else:
        expected = affine_scan(a, b, axis)
    assert_same(out, expected)


@triton.jit
def last(a, b):
    return b


@triton.jit
def first(a, b):
    return a


@triton.jit
def ends(x_ptr, out_ptr, N: tl.constexpr, REVERSE: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + at, tl.associative_scan(x, 0, first, REVERSE))
    tl.store(out_ptr + N + at, x.associative_scan(0, last, reverse=REVERSE))


@pytest.mark.parametrize("N", (2, 33, 781, 1024))
def test_sides(backend, rng, N):
    """The first argument is what comes first: at the end of the axis if it is gone from there."""
    x = random_array(rng, N, "int16")
    for reverse in (False, True):
        out = np.zeros((2, N), np.int16)
        ends[(1,)](x, out, N=N, REVERSE=reverse)
        assert_same(out, np.stack([np.full(N, x[-1 if reverse else 0]), x]))


@triton.jit
def greater(x, i, y, j):
    take = y > x
    return tl.where(take, y, x), tl.where(take, j, i)


@triton.jit
def running_max(x_ptr, out_ptr, at_ptr, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    columns = tl.broadcast_to(tl.arange(0, N)[None, :].to(tl.int64), (M, N))
    x, i = tl.associative_scan((tl.load(x_ptr + at), columns), 1, greater)
    tl.store(out_ptr + at, x)
    tl.store(at_ptr + at, i)


@pytest.mark.parametrize("shape", [(4, 100), (1, 1024), (40, 3)])
def test_running_maximum_with_its_place(backend, rng, shape):
    x = random_array(rng, shape, "int32", 0, 20).astype(np.float32)
    out, at = np.zeros_like(x), np.zeros(shape, np.int64)
    running_max[(1,)](x, out, at, M=shape[0], N=shape[1])
    expected = np.maximum.accumulate(x, 1)
    assert_same(out, expected)
    assert_same(at, np.argmax(x[:, None, :] == expected[:, :, None], 2))


@triton.jit
def recurrence(gate_ptr, x_ptr, out_ptr, n, T: tl.constexpr, D: tl.constexpr):
    """h[t] = gate[t] h[t - 1] + x[t], in tiles of T steps, each of which goes on from the last."""
    at = tl.arange(0, T)[:, None] * D + tl.arange(0, D)[None, :]
    h = tl.zeros((D,), tl.float32)
    for i in range(n):
        a, b = tl.associative_scan((tl.load(gate_ptr + at), tl.load(x_ptr + at)), 0, then)
        y = a * h[None, :] + b
        tl.store(out_ptr + at, y)
        h = tl.sum(tl.where(tl.arange(0, T)[:, None] == T - 1, y, 0.0), 0)
        at += T * D


def test_recurrence(backend, rng):
    n, T, D = 3, 32, 24
    gate = rng.uniform(0.5, 1, (n * T, D)).astype(np.float32)
    x = random_array(rng, (n * T, D), "float32")
    out = np.zeros_like(x)
    recurrence[(1,)](gate, x, out, n, T=T, D=D)
    h, expected = np.zeros(D), []
    for g, v in zip(gate.astype(np.float64), x.astype(np.float64)):
        expected.append(h := g * h + v)
    np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-4)


@triton.jit
def ranks(x_ptr, out_ptr, n, N: tl.constexpr):
    """Those that pass close up: what a scan gives is where elements are stored. A sum and a maximum
    of the same tile go with it, and what follows from the scan is scanned again."""
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at, mask=at < n, other=-1)
    passes = x > 0
    place = tl.cumsum(passes.to(tl.int32), 0)
    tl.store(out_ptr + place - 1, x, mask=passes)
    tl.store(out_ptr + N, tl.sum(passes.to(tl.int32), 0))
    tl.store(out_ptr + N + 1, tl.max(x, 0))
    tl.store(out_ptr + N + 2 + at, tl.cumsum(place * 2, 0, reverse=True))


@pytest.mark.parametrize("N,n", [(64, 50), (1024, 1024), (781, 700)])
def test_close_up(backend, rng, N, n):
    x = random_array(rng, N, "int32", -100, 100)
    out = np.zeros(2 * N + 2, np.int32)
    ranks[(1,)](x, out, n, N=N)
    seen = np.where(np.arange(N) < n, x, -1)
    place = np.cumsum(seen > 0, dtype=np.int32)
    assert_same(out[:place[-1]], seen[seen > 0])
    assert out[N] == place[-1] and out[N + 1] == seen.max()
    assert_same(out[N + 2:], np.cumsum(place[::-1] * 2, dtype=np.int32)[::-1])


@triton.jit
def in_a_loop(x_ptr, out_ptr, n, M: tl.constexpr, N: tl.constexpr):
    """A tile that is scanned in each round, along either axis, and transposed."""
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + at)
    for i in range(n):
        x = tl.cumsum(tl.trans(tl.cumsum(x, 1)), 1, reverse=True)
        x = tl.trans(x) + i
    tl.store(out_ptr + at, x)


def test_carried(backend, rng):
    x = random_array(rng, (16, 24), "int32")
    out = np.zeros_like(x)
    in_a_loop[(1,)](x, out, 3, M=16, N=24)
    for i in range(3):
        x = np.cumsum(x, 1, dtype=np.int32)
        x = np.cumsum(x[::-1], 0, dtype=np.int32)[::-1] + np.int32(i)
    assert_same(out, x)


@triton.jit
def of_no_memory(out_ptr, N: tl.constexpr):
    """What is scanned comes from no access, and is asked for in two layouts."""
    x = tl.cumsum(tl.arange(0, N), 0)
    tl.store(out_ptr + tl.arange(0, N), x)
    tl.store(out_ptr + N + tl.arange(0, 8)[:, None] + tl.arange(0, N)[None, :] * 8,
             x[None, :] + tl.arange(0, 8)[:, None])


def test_of_no_memory(backend):
    N = 96
    out = np.zeros(9 * N, np.int32)
    of_no_memory[(1,)](out, N=N)
    x = np.cumsum(np.arange(N), dtype=np.int32)
    assert_same(out, np.concatenate([x, (x[:, None] + np.arange(8)).ravel()]).astype(np.int32))


@triton.jit
def scanned_in_rounds(x_ptr, out_ptr, n, N: tl.constexpr, HOW: tl.constexpr):
    """The scan itself is what a loop carries, or a branch gives."""
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    if HOW == "loop":
        for _ in range(n):
            x = tl.cumsum(x, 0)
    elif HOW == "reverse":
        for _ in range(n):
            x = tl.cumsum(x, 0, reverse=True)
    else:
        if n > 1:
            x = tl.cumsum(x, 0)
    tl.store(out_ptr + i, x)


@pytest.mark.parametrize("how", ("loop", "reverse", "branch"))
def test_scan_that_is_carried_as_it_is(backend, rng, how):
    x = rng.integers(-9, 9, 64).astype(np.int32)
    out = np.zeros_like(x)
    scanned_in_rounds[(1,)](x, out, 3, N=64, HOW=how)
    for _ in range(1 if how == "branch" else 3):
        x = np.cumsum(x[::-1])[::-1] if how == "reverse" else np.cumsum(x)
    np.testing.assert_array_equal(out, x.astype(np.int32))


@triton.jit
def scanned_products(x_ptr, out_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + i)
    acc = tl.zeros((N, N), tl.float32)
    for _ in range(n):
        acc = tl.cumsum(acc + tl.dot(x, x), 1)
    tl.store(out_ptr + i, acc)


def test_scan_of_a_product_that_is_carried(backend, rng):
    x = rng.integers(-3, 4, (16, 16)).astype(np.float32)
    out, acc = np.zeros_like(x), np.zeros_like(x)
    scanned_products[(1,)](x, out, 2, N=16)
    for _ in range(2):
        acc = np.cumsum(acc + x @ x, 1)
    np.testing.assert_array_equal(out, acc)


@triton.jit
def multiple_of_both(a, b):
    """The least one. Of 0, which padding may be, this would not end."""
    m = a
    while m % b != 0:
        m += a
    return m


@triton.jit
def greatest_and_how_often(x, n, y, m):
    if y > x:
        x = y
        n = m
    elif y == x:
        for _ in range(m):
            n += 1
    return x, n


@triton.jit
def scans_that_branch(x_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr,
                      RANK: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    at = offsets(A, B, C, RANK)
    x = tl.load(x_ptr + at)
    y = tl.associative_scan(x, AXIS, multiple_of_both, REVERSE)
    tl.store(out_ptr + at, y)
    greatest, often = tl.associative_scan((x, x * 0 + 1), AXIS, greatest_and_how_often, REVERSE)
    tl.store(out_ptr + A * B * C + at, greatest)
    tl.store(out_ptr + 2 * A * B * C + at, often)


@pytest.mark.parametrize("reverse", (False, True))
@pytest.mark.parametrize("shape,axis", [((1,), 0), ((37,), 0), ((300,), 0), ((5, 37), 0),
                                        ((5, 37), 1), ((37, 5), 1), ((3, 16, 5), 1)])
def test_function_that_branches(backend, rng, shape, axis, reverse):
    x = rng.integers(1, 7, shape).astype(np.int32)
    out = np.zeros((3, *shape), np.int32)
    scans_that_branch[(1,)](x, out, **extents(shape), AXIS=axis, REVERSE=reverse)
    flip = (lambda v: np.flip(v, axis)) if reverse else (lambda v: v)
    assert_same(flip(out[0]), np.lcm.accumulate(flip(x), axis))
    greatest = np.maximum.accumulate(flip(x), axis)
    assert_same(flip(out[1]), greatest)
    columns = np.moveaxis(flip(x), axis, -1).reshape(-1, shape[axis])
    often = [[(row[:i + 1] == row[:i + 1].max()).sum() for i in range(len(row))]
             for row in columns]
    assert_same(np.moveaxis(flip(out[2]), axis, -1).reshape(columns.shape),
                np.array(often, np.int32))


@triton.jit
def stored_on_the_way(x_ptr, out_ptr, n, REVERSE: tl.constexpr, HOW: tl.constexpr,
                      R: tl.constexpr, N: tl.constexpr):
    """What follows from a scan element by element is stored where the scan has come to it."""
    rows, at = tl.arange(0, R)[:, None], tl.arange(0, N)[None, :]
    at = tl.program_id(0) * R * N + rows * N + at
    x = tl.load(x_ptr + at)
    y = tl.cumsum(x, 1, reverse=REVERSE)
    if HOW == "functions":
        tl.store(out_ptr + at, tl.where(y % 2 == 0, y + x, -y))
    elif HOW == "mask":
        tl.store(out_ptr + at, y, mask=at % N < n)
    elif HOW == "in_place":
        tl.store(x_ptr + at, y)
        tl.store(out_ptr + at, tl.load(x_ptr + at) + y)
    elif HOW == "read_later":
        tl.store(out_ptr + at, y * 2)
        total = tl.max(y, 1)
        tl.store(x_ptr + at, y - total[:, None])
    else:
        # Kept for what reads it elsewhere, and in front of both stores.
        heavy = y
        for k in tl.static_range(2, 11):
            heavy = heavy // k + heavy % (x + k)
        tl.store(out_ptr + at, heavy)
        turned = tl.trans(heavy)
        places = tl.arange(0, N)[:, None] * R + tl.arange(0, R)[None, :]
        tl.store(x_ptr + tl.program_id(0) * R * N + places, turned)


@pytest.mark.parametrize("reverse", (False, True))
@pytest.mark.parametrize("how", ("functions", "mask", "in_place", "read_later", "kept"))
@pytest.mark.parametrize("R,N", [(1, 1024), (4, 100), (3, 1030)])
def test_stored_on_the_way(backend, rng, R, N, how, reverse):
    x = rng.integers(0, 90, (2, R, N)).astype(np.int32)
    given, out = x.copy(), np.zeros_like(x)
    stored_on_the_way[(2,)](x, out, N - 30, REVERSE=reverse, HOW=how, R=R, N=N)
    y = along(lambda v, a: np.cumsum(v, a, dtype=np.int32), given, 2, reverse)
    if how == "functions":
        assert_same(out, np.where(y % 2 == 0, y + given, -y))
    elif how == "mask":
        assert_same(out, np.where(np.arange(N) < N - 30, y, 0))
    elif how == "in_place":
        assert_same(x, y)
        assert_same(out, 2 * y)
    elif how == "read_later":
        assert_same(out, 2 * y)
        assert_same(x, y - y.max(2, keepdims=True))
    else:
        heavy = y
        for k in range(2, 11):
            heavy = heavy // k + heavy % (given + k)
        assert_same(out, heavy)
        assert_same(x.reshape(2, N, R), np.moveaxis(heavy, 1, 2))
