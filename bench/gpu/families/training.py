"""What a step of training does besides products and norms."""

import torch
import torch.nn.functional as F

from .case import Work, case, config, normal, start, tl, triton, warps

FLAT = [config(4, BLOCK=1024), config(4, BLOCK=2048), config(8, BLOCK=4096)]


@triton.jit
def dropout_kernel(x_ptr, o_ptr, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    keep = tl.rand(seed, i) > p
    tl.store(o_ptr + i, tl.where(keep, x / (1 - p), 0.0), mask=i < n)


@triton.jit
def rand_kernel(o_ptr, n, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o_ptr + i, tl.rand(seed, i), mask=i < n)


def uniform(device, n, seed):
    """The numbers that `tl.rand` has, which PyTorch has not."""
    u = torch.empty(n, device=device)
    start(rand_kernel, (triton.cdiv(n, 1024),), u, n, seed, BLOCK=1024)
    return u


@case(FLAT, full=dict(n=1 << 25), small=dict(n=5001))
def dropout(device, n):
    x = torch.randn(n, device=device)
    o = torch.empty_like(x)

    def launch(BLOCK, **options):
        start(dropout_kernel, (triton.cdiv(n, BLOCK),), x, o, n, 0.1, 123, BLOCK=BLOCK, **options)

    return Work(launch, (o,), lambda: (torch.where(uniform(device, n, 123) > 0.1, x / 0.9, 0.0),))


@triton.jit
def bias_dropout_kernel(
    x_ptr, b_ptr, r_ptr, o_ptr, stride, cols, p, seed, BLOCK: tl.constexpr
):
    row = tl.program_id(0)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    at = row * stride + c
    x = tl.load(x_ptr + at, mask=c < cols).to(tl.float32) + tl.load(b_ptr + c, mask=c < cols)
    x = tl.where(tl.rand(seed, at) > p, x / (1 - p), 0.0)
    tl.store(o_ptr + at, x + tl.load(r_ptr + at, mask=c < cols), mask=c < cols)


@case(FLAT, full=dict(rows=16384, cols=3072), small=dict(rows=7, cols=1100))
def bias_dropout_residual(device, rows, cols):
    x, r, b = normal(device, rows, cols), normal(device, rows, cols), normal(device, cols)
    o = torch.empty_like(x)

    def launch(BLOCK, **options):
        start(bias_dropout_kernel, (rows, triton.cdiv(cols, BLOCK)), x, b, r, o, x.stride(0), cols,
              0.2, 77, BLOCK=BLOCK, **options)  # fmt: skip

    def reference():
        keep = uniform(device, rows * cols, 77).view(rows, cols) > 0.2
        return (torch.where(keep, (x.float() + b.float()) / 0.8, 0.0) + r.float(),)

    return Work(launch, (o,), reference)


@triton.jit
def gelu_kernel(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n).to(tl.float32)
    inner = 0.7978845608028654 * (x + 0.044715 * x * x * x)
    y = 0.5 * x * (1 + (2 * tl.sigmoid(2 * inner) - 1))
    tl.store(o_ptr + i, y.to(o_ptr.dtype.element_ty), mask=i < n)


@case(FLAT, full=dict(n=1 << 26), small=dict(n=5001))
def gelu_forward(device, n):
    x = normal(device, n)
    o = torch.empty_like(x)

    def launch(BLOCK, **options):
        start(gelu_kernel, (triton.cdiv(n, BLOCK),), x, o, n, BLOCK=BLOCK, **options)

    return Work(launch, (o,), lambda: (F.gelu(x.float(), approximate="tanh"),))


@triton.jit
def gelu_backward_kernel(x_ptr, dy_ptr, dx_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n).to(tl.float32)
    dy = tl.load(dy_ptr + i, mask=i < n).to(tl.float32)
    cdf = 0.5 * (1 + tl.erf(x * 0.7071067811865476))
    pdf = 0.3989422804014327 * tl.exp(-0.5 * x * x)
    tl.store(dx_ptr + i, (dy * (cdf + x * pdf)).to(dx_ptr.dtype.element_ty), mask=i < n)


@case(FLAT, full=dict(n=1 << 25), small=dict(n=5001))
def gelu_backward(device, n):
    x, dy = normal(device, n), normal(device, n)
    dx = torch.empty_like(x)

    def launch(BLOCK, **options):
        start(gelu_backward_kernel, (triton.cdiv(n, BLOCK),), x, dy, dx, n, BLOCK=BLOCK, **options)

    def reference():
        wide = x.float().requires_grad_()
        return torch.autograd.grad(F.gelu(wide), wide, dy.float())

    return Work(launch, (dx,), reference)


@triton.jit
def swiglu_kernel(a_ptr, b_ptr, c_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * stride
    c = tl.arange(0, BLOCK)
    a = tl.load(a_ptr + row + c, mask=c < n, other=0).to(tl.float32)
    b = tl.load(b_ptr + row + c, mask=c < n, other=0)
    tl.store(c_ptr + row + c, (a * tl.sigmoid(a)).to(b.dtype) * b, mask=c < n)


@triton.jit
def swiglu_backward_kernel(dc_ptr, a_ptr, b_ptr, stride, n, BLOCK: tl.constexpr):
    """The gradients replace a and b."""
    row = tl.program_id(0).to(tl.int64) * stride
    c = tl.arange(0, BLOCK)
    dc = tl.load(dc_ptr + row + c, mask=c < n, other=0)
    a = tl.load(a_ptr + row + c, mask=c < n, other=0).to(tl.float32)
    b = tl.load(b_ptr + row + c, mask=c < n, other=0)
    s = tl.sigmoid(a)
    silu = a * s
    tl.store(b_ptr + row + c, dc * silu.to(dc.dtype), mask=c < n)
    tl.store(a_ptr + row + c, dc * (silu * (1 - s) + s) * b, mask=c < n)


SWIGLU = dict(full=dict(rows=4096, n=11008), small=dict(rows=5, n=300), bound=1e-2)


@case(warps(4, 8, 16), **SWIGLU)
def swiglu_forward(device, rows, n):
    a, b = (normal(device, rows, n, dtype=torch.bfloat16) for _ in range(2))
    o = torch.empty_like(a)

    def launch(**options):
        start(swiglu_kernel, (rows,), a, b, o, a.stride(0), n, BLOCK=triton.next_power_of_2(n),
              **options)  # fmt: skip

    return Work(launch, (o,), lambda: (F.silu(a.float()) * b.float(),))


@case(warps(4, 8, 16), **SWIGLU)
def swiglu_backward(device, rows, n):
    a, b, dc = (normal(device, rows, n, dtype=torch.bfloat16) for _ in range(3))
    da, db = torch.empty_like(a), torch.empty_like(b)

    def launch(**options):
        start(swiglu_backward_kernel, (rows,), dc, da, db, a.stride(0), n,
              BLOCK=triton.next_power_of_2(n), **options)  # fmt: skip

    def reference():
        wide = [t.float().requires_grad_() for t in (a, b)]
        return torch.autograd.grad(F.silu(wide[0]) * wide[1], wide, dc.float())

    return Work(launch, (da, db), reference, lambda: (da.copy_(a), db.copy_(b)))


@triton.jit
def cross_entropy_kernel(
    x_ptr, stride, y_ptr, loss_ptr, n, valid, ignore, smoothing, BLOCK: tl.constexpr
):
    """Loss, and the gradient in the place of the logits: two loops over a row's blocks."""
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * stride
    y = tl.load(y_ptr + row)
    if y == ignore:
        for first in range(0, n, BLOCK):
            c = first + tl.arange(0, BLOCK)
            tl.store(x_ptr + c, 0.0, mask=c < n)
        tl.store(loss_ptr + row, 0.0)
        return
    at_y = tl.load(x_ptr + y).to(tl.float32)
    m = float("-inf")
    d = 0.0
    total = 0.0
    for first in range(0, n, BLOCK):
        c = first + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + c, mask=c < n, other=float("-inf")).to(tl.float32)
        total += tl.sum(tl.where(c < n, x, 0.0))
        new = tl.maximum(m, tl.max(x))
        d = d * tl.exp(m - new) + tl.sum(tl.exp(x - new))
        m = new
    lse = m + tl.log(d)
    eps = smoothing / n
    for first in range(0, n, BLOCK):
        c = first + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + c, mask=c < n, other=float("-inf")).to(tl.float32)
        g = tl.exp(x - m) / d - eps
        g = tl.where(c == y, g - (1 - smoothing), g) / valid
        tl.store(x_ptr + c, g.to(x_ptr.dtype.element_ty), mask=c < n)
    loss = (1 - smoothing) * (lse - at_y) + smoothing * lse - eps * total
    tl.store(loss_ptr + row, loss / valid)


