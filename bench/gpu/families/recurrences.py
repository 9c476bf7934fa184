"""Recurrences over time, in chunks by products, by scans, or step by step."""

import torch

from .case import Work, case, config, normal, start, tl, triton


@triton.jit
def chunk_state_kernel(
    k_ptr, v_ptr, g_ptr, h_ptr, last_ptr, T, D: tl.constexpr, V: tl.constexpr, CHUNK: tl.constexpr,
    BV: tl.constexpr,
):  # fmt: skip
    """The state before each chunk: it decays by the chunk's gates, which are sums of logarithms
    from the chunk's begin on, and takes in the chunk's keys and values.
    """
    head = tl.program_id(1).to(tl.int64)
    k_ptr += head * T * D
    v_ptr += head * T * V
    g_ptr += head * T
    h_ptr += head * tl.cdiv(T, CHUNK) * D * V
    d = tl.arange(0, D)
    c = tl.program_id(0) * BV + tl.arange(0, BV)
    h = tl.zeros([D, BV], dtype=tl.float32)
    for chunk in range(0, tl.cdiv(T, CHUNK)):
        to = h_ptr + chunk * D * V + d[:, None] * V + c[None, :]
        tl.store(to, h.to(h_ptr.dtype.element_ty))
        t = chunk * CHUNK + tl.arange(0, CHUNK)
        k = tl.load(k_ptr + t[None, :] * D + d[:, None], mask=t[None, :] < T, other=0.0)
        v = tl.load(v_ptr + t[:, None] * V + c[None, :], mask=t[:, None] < T, other=0.0)
        g = tl.load(g_ptr + t, mask=t < T, other=0.0)
        end = tl.load(g_ptr + tl.minimum(chunk * CHUNK + CHUNK, T) - 1)
        v = (v * tl.exp(end - g)[:, None]).to(v.dtype)
        h = h * tl.exp(end) + tl.dot(k, v)
    tl.store(last_ptr + head * D * V + d[:, None] * V + c[None, :], h)


@triton.jit
def chunk_output_kernel(
    q_ptr, k_ptr, v_ptr, g_ptr, h_ptr, o_ptr, scale, T, D: tl.constexpr, V: tl.constexpr,
    CHUNK: tl.constexpr, BV: tl.constexpr,
):  # fmt: skip
    """What queries find in the state before their chunk, and in their chunk up to themselves."""
    chunk = tl.program_id(1)
    head = tl.program_id(2).to(tl.int64)
    d = tl.arange(0, D)
    c = tl.program_id(0) * BV + tl.arange(0, BV)
    i = tl.arange(0, CHUNK)
    t = chunk * CHUNK + i
    row = head * T + t
    mask = (t < T)[:, None]
    q = tl.load(q_ptr + row[:, None] * D + d[None, :], mask=mask, other=0.0)
    k = tl.load(k_ptr + row[None, :] * D + d[:, None], mask=(t < T)[None, :], other=0.0)
    v = tl.load(v_ptr + row[:, None] * V + c[None, :], mask=mask, other=0.0)
    g = tl.load(g_ptr + row, mask=t < T, other=0.0)
    at = (head * tl.num_programs(1) + chunk) * D * V
    h = tl.load(h_ptr + at + d[:, None] * V + c[None, :])
    o = tl.dot(q, h) * tl.exp(g)[:, None]
    s = tl.dot(q, k)
    s = tl.where(i[:, None] >= i[None, :], s * tl.exp(g[:, None] - g[None, :]), 0.0)
    o = (o + tl.dot(s.to(v.dtype), v)) * scale
    tl.store(o_ptr + row[:, None] * V + c[None, :], o.to(o_ptr.dtype.element_ty), mask=mask)


CHUNKS = dict(full=dict(heads=64, T=4096, d=128, v=128),
              small=dict(heads=2, T=200, d=32, v=64))  # fmt: skip


