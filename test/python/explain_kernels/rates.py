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
def again(x, out, parts, BLOCK: tl.constexpr, ROUNDS: tl.constexpr):
    """Each program reads what no other one does, all of it again and again."""
    i = tl.arange(0, BLOCK)
    first = tl.program_id(0) * parts * BLOCK
    total = tl.zeros((BLOCK,), tl.float32)
    for _ in range(ROUNDS):
        for part in range(parts):
            total += tl.load(x + first + part * BLOCK + i, cache_modifier=".cg")
    tl.store(out + tl.program_id(0) * BLOCK + i, total)


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


@triton.jit
def columns(x, out, rows, PITCH: tl.constexpr, WIDTH: tl.constexpr, ROWS: tl.constexpr):
    """Sums of blocks of columns of a matrix whose rows are PITCH numbers apart; programs along the
    second axis share the rows."""
    column = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    at = tl.arange(0, ROWS)[:, None] * PITCH + column[None, :]
    total = tl.zeros((ROWS, WIDTH), tl.float32)
    first = tl.program_id(1) * rows
    for r in range(first, first + rows, ROWS):
        total += tl.load(x + r * PITCH + at)
    tl.store(out + tl.program_id(1) * PITCH + column, tl.sum(total, 0))


@triton.jit
def changes(out, rounds, BLOCK: tl.constexpr, STRIDE: tl.constexpr):
    """Atomics on numbers that are STRIDE apart, of each program its own, again and again."""
    at = (tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)) * STRIDE
    for _ in range(rounds):
        tl.atomic_add(out + at, 1, sem="relaxed")


@triton.jit
def shared_changes(out, rounds, BLOCK: tl.constexpr):
    """Atomics of all programs on the same numbers, neighbours in memory."""
    at = tl.arange(0, BLOCK)
    for _ in range(rounds):
        tl.atomic_add(out + at, 1, sem="relaxed")


@triton.jit
def near_chain(x, out, rounds):
    """Loads of one number, of which each waits for the one before, from the first cache."""
    i = 0
    for _ in range(rounds):
        i = tl.load(x + i)
    tl.store(out, i)


@triton.jit
def counts(out, rounds, BLOCK: tl.constexpr, BINS: tl.constexpr, STRIDE: tl.constexpr,
           SAME: tl.constexpr):
    """Histograms of numbers, the same in SAME neighbouring lanes, STRIDE apart in the next ones."""
    i = tl.arange(0, BLOCK) // SAME
    total = tl.zeros((BINS,), tl.int32)
    for r in range(rounds):
        total += tl.histogram((i * STRIDE + r) % BINS, BINS)
    tl.store(out + tl.program_id(0) * BINS + tl.arange(0, BINS), total)


@triton.jit
def counts_of(x, out, rounds, BLOCK: tl.constexpr, BINS: tl.constexpr):
    """Histograms of what x holds."""
    v = tl.load(x + tl.arange(0, BLOCK))
    total = tl.zeros((BINS,), tl.int32)
    for r in range(rounds):
        total += tl.histogram((v + r) % BINS, BINS)
    tl.store(out + tl.program_id(0) * BINS + tl.arange(0, BINS), total)


@triton.jit
def multiplications(x, out, rounds, BLOCK: tl.constexpr):
    """A multiplication with addition after the other."""
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    for _ in range(rounds):
        v = v * 0.5 + 1
    tl.store(out + i, v)


@triton.jit
def conversions(x, out, rounds, BLOCK: tl.constexpr):
    """Conversions of different numbers, to the type of `out`."""
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    total = tl.zeros((BLOCK,), out.dtype.element_ty)
    for _ in range(rounds):
        total += v.to(out.dtype.element_ty)
        v += 1
    tl.store(out + i, total)


@triton.jit
def powers(x, out, rounds, BLOCK: tl.constexpr):
    """A power of two after the other."""
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    for _ in range(rounds):
        v = tl.exp2(v) - 1
    tl.store(out + i, v)


@triton.jit
def sums(x, out, rounds, BLOCK: tl.constexpr):
    """A sum over all threads after the other: of one warp exchanges, of several shared memory and
    barriers, too."""
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    for _ in range(rounds):
        v = v * 0.5 + tl.sum(v, 0)
    tl.store(out + i, v)


@triton.jit
def scans(x, out, rounds, BLOCK: tl.constexpr):
    """Running sums, one after the other."""
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    for _ in range(rounds):
        v = tl.cumsum(v, 0) * 0.5
    tl.store(out + i, v)


@triton.jit
def transpositions(x, out, rounds, T: tl.constexpr):
    """A tile through shared memory and back."""
    i = tl.arange(0, T)
    v = tl.load(x + i[:, None] * T + i[None, :])
    for _ in range(rounds):
        v = tl.trans(v) * 0.5 + v
    tl.store(out + i[:, None] * T + i[None, :], v)


@triton.jit
def dots(x, out, rounds, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """Products of tiles that lie there, added up."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(x + m[:, None] * K + k[None, :])
    b = tl.load(x + k[:, None] * N + n[None, :])
    total = tl.zeros((M, N), tl.float32)
    for _ in range(rounds):
        total = tl.dot(a, b, total)
    tl.store(out + m[:, None] * N + n[None, :], total)


@triton.jit
def dots_of_dots(x, out, rounds, M: tl.constexpr, N: tl.constexpr):
    """Products each of which needs the one before."""
    m, n = tl.arange(0, M), tl.arange(0, N)
    a = tl.load(x + m[:, None] * N + n[None, :])
    b = tl.load(x + n[:, None] * N + n[None, :])
    for _ in range(rounds):
        a = (tl.dot(a, b) * 0.01).to(tl.float16)
    tl.store(out + m[:, None] * N + n[None, :], a)
