"""Attention without the matrix of scores in memory, softmax(Q K^T scale) V, and its gradients.

Forward, each program keeps a tile of queries and runs over the keys with a running maximum
and sum, rescaling what it has accumulated when the maximum grows. Backward, the weights are
computed again from the logarithm of that sum: one kernel keeps a tile of keys and runs over the
queries, another the other way round, so that nothing is added up in memory.
"""

import math

import numpy as np

import tritium as triton
import tritium.language as tl


LOG2_E = tl.constexpr(1.4426950408889634)


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
def attend_rows(q_ptr, k_ptr, v_ptr, o_ptr, scale, N, D: tl.constexpr, BM: tl.constexpr,
                BN: tl.constexpr, CAUSAL: tl.constexpr):
    """Stores a tile of o; returns the logarithms to base 2 of its rows' sums of exponentials."""
    start = tl.program_id(0) * BM
    head = tl.program_id(1).to(tl.int64) * N * D
    rows = start + tl.arange(0, BM)
    dims = tl.arange(0, D)
    tile = rows[:, None] * D + dims[None, :]
    q = tl.load(q_ptr + head + tile, mask=rows[:, None] < N, other=0.0)
    # exp(x) is exp2(x * log2(e)); the factor goes into q once.
    q = (q * (scale * LOG2_E)).to(q_ptr.dtype.element_ty)
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
    return peak + tl.log2(total)


@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, o_ptr, scale, N,
                     D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
                     CAUSAL: tl.constexpr):
    """q, k, v, o: heads x N x D, contiguous. Grid: (cdiv(N, BM), heads)."""
    attend_rows(q_ptr, k_ptr, v_ptr, o_ptr, scale, N, D, BM, BN, CAUSAL)


@triton.jit
def attention_forward_kernel(q_ptr, k_ptr, v_ptr, o_ptr, lse_ptr, scale, N,
                             D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
                             CAUSAL: tl.constexpr):
    """The same, with what the gradients need of each row; lse: heads x N."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    lse = attend_rows(q_ptr, k_ptr, v_ptr, o_ptr, scale, N, D, BM, BN, CAUSAL)
    tl.store(lse_ptr + tl.program_id(1) * N + rows, lse, mask=rows < N)


# What tuning chooses from. A tile of more rows than there are is of no use.
CONFIGS = [triton.Config({"BM": BM, "BN": BN}, num_warps=warps, num_stages=stages)
           for BM, BN, warps, stages in ((64, 32, 4, 3), (64, 64, 4, 3), (128, 64, 8, 3))]


def useful_configs(configs, named_args, **kwargs):
    return [c for c in configs if c.kwargs["BM"] <= max(named_args["N"], CONFIGS[0].kwargs["BM"])]


tuned_forward_kernel = triton.autotune(
    configs=CONFIGS, key=["N", "D", "CAUSAL"],
    prune_configs_by={"early_config_prune": useful_configs})(attention_forward_kernel)


@triton.jit
def load_rows(ptr, rows, N, D: tl.constexpr):
    """Rows of one head's N x D matrix; those beyond the last are zero."""
    return tl.load(ptr + rows[:, None] * D + tl.arange(0, D)[None, :], mask=rows[:, None] < N,
                   other=0.0)


@triton.jit
def store_rows(ptr, rows, value, N, D: tl.constexpr):
    tl.store(ptr + rows[:, None] * D + tl.arange(0, D)[None, :], value.to(ptr.dtype.element_ty),
             mask=rows[:, None] < N)


