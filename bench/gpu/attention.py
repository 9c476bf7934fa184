"""Attention of one Triton-language implementation beside cuDNN: heads of several widths, gradients,
keys and values of 8 bits. Prints one JSON line a figure, as kernels.py does, whose timing and
forward kernel it takes.

    IMPL=tritium python bench/gpu/attention.py machine heads backward int8_kv

TFLOP/s count the products that attention needs, half of them where it is causal: two forward, five
backward.
"""

import sys

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

import kernels
from kernels import bursts, dev, out, rel, tl, triton

sections = set(sys.argv[1:])

LOG2_E = tl.constexpr(1.4426950408889634)


def teraflops(products, B, H, N, D, causal):
    """The work of one call, to be divided by milliseconds."""
    return 2 * products * B * H * N * N * D / 1e9 * (0.5 if causal else 1)


def record(rec, name, run, work, reference=None):
    """TFLOP/s of `run`, and how far its result is from the reference; or why there is none."""
    try:
        if reference is not None:
            rec[name + "_err"] = max(rel(a, b) for a, b in zip(run(), reference))
        rec[name] = round(work / bursts(run), 1)
    except Exception as ex:
        rec[name] = f"{type(ex).__name__}: {str(ex)[:200]}"


def heads():
    """Forward, the kernel of kernels.py."""
    for D in (64, 80, 96, 128, 256):
        for causal in (False, True):
            B, H, N = 4, 16, 4096
            q, k, v = (torch.randn(B, H, N, D, device=dev, dtype=torch.float16) for _ in range(3))
            rec = dict(bench="attention_heads", B=B, H=H, N=N, D=D, causal=causal)
            work = teraflops(2, B, H, N, D, causal)
            with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
                attend = lambda: [F.scaled_dot_product_attention(q, k, v, is_causal=causal)]
                record(rec, "cudnn", attend, work)
            with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
                reference = [F.scaled_dot_product_attention(q, k, v, is_causal=causal)]
            record(rec, "kernel", lambda: [kernels.fa(q, k, v, causal)], work, reference)
            rec["best"] = str(getattr(kernels.fa_kernel, "best_config", None))
            out(**rec)


# ---------------------------------------------------------------- gradients
@triton.jit
def delta_kernel(o_ptr, do_ptr, delta_ptr, D: tl.constexpr, BM: tl.constexpr):
    rows = tl.program_id(0).to(tl.int64) * BM + tl.arange(0, BM)
    at = rows[:, None] * D + tl.arange(0, D)[None, :]
    o = tl.load(o_ptr + at).to(tl.float32)
    do = tl.load(do_ptr + at).to(tl.float32)
    tl.store(delta_ptr + rows, tl.sum(o * do, axis=1))


@triton.jit
def keys_inner(
    dk, dv, q_ptr, k, v, do_ptr, lse_ptr, delta_ptr, first_key, first, steps,
    D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, MASK: tl.constexpr,
):  # fmt: skip
    rows = first + tl.arange(0, BM)
    keys = first_key + tl.arange(0, BN)
    dims = tl.arange(0, D)
    qt_ptrs = q_ptr + rows[None, :] * D + dims[:, None]
    do_ptrs = do_ptr + rows[:, None] * D + dims[None, :]
    row = first
    for _ in range(steps):
        qt = tl.load(qt_ptrs)
        at = row + tl.arange(0, BM)
        lse = tl.load(lse_ptr + at)
        pt = tl.exp2(tl.dot(k, qt) - lse[None, :])
        if MASK:
            pt = tl.where(at[None, :] >= keys[:, None], pt, 0.0)
        do = tl.load(do_ptrs)
        dv += tl.dot(pt.to(do.dtype), do)
        delta = tl.load(delta_ptr + at)
        dpt = tl.dot(v, tl.trans(do))
        dst = (pt * (dpt - delta[None, :])).to(qt.dtype)
        dk += tl.dot(dst, tl.trans(qt))
        row += BM
        qt_ptrs += BM * D
        do_ptrs += BM * D
    return dk, dv


