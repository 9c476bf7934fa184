"""Atomics on 8 and 16 bits: under contention, within a word, and at the ends of memory."""

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from support import assert_same, is_float, numpy_dtype, random_array

OPERATIONS = {"add": np.add, "max": np.maximum, "min": np.minimum, "and": np.bitwise_and,
              "or": np.bitwise_or, "xor": np.bitwise_xor}
NARROW = ("int8", "uint8", "int16", "uint16")
CASES = [(op, dtype) for op in OPERATIONS for dtype in NARROW] + [
    (op, dtype) for op in ("add", "max", "min") for dtype in ("float16", "bfloat16")]


@triton.jit
def scatter(x_ptr, out_ptr, n, SLOTS: tl.constexpr, OP: tl.constexpr, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask, other=0)
    slot = out_ptr + offs % SLOTS
    if OP == "add":
        tl.atomic_add(slot, x, mask=mask)
    elif OP == "max":
        tl.atomic_max(slot, x, mask=mask)
    elif OP == "min":
        tl.atomic_min(slot, x, mask=mask, sem="relaxed")
    elif OP == "and":
        tl.atomic_and(slot, x, mask=mask)
    elif OP == "or":
        tl.atomic_or(slot, x, mask=mask, scope="sys")
    elif OP == "xor":
        tl.atomic_xor(slot, x, mask=mask)


@pytest.mark.parametrize("op,dtype", CASES)
@pytest.mark.parametrize("slots,begin", [(1, 0), (5, 0), (7, 1), (3, 3), (781, 2)])
def test_contention(backend, rng, op, dtype, slots, begin):
    """Programs that update few elements, in words of which others update the rest; the array may
    begin within a word and end in one."""
    n = 1000
    if is_float(dtype):  # sums that are exact in any order
        x = rng.integers(-1, 2, n).astype(numpy_dtype(dtype))
    else:
        x = random_array(rng, n, dtype)
    memory = np.resize(x, slots + 8)
    before = memory.copy()
    out = memory[begin:begin + slots]
    expected = out.copy()
    with np.errstate(over="ignore"):
        for i in range(n):
            expected[i % slots] = OPERATIONS[op](expected[i % slots], x[i])
    scatter[(triton.cdiv(n, 64),)](x, out, n, SLOTS=slots, OP=op, BLOCK=64)
    assert_same(out, expected)
    assert_same(memory[:begin], before[:begin])
    assert_same(memory[begin + slots:], before[begin + slots:])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_sums_are_rounded(backend, rng, dtype):
    """To nearest, halves to even, once."""
    kind = numpy_dtype(dtype)
    last = float(np.spacing(np.float16(1))) if dtype == "float16" else 2. ** -7
    out = np.concatenate([np.ones(8), rng.standard_normal(248)]).astype(kind)
    x = np.concatenate([last * np.array([.25, .5, .75, 1.5, -.25, -.75, np.nan, np.inf]),
                        rng.standard_normal(248)]).astype(kind)
    expected = (out.astype(np.float32) + x.astype(np.float32)).astype(kind)
    scatter[(4,)](x, out, 256, SLOTS=256, OP="add", BLOCK=64)
    assert_same(out, expected)


@triton.jit
def old_values(x_ptr, out_ptr, old_ptr, N: tl.constexpr):
    offs = tl.arange(0, N)
    x = tl.load(x_ptr + offs)
    added = tl.atomic_add(out_ptr + offs, x, mask=offs % 3 != 0)
    tl.store(old_ptr + offs, added, mask=offs % 3 != 0)
    tl.store(old_ptr + N + offs, tl.atomic_xchg(out_ptr + offs, x))
    tl.store(old_ptr + 2 * N + offs, tl.atomic_max(out_ptr + offs, x + 1))


@pytest.mark.parametrize("dtype", (*NARROW, "float16", "bfloat16"))
def test_old_values(backend, rng, dtype):
    N = 50
    x, start = (random_array(rng, N, dtype, 0, 50) if not is_float(dtype) else
                rng.integers(0, 50, N).astype(numpy_dtype(dtype)) for _ in range(2))
    out, old = start.copy(), np.zeros(3 * N, x.dtype)
    old_values[(1,)](x, out, old, N=N)
    adds = np.arange(N) % 3 != 0
    assert_same(old[:N][adds], start[adds])
    assert_same(old[N:2 * N], np.where(adds, start + x, start))
    assert_same(old[2 * N:], x)
    assert_same(out, x + np.array(1, x.dtype))


@triton.jit
def swap(out_ptr, cmp_ptr, x_ptr, old_ptr, N: tl.constexpr):
    offs = tl.arange(0, N)
    old = tl.atomic_cas(out_ptr + offs, tl.load(cmp_ptr + offs), tl.load(x_ptr + offs))
    tl.store(old_ptr + offs, old)


