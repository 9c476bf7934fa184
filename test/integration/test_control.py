"""Loops, branches, calls, tuples, constexprs."""

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from support import assert_same, kernels_from, random_array

SCALE = tl.constexpr(3)
NAMES = tl.constexpr("xyz")


@triton.jit
def nested(out_ptr, n, m):
    total = 0
    for i in range(n):
        for j in range(i, m, 2):
            total += i * j
        total = total - 1
    tl.store(out_ptr, total)


@pytest.mark.parametrize("n,m", [(0, 5), (1, 1), (4, 9), (9, 4)])
def test_nested_loops(backend, n, m):
    out = np.zeros(1, np.int32)
    nested[(1,)](out, n, m)
    assert out[0] == sum(i * j for i in range(n) for j in range(i, m, 2)) - n


@triton.jit
def bounds(out_ptr, start, stop, STEP: tl.constexpr):
    count = 0
    last = -1000
    for i in range(start, stop, STEP):
        count += 1
        last = i
    tl.store(out_ptr, count)
    tl.store(out_ptr + 1, last)


@pytest.mark.parametrize("start,stop,step", [(0, 10, 1), (0, 10, 3), (5, 5, 1), (7, 3, 1),
                                             (10, 0, -1), (10, 0, -3), (0, 10, -1), (-5, 5, 4)])
def test_loop_bounds(backend, start, stop, step):
    out = np.zeros(2, np.int32)
    bounds[(1,)](out, start, stop, STEP=step)
    values = list(range(start, stop, step))
    assert out.tolist() == [len(values), values[-1] if values else -1000]


@triton.jit
def while_loop(out_ptr, n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    tl.store(out_ptr, steps)


@pytest.mark.parametrize("n", (1, 6, 27, 97))
def test_while(backend, n):
    out = np.zeros(1, np.int32)
    while_loop[(1,)](out, n)
    steps, value = 0, n
    while value != 1:
        value = value // 2 if value % 2 == 0 else 3 * value + 1
        steps += 1
    assert out[0] == steps


@triton.jit
def carried_tiles(x_ptr, out_ptr, rows, N: tl.constexpr):
    cols = tl.arange(0, N)
    total = tl.zeros((N,), dtype=tl.float32)
    peak = tl.full((N,), float("-inf"), dtype=tl.float32)
    ptrs = x_ptr + cols
    first = tl.load(ptrs)
    previous = first
    for i in tl.range(0, rows):
        x = tl.load(ptrs)
        total += x
        peak = tl.maximum(peak, x)
        first, previous = previous, x
        ptrs += N
    tl.store(out_ptr + cols, total)
    tl.store(out_ptr + N + cols, peak)
    tl.store(out_ptr + 2 * N + cols, first)
    tl.store(out_ptr + 3 * N + cols, previous)


@pytest.mark.parametrize("n", (1, 16, 37, 128))
@pytest.mark.parametrize("rows", (1, 2, 9))
def test_carried_tiles(backend, rng, rows, n):
    x = random_array(rng, (rows, n), "float32")
    out = np.zeros((4, n), np.float32)
    carried_tiles[(1,)](x, out, rows, N=n)
    total = np.zeros(n, np.float32)
    for row in x:
        total += row
    assert_same(out[0], total)
    assert_same(out[1], x.max(axis=0))
    assert_same(out[2], x[max(rows - 2, 0)])
    assert_same(out[3], x[-1])


@triton.jit
def carried_matrix(x_ptr, out_ptr, steps, M: tl.constexpr, N: tl.constexpr):
    tile = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + tile)
    acc = tl.zeros((M, N), dtype=tl.float32)
    row = tl.zeros((M,), dtype=tl.float32)
    for i in range(steps):
        acc = acc * 0.5 + x
        row += tl.sum(acc, axis=1)
        x = x - row[:, None] * 0.125
    tl.store(out_ptr + tile, acc)
    tl.store(out_ptr + M * N + tl.arange(0, M), row)