@triton.jit
def queries_inner(
    dq, q, k_ptr, v_ptr, do, lse, delta, first_row, first, steps,
    D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, MASK: tl.constexpr,
):  # fmt: skip
    rows = first_row + tl.arange(0, BM)
    keys = first + tl.arange(0, BN)
    dims = tl.arange(0, D)
    kt_ptrs = k_ptr + keys[None, :] * D + dims[:, None]
    vt_ptrs = v_ptr + keys[None, :] * D + dims[:, None]
    key = first
    for _ in range(steps):
        kt = tl.load(kt_ptrs)
        vt = tl.load(vt_ptrs)
        p = tl.exp2(tl.dot(q, kt) - lse)
        if MASK:
            p = tl.where(rows[:, None] >= (key + tl.arange(0, BN))[None, :], p, 0.0)
        dp = tl.dot(do, vt)
        ds = (p * (dp - delta[:, None])).to(kt.dtype)
        dq += tl.dot(ds, tl.trans(kt))
        key += BN
        kt_ptrs += BN * D
        vt_ptrs += BN * D
    return dq


def backward_configs():
    return [
        triton.Config(dict(BM1=bm, BN1=bn, BM2=bn, BN2=bm), num_stages=s, num_warps=w)
        for bm, bn, s, w in [
            (32, 128, 5, 4),
            (32, 128, 3, 4),
            (64, 128, 3, 8),
            (64, 128, 2, 8),
            (64, 64, 3, 4),
            (32, 64, 3, 4),
            (128, 128, 2, 8),
        ]
    ]


