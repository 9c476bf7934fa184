"""Kernels that one thing bounds: how long it takes on a GPU is measured by them."""

import tritium as triton
import tritium.language as tl


@triton.jit
def nothing(out, last):
    """Programs that start and end."""
    if tl.program_id(0) > last:
        tl.store(out, 1)


@triton.jit
def chain(x, out, rounds, STRIDE: tl.constexpr):
    """Loads of which each waits for the one before, where x holds 0, 1, 2, ...: of one number,
    which the L2 has, or of others, which memory has."""
    i = 0
    for _ in range(rounds):
        i = tl.load(x + i, cache_modifier=".cg") + STRIDE
    tl.store(out, i)


@triton.jit
def pieces(x, out, rounds, PITCH: tl.constexpr, PIECE: tl.constexpr, COUNT: tl.constexpr):
    """Each program reads all of x, of which the L2 has pieces that are PITCH numbers apart."""
    at = tl.arange(0, COUNT)[:, None] * PITCH + tl.arange(0, PIECE)[None, :]
    total = tl.zeros((COUNT, PIECE), tl.float32)
    first = tl.program_id(0) * 7
    for r in range(first, first + rounds):
        total += tl.load(x + (r % rounds) * COUNT * PITCH + at, cache_modifier=".cg")
    to = tl.arange(0, COUNT)[:, None] * PIECE + tl.arange(0, PIECE)[None, :]
    tl.store(out + tl.program_id(0) * COUNT * PIECE + to, total)


@triton.jit
def requests(x, out, rounds, BLOCK: tl.constexpr):
    """Loads of what the first cache has."""
    i = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for r in range(rounds):
        total += tl.load(x + r % 8 * BLOCK + i).to(tl.float32)
    tl.store(out + tl.program_id(0) * BLOCK + i, total)


@triton.jit
def barriers(out, rounds):
    """Waits of all warps for each other."""
    for _ in range(rounds):
        tl.debug_barrier()
    tl.store(out, rounds)
