"""Sums that shrink by what a maximum grows before more is added, as those of an online softmax;
running maxima and minima; loops that differ in what stands between their dots."""

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl


@triton.jit
def online(x, tops, first, out, n, ROWS: tl.constexpr, COLUMNS: tl.constexpr, BASE_2: tl.constexpr,
           BRANCH: tl.constexpr):
    rows, columns = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    top = tl.load(tops + rows)
    total = tl.load(first + rows)
    for i in range(n):
        tile = tl.load(x + rows[:, None] * (n * COLUMNS) + i * COLUMNS + columns[None, :])
        if BRANCH:
            if i % 2 == 0:
                new = tl.maximum(top, tl.max(tile, 1))
                weights = tl.exp2(tile - new[:, None])
                added = tl.sum(weights, 1)
            else:
                new = tl.maximum(tl.max(tile, 1), top)
                weights = tl.exp2(tile - new[:, None])
                added = tl.sum(weights, 1)
            total = total * tl.exp2(top - new) + added
        elif BASE_2:
            new = tl.maximum(top, tl.max(tile, 1))
            total = total * tl.exp2(top - new) + tl.sum(tl.exp2(tile - new[:, None]), 1)
        else:
            new = tl.maximum(top, tl.max(tile, 1))
            total = tl.sum(tl.exp(tile - new[:, None]), 1) + tl.exp(top - new) * total
        top = new
    tl.store(out + rows, total)


def expected(x, top, first, power):
    total = first.astype(float)
    with np.errstate(invalid="ignore"):
        for i in range(x.shape[1]):
            # The language's maximum takes the number where one operand is none.
            new = np.fmax(top, np.fmax.reduce(x[:, i], axis=1))
            total = total * power(top - new) + power(x[:, i] - new[:, None]).sum(1)
            top = new
    return total


@pytest.mark.parametrize("rows,columns,warps",
                         [(16, 128, 4), (4, 512, 8), (64, 32, 4), (1, 2048, 4)])
@pytest.mark.parametrize("base_2,branch", [(True, False), (False, False), (True, True)])
def test_sums(backend, rows, columns, warps, base_2, branch):
    random = np.random.default_rng(rows * columns)
    x = random.standard_normal((rows, 5, columns)).astype(np.float32) * 2
    tops = random.standard_normal(rows).astype(np.float32)
    first = random.random(rows).astype(np.float32) * 100
    out = np.zeros(rows, np.float32)
    online[(1,)](x, tops, first, out, 5, rows, columns, base_2, branch, num_warps=warps)
    power = np.exp2 if base_2 else np.exp
    np.testing.assert_allclose(out, expected(x, tops, first, power), rtol=1e-5)


def test_no_iteration(backend):
    first, out = np.arange(16, dtype=np.float32) - 4, np.zeros(16, np.float32)
    online[(1,)](np.zeros((16, 1, 128), np.float32), first, first, out, 0, 16, 128, True, False)
    np.testing.assert_array_equal(out, first)


def test_infinite_and_no_numbers(backend):
    x = np.zeros((16, 3, 128), np.float32)
    x[0, 1, 5] = np.inf      # the maximum from then on: inf - inf
    x[1] = -np.inf           # no maximum but -inf
    x[2, 0], x[2, 1:] = -np.inf, 1
    x[3, :, ::2] = -np.inf   # some weights are zero
    x[4, 2, 7] = 3e38        # all earlier weights vanish
    first = np.ones(16, np.float32)
    first[5:8] = first[9:12] = np.inf, -np.inf, np.nan
    tops, out = np.full(16, -np.inf, np.float32), np.zeros(16, np.float32)
    tops[8:] = 0
    online[(1,)](x, tops, first, out, 3, 16, 128, True, False)
    np.testing.assert_allclose(out, expected(x, tops, first, np.exp2), rtol=1e-6)


