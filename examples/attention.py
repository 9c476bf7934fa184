"""Attention forward without the matrix of scores in memory: softmax(Q K^T scale) V.

Each program keeps a tile of queries and runs over the keys with a running maximum and
sum, rescaling what it has accumulated when the maximum grows.
"""

import math

import numpy as np

import tritium as triton
import tritium.language as tl


@triton.jit
def attend(q, acc, total, peak, k_ptr, v_ptr, rows, first_key, N,
           D: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr, MASKED: tl.constexpr):
    """Takes one tile of keys into account."""
    keys = first_key + tl.arange(0, BN)
    dims = tl.arange(0, D)
    k_ptrs = k_ptr + keys[None, :] * D + dims[:, None]
    v_ptrs = v_ptr + keys[:, None] * D + dims[None, :]
    if MASKED:
        k = tl.load(k_ptrs, mask=keys[None, :] < N, other=0.0)
        v = tl.load(v_ptrs, mask=keys[:, None] < N, other=0.0)
    else:
        k = tl.load(k_ptrs)
        v = tl.load(v_ptrs)
    scores = tl.dot(q, k)
    if MASKED:
        valid = keys[None, :] < N
        if CAUSAL:
            valid = valid & (keys[None, :] <= rows[:, None])
        scores = tl.where(valid, scores, float("-inf"))
    new_peak = tl.maximum(peak, tl.max(scores, axis=1))
    weights = tl.exp2(scores - new_peak[:, None])
    scale = tl.exp2(peak - new_peak)
    total = total * scale + tl.sum(weights, axis=1)
    acc = tl.dot(weights.to(v.dtype), v, acc * scale[:, None])
    return acc, total, new_peak


@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, o_ptr, scale, N,
                     D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
                     CAUSAL: tl.constexpr):
    """q, k, v, o: heads x N x D, contiguous. Grid: (cdiv(N, BM), heads)."""
    start = tl.program_id(0) * BM
    head = tl.program_id(1).to(tl.int64) * N * D
    rows = start + tl.arange(0, BM)
    dims = tl.arange(0, D)
    tile = rows[:, None] * D + dims[None, :]
    q = tl.load(q_ptr + head + tile, mask=rows[:, None] < N, other=0.0)
    # exp(x) is exp2(x * log2(e)); the factor goes into q once.
    q = (q * (scale * 1.4426950408889634)).to(q_ptr.dtype.element_ty)
    acc = tl.zeros((BM, D), dtype=tl.float32)
    total = tl.zeros((BM,), dtype=tl.float32)
    peak = tl.full((BM,), float("-inf"), dtype=tl.float32)
    # Keys below `clear` are valid for every row of the tile; only the rest needs masks.
    if CAUSAL:
        clear = start // BN * BN
        end = tl.minimum(start + BM, N)
    else:
        clear = N // BN * BN
        end = N
    for first_key in range(0, clear, BN):
        acc, total, peak = attend(q, acc, total, peak, k_ptr + head, v_ptr + head, rows,
                                  first_key, N, D, BN, CAUSAL, False)
    for first_key in range(clear, end, BN):
        acc, total, peak = attend(q, acc, total, peak, k_ptr + head, v_ptr + head, rows,
                                  first_key, N, D, BN, CAUSAL, True)
    out = (acc / total[:, None]).to(o_ptr.dtype.element_ty)
    tl.store(o_ptr + head + tile, out, mask=rows[:, None] < N)


def attention(q, k, v, causal=True, o=None, BM=64, BN=64):
    """softmax(q k^T / sqrt(D)) v for arrays of shape (heads, N, D)."""
    heads, N, D = q.shape
    o = np.empty_like(q) if o is None else o
    attention_kernel[(triton.cdiv(N, BM), heads)](
        q, k, v, o, 1 / math.sqrt(D), N, D=D, BM=BM, BN=BN, CAUSAL=causal)
    return o


def attention_numpy(q, k, v, causal=True):
    scores = q @ k.transpose(0, 2, 1) / np.float32(math.sqrt(q.shape[2]))
    if causal:
        scores = np.where(np.tri(q.shape[1], dtype=bool), scores, np.float32(-np.inf))
    weights = np.exp(scores - scores.max(axis=2, keepdims=True))
    return weights / weights.sum(axis=2, keepdims=True) @ v


if __name__ == "__main__":
    q, k, v = np.random.default_rng(0).standard_normal((3, 4, 1000, 80), dtype=np.float32)
    triton.testing.assert_close(attention(q, k, v), attention_numpy(q, k, v), atol=1e-5)
    print("attention: 4 heads, 1000 positions, dimension 80 agree with NumPy")