@triton.autotune(configs=backward_configs(), key=["N", "D", "CAUSAL"])
@triton.jit
def backward_kernel(
    q_ptr, k_ptr, v_ptr, scale, do_ptr, dq_ptr, dk_ptr, dv_ptr, lse_ptr, delta_ptr, N,
    D: tl.constexpr, CAUSAL: tl.constexpr,
    BM1: tl.constexpr, BN1: tl.constexpr, BM2: tl.constexpr, BN2: tl.constexpr,
):  # fmt: skip
    """Keys come scaled by scale * log2(e). A program has a tile of keys, then one of queries."""
    PART: tl.constexpr = 2
    head = tl.program_id(1).to(tl.int64) * N
    q_ptr += head * D
    k_ptr += head * D
    v_ptr += head * D
    do_ptr += head * D
    dq_ptr += head * D
    dk_ptr += head * D
    dv_ptr += head * D
    lse_ptr += head
    delta_ptr += head
    dims = tl.arange(0, D)

    first_key = tl.program_id(0) * BN1
    keys = first_key + tl.arange(0, BN1)
    at = keys[:, None] * D + dims[None, :]
    k = tl.load(k_ptr + at)
    v = tl.load(v_ptr + at)
    dk = tl.zeros([BN1, D], dtype=tl.float32)
    dv = tl.zeros([BN1, D], dtype=tl.float32)
    first = 0
    if CAUSAL:
        steps = BN1 // (BM1 // PART)
        dk, dv = keys_inner(dk, dv, q_ptr, k, v, do_ptr, lse_ptr, delta_ptr, first_key, first_key,
                            steps, D, BM1 // PART, BN1, True)  # fmt: skip
        first = first_key + BN1
    dk, dv = keys_inner(dk, dv, q_ptr, k, v, do_ptr, lse_ptr, delta_ptr, first_key, first,
                        (N - first) // BM1, D, BM1, BN1, False)  # fmt: skip
    tl.store(dv_ptr + at, dv.to(dv_ptr.dtype.element_ty))
    tl.store(dk_ptr + at, (dk * scale).to(dk_ptr.dtype.element_ty))

    first_row = tl.program_id(0) * BM2
    rows = first_row + tl.arange(0, BM2)
    at = rows[:, None] * D + dims[None, :]
    q = tl.load(q_ptr + at)
    do = tl.load(do_ptr + at)
    dq = tl.zeros([BM2, D], dtype=tl.float32)
    lse = tl.load(lse_ptr + rows)[:, None]
    delta = tl.load(delta_ptr + rows)
    end = N
    first = 0
    if CAUSAL:
        end = first_row + BM2
        steps = BM2 // (BN2 // PART)
        end -= steps * (BN2 // PART)
        dq = queries_inner(dq, q, k_ptr, v_ptr, do, lse, delta, first_row, end, steps, D, BM2,
                           BN2 // PART, True)  # fmt: skip
    dq = queries_inner(dq, q, k_ptr, v_ptr, do, lse, delta, first_row, 0, end // BN2,
                       D, BM2, BN2, False)  # fmt: skip
    tl.store(dq_ptr + at, (dq / LOG2_E).to(dq_ptr.dtype.element_ty))


def gradients(q, k, v, o, lse, do, causal):
    B, H, N, D = q.shape
    scale = D**-0.5
    keys = k * (scale * LOG2_E.value)
    delta = torch.empty_like(lse)
    dq, dk, dv = (torch.empty_like(x) for x in (q, k, v))
    delta_kernel[(B * H * N // 64,)](o, do, delta, D=D, BM=64)
    grid = lambda meta: (N // meta["BN1"], B * H)
    backward_kernel[grid](q, keys, v, scale, do, dq, dk, dv, lse, delta, N, D=D, CAUSAL=causal)
    return dq, dk, dv


def backward():
    for B, H, N, D, causal in (
        (4, 16, 4096, 128, True),
        (4, 16, 4096, 128, False),
        (4, 16, 4096, 64, True),
    ):
        q, k, v, do = (
            torch.randn(B, H, N, D, device=dev, dtype=torch.float16) for _ in range(4)
        )
        for x in (q, k, v):
            x.requires_grad_()
        rec = dict(bench="attention_bwd", B=B, H=H, N=N, D=D, causal=causal)
        work = teraflops(5, B, H, N, D, causal)
        with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
            o, lse = torch.ops.aten._scaled_dot_product_flash_attention(q, k, v, 0.0, causal)[:2]
            reference = torch.autograd.grad(o, (q, k, v), do, retain_graph=True)
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            oc = F.scaled_dot_product_attention(q, k, v, is_causal=causal)
            grad = lambda: torch.autograd.grad(oc, (q, k, v), do, retain_graph=True)
            record(rec, "cudnn", grad, work)
        with torch.no_grad():
            lse2 = lse * LOG2_E.value
            run = lambda: gradients(q, k, v, o, lse2, do, causal)
            record(rec, "kernel", run, work, reference)
        rec["best"] = str(getattr(backward_kernel, "best_config", None))
        out(**rec)


# ---------------------------------------------------------------- keys and values of 8 bits
@triton.autotune(configs=kernels.fa_configs(), key=["N", "D"])
@triton.jit
def int8_kv_kernel(
    q_ptr, k_ptr, v_ptr, ks_ptr, vs_ptr, o_ptr, scale, N,
    D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
):  # fmt: skip
    """Keys and values are int8, each row with a factor."""
    head = tl.program_id(1).to(tl.int64) * N
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    keys = tl.arange(0, BN)
    at = (head + rows)[:, None] * D + dims[None, :]
    q = tl.load(q_ptr + at)
    k_ptrs = k_ptr + (head + keys)[None, :] * D + dims[:, None]
    v_ptrs = v_ptr + (head + keys)[:, None] * D + dims[None, :]
    m = tl.full([BM], float("-inf"), dtype=tl.float32)
    l = tl.zeros([BM], dtype=tl.float32)
    acc = tl.zeros([BM, D], dtype=tl.float32)
    for first in range(0, N, BN):
        k = tl.load(k_ptrs + first * D).to(q.dtype)
        qk = tl.dot(q, k) * (tl.load(ks_ptr + head + first + keys) * scale)[None, :]
        mn = tl.maximum(m, tl.max(qk, 1))
        p = tl.exp2(qk - mn[:, None])
        alpha = tl.exp2(m - mn)
        l = l * alpha + tl.sum(p, 1)
        p *= tl.load(vs_ptr + head + first + keys)[None, :]
        v = tl.load(v_ptrs + first * D).to(q.dtype)
        acc = tl.dot(p.to(q.dtype), v, acc * alpha[:, None])
        m = mn
    tl.store(o_ptr + at, (acc / l[:, None]).to(o_ptr.dtype.element_ty))


def int8_kv():
    B, H, N, D = 4, 16, 4096, 128
    q = torch.randn(B, H, N, D, device=dev, dtype=torch.float16)
    k, v = (torch.randint(-127, 128, (B, H, N, D), device=dev, dtype=torch.int8) for _ in range(2))
    ks, vs = (torch.rand(B, H, N, device=dev) / 64 for _ in range(2))
    o = torch.empty_like(q)

    def run():
        grid = lambda meta: (N // meta["BM"], B * H)
        int8_kv_kernel[grid](q, k, v, ks, vs, o, D**-0.5 * LOG2_E.value, N, D=D)
        return [o]

    wide = [(x.float() * s[..., None]).half() for x, s in ((k, ks), (v, vs))]
    reference = [F.scaled_dot_product_attention(q, *wide)]
    rec = dict(bench="attention_int8_kv", B=B, H=H, N=N, D=D)
    record(rec, "kernel", run, teraflops(2, B, H, N, D, False), reference)
    rec["best"] = str(getattr(int8_kv_kernel, "best_config", None))
    out(**rec)


if "machine" in sections:
    kernels.t_machine()
for section in (heads, backward, int8_kv):
    if not sections or section.__name__ in sections:
        kernels.guarded(section.__name__, section)
