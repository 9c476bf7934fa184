"""Reductions on every axis, with the library's combiners and with users' own."""

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from support import (DTYPES, INTS, UNSIGNED, EPSILON, adversarial, assert_close_sum, assert_same,
                     is_float, numpy_dtype, random_array)

SHAPES = [(1, 1), (1, 37), (37, 1), (4, 16), (17, 31), (64, 64), (3, 781)]


@triton.jit
def reduce_2d(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr,
              OP: tl.constexpr):
    rows = tl.arange(0, M)
    cols = tl.arange(0, N)
    x = tl.load(x_ptr + rows[:, None] * N + cols[None, :])
    if OP == "sum":
        y = tl.sum(x, axis=AXIS)
    elif OP == "max":
        y = tl.max(x, axis=AXIS)
    elif OP == "min":
        y = tl.min(x, axis=AXIS)
    elif OP == "argmax":
        y = tl.argmax(x, axis=AXIS)
    elif OP == "argmin":
        y = tl.argmin(x, axis=AXIS)
    elif OP == "xor":
        y = tl.xor_sum(x, axis=AXIS)
    tl.static_assert(y.dtype == out_ptr.dtype.element_ty, "the result has another type")
    if AXIS is None:
        tl.store(out_ptr, y)
    elif AXIS == 0:
        tl.store(out_ptr + cols, y)
    else:
        tl.store(out_ptr + rows, y)


def run(op, x, axis, dtype):
    M, N = x.shape
    out = np.zeros(1 if axis is None else N if axis == 0 else M, numpy_dtype(dtype))
    reduce_2d[(1,)](x, out, M=M, N=N, AXIS=axis, OP=op)
    return out


def sum_type(dtype):
    """Ints below 32 bits are summed in 32."""
    if is_float(dtype):
        return dtype
    bits = np.dtype(dtype).itemsize * 8
    return dtype if bits >= 32 else ("uint32" if dtype in UNSIGNED else "int32")


def extremum_type(dtype):
    if is_float(dtype):
        return "float32" if dtype in ("float16", "bfloat16") else dtype
    return dtype if np.dtype(dtype).itemsize >= 4 else "int32"


@pytest.mark.parametrize("dtype", INTS)
@pytest.mark.parametrize("axis", (0, 1, None))
def test_integer_sum(backend, rng, axis, dtype):
    for shape in SHAPES:
        x = random_array(rng, shape, dtype)
        result = run("sum", x, axis, sum_type(dtype))
        with np.errstate(all="ignore"):
            assert_same(result, np.atleast_1d(x.sum(axis=axis, dtype=result.dtype)))


@pytest.mark.parametrize("dtype", ("float16", "bfloat16", "float32", "float64"))
@pytest.mark.parametrize("axis", (0, 1, None))
def test_float_sum(backend, rng, axis, dtype):
    for shape in SHAPES:
        x = random_array(rng, shape, dtype)
        exact = x.astype(np.float64)
        terms = x.size if axis is None else shape[axis]
        assert_close_sum(run("sum", x, axis, dtype), np.atleast_1d(exact.sum(axis=axis)),
                         np.atleast_1d(np.abs(exact).sum(axis=axis)), terms, dtype)


@pytest.mark.parametrize("dtype", ("float32", "float64"))
def test_sum_of_special_values(backend, dtype):
    rows = np.array([[1, np.inf, 2, 3], [np.inf, -np.inf, 0, 0], [np.nan, 1, 2, 3],
                     [0, -0.0, 0, 0]], dtype)
    assert_same(run("sum", rows, 1, dtype), np.array([np.inf, np.nan, np.nan, 0], dtype))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", (0, 1, None))
@pytest.mark.parametrize("op", ("max", "min"))
def test_extremum(backend, rng, op, axis, dtype):
    for shape in SHAPES:
        x = random_array(rng, shape, dtype)
        expected = np.atleast_1d(getattr(np, op)(x, axis=axis)).astype(
            numpy_dtype(extremum_type(dtype)))
        assert_same(run(op, x, axis, extremum_type(dtype)), expected)


