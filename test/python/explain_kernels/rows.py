"""Kernels of rows and of steps of time whose times are estimated before they are measured."""

import tritium as triton
import tritium.language as tl


@triton.jit
def places_of_maxima(x, out, n, BLOCK: tl.constexpr):
    """A row in a loop of blocks."""
    i = tl.arange(0, BLOCK)
    best = tl.full((BLOCK,), -float("inf"), tl.float32)
    at = tl.zeros((BLOCK,), tl.int32)
    for first in range(0, n, BLOCK):
        value = tl.load(x + tl.program_id(0) * n + first + i)
        at = tl.where(value > best, first + i, at)
        best = tl.maximum(value, best)
    top = tl.max(best, 0)
    tl.store(out + tl.program_id(0), tl.min(tl.where(best == top, at, n), 0))


@triton.jit
def weighted_means(decay, keys, values, out, steps, channels, BLOCK: tl.constexpr):
    """Means along time in which older values count less, a step at a time."""
    c = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    w = tl.load(decay + c)
    at = tl.program_id(1) * steps * channels + c
    above = tl.zeros((BLOCK,), tl.float32)
    below = tl.zeros((BLOCK,), tl.float32)
    top = tl.full((BLOCK,), -1e38, tl.float32)
    for _ in range(steps):
        k = tl.load(keys + at).to(tl.float32)
        v = tl.load(values + at).to(tl.float32)
        new = tl.maximum(top + w, k)
        old_part, new_part = tl.exp(top + w - new), tl.exp(k - new)
        above = old_part * above + new_part * v
        below = old_part * below + new_part
        tl.store(out + at, above / below)
        top = new
        at += channels


@triton.jit
def running_sums(x, out, n, BLOCK: tl.constexpr):
    """Of a row, in a loop of blocks that hands the sum so far on."""
    i = tl.arange(0, BLOCK)
    total = 0.0
    for first in range(0, n, BLOCK):
        at = tl.program_id(0) * n + first + i
        value = tl.load(x + at)
        tl.store(out + at, total + tl.cumsum(value, 0))
        total += tl.sum(value, 0)