@triton.jit
def row_products_kernel(o_ptr, do_ptr, delta_ptr, N, D: tl.constexpr, BM: tl.constexpr):
    """delta: what each row of the weights' gradient is too large by, the sum of o * do."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    head = tl.program_id(1).to(tl.int64) * N
    o = load_rows(o_ptr + head * D, rows, N, D).to(tl.float32)
    do = load_rows(do_ptr + head * D, rows, N, D).to(tl.float32)
    tl.store(delta_ptr + head + rows, tl.sum(o * do, axis=1), mask=rows < N)


@triton.jit
def weights_and_gradient(q, k, v, do, lse_ptr, delta_ptr, rows, keys, scale, N,
                         CAUSAL: tl.constexpr):
    """Tiles, rows x keys, of the weights and of the gradient of the scores."""
    lse = tl.load(lse_ptr + rows, mask=rows < N, other=0.0)
    delta = tl.load(delta_ptr + rows, mask=rows < N, other=0.0)
    valid = (rows[:, None] < N) & (keys[None, :] < N)
    if CAUSAL:
        valid = valid & (keys[None, :] <= rows[:, None])
    scores = tl.dot(q, tl.trans(k)) * (scale * LOG2_E)
    weights = tl.where(valid, tl.exp2(scores - lse[:, None]), 0.0)
    return weights, weights * (tl.dot(do, tl.trans(v)) - delta[:, None]) * scale


@triton.jit
def attention_backward_keys_kernel(q_ptr, k_ptr, v_ptr, do_ptr, lse_ptr, delta_ptr, dk_ptr, dv_ptr,
                                   scale, N, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
                                   CAUSAL: tl.constexpr):
    """dk and dv of one tile of keys. Grid: (cdiv(N, BN), heads)."""
    first_key = tl.program_id(0) * BN
    head = tl.program_id(1).to(tl.int64) * N
    keys = first_key + tl.arange(0, BN)
    k = load_rows(k_ptr + head * D, keys, N, D)
    v = load_rows(v_ptr + head * D, keys, N, D)
    dk = tl.zeros((BN, D), dtype=tl.float32)
    dv = tl.zeros((BN, D), dtype=tl.float32)
    # Rows before the tile's first key see none of its keys.
    begin = first_key // BM * BM if CAUSAL else 0
    for first_row in range(begin, N, BM):
        rows = first_row + tl.arange(0, BM)
        q = load_rows(q_ptr + head * D, rows, N, D)
        do = load_rows(do_ptr + head * D, rows, N, D)
        weights, dscores = weights_and_gradient(q, k, v, do, lse_ptr + head, delta_ptr + head,
                                                rows, keys, scale, N, CAUSAL)
        dv += tl.dot(tl.trans(weights.to(do.dtype)), do)
        dk += tl.dot(tl.trans(dscores.to(q.dtype)), q)
    store_rows(dk_ptr + head * D, keys, dk, N, D)
    store_rows(dv_ptr + head * D, keys, dv, N, D)


@triton.jit
def attention_backward_queries_kernel(q_ptr, k_ptr, v_ptr, do_ptr, lse_ptr, delta_ptr, dq_ptr,
                                      scale, N, D: tl.constexpr, BM: tl.constexpr,
                                      BN: tl.constexpr, CAUSAL: tl.constexpr):
    """dq of one tile of queries. Grid: (cdiv(N, BM), heads)."""
    first_row = tl.program_id(0) * BM
    head = tl.program_id(1).to(tl.int64) * N
    rows = first_row + tl.arange(0, BM)
    q = load_rows(q_ptr + head * D, rows, N, D)
    do = load_rows(do_ptr + head * D, rows, N, D)
    dq = tl.zeros((BM, D), dtype=tl.float32)
    end = tl.minimum(first_row + BM, N) if CAUSAL else N
    for first_key in range(0, end, BN):
        keys = first_key + tl.arange(0, BN)
        k = load_rows(k_ptr + head * D, keys, N, D)
        v = load_rows(v_ptr + head * D, keys, N, D)
        _, dscores = weights_and_gradient(q, k, v, do, lse_ptr + head, delta_ptr + head,
                                          rows, keys, scale, N, CAUSAL)
        dq += tl.dot(dscores.to(k.dtype), k)
    store_rows(dq_ptr + head * D, rows, dq, N, D)


def attention(q, k, v, causal=True, o=None, BM=64, BN=64):
    """softmax(q k^T / sqrt(D)) v for arrays of shape (heads, N, D)."""
    heads, N, D = q.shape
    o = np.empty_like(q) if o is None else o
    attention_kernel[(triton.cdiv(N, BM), heads)](
        q, k, v, o, 1 / math.sqrt(D), N, D=D, BM=BM, BN=BN, CAUSAL=causal)
    return o


def attention_forward(q, k, v, causal=True):
    """The same by the tile that suits these sizes best, and what the gradients need."""
    heads, N, D = q.shape
    o, lse = np.empty_like(q), np.empty((heads, N), np.float32)
    tuned_forward_kernel[lambda meta: (triton.cdiv(N, meta["BM"]), heads)](
        q, k, v, o, lse, 1 / math.sqrt(D), N, D=D, CAUSAL=causal)
    return o, lse


def attention_backward(do, q, k, v, o, lse, causal=True, BM=32, BN=32):
    """The gradients of q, k and v, from that of o."""
    heads, N, D = q.shape
    dq, dk, dv = np.empty_like(q), np.empty_like(k), np.empty_like(v)
    delta = np.empty_like(lse)
    row_tiles, key_tiles = (triton.cdiv(N, BM), heads), (triton.cdiv(N, BN), heads)
    row_products_kernel[row_tiles](o, do, delta, N, D=D, BM=BM)
    scale = 1 / math.sqrt(D)
    attention_backward_keys_kernel[key_tiles](q, k, v, do, lse, delta, dk, dv, scale, N, D=D,
                                              BM=BM, BN=BN, CAUSAL=causal)
    attention_backward_queries_kernel[row_tiles](q, k, v, do, lse, delta, dq, scale, N, D=D,
                                                 BM=BM, BN=BN, CAUSAL=causal)
    return dq, dk, dv


def weights_numpy(q, k, causal):
    scores = q @ k.transpose(0, 2, 1) / np.float32(math.sqrt(q.shape[2]))
    if causal:
        scores = np.where(np.tri(q.shape[1], dtype=bool), scores, np.float32(-np.inf))
    weights = np.exp(scores - scores.max(axis=2, keepdims=True))
    return weights / weights.sum(axis=2, keepdims=True)


def attention_numpy(q, k, v, causal=True):
    return weights_numpy(q, k, causal) @ v


def attention_backward_numpy(do, q, k, v, causal=True):
    weights = weights_numpy(q, k, causal)
    dweights = do @ v.transpose(0, 2, 1)
    dscores = weights * (dweights - (weights * dweights).sum(axis=2, keepdims=True))
    dscores /= np.float32(math.sqrt(q.shape[2]))
    return dscores @ k, dscores.transpose(0, 2, 1) @ q, weights.transpose(0, 2, 1) @ do


if __name__ == "__main__":
    q, k, v, do = np.random.default_rng(0).standard_normal((4, 4, 1000, 80), dtype=np.float32)
    triton.testing.assert_close(attention(q, k, v), attention_numpy(q, k, v), atol=1e-5)
    o, lse = attention_forward(q, k, v)
    triton.testing.assert_close(o, attention_numpy(q, k, v), atol=1e-5)
    for ours, numpys in zip(attention_backward(do, q, k, v, o, lse),
                            attention_backward_numpy(do, q, k, v)):
        triton.testing.assert_close(ours, numpys, atol=5e-5)
    print("attention: 4 heads, 1000 positions, dimension 80, and the gradients agree with NumPy")