class Gated:
    """Arrays of a linear attention whose state decays, and what it comes to."""

    def __init__(self, device, heads, T, d, v, chunk=64):
        self.q, self.k = (normal(device, heads, T, d, dtype=torch.bfloat16) for _ in range(2))
        self.v = normal(device, heads, T, v, dtype=torch.bfloat16)
        self.chunks = triton.cdiv(T, chunk)
        self.T, self.chunk, self.scale = T, chunk, d**-0.5
        log = -torch.rand(heads, self.chunks * chunk, device=device) / 8
        self.g = log.view(heads, -1, chunk).cumsum(2).view(heads, -1)[:, :T].contiguous()
        self.h = torch.empty(heads, self.chunks, d, v, device=device, dtype=torch.bfloat16)
        self.last = torch.empty(heads, d, v, device=device)

    def states(self):
        q, k, v = (x.float() for x in (self.q, self.k, self.v))
        h = torch.zeros_like(self.last)
        before, out = [], []
        for first in range(0, self.T, self.chunk):
            at = slice(first, min(first + self.chunk, self.T))
            before.append(h)
            g = self.g[:, at]
            scores = torch.tril(q[:, at] @ k[:, at].transpose(1, 2))
            decay = torch.exp((g[:, :, None] - g[:, None]).clamp(max=0))
            out.append((q[:, at] @ h) * g.exp()[..., None] + (scores * decay) @ v[:, at])
            fresh = v[:, at] * torch.exp(g[:, -1:] - g)[..., None]
            h = h * g[:, -1].exp()[:, None, None] + k[:, at].transpose(1, 2) @ fresh
        return torch.stack(before, 1), h, torch.cat(out, 1) * self.scale


