"""Norms and softmax, forward and backward."""

import torch
import torch.nn.functional as F

from .case import Work, case, config, normal, start, tl, triton, warps


@triton.jit
def layer_norm_kernel(
    x_ptr, y_ptr, w_ptr, b_ptr, mean_ptr, rstd_ptr, stride, n, eps, BLOCK: tl.constexpr
):
    """A row in a loop of blocks, three times."""
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * stride
    y_ptr += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for first in range(0, n, BLOCK):
        c = first + tl.arange(0, BLOCK)
        acc += tl.load(x_ptr + c, mask=c < n, other=0.0).to(tl.float32)
    mean = tl.sum(acc, axis=0) / n
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for first in range(0, n, BLOCK):
        c = first + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + c, mask=c < n, other=0.0).to(tl.float32)
        x = tl.where(c < n, x - mean, 0.0)
        acc += x * x
    rstd = 1 / tl.sqrt(tl.sum(acc, axis=0) / n + eps)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)
    for first in range(0, n, BLOCK):
        c = first + tl.arange(0, BLOCK)
        w = tl.load(w_ptr + c, mask=c < n)
        b = tl.load(b_ptr + c, mask=c < n)
        x = tl.load(x_ptr + c, mask=c < n, other=0.0).to(tl.float32)
        tl.store(y_ptr + c, (x - mean) * rstd * w + b, mask=c < n)


@case([config(4, BLOCK=1024), config(8, BLOCK=4096), config(8, BLOCK=8192)],
      full=dict(rows=8192, n=5120), small=dict(rows=5, n=1300))  # fmt: skip
def layer_norm_forward(device, rows, n):
    x, y = normal(device, rows, n), torch.empty(rows, n, device=device, dtype=torch.float16)
    w, b = (normal(device, n) for _ in range(2))
    mean, rstd = (torch.empty(rows, device=device) for _ in range(2))

    def launch(**options):
        start(layer_norm_kernel, (rows,), x, y, w, b, mean, rstd, x.stride(0), n, 1e-5, **options)

    def reference():
        wide = x.float()
        return (F.layer_norm(wide, (n,), w.float(), b.float()), wide.mean(1),
                torch.rsqrt(wide.var(1, correction=0) + 1e-5))  # fmt: skip

    return Work(launch, (y, mean, rstd), reference)


