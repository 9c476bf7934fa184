"""Products of engines and training libraries whose operands are fp16 or bf16."""

import torch
import torch.nn.functional as F

from .case import Work, case, config, normal, start, tl, triton


@triton.jit
def moe_kernel(
    a_ptr, b_ptr, c_ptr, weight_ptr, token_ptr, expert_ptr, padded_ptr, N, K, valid, top_k,
    sam, sak, sbe, sbk, sbn, scm, scn,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GM: tl.constexpr,
):  # fmt: skip
    """Tokens sorted by experts, each expert's padded to whole tiles, of which there is a list."""
    pid = tl.program_id(0)
    padded = tl.load(padded_ptr)
    m_tiles = tl.cdiv(padded, BM)
    n_tiles = tl.cdiv(N, BN)
    group = pid // (GM * n_tiles)
    size = tl.minimum(m_tiles - group * GM, GM)
    if group * GM >= m_tiles:
        return
    pm = group * GM + (pid % (GM * n_tiles)) % size
    pn = (pid % (GM * n_tiles)) // size
    token = tl.load(token_ptr + pm * BM + tl.arange(0, BM)).to(tl.int64)
    mask = token < valid
    on = (pn * BN + tl.arange(0, BN)).to(tl.int64) % N
    ok = tl.arange(0, BK)
    a_ptrs = a_ptr + (token[:, None] // top_k) * sam + ok[None, :] * sak
    expert = tl.load(expert_ptr + pm).to(tl.int64)
    b_ptrs = b_ptr + expert * sbe + ok[:, None] * sbk + on[None, :] * sbn
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        inside = ok < K - k * BK
        a = tl.load(a_ptrs, mask=mask[:, None] & inside[None, :], other=0.0)
        b = tl.load(b_ptrs, mask=inside[:, None], other=0.0)
        acc += tl.dot(a, b)
        a_ptrs += BK * sak
        b_ptrs += BK * sbk
    weight = tl.load(weight_ptr + token, mask=mask, other=0.0)
    acc *= weight[:, None]
    on = pn * BN + tl.arange(0, BN)
    c_ptrs = c_ptr + token[:, None] * scm + on[None, :] * scn
    tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=mask[:, None] & (on[None, :] < N))


def sorted_tokens(device, ids, experts, block):
    """Places of tokens by experts, padded with their number, and the expert of each tile."""
    tokens, tiles = [], []
    for expert in range(experts):
        own = [place for place, e in enumerate(ids) if e == expert]
        count = triton.cdiv(len(own), block)
        tokens += own + [len(ids)] * (count * block - len(own))
        tiles += [expert] * count
    return [torch.tensor(x, dtype=torch.int32, device=device)
            for x in (tokens, tiles, [len(tokens)])]  # fmt: skip


@case([config(4, 3, BM=64, BN=128, BK=64, GM=8), config(8, 3, BM=64, BN=128, BK=64, GM=1),
       config(4, 4, BM=64, BN=64, BK=128, GM=8)],
      full=dict(tokens=2048, experts=16, top_k=2, N=4096, K=2048),
      small=dict(tokens=33, experts=4, top_k=2, N=200, K=100), bound=1e-2)  # fmt: skip
