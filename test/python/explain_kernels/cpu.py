"""Slow and fast kernels for CPUs: test_explain_cpu.py."""

import tritium as triton
import tritium.language as tl


@triton.jit
def by_index(x, index, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + tl.load(index + i)))


@triton.jit
def by_start(x, index, out, BLOCK: tl.constexpr):
    """Runs that begin where a list says."""
    start = tl.load(index + tl.program_id(0))
    i = tl.arange(0, BLOCK)
    tl.store(out + tl.program_id(0) * BLOCK + i, tl.load(x + start + i))


@triton.jit
def column(x, out, pitch, BLOCK: tl.constexpr):
    """A program takes a column."""
    i = tl.arange(0, BLOCK)
    tl.store(out + tl.program_id(0) * BLOCK + i, tl.load(x + i * pitch + tl.program_id(0)))


@triton.jit
def columns(x, out, pitch, BLOCK: tl.constexpr):
    """A program takes some columns at once."""
    i, j = tl.arange(0, BLOCK), tl.program_id(0) * 16 + tl.arange(0, 16)
    tile = tl.load(x + i[:, None] * pitch + j[None, :])
    tl.store(out + j[:, None] * BLOCK + i[None, :], tl.trans(tile))


@triton.jit
def some(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i % 3 != 0, other=0.0), mask=i % 5 != 0)


@triton.jit
def first(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n, other=0.0), mask=i < n)


@triton.jit
def product(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i, j, k = tl.arange(0, BM)[:, None], tl.arange(0, BN)[None, :], tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        total = tl.dot(tl.load(a + i * K + start + k[None, :]),
                       tl.load(b + (start + k[:, None]) * BN + j), total)
    tl.store(c + i * BN + j, total)
