"""Slow and fast kernels that add up: test_explain_pairs.py."""

import tritium as triton
import tritium.language as tl


@triton.jit
def row_totals(x, out, rows, BLOCK: tl.constexpr):
    """A program adds up rows one after the other."""
    i = tl.arange(0, BLOCK)
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        tl.store(out + row, tl.sum(tl.load(x + row * BLOCK + i), axis=0))


@triton.jit
def totals(x, out, n, BLOCK: tl.constexpr):
    """Each program adds up all of x."""
    total = tl.zeros((BLOCK,), tl.int32)
    for start in range(0, n, BLOCK):
        total += tl.load(x + start + tl.arange(0, BLOCK)).to(tl.int32)
    tl.store(out + tl.program_id(0), tl.sum(total, axis=0))


@triton.jit
def totals_of_even(x, out, n, BLOCK: tl.constexpr):
    """Each program adds up every other element of x, by a mask that is another at the next."""
    total = tl.zeros((BLOCK,), tl.int32)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        total += tl.load(x + i, mask=i % 2 == 0, other=0).to(tl.int32)
    tl.store(out + tl.program_id(0), tl.sum(total, axis=0))


@triton.jit
def totals_of_even_chosen(x, out, n, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), tl.int32)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        total += tl.where(i % 2 == 0, tl.load(x + i), 0).to(tl.int32)
    tl.store(out + tl.program_id(0), tl.sum(total, axis=0))


@triton.jit
def total_by_elements(x, out, BLOCK: tl.constexpr):
    """Each element is added to one number in memory."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out + i * 0, tl.load(x + i))


@triton.jit
def total_by_programs(x, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out, tl.sum(tl.load(x + i), axis=0))


@triton.jit
def histogram_in_memory(x, out, BLOCK: tl.constexpr, BINS: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out + tl.load(x + i) % BINS, 1)


@triton.jit
def histogram_in_tile(x, out, BLOCK: tl.constexpr, BINS: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    counts = tl.histogram(tl.load(x + i) % BINS, BINS)
    tl.atomic_add(out + tl.arange(0, BINS), counts)
