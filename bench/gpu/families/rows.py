"""Kernels over rows: choices, sorts, quantisation, and copies that move elements."""

import torch

from .case import Work, case, config, normal, start, tl, triton, warps


@triton.jit
def topk_kernel(
    x_ptr, weight_ptr, id_ptr, rows, n, stride, K: tl.constexpr, ROWS: tl.constexpr,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """The experts of a token: softmax, then the largest one K times."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, BLOCK)
    mask = (row[:, None] < rows) & (c[None, :] < n)
    x = tl.load(x_ptr + row[:, None] * stride + c[None, :], mask=mask, other=-float("inf"))
    x = x.to(tl.float32)
    x = tl.exp(x - tl.max(x, axis=1)[:, None])
    x = x / tl.sum(x, axis=1)[:, None]
    total = tl.zeros([ROWS], dtype=tl.float32)
    for k in tl.static_range(K):
        best = tl.max(x, axis=1)
        at = tl.argmax(x, axis=1)
        tl.store(weight_ptr + row * K + k, best, mask=row < rows)
        tl.store(id_ptr + row * K + k, at, mask=row < rows)
        x = tl.where(c[None, :] == at[:, None], -1.0, x)
        total += best
    for k in tl.static_range(K):
        w = tl.load(weight_ptr + row * K + k, mask=row < rows)
        tl.store(weight_ptr + row * K + k, w / total, mask=row < rows)


@case([config(w, ROWS=r) for r, w in ((4, 1), (16, 4), (32, 4))],
      full=dict(rows=32768, n=128, k=8), small=dict(rows=37, n=24, k=3))  # fmt: skip
def topk_softmax(device, rows, n, k):
    # Distinct values: there is one order.
    x = torch.rand(rows, n, device=device).argsort(1).float() / n * 8
    w = torch.empty(rows, k, device=device)
    ids = torch.empty(rows, k, device=device, dtype=torch.int32)
    block = triton.next_power_of_2(n)

    def launch(ROWS, **options):
        start(topk_kernel, (triton.cdiv(rows, ROWS),), x, w, ids, rows, n, x.stride(0), K=k,
              ROWS=ROWS, BLOCK=block, **options)  # fmt: skip

    def reference():
        best, at = torch.softmax(x, 1).topk(k, 1)
        return best / best.sum(1, keepdim=True), at.int()

    return Work(launch, (w, ids), reference)


@triton.jit
def argmax_kernel(x_ptr, o_ptr, n, stride, BLOCK: tl.constexpr):
    """The token that is sampled at temperature 0: a row in a loop of blocks."""
    row = tl.program_id(0).to(tl.int64)
    best = tl.full([BLOCK], -float("inf"), dtype=tl.float32)
    at = tl.zeros([BLOCK], dtype=tl.int32)
    for first in range(0, n, BLOCK):
        c = first + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * stride + c, mask=c < n, other=-float("inf")).to(tl.float32)
        at = tl.where(x > best, c, at)
        best = tl.maximum(x, best)
    top = tl.max(best, axis=0)
    tl.store(o_ptr + row, tl.min(tl.where(best == top, at, n), axis=0))


@case([config(w, s, BLOCK=b) for b, w, s in ((1024, 4, 3), (4096, 8, 2), (8192, 16, 1))],
      full=dict(rows=512, n=128256), small=dict(rows=5, n=5000))  # fmt: skip
def argmax_rows(device, rows, n):
    x = torch.randn(rows, n, device=device)
    o = torch.empty(rows, device=device, dtype=torch.int32)

    def launch(**options):
        start(argmax_kernel, (rows,), x, o, n, x.stride(0), **options)

    return Work(launch, (o,), lambda: (x.argmax(1).int(),))


@triton.jit
def histogram_kernel(x_ptr, o_ptr, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    """How many tokens each expert has: bins of a block, added up by atomics."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0)
    counts = tl.histogram(x, BINS, mask=i < n)
    tl.atomic_add(o_ptr + tl.arange(0, BINS), counts)


@case([config(w, BLOCK=b) for b, w in ((1024, 4), (4096, 4), (4096, 8), (16384, 8))],
      full=dict(n=1 << 24, bins=256), small=dict(n=5001, bins=32), bound=0)  # fmt: skip
def histogram(device, n, bins):
    x = torch.randint(0, bins, (n,), device=device, dtype=torch.int32)
    o = torch.empty(bins, device=device, dtype=torch.int32)

    def launch(BLOCK, **options):
        start(histogram_kernel, (triton.cdiv(n, BLOCK),), x, o, n, BINS=bins, BLOCK=BLOCK,
              **options)  # fmt: skip

    return Work(launch, (o,), lambda: (torch.bincount(x, minlength=bins).int(),), o.zero_)


@triton.jit
def sort_pairs_kernel(x_ptr, key_ptr, at_ptr, stride, n, BLOCK: tl.constexpr):
    """Descending, with the places that elements came from, in the lower half of what is sorted."""
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + c, mask=c < n, other=-float("inf")).to(tl.float32)
    bits = x.to(tl.int32, bitcast=True)
    ordered = tl.where(bits < 0, bits ^ 0x7FFFFFFF, bits)
    pairs = (ordered.to(tl.int64) << 32) | (BLOCK - 1 - c).to(tl.int64)
    pairs = tl.sort(pairs, descending=True)
    ordered = (pairs >> 32).to(tl.int32)
    bits = tl.where(ordered < 0, ordered ^ 0x7FFFFFFF, ordered)
    at = BLOCK - 1 - (pairs & 0xFFFFFFFF).to(tl.int32)
    tl.store(key_ptr + row * n + c, bits.to(tl.float32, bitcast=True), mask=c < n)
    tl.store(at_ptr + row * n + c, at, mask=c < n)