@case([config(4, 2, BV=64), config(4, 3, BV=32), config(8, 2, BV=64)], **CHUNKS, bound=1e-2)
def linear_attention_state(device, heads, T, d, v):
    w = Gated(device, heads, T, d, v)

    def launch(BV, **options):
        start(chunk_state_kernel, (v // BV, heads), w.k, w.v, w.g, w.h, w.last, T, D=d, V=v,
              CHUNK=w.chunk, BV=BV, **options)  # fmt: skip

    return Work(launch, (w.h, w.last), lambda: w.states()[:2])


@case([config(4, 2, BV=64), config(4, 2, BV=32), config(8, 2, BV=64)], **CHUNKS, bound=1e-2)
def linear_attention_output(device, heads, T, d, v):
    w = Gated(device, heads, T, d, v)
    o = torch.empty_like(w.v)

    def launch(BV, **options):
        start(chunk_output_kernel, (v // BV, w.chunks, heads), w.q, w.k, w.v, w.g, w.h, o, w.scale,
              T, D=d, V=v, CHUNK=w.chunk, BV=BV, **options)  # fmt: skip

    return Work(launch, (o,), lambda: w.states()[2:], lambda: w.h.copy_(w.states()[0]))


@triton.jit
def retention_kernel(
    q_ptr, k_ptr, v_ptr, o_ptr, scale, T, heads, D: tl.constexpr, BLOCK_T: tl.constexpr,
    BLOCK_S: tl.constexpr,
):  # fmt: skip
    """Retention in parallel: scores decay by the distance, at a rate of the head."""
    head = tl.program_id(1)
    rate = tl.log2(1 - tl.exp2(-5 - (head % heads).to(tl.float32)))
    at = head.to(tl.int64) * T * D
    d = tl.arange(0, D)
    begin = tl.program_id(0) * BLOCK_T
    i = begin + tl.arange(0, BLOCK_T)
    q = tl.load(q_ptr + at + i[:, None] * D + d[None, :], mask=i[:, None] < T, other=0.0)
    acc = tl.zeros([BLOCK_T, D], dtype=tl.float32)
    for first in range(0, begin + BLOCK_T, BLOCK_S):
        t = first + tl.arange(0, BLOCK_S)
        k = tl.load(k_ptr + at + t[None, :] * D + d[:, None], mask=t[None, :] < T, other=0.0)
        v = tl.load(v_ptr + at + t[:, None] * D + d[None, :], mask=t[:, None] < T, other=0.0)
        far = (i[:, None] - t[None, :]).to(tl.float32)
        s = tl.where(far >= 0, tl.dot(q, k) * scale * tl.exp2(far * rate), 0.0)
        acc += tl.dot(s.to(v.dtype), v)
    o = acc.to(o_ptr.dtype.element_ty)
    tl.store(o_ptr + at + i[:, None] * D + d[None, :], o, mask=i[:, None] < T)


@case([config(4, 3, BLOCK_T=64, BLOCK_S=64), config(8, 2, BLOCK_T=128, BLOCK_S=64),
       config(8, 3, BLOCK_T=128, BLOCK_S=128)],
      full=dict(batch=4, heads=8, T=2048, d=128), small=dict(batch=2, heads=2, T=150, d=32),
      bound=1e-2)  # fmt: skip
def retention_parallel(device, batch, heads, T, d):
    q, k, v = (normal(device, batch * heads, T, d, dtype=torch.bfloat16) for _ in range(3))
    o = torch.empty_like(q)

    def launch(BLOCK_T, **options):
        start(retention_kernel, (triton.cdiv(T, BLOCK_T), batch * heads), q, k, v, o, d**-0.5, T,
              heads, D=d, BLOCK_T=BLOCK_T, **options)  # fmt: skip

    def reference():
        rate = torch.log2(1 - 2.0 ** (-5 - torch.arange(heads, device=device).float()))
        far = torch.arange(T, device=device)[:, None] - torch.arange(T, device=device)[None]
        decay = torch.exp2(far.clamp(min=0) * rate[:, None, None]).masked_fill(far < 0, 0)
        s = (q.float() @ k.float().transpose(1, 2)) * d**-0.5
        return ((s * decay.repeat(batch, 1, 1)) @ v.float(),)

    return Work(launch, (o,), reference)


@triton.jit
def delta_rule_kernel(
    q_ptr, k_ptr, v_ptr, g_ptr, beta_ptr, o_ptr, scale, T, D: tl.constexpr, V: tl.constexpr,
    BV: tl.constexpr,
):  # fmt: skip
    """The gated delta rule step by step: the state in registers, an outer product a step."""
    head = tl.program_id(1).to(tl.int64)
    d = tl.arange(0, D)
    c = tl.program_id(0) * BV + tl.arange(0, BV)
    q_ptr += head * T * D
    k_ptr += head * T * D
    v_ptr += head * T * V
    o_ptr += head * T * V
    h = tl.zeros([D, BV], dtype=tl.float32)
    for t in range(0, T):
        q = tl.load(q_ptr + t * D + d).to(tl.float32) * scale
        k = tl.load(k_ptr + t * D + d).to(tl.float32)
        v = tl.load(v_ptr + t * V + c).to(tl.float32)
        h *= tl.exp(tl.load(g_ptr + head * T + t))
        v -= tl.sum(h * k[:, None], axis=0)
        v *= tl.load(beta_ptr + head * T + t)
        h += k[:, None] * v[None, :]
        o = tl.sum(h * q[:, None], axis=0)
        tl.store(o_ptr + t * V + c, o.to(o_ptr.dtype.element_ty))


@case([config(1, 3, BV=8), config(1, 1, BV=16), config(4, 1, BV=32)],
      full=dict(heads=64, T=256, d=128, v=128), small=dict(heads=2, T=20, d=32, v=32),
      bound=1e-2)  # fmt: skip
def gated_delta_rule(device, heads, T, d, v):
    q = normal(device, heads, T, d, dtype=torch.bfloat16)
    k = torch.nn.functional.normalize(torch.randn(heads, T, d, device=device), dim=2)
    k, value = k.bfloat16(), normal(device, heads, T, v, dtype=torch.bfloat16)
    g, beta = -torch.rand(heads, T, device=device) / 4, torch.rand(heads, T, device=device)
    o = torch.empty_like(value)

    def launch(BV, **options):
        start(delta_rule_kernel, (v // BV, heads), q, k, value, g, beta, o, d**-0.5, T, D=d, V=v,
              BV=BV, **options)  # fmt: skip

    def reference():
        h, out = torch.zeros(heads, d, v, device=device), []
        for t in range(T):
            key = k[:, t].float()
            h = h * g[:, t].exp()[:, None, None]
            fresh = value[:, t].float() - torch.einsum("hdv,hd->hv", h, key)
            h = h + key[:, :, None] * (fresh * beta[:, t, None])[:, None]
            out.append(torch.einsum("hdv,hd->hv", h, q[:, t].float() * d**-0.5))
        return (torch.stack(out, 1),)

    return Work(launch, (o,), reference)


@triton.jit
def compose(a1, b1, a2, b2):
    """Of x -> a x + b, the first and then the second."""
    return a1 * a2, b1 * a2 + b2


@triton.jit
def selective_scan_kernel(
    x_ptr, dt_ptr, a_ptr, b_ptr, c_ptr, o_ptr, T, channels, N: tl.constexpr, BLOCK: tl.constexpr
):
    """A channel's N states, in chunks of time: a scan within a chunk, one state between them."""
    row = tl.program_id(1).to(tl.int64) * channels + tl.program_id(0)
    batch = tl.program_id(1).to(tl.int64) * T * N
    n = tl.arange(0, N)
    a = tl.load(a_ptr + tl.program_id(0) * N + n)
    h = tl.zeros([N], dtype=tl.float32)
    i = tl.arange(0, BLOCK)
    for first in range(0, T, BLOCK):
        t = first + i
        x = tl.load(x_ptr + row * T + t, mask=t < T, other=0.0).to(tl.float32)
        dt = tl.load(dt_ptr + row * T + t, mask=t < T, other=0.0).to(tl.float32)
        at = batch + t[:, None] * N + n[None, :]
        b = tl.load(b_ptr + at, mask=t[:, None] < T, other=0.0).to(tl.float32)
        c = tl.load(c_ptr + at, mask=t[:, None] < T, other=0.0).to(tl.float32)
        decay = tl.exp(dt[:, None] * a[None, :])
        decays, states = tl.associative_scan((decay, (dt * x)[:, None] * b), 0, compose)
        states += decays * h[None, :]
        tl.store(o_ptr + row * T + t, tl.sum(states * c, axis=1), mask=t < T)
        h = tl.sum(tl.where(i[:, None] == BLOCK - 1, states, 0.0), axis=0)


@case([config(4, 1, BLOCK=64), config(4, 2, BLOCK=128), config(8, 1, BLOCK=256)],
      full=dict(batch=2, channels=1536, T=2000, n=16),
      small=dict(batch=2, channels=5, T=150, n=16))  # fmt: skip
def selective_scan(device, batch, channels, T, n):
    x = torch.randn(batch, channels, T, device=device)
    dt = torch.rand(batch, channels, T, device=device) / 8
    a = -torch.rand(channels, n, device=device) * 4
    b, c = (torch.randn(batch, T, n, device=device) for _ in range(2))
    o = torch.empty_like(x)

    def launch(**options):
        start(selective_scan_kernel, (channels, batch), x, dt, a, b, c, o, T, channels, N=n,
              **options)  # fmt: skip

    def reference():
        h, out = torch.zeros(batch, channels, n, device=device), []
        for t in range(T):
            h = h * torch.exp(dt[:, :, t, None] * a) + (dt * x)[:, :, t, None] * b[:, None, t]
            out.append((h * c[:, None, t]).sum(2))
        return (torch.stack(out, 2),)

    return Work(launch, (o,), reference)


@triton.jit
def wkv_kernel(w_ptr, u_ptr, k_ptr, v_ptr, o_ptr, T, C, BLOCK: tl.constexpr):
    """RWKV's sums by channel, kept by their largest exponent: a step of time at a time."""
    c = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = c < C
    w = tl.load(w_ptr + c, mask=mask, other=0.0)
    u = tl.load(u_ptr + c, mask=mask, other=0.0)
    at = tl.program_id(1).to(tl.int64) * T * C + c
    num = tl.zeros([BLOCK], dtype=tl.float32)
    den = tl.zeros([BLOCK], dtype=tl.float32)
    top = tl.full([BLOCK], -1e38, dtype=tl.float32)
    for _ in range(0, T):
        k = tl.load(k_ptr + at, mask=mask, other=0.0).to(tl.float32)
        v = tl.load(v_ptr + at, mask=mask, other=0.0).to(tl.float32)
        new = tl.maximum(top, u + k)
        e1 = tl.exp(top - new)
        e2 = tl.exp(u + k - new)
        tl.store(o_ptr + at, (e1 * num + e2 * v) / (e1 * den + e2), mask=mask)
        new = tl.maximum(top + w, k)
        e1 = tl.exp(top + w - new)
        e2 = tl.exp(k - new)
        num = e1 * num + e2 * v
        den = e1 * den + e2
        top = new
        at += C


@case([config(1, 1, BLOCK=32), config(1, 3, BLOCK=64), config(2, 2, BLOCK=128)],
      full=dict(batch=8, T=512, C=4096), small=dict(batch=2, T=20, C=50))  # fmt: skip
def rwkv_wkv(device, batch, T, C):
    w, u = -torch.rand(C, device=device), torch.randn(C, device=device)
    k, v = (normal(device, batch, T, C) for _ in range(2))
    o = torch.empty_like(k)

    def launch(BLOCK, **options):
        start(wkv_kernel, (triton.cdiv(C, BLOCK), batch), w, u, k, v, o, T, C, BLOCK=BLOCK,
              **options)  # fmt: skip

    def reference():
        num, den, out = 0.0, 0.0, []
        for t in range(T):
            kt, vt = k[:, t].double(), v[:, t].double()
            out.append((num + torch.exp(u + kt) * vt) / (den + torch.exp(u + kt)))
            num = torch.exp(w) * num + torch.exp(kt) * vt
            den = torch.exp(w) * den + torch.exp(kt)
        return (torch.stack(out, 1),)

    return Work(launch, (o,), reference)


@triton.jit
def chunk_cumsum_kernel(x_ptr, o_ptr, T, H, CHUNK: tl.constexpr, BH: tl.constexpr):
    """Sums along time within chunks, of all heads of a token."""
    t = tl.program_id(0) * CHUNK + tl.arange(0, CHUNK)
    h = tl.program_id(1) * BH + tl.arange(0, BH)
    at = tl.program_id(2).to(tl.int64) * T * H + t[:, None] * H + h[None, :]
    mask = (t[:, None] < T) & (h[None, :] < H)
    x = tl.load(x_ptr + at, mask=mask, other=0.0)
    tl.store(o_ptr + at, tl.cumsum(x, axis=0), mask=mask)


@case([config(2, BH=16), config(4, BH=32), config(4, BH=64)],
      full=dict(batch=8, T=8192, H=128), small=dict(batch=2, T=150, H=20))  # fmt: skip
def cumsum_chunks(device, batch, T, H, chunk=64):
    x = torch.randn(batch, T, H, device=device)
    o = torch.empty_like(x)

    def launch(BH, **options):
        grid = (triton.cdiv(T, chunk), triton.cdiv(H, BH), batch)
        start(chunk_cumsum_kernel, grid, x, o, T, H, CHUNK=chunk, BH=BH, **options)

    return Work(launch, (o,), lambda: (torch.cat([p.cumsum(1) for p in x.split(chunk, 1)], 1),))


@triton.jit
def row_cumsum_kernel(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    """A row in a loop of blocks, which hands the sum so far on."""
    at = tl.program_id(0).to(tl.int64) * n
    total = 0.0
    for block in range(0, tl.cdiv(n, BLOCK)):
        c = block * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + at + c, mask=c < n, other=0.0)
        tl.store(o_ptr + at + c, total + tl.cumsum(x, axis=0), mask=c < n)
        total += tl.sum(x, axis=0)


@case([config(4, 2, BLOCK=1024), config(4, 1, BLOCK=2048), config(8, 1, BLOCK=4096)],
      full=dict(rows=2048, n=20000), small=dict(rows=3, n=3000))  # fmt: skip
def cumsum_rows(device, rows, n):
    x = torch.randn(rows, n, device=device)
    o = torch.empty_like(x)

    def launch(**options):
        start(row_cumsum_kernel, (rows,), x, o, n, **options)

    return Work(launch, (o,), lambda: (x.cumsum(1),))