@pytest.mark.parametrize("dtype", (*NARROW, "float16", "bfloat16"))
@pytest.mark.parametrize("begin", (0, 1, 3))
def test_compare_and_swap(backend, rng, dtype, begin):
    """Where the comparison fails, all stays as it is."""
    N = 61
    start = rng.integers(-100 if dtype[0] != "u" else 0, 100, N).astype(numpy_dtype(dtype))
    compared = np.where(np.arange(N) % 2 == 0, start, start + np.array(1, start.dtype))
    x = rng.integers(0, 100, N).astype(start.dtype)
    memory = np.zeros(N + 8, start.dtype)
    out, old = memory[begin:begin + N], np.zeros_like(start)
    out[:] = start
    swap[(1,)](out, compared.astype(start.dtype), x, old, N=N)
    assert_same(old, start)
    assert_same(out, np.where(np.arange(N) % 2 == 0, x, start))
    assert not memory[:begin].any() and not memory[begin + N:].any()


@triton.jit
def locked(lock_ptr, value_ptr):
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.store(value_ptr, tl.load(value_ptr) * 2 + 1)
    tl.atomic_xchg(lock_ptr, 0)


@pytest.mark.parametrize("dtype", ("uint8", "int16"))
def test_lock(backend, dtype):
    lock, value = np.zeros(1, dtype), np.zeros(1, np.uint64)
    locked[(40,)](lock, value)
    assert value[0] == (1 << 40) - 1


@triton.jit
def count(out_ptr, SLOTS: tl.constexpr):
    tl.atomic_add(out_ptr + tl.program_id(0) % SLOTS, 1)


@pytest.mark.parametrize("dtype", ("uint8", "uint16"))
def test_many_programs(backend, dtype):
    """Neighbours in one word, each counted by programs of its own, modulo 2^8 or 2^16."""
    programs = 500 if backend == "interpret" or backend.startswith("sim") else 20_000
    out = np.zeros(3, dtype)
    count[(programs,)](out, SLOTS=3)
    expected = [len(range(i, programs, 3)) for i in range(3)]
    assert out.tolist() == [n % (1 << out.itemsize * 8) for n in expected]


@triton.jit
def neighbours(a_ptr, b_ptr):
    tl.atomic_add(a_ptr + tl.arange(0, 5), 1)
    tl.atomic_add(b_ptr + tl.arange(0, 6), 2)


def test_two_arrays_in_one_word(backend):
    memory = np.zeros(11, np.int8)
    neighbours[(20,)](memory[:5], memory[5:])
    assert memory.tolist() == [20] * 5 + [40] * 6


@triton.jit
def by_descriptor(out_ptr, x_ptr, M: tl.constexpr, N: tl.constexpr):
    block = tl.load(x_ptr + tl.arange(0, 4)[:, None] * 16 + tl.arange(0, 16)[None, :])
    d = tl.make_tensor_descriptor(out_ptr, [M, N], [N, 1], [4, 16])
    d.atomic_add([1, 8], block)
    d.atomic_max([1, 8], block)


@pytest.mark.parametrize("dtype", ("int8", "float16", "bfloat16", "uint16"))
def test_descriptors(backend, rng, dtype):
    out = rng.integers(0, 20, (4, 16)).astype(numpy_dtype(dtype))
    x = rng.integers(0, 60, (4, 16)).astype(out.dtype)
    expected = out.copy()
    part = expected[1:, 8:]
    part[:] = np.maximum(part + x[:3, :8], x[:3, :8])
    by_descriptor[(1,)](out, x, M=4, N=16)
    assert_same(out, expected)


@triton.jit
def beside(x_ptr, out_ptr, N: tl.constexpr, M: tl.constexpr):
    i = tl.arange(0, N)
    tl.atomic_add(x_ptr + i, tl.full([N], 1, x_ptr.dtype.element_ty))
    j = tl.arange(0, M)
    tl.store(out_ptr + j, tl.load(x_ptr + N + j))


@pytest.mark.parametrize("dtype", NARROW)
@pytest.mark.parametrize("updated", (1, 3, 15, 33))
def test_the_rest_of_a_word_is_read_by_others(backend, rng, dtype, updated):
    """That is no race: an atomic leaves what is beside its number alone."""
    x = random_array(rng, updated + 37, dtype)
    expected, out = x.copy(), np.zeros(37, dtype)
    expected[:updated] += np.ones(1, dtype)
    beside[(1,)](x, out, N=updated, M=37)
    assert_same(x, expected)
    assert_same(out, expected[updated:])