@pytest.mark.parametrize("shape", [(1, 1), (4, 16), (7, 33)])
def test_carried_matrix(backend, rng, shape):
    x = random_array(rng, shape, "float32")
    out = np.zeros(shape[0] * shape[1] + shape[0], np.float32)
    carried_matrix[(1,)](x, out, 5, M=shape[0], N=shape[1])
    x = x.astype(np.float64)
    acc, row = np.zeros(shape), np.zeros(shape[0])
    for _ in range(5):
        acc = acc * 0.5 + x
        row += acc.sum(axis=1)
        x = x - row[:, None] * 0.125
    expected = np.concatenate([acc.ravel(), row])
    np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-4 * np.abs(expected).max())


@triton.jit
def branches(x_ptr, out_ptr, n, N: tl.constexpr):
    pid = tl.program_id(0)
    offs = tl.arange(0, N)
    x = tl.load(x_ptr + offs)
    if pid == 0:
        y = x + 1
    elif pid == 1:
        y = x * 2
        if n > 5:
            y = y - 3
    else:
        y = -x
    z = pid * 10 if pid > 1 else pid
    tl.store(out_ptr + pid * N + offs, y + z)


@pytest.mark.parametrize("n", (3, 9))
def test_branches(backend, rng, n):
    x = random_array(rng, 33, "int32", -100, 100)
    out = np.zeros((3, 33), np.int32)
    branches[(3,)](x, out, n, N=33)
    assert_same(out, np.stack([x + 1, x * 2 - (3 if n > 5 else 0) + 1, -x + 20]))


@triton.jit
def store_in_branch(out_ptr, n):
    pid = tl.program_id(0)
    if pid < n:
        if pid % 2 == 0 and pid > 2:
            tl.store(out_ptr + pid, 1)
        elif pid % 3 == 0 or pid == 1:
            tl.store(out_ptr + pid, 2)
        else:
            tl.store(out_ptr + pid, 3)


def test_effects_in_branches(backend):
    out = np.zeros(12, np.int32)
    store_in_branch[(12,)](out, 10)
    expected = [1 if i % 2 == 0 and i > 2 else 2 if i % 3 == 0 or i == 1 else 3 for i in range(10)]
    assert out.tolist() == expected + [0, 0]


@triton.jit
def constexpr_branch(x_ptr, out_ptr, MODE: tl.constexpr, WIDE: tl.constexpr, N: tl.constexpr):
    offs = tl.arange(0, N)
    x = tl.load(x_ptr + offs)
    if MODE is None:
        y = x
    elif MODE == "double":
        y = x * 2
    else:
        y = undefined_name + another  # Dropped: never compiled with such a mode.
    if WIDE:
        y = y.to(tl.float64)
    else:
        y = y.to(tl.int32)
    tl.store(out_ptr + offs, y)


@pytest.mark.parametrize("mode,wide", [(None, False), ("double", True)])
def test_constexpr_branches_drop_code(backend, rng, mode, wide):
    x = random_array(rng, 20, "int32", 0, 100)
    out = np.zeros(20, np.float64 if wide else np.int32)
    constexpr_branch[(1,)](x, out, MODE=mode, WIDE=wide, N=20)
    assert_same(out, (x * (2 if mode else 1)).astype(out.dtype))


@triton.jit
def early_return(out_ptr, n, FULL: tl.constexpr):
    pid = tl.program_id(0)
    if pid >= n:
        return
    tl.store(out_ptr + pid, 1)
    if not FULL:
        return
    tl.store(out_ptr + pid, 2)


@pytest.mark.parametrize("full", (False, True))
def test_early_return(backend, full):
    out = np.zeros(8, np.int32)
    early_return[(8,)](out, 5, FULL=full)
    assert out.tolist() == [2 if full else 1] * 5 + [0] * 3


@triton.jit
def mean_and_spread(x, N: tl.constexpr, scale=1.0):
    mean = tl.sum(x, axis=0) / N
    spread = tl.sum(tl.abs(x - mean), axis=0) * scale
    return mean, spread


