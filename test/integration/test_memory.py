"""Masks and `other`, strides, gathers and scatters, overlapping arrays, atomics."""

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from support import (DTYPES, INTS, SIGNED, UNSIGNED, adversarial, assert_same, is_float,
                     numpy_dtype, random_array)


@triton.jit
def masked(x_ptr, mask_ptr, out_ptr, N: tl.constexpr, OTHER: tl.constexpr):
    offs = tl.arange(0, N)
    mask = tl.load(mask_ptr + offs)
    tl.store(out_ptr + offs, tl.load(x_ptr + offs, mask=mask, other=OTHER))
    tl.store(out_ptr + N + offs, tl.load(x_ptr + offs), mask=mask)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", (1, 3, 16, 100, 781))
def test_arbitrary_mask(backend, rng, dtype, n):
    x = random_array(rng, n, dtype)
    mask = random_array(rng, n, "bool")
    out = np.full(2 * n, 7, x.dtype)
    masked[(1,)](x, mask, out, N=n, OTHER=5)
    assert_same(out[:n], np.where(mask, x, np.array(5, x.dtype)))
    assert_same(out[n:], np.where(mask, x, np.array(7, x.dtype)))


@triton.jit
def ranges(x_ptr, out_ptr, low, high, N: tl.constexpr):
    offs = tl.arange(0, N)
    mask = (offs >= low) & (offs < high)
    x = tl.load(x_ptr + offs, mask=mask, other=-1)
    tl.store(out_ptr + offs, x)


@pytest.mark.parametrize("low,high", [(0, 100), (0, 0), (3, 97), (50, 51), (-5, 200), (99, 3)])
def test_range_mask(backend, rng, low, high):
    x = random_array(rng, 100, "int32", 0, 1000)
    out = np.zeros(100, np.int32)
    ranges[(1,)](x, out, low, high, N=100)
    index = np.arange(100)
    assert_same(out, np.where((index >= low) & (index < high), x, np.int32(-1)))