@case(warps(1, 4, 8), full=dict(rows=8192, n=1000), small=dict(rows=5, n=120), bound=0)
def sort_pairs(device, rows, n):
    x = torch.randn(rows, n, device=device)
    keys = torch.empty_like(x)
    at = torch.empty(rows, n, device=device, dtype=torch.int32)

    def launch(**options):
        start(sort_pairs_kernel, (rows,), x, keys, at, x.stride(0), n,
              BLOCK=triton.next_power_of_2(n), **options)  # fmt: skip

    def reference():
        values, places = x.sort(dim=1, descending=True, stable=True)
        return values, places.int()

    return Work(launch, (keys, at), reference)


@triton.jit
def int8_rows_kernel(x_ptr, o_ptr, scale_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + c, mask=c < n, other=0.0).to(tl.float32)
    scale = tl.maximum(tl.max(tl.abs(x), axis=0), 1e-10) / 127
    y = x / scale
    y = tl.floor(tl.abs(y) + 0.5) * tl.where(y < 0, -1.0, 1.0)
    tl.store(o_ptr + row * n + c, y.to(tl.int8), mask=c < n)
    tl.store(scale_ptr + row, scale)


@case(warps(4, 8, 16), full=dict(rows=8192, n=5120), small=dict(rows=7, n=300))
def quantise_rows_int8(device, rows, n):
    x = normal(device, rows, n)
    o = torch.empty(rows, n, device=device, dtype=torch.int8)
    scales = torch.empty(rows, device=device)

    def launch(**options):
        start(int8_rows_kernel, (rows,), x, o, scales, x.stride(0), n,
              BLOCK=triton.next_power_of_2(n), **options)  # fmt: skip

    def reference():
        scale = x.float().abs().amax(1) / 127
        y = x.float() / scale[:, None]
        return (y.abs() + 0.5).floor().mul(y.sign()).to(torch.int8), scale

    return Work(launch, (o, scales), reference)


