"""Attention of one new token by each sequence of a serving engine, whose keys and values lie in
pages: split over the sequence, with a second kernel that joins the parts.
"""

import torch

from .case import LOG2_E, Work, case, config, normal, start, tl, triton

PAGE = 16
SPLITS = 8


@triton.jit
def decode_kernel(
    q_ptr, k_ptr, v_ptr, ks_ptr, vs_ptr, table_ptr, length_ptr, part_ptr, lse_ptr, scale,
    sqb, sqh, skp, skt, skh, spb, sph, sps, st, G, kv_heads,
    PAGE: tl.constexpr, D: tl.constexpr, SPLITS: tl.constexpr, SCALED: tl.constexpr,
    BLOCK_H: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    """A program has the query heads of one key head and a part of the sequence. SCALED: keys and
    values of 8 bits have a factor for each token and head.
    """
    seq = tl.program_id(0)
    head = tl.program_id(1)
    split = tl.program_id(2)
    length = tl.load(length_ptr + seq)
    heads = head * G + tl.arange(0, BLOCK_H)
    own = tl.arange(0, BLOCK_H) < G
    d = tl.arange(0, D)
    q = tl.load(q_ptr + seq * sqb + heads[:, None] * sqh + d[None, :], mask=own[:, None], other=0.0)
    share = tl.cdiv(tl.cdiv(length, SPLITS), BLOCK_N) * BLOCK_N
    first = split * share
    last = tl.minimum(first + share, length)
    m = tl.full([BLOCK_H], -float("inf"), dtype=tl.float32)
    l = tl.zeros([BLOCK_H], dtype=tl.float32)
    acc = tl.zeros([BLOCK_H, D], dtype=tl.float32)
    for n in range(first, last, BLOCK_N):
        t = n + tl.arange(0, BLOCK_N)
        mask = t < last
        page = tl.load(table_ptr + seq * st + t // PAGE, mask=mask, other=0).to(tl.int64)
        at = page * skp + (t % PAGE) * skt + head * skh
        k = tl.load(k_ptr + at[None, :] + d[:, None], mask=mask[None, :], other=0.0)
        s = tl.dot(q, k.to(q.dtype)) * (scale * LOG2_E)
        if SCALED:
            row = (page * PAGE + t % PAGE) * kv_heads + head
            s *= tl.load(ks_ptr + row, mask=mask, other=0.0)[None, :]
        s = tl.where(mask[None, :], s, -float("inf"))
        new = tl.maximum(m, tl.max(s, axis=1))
        alpha = tl.exp2(m - new)
        p = tl.exp2(s - new[:, None])
        l = l * alpha + tl.sum(p, axis=1)
        if SCALED:
            p *= tl.load(vs_ptr + row, mask=mask, other=0.0)[None, :]
        v = tl.load(v_ptr + at[:, None] + d[None, :], mask=mask[:, None], other=0.0)
        acc = acc * alpha[:, None] + tl.dot(p.to(q.dtype), v.to(q.dtype))
        m = new
    if last > first:
        to = part_ptr + seq * spb + heads[:, None] * sph + split * sps + d[None, :]
        tl.store(to, acc / l[:, None], mask=own[:, None])
        at = lse_ptr + (seq * kv_heads * G + heads) * SPLITS + split
        tl.store(at, m + tl.log2(l), mask=own)


@triton.jit
def join_kernel(
    part_ptr, lse_ptr, length_ptr, o_ptr, sph, sps, heads, D: tl.constexpr, SPLITS: tl.constexpr,
    BLOCK_N: tl.constexpr,
):  # fmt: skip
    """A program has one head of one sequence."""
    row = tl.program_id(0) * heads + tl.program_id(1)
    d = tl.arange(0, D)
    length = tl.load(length_ptr + tl.program_id(0))
    share = tl.cdiv(tl.cdiv(length, SPLITS), BLOCK_N) * BLOCK_N
    m = -float("inf")
    l = 0.0
    acc = tl.zeros([D], dtype=tl.float32)
    for split in range(0, SPLITS):
        if split * share < length:
            lse = tl.load(lse_ptr + row * SPLITS + split)
            part = tl.load(part_ptr + row * sph + split * sps + d)
            new = tl.maximum(m, lse)
            alpha = tl.exp2(m - new)
            p = tl.exp2(lse - new)
            acc = acc * alpha + p * part
            l = l * alpha + p
            m = new
    tl.store(o_ptr + row * D + d, (acc / l).to(o_ptr.dtype.element_ty))


def pages_of(device, lengths):
    """A table of pages that lie in no order, and how many there are."""
    most = max(triton.cdiv(n, PAGE) for n in lengths)
    count = len(lengths) * most
    return torch.randperm(count, device=device).int().view(len(lengths), most), count


def lengths_of(batch, longest):
    """From half of the longest on."""
    return [longest - (i * 97) % (longest // 2) for i in range(batch)]


def paged_rows(cache, table, length):
    """Keys or values of a sequence, by token and head."""
    return cache[table[: triton.cdiv(length, PAGE)].long()].flatten(0, 1)[:length].float()


def attend(q, k, v, scale):
    """Of one token: q by head and element, k and v by token, key head and element."""
    groups = q.shape[0] // k.shape[1]
    k, v = (x.repeat_interleave(groups, 1) for x in (k, v))
    p = torch.softmax(torch.einsum("hd,thd->ht", q.float(), k) * scale, 1)
    return torch.einsum("ht,thd->hd", p, v)


def paged(device, dtype, batch, longest, heads, kv_heads, d):
    lengths = lengths_of(batch, longest)
    table, count = pages_of(device, lengths)
    n = torch.tensor(lengths, dtype=torch.int32, device=device)
    q = normal(device, batch, heads, d)
    scaled = dtype == torch.int8
    k, v = (normal(device, count, PAGE, kv_heads, d, dtype=torch.float16) for _ in range(2))
    ks, vs = (x.float().abs().amax(3) / 127 for x in (k, v))
    if scaled:
        k, v = ((x / s[..., None]).round().to(dtype) for x, s in ((k, ks), (v, vs)))
    else:
        k, v, ks, vs = k.to(dtype), v.to(dtype), torch.ones_like(ks), torch.ones_like(vs)
    parts = torch.empty(batch, heads, SPLITS, d, device=device)
    lse = torch.empty(batch, heads, SPLITS, device=device)
    o = torch.empty_like(q)
    groups = heads // kv_heads

    def launch(BLOCK_N, **options):
        start(decode_kernel, (batch, kv_heads, SPLITS), q, k, v, ks, vs, table, n, parts, lse,
              d**-0.5, q.stride(0), q.stride(1), *k.stride()[:3], *parts.stride()[:3],
              table.stride(0), groups, kv_heads, PAGE=PAGE, D=d, SPLITS=SPLITS, SCALED=scaled,
              BLOCK_H=max(16, groups), BLOCK_N=BLOCK_N, **options)  # fmt: skip
        start(join_kernel, (batch, heads), parts, lse, n, o, parts.stride(1), parts.stride(2),
              heads, D=d, SPLITS=SPLITS, BLOCK_N=BLOCK_N)  # fmt: skip

    def reference():
        wide = [(paged_rows(k, table[i], m) * paged_rows(ks, table[i], m)[..., None],
                 paged_rows(v, table[i], m) * paged_rows(vs, table[i], m)[..., None])
                for i, m in enumerate(lengths)]  # fmt: skip
        return (torch.stack([attend(q[i], *kv, d**-0.5) for i, kv in enumerate(wide)]),)

    return Work(launch, (o,), reference)


TILES = [config(4, 2, BLOCK_N=32), config(4, 3, BLOCK_N=64), config(4, 2, BLOCK_N=128)]
FULL = dict(batch=64, longest=4096, heads=32, kv_heads=8, d=128)
SMALL = dict(batch=2, longest=300, heads=8, kv_heads=2, d=32)


@case(TILES, FULL, SMALL, bound=5e-3)
def decode_paged(device, **sizes):
    return paged(device, torch.float16, **sizes)


@case(TILES, FULL, SMALL, bound=5e-3)
def decode_paged_fp8(device, **sizes):
    return paged(device, torch.float8_e4m3fn, **sizes)


@case(TILES, FULL, SMALL, bound=5e-3)
def decode_paged_int8(device, **sizes):
    return paged(device, torch.int8, **sizes)


@triton.jit
def latent_kernel(
    q_ptr, c_ptr, table_ptr, length_ptr, part_ptr, lse_ptr, scale,
    sqb, sqh, scp, sct, spb, sph, sps, st, heads,
    PAGE: tl.constexpr, D: tl.constexpr, ROPE: tl.constexpr, SPLITS: tl.constexpr,
    BLOCK_H: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    """All heads share the latent rows: D elements that are keys and values, ROPE that are keys."""
    seq = tl.program_id(0)
    h = tl.program_id(1) * BLOCK_H + tl.arange(0, BLOCK_H)
    split = tl.program_id(2)
    length = tl.load(length_ptr + seq)
    d = tl.arange(0, D)
    r = D + tl.arange(0, ROPE)
    own = h < heads
    q_row = q_ptr + seq * sqb + h[:, None] * sqh
    q = tl.load(q_row + d[None, :], mask=own[:, None], other=0.0)
    qr = tl.load(q_row + r[None, :], mask=own[:, None], other=0.0)
    share = tl.cdiv(tl.cdiv(length, SPLITS), BLOCK_N) * BLOCK_N
    first = split * share
    last = tl.minimum(first + share, length)
    m = tl.full([BLOCK_H], -float("inf"), dtype=tl.float32)
    l = tl.zeros([BLOCK_H], dtype=tl.float32)
    acc = tl.zeros([BLOCK_H, D], dtype=tl.float32)
    for n in range(first, last, BLOCK_N):
        t = n + tl.arange(0, BLOCK_N)
        mask = t < last
        page = tl.load(table_ptr + seq * st + t // PAGE, mask=mask, other=0).to(tl.int64)
        row = c_ptr + page * scp + (t % PAGE) * sct
        k = tl.load(row[None, :] + d[:, None], mask=mask[None, :], other=0.0)
        s = tl.dot(q, k)
        kr = tl.load(row[None, :] + r[:, None], mask=mask[None, :], other=0.0)
        s = (s + tl.dot(qr, kr)) * (scale * LOG2_E)
        s = tl.where(mask[None, :], s, -float("inf"))
        new = tl.maximum(m, tl.max(s, axis=1))
        alpha = tl.exp2(m - new)
        p = tl.exp2(s - new[:, None])
        l = l * alpha + tl.sum(p, axis=1)
        acc = acc * alpha[:, None] + tl.dot(p.to(k.dtype), tl.trans(k))
        m = new
    if last > first:
        to = part_ptr + seq * spb + h[:, None] * sph + split * sps + d[None, :]
        tl.store(to, acc / l[:, None], mask=own[:, None])
        tl.store(lse_ptr + (seq * heads + h) * SPLITS + split, m + tl.log2(l), mask=own)


@case([config(4, 2, BLOCK_H=16, BLOCK_N=32), config(8, 2, BLOCK_H=16, BLOCK_N=64),
       config(8, 2, BLOCK_H=64, BLOCK_N=32)],
      full=dict(batch=32, longest=4096, heads=128, d=512, rope=64),
      small=dict(batch=2, longest=200, heads=20, d=64, rope=16), bound=5e-3)  # fmt: skip
def decode_latent(device, batch, longest, heads, d, rope):
    lengths = lengths_of(batch, longest)
    table, count = pages_of(device, lengths)
    n = torch.tensor(lengths, dtype=torch.int32, device=device)
    q = normal(device, batch, heads, d + rope, dtype=torch.bfloat16)
    c = normal(device, count, PAGE, d + rope, dtype=torch.bfloat16)
    parts = torch.empty(batch, heads, SPLITS, d, device=device)
    lse = torch.empty(batch, heads, SPLITS, device=device)
    o = torch.empty(batch, heads, d, device=device, dtype=q.dtype)
    scale = (d + rope) ** -0.5

    def launch(BLOCK_H, BLOCK_N, **options):
        start(latent_kernel, (batch, triton.cdiv(heads, BLOCK_H), SPLITS), q, c, table, n, parts,
              lse, scale, q.stride(0), q.stride(1), c.stride(0), c.stride(1), *parts.stride()[:3],
              table.stride(0), heads, PAGE=PAGE, D=d, ROPE=rope, SPLITS=SPLITS, BLOCK_H=BLOCK_H,
              BLOCK_N=BLOCK_N, **options)  # fmt: skip
        start(join_kernel, (batch, heads), parts, lse, n, o, parts.stride(1), parts.stride(2),
              heads, D=d, SPLITS=SPLITS, BLOCK_N=BLOCK_N)  # fmt: skip

    def reference():
        rows = [paged_rows(c[:, :, None], table[i], m) for i, m in enumerate(lengths)]
        return (torch.stack([attend(q[i], k, k[..., :d], scale) for i, k in enumerate(rows)]),)

    return Work(launch, (o,), reference, None)
