"""`tl.gather`: elements of a tile along an axis, named by a tile of indices."""

import pathlib

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from support import assert_same, random_array

# Extents of the source, extent of the index along the axis, axis.
CASES = [((1,), 1, 0), ((16,), 16, 0), ((7,), 130, 0), ((781,), 3, 0), ((128,), 32, 0),
         ((16, 1), 5, 0), ((1, 16), 16, 1), ((8, 32), 8, 0), ((8, 32), 64, 1), ((17, 31), 9, 0),
         ((17, 31), 33, -1), ((64, 64), 16, -2), ((2, 3, 4), 5, 0), ((2, 16, 16), 32, 1),
         ((3, 5, 7), 4, 2)]


@triton.jit
def gather_1d(x_ptr, index_ptr, out_ptr, N: tl.constexpr, TO: tl.constexpr, AXIS: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    to = tl.arange(0, TO)
    tl.store(out_ptr + to, tl.gather(x, tl.load(index_ptr + to), AXIS))


@triton.jit
def gather_2d(x_ptr, index_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, TO: tl.constexpr,
              AXIS: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    ROWS: tl.constexpr = TO if AXIS % 2 == 0 else M
    COLUMNS: tl.constexpr = TO if AXIS % 2 == 1 else N
    to = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    index = tl.load(index_ptr + to)
    tl.store(out_ptr + to, x.gather(index, AXIS))


@triton.jit
def gather_3d(x_ptr, index_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr,
              TO: tl.constexpr, AXIS: tl.constexpr):
    x = tl.load(x_ptr + (tl.arange(0, A)[:, None, None] * B + tl.arange(0, B)[None, :, None]) * C
                + tl.arange(0, C)[None, None, :])
    I: tl.constexpr = TO if AXIS == 0 else A
    J: tl.constexpr = TO if AXIS == 1 else B
    K: tl.constexpr = TO if AXIS == 2 else C
    to = ((tl.arange(0, I)[:, None, None] * J + tl.arange(0, J)[None, :, None]) * K
          + tl.arange(0, K)[None, None, :])
    tl.store(out_ptr + to, tl.gather(x, tl.load(index_ptr + to), axis=AXIS))


def check(rng, shape, to, axis, dtype="float32", index_dtype="int32"):
    x = random_array(rng, shape, dtype)
    extents = list(shape)
    extents[axis] = to
    index = random_array(rng, extents, index_dtype, 0, shape[axis] - 1)
    out = np.zeros(extents, x.dtype)
    kernel = (gather_1d, gather_2d, gather_3d)[len(shape) - 1]
    names = ({"N": shape[0]}, dict(zip("MN", shape)), dict(zip("ABC", shape)))[len(shape) - 1]
    kernel[(1,)](x, index, out, **names, TO=to, AXIS=axis)
    assert_same(out, np.take_along_axis(x, index.astype(np.int64), axis))


@pytest.mark.parametrize("shape,to,axis", CASES)
def test_shapes(backend, rng, shape, to, axis):
    check(rng, shape, to, axis)


@pytest.mark.parametrize("dtype", ("bool", "int8", "uint16", "int64", "float16", "bfloat16",
                                   "float64"))
def test_element_types(backend, rng, dtype):
    check(rng, (100,), 128, 0, dtype)
    check(rng, (9, 24), 32, 1, dtype)


@pytest.mark.parametrize("dtype", ("int8", "int16", "int64", "uint8", "uint16", "uint32",
                                   "uint64"))
def test_index_types(backend, rng, dtype):
    check(rng, (250,), 64, 0, "float32", dtype)
    check(rng, (40, 6), 50, 0, "int32", dtype)


def test_bool_index(backend):
    x, index = np.array([3.0, 4.0], np.float32), np.arange(16) % 3 == 0
    out = np.zeros(16, np.float32)
    gather_1d[(1,)](x, index, out, N=2, TO=16, AXIS=0)
    assert_same(out, x[index.astype(int)])


@triton.jit
def permute_rows(x_ptr, out_ptr, n, M: tl.constexpr, N: tl.constexpr):
    """What a loop carries is gathered from itself, by indices that depend on the round."""
    rows = tl.arange(0, M)[:, None]
    to = rows * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + to)
    for i in range(n):
        x = tl.gather(x, (rows * 3 + i) % M + tl.zeros((M, N), tl.int32), 0) + 1
    tl.store(out_ptr + to, x)


def test_carried(backend, rng):
    M, N, n = 16, 8, 5
    x = random_array(rng, (M, N), "int32")
    out = np.zeros_like(x)
    permute_rows[(1,)](x, out, n, M=M, N=N)
    for i in range(n):
        x = x[(np.arange(M) * 3 + i) % M] + np.int32(1)
    assert_same(out, x)


@triton.jit
def rows_by_product(x_ptr, out_ptr, sign_ptr):
    """The index is 0, 1, 2, ... by two factors whose product is 1 modulo 2^32."""
    rows = tl.arange(0, 16)
    wrapped = rows * -1640531527
    row = tl.gather(tl.program_id(0) * 16384 + rows * 1024, wrapped * 340573321, 0) // 16
    columns = tl.arange(0, 64)[None, :]
    x = tl.load(x_ptr + (row[:, None] + columns))
    tl.store(out_ptr + (tl.program_id(0) * 1024 + rows[:, None] * 64 + columns), x)
    tl.store(sign_ptr + tl.program_id(0) * 16 + rows, tl.where(wrapped < 0, wrapped, 7))


def test_index_that_wraps(backend, rng):
    """Offsets that a launch proves do not wrap are gathered by an index that does."""
    x = random_array(rng, 2048, "float32")
    out, sign = np.zeros((2, 16, 64), np.float32), np.zeros((2, 16), np.int32)
    rows_by_product[(2,)](x, out, sign)
    wrapped = (np.arange(16, dtype=np.int64) * -1640531527).astype(np.int32)
    assert_same(out, x.reshape(2, 16, 64))
    assert_same(sign, np.broadcast_to(np.where(wrapped < 0, wrapped, 7), (2, 16)))


@triton.jit
def sort_by_rank(x_ptr, out_ptr, N: tl.constexpr):
    """Source and index are computed, and used elsewhere too; one tile is both in the end."""
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    rank = tl.sum((x[None, :] < x[:, None]).to(tl.int32), axis=1)
    place = tl.sum(tl.where(rank[None, :] == at[:, None], at[None, :], 0), axis=1)
    tl.store(out_ptr + at, tl.gather(x * 2, place, 0))
    tl.store(out_ptr + N + at, tl.gather(rank, rank, 0).to(tl.float32))
    tl.store(out_ptr + 2 * N + at, x)


@pytest.mark.parametrize("N", (16, 64, 100))
def test_computed(backend, rng, N):
    x = rng.permutation(N).astype(np.float32)
    out = np.zeros(3 * N, np.float32)
    sort_by_rank[(1,)](x, out, N=N)
    rank = x.astype(int)
    assert_same(out, np.concatenate([np.sort(x) * 2, rank[rank].astype(np.float32), x]))


@triton.jit
def through_a_table(x_ptr, out_ptr, n, N: tl.constexpr):
    """Addresses are gathered: the accesses are where the table of offsets says."""
    at = tl.arange(0, N)
    offsets = tl.gather(at * 2, N - 1 - at, 0)
    tl.store(out_ptr + at, tl.load(x_ptr + offsets, mask=offsets < n, other=-1.0))


def test_addresses(backend, rng):
    N, n = 64, 101
    x, out = random_array(rng, 2 * N, "float32"), np.zeros(N, np.float32)
    through_a_table[(1,)](x, out, n, N=N)
    offsets = 2 * (N - 1 - np.arange(N))
    assert_same(out, np.where(offsets < n, x[offsets], np.float32(-1)))


@pytest.mark.parametrize("value", (16, -1, 2 ** 31 - 1, -2 ** 31))
def test_outside(compiled_backend, value):
    """Compiled code reads some element of the source, and nothing else."""
    x, index = np.full(16, 5.0, np.float32), np.full(16, value, np.int32)
    out = np.zeros(16, np.float32)
    gather_1d[(1,)](x, index, out, N=16, TO=16, AXIS=0)
    assert_same(out, x)


def test_outside_is_reported(monkeypatch):
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    x, index = np.zeros((3, 4), np.float32), np.zeros((3, 8), np.int32)
    index[2, 5] = 4
    out = np.zeros((3, 8), np.float32)
    with pytest.raises(Exception) as caught:
        gather_2d[(1,)](x, index, out, M=3, N=4, TO=8, AXIS=1)
    message = str(caught.value)
    line = next(number for number, line in enumerate(
        pathlib.Path(__file__).read_text().splitlines(), 1) if "x.gather(index, AXIS))" in line)
    assert f"{pathlib.Path(__file__).name}:{line}" in message, message
    assert "index 4 for element [2, 5]" in message and "4 elements along axis 1" in message, message


@triton.jit
def exchange_beyond(x_ptr, out_ptr, FROM: tl.constexpr, TO: tl.constexpr, BITS: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, FROM))
    y = tl.gather(x, tl.arange(0, TO) ^ BITS, 0)
    tl.store(out_ptr + tl.arange(0, TO), y)


@pytest.mark.parametrize("source,to,bits", [(96, 96, 64), (16, 64, 1), (64, 16, 32), (48, 48, 16)])
def test_exchange_that_leaves_the_source(compiled_backend, rng, source, to, bits):
    """What an index beyond the end gives is an element of the source, and the others are right."""
    x = rng.integers(1, 99, source).astype(np.int32)
    out = np.zeros(to, np.int32)
    exchange_beyond[(1,)](x, out, FROM=source, TO=to, BITS=bits)
    index = np.arange(to) ^ bits
    assert_same(out[index < source], x[index[index < source]])
    assert np.isin(out, x).all()
