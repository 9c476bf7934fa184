"""Tiles of one to three dimensions: broadcasting, axes, permutations, reshaping."""

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from support import DTYPES, assert_same, kernels_from, random_array

SHAPES_2D = [(1, 1), (1, 16), (16, 1), (3, 5), (8, 32), (17, 31), (64, 64), (2, 781)]
SHAPES_3D = [(1, 1, 1), (2, 3, 4), (4, 1, 16), (3, 5, 7), (2, 16, 16), (5, 1, 33)]


@triton.jit
def store_at_reshaped_places(out_ptr):
    places = tl.arange(0, 32).reshape(4, 8)
    tl.store(out_ptr + places, places * 2)


def test_places_that_were_reshaped(backend):
    out = np.zeros(32, np.int32)
    store_at_reshaped_places[(1,)](out)
    assert (out == np.arange(32) * 2).all()


@triton.jit
def broadcast_add(row_ptr, col_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    cols = tl.arange(0, N)
    r = tl.load(row_ptr + rows)
    c = tl.load(col_ptr + cols)
    tl.store(out_ptr + rows[:, None] * N + cols[None, :], r[:, None] + c[None, :])


@pytest.mark.parametrize("shape", SHAPES_2D)
@pytest.mark.parametrize("dtype", ("int8", "uint16", "float16", "bfloat16", "float32", "float64"))
def test_row_and_column(backend, rng, shape, dtype):
    M, N = shape
    r, c = random_array(rng, M, dtype), random_array(rng, N, dtype)
    out = np.zeros(shape, r.dtype)
    broadcast_add[(1,)](r, c, out, M=M, N=N)
    assert_same(out, r[:, None] + c[None, :])


@triton.jit
def broadcast_3d(a_ptr, b_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    i = tl.arange(0, A)[:, None, None]
    j = tl.arange(0, B)[None, :, None]
    k = tl.arange(0, C)[None, None, :]
    a = tl.load(a_ptr + i * B + j)
    b = tl.load(b_ptr + j * C + k)
    tl.store(out_ptr + (i * B + j) * C + k, a * b)


@pytest.mark.parametrize("shape", SHAPES_3D)
def test_broadcast_3d(backend, rng, shape):
    A, B, C = shape
    a, b = random_array(rng, (A, B), "float32"), random_array(rng, (B, C), "float32")
    out = np.zeros(shape, np.float32)
    broadcast_3d[(1,)](a, b, out, A=A, B=B, C=C)
    assert_same(out, a[:, :, None] * b[None])


@triton.jit
def transpose_2d(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, HOW: tl.constexpr):
    rows = tl.arange(0, M)
    cols = tl.arange(0, N)
    x = tl.load(x_ptr + rows[:, None] * N + cols[None, :])
    if HOW == "trans":
        y = tl.trans(x)
    elif HOW == "T":
        y = x.T
    elif HOW == "permute":
        y = tl.permute(x, (1, 0))
    else:
        y = x.trans(1, 0)
    y = y + y.to(y.dtype)
    tl.store(out_ptr + cols[:, None] * M + rows[None, :], y)


@pytest.mark.parametrize("shape", SHAPES_2D)
@pytest.mark.parametrize("how", ("trans", "T", "permute", "method"))
def test_transpose(backend, rng, shape, how):
    x = random_array(rng, shape, "float32")
    out = np.zeros(shape[::-1], np.float32)
    transpose_2d[(1,)](x, out, M=shape[0], N=shape[1], HOW=how)
    assert_same(out, x.T * 2)


PERMUTE = """
@triton.jit
def kernel(x_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr,
           P: tl.constexpr, Q: tl.constexpr, R: tl.constexpr):
    i = tl.arange(0, A)[:, None, None]
    j = tl.arange(0, B)[None, :, None]
    k = tl.arange(0, C)[None, None, :]
    x = tl.load(x_ptr + (i * B + j) * C + k)
    y = tl.permute(x, ({order}))
    p = tl.arange(0, P)[:, None, None]
    q = tl.arange(0, Q)[None, :, None]
    r = tl.arange(0, R)[None, None, :]
    tl.store(out_ptr + (p * Q + q) * R + r, y)
"""


@pytest.mark.parametrize("order", [(0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)])
@pytest.mark.parametrize("shape", SHAPES_3D)
def test_permute_3d(backend, rng, shape, order):
    kernel = kernels_from(PERMUTE.format(order=", ".join(map(str, order)))).kernel
    x = random_array(rng, shape, "int32")
    expected = np.ascontiguousarray(x.transpose(order))
    out = np.zeros_like(expected)
    A, B, C = shape
    P, Q, R = expected.shape
    kernel[(1,)](x, out, A=A, B=B, C=C, P=P, Q=Q, R=R)
    assert_same(out, expected)


@triton.jit
def reshape_sum(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, M * N * K))
    y = tl.reshape(x, (M, N, K))
    z = tl.reshape(y, M * N, K)
    rows = tl.arange(0, M * N)[:, None]
    cols = tl.arange(0, K)[None, :]
    tl.store(out_ptr + rows * K + cols, z + rows)


@pytest.mark.parametrize("shape", SHAPES_3D)
def test_reshape(backend, rng, shape):
    M, N, K = shape
    x = random_array(rng, M * N * K, "int32", -100, 100)
    out = np.zeros((M * N, K), np.int32)
    reshape_sum[(1,)](x, out, M=M, N=N, K=K)
    assert_same(out, x.reshape(M * N, K) + np.arange(M * N, dtype=np.int32)[:, None])


@triton.jit
def expand_and_broadcast(x_ptr, out_ptr, N: tl.constexpr, M: tl.constexpr):
    offs = tl.arange(0, N)
    x = tl.load(x_ptr + offs)
    y = tl.broadcast_to(tl.expand_dims(x, 0), (M, N))
    z, _ = tl.broadcast(tl.expand_dims(x, -1), tl.zeros((N, M), dtype=x.dtype))
    rows = tl.arange(0, M)
    tl.store(out_ptr + rows[:, None] * N + offs[None, :], y + tl.trans(z))


@pytest.mark.parametrize("dtype", ("int16", "float32"))
@pytest.mark.parametrize("n,m", [(1, 1), (16, 4), (33, 7)])
def test_expand_dims_broadcast_to(backend, rng, n, m, dtype):
    x = random_array(rng, n, dtype)
    out = np.zeros((m, n), x.dtype)
    expand_and_broadcast[(1,)](x, out, N=n, M=m)
    assert_same(out, np.broadcast_to(x + x, (m, n)))


@triton.jit
def creation(out_ptr, N: tl.constexpr):
    offs = tl.arange(0, N)
    a = tl.full((N,), 7, tl.int32)
    b = tl.zeros((N,), dtype=tl.int32)
    c = tl.zeros_like(a) + 3
    d = tl.arange(5, 5 + N)
    tl.store(out_ptr + offs, a + b + c + d)


@pytest.mark.parametrize("n", (1, 8, 100, 781))
def test_creation(backend, n):
    out = np.zeros(n, np.int32)
    creation[(1,)](out, N=n)
    assert_same(out, np.arange(n, dtype=np.int32) + 15)


@triton.jit
def row_at_a_time(x_ptr, out_ptr, stride_x, stride_out, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * stride_x + cols, mask=cols < n_cols)
        tl.store(out_ptr + row * stride_out + cols, x, mask=cols < n_cols)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 1), (3, 781), (5, 64)])