def fused_moe(device, tokens, experts, top_k, N, K):
    a = normal(device, tokens, K, dtype=torch.bfloat16)
    b = normal(device, experts, N, K, dtype=torch.bfloat16, scale=K**-0.5)
    choices = [(t * 7 + j * 3 + (t // 5) * j) % experts for t in range(tokens)
               for j in range(top_k)]  # fmt: skip
    sorted_by = sorted_tokens(device, choices, experts, 64)
    weights = torch.rand(tokens * top_k, device=device)
    c = torch.empty(tokens * top_k, N, device=device, dtype=a.dtype)

    def launch(BM, BN, **options):
        tiles = sorted_by[1].shape[0] * triton.cdiv(N, BN)
        start(moe_kernel, (tiles,), a, b, c, weights, *sorted_by, N, K, tokens * top_k, top_k,
              *a.stride(), b.stride(0), b.stride(2), b.stride(1), *c.stride(), BM=BM, BN=BN,
              **options)  # fmt: skip

    def reference():
        ids = torch.tensor(choices, device=device)
        rows = a.float().repeat_interleave(top_k, 0)
        out = torch.empty(tokens * top_k, N, device=device)
        for expert in range(experts):
            out[ids == expert] = rows[ids == expert] @ b[expert].float().T
        return (out * weights[:, None],)

    return Work(launch, (c,), reference)


@triton.jit
def gelu_product_kernel(
    a_ptr, b_ptr, bias_ptr, c_ptr, M, N, K, sam, sak, sbk, sbn, scm, scn,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GM: tl.constexpr,
):  # fmt: skip
    """gelu(a b + bias), any strides."""
    pid = tl.program_id(0)
    m_tiles = tl.cdiv(M, BM)
    width = GM * tl.cdiv(N, BN)
    first = pid // width * GM
    size = min(m_tiles - first, GM)
    pm = first + (pid % width) % size
    pn = (pid % width) // size
    om = pm * BM + tl.arange(0, BM)
    on = pn * BN + tl.arange(0, BN)
    ok = tl.arange(0, BK)
    a_ptrs = a_ptr + (om % M)[:, None] * sam + ok[None, :] * sak
    b_ptrs = b_ptr + ok[:, None] * sbk + (on % N)[None, :] * sbn
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        a = tl.load(a_ptrs, mask=ok[None, :] < K - k * BK, other=0.0)
        b = tl.load(b_ptrs, mask=ok[:, None] < K - k * BK, other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += BK * sak
        b_ptrs += BK * sbk
    x = acc + tl.load(bias_ptr + on, mask=on < N, other=0.0)[None, :]
    x = 0.5 * x * (1 + tl.erf(x * 0.7071067811865476))
    mask = (om[:, None] < M) & (on[None, :] < N)
    c_ptrs = c_ptr + om[:, None] * scm + on[None, :] * scn
    tl.store(c_ptrs, x.to(c_ptr.dtype.element_ty), mask=mask)


TILES = [config(8, 3, BM=128, BN=256, BK=64, GM=8), config(4, 3, BM=128, BN=128, BK=64, GM=8),
         config(8, 4, BM=128, BN=128, BK=64, GM=8)]  # fmt: skip


def gelu_product(a, b):
    """The operands in any order in memory."""
    (M, K), N = a.shape, b.shape[1]
    bias = normal(a.device, N)
    c = torch.empty(M, N, device=a.device, dtype=a.dtype)

    def launch(BM, BN, **options):
        start(gelu_product_kernel, (triton.cdiv(M, BM) * triton.cdiv(N, BN),), a, b, bias, c, M, N,
              K, *a.stride(), *b.stride(), *c.stride(), BM=BM, BN=BN, **options)  # fmt: skip

    return Work(launch, (c,), lambda: (F.gelu(a.float() @ b.float() + bias.float()),))


@case(TILES, full=dict(M=4096, N=4096, K=2048), small=dict(M=70, N=90, K=100), bound=5e-3)
def product_bias_gelu(device, M, N, K):
    return gelu_product(normal(device, M, K), normal(device, N, K, scale=K**-0.5).t())


@case(TILES, full=dict(M=4096, N=4096, K=2048), small=dict(M=70, N=90, K=100), bound=5e-3)
def product_transposed_a(device, M, N, K):
    """As gradients of weights have it: a by columns, b by rows with a stride of its own."""
    return gelu_product(normal(device, K, M).t(), normal(device, K, N + 32, scale=K**-0.5)[:, :N])


@triton.jit
def grouped_kernel(
    a_ptr, b_ptr, c_ptr, begin_ptr, groups, N, K, BM: tl.constexpr, BN: tl.constexpr,
    BK: tl.constexpr,
):  # fmt: skip
    """Rows in groups with a matrix each, by as many programs as a GPU has multiprocessors."""
    tile = tl.program_id(0)
    done = 0
    n_tiles = tl.cdiv(N, BN)
    for g in range(groups):
        first = tl.load(begin_ptr + g)
        M = tl.load(begin_ptr + g + 1) - first
        tiles = tl.cdiv(M, BM) * n_tiles
        while tile >= done and tile < done + tiles:
            at = tile - done
            om = (at // n_tiles) * BM + tl.arange(0, BM)
            on = (at % n_tiles) * BN + tl.arange(0, BN)
            ok = tl.arange(0, BK)
            a_ptrs = a_ptr + (first + om)[:, None] * K + ok[None, :]
            b_ptrs = b_ptr + g.to(tl.int64) * N * K + on[None, :] * K + ok[:, None]
            acc = tl.zeros((BM, BN), dtype=tl.float32)
            for k in range(0, tl.cdiv(K, BK)):
                inside = ok < K - k * BK
                a = tl.load(a_ptrs, mask=(om[:, None] < M) & inside[None, :], other=0.0)
                b = tl.load(b_ptrs, mask=inside[:, None] & (on[None, :] < N), other=0.0)
                acc += tl.dot(a, b)
                a_ptrs += BK
                b_ptrs += BK
            c_ptrs = c_ptr + (first + om)[:, None] * N + on[None, :]
            mask = (om[:, None] < M) & (on[None, :] < N)
            tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=mask)
            tile += tl.num_programs(0)
        done += tiles


@case([config(8, 3, BM=128, BN=128, BK=64), config(4, 3, BM=64, BN=128, BK=64),
       config(8, 3, BM=128, BN=256, BK=64)],
      full=dict(sizes=(512, 100, 700, 1024, 33, 260, 900, 567), N=4096, K=2048),
      small=dict(sizes=(30, 70, 1), N=90, K=100), bound=5e-3)  # fmt: skip
def grouped_product(device, sizes, N, K, programs=132):
    at = [sum(sizes[:i]) for i in range(len(sizes) + 1)]
    begins = torch.tensor(at, dtype=torch.int32, device=device)
    a = normal(device, at[-1], K)
    b = normal(device, len(sizes), N, K, scale=K**-0.5)
    c = torch.empty(at[-1], N, device=device, dtype=a.dtype)

    def launch(**options):
        start(grouped_kernel, (programs,), a, b, c, begins, len(sizes), N, K, **options)

    def reference():
        rows = zip(at, at[1:])
        return (torch.cat([a[i:j].float() @ w.float().T for (i, j), w in zip(rows, b)]),)

    return Work(launch, (c,), reference)


@triton.jit
def shrink_kernel(
    x_ptr, w_ptr, o_ptr, begin_ptr, adapter_ptr, N, K, scale, BM: tl.constexpr, BN: tl.constexpr,
    BK: tl.constexpr, SPLIT: tl.constexpr,
):  # fmt: skip
    """Rows of a sequence by its adapter's first matrix; parts of k are added up by atomics."""
    seq = tl.program_id(2)
    first = tl.load(begin_ptr + seq)
    M = tl.load(begin_ptr + seq + 1) - first
    adapter = tl.load(adapter_ptr + seq).to(tl.int64)
    if (adapter == -1) | (tl.program_id(0) * BM >= M):
        return
    om = tl.program_id(0) * BM + tl.arange(0, BM)
    on = tl.arange(0, BN)
    ok = tl.program_id(1) * BK + tl.arange(0, BK)
    x_ptrs = x_ptr + (first + om % M)[:, None] * K + ok[None, :]
    w_ptrs = w_ptr + adapter * N * K + (on % N)[None, :] * K + ok[:, None]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK * SPLIT)):
        inside = ok < K - k * (BK * SPLIT)
        x = tl.load(x_ptrs, mask=inside[None, :], other=0.0)
        w = tl.load(w_ptrs, mask=inside[:, None], other=0.0)
        acc += tl.dot(x, w)
        x_ptrs += BK * SPLIT
        w_ptrs += BK * SPLIT
    mask = (om[:, None] < M) & (on[None, :] < N)
    tl.atomic_add(o_ptr + (first + om)[:, None] * N + on[None, :], acc * scale, mask=mask)


@triton.jit
def expand_kernel(
    x_ptr, w_ptr, o_ptr, begin_ptr, adapter_ptr, N, K, BM: tl.constexpr, BN: tl.constexpr,
    BK: tl.constexpr,
):  # fmt: skip
    """What shrink made by the second matrix, added to what is there."""
    seq = tl.program_id(2)
    first = tl.load(begin_ptr + seq)
    M = tl.load(begin_ptr + seq + 1) - first
    adapter = tl.load(adapter_ptr + seq).to(tl.int64)
    if (adapter == -1) | (tl.program_id(0) * BM >= M):
        return
    om = tl.program_id(0) * BM + tl.arange(0, BM)
    on = tl.program_id(1) * BN + tl.arange(0, BN)
    ok = tl.arange(0, BK)
    x_ptrs = x_ptr + (first + om % M)[:, None] * K + ok[None, :]
    x = tl.load(x_ptrs, mask=ok[None, :] < K, other=0.0)
    w_ptrs = w_ptr + adapter * N * K + (on % N)[None, :] * K + ok[:, None]
    w = tl.load(w_ptrs, mask=ok[:, None] < K, other=0.0)
    mask = (om[:, None] < M) & (on[None, :] < N)
    o_ptrs = o_ptr + (first + om)[:, None] * N + on[None, :]
    y = tl.dot(x.to(w.dtype), w) + tl.load(o_ptrs, mask=mask, other=0.0)
    tl.store(o_ptrs, y.to(o_ptr.dtype.element_ty), mask=mask)


class Adapters:
    """Sequences, each with one of several adapters, or none."""

    def __init__(self, device, lengths, adapters, rank, K, N):
        self.at = [sum(lengths[:i]) for i in range(len(lengths) + 1)]
        self.begins = torch.tensor(self.at, dtype=torch.int32, device=device)
        self.of = [i % (adapters + 1) - 1 for i in range(len(lengths))]
        self.adapter = torch.tensor(self.of, dtype=torch.int32, device=device)
        self.rows = self.at[-1]
        self.a = normal(device, adapters, rank, K, scale=K**-0.5)
        self.b = normal(device, adapters, N, rank)

    def product(self, x, weights):
        """Rows of sequences without an adapter are zero."""
        return torch.cat([
            x[i:j].float() @ (weights[a].float().T if a >= 0 else 0 * weights[0].float().T)
            for i, j, a in zip(self.at, self.at[1:], self.of)])  # fmt: skip


LORA = dict(full=dict(lengths=(512, 128, 700, 64, 1, 300, 900, 1000) * 2, adapters=6, rank=16,
                      K=8192, N=8192),
            small=dict(lengths=(30, 1, 70), adapters=2, rank=16, K=200, N=90))  # fmt: skip


@case([config(4, 3, BM=32, BK=128, SPLIT=8), config(4, 4, BM=64, BK=64, SPLIT=8),
       config(8, 3, BM=64, BK=256, SPLIT=4)], **LORA, bound=5e-3)  # fmt: skip
def lora_shrink(device, lengths, **sizes):
    w = Adapters(device, lengths, **sizes)
    x = normal(device, w.rows, sizes["K"])
    o = torch.empty(w.rows, sizes["rank"], device=device)

    def launch(BM, SPLIT, **options):
        start(shrink_kernel, (triton.cdiv(max(lengths), BM), SPLIT, len(lengths)), x, w.a, o,
              w.begins, w.adapter, sizes["rank"], sizes["K"], 0.5, BM=BM, BN=16, SPLIT=SPLIT,
              **options)  # fmt: skip

    return Work(launch, (o,), lambda: (w.product(x, w.a) * 0.5,), o.zero_)


@case([config(4, BM=32, BN=128), config(4, BM=64, BN=64), config(8, BM=64, BN=256)], **LORA,
      bound=5e-3)  # fmt: skip
def lora_expand(device, lengths, **sizes):
    w = Adapters(device, lengths, **sizes)
    rank, N = sizes["rank"], sizes["N"]
    x = torch.randn(w.rows, rank, device=device)
    before = normal(device, w.rows, N)
    o = torch.empty_like(before)

    def launch(BM, BN, **options):
        start(expand_kernel, (triton.cdiv(max(lengths), BM), triton.cdiv(N, BN), len(lengths)), x,
              w.b, o, w.begins, w.adapter, N, rank, BM=BM, BN=BN, BK=rank, **options)  # fmt: skip

    return Work(launch, (o,), lambda: (w.product(x.half(), w.b) + before.float(),),
                lambda: o.copy_(before))  # fmt: skip


@triton.jit
def gemv_kernel(
    x_ptr, w_ptr, o_ptr, N, K, sx, sw, ROWS: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    """A few rows by a matrix, with sums of products in place of dots."""
    on = tl.program_id(0) * BN + tl.arange(0, BN)
    for row in tl.static_range(ROWS):
        acc = tl.zeros([BN, BK], dtype=tl.float32)
        for first in range(0, K, BK):
            k = first + tl.arange(0, BK)
            x = tl.load(x_ptr + row * sx + k, mask=k < K, other=0.0).to(tl.float32)
            mask = (on[:, None] < N) & (k[None, :] < K)
            w = tl.load(w_ptr + on[:, None] * sw + k[None, :], mask=mask, other=0.0)
            acc += w.to(tl.float32) * x[None, :]
        o = tl.sum(acc, axis=1).to(o_ptr.dtype.element_ty)
        tl.store(o_ptr + row * N + on, o, mask=on < N)


@case([config(4, 2, BN=8, BK=512), config(4, 3, BN=16, BK=256), config(8, 2, BN=4, BK=2048)],
      full=dict(rows=2, N=14336, K=4096), small=dict(rows=2, N=70, K=900), bound=5e-3)  # fmt: skip
def gemv(device, rows, N, K):
    x, w = normal(device, rows, K), normal(device, N, K, scale=K**-0.5)
    o = torch.empty(rows, N, device=device, dtype=x.dtype)

    def launch(BN, **options):
        start(gemv_kernel, (triton.cdiv(N, BN),), x, w, o, N, K, x.stride(0), w.stride(0),
              ROWS=rows, BN=BN, **options)  # fmt: skip

    return Work(launch, (o,), lambda: (x.float() @ w.float().T,))


@triton.jit
def convolution_kernel(
    x_ptr, w_ptr, o_ptr, images, C, H, W, O, OH, OW, stride, padding,
    KH: tl.constexpr, KW: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """As an implicit product: pixels of all images by output channels, channels last."""
    pixel = tl.program_id(0) * BM + tl.arange(0, BM)
    image = pixel // (OH * OW)
    y = (pixel % (OH * OW)) // OW
    x = pixel % OW
    on = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    blocks = tl.cdiv(C, BK)
    for step in range(0, KH * KW * blocks):
        c = (step % blocks) * BK + tl.arange(0, BK)
        i = (step // blocks) // KW
        j = (step // blocks) % KW
        iy = y * stride + i - padding
        ix = x * stride + j - padding
        inside = (image < images) & (iy >= 0) & (iy < H) & (ix >= 0) & (ix < W)
        a_ptrs = x_ptr + ((image * H + iy) * W + ix)[:, None] * C + c[None, :]
        a = tl.load(a_ptrs, mask=inside[:, None] & (c[None, :] < C), other=0.0)
        b_ptrs = w_ptr + ((i * KW + j) * C + c)[:, None] * O + on[None, :]
        b = tl.load(b_ptrs, mask=(c[:, None] < C) & (on[None, :] < O), other=0.0)
        acc += tl.dot(a, b)
    mask = (pixel[:, None] < images * OH * OW) & (on[None, :] < O)
    o_ptrs = o_ptr + pixel[:, None] * O + on[None, :]
    tl.store(o_ptrs, acc.to(o_ptr.dtype.element_ty), mask=mask)


@case([config(8, 3, BM=128, BN=128, BK=64), config(4, 4, BM=64, BN=128, BK=64),
       config(4, 3, BM=128, BN=64, BK=32)],
      full=dict(images=32, C=256, side=56, O=256), small=dict(images=2, C=20, side=9, O=30),
      bound=5e-3)  # fmt: skip
def convolution(device, images, C, side, O):
    x = normal(device, images, side, side, C)
    w = normal(device, 3, 3, C, O, scale=(9 * C) ** -0.5)
    o = torch.empty(images, side, side, O, device=device, dtype=x.dtype)

    def launch(BM, BN, **options):
        grid = (triton.cdiv(images * side * side, BM), triton.cdiv(O, BN))
        start(convolution_kernel, grid, x, w, o, images, C, side, side, O, side, side, 1, 1, KH=3,
              KW=3, BM=BM, BN=BN, **options)  # fmt: skip

    def reference():
        y = F.conv2d(x.permute(0, 3, 1, 2).float(), w.permute(3, 2, 0, 1).float(), padding=1)
        return (y.permute(0, 2, 3, 1),)

    return Work(launch, (o,), reference)