@pytest.mark.parametrize("dtype", ("float32", "float64"))
@pytest.mark.parametrize("op", ("max", "min"))
def test_extremum_ignores_nan(backend, op, dtype):
    x = np.array([[np.nan, 1, -3, 2], [-np.inf, -1, -2, -np.inf], [np.inf, 5, 6, 7],
                  [np.nan, np.nan, np.nan, np.nan]], dtype)
    expected = np.array([{"max": 2, "min": -3}[op], {"max": -1, "min": -np.inf}[op],
                         {"max": np.inf, "min": 5}[op], np.nan], dtype)
    assert_same(run(op, x, 1, dtype), expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", (0, 1))
@pytest.mark.parametrize("op", ("argmax", "argmin"))
def test_arg_extremum(backend, rng, op, axis, dtype):
    for shape in SHAPES:
        # Few values, so that there are ties: the first one counts.
        x = random_array(rng, shape, "int32", 0, 5).astype(numpy_dtype(dtype))
        expected = getattr(np, op)(x, axis=axis).astype(np.int32)
        assert_same(run(op, x, axis, "int32"), expected)


@pytest.mark.parametrize("op,expected", [("argmax", [3, 0, 3, 0, 1, 1]),
                                         ("argmin", [2, 0, 1, 0, 1, 2])])
@pytest.mark.parametrize("dtype", ("float16", "float32", "float64"))
def test_arg_extremum_of_nan_and_zeros(backend, op, expected, dtype):
    """Numbers come before NaN, of NaN alone the first place counts, and 0 and -0 are equal."""
    inf, nan = np.inf, np.nan
    x = np.array([[nan, 1, -3, 2], [-inf, -inf, -inf, -inf], [5, 4, nan, inf],
                  [nan, nan, nan, nan], [nan, 0.0, -0.0, nan], [nan, 1, -0.0, 0.0]],
                 dtype)  # fmt: skip
    assert_same(run(op, x, 1, "int32"), np.array(expected, np.int32))
    for row, place in zip(x, expected):
        assert_same(run(op, np.tile(row, 80)[:, None], 0, "int32"), np.array([place], np.int32))


@pytest.mark.parametrize("dtype", INTS)
def test_xor_sum(backend, rng, dtype):
    x = random_array(rng, (19, 33), dtype)
    for axis in (0, 1):
        assert_same(run("xor", x, axis, dtype), np.bitwise_xor.reduce(x, axis=axis))


@triton.jit
def reduce_3d(x_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr,
              AXIS: tl.constexpr, KEEP: tl.constexpr):
    i = tl.arange(0, A)[:, None, None]
    j = tl.arange(0, B)[None, :, None]
    k = tl.arange(0, C)[None, None, :]
    x = tl.load(x_ptr + (i * B + j) * C + k)
    if KEEP:
        y = x - tl.max(x, axis=AXIS, keep_dims=True)
        tl.store(out_ptr + (i * B + j) * C + k, y)
    else:
        y = tl.sum(x, axis=AXIS)
        if AXIS == 0:
            tl.store(out_ptr + tl.arange(0, B)[:, None] * C + tl.arange(0, C)[None, :], y)
        elif AXIS == 1:
            tl.store(out_ptr + tl.arange(0, A)[:, None] * C + tl.arange(0, C)[None, :], y)
        else:
            tl.store(out_ptr + tl.arange(0, A)[:, None] * B + tl.arange(0, B)[None, :], y)


@pytest.mark.parametrize("axis", (0, 1, 2))
@pytest.mark.parametrize("shape", [(1, 1, 1), (2, 3, 4), (4, 16, 8), (3, 5, 37), (7, 1, 16)])
def test_three_dimensions(backend, rng, shape, axis):
    x = random_array(rng, shape, "int32", -1000, 1000)
    A, B, C = shape
    out = np.zeros([n for d, n in enumerate(shape) if d != axis], np.int32)
    reduce_3d[(1,)](x, out, A=A, B=B, C=C, AXIS=axis, KEEP=False)
    assert_same(out, x.sum(axis=axis, dtype=np.int32))
    out = np.zeros_like(x)
    reduce_3d[(1,)](x, out, A=A, B=B, C=C, AXIS=axis, KEEP=True)
    assert_same(out, x - x.max(axis=axis, keepdims=True))


@triton.jit
def product(a, b):
    return a * b


@triton.jit
def lexicographic(value1, index1, value2, index2):
    first = (value1 > value2) | ((value1 == value2) & (index1 < index2))
    return tl.where(first, value1, value2), tl.where(first, index1, index2)


@triton.jit
def welford(mean1, m1, count1, mean2, m2, count2):
    delta = mean2 - mean1
    count = count1 + count2
    ratio = count2 / count
    return mean1 + delta * ratio, m1 + m2 + delta * delta * count1 * ratio, count


@triton.jit
def own_combiners(x_ptr, out_ptr, index_ptr, stats_ptr, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    cols = tl.arange(0, N)
    x = tl.load(x_ptr + rows[:, None] * N + cols[None, :])
    tl.store(out_ptr + rows, tl.reduce(x, 1, product))
    index = tl.broadcast_to(cols[None, :], (M, N))
    value, where = tl.reduce((x, index), 1, lexicographic)
    tl.store(out_ptr + M + rows, value)
    tl.store(index_ptr + rows, where)
    zeros = tl.zeros((M, N), dtype=tl.float32)
    mean, m2, count = tl.reduce((x, zeros, zeros + 1), 1, welford)
    tl.store(stats_ptr + rows, mean)
    tl.store(stats_ptr + M + rows, m2 / count)


@pytest.mark.parametrize("shape", [(1, 1), (4, 16), (5, 37), (16, 100)])
def test_own_combiner(backend, rng, shape):
    M, N = shape
    x = (rng.integers(1, 5, shape) / 2).astype(np.float32)
    out, index = np.zeros((2, M), np.float32), np.zeros(M, np.int32)
    stats = np.zeros((2, M), np.float32)
    own_combiners[(1,)](x, out, index, stats, M=M, N=N)
    np.testing.assert_allclose(out[0], np.prod(x.astype(np.float64), axis=1), rtol=N * 2e-7)
    assert_same(out[1], x.max(axis=1))
    assert_same(index, x.argmax(axis=1).astype(np.int32))
    np.testing.assert_allclose(stats[0], x.mean(axis=1), rtol=1e-5)
    np.testing.assert_allclose(stats[1], x.var(axis=1), rtol=1e-4, atol=1e-5)


@triton.jit
def max_with_indices(x_ptr, value_ptr, index_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    value, index = tl.max(x, axis=0, return_indices=True)
    tl.store(value_ptr, value)
    tl.store(index_ptr, index)
    value, index = tl.min(x, axis=0, return_indices=True)
    tl.store(value_ptr + 1, value)
    tl.store(index_ptr + 1, index)


@pytest.mark.parametrize("n", (1, 3, 64, 781))
def test_max_with_indices(backend, rng, n):
    x = rng.integers(0, 9, n).astype(np.float32)
    value, index = np.zeros(2, np.float32), np.zeros(2, np.int32)
    max_with_indices[(1,)](x, value, index, N=n)
    assert_same(value, np.array([x.max(), x.min()]))
    assert_same(index, np.array([x.argmax(), x.argmin()], np.int32))


@triton.jit
def place_of_difference(x, y, z, product, place, N: tl.constexpr):
    i = tl.arange(0, N)
    p = tl.load(x + i) * tl.load(y + i)
    tl.store(product + i, p)
    tl.store(place, tl.argmax(p - tl.load(z + i), axis=0))


def test_place_of_what_may_be_fused(backend, rng):
    """The product is rounded for its store, and may not be for the difference: whichever the values
    are, the place is that of the greatest."""
    for _ in range(20):
        x, y, z = (rng.standard_normal(1000).astype(np.float32) for _ in range(3))
        product, place = np.zeros(1000, np.float32), np.full(1, -1, np.int32)
        place_of_difference[(1,)](x, y, z, product, place, N=1000)
        assert_same(place, np.array([(x.astype(np.float64) * y - z).argmax()], np.int32))


@triton.jit
def place_beside_the_row(x_ptr, sums_ptr, place_ptr, n, other, a, b, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + c, mask=c < n, other=other)
    t = x * a
    tl.store(place_ptr, tl.argmax(t + x * b, axis=0))
    tl.store(sums_ptr + c, t)


@pytest.mark.parametrize("a,b", [(1.3, 1.7), (1.234567, 1.345678)])
def test_place_of_what_lies_beside_the_row(backend, rng, a, b):
    """What is not loaded is the greatest, and may be computed where it is stored, too."""
    x = (rng.random(3072) * 2 - 1).astype(np.float32)
    sums, place = np.zeros(4096, np.float32), np.full(1, -1, np.int32)
    place_beside_the_row[(1,)](x, sums, place, 3072, 1.1, a, b, BLOCK=4096)
    assert 3072 <= place[0] < 4096


# The accumulator is a scalar, or a tile that the reduction leaves.
@triton.jit
def reduce_in_loop(x_ptr, out_ptr, rows, start, M: tl.constexpr, N: tl.constexpr,
                   OP: tl.constexpr):
    cols = tl.arange(0, N)
    lanes = tl.arange(0, M)[:, None] * N + cols[None, :]
    one = start
    many = tl.zeros((M,), x_ptr.dtype.element_ty) + start
    for row in range(rows):
        x = tl.load(x_ptr + row * M * N + cols)
        y = tl.load(x_ptr + row * M * N + lanes)
        if OP == "sum":
            one += tl.sum(x, axis=0)
            many += tl.sum(y, axis=1)
        elif OP == "max":
            one = tl.maximum(one, tl.max(x, axis=0))
            many = tl.maximum(tl.max(y, axis=1), many)
        else:
            one = tl.minimum(one, tl.min(x, axis=0))
            many = tl.minimum(many, tl.min(y, axis=1))
    tl.store(out_ptr, one)
    tl.store(out_ptr + 1 + tl.arange(0, M), many)


@pytest.mark.parametrize("dtype", ("float32", "int32"))
@pytest.mark.parametrize("op", ("sum", "max", "min"))
@pytest.mark.parametrize("m,n", [(2, 128), (4, 100), (1, 1), (3, 64)])
def test_reduction_accumulated_by_a_loop(backend, rng, op, dtype, m, n):
    numpy_op = {"sum": np.add, "max": np.maximum, "min": np.minimum}[op]
    for rows in (0, 1, 5):
        x = random_array(rng, (max(rows, 1), m, n), dtype, -99, 99).round()
        out = np.zeros(1 + m, dtype)
        start = np.dtype(dtype).type(3)
        reduce_in_loop[(1,)](x, out, rows, start.item(), M=m, N=n, OP=op)
        used = x[:rows]
        expected = numpy_op.reduce(used, axis=(0, 2), initial=start, dtype=dtype)
        assert out[0] == expected[0]
        assert_same(out[1:], expected)


@triton.jit
def sum_of_bools(x_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(out_ptr, tl.sum((x > 0).to(tl.int32), axis=0))
    tl.store(out_ptr + 1, tl.sum(x, axis=0, dtype=tl.int32))


def test_count(backend, rng):
    x = rng.integers(-3, 4, 1000).astype(np.int8)
    out = np.zeros(2, np.int32)
    sum_of_bools[(1,)](x, out, N=1000)
    assert_same(out, np.array([np.count_nonzero(x > 0), x.sum()], np.int32))


@triton.jit
def softmax_of_tile(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    tile = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + tile)
    tl.store(out_ptr + tile, tl.softmax(x, dim=1))
    tl.store(out_ptr + M * N + tile, tl.softmax(x))


def test_softmax_function(backend, rng):
    x = random_array(rng, (9, 33), "float32")
    out = np.zeros((2, 9, 33), np.float32)
    softmax_of_tile[(1,)](x, out, M=9, N=33)
    for result, axis in ((out[0], 1), (out[1], 0)):
        e = np.exp(x - x.max(axis=axis, keepdims=True))
        np.testing.assert_allclose(result, e / e.sum(axis=axis, keepdims=True), rtol=2e-6)


@triton.jit
def common_divisor(a, b):
    while b != 0:
        a, b = b, a % b
    return a


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
def combiners_that_branch(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    rows, columns = tl.arange(0, M), tl.arange(0, N)
    x = tl.load(x_ptr + rows[:, None] * N + columns[None, :])
    tl.store(out_ptr + rows, tl.reduce(x, 1, common_divisor))
    tl.store(out_ptr + M + rows, tl.reduce(x, 1, multiple_of_both))
    greatest, often = tl.reduce((x.to(tl.float32), x * 0 + 1), 1, greatest_and_how_often)
    tl.store(out_ptr + 2 * M + rows, greatest.to(tl.int32))
    tl.store(out_ptr + 3 * M + rows, often)
    tl.store(out_ptr + 4 * M + columns, tl.reduce(x, 0, multiple_of_both))
    row = tl.load(x_ptr + columns)
    tl.store(out_ptr + 4 * M + N, tl.reduce(row, 0, common_divisor))
    # With another reduction of the same tile.
    tl.store(out_ptr + 4 * M + N + 1, tl.reduce(row, 0, multiple_of_both) + tl.sum(row, 0))


@pytest.mark.parametrize("shape", [(1, 1), (4, 16), (5, 37), (3, 300), (37, 5)])
def test_combiner_that_branches(backend, rng, shape):
    M, N = shape
    x = rng.integers(1, 7, shape).astype(np.int32)
    out = np.zeros(4 * M + N + 2, np.int32)
    combiners_that_branch[(1,)](x, out, M=M, N=N)
    greatest = x.max(1)
    assert_same(out, np.concatenate([
        np.gcd.reduce(x, 1), np.lcm.reduce(x, 1), greatest, (x == greatest[:, None]).sum(1),
        np.lcm.reduce(x, 0), [np.gcd.reduce(x[0]), np.lcm.reduce(x[0]) + x[0].sum()]
    ]).astype(np.int32))