def cross_entropy(device, rows, n, smoothing):
    before = normal(device, rows, n, dtype=torch.bfloat16)
    y = torch.randint(0, n, (rows,), device=device)
    y[1] = -100
    x = torch.empty_like(before)
    loss = torch.empty(rows, device=device)

    def launch(**options):
        start(cross_entropy_kernel, (rows,), x, x.stride(0), y, loss, n, rows - 1, -100, smoothing,
              **options)  # fmt: skip

    def reference():
        wide = before.float().requires_grad_()
        found = F.cross_entropy(wide, y, reduction="none", label_smoothing=smoothing) / (rows - 1)
        return *torch.autograd.grad(found.sum(), wide), found.detach()

    return Work(launch, (x, loss), reference, lambda: x.copy_(before))


BLOCKS = [config(8, BLOCK=4096), config(16, BLOCK=16384), config(32, BLOCK=32768)]


@case(BLOCKS, full=dict(rows=2048, n=32000), small=dict(rows=3, n=5000), bound=1e-2)
def cross_entropy_32k(device, rows, n):
    return cross_entropy(device, rows, n, 0.0)


@case(BLOCKS, full=dict(rows=512, n=128256), small=dict(rows=3, n=5000), bound=1e-2)
def cross_entropy_128k(device, rows, n):
    return cross_entropy(device, rows, n, 0.1)


