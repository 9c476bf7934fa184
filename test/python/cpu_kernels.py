"""Kernels that test_cpus.py and test_tiles.py compile; the others are those of the examples."""

import tritium as triton
import tritium.language as tl


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(x_ptr + i, i < n) + tl.load(y_ptr + i, i < n), i < n)


@triton.jit
def integers(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.int32)
    for first in range(0, K, BK):
        k = first + tl.arange(0, BK)
        a = tl.load(a_ptr + rows[:, None] * K + k, (rows[:, None] < M) & (k < K), other=0)
        b = tl.load(b_ptr + k[:, None] * N + columns, (k[:, None] < K) & (columns < N), other=0)
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + rows[:, None] * N + columns, acc, (rows[:, None] < M) & (columns < N))


@triton.jit
def rounds(a_ptr, b_ptr, c_ptr, M, N, K, bk, bn, BM: tl.constexpr, BN: tl.constexpr,
           BK: tl.constexpr, PRECISION: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    sums: tl.constexpr = c_ptr.dtype.element_ty
    acc = tl.zeros((BM, BN), sums)
    for first in range(0, K, BK):
        k = first + depth
        a = tl.load(a_ptr + rows[:, None] * K + k, (rows[:, None] < M) & (k < K), other=0)
        b = tl.load(b_ptr + k[:, None] * bk + columns * bn, (k[:, None] < K) & (columns < N),
                    other=0)
        acc = tl.dot(a, b, acc, input_precision=PRECISION)
    tl.store(c_ptr + rows[:, None] * N + columns, acc, (rows[:, None] < M) & (columns < N))


@triton.jit
def finished(a_ptr, b_ptr, bias_ptr, c_ptr, d_ptr, M, N, K, scale, BM: tl.constexpr,
             BN: tl.constexpr, BK: tl.constexpr):
    """The sums, and what follows of them element by element."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), d_ptr.dtype.element_ty)
    for first in range(0, K, BK):
        k = first + depth
        a = tl.load(a_ptr + rows[:, None] * K + k, k < K, other=0)
        b = tl.load(b_ptr + k[:, None] * N + columns, k[:, None] < K, other=0)
        acc = tl.dot(a, b, acc, input_precision="bf16x3")
    inside = (rows[:, None] < M) & (columns < N)
    bias = tl.load(bias_ptr + columns, columns < N)
    tl.store(d_ptr + rows[:, None] * N + columns, acc, inside)
    tl.store(c_ptr + rows[:, None] * N + columns,
             tl.maximum(acc * scale + bias, 0).to(c_ptr.dtype.element_ty), inside)


@triton.jit
def overwritten(x_ptr, b_ptr, M, BM: tl.constexpr, N: tl.constexpr, BK: tl.constexpr):
    """x = x @ b, by rows."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns, depth = tl.arange(0, N), tl.arange(0, BK)
    acc = tl.zeros((BM, N), tl.float32)
    for k in range(0, N, BK):
        x = tl.load(x_ptr + rows[:, None] * N + (k + depth))
        acc = tl.dot(x, tl.load(b_ptr + (k + depth)[:, None] * N + columns), acc)
    tl.store(x_ptr + rows[:, None] * N + columns, acc.to(x_ptr.dtype.element_ty))


@triton.jit
def batched(a_ptr, b_ptr, c_ptr, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr,
            K: tl.constexpr):
    batch, m, n, k = tl.arange(0, B), tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + (batch[:, None, None] * M + m[None, :, None]) * K + k[None, None, :])
    b = tl.load(b_ptr + (batch[:, None, None] * K + k[None, :, None]) * N + n[None, None, :])
    c = c_ptr + (batch[:, None, None] * M + m[None, :, None]) * N + n[None, None, :]
    tl.store(c, tl.dot(a, b, tl.load(c)))


@triton.jit
def reductions(x_ptr, sums_ptr, tops_ptr, places_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    rows, columns = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, BN)
    inside = (rows[:, None] < M) & (columns < N)
    at = rows[:, None] * N + columns
    tl.store(sums_ptr + rows, tl.sum(tl.load(x_ptr + at, inside, other=0), 1), rows < M)
    x = tl.load(x_ptr + at, inside, other=-float("inf"))
    tl.store(tops_ptr + rows, tl.max(x, 1), rows < M)
    tl.store(places_ptr + rows, tl.argmax(x, 1), rows < M)


@triton.jit
def extremes(x_ptr, tops_ptr, lows_ptr, M: tl.constexpr, N: tl.constexpr):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    x = tl.load(x_ptr + rows[:, None] * N + tl.arange(0, N)) * 2.0
    tl.store(tops_ptr + rows, tl.max(x, 1))
    tl.store(lows_ptr + rows, tl.min(x, 1))


@triton.jit
def scans(x_ptr, out_ptr, back_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    at = tl.program_id(0) * n + i
    x = tl.load(x_ptr + at, i < n, other=0)
    tl.store(out_ptr + at, tl.cumsum(x, 0), i < n)
    tl.store(back_ptr + at, tl.cumsum(x, 0, reverse=True), i < n)


@triton.jit
def cast(x_ptr, out_ptr, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    x = tl.load(x_ptr + i, i < n, other=0)
    tl.store(out_ptr + i, x.to(out_ptr.dtype.element_ty), i < n)


@triton.jit
def atomics(x_ptr, counts_ptr, sum_ptr, top_ptr, lock_ptr, plain_ptr, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    x = tl.load(x_ptr + i, i < n, other=0)
    tl.atomic_add(counts_ptr + x % 16, 1, i < n)
    tl.atomic_add(sum_ptr, tl.sum(x.to(tl.float32), 0))
    tl.atomic_max(top_ptr, tl.max(x, 0))
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.store(plain_ptr, tl.load(plain_ptr) + 1)
    tl.atomic_xchg(lock_ptr, 0)


@triton.jit
def functions(x_ptr, out_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i, i < n, other=1)
    for which in tl.static_range(8):
        if which == 0:
            y = tl.exp(x)
        elif which == 1:
            y = tl.log(tl.abs(x))
        elif which == 2:
            y = tl.sin(x)
        elif which == 3:
            y = tl.cos(x)
        elif which == 4:
            y = tl.erf(x)
        elif which == 5:
            y = tl.sqrt(tl.abs(x))
        elif which == 6:
            y = tl.exp2(x)
        else:
            y = tl.floor(x)
        tl.store(out_ptr + which * n + i, y, i < n)


@triton.jit
def rearranged(x_ptr, index_ptr, sorted_ptr, turned_ptr, picked_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i[:, None] * N + i)
    tl.store(sorted_ptr + i[:, None] * N + i, tl.sort(x))
    tl.store(turned_ptr + i[:, None] * N + i, tl.trans(x))
    tl.store(picked_ptr + i, tl.load(x_ptr + tl.load(index_ptr + i)))