@triton.jit
def layer_norm_dx_kernel(
    dx_ptr, dy_ptr, dw_ptr, db_ptr, x_ptr, w_ptr, mean_ptr, rstd_ptr, lock_ptr, stride, n,
    GROUPS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Rows add what they have of the weights' gradients to the sums of their group, under a lock.
    Behind the locks is whether a group has sums yet.
    """
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    mask = c < n
    x = tl.load(x_ptr + row * stride + c, mask=mask, other=0).to(tl.float32)
    dy = tl.load(dy_ptr + row * stride + c, mask=mask, other=0).to(tl.float32)
    w = tl.load(w_ptr + c, mask=mask).to(tl.float32)
    rstd = tl.load(rstd_ptr + row)
    xhat = tl.where(mask, (x - tl.load(mean_ptr + row)) * rstd, 0.0)
    wdy = tl.where(mask, w * dy, 0.0)
    c1 = tl.sum(xhat * wdy, axis=0) / n
    c2 = tl.sum(wdy, axis=0) / n
    tl.store(dx_ptr + row * stride + c, (wdy - (xhat * c1 + c2)) * rstd, mask=mask)
    group = row % GROUPS
    dw_ptr += group * n + c
    db_ptr += group * n + c
    dw = dy * xhat
    db = dy
    while tl.atomic_cas(lock_ptr + group, 0, 1) == 1:
        pass
    if tl.load(lock_ptr + GROUPS + group) == 0:
        tl.atomic_xchg(lock_ptr + GROUPS + group, 1)
    else:
        dw += tl.load(dw_ptr, mask=mask)
        db += tl.load(db_ptr, mask=mask)
    tl.store(dw_ptr, dw, mask=mask)
    tl.store(db_ptr, db, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr + group, 0)


@triton.jit
def sum_groups_kernel(
    dw_ptr, db_ptr, to_w_ptr, to_b_ptr, groups, n, BM: tl.constexpr, BN: tl.constexpr
):
    c = tl.program_id(0) * BN + tl.arange(0, BN)
    dw = tl.zeros([BM, BN], dtype=tl.float32)
    db = tl.zeros([BM, BN], dtype=tl.float32)
    for i in range(0, groups, BM):
        r = i + tl.arange(0, BM)
        mask = (r[:, None] < groups) & (c[None, :] < n)
        at = r[:, None] * n + c[None, :]
        dw += tl.load(dw_ptr + at, mask=mask, other=0.0)
        db += tl.load(db_ptr + at, mask=mask, other=0.0)
    tl.store(to_w_ptr + c, tl.sum(dw, axis=0), mask=c < n)
    tl.store(to_b_ptr + c, tl.sum(db, axis=0), mask=c < n)


@case(warps(4, 8, 16), full=dict(rows=8192, n=4096, groups=96), small=dict(rows=9, n=300, groups=4))
def layer_norm_backward(device, rows, n, groups):
    x, dy, w = normal(device, rows, n), normal(device, rows, n), normal(device, n)
    dx = torch.empty_like(x)
    mean = x.float().mean(1)
    rstd = torch.rsqrt(x.float().var(1, correction=0) + 1e-5)
    dw, db = (torch.empty(groups, n, device=device) for _ in range(2))
    locks = torch.empty(2 * groups, device=device, dtype=torch.int32)
    sums = torch.empty(2, n, device=device)

    def launch(**options):
        locks.zero_()
        start(layer_norm_dx_kernel, (rows,), dx, dy, dw, db, x, w, mean, rstd, locks, x.stride(0),
              n, GROUPS=groups, BLOCK=triton.next_power_of_2(n), **options)  # fmt: skip
        start(sum_groups_kernel, (triton.cdiv(n, 128),), dw, db, sums[0], sums[1], groups, n, BM=32,
              BN=128)  # fmt: skip

    def reference():
        wide = [t.float().requires_grad_() for t in (x, w, torch.zeros_like(w))]
        y = F.layer_norm(wide[0], (n,), wide[1], wide[2])
        grads = torch.autograd.grad(y, wide, dy.float())
        return grads[0], torch.stack(grads[1:])

    return Work(launch, (dx, sums), reference)


@triton.jit
def rms_norm_kernel(
    x_ptr, res_ptr, y_ptr, w_ptr, rstd_ptr, sx, sr, sy, n, eps, ADD: tl.constexpr,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """ADD: the residual becomes the sum of it and x, which is what is normalised."""
    row = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    mask = c < n
    x = tl.load(x_ptr + row * sx + c, mask=mask, other=0.0)
    if ADD:
        x += tl.load(res_ptr + row * sr + c, mask=mask, other=0.0)
        tl.store(res_ptr + row * sr + c, x, mask=mask)
    x = x.to(tl.float32)
    rstd = tl.rsqrt(tl.sum(x * x, axis=0) / n + eps)
    tl.store(rstd_ptr + row, rstd)
    w = tl.load(w_ptr + c, mask=mask)
    tl.store(y_ptr + row * sy + c, (x * rstd).to(w.dtype) * w, mask=mask)


def rms_norm(device, rows, n, add):
    x, w = (normal(device, *s, dtype=torch.bfloat16) for s in ((rows, n), (n,)))
    before = normal(device, rows, n, dtype=torch.bfloat16)
    y, residual = (torch.empty_like(x) for _ in range(2))
    rstd = torch.empty(rows, device=device)

    def launch(**options):
        start(rms_norm_kernel, (rows,), x, residual, y, w, rstd, x.stride(0), residual.stride(0),
              y.stride(0), n, 1e-6, ADD=add, BLOCK=triton.next_power_of_2(n),
              **options)  # fmt: skip

    def reference():
        wide = x + before if add else x
        scale = torch.rsqrt(wide.float().pow(2).mean(1) + 1e-6)
        y = wide.float() * scale[:, None] * w.float()
        return (y, scale, wide) if add else (y, scale)

    outputs = (y, rstd, residual) if add else (y, rstd)
    return Work(launch, outputs, reference, lambda: residual.copy_(before))


ROWS = dict(full=dict(rows=16384, n=4096), small=dict(rows=5, n=300))


@case(warps(4, 8, 16), **ROWS, bound=5e-3)
def rms_norm_forward(device, rows, n):
    return rms_norm(device, rows, n, False)


@case(warps(4, 8, 16), **ROWS, bound=5e-3)
def add_rms_norm(device, rows, n):
    return rms_norm(device, rows, n, True)


@triton.jit
def rms_norm_dx_kernel(
    dy_ptr, x_ptr, w_ptr, rstd_ptr, dx_ptr, dw_ptr, stride, rows, n, per_program,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """A program has several rows, and a row of the weights' gradients."""
    program = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    mask = c < n
    w = tl.load(w_ptr + c, mask=mask, other=0.0).to(tl.float32)
    dw = tl.zeros([BLOCK], dtype=tl.float32)
    first = program * per_program
    for row in range(first, tl.minimum(first + per_program, rows)):
        x = tl.load(x_ptr + row * stride + c, mask=mask, other=0.0).to(tl.float32)
        dy = tl.load(dy_ptr + row * stride + c, mask=mask, other=0.0).to(tl.float32)
        rstd = tl.load(rstd_ptr + row)
        m = dy * w
        dx = rstd * m - (rstd * rstd * rstd / n) * tl.sum(m * x, axis=0) * x
        tl.store(dx_ptr + row * stride + c, dx.to(dx_ptr.dtype.element_ty), mask=mask)
        dw += dy * x * rstd
    tl.store(dw_ptr + program * n + c, dw, mask=mask)


@case(warps(4, 8, 16), **ROWS, bound=5e-3)
def rms_norm_backward(device, rows, n, programs=132):
    x, dy = (normal(device, rows, n, dtype=torch.bfloat16) for _ in range(2))
    w = normal(device, n, dtype=torch.bfloat16)
    rstd = torch.rsqrt(x.float().pow(2).mean(1) + 1e-6)
    dx, dw = torch.empty_like(x), torch.empty(programs, n, device=device)

    def launch(**options):
        start(rms_norm_dx_kernel, (programs,), dy, x, w, rstd, dx, dw, x.stride(0), rows, n,
              triton.cdiv(rows, programs), BLOCK=triton.next_power_of_2(n), **options)  # fmt: skip

    def reference():
        wide = [t.float().requires_grad_() for t in (x, w)]
        y = F.rms_norm(wide[0], (n,), wide[1], 1e-6)
        dx, total = torch.autograd.grad(y, wide, dy.float())
        per = triton.cdiv(rows, programs)
        parts = F.pad(dy.float() * x.float() * rstd[:, None], (0, 0, 0, per * programs - rows))
        return dx, parts.view(programs, per, n).sum(1)

    return Work(launch, (dx, dw), reference)


@triton.jit
def group_norm_kernel(
    x_ptr, y_ptr, w_ptr, b_ptr, size, per_group, hw, groups, eps, BLOCK: tl.constexpr
):
    """A group of channels of an image is contiguous."""
    at = tl.program_id(0).to(tl.int64) * size
    total = tl.zeros([BLOCK], dtype=tl.float32)
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for first in range(0, size, BLOCK):
        i = first + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + at + i, mask=i < size, other=0.0).to(tl.float32)
        total += x
        squares += x * x
    mean = tl.sum(total, axis=0) / size
    rstd = tl.rsqrt(tl.sum(squares, axis=0) / size - mean * mean + eps)
    for first in range(0, size, BLOCK):
        i = first + tl.arange(0, BLOCK)
        channel = (tl.program_id(0) % groups) * per_group + i // hw
        w = tl.load(w_ptr + channel, mask=i < size)
        b = tl.load(b_ptr + channel, mask=i < size)
        x = tl.load(x_ptr + at + i, mask=i < size, other=0.0).to(tl.float32)
        tl.store(y_ptr + at + i, (x - mean) * rstd * w + b, mask=i < size)