@triton.jit
def rotary_kernel(
    q_ptr, k_ptr, cos_ptr, sin_ptr, o_ptr, ok_ptr, sq, sk, HEADS: tl.constexpr,
    KV_HEADS: tl.constexpr, HP: tl.constexpr, KP: tl.constexpr, HALF: tl.constexpr,
):  # fmt: skip
    """A token's heads, of which each turns its first half by its second."""
    token = tl.program_id(0).to(tl.int64)
    d = tl.arange(0, HALF)
    cos = tl.load(cos_ptr + token * HALF + d)
    sin = tl.load(sin_ptr + token * HALF + d)
    h = tl.arange(0, HP)
    at = token * sq + h[:, None] * (2 * HALF) + d[None, :]
    a = tl.load(q_ptr + at, mask=h[:, None] < HEADS, other=0.0)
    b = tl.load(q_ptr + at + HALF, mask=h[:, None] < HEADS, other=0.0)
    tl.store(o_ptr + at, a * cos[None, :] - b * sin[None, :], mask=h[:, None] < HEADS)
    tl.store(o_ptr + at + HALF, b * cos[None, :] + a * sin[None, :], mask=h[:, None] < HEADS)
    h = tl.arange(0, KP)
    at = token * sk + h[:, None] * (2 * HALF) + d[None, :]
    a = tl.load(k_ptr + at, mask=h[:, None] < KV_HEADS, other=0.0)
    b = tl.load(k_ptr + at + HALF, mask=h[:, None] < KV_HEADS, other=0.0)
    tl.store(ok_ptr + at, a * cos[None, :] - b * sin[None, :], mask=h[:, None] < KV_HEADS)
    tl.store(ok_ptr + at + HALF, b * cos[None, :] + a * sin[None, :], mask=h[:, None] < KV_HEADS)


@case(warps(1, 4, 8), full=dict(tokens=8192, heads=32, kv_heads=8, d=128),
      small=dict(tokens=5, heads=6, kv_heads=3, d=32))  # fmt: skip
