"""Slow and fast kernels that move memory, and some that are well: test_explain_pairs.py."""

import tritium as triton
import tritium.language as tl
from tritium.language.extra import libdevice


@triton.jit
def copy(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def rows_of_list(x, starts, out, BLOCK: tl.constexpr):
    """Rows that begin where a list says."""
    i = tl.arange(0, BLOCK)
    row = tl.program_id(0)
    start = tl.load(starts + row)
    tl.store(out + row * BLOCK + i, tl.load(x + start + i))


@triton.jit
def rows_of_list_promised(x, starts, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    row = tl.program_id(0)
    start = tl.multiple_of(tl.load(starts + row), 8)
    tl.store(out + row * BLOCK + i, tl.load(x + start + i))


@triton.jit
def add_rows(x, y, out, pitch, width, BLOCK: tl.constexpr):
    """Of matrices whose rows are `pitch` elements apart."""
    i = tl.arange(0, BLOCK)
    row = tl.program_id(0) * pitch
    mask = i < width
    tl.store(out + row + i, tl.load(x + row + i, mask=mask) + tl.load(y + row + i, mask=mask),
             mask=mask)


@triton.jit
def evens_and_odds(x, out, BLOCK: tl.constexpr):
    """Pairs of neighbours, read one by one."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + 2 * i) - tl.load(x + 2 * i + 1))


@triton.jit
def evens_and_odds_split(x, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * 2 * BLOCK + tl.arange(0, 2 * BLOCK)
    even, odd = tl.split(tl.load(x + i).reshape(BLOCK, 2))
    tl.store(out + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), even - odd)


@triton.jit
def transpose(x, out, n, m, T: tl.constexpr):
    i = tl.program_id(0) * T + tl.arange(0, T)
    j = tl.program_id(1) * T + tl.arange(0, T)
    tl.store(out + j[None, :] * n + i[:, None], tl.load(x + i[:, None] * m + j[None, :]))


@triton.jit
def softmax(out, x, width, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * width + i, mask=i < width, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * width + i, e / tl.sum(e, axis=0), mask=i < width)


@triton.jit
def stream(x, out, n, BLOCK: tl.constexpr):
    """As many programs as are launched share the blocks."""
    for start in range(tl.program_id(0) * BLOCK, n, tl.num_programs(0) * BLOCK):
        i = start + tl.arange(0, BLOCK)
        tl.store(out + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


@triton.jit
def scale_tile(x, factors, out, width, M: tl.constexpr, N: tl.constexpr):
    """A factor for each row, loaded for each element."""
    i = tl.program_id(0) * M + tl.arange(0, M)
    j = tl.arange(0, N)
    at = i[:, None] * width + j[None, :]
    factor = tl.load(factors + i[:, None] + 0 * j[None, :])
    tl.store(out + at, tl.load(x + at) * factor)


@triton.jit
def scale_tile_once(x, factors, out, width, M: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0) * M + tl.arange(0, M)
    j = tl.arange(0, N)
    at = i[:, None] * width + j[None, :]
    factor = tl.load(factors + i)[:, None]
    tl.store(out + at, tl.load(x + at) * factor)


@triton.jit
def decay_rows(out, x, width, BLOCK: tl.constexpr):
    """Much to compute for each element."""
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * width + i, mask=i < width, other=0.0)
    for _ in tl.static_range(24):
        v = v * 0.5 + v * v * 0.25
    tl.store(out + row * width + i, v, mask=i < width)


@triton.jit
def softmaxes(out, x, width, BLOCK: tl.constexpr):
    """The mean of softmaxes at several temperatures."""
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * width + i, mask=i < width, other=-float("inf")).to(tl.float32)
    v -= tl.max(v, axis=0)
    mean = tl.zeros((BLOCK,), tl.float32)
    for step in tl.static_range(1, 17):
        e = tl.exp(v * (step / 16))
        mean += e / (16 * tl.sum(e, axis=0))
    tl.store(out + row * width + i, mean, mask=i < width)


@triton.jit
def softmaxes_of_all_digits(out, x, width, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * width + i, mask=i < width, other=-float("inf")).to(tl.float32)
    v -= tl.max(v, axis=0)
    mean = tl.zeros((BLOCK,), tl.float32)
    for step in tl.static_range(1, 17):
        e = libdevice.exp(v * (step / 16))
        mean += e / (16 * tl.sum(e, axis=0))
    tl.store(out + row * width + i, mean, mask=i < width)


@triton.jit
def add_to_rows(x, row, out, rows, BLOCK: tl.constexpr):
    """A row that is loaded once is added to many."""
    i = tl.arange(0, BLOCK)
    added = tl.load(row + i)
    first = tl.program_id(0) * rows
    for r in range(first, first + rows):
        tl.store(out + r * BLOCK + i, tl.load(x + r * BLOCK + i) + added)


@triton.jit
def sum_turned(x, out, n, m, count, T: tl.constexpr):
    """The sum of many matrices, stored transposed at the end."""
    i = tl.program_id(0) * T + tl.arange(0, T)
    j = tl.program_id(1) * T + tl.arange(0, T)
    total = tl.zeros((T, T), tl.float32)
    for k in range(count):
        total += tl.load(x + k * n * m + i[:, None] * m + j[None, :])
    tl.store(out + j[None, :] * n + i[:, None], total)