@case([config(4, BLOCK=1024), config(8, BLOCK=4096), config(16, BLOCK=8192)],
      full=dict(images=32, channels=512, side=64, groups=32),
      small=dict(images=2, channels=12, side=9, groups=3))  # fmt: skip
def group_norm(device, images, channels, side, groups):
    x, w, b = normal(device, images, channels, side, side), *normal(device, 2, channels)
    y = torch.empty_like(x)
    per, hw = channels // groups, side * side

    def launch(**options):
        start(group_norm_kernel, (images * groups,), x, y, w, b, per * hw, per, hw, groups, 1e-5,
              **options)  # fmt: skip

    return Work(launch, (y,), lambda: (F.group_norm(x.float(), groups, w.float(), b.float()),))


@triton.jit
def masked_softmax_kernel(x_ptr, mask_ptr, y_ptr, n, scale, heads, BLOCK: tl.constexpr):
    """Scores of a head, whose mask all heads of an image share; a row with nothing is zero."""
    i = tl.program_id(0)
    head = tl.program_id(1)
    c = tl.arange(0, BLOCK)
    row = (head * tl.num_programs(0) + i).to(tl.int64) * n
    x = tl.load(x_ptr + row + c, mask=c < n, other=0.0).to(tl.float32) * scale
    at = ((head // heads) * tl.num_programs(0) + i).to(tl.int64) * n
    hidden = tl.load(mask_ptr + at + c, mask=c < n, other=1)
    x = tl.where(hidden != 0, -10000.0, x)
    top = tl.max(x, axis=0)
    p = tl.exp(x - top)
    y = tl.where(top == -10000.0, 0.0, p / tl.sum(tl.where(c < n, p, 0.0), axis=0))
    tl.store(y_ptr + row + c, y.to(y_ptr.dtype.element_ty), mask=c < n)


@case(warps(2, 4, 8), full=dict(images=4, heads=16, n=1500), small=dict(images=2, heads=3, n=70))
def masked_softmax(device, images, heads, n):
    x = normal(device, images, heads, n, n)
    hidden = (torch.rand(images, n, n, device=device) < 0.3).to(torch.uint8)
    y = torch.empty_like(x)

    def launch(**options):
        start(masked_softmax_kernel, (n, images * heads), x, hidden, y, n, 0.125, heads,
              BLOCK=triton.next_power_of_2(n), **options)  # fmt: skip

    def reference():
        s = (x.float() * 0.125).masked_fill(hidden[:, None] != 0, -10000.0)
        return (torch.softmax(s, 3),)

    return Work(launch, (y,), reference)