@triton.jit
def fp8_groups_kernel(x_ptr, o_ptr, scale_ptr, stride, n, GROUP: tl.constexpr, MANY: tl.constexpr):
    """A factor for each group of a row's elements, of which a program has MANY."""
    row = tl.program_id(0).to(tl.int64)
    group = tl.program_id(1) * MANY + tl.arange(0, MANY)
    c = group[:, None] * GROUP + tl.arange(0, GROUP)[None, :]
    x = tl.load(x_ptr + row * stride + c, mask=c < n, other=0.0).to(tl.float32)
    scale = tl.maximum(tl.max(tl.abs(x), axis=1), 1e-4) / 448
    y = tl.minimum(tl.maximum(x / scale[:, None], -448.0), 448.0)
    tl.store(o_ptr + row * n + c, y.to(o_ptr.dtype.element_ty), mask=c < n)
    groups = n // GROUP
    tl.store(scale_ptr + row * groups + group, scale, mask=group < groups)


# What lies half way between two numbers of 8 bits goes either way, as the division is rounded.
@case([config(1, MANY=1), config(4, MANY=8), config(4, MANY=32)],
      full=dict(rows=8192, n=7168), small=dict(rows=7, n=640), bound=2e-2)  # fmt: skip
def quantise_groups_fp8(device, rows, n):
    x = normal(device, rows, n, dtype=torch.bfloat16)
    o = torch.empty(rows, n, device=device, dtype=torch.float8_e4m3fn)
    scales = torch.empty(rows, n // 128, device=device)

    def launch(MANY, **options):
        start(fp8_groups_kernel, (rows, triton.cdiv(n // 128, MANY)), x, o, scales, x.stride(0), n,
              GROUP=128, MANY=MANY, **options)  # fmt: skip

    def reference():
        groups = x.float().view(rows, -1, 128)
        scale = groups.abs().amax(2).clamp(min=1e-4) / 448
        y = (groups / scale[..., None]).clamp(-448, 448)
        return y.view(rows, n).to(torch.float8_e4m3fn), scale

    return Work(launch, (o, scales), reference)


@triton.jit
def transpose_kernel(
    x_ptr, o_ptr, rows, cols, sxb, sxr, sxc, sob, sor, soc, BR: tl.constexpr, BC: tl.constexpr
):
    x_ptr += tl.program_id(2) * sxb
    o_ptr += tl.program_id(2) * sob
    r = tl.program_id(0) * BR + tl.arange(0, BR)
    c = tl.program_id(1) * BC + tl.arange(0, BC)
    mask = (r[:, None] < rows) & (c[None, :] < cols)
    x = tl.load(x_ptr + r[:, None] * sxr + c[None, :] * sxc, mask=mask)
    tl.store(o_ptr + r[:, None] * sor + c[None, :] * soc, x, mask=mask)


@case([config(4, BR=32, BC=64), config(4, BR=64, BC=64), config(8, BR=128, BC=64)],
      full=dict(batch=16, rows=2048, cols=1000), small=dict(batch=2, rows=70, cols=90),
      bound=0)  # fmt: skip
def transpose_copy(device, batch, rows, cols):
    x = normal(device, batch, rows, cols)
    o = torch.empty(batch, cols, rows, device=device, dtype=x.dtype)

    def launch(BR, BC, **options):
        grid = (triton.cdiv(rows, BR), triton.cdiv(cols, BC), batch)
        sob, soc, sor = o.stride()
        start(transpose_kernel, grid, x, o, rows, cols, *x.stride(), sob, sor, soc, BR=BR, BC=BC,
              **options)  # fmt: skip

    return Work(launch, (o,), lambda: (x.transpose(1, 2),))


@triton.jit
def gather_kernel(x_ptr, at_ptr, o_ptr, n, sx, so, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    source = tl.load(at_ptr + row).to(tl.int64)
    for first in range(0, n, BLOCK):
        c = first + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + source * sx + c, mask=c < n)
        tl.store(o_ptr + row.to(tl.int64) * so + c, x, mask=c < n)


@case([config(4, 2, BLOCK=1024), config(4, 1, BLOCK=4096), config(8, 1, BLOCK=8192)],
      full=dict(rows=32768, sources=4096, n=4096), small=dict(rows=9, sources=5, n=130),
      bound=0)  # fmt: skip
def gather_rows(device, rows, sources, n):
    """Tokens in the order of their experts."""
    x = normal(device, sources, n, dtype=torch.bfloat16)
    at = torch.randint(0, sources, (rows,), device=device, dtype=torch.int32)
    o = torch.empty(rows, n, device=device, dtype=x.dtype)

    def launch(**options):
        start(gather_kernel, (rows,), x, at, o, n, x.stride(0), o.stride(0), **options)

    return Work(launch, (o,), lambda: (x[at.long()],))


@triton.jit
def compact_count_kernel(x_ptr, count_ptr, n, limit, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(count_ptr + tl.program_id(0), tl.sum((x > limit).to(tl.int32), axis=0))


@triton.jit
def compact_write_kernel(x_ptr, begin_ptr, o_ptr, n, limit, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    keep = (x > limit).to(tl.int32)
    at = tl.load(begin_ptr + tl.program_id(0)) + tl.cumsum(keep, axis=0) - keep
    tl.store(o_ptr + at, x, mask=keep != 0)


@triton.jit
def compact_begin_kernel(count_ptr, begin_ptr, blocks, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    counts = tl.load(count_ptr + i, mask=i < blocks, other=0)
    tl.store(begin_ptr + i, tl.cumsum(counts, axis=0) - counts, mask=i < blocks)


@case([config(4, BLOCK=4096), config(8, BLOCK=4096), config(8, BLOCK=8192)],
      full=dict(n=1 << 24), small=dict(n=20001), bound=0)  # fmt: skip
def compaction(device, n):
    """Elements above a limit, one behind the other: counts, where they begin, the elements."""
    x = torch.rand(n, device=device)
    o = torch.empty_like(x)
    counts, begins = torch.empty(2, triton.cdiv(n, 4096), device=device, dtype=torch.int32)

    def launch(BLOCK, **options):
        blocks = triton.cdiv(n, BLOCK)
        start(compact_count_kernel, (blocks,), x, counts, n, 0.7, BLOCK=BLOCK, **options)
        start(compact_begin_kernel, (1,), counts, begins, blocks,
              BLOCK=triton.next_power_of_2(blocks), num_warps=8)  # fmt: skip
        start(compact_write_kernel, (blocks,), x, begins, o, n, 0.7, BLOCK=BLOCK, **options)

    def reference():
        kept = x[x > 0.7]
        return (torch.cat([kept, torch.zeros(n - len(kept), device=device)]),)

    return Work(launch, (o,), reference, o.zero_)


@triton.jit
def columns_kernel(x_ptr, sum_ptr, rows, cols, stride, BR: tl.constexpr, BC: tl.constexpr):
    """Sums of columns, as a bias has its gradient: programs share the rows."""
    c = tl.program_id(0) * BC + tl.arange(0, BC)
    acc = tl.zeros([BR, BC], dtype=tl.float32)
    for first in range(tl.program_id(1) * BR, rows, tl.num_programs(1) * BR):
        r = first + tl.arange(0, BR)
        mask = (r[:, None] < rows) & (c[None, :] < cols)
        acc += tl.load(x_ptr + r[:, None] * stride + c[None, :], mask=mask, other=0.0)
    tl.atomic_add(sum_ptr + c, tl.sum(acc, axis=0), mask=c < cols)


@case([config(4, 2, BR=16, BC=128), config(4, 3, BR=32, BC=64), config(8, 2, BR=64, BC=64)],
      full=dict(rows=16384, cols=4096), small=dict(rows=70, cols=130))  # fmt: skip
def column_sums(device, rows, cols):
    x = normal(device, rows, cols)
    o = torch.empty(cols, device=device)

    def launch(BC, **options):
        start(columns_kernel, (triton.cdiv(cols, BC), 16), x, o, rows, cols, x.stride(0), BC=BC,
              **options)  # fmt: skip

    return Work(launch, (o,), lambda: (x.float().sum(0),), o.zero_)
