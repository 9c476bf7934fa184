"""Slow and fast products of matrices: test_explain_pairs.py."""

import tritium as triton
import tritium.language as tl


@triton.jit
def product(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
            BN_LIES_ACROSS: tl.constexpr = False):
    """c = a @ b, with b as [K, N], or as [N, K]."""
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        x = tl.load(a + i[:, None] * K + k[None, :], mask=i[:, None] < M, other=0.0)
        if BN_LIES_ACROSS:
            y = tl.load(b + j[None, :] * K + k[:, None])
        else:
            y = tl.load(b + k[:, None] * N + j[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + i[:, None] * N + j[None, :], acc, mask=i[:, None] < M)


@triton.jit
def integer_product(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                    BN_LIES_ACROSS: tl.constexpr = False):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.int32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        x = tl.load(a + i[:, None] * K + k[None, :])
        if BN_LIES_ACROSS:
            y = tl.load(b + j[None, :] * K + k[:, None])
        else:
            y = tl.load(b + k[:, None] * N + j[None, :])
        acc = tl.dot(x, y, acc, out_dtype=tl.int32)
    tl.store(c + i[:, None] * N + j[None, :], acc)


@triton.jit
def scaled_product(a, scale, b, c, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """A tile that stays as it is changes its layout in each iteration."""
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    k0 = tl.arange(0, BK)
    s = tl.load(scale + i[:, None] * BK + k0[None, :])
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        k = start + k0
        x = tl.load(a + i[:, None] * K + k[None, :]) * s
        y = tl.load(b + k[:, None] * N + j[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + i[:, None] * N + j[None, :], acc)
