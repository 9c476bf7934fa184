"""Kernels that add up over a loop, whose programs may have parts; and a product, and that it is
right."""

import numpy as np

import tritium as triton
import tritium.language as tl


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, bias_ptr, M, N, K, sa, sb, sc, BM: tl.constexpr, BN: tl.constexpr,
           BK: tl.constexpr, ADDS: tl.constexpr, AXIS: tl.constexpr = 0):
    pid = tl.program_id(AXIS)
    columns = tl.cdiv(N, BN)
    rm = (pid // columns) * BM + tl.arange(0, BM)
    rn = (pid % columns) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    a = a_ptr + rm[:, None] * sa + rk[None, :]
    b = b_ptr + rk[:, None] * sb + rn[None, :]
    if ADDS:
        bias = tl.load(bias_ptr + rn, mask=rn < N, other=0)
        acc = tl.zeros((BM, BN), tl.float32) + bias[None, :]
    else:
        acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        x = tl.load(a, mask=(rm[:, None] < M) & (rk[None, :] < K - k * BK), other=0)
        y = tl.load(b, mask=(rk[:, None] < K - k * BK) & (rn[None, :] < N), other=0)
        acc = tl.dot(x, y, acc)
        a += BK
        b += BK * sb
    c = c_ptr + rm[:, None] * sc + rn[None, :]
    tl.store(c, acc.to(c_ptr.dtype.element_ty), mask=(rm[:, None] < M) & (rn[None, :] < N))


def check_product(m, n, k, tiles, dtype=np.float16, adds=False, axis=0, pitch=0, **options):
    random = np.random.default_rng(m + n + k)
    a = random.integers(-3, 4, (m, k + pitch)).astype(dtype)
    b = random.integers(-3, 4, (k, n + pitch)).astype(dtype)
    bias = random.integers(-3, 4, n).astype(np.float32)
    c = np.full((m, n), 77, np.float32)
    grid = [1, 1, 1]
    grid[axis] = -(-m // tiles[0]) * -(-n // tiles[1])
    kernel = matmul[tuple(grid)](a, b, c, bias, m, n, k, k + pitch, n + pitch, n, *tiles, adds,
                                 axis, **options)
    # Small integers: each order of the sums is exact.
    expected = a[:, :k].astype(np.float64) @ b[:, :n].astype(np.float64) + (bias if adds else 0)
    np.testing.assert_array_equal(c, expected)
    return kernel


@triton.jit
def columns(x_ptr, out_ptr, last_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    rn = tl.program_id(0) * BN + tl.arange(0, BN)
    total = tl.zeros((BN,), tl.float32)
    count = 0.0
    row = 5
    for m in range(0, M, BM):
        rm = m + tl.arange(0, BM)
        x = tl.load(x_ptr + rm[:, None] * N + rn[None, :],
                    mask=(rm[:, None] < M) & (rn[None, :] < N), other=0)
        total += tl.sum(x, 0)
        count += tl.sum((rm < M).to(tl.float32), 0)
        row += BM
    tl.store(out_ptr + rn, total * count, mask=rn < N)
    tl.store(last_ptr + tl.program_id(0), row)


@triton.jit
def by_descriptor(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr,
                  BK: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1], [BK, BN])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN])
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(a.load([m, k]), b.load([k, n]), acc)
    c.store([m, n], acc.to(tl.float16))


@triton.jit
def by_block_pointer(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr,
                     BK: tl.constexpr):
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    a = tl.make_block_ptr(a_ptr, (M, K), (K, 1), (m, 0), (BM, BK), (1, 0))
    b = tl.make_block_ptr(b_ptr, (K, N), (N, 1), (0, n), (BK, BN), (1, 0))
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        acc = tl.dot(tl.load(a, boundary_check=(0, 1)), tl.load(b, boundary_check=(0, 1)), acc)
        a = tl.advance(a, (0, BK))
        b = tl.advance(b, (BK, 0))
    c = tl.make_block_ptr(c_ptr, (M, N), (N, 1), (m, n), (BM, BN), (1, 0))
    tl.store(c, acc.to(tl.float16), boundary_check=(0, 1))
