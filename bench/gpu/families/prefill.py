"""Attention of many queries: sequences of several lengths one behind the other, prefixes in pages,
tables of blocks, keys and values of 8 bits.
"""

import torch

from .case import LOG2_E, Work, case, config, normal, rows_of_lengths, start, tl, triton
from .decode import PAGE, paged_rows, pages_of


@triton.jit
def softmax_step(m, l, acc, s, v):
    """Scores of base 2 and values that come to what the loop has so far."""
    new = tl.maximum(m, tl.max(s, axis=1))
    safe = tl.where(new == -float("inf"), 0.0, new)
    alpha = tl.exp2(m - safe)
    p = tl.exp2(s - safe[:, None])
    acc = acc * alpha[:, None]
    return new, l * alpha + tl.sum(p, axis=1), tl.dot(p.to(v.dtype), v, acc)


@triton.jit
def varlen_kernel(
    q_ptr, k_ptr, v_ptr, o_ptr, begin_ptr, slope_ptr, sink_ptr, scale, cap,
    sqt, sqh, skt, skh, sot, soh, G,
    D: tl.constexpr, WINDOW: tl.constexpr, ALIBI: tl.constexpr, CAP: tl.constexpr,
    SINKS: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    """Causal, by the beginnings of sequences. WINDOW: how many tokens a query sees, 0 for all."""
    head = tl.program_id(1)
    first = tl.load(begin_ptr + tl.program_id(2))
    length = tl.load(begin_ptr + tl.program_id(2) + 1) - first
    begin = tl.program_id(0) * BLOCK_M
    if begin >= length:
        return
    i = begin + tl.arange(0, BLOCK_M)
    d = tl.arange(0, D)
    q_ptr += first.to(tl.int64) * sqt + head * sqh
    k_ptr += first.to(tl.int64) * skt + (head // G) * skh
    v_ptr += first.to(tl.int64) * skt + (head // G) * skh
    q = tl.load(q_ptr + i[:, None] * sqt + d[None, :], mask=i[:, None] < length, other=0.0)
    m = tl.full([BLOCK_M], -float("inf"), dtype=tl.float32)
    l = tl.zeros([BLOCK_M], dtype=tl.float32)
    if SINKS:
        m = tl.zeros([BLOCK_M], dtype=tl.float32) + tl.load(sink_ptr + head) * LOG2_E
        l += 1.0
    if ALIBI:
        slope = tl.load(slope_ptr + head) * LOG2_E
    acc = tl.zeros([BLOCK_M, D], dtype=tl.float32)
    low = 0
    if WINDOW:
        low = tl.maximum(begin - WINDOW + 1, 0) // BLOCK_N * BLOCK_N
    for n in range(low, tl.minimum(begin + BLOCK_M, length), BLOCK_N):
        t = n + tl.arange(0, BLOCK_N)
        k = tl.load(k_ptr + t[None, :] * skt + d[:, None], mask=t[None, :] < length, other=0.0)
        s = tl.dot(q, k) * scale
        if CAP:
            s = s / cap
            s = cap * (2 / (1 + tl.exp(-2 * s)) - 1)
        s *= LOG2_E
        if ALIBI:
            s += slope * (t[None, :] - i[:, None]).to(tl.float32)
        seen = (t[None, :] <= i[:, None]) & (t[None, :] < length)
        if WINDOW:
            seen &= i[:, None] - t[None, :] < WINDOW
        s = tl.where(seen, s, -float("inf"))
        v = tl.load(v_ptr + t[:, None] * skt + d[None, :], mask=t[:, None] < length, other=0.0)
        m, l, acc = softmax_step(m, l, acc, s, v)
    o = o_ptr + (first.to(tl.int64) + i[:, None]) * sot + head * soh + d[None, :]
    tl.store(o, (acc / l[:, None]).to(o_ptr.dtype.element_ty), mask=i[:, None] < length)


def dense(q, k, v, scale, seen, slope=None, cap=0, sinks=None):
    """By token, head and element; `seen` by query and key."""
    groups = q.shape[1] // k.shape[1]
    k, v = (x.float().repeat_interleave(groups, 1) for x in (k, v))
    s = torch.einsum("qhd,khd->hqk", q.float(), k) * scale
    if cap:
        s = cap * torch.tanh(s / cap)
    if slope is not None:
        away = torch.arange(k.shape[0], device=k.device)[None] - torch.arange(
            k.shape[0] - q.shape[0], k.shape[0], device=k.device)[:, None]  # fmt: skip
        s += slope[:, None, None] * away
    s = s.masked_fill(~seen, -float("inf"))
    if sinks is not None:
        s = torch.cat([s, sinks[:, None, None].expand(-1, q.shape[0], 1)], 2)
    p = torch.softmax(s, 2)[..., : k.shape[0]]
    return torch.einsum("hqk,khd->qhd", p, v)


def causal(queries, keys, window, device):
    """The last query is the last key."""
    i = torch.arange(keys - queries, keys, device=device)[:, None]
    t = torch.arange(keys, device=device)[None]
    return (t <= i) & (i - t < (window or keys))


TILES = [config(4, 3, BLOCK_M=64, BLOCK_N=64), config(8, 2, BLOCK_M=128, BLOCK_N=64),
         config(8, 2, BLOCK_M=128, BLOCK_N=128)]  # fmt: skip
FULL = dict(lengths=(2048, 1000, 1700, 300, 1024, 555, 1500, 65), heads=32, kv_heads=8, d=128)
SMALL = dict(lengths=(70, 33, 130), heads=4, kv_heads=2, d=32)


def varlen(device, lengths, heads, kv_heads, d, window=0, alibi=False, cap=0.0, sinks=False):
    begins, at = rows_of_lengths(device, lengths)
    q = normal(device, at[-1], heads, d)
    k, v = (normal(device, at[-1], kv_heads, d) for _ in range(2))
    slopes = 2.0 ** (-8 * torch.arange(1, heads + 1, device=device) / heads)
    sink = torch.randn(heads, device=device)
    o = torch.empty_like(q)

    def launch(BLOCK_M, **options):
        start(varlen_kernel, (triton.cdiv(max(lengths), BLOCK_M), heads, len(lengths)), q, k, v, o,
              begins, slopes, sink, d**-0.5, cap, *q.stride()[:2], *k.stride()[:2],
              *o.stride()[:2], heads // kv_heads, D=d, WINDOW=window, ALIBI=alibi, CAP=cap > 0,
              SINKS=sinks, BLOCK_M=BLOCK_M, **options)  # fmt: skip

    def reference():
        return (torch.cat([
            dense(q[a:b], k[a:b], v[a:b], d**-0.5, causal(b - a, b - a, window, device),
                  slopes if alibi else None, cap, sink if sinks else None)
            for a, b in zip(at, at[1:])]),)  # fmt: skip

    return Work(launch, (o,), reference)


@case(TILES, FULL, SMALL, bound=5e-3)
def prefill_varlen(device, **sizes):
    return varlen(device, **sizes)


@case(TILES, {**FULL, "window": 512}, {**SMALL, "window": 40}, bound=5e-3)
def prefill_window_sinks(device, **sizes):
    return varlen(device, sinks=True, **sizes)


@case(TILES, FULL, SMALL, bound=5e-3)
def prefill_alibi(device, **sizes):
    return varlen(device, alibi=True, **sizes)


@case(TILES, FULL, SMALL, bound=5e-3)
def prefill_soft_cap(device, **sizes):
    return varlen(device, cap=30.0, **sizes)


@triton.jit
def prefix_kernel(
    q_ptr, k_ptr, v_ptr, kc_ptr, vc_ptr, o_ptr, begin_ptr, prefix_ptr, table_ptr, scale,
    sqt, sqh, skt, skh, scp, sct, sch, st, G,
    PAGE: tl.constexpr, D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    """New tokens see what is in the pages of their sequence, and each other."""
    seq = tl.program_id(2)
    head = tl.program_id(1)
    first = tl.load(begin_ptr + seq)
    length = tl.load(begin_ptr + seq + 1) - first
    prefix = tl.load(prefix_ptr + seq)
    begin = tl.program_id(0) * BLOCK_M
    if begin >= length:
        return
    i = begin + tl.arange(0, BLOCK_M)
    d = tl.arange(0, D)
    q_at = (first + i)[:, None] * sqt + head * sqh + d[None, :]
    q = tl.load(q_ptr + q_at, mask=i[:, None] < length, other=0.0)
    m = tl.full([BLOCK_M], -float("inf"), dtype=tl.float32)
    l = tl.zeros([BLOCK_M], dtype=tl.float32)
    acc = tl.zeros([BLOCK_M, D], dtype=tl.float32)
    for n in range(0, prefix, BLOCK_N):
        t = n + tl.arange(0, BLOCK_N)
        page = tl.load(table_ptr + seq * st + t // PAGE, mask=t < prefix, other=0).to(tl.int64)
        at = page * scp + (t % PAGE) * sct + (head // G) * sch
        k = tl.load(kc_ptr + at[None, :] + d[:, None], mask=t[None, :] < prefix, other=0.0)
        s = tl.dot(q, k) * (scale * LOG2_E)
        s = tl.where(t[None, :] < prefix, s, -float("inf"))
        v = tl.load(vc_ptr + at[:, None] + d[None, :], mask=t[:, None] < prefix, other=0.0)
        m, l, acc = softmax_step(m, l, acc, s, v)
    k_ptr += first * skt + (head // G) * skh
    v_ptr += first * skt + (head // G) * skh
    for n in range(0, tl.minimum(begin + BLOCK_M, length), BLOCK_N):
        t = n + tl.arange(0, BLOCK_N)
        k = tl.load(k_ptr + t[None, :] * skt + d[:, None], mask=t[None, :] < length, other=0.0)
        s = tl.dot(q, k) * (scale * LOG2_E)
        s = tl.where(t[None, :] <= i[:, None], s, -float("inf"))
        v = tl.load(v_ptr + t[:, None] * skt + d[None, :], mask=t[:, None] < length, other=0.0)
        m, l, acc = softmax_step(m, l, acc, s, v)
    o = (acc / l[:, None]).to(o_ptr.dtype.element_ty)
    tl.store(o_ptr + q_at, o, mask=i[:, None] < length)


@case(TILES, full=dict(lengths=(512, 300, 700, 64, 512, 128, 900, 33), prefix=1500, heads=32,
                       kv_heads=8, d=128),
      small=dict(lengths=(70, 33), prefix=50, heads=4, kv_heads=2, d=32), bound=5e-3)  # fmt: skip
def prefill_paged_prefix(device, lengths, prefix, heads, kv_heads, d):
    begins, at = rows_of_lengths(device, lengths)
    prefixes = [prefix - 37 * i for i in range(len(lengths))]
    table, count = pages_of(device, prefixes)
    q = normal(device, at[-1], heads, d)
    k, v = (normal(device, at[-1], kv_heads, d) for _ in range(2))
    kc, vc = (normal(device, count, PAGE, kv_heads, d) for _ in range(2))
    lengths_before = torch.tensor(prefixes, dtype=torch.int32, device=device)
    o = torch.empty_like(q)

    def launch(BLOCK_M, **options):
        start(prefix_kernel, (triton.cdiv(max(lengths), BLOCK_M), heads, len(lengths)), q, k, v,
              kc, vc, o, begins, lengths_before, table, d**-0.5, *q.stride()[:2], *k.stride()[:2],
              *kc.stride()[:3], table.stride(0), heads // kv_heads, PAGE=PAGE, D=d,
              BLOCK_M=BLOCK_M, **options)  # fmt: skip

    def reference():
        found = []
        for s, (a, b) in enumerate(zip(at, at[1:])):
            before = prefixes[s]
            keys = torch.cat([paged_rows(kc, table[s], before), k[a:b].float()])
            values = torch.cat([paged_rows(vc, table[s], before), v[a:b].float()])
            seen = causal(b - a, before + b - a, 0, device)
            found.append(dense(q[a:b], keys, values, d**-0.5, seen))
        return (torch.cat(found),)

    return Work(launch, (o,), reference)


@triton.jit
def sparse_kernel(
    q_ptr, k_ptr, v_ptr, o_ptr, begin_ptr, column_ptr, scale, n, sh, D: tl.constexpr,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """A row of blocks sees the blocks of its list, which has its own diagonal last."""
    head = tl.program_id(1).to(tl.int64) * sh
    row = tl.program_id(0)
    i = row * BLOCK + tl.arange(0, BLOCK)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + head + i[:, None] * D + d[None, :], mask=i[:, None] < n, other=0.0)
    m = tl.full([BLOCK], -float("inf"), dtype=tl.float32)
    l = tl.zeros([BLOCK], dtype=tl.float32)
    acc = tl.zeros([BLOCK, D], dtype=tl.float32)
    for at in range(tl.load(begin_ptr + row), tl.load(begin_ptr + row + 1)):
        t = tl.load(column_ptr + at) * BLOCK + tl.arange(0, BLOCK)
        k = tl.load(k_ptr + head + t[None, :] * D + d[:, None], mask=t[None, :] < n, other=0.0)
        s = tl.dot(q, k) * (scale * LOG2_E)
        s = tl.where(t[None, :] <= i[:, None], s, -float("inf"))
        v = tl.load(v_ptr + head + t[:, None] * D + d[None, :], mask=t[:, None] < n, other=0.0)
        m, l, acc = softmax_step(m, l, acc, s, v)
    o = (acc / l[:, None]).to(o_ptr.dtype.element_ty)
    tl.store(o_ptr + head + i[:, None] * D + d[None, :], o, mask=i[:, None] < n)


@case([config(4, 2), config(4, 3), config(8, 2)],
      full=dict(heads=32, n=8100, d=128, near=4, step=8),
      small=dict(heads=2, n=500, d=32, near=2, step=3), bound=5e-3)  # fmt: skip
def prefill_block_sparse(device, heads, n, d, near, step, block=64):
    rows = triton.cdiv(n, block)
    lists = [[c for c in range(r + 1) if r - c < near or c % step == 0] for r in range(rows)]
    begins, _ = rows_of_lengths(device, [len(columns) for columns in lists])
    columns = torch.tensor(sum(lists, []), dtype=torch.int32, device=device)
    q, k, v = (normal(device, heads, n, d) for _ in range(3))
    o = torch.empty_like(q)

    def launch(**options):
        start(sparse_kernel, (rows, heads), q, k, v, o, begins, columns, d**-0.5, n, q.stride(0),
              D=d, BLOCK=block, **options)  # fmt: skip

    def reference():
        blocks = torch.zeros(rows, rows, dtype=torch.bool)
        for r, found in enumerate(lists):
            blocks[r, found] = True
        seen = blocks.to(device).repeat_interleave(block, 0).repeat_interleave(block, 1)[:n, :n]
        seen &= causal(n, n, 0, device)
        return (torch.cat([dense(*(x[h, :, None] for x in (q, k, v)), d**-0.5, seen).transpose(0, 1)
                           for h in range(heads)]),)  # fmt: skip

    return Work(launch, (o,), reference)


@triton.jit
def int8_kernel(
    q_ptr, k_ptr, v_ptr, qs_ptr, ks_ptr, o_ptr, n, sqh, sqt, G,
    D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    """Queries and keys are int8 with a factor for each row, and multiplied so; values are fp16."""
    head = tl.program_id(1).to(tl.int64)
    i = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    d = tl.arange(0, D)
    at = head * sqh + i[:, None] * sqt + d[None, :]
    q = tl.load(q_ptr + at, mask=i[:, None] < n, other=0)
    qs = tl.load(qs_ptr + head * n + i, mask=i < n, other=0.0)
    k_ptr += (head // G) * sqh
    v_ptr += (head // G) * sqh
    m = tl.full([BLOCK_M], -float("inf"), dtype=tl.float32)
    l = tl.zeros([BLOCK_M], dtype=tl.float32)
    acc = tl.zeros([BLOCK_M, D], dtype=tl.float32)
    for first in range(0, n, BLOCK_N):
        t = first + tl.arange(0, BLOCK_N)
        k = tl.load(k_ptr + t[None, :] * sqt + d[:, None], mask=t[None, :] < n, other=0)
        ks = tl.load(ks_ptr + (head // G) * n + t, mask=t < n, other=0.0)
        s = tl.dot(q, k).to(tl.float32) * qs[:, None] * (ks[None, :] * LOG2_E)
        s = tl.where(t[None, :] < n, s, -float("inf"))
        v = tl.load(v_ptr + t[:, None] * sqt + d[None, :], mask=t[:, None] < n, other=0.0)
        m, l, acc = softmax_step(m, l, acc, s, v)
    tl.store(o_ptr + at, (acc / l[:, None]).to(o_ptr.dtype.element_ty), mask=i[:, None] < n)


@case(TILES, full=dict(heads=32, kv_heads=8, n=3000, d=128),
      small=dict(heads=4, kv_heads=2, n=150, d=32), bound=5e-3)  # fmt: skip
def attention_int8_qk(device, heads, kv_heads, n, d):
    q = torch.randint(-127, 128, (heads, n, d), device=device, dtype=torch.int8)
    k = torch.randint(-127, 128, (kv_heads, n, d), device=device, dtype=torch.int8)
    v = normal(device, kv_heads, n, d)
    qs, ks = (torch.rand(h, n, device=device) / 127 for h in (heads, kv_heads))
    o = torch.empty(heads, n, d, device=device, dtype=torch.float16)

    def launch(BLOCK_M, **options):
        start(int8_kernel, (triton.cdiv(n, BLOCK_M), heads), q, k, v, qs, ks, o, n,
              *q.stride()[:2], heads // kv_heads, D=d, BLOCK_M=BLOCK_M, **options)  # fmt: skip

    def reference():
        wide = [(x * s[..., None]).transpose(0, 1) for x, s in ((q, qs), (k, ks))]
        seen = torch.ones(n, n, dtype=torch.bool, device=device)
        return (dense(*wide, v.transpose(0, 1), 1.0, seen).transpose(0, 1),)

    return Work(launch, (o,), reference)


@triton.jit
def int8_kv_kernel(
    q_ptr, k_ptr, v_ptr, ks_ptr, vs_ptr, o_ptr, scale, n, sqh, sqt, G,
    D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    """Keys and values are int8 with a factor for each row, and converted for fp16 products."""
    head = tl.program_id(1).to(tl.int64)
    i = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    d = tl.arange(0, D)
    at = head * sqh + i[:, None] * sqt + d[None, :]
    q = tl.load(q_ptr + at, mask=i[:, None] < n, other=0.0)
    k_ptr += (head // G) * sqh
    v_ptr += (head // G) * sqh
    ks_ptr += (head // G) * n
    vs_ptr += (head // G) * n
    m = tl.full([BLOCK_M], -float("inf"), dtype=tl.float32)
    l = tl.zeros([BLOCK_M], dtype=tl.float32)
    acc = tl.zeros([BLOCK_M, D], dtype=tl.float32)
    for first in range(0, n, BLOCK_N):
        t = first + tl.arange(0, BLOCK_N)
        k = tl.load(k_ptr + t[None, :] * sqt + d[:, None], mask=t[None, :] < n, other=0)
        ks = tl.load(ks_ptr + t, mask=t < n, other=0.0)
        s = tl.dot(q, k.to(q.dtype)) * (ks * (scale * LOG2_E))[None, :]
        s = tl.where(t[None, :] < n, s, -float("inf"))
        v = tl.load(v_ptr + t[:, None] * sqt + d[None, :], mask=t[:, None] < n, other=0)
        vs = tl.load(vs_ptr + t, mask=t < n, other=0.0)
        v = (v.to(tl.float32) * vs[:, None]).to(q.dtype)
        m, l, acc = softmax_step(m, l, acc, s, v)
    tl.store(o_ptr + at, (acc / l[:, None]).to(o_ptr.dtype.element_ty), mask=i[:, None] < n)


@case(TILES, full=dict(heads=32, kv_heads=8, n=3000, d=128),
      small=dict(heads=4, kv_heads=2, n=150, d=32), bound=5e-3)  # fmt: skip
def attention_int8_kv(device, heads, kv_heads, n, d):
    q = normal(device, heads, n, d)
    k, v = (torch.randint(-127, 128, (kv_heads, n, d), device=device, dtype=torch.int8)
            for _ in range(2))  # fmt: skip
    ks, vs = (torch.rand(kv_heads, n, device=device) / 64 for _ in range(2))
    o = torch.empty_like(q)

    def launch(BLOCK_M, **options):
        start(int8_kv_kernel, (triton.cdiv(n, BLOCK_M), heads), q, k, v, ks, vs, o, d**-0.5, n,
              *q.stride()[:2], heads // kv_heads, D=d, BLOCK_M=BLOCK_M, **options)  # fmt: skip

    def reference():
        wide = [(x * s[..., None]).transpose(0, 1) for x, s in ((k, ks), (v, vs))]
        seen = torch.ones(n, n, dtype=torch.bool, device=device)
        return (dense(q.transpose(0, 1), *wide, d**-0.5, seen).transpose(0, 1),)

    return Work(launch, (o,), reference)