@triton.jit
def choose(x, y, first):
    if first:
        return x
    return y


@triton.jit
def calls(x_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    mean, spread = mean_and_spread(x, N)
    _, scaled = mean_and_spread(x, scale=0.5, N=N)
    both = mean_and_spread(x + 1, N)
    tl.store(out_ptr, mean)
    tl.store(out_ptr + 1, spread)
    tl.store(out_ptr + 2, scaled)
    tl.store(out_ptr + 3, both[0] - mean)
    tl.store(out_ptr + 4, choose(mean, spread, mean > spread))


def test_calls(backend):
    x = np.arange(16, dtype=np.float32)
    out = np.zeros(5, np.float32)
    calls[(1,)](x, out, N=16)
    spread = np.abs(x - 7.5).sum()
    np.testing.assert_allclose(out, [7.5, spread, spread / 2, 1, spread], rtol=1e-6)


@triton.jit
def unrolled(out_ptr, N: tl.constexpr):
    total = 0
    for i in tl.static_range(N):
        tl.static_assert(i < N)
        total += i * SCALE
        if i % 2 == 0:
            tl.store(out_ptr + 1 + i, i)
    for i in tl.static_range(10, 0, -5):
        total += i
    tl.store(out_ptr, total)


@pytest.mark.parametrize("n", (1, 2, 5))
def test_static_range(backend, n):
    out = np.full(10, -1, np.int32)
    unrolled[(1,)](out, N=n)
    assert out[0] == 3 * sum(range(n)) + 15
    assert [out[1 + i] for i in range(n)] == [i if i % 2 == 0 else -1 for i in range(n)]


@triton.jit
def constants(out_ptr, N: tl.constexpr):
    HALF: tl.constexpr = N // 2
    shape: tl.constexpr = (HALF, 2)
    tile = tl.zeros(shape, dtype=tl.int32) + HALF
    tl.static_assert(len(NAMES) == 3, f"{NAMES} has three letters")
    tl.static_assert(-7 // 2 == -4 and -7 % 2 == 1, "Python's rules hold between constants")
    big = 5_000_000_000
    tl.store(out_ptr, big)
    tl.store(out_ptr + 1, tl.sum(tl.sum(tile, axis=0), axis=0).to(tl.int64))
    tl.store(out_ptr + 2, triton.next_power_of_2(N) + tl.cdiv(N, 3) + min(N, 4) + max(N, 4))


def test_constants(backend):
    out = np.zeros(3, np.int64)
    constants[(1,)](out, N=10)
    assert out.tolist() == [5_000_000_000, 5 * 10, 16 + 4 + 4 + 10]


@triton.jit
def logic(out_ptr, a, b):
    tl.store(out_ptr, 1 if a > 0 and b > 0 else 0)
    tl.store(out_ptr + 1, 1 if a > 0 or b > 0 else 0)
    tl.store(out_ptr + 2, 1 if not (a > 0) else 0)
    tl.store(out_ptr + 3, 1 if 0 < a < b else 0)


@pytest.mark.parametrize("a,b", [(2, 3), (3, 2), (-5, 3), (-5, -3), (3, -5)])
def test_logic(backend, a, b):
    out = np.full(4, -1, np.int32)
    logic[(1,)](out, a, b)
    assert out.tolist() == [int(a > 0 and b > 0), int(a > 0 or b > 0), int(a <= 0), int(0 < a < b)]


@triton.jit
def hints(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    n = tl.multiple_of(n, 4)
    tl.assume(n > 0)
    offs = tl.max_contiguous(tl.multiple_of(tl.arange(0, BLOCK), BLOCK), BLOCK)
    mask = tl.max_constancy(offs < n, 4)
    x = tl.load(x_ptr + offs, mask=mask)
    tl.debug_barrier()
    tl.store(out_ptr + offs, x, mask=mask)


def test_hints_change_nothing(backend, rng):
    x = random_array(rng, 100, "float32")
    out = np.zeros_like(x)
    hints[(1,)](x, out, 100, BLOCK=128)
    assert_same(out, x)


@triton.jit
def in_loop_and_branch(x_ptr, out_ptr, n, N: tl.constexpr):
    offs = tl.arange(0, N)
    acc = tl.zeros((N,), dtype=tl.int32)
    for i in range(n):
        x = tl.load(x_ptr + i * N + offs)
        if tl.sum(x, axis=0) > 0:
            acc += x
        else:
            acc = tl.maximum(acc, -x)
    tl.store(out_ptr + offs, acc)


def test_branch_with_tiles_in_loop(backend, rng):
    x = random_array(rng, (12, 21), "int32", -50, 50)
    out = np.zeros(21, np.int32)
    in_loop_and_branch[(1,)](x, out, 12, N=21)
    acc = np.zeros(21, np.int32)
    for row in x:
        acc = acc + row if row.sum() > 0 else np.maximum(acc, -row)
    assert_same(out, acc)


@triton.jit
def sum_of_indices(out_ptr, start, stop, step, STEP: tl.constexpr):
    total = start.to(tl.int64) * 0
    for i in range(start, stop, STEP or step):
        total += i
    tl.store(out_ptr, total)


@pytest.mark.parametrize("start, stop, step", [
    (2 ** 31 - 5, 2 ** 31 - 1, 3), (0, 2 ** 31 - 1, 10 ** 9), (3, 2 ** 31 - 1, 2 ** 31 - 1),
    (-2 ** 31, 2 ** 31 - 1, 2 ** 30), (-7, 2 ** 31 - 1, 2 ** 30 + 1), (5, -2 ** 31, 2),
    (-2 ** 31 + 4, -2 ** 31, -3), (2 ** 31 - 1, -2 ** 31 + 1, -(2 ** 30)), (-9, -2, 4)])
@pytest.mark.parametrize("constant", [False, True])
def test_loops_to_the_end_of_their_type(backend, start, stop, step, constant):
    """An index that would pass the end behind the last iteration ends the loop."""
    out = np.zeros(1, np.int64)
    sum_of_indices[(1,)](out, start, stop, step, STEP=step if constant else 0)
    assert out[0] == sum(range(start, stop, step))


@triton.jit
def last_index(out_ptr, start, stop, step, STEP: tl.constexpr):
    for i in range(start, stop, STEP):
        pass
    tl.store(out_ptr, i)
    for i in range(start, stop, step):
        for j in range(3):
            pass
        tl.store(out_ptr + 3, j)
    tl.store(out_ptr + 1, i)
    for i in tl.static_range(4):
        pass
    tl.store(out_ptr + 2, i)
    if start < stop:
        tl.store(out_ptr + 4, i)
        for i in range(7):
            pass
        tl.store(out_ptr + 5, i)


@pytest.mark.parametrize("start,stop,step", [(0, 10, 1), (0, 10, 3), (7, 8, 5), (10, 0, -1),
                                             (10, 0, -3), (-5, 5, 4)])
def test_a_loops_variable_keeps_its_last_value(backend, start, stop, step):
    out = np.full(6, -1, np.int32)
    last_index[(1,)](out, start, stop, step, STEP=step)
    last = range(start, stop, step)[-1]
    assert out.tolist() == [last, last, 3, 2, *((3, 6) if start < stop else (-1, -1))]


@pytest.mark.parametrize("body", [
    "for i in range(n):\n        for j in range(n):\n            pass\n    tl.store(out, j)",
    "if n > 0:\n        for j in range(n):\n            pass\n    tl.store(out, j)",
    "for i in range(n):\n        j = i\n    tl.store(out, j)",
])
def test_a_variable_of_a_loop_within(body):
    """Outside of what may not run it has no value."""
    kernel = kernels_from(f"@triton.jit\ndef kernel(out, n):\n    {body}\n").kernel
    with pytest.raises(triton.CompilationError, match="'j' (may be undefined|has no value) here"):
        kernel[(1,)](np.zeros(1, np.int32), 3)