def test_copy_every_type(backend, rng, shape, dtype):
    x = random_array(rng, shape, dtype)
    out = np.zeros_like(x)
    row_at_a_time[(shape[0],)](x, out, shape[1], shape[1], shape[1], BLOCK=128)
    assert_same(out, x)


@triton.jit
def three_axes(out_ptr, NX, NY):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    tl.static_assert(x.dtype == tl.int32)
    index = (z * NY + y) * NX + x
    tl.store(out_ptr + index, index * 10 + tl.num_programs(2))


@pytest.mark.parametrize("grid", [(1,), (7,), (3, 5), (2, 3, 4), (1, 1, 9)])
def test_program_ids(backend, grid):
    full = grid + (1,) * (3 - len(grid))
    out = np.zeros(int(np.prod(grid)), np.int32)
    three_axes[grid](out, full[0], full[1])
    assert_same(out, np.arange(out.size, dtype=np.int32) * 10 + np.int32(full[2]))


@triton.jit
def join_and_split(a_ptr, b_ptr, joined_ptr, woven_ptr, halves_ptr, M: tl.constexpr,
                   N: tl.constexpr):
    tile = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    a = tl.load(a_ptr + tile)
    b = tl.load(b_ptr + tile)
    joined = tl.join(a, b)
    pair = tl.arange(0, 2)[None, None, :]
    tl.store(joined_ptr + tile[:, :, None] * 2 + pair, joined)
    wide = tl.arange(0, M)[:, None] * (2 * N) + tl.arange(0, 2 * N)[None, :]
    tl.store(woven_ptr + wide, tl.interleave(a, b))
    first, second = joined.split()
    tl.store(halves_ptr + tile, second)
    tl.store(halves_ptr + M * N + tile, first)


