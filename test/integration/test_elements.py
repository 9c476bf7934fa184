"""`tl.map_elementwise`: a function of scalars, with branches and loops, applied to each element."""

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from support import assert_same, numpy_dtype, random_array

EXTENTS = (1, 3, 16, 40, 128, 781)


@triton.jit
def collatz(x):
    steps = 0
    while x > 1:
        if x % 2 == 0:
            x = x // 2
        else:
            x = 3 * x + 1
        steps += 1
    return steps


@triton.jit
def count_steps(x_ptr, out_ptr, N: tl.constexpr):
    offs = tl.arange(0, N)
    tl.store(out_ptr + offs, tl.map_elementwise(collatz, tl.load(x_ptr + offs)))


def steps_of(x):
    steps = 0
    while x > 1:
        x = x // 2 if x % 2 == 0 else 3 * x + 1
        steps += 1
    return steps


@pytest.mark.parametrize("n", EXTENTS)
def test_loops_end_for_each_element(backend, rng, n):
    x = rng.integers(1, 1000, n).astype(np.int32)
    out = np.zeros(n, np.int32)
    count_steps[(1,)](x, out, N=n)
    assert_same(out, np.array([steps_of(int(v)) for v in x], np.int32))


@triton.jit
def divide(x, y):
    if y == 0:
        quotient = 0
        rest = x
    else:
        quotient = x // y
        rest = x % y
    return quotient, rest


@triton.jit
def divide_tiles(x_ptr, y_ptr, q_ptr, r_ptr, M: tl.constexpr, N: tl.constexpr):
    rows, columns = tl.arange(0, M), tl.arange(0, N)
    x = tl.load(x_ptr + rows)[:, None]
    y = tl.load(y_ptr + columns)[None, :]
    q, r = tl.map_elementwise(divide, x, y)
    at = rows[:, None] * N + columns[None, :]
    tl.store(q_ptr + at, q)
    tl.store(r_ptr + at, r)