@triton.jit
def running(x, tops, bottoms, n, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows, columns = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    top = tl.full((ROWS,), -float("inf"), tl.float32)
    bottom = tl.full((ROWS,), float("inf"), tl.float32)
    for i in range(n):
        tile = tl.load(x + rows[:, None] * (n * COLUMNS) + i * COLUMNS + columns[None, :])
        top = tl.maximum(top, tl.max(tile, 1))
        bottom = tl.minimum(bottom, tl.min(tile, 1))
    tl.store(tops + rows, top)
    tl.store(bottoms + rows, bottom)


@pytest.mark.parametrize("n", [0, 3])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1])
def test_running_extrema(backend, n, value):
    x = np.full((4, max(n, 1), 128), value, np.float32)
    tops, bottoms = np.zeros(4, np.float32), np.zeros(4, np.float32)
    running[(1,)](x, tops, bottoms, n, 4, 128)
    is_number = n > 0 and not np.isnan(value)
    np.testing.assert_array_equal(tops, np.float32(value if is_number else -np.inf))
    np.testing.assert_array_equal(bottoms, np.float32(value if is_number else np.inf))


@triton.jit
def bounded(x, tops, bottoms, N: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    value = tl.load(x + at)
    tl.store(tops + at, tl.maximum(value, -float("inf")))
    tl.store(tops + BLOCK + at, tl.maximum(tl.full((BLOCK,), -float("inf"), tl.float32), value))
    tl.store(tops + 2 * BLOCK + at, tl.maximum(value, tl.where(at < BLOCK, -float("inf"), 0.0)))
    tl.store(bottoms + at, tl.minimum(float("inf"), value))
    top, bottom = tl.full((BLOCK,), -float("inf"), tl.float32), float("inf")
    other = tl.full((BLOCK,), float("nan"), tl.float32)
    for i in range(N):
        top = tl.maximum(top, value)
        bottom = tl.minimum(tl.load(x + i), bottom)
        other = tl.maximum(other, value)
    tl.store(tops + 3 * BLOCK + at, top)
    tl.store(tops + 4 * BLOCK + at, tl.maximum(other, -float("inf")))
    tl.store(bottoms + BLOCK + at, bottom)


@pytest.mark.parametrize("n", [1, 2])
def test_infinities_as_bounds(backend, n):
    """A number wins over none, and over an infinity that bounds nothing, wherever it is known."""
    x = np.array([np.nan, -np.inf, np.inf, 1], np.float32)
    tops, bottoms = np.zeros((5, 4), np.float32), np.zeros((2, 4), np.float32)
    bounded[(1,)](x, tops, bottoms, n, 4)
    np.testing.assert_array_equal(tops, [[-np.inf, -np.inf, np.inf, 1]] * 5)
    np.testing.assert_array_equal(bottoms[0], [np.inf, -np.inf, np.inf, 1])
    np.testing.assert_array_equal(bottoms[1], [np.inf if n == 1 else -np.inf] * 4)


@triton.jit
def squares(q, k, v, out, border, end, D: tl.constexpr, B: tl.constexpr):
    rows, dims, keys = tl.arange(0, B), tl.arange(0, D), tl.arange(0, B)
    x = tl.load(q + rows[:, None] * D + dims[None, :])
    acc = tl.zeros((B, D), tl.float32)
    for i in range(0, border * B, B):
        s = tl.dot(x, tl.load(k + (i + keys)[None, :] * D + dims[:, None]))
        y = tl.load(v + (i + keys)[:, None] * D + dims[None, :])
        acc = tl.dot((s * s).to(tl.float16), y, acc)
    for i in range(border * B, end, B):
        s = tl.dot(x, tl.load(k + (i + keys)[None, :] * D + dims[:, None]))
        y = tl.load(v + (i + keys)[:, None] * D + dims[None, :])
        other = tl.where((i + keys)[None, :] <= rows[:, None] + border * B, s, 2.0)
        acc = tl.dot((s * other).to(tl.float16), y, acc)
    tl.store(out + rows[:, None] * D + dims[None, :], acc)


def test_one_operand_twice_and_two(backend):
    random = np.random.default_rng(0)
    q, k, v = (random.integers(-2, 3, (n, 16)).astype(np.float16) for n in (16, 64, 64))
    out = np.zeros((16, 16), np.float32)
    squares[(1,)](q, k, v, out, 2, 64, 16, 16)
    s = q.astype(float) @ k.astype(float).T
    seen = np.arange(64)[None] <= np.arange(16)[:, None] + 32
    expected = np.where((np.arange(64) < 32) | seen, s * s, 2 * s) @ v.astype(float)
    np.testing.assert_array_equal(out, expected)


@triton.jit
def weighted(q, k, v, out, tops, n, D: tl.constexpr, B: tl.constexpr, COLUMNS: tl.constexpr):
    rows, dims, keys = tl.arange(0, B), tl.arange(0, D), tl.arange(0, COLUMNS)
    x = tl.load(q + rows[:, None] * D + dims[None, :])
    top = tl.full((B,), -float("inf"), tl.float32)
    total = tl.zeros((B,), tl.float32)
    acc = tl.zeros((B, D), tl.float32)
    for i in range(0, n, COLUMNS):
        s = tl.dot(x, tl.load(k + (i + keys)[None, :] * D + dims[:, None]))
        new = tl.maximum(top, tl.max(s, 1))
        weights = tl.exp2(s - new[:, None])
        factor = tl.exp2(top - new)
        acc = acc * factor[:, None]
        y = tl.load(v + (i + keys)[:, None] * D + dims[None, :])
        acc = tl.dot(weights.to(tl.float16), y, acc)
        total = total * factor + tl.sum(weights, 1)
        top = new
    tl.store(out + rows[:, None] * D + dims[None, :], acc / total[:, None])
    tl.store(tops + rows, top)


@pytest.mark.parametrize("rows,columns,warps",
                         [(64, 64, 4), (128, 64, 8), (256, 64, 16), (128, 32, 4)])
def test_products_of_sums_by_factors_that_are_one(backend, rows, columns, warps):
    """Each row has scores of its own: its maximum grows in each step, in the first alone, in one of
    the others, or never is a number, so that of a warp's rows none is scaled, some, or all."""
    random = np.random.default_rng(rows)
    d, steps = 64, 5
    n = steps * columns
    kinds = random.integers(0, 5, rows)
    kinds[:64] = np.repeat([1, 0, 3, 1], 16)  # of whole warps
    scores = random.integers(-8, 1, (rows, steps)).astype(np.float32)
    for row, kind in enumerate(kinds):
        scores[row] = ([-4, -3, -2, -1, 0], [0, -1, -2, -3, -4], scores[row], [-1, -1, 0, -1, 0],
                       [-3, np.inf, -1, 0, -2])[kind]
    # A column of q for each step, which its keys alone have.
    q, k = np.zeros((rows, d), np.float16), np.zeros((n, d), np.float16)
    q[:, :steps] = scores
    k[np.arange(n), np.arange(n) // columns] = 1
    v = random.integers(-4, 5, (n, d)).astype(np.float16)
    q[3] = np.nan
    out, tops = np.zeros((rows, d), np.float32), np.zeros(rows, np.float32)
    weighted[(1,)](q, k, v, out, tops, n, d, rows, columns, num_warps=warps)
    with np.errstate(invalid="ignore"):
        s = q.astype(float) @ k.astype(float).T
        np.testing.assert_array_equal(tops, np.fmax(np.fmax.reduce(s, axis=1), -np.inf))
        weights = np.exp2(s - np.fmax.reduce(s, axis=1)[:, None])
        expected = weights @ v.astype(float) / weights.sum(1)[:, None]
    np.testing.assert_allclose(out, expected, rtol=2e-3, atol=1e-3)