def rotary_embedding(device, tokens, heads, kv_heads, d):
    q, k = normal(device, tokens, heads, d), normal(device, tokens, kv_heads, d)
    angle = torch.rand(tokens, d // 2, device=device) * 6
    cos, sin = angle.cos(), angle.sin()
    o, ok = torch.empty_like(q), torch.empty_like(k)

    def launch(**options):
        start(rotary_kernel, (tokens,), q, k, cos, sin, o, ok, q.stride(0), k.stride(0),
              HEADS=heads, KV_HEADS=kv_heads, HP=triton.next_power_of_2(heads),
              KP=triton.next_power_of_2(kv_heads), HALF=d // 2, **options)  # fmt: skip

    def reference():
        c, s = cos[:, None], sin[:, None]
        halves = [x.float().chunk(2, 2) for x in (q, k)]
        return tuple(torch.cat([a * c - b * s, b * c + a * s], 2) for a, b in halves)

    return Work(launch, (o, ok), reference)


@triton.jit
def adam_kernel(
    p_ptr, g_ptr, m_ptr, v_ptr, half_ptr, n, lr, beta1, beta2, eps, decay, fix1, fix2,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """With weight decay apart from the gradient, and a copy of the weights in fp16."""
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    p = tl.load(p_ptr + i, mask=mask)
    g = tl.load(g_ptr + i, mask=mask).to(tl.float32)
    m = tl.load(m_ptr + i, mask=mask) * beta1 + (1 - beta1) * g
    v = tl.load(v_ptr + i, mask=mask) * beta2 + (1 - beta2) * g * g
    p = p * (1 - lr * decay) - lr * (m / fix1) / (tl.sqrt(v / fix2) + eps)
    tl.store(p_ptr + i, p, mask=mask)
    tl.store(m_ptr + i, m, mask=mask)
    tl.store(v_ptr + i, v, mask=mask)
    tl.store(half_ptr + i, p.to(half_ptr.dtype.element_ty), mask=mask)


@case(FLAT, full=dict(n=1 << 24), small=dict(n=5001))
def adam_step(device, n):
    before = [torch.randn(n, device=device), torch.randn(n, device=device) / 9,
              torch.rand(n, device=device)]  # fmt: skip
    g = normal(device, n)
    state = [torch.empty_like(x) for x in before]
    half = torch.empty_like(g)

    def launch(BLOCK, **options):
        start(adam_kernel, (triton.cdiv(n, BLOCK),), state[0], g, *state[1:], half, n, 1e-2, 0.9,
              0.95, 1e-8, 0.1, 0.5, 0.4, BLOCK=BLOCK, **options)  # fmt: skip

    def reset():
        for now, was in zip(state, before, strict=True):
            now.copy_(was)

    def reference():
        p, m, v = before
        m = m * 0.9 + 0.1 * g.float()
        v = v * 0.95 + 0.05 * g.float() ** 2
        p = p * (1 - 1e-3) - 1e-2 * (m / 0.5) / ((v / 0.4).sqrt() + 1e-8)
        return p, m, v, p

    return Work(launch, (*state, half), reference, reset)


@triton.jit
def embedding_kernel(w_ptr, id_ptr, o_ptr, tokens, n, BR: tl.constexpr, BC: tl.constexpr):
    r = tl.program_id(0) * BR + tl.arange(0, BR)
    c = tl.program_id(1) * BC + tl.arange(0, BC)
    mask = (r[:, None] < tokens) & (c[None, :] < n)
    row = tl.load(id_ptr + r, mask=r < tokens, other=0)
    x = tl.load(w_ptr + row[:, None] * n + c[None, :], mask=mask)
    tl.store(o_ptr + r[:, None] * n + c[None, :], x, mask=mask)


@triton.jit
def embedding_backward_kernel(
    dy_ptr, id_ptr, dw_ptr, tokens, n, BR: tl.constexpr, BC: tl.constexpr
):
    r = tl.program_id(0) * BR + tl.arange(0, BR)
    c = tl.program_id(1) * BC + tl.arange(0, BC)
    mask = (r[:, None] < tokens) & (c[None, :] < n)
    row = tl.load(id_ptr + r, mask=r < tokens, other=0)
    dy = tl.load(dy_ptr + r[:, None] * n + c[None, :], mask=mask, other=0.0)
    tl.atomic_add(dw_ptr + row[:, None] * n + c[None, :], dy, mask=mask)


EMBEDDING = dict(configs=[config(4, BR=4, BC=256), config(4, BR=1, BC=1024),
                          config(8, BR=16, BC=256)],
                 full=dict(words=32000, tokens=16384, n=2048),
                 small=dict(words=30, tokens=50, n=70))  # fmt: skip


@case(**EMBEDDING, bound=0)
def embedding_forward(device, words, tokens, n):
    w, ids = normal(device, words, n), torch.randint(0, words, (tokens,), device=device)
    o = torch.empty(tokens, n, device=device, dtype=w.dtype)

    def launch(BR, BC, **options):
        grid = (triton.cdiv(tokens, BR), triton.cdiv(n, BC))
        start(embedding_kernel, grid, w, ids, o, tokens, n, BR=BR, BC=BC, **options)

    return Work(launch, (o,), lambda: (w[ids],))


@case(**EMBEDDING)
def embedding_backward(device, words, tokens, n):
    dy = torch.randn(tokens, n, device=device)
    ids = torch.randint(0, words, (tokens,), device=device)
    dw = torch.empty(words, n, device=device)

    def launch(BR, BC, **options):
        grid = (triton.cdiv(tokens, BR), triton.cdiv(n, BC))
        start(embedding_backward_kernel, grid, dy, ids, dw, tokens, n, BR=BR, BC=BC, **options)

    def reference():
        return (torch.zeros(words, n, device=device).index_add_(0, ids, dy),)

    return Work(launch, (dw,), reference, dw.zero_)