@pytest.mark.parametrize("m,n", [(1, 1), (4, 8), (16, 32), (5, 37)])
def test_broadcasts_and_returns_several(backend, rng, m, n):
    x = rng.integers(0, 1000, m).astype(np.int32)
    y = rng.integers(0, 5, n).astype(np.int32)
    q, r = np.zeros((m, n), np.int32), np.zeros((m, n), np.int32)
    divide_tiles[(1,)](x, y, q, r, M=m, N=n)
    safe = np.maximum(y, 1)
    assert_same(q, np.where(y == 0, 0, x[:, None] // safe).astype(np.int32))
    assert_same(r, np.where(y == 0, x[:, None], x[:, None] % safe).astype(np.int32))


@triton.jit
def second_result_only(x_ptr, y_ptr, r_ptr, N: tl.constexpr):
    offs = tl.arange(0, N)
    _, r = tl.map_elementwise(divide, tl.load(x_ptr + offs), tl.load(y_ptr + offs))
    tl.store(r_ptr + offs, r + tl.sum(r))


def test_only_the_second_of_two_is_used(backend, rng):
    x, y = (rng.integers(low, 100, 64).astype(np.int32) for low in (0, 1))
    out = np.zeros(64, np.int32)
    second_result_only[(1,)](x, y, out, N=64)
    assert_same(out, x % y + (x % y).sum(dtype=np.int32))


@triton.jit
def clip(x, low):
    if x < low:
        x = low
    return x


@triton.jit
def clip_tile(x_ptr, out_ptr, LOW: tl.constexpr, N: tl.constexpr):
    offs = tl.arange(0, N)
    x = tl.load(x_ptr + offs)
    tl.store(out_ptr + offs, tl.map_elementwise(clip, x, tl.full((1,), LOW, x.dtype)))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_narrow_floats(backend, rng, dtype):
    x = random_array(rng, 40, dtype)
    out = np.zeros(40, x.dtype)
    low = -0.5
    clip_tile[(1,)](x, out, LOW=low, N=40)
    assert_same(out, np.maximum(x, numpy_dtype(dtype).type(low)))


@triton.jit
def pairs(a0, a1, b0, b1):
    if b0 > 0:
        a0 = a0 + b0
    if b1 > 0:
        a1 = a1 + b1
    return a0, a1, a0 > b0, a1 > b1


@triton.jit
def in_pairs(a_ptr, b_ptr, sum_ptr, more_ptr, N: tl.constexpr):
    offs = tl.arange(0, N)
    total, more = tl.map_elementwise(pairs, tl.load(a_ptr + offs), tl.load(b_ptr + offs), pack=2)
    tl.store(sum_ptr + offs, total)
    tl.store(more_ptr + offs, more)


@pytest.mark.parametrize("n", EXTENTS)
def test_several_elements_a_call(backend, rng, n):
    a, b = (rng.integers(-50, 50, n).astype(np.int32) for _ in range(2))
    total, more = np.zeros(n, np.int32), np.zeros(n, np.int8)
    in_pairs[(1,)](a, b, total, more, N=n)
    expected = a + np.maximum(b, 0)
    assert_same(total, expected)
    assert_same(more, (expected > b).astype(np.int8))


@triton.jit
def four(a, b, c, d):
    pid = tl.program_id(0)
    return a + pid, b + pid, c + pid, d + pid


@triton.jit
def in_fours(x_ptr, out_ptr, N: tl.constexpr):
    offs = tl.program_id(0) * N + tl.arange(0, N)
    x = tl.map_elementwise(four, tl.load(x_ptr + offs), pack=4)
    tl.store(out_ptr + offs, x)


def test_groups_without_branches_know_their_program(backend, rng):
    x = rng.integers(-50, 50, (3, 10)).astype(np.int32)
    out = np.zeros_like(x)
    in_fours[(3,)](x, out, N=10)
    assert_same(out, x + np.arange(3, dtype=np.int32)[:, None])


@triton.jit
def of_scalars(out_ptr, n):
    q, r = tl.map_elementwise(divide, n, 7)
    tl.store(out_ptr, q)
    tl.store(out_ptr + 1, r)


def test_scalars(backend):
    out = np.zeros(2, np.int32)
    of_scalars[(1,)](out, 100)
    assert out.tolist() == [14, 2]


@triton.jit
def in_a_loop(x_ptr, out_ptr, rounds, N: tl.constexpr):
    offs = tl.arange(0, N)
    x = tl.load(x_ptr + offs)
    total = tl.zeros((N,), tl.int32)
    for i in range(rounds):
        total += tl.map_elementwise(collatz, x + i)
    tl.store(out_ptr + offs, total)


def test_within_a_loop(backend, rng):
    x = rng.integers(1, 100, 33).astype(np.int32)
    out = np.zeros(33, np.int32)
    in_a_loop[(1,)](x, out, 5, N=33)
    assert_same(out, np.array([sum(steps_of(int(v) + i) for i in range(5)) for v in x], np.int32))


@triton.jit
def masked_tail(x_ptr, out_ptr, n, N: tl.constexpr):
    offs = tl.program_id(0) * N + tl.arange(0, N)
    x = tl.load(x_ptr + offs, mask=offs < n, other=1)
    tl.store(out_ptr + offs, tl.map_elementwise(collatz, x), mask=offs < n)


def test_masks(backend, rng):
    x = rng.integers(1, 300, 100).astype(np.int32)
    out = np.zeros(100, np.int32)
    masked_tail[(2,)](x, out, 100, N=64)
    assert_same(out, np.array([steps_of(int(v)) for v in x], np.int32))


@triton.jit
def straight(x, y):
    return x * y + 1.0


@triton.jit
def without_branches(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    offs = tl.arange(0, N)
    tl.store(out_ptr + offs,
             tl.map_elementwise(straight, tl.load(x_ptr + offs), tl.load(y_ptr + offs)))


def test_without_branches_it_is_tiles(backend, rng):
    x, y = (random_array(rng, 96, "float64") for _ in range(2))
    out = np.zeros(96)
    compiled = without_branches[(1,)](x, y, out, N=96)
    np.testing.assert_allclose(out, x * y + 1, rtol=1e-12)
    assert "map_elementwise" not in compiled.asm["ttir"]


@triton.jit
def folded(x):
    while x > 1.0:
        x = x * 0.5
    return x


@triton.jit
def product(a_ptr, b_ptr, c_ptr, sum_ptr, K, M: tl.constexpr, N: tl.constexpr, B: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, B)
    total = tl.zeros((M, N), tl.float32)
    for i in range(0, K, B):
        a = tl.load(a_ptr + m[:, None] * K + (i + k)[None, :])
        b = tl.load(b_ptr + (i + k)[:, None] * N + n[None, :])
        total = tl.dot(tl.map_elementwise(folded, a), b, total)
    tl.store(c_ptr + m[:, None] * N + n[None, :], total)
    folds = tl.map_elementwise(folded, tl.trans(total))
    tl.store(sum_ptr + m, tl.sum(folds, axis=0))


def fold(x):
    while (x > 1).any():
        x = np.where(x > 1, x * np.float32(0.5), x)
    return x


def test_in_a_product_and_a_sum(backend, rng):
    a = rng.integers(-3, 4, (32, 64)).astype(np.float16)
    b = rng.integers(-3, 4, (64, 16)).astype(np.float16)
    c, sums = np.zeros((32, 16), np.float32), np.zeros(32, np.float32)
    product[(1,)](a, b, c, sums, 64, M=32, N=16, B=16)
    expected = fold(a.astype(np.float32)) @ b.astype(np.float32)
    assert_same(c, expected)
    np.testing.assert_allclose(sums, fold(expected).sum(axis=1), rtol=1e-5)