@triton.jit
def masked_rows(x_ptr, out_ptr, m, n, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    cols = tl.arange(0, N)
    tile = rows[:, None] * n + cols[None, :]
    mask = (rows[:, None] < m) & (cols[None, :] < n)
    x = tl.load(x_ptr + tile, mask=mask, other=0)
    tl.store(out_ptr + tile, x * 2, mask=mask)


@pytest.mark.parametrize("m,n", [(1, 1), (16, 32), (7, 31), (16, 1), (1, 32), (0, 5)])
def test_mask_of_a_matrix(backend, rng, m, n):
    x = random_array(rng, (max(m, 1), n), "float32")
    out = np.zeros_like(x)
    masked_rows[(1,)](x, out, m, n, M=16, N=32)
    assert_same(out[:m], x[:m] * 2)
    assert not out[m:].any()


# A tile of several vectors for each lane, of which a bound cuts some, or none, or all.
@triton.jit
def window(x_ptr, out_ptr, low, high, N: tl.constexpr, KIND: tl.constexpr):
    offs = tl.arange(0, N)
    mask = offs < high
    if KIND == "from":
        mask = offs >= low
    elif KIND == "turned":
        mask = high > offs
    elif KIND == "between":
        mask = (low <= offs) & (offs < high)
    x = tl.load(x_ptr + offs, mask=mask, other=9)
    tl.store(out_ptr + offs, x)
    tl.store(out_ptr + N + offs, x, mask=mask)


@pytest.mark.parametrize("dtype", ("int8", "float16", "float32", "int64"))
@pytest.mark.parametrize("kind", ("below", "from", "turned", "between"))
def test_vectors_at_a_bound(backend, rng, dtype, kind):
    n = 1024
    x = random_array(rng, n, dtype)
    index = np.arange(n)
    for low, high in [(0, n), (1, n - 1), (513, 519), (517, 518), (8, 16), (600, 500), (-5, 3),
                      (n - 1, n + 70), (n, 0)]:
        inside = {"below": index < high, "turned": index < high, "from": index >= low,
                  "between": (low <= index) & (index < high)}[kind]
        out = np.full(2 * n, 7, x.dtype)
        window[(1,)](x, out, low, high, N=n, KIND=kind, num_warps=2)
        assert_same(out[:n], np.where(inside, x, np.array(9, x.dtype)))
        assert_same(out[n:], np.where(inside, x, np.array(7, x.dtype)))


# Rows of which only some begin at a multiple of 16 bytes.
@triton.jit
def pitched(x_ptr, out_ptr, pitch, n, M: tl.constexpr, N: tl.constexpr):
    cols = tl.arange(0, N)[None, :]
    tile = tl.arange(0, M)[:, None] * pitch + cols
    x = tl.load(x_ptr + tile, mask=cols < n)
    tl.store(out_ptr + tile, x + 1, mask=cols < n)


@pytest.mark.parametrize("dtype", ("int8", "float16", "float32", "float64"))
@pytest.mark.parametrize("pitch,n", [(256, 256), (256, 255), (248, 243), (244, 241), (251, 251),
                                     (250, 1), (256, 0)])
def test_rows_of_any_pitch(backend, rng, dtype, pitch, n):
    x = random_array(rng, (4, pitch), dtype, 0, 100)
    out = np.full_like(x, 7)
    pitched[(1,)](x, out, pitch, n, M=4, N=256, num_warps=1)
    assert_same(out[:, :n], x[:, :n] + np.array(1, x.dtype))
    assert_same(out[:, n:], np.full_like(x[:, n:], 7))


# The tail of a group has fewer programs; beyond the last group their number is negative, and
# offsets modulo an extent jump where they pass zero.
@triton.jit
def grouped(x_ptr, out_ptr, n, N: tl.constexpr, GROUP: tl.constexpr):
    pid = tl.program_id(0)
    size = min(n - pid * GROUP, GROUP)
    offs = (pid * 6 // size * N + tl.arange(0, N)) % N
    x = tl.load(x_ptr + N + offs)
    tl.store(out_ptr + pid * N + tl.arange(0, N), x)


def test_group_of_negative_size(backend):
    n, group = 256, 8
    x = np.arange(3 * n, dtype=np.int32)
    out = np.zeros((3, n), np.int32)
    grouped[(3,)](x, out, 2, N=n, GROUP=group, num_warps=1)
    for pid in range(3):
        size = min(2 - pid * group, group)
        start = int(pid * 6 / size) * n
        assert_same(out[pid], x[n + np.fmod(start + np.arange(n), n)])


@triton.jit
def nothing_outside(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(out_ptr + offs, tl.load(x_ptr + offs, mask=mask) + 1, mask=mask)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", (1, 3, 15, 16, 17, 63, 64, 65, 781))
def test_no_byte_outside_is_written(backend, rng, n, dtype):
    buffer = random_array(rng, n + 128, dtype, 0, 100)
    x = random_array(rng, n, dtype, 0, 100)
    before = buffer.copy()
    nothing_outside[(triton.cdiv(n, 64),)](x, buffer[64:64 + n], n, BLOCK=64)
    assert_same(buffer[:64], before[:64])
    assert_same(buffer[64 + n:], before[64 + n:])
    assert_same(buffer[64:64 + n], x + np.array(1, x.dtype))


@triton.jit
def strided(x_ptr, out_ptr, sx, so, N: tl.constexpr):
    offs = tl.arange(0, N)
    tl.store(out_ptr + offs * so, tl.load(x_ptr + offs * sx))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sx,so", [(1, 1), (2, 1), (1, 3), (7, 5), (0, 1)])
def test_strides(backend, rng, sx, so, dtype):
    x = random_array(rng, 100 * max(sx, 1), dtype)
    out = np.zeros(100 * so, x.dtype)
    strided[(1,)](x, out, sx, so, N=100)
    expected = np.zeros_like(out)
    expected[::so] = x[::sx][:100] if sx else np.full(100, x[0])
    assert_same(out, expected)


def test_negative_stride(backend, rng):
    x = random_array(rng, 100, "float32")
    out = np.zeros_like(x)

    strided_from_end[(1,)](x, out, 99, N=100)
    assert_same(out, x[::-1])


@triton.jit
def strided_from_end(x_ptr, out_ptr, last, N: tl.constexpr):
    offs = tl.arange(0, N)
    tl.store(out_ptr + offs, tl.load(x_ptr + last - offs))


@triton.jit
def gather(x_ptr, index_ptr, out_ptr, N: tl.constexpr):
    offs = tl.arange(0, N)
    tl.store(out_ptr + offs, tl.load(x_ptr + tl.load(index_ptr + offs)))


@triton.jit
def scatter(x_ptr, index_ptr, out_ptr, N: tl.constexpr):
    offs = tl.arange(0, N)
    tl.store(out_ptr + tl.load(index_ptr + offs), tl.load(x_ptr + offs))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("index_dtype", ("int32", "int64", "uint32", "int16", "uint8"))
def test_gather_scatter(backend, rng, dtype, index_dtype):
    x = random_array(rng, 120, dtype)
    index = rng.permutation(120).astype(index_dtype)
    out = np.zeros_like(x)
    gather[(1,)](x, index, out, N=120)
    assert_same(out, x[index])
    out = np.zeros_like(x)
    scatter[(1,)](x, index, out, N=120)
    expected = np.zeros_like(x)
    expected[index] = x
    assert_same(out, expected)


@triton.jit
def far(x_ptr, out_ptr, rows, stride, N: tl.constexpr):
    offs = tl.arange(0, N)
    row = tl.program_id(0).to(tl.int64)
    tl.store(out_ptr + tl.program_id(0) * N + offs, tl.load(x_ptr + row * stride + offs))


def test_offsets_beyond_32_bits(compiled_backend):
    """A stride times a row number that does not fit 32 bits, on an array mostly of holes."""
    stride = 1 << 30
    x = np.zeros(4 * stride + 64, np.int8)
    expected = np.arange(5 * 64, dtype=np.int8).reshape(5, 64)
    for row in range(5):
        x[row * stride:row * stride + 64] = expected[row]
    out = np.zeros((5, 64), np.int8)
    far[(5,)](x, out, 5, stride, N=64)
    assert_same(out, expected)


@triton.jit
def shift_in_place(x_ptr, out_ptr, N: tl.constexpr):
    offs = tl.arange(0, N)
    x = tl.load(x_ptr + offs)
    tl.store(out_ptr + offs, x + 1)


@pytest.mark.parametrize("dtype", ("int8", "int32", "float32", "float64"))
@pytest.mark.parametrize("n", (1, 16, 100, 781, 1024))
def test_in_place(backend, rng, n, dtype):
    x = random_array(rng, n, dtype, 0, 100)
    expected = x + np.array(1, x.dtype)
    shift_in_place[(1,)](x, x, N=n)
    assert_same(x, expected)


@pytest.mark.parametrize("n", (1, 16, 100, 781, 1024))
@pytest.mark.parametrize("shift", (1, 3, 16, 17))
def test_shifted_views(backend, rng, n, shift):
    """All loads of a tile come before its store, whichever way the views overlap."""
    buffer = random_array(rng, n + shift, "int32", 0, 1000)
    expected = buffer.copy()
    expected[shift:] = buffer[:n] + 1
    shift_in_place[(1,)](buffer[:n], buffer[shift:], N=n)
    assert_same(buffer, expected)
    buffer = random_array(rng, n + shift, "int32", 0, 1000)
    expected = buffer.copy()
    expected[:n] = buffer[shift:] + 1
    shift_in_place[(1,)](buffer[shift:], buffer[:n], N=n)
    assert_same(buffer, expected)


@triton.jit
def reverse_in_place(x_ptr, N: tl.constexpr):
    offs = tl.arange(0, N)
    x = tl.load(x_ptr + N - 1 - offs)
    tl.store(x_ptr + offs, x)


@triton.jit
def transpose_in_place(x_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i[:, None] * N + i[None, :])
    tl.store(x_ptr + i[None, :] * N + i[:, None], x)


@pytest.mark.parametrize("n", (1, 2, 16, 33, 100))
def test_permuted_in_place(backend, rng, n):
    x = random_array(rng, n, "float32")
    expected = x[::-1].copy()
    reverse_in_place[(1,)](x, N=n)
    assert_same(x, expected)
    x = random_array(rng, (n, n), "float32")
    expected = x.T.copy()
    transpose_in_place[(1,)](x, N=n)
    assert_same(x, expected)


@triton.jit
def two_stores(x_ptr, y_ptr, N: tl.constexpr):
    offs = tl.arange(0, N)
    x = tl.load(x_ptr + offs)
    tl.store(y_ptr + offs, x * 2)
    again = tl.load(x_ptr + offs)
    tl.store(y_ptr + N + offs, again + x)


@pytest.mark.parametrize("n", (1, 5, 16, 64, 100))
def test_load_after_store(backend, rng, n):
    """A load after a store to the same memory sees what was stored."""
    x = random_array(rng, n, "int32", 0, 1000)
    y = np.zeros(2 * n, np.int32)
    two_stores[(1,)](x, y, N=n)
    assert_same(y, np.concatenate([x * 2, x * 2]))
    both = np.concatenate([x, np.zeros(n, np.int32)])
    two_stores[(1,)](both, both, N=n)
    assert_same(both, np.concatenate([x * 2, x * 2 + x]))


@triton.jit
def overlapping_stores(x_ptr, out_ptr, SHIFT: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    tile = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + tile)
    tl.store(out_ptr + tile, x)
    tl.store(out_ptr + tile + SHIFT, x + 1)


@pytest.mark.parametrize("shape", [(1, 37), (8, 32), (5, 7)])
@pytest.mark.parametrize("shift", (1, 16, 40))
def test_the_later_store_wins(backend, rng, shape, shift):
    x = random_array(rng, shape, "int32", 0, 1000)
    out = np.zeros(x.size + shift, np.int32)
    overlapping_stores[(1,)](x, out, SHIFT=shift, M=shape[0], N=shape[1])
    expected = np.zeros_like(out)
    expected[:x.size] = x.ravel()
    expected[shift:] = x.ravel() + 1
    assert_same(out, expected)


@triton.jit
def indexed_by_a_reduction(x_ptr, y_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)
    tile = i[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + tile)
    column = tl.argmin(x, axis=1)
    picked = tl.load(y_ptr + i * N + column)
    # What was picked was there before.
    tl.store(y_ptr + tile, x)
    tl.store(out_ptr + tile, x + picked[:, None])


@pytest.mark.parametrize("aliases", (False, True))
def test_load_between_a_reduction_and_a_store(backend, rng, aliases):
    x = random_array(rng, (17, 5), "int32")
    y = x if aliases else random_array(rng, (17, 5), "int32")
    want = x + y[np.arange(17), x.argmin(axis=1)][:, None]
    before, out = x.copy(), np.zeros_like(x)
    indexed_by_a_reduction[(1,)](x, y, out, M=17, N=5)
    assert_same(out, want)
    assert_same(y, before)


@triton.jit
def indexed_by_what_was_stored(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(x_ptr + i, N - 1 - i)
    y = tl.load(y_ptr + tl.load(x_ptr + i))
    tl.store(y_ptr + i, i)
    tl.store(out_ptr + i, y)


@pytest.mark.parametrize("n", (1, 3, 100))
def test_loads_between_two_stores(backend, rng, n):
    x, y = np.zeros(n, np.int32), random_array(rng, n, "int32")
    want, out = y[::-1].copy(), np.zeros(n, np.int32)
    indexed_by_what_was_stored[(1,)](x, y, out, N=n)
    assert_same(out, want)
    assert_same(y, np.arange(n, dtype=np.int32))


@triton.jit
def swap_halves(x_ptr, N: tl.constexpr):
    offs = tl.arange(0, N)
    low = tl.load(x_ptr + offs)
    high = tl.load(x_ptr + N + offs)
    tl.store(x_ptr + offs, high)
    tl.store(x_ptr + N + offs, low)


@pytest.mark.parametrize("n", (1, 16, 50, 500))
def test_swap(backend, rng, n):
    x = random_array(rng, 2 * n, "float64")
    expected = np.concatenate([x[n:], x[:n]])
    swap_halves[(1,)](x, N=n)
    assert_same(x, expected)


@triton.jit
def running_sum(x_ptr, N: tl.constexpr, STEPS: tl.constexpr):
    """Each step loads what the step before stored."""
    offs = tl.arange(0, N)
    for i in range(1, STEPS):
        before = tl.load(x_ptr + (i - 1) * N + offs)
        here = tl.load(x_ptr + i * N + offs)
        tl.store(x_ptr + i * N + offs, before + here)


def test_memory_carried_over_iterations(backend, rng):
    x = random_array(rng, (10, 37), "int32", -100, 100)
    expected = np.cumsum(x, axis=0, dtype=np.int32)
    running_sum[(1,)](x, N=37, STEPS=10)
    assert_same(x, expected)


@triton.jit
def scalar_access(x_ptr, out_ptr, n):
    total = 0.0
    for i in range(n):
        total += tl.load(x_ptr + i)
    tl.store(out_ptr, total)
    tl.store(out_ptr + 1, tl.load(x_ptr + n, mask=n < 0, other=-2.5))


def test_scalars(backend):
    x = np.arange(10, dtype=np.float32)
    out = np.zeros(2, np.float32)
    scalar_access[(1,)](x, out, 10)
    assert_same(out, np.float32([45, -2.5]))


@triton.jit
def atomic_tile(x_ptr, out_ptr, old_ptr, n, BLOCK: tl.constexpr, OP: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask, other=0)
    slot = out_ptr + offs % 7
    if OP == "add":
        old = tl.atomic_add(slot, x, mask=mask)
    elif OP == "max":
        old = tl.atomic_max(slot, x, mask=mask)
    elif OP == "min":
        old = tl.atomic_min(slot, x, mask=mask)
    elif OP == "and":
        old = tl.atomic_and(slot, x, mask=mask)
    elif OP == "or":
        old = tl.atomic_or(slot, x, mask=mask)
    elif OP == "xor":
        old = tl.atomic_xor(slot, x, mask=mask)
    tl.store(old_ptr + offs, old, mask=mask)


ATOMIC = {"add": np.add, "max": np.maximum, "min": np.minimum, "and": np.bitwise_and,
          "or": np.bitwise_or, "xor": np.bitwise_xor}
ATOMIC_INTS = ("int32", "int64", "uint32", "uint64")
ATOMIC_CASES = [(op, dtype) for op in ATOMIC for dtype in ATOMIC_INTS] + [
    ("add", "float32"), ("add", "float64"), ("add", "float16"), ("add", "bfloat16"),
    ("max", "float32"), ("min", "float32"), ("max", "float64"), ("min", "float64")]


@pytest.mark.parametrize("op,dtype", ATOMIC_CASES)
def test_atomic(backend, rng, op, dtype):
    n = 1000
    # Small integers, so that the sum is exact in every type and in every order.
    x = random_array(rng, n, dtype, 0, 1 << 20) if not is_float(dtype) else (
        rng.integers(-1, 2, n).astype(numpy_dtype(dtype)))
    out = np.resize(x, 7).copy()
    expected = out.copy()
    old = np.zeros_like(x)
    for i in range(n):
        expected[i % 7] = ATOMIC[op](expected[i % 7], x[i])
    atomic_tile[(triton.cdiv(n, 64),)](x, out, old, n, BLOCK=64, OP=op)
    assert_same(out, expected)


@triton.jit
def count_programs(counter_ptr, order_ptr):
    ticket = tl.atomic_add(counter_ptr, 1)
    tl.store(order_ptr + ticket, tl.program_id(0))


def test_tickets(backend):
    """Many programs on one counter: each gets a number of its own."""
    counter, order = np.zeros(1, np.int32), np.full(5000, -1, np.int32)
    programs = 500 if backend == "interpret" else 5000
    count_programs[(programs,)](counter, order)
    assert counter[0] == programs
    assert np.array_equal(np.sort(order[:programs]), np.arange(programs))


@triton.jit
def exchange(x_ptr, out_ptr, cmp_ptr, old_ptr, N: tl.constexpr):
    offs = tl.arange(0, N)
    x = tl.load(x_ptr + offs)
    tl.store(old_ptr + offs, tl.atomic_xchg(out_ptr + offs, x))
    cmp = tl.load(cmp_ptr + offs)
    tl.store(old_ptr + N + offs, tl.atomic_cas(out_ptr + offs, cmp, x + 1))


@pytest.mark.parametrize("dtype", ("int32", "int64", "uint32", "uint64"))
def test_exchange_and_compare(backend, rng, dtype):
    x = random_array(rng, 50, dtype, 0, 1000)
    start = random_array(rng, 50, dtype, 0, 1000)
    compare = np.where(np.arange(50) % 2 == 0, x, x + np.array(1, x.dtype))
    out, old = start.copy(), np.zeros(100, x.dtype)
    exchange[(1,)](x, out, compare, old, N=50)
    assert_same(old[:50], start)
    assert_same(old[50:], x)
    assert_same(out, np.where(compare == x, x + np.array(1, x.dtype), x))


@triton.jit
def spin_lock(lock_ptr, value_ptr):
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.store(value_ptr, tl.load(value_ptr) * 2 + 1)
    tl.atomic_xchg(lock_ptr, 0)


def test_lock(backend):
    lock, value = np.zeros(1, np.int32), np.zeros(1, np.uint64)
    spin_lock[(40,)](lock, value)
    assert value[0] == (1 << 40) - 1


@triton.jit
def reduce_all(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n, other=0)
    tl.atomic_add(out_ptr, tl.sum(x, axis=0))


def test_atomic_sum_over_programs(backend, rng):
    x = random_array(rng, 10_000, "int32", -1000, 1000)
    out = np.zeros(1, np.int32)
    reduce_all[(triton.cdiv(x.size, 128),)](x, out, x.size, BLOCK=128)
    assert out[0] == x.sum()


@triton.jit
def pointers_in_memory(table_ptr, out_ptr, N: tl.constexpr):
    offs = tl.arange(0, N)
    base = tl.load(table_ptr + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    tl.store(out_ptr + tl.program_id(0) * N + offs, tl.load(base + offs))


def test_pointer_from_memory(compiled_backend, rng):
    if compiled_backend == "cuda":
        pytest.skip("the addresses are the host's")
    arrays = [random_array(rng, 32, "float32") for _ in range(3)]
    table = np.array([a.ctypes.data for a in arrays], np.int64)
    out = np.zeros((3, 32), np.float32)
    pointers_in_memory[(3,)](table, out, N=32)
    assert_same(out, np.stack(arrays))


@triton.jit
def stored_where_loaded(x_ptr, N: tl.constexpr, FORM: tl.constexpr):
    i = tl.arange(0, N)
    p = x_ptr + i[:, None] * N + i[None, :]
    x = tl.load(p)
    if FORM == "transposed":
        tl.store(p, tl.trans(x))
    elif FORM == "sum":
        tl.store(p, tl.trans(x) + x)
    elif FORM == "reversed":
        tl.store(p, tl.reshape(tl.permute(tl.reshape(x, (N, N // 2, 2)), (1, 2, 0)), (N, N)))
    else:
        tl.store(p, x + tl.sum(x, 1)[None, :])


@pytest.mark.parametrize("N", [8, 16, 24, 64])
@pytest.mark.parametrize("form", ["transposed", "sum", "reversed", "sums"])
def test_stored_where_loaded(backend, rng, N, form):
    """Every element is read before the first is written."""
    x = random_array(rng, (N, N), "int32", low=-1000, high=1000)
    expected = {"transposed": x.T, "sum": x.T + x, "sums": x + x.sum(1)[None, :],
                "reversed": x.reshape(N, N // 2, 2).transpose(1, 2, 0).reshape(N, N)}[form]
    expected = expected.astype(np.int32)
    stored_where_loaded[(1,)](x, N=N, FORM=form)
    assert_same(x, expected)


@triton.jit
def rows_with_negative_zeros(x, out, rows, cols, N: tl.constexpr):
    n = tl.arange(0, N)
    for r in tl.range(rows, num_stages=3):
        v = tl.load(x + r * N + n, mask=n < cols, other=-0.0)
        tl.store(out + r * N + n, v)


def test_negative_zero_outside_of_a_mask(backend):
    """A copy to shared memory fills in positive zeros."""
    x, out = np.ones((8, 128), np.float32), np.zeros((8, 128), np.float32)
    rows_with_negative_zeros[(1,)](x, out, 8, 64, N=128)
    assert np.array_equal(out[:, :64], x[:, :64])
    assert np.signbit(out[:, 64:]).all() and not out[:, 64:].any()