@pytest.mark.parametrize("dtype", ("bool", "int8", "int64", "float16", "bfloat16", "float64"))
@pytest.mark.parametrize("m,n", [(16, 32), (1, 1), (3, 5)])
def test_join_split_interleave(backend, rng, dtype, m, n):
    a, b = (random_array(rng, (m, n), dtype) for _ in range(2))
    joined, woven = np.zeros((m, n, 2), a.dtype), np.zeros((m, 2 * n), a.dtype)
    halves = np.zeros((2, m, n), a.dtype)
    join_and_split[(1,)](a, b, joined, woven, halves, M=m, N=n)
    assert_same(joined, np.stack([a, b], axis=2))
    assert_same(woven, np.stack([a, b], axis=2).reshape(m, 2 * n))
    assert_same(halves, np.stack([b, a]))


@triton.jit
def split_bits(x_ptr, out_ptr, N: tl.constexpr):
    pairs = tl.arange(0, N)[:, None] * 2 + tl.arange(0, 2)[None, :]
    first, second = tl.split(tl.load(x_ptr + pairs))
    tl.store(out_ptr + tl.arange(0, N), first)
    tl.store(out_ptr + N + tl.arange(0, N), second)


def test_split_keeps_bits(backend):
    x = np.array([[-0.0, np.nan], [np.inf, -np.inf], [1e-45, -1e-45], [3.5, 0.0]], np.float32)
    out = np.zeros(8, np.float32)
    split_bits[(1,)](x, out, N=4)
    assert np.array_equal(out.view(np.uint32), x.T.ravel().view(np.uint32))


@triton.jit
def split_scalars(out_ptr):
    a, b = tl.split(tl.join(5, 7))
    tl.store(out_ptr, a * 10 + b)


def test_split_gives_scalars(backend):
    out = np.zeros(1, np.int32)
    split_scalars[(1,)](out)
    assert out[0] == 57


# Layouts, and what passes through shared memory, in combinations that random kernels found.

