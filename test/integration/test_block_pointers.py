"""Block pointers: blocks at every edge of an array, moved through loops, branches and calls."""

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from blocks import block_of, check_edges, strides_of
from support import DTYPES, assert_same, random_array

OFFSETS = [(0, 0), (3, 5), (-3, 0), (0, -7), (13, 40), (19, 0), (-16, -32), (100, 7),
           (2**31 - 1, -2**31)]


@triton.jit
def move(x_ptr, out_ptr, M, N, stride, i, j, oi, oj, BM: tl.constexpr, BN: tl.constexpr):
    x = tl.make_block_ptr(x_ptr, shape=(M, N), strides=(stride, 1), offsets=(i, j),
                          block_shape=(BM, BN), order=(1, 0))
    out = tl.make_block_ptr(out_ptr, [M, N], [stride, 1], [0, 0], [BM, BN], [1, 0])
    out = tl.advance(out, (oi, oj))
    block = tl.load(x, boundary_check=(0, 1), padding_option="zero")
    tl.store(out, block, boundary_check=(1, 0))


@pytest.mark.parametrize("i,j", OFFSETS)
def test_edges(backend, rng, i, j):
    check_edges(move, rng, i, j)


@triton.jit
def one_dimension_checked(x_ptr, out_ptr, M, N, i, j, D: tl.constexpr, BM: tl.constexpr,
                          BN: tl.constexpr):
    x = tl.make_block_ptr(x_ptr, (M, N), (N, 1), (i, j), (BM, BN), (1, 0))
    out = tl.make_block_ptr(out_ptr, (BM, BN), (BN, 1), (0, 0), (BM, BN), (1, 0))
    tl.store(out, tl.load(x, boundary_check=D, padding_option="nan"))


@pytest.mark.parametrize("dimension,i,j", [((0,), 12, 8), ((0,), -4, 0), ((1,), 0, 20), (1, 8, -3)])
def test_checks_named_dimensions(backend, rng, dimension, i, j):
    x = random_array(rng, (16, 24), "float32")
    out = np.zeros((8, 8), np.float32)
    one_dimension_checked[(1,)](x, out, 16, 24, i, j, D=dimension, BM=8, BN=8)
    assert_same(out, block_of(x, (i, j), (8, 8), np.nan))


@triton.jit
def copy_any_strides(x_ptr, out_ptr, M, N, sm, sn, tm, tn, ORDER: tl.constexpr, BM: tl.constexpr,
                     BN: tl.constexpr):
    i = tl.program_id(0) * BM
    x = tl.make_block_ptr(x_ptr, (M, N), (sm, sn), (i, 0), (BM, BN), ORDER)
    out = tl.make_block_ptr(out_ptr, (M, N), (tm, tn), (i, 0), (BM, BN), (1, 0))
    for _ in range(tl.cdiv(N, BN)):
        tl.store(out, tl.load(x, boundary_check=(0, 1)), boundary_check=(0, 1))
        x = tl.advance(x, (0, BN))
        out = tl.advance(out, (0, BN))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("m,n", [(32, 32), (1, 1), (45, 70), (33, 7)])