@triton.jit
def reduce_what_a_loop_carries(x, a, b, out, steps, M: tl.constexpr, N: tl.constexpr,
                               K: tl.constexpr):
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    k = tl.arange(0, K)
    v = tl.load(x + m[:, None] * N + n[None, :])
    top = tl.max(tl.reshape(v, (M // 2, 2, N)), axis=1)
    c = tl.reshape(tl.interleave(top, top), (M, N))
    i = 0
    while i < steps:
        product = tl.dot(tl.load(a + m[:, None] * K + k[None, :]),
                         tl.load(b + k[:, None] * N + n[None, :]))
        c = c + product.to(tl.int32)
        i += 1
    left, right = tl.split(tl.reshape(c, (M, N // 2, 2)))
    p = tl.arange(0, N // 2)
    tl.store(out + m[:, None] * (N // 2) + p[None, :], left - 2 * right)


def test_reduce_what_a_loop_carries(backend, rng):
    """The layout of the carried tile is found after that of the reduction that splits it."""
    M, N, K = 16, 128, 16
    x = rng.integers(-8, 8, (M, N)).astype(np.int32)
    a = rng.integers(-4, 5, (M, K)).astype(np.float16)
    b = rng.integers(-4, 5, (K, N)).astype(np.float16)
    out = np.zeros((M, N // 2), np.int32)
    reduce_what_a_loop_carries[(1,)](x, a, b, out, 3, M=M, N=N, K=K)
    c = np.repeat(x.reshape(M // 2, 2, N).max(axis=1), 2, axis=1).reshape(M, N)
    c = c + 3 * (a.astype(np.int32) @ b.astype(np.int32))
    assert_same(out, c[:, ::2] - 2 * c[:, 1::2])


@triton.jit
def atomic_between_conversions(x, counts, seen, turned, wide, M: tl.constexpr, N: tl.constexpr):
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    v = tl.load(x + n[None, :] * M + m[:, None])
    tl.store(wide + m[:, None] * N + n[None, :], v)
    old = tl.atomic_xor(counts + n, tl.max(v, axis=0).to(tl.int32))
    again = tl.reshape(tl.trans(v), (M, N))
    tl.store(turned + n[None, :] * M + m[:, None], again)
    tl.store(seen + n[None, :] * M + m[:, None], (old[None, :] < v).to(tl.int8))


@pytest.mark.parametrize("warps", (1, 4))
def test_atomic_between_conversions(backend, rng, warps):
    M, N = 64, 32
    x = rng.integers(-8, 8, (N, M)).astype(np.float16)
    before = rng.integers(-8, 8, N).astype(np.int32)
    counts, seen = before.copy(), np.zeros((N, M), np.int8)
    turned, wide = np.zeros((N, M), np.float16), np.zeros((M, N), np.float16)
    atomic_between_conversions[(1,)](x, counts, seen, turned, wide, M=M, N=N, num_warps=warps)
    v = x.T
    assert_same(counts, before ^ v.max(axis=0).astype(np.int32))
    assert_same(seen, (before[None, :] < v).astype(np.int8).T)
    assert_same(turned, v.T.reshape(M, N).T)
    assert_same(wide, v)


@triton.jit
def reshape_among_masked(x, out, differs, cols, M: tl.constexpr, N: tl.constexpr):
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    v0 = tl.load(x + (m[:, None] * N + n[None, :]), mask=n[None, :] < cols, other=3)
    v1 = v0 % ((v0 & 15) + 1)
    v2 = tl.reshape(tl.trans(v0), (M, N))
    tl.store(differs + n[None, :] * M + m[:, None], (v1 != v2).to(tl.int8))
    tl.store(out + n[None, :] * M + m[:, None], v1)


@pytest.mark.parametrize("warps", (1, 4))
def test_reshape_among_masked(backend, rng, warps):
    M, N, cols = 16, 96, 95
    x = rng.integers(0, 100, (M, N)).astype(np.int16)
    out, differs = np.zeros((N, M), np.int16), np.zeros((N, M), np.int8)
    reshape_among_masked[(1,)](x, out, differs, cols, M=M, N=N, num_warps=warps)
    v0 = np.where(np.arange(N) < cols, x, 3).astype(np.int16)
    v1 = v0 % ((v0 & 15) + 1)
    assert_same(out, v1.T)
    assert_same(differs, (v1 != v0.T.reshape(M, N)).astype(np.int8).T)


@triton.jit
def subscripted_scalar(x_ptr, out_ptr):
    x = tl.load(x_ptr)
    tl.static_assert(x[:, None].shape == (1,) and x[None, :].shape == (1,))
    tl.static_assert(x[None, :, None].shape == (1, 1) and x[:].shape == ())
    rows = tl.arange(0, 4)[:, None] * 2 + tl.arange(0, 2)[None, :]
    tl.store(out_ptr + rows, rows + x[:, None] + x[None, None])


def test_subscripts_of_a_scalar(backend):
    """Each None adds a dimension; `:` stands for none."""
    out = np.zeros((4, 2), np.int32)
    subscripted_scalar[(1,)](np.full(1, 7, np.int32), out)
    assert np.array_equal(out, np.arange(8).reshape(4, 2) + 14)