def test_transposed_arrays(backend, rng, dtype, m, n):
    x = np.asfortranarray(random_array(rng, (m, n), dtype))
    out = np.zeros((m, n), x.dtype)
    copy_any_strides[(-(-m // 16),)](x, out, m, n, *strides_of(x), *strides_of(out),
                                     ORDER=(0, 1), BM=16, BN=32)
    assert_same(out, np.ascontiguousarray(x))


@triton.jit
def reversed_rows(x_ptr, out_ptr, N, B: tl.constexpr):
    x = tl.make_block_ptr(x_ptr + N - 1, (N,), (-1,), (0,), (B,), (0,))
    out = tl.make_block_ptr(out_ptr, (N,), (1,), (0,), (B,), (0,))
    tl.store(out, tl.load(x, boundary_check=(0,)), boundary_check=(0,))


def test_negative_stride(backend, rng):
    x = random_array(rng, 23, "float32")
    out = np.zeros_like(x)
    reversed_rows[(1,)](x, out, 23, B=32)
    assert_same(out, x[::-1].copy())


@triton.jit
def move_3d(x_ptr, out_ptr, A, B, C, i, j, k, BA: tl.constexpr, BB: tl.constexpr,
            BC: tl.constexpr):
    x = tl.make_block_ptr(x_ptr, (A, B, C), (B * C, C, 1), (i, j, k), (BA, BB, BC), (2, 1, 0))
    out = tl.make_block_ptr(out_ptr, (BA, BB, BC), (BB * BC, BC, 1), (0, 0, 0), (BA, BB, BC),
                            (2, 1, 0))
    tl.store(out, tl.load(x, boundary_check=(0, 1, 2)))


@pytest.mark.parametrize("start", [(0, 0, 0), (1, 5, 16), (-1, -2, -3), (4, 8, 20)])
def test_3d(backend, rng, start):
    x = random_array(rng, (5, 9, 21), "float16")
    out = np.ones((4, 8, 16), x.dtype)
    move_3d[(1,)](x, out, 5, 9, 21, *start, BA=4, BB=8, BC=16)
    assert_same(out, block_of(x, start, (4, 8, 16)))


#===-- Control flow and calls ----------------------------------------------===#


@triton.jit
def block_at(ptr, N, i, B: tl.constexpr):
    return tl.make_block_ptr(ptr, (N,), (1,), (i,), (B,), (0,))


@triton.jit
def next_block(p, B: tl.constexpr):
    return tl.load(p, boundary_check=(0,)), tl.advance(p, (B,))


@triton.jit
def travel(a_ptr, b_ptr, out_ptr, N, which, B: tl.constexpr):
    p = block_at(a_ptr, N, 0, B)
    q = block_at(b_ptr, N, 4, B)
    if which > 0:
        p, q = q, p
    else:
        p = p.advance((1,))
    chosen = p if which > 1 else q
    total = tl.load(chosen, boundary_check=(0,))
    for i in range(0, N, B):
        x, p = next_block(p, B)
        total += x
        if i % 2 == 0:
            p = tl.advance(p, (1,))
        p, q = q, p
    n = 0
    while n < 3:
        x, q = next_block(q, B)
        total += x
        n += 1
    tl.store(out_ptr + tl.arange(0, B), total)


@pytest.mark.parametrize("which", (0, 1, 2))
def test_control_flow(backend, rng, which):
    a, b = (random_array(rng, 90, "int32", 0, 1000) for _ in range(2))
    out = np.zeros(8, np.int32)
    travel[(1,)](a, b, out, 90, which, B=8)

    def load(pointer):
        return block_of(pointer[0], (pointer[1],), (8,))

    p, q = (a, 0), (b, 4)
    if which > 0:
        p, q = q, p
    else:
        p = (p[0], p[1] + 1)
    total = load(p if which > 1 else q)
    for i in range(0, 90, 8):
        total = total + load(p)
        p = (p[0], p[1] + 8 + (i % 2 == 0))
        p, q = q, p
    for _ in range(3):
        total = total + load(q)
        q = (q[0], q[1] + 8)
    assert_same(out, total)


@triton.jit
def far(x_ptr, out_ptr, N, step, B: tl.constexpr):
    p = tl.make_block_ptr(x_ptr, (N,), (1,), (0,), (B,), (0,))
    for _ in range(4):
        p = tl.advance(p, (step,))
    tl.store(out_ptr + tl.arange(0, B), tl.load(p, boundary_check=(0,)))


def test_offsets_do_not_wrap(backend):
    """Four steps of 2^30 are 2^32, which is 0 in 32 bits."""
    out = np.ones(16, np.float32)
    far[(1,)](np.ones(64, np.float32), out, 64, 2**30, B=16)
    assert not out.any()


def test_outside_without_check(monkeypatch):
    """The interpreter sees a block that leaves its array where nobody checks."""
    monkeypatch.setenv("TRITIUM_BACKEND", "interpret")
    x = np.zeros((16, 24), np.float32)
    out = np.zeros((8, 8), np.float32)
    with pytest.raises(triton.InterpreterError, match="out of bounds|outside"):
        one_dimension_checked[(1,)](x, out, 16, 24, 12, 20, D=(1,), BM=8, BN=8)


#===-- Matrix products --------------------------------------------------------===#


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, sam, sak, sbk, sbn, scm, scn, BM: tl.constexpr,
           BN: tl.constexpr, BK: tl.constexpr):
    i = tl.program_id(0) * BM
    j = tl.program_id(1) * BN
    a = tl.make_block_ptr(a_ptr, (M, K), (sam, sak), (i, 0), (BM, BK), (1, 0))
    b = tl.make_block_ptr(b_ptr, (K, N), (sbk, sbn), (0, j), (BK, BN), (0, 1))
    total = tl.zeros([BM, BN], tl.float32)
    for _ in range(0, K, BK):
        total = tl.dot(tl.load(a, boundary_check=(0, 1), padding_option="zero"),
                       tl.load(b, boundary_check=(0, 1), padding_option="zero"), total)
        a = tl.advance(a, (0, BK))
        b = tl.advance(b, (BK, 0))
    c = tl.make_block_ptr(c_ptr, (M, N), (scm, scn), (i, j), (BM, BN), (1, 0))
    tl.store(c, total.to(tl.float16), boundary_check=(0, 1))


@pytest.mark.parametrize("m,n,k", [(64, 64, 64), (50, 71, 40), (33, 8, 101)])
@pytest.mark.parametrize("order", "CF")
def test_matmul(backend, rng, m, n, k, order):
    a = rng.standard_normal((m, k)).astype(np.float16)
    b = np.asarray(rng.standard_normal((k, n)), np.float16, order=order)
    c = np.zeros((m, n), np.float16)
    matmul[(-(-m // 32), -(-n // 32))](a, b, c, m, n, k, *strides_of(a), *strides_of(b),
                                       *strides_of(c), BM=32, BN=32, BK=16)
    exact = a.astype(np.float32) @ b.astype(np.float32)
    np.testing.assert_allclose(c.astype(np.float32), exact, rtol=2e-3, atol=2e-2)


@triton.jit
def by_attributes(x_ptr, out_ptr, m, n, M: tl.constexpr, N: tl.constexpr):
    p = tl.make_block_ptr(x_ptr, (m, n), (n, 1), (0, 0), (M, N), (1, 0))
    q = tl.make_block_ptr(out_ptr, (m, n), (n, 1), (0, 0), (M, N), (1, 0))
    tl.static_assert(p.dtype.is_ptr() and not p.type.is_block() and p.block_shape == (M, N))
    tl.static_assert(p.type.element_ty.element_ty == tl.float32 and p.order == (1, 0))
    tl.static_assert(p.dtype.element_ty.shape == (M, N))
    x = tl.load(p, boundary_check=(0, 1)) + p.shape[0] + p.strides[0] * 100 + p.offsets[1]
    tl.store(q, x.to(q.dtype.element_ty), boundary_check=(0, 1))


def test_attributes(backend):
    x = np.zeros((3, 5), np.float32)
    out = np.zeros((3, 5), np.float16)
    by_attributes[(1,)](x, out, 3, 5, M=4, N=8)
    assert np.all(out == 503)
