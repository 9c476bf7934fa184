"""Comparisons of indices with bounds of all sizes, some of them from memory: neither wraps."""

import numpy as np
import pytest
from support import assert_same

import tritium as triton
import tritium.language as tl

EXTREME = np.array([-2**31, -2**31 + 1, -5, -1, 0, 1, 17, 63, 64, 100, 2**31 - 2, 2**31 - 1],
                   np.int32)


@triton.jit
def rows_and_columns(out, begins, ends, first, M: tl.constexpr, N: tl.constexpr,
                     OP: tl.constexpr):
    i = tl.arange(0, M)
    t = first + tl.arange(0, N)
    low = tl.load(begins + i)[:, None]
    high = tl.load(ends + i)[:, None]
    t = t[None, :]
    length = high - low
    if OP == 0:
        seen = (t < length) & (t >= low)
    elif OP == 1:
        seen = (t <= length) | (t > high)
    elif OP == 2:
        seen = (length > t) & (high - t <= 40)
    else:
        seen = (length >= t) | (t - low < 3)
    # The offset makes indices what does not wrap.
    tl.store(out + i[:, None] * N + (t - first), seen.to(tl.int8))


def expected(low, high, t, op):
    low, high = low.astype(np.int64)[:, None], high.astype(np.int64)[:, None]
    length = high - low
    return [(t < length) & (t >= low), (t <= length) | (t > high),
            (length > t) & (high - t <= 40), (length >= t) | (t - low < 3)][op].astype(np.int8)


@pytest.mark.parametrize("op", range(4))
@pytest.mark.parametrize("first", (0, -2**31, -40, 2**31 - 64, 1000))
def test_bounds_from_memory(backend, op, first):
    """Differences of them take more than 32 bits, and so do those of them and an index."""
    low, high = (x.ravel()[:128].copy() for x in np.meshgrid(EXTREME, EXTREME))
    out = np.full((128, 64), 7, np.int8)
    rows_and_columns[(1,)](out, low, high, first, M=128, N=64, OP=op)
    assert_same(out, expected(low, high, first + np.arange(64, dtype=np.int64)[None], op))


@triton.jit
def in_loop(out, ends, n, N: tl.constexpr):
    end = tl.load(ends + tl.program_id(0))
    i = tl.arange(0, N)
    for first in range(0, n, N):
        t = first + i
        seen = (t[None, :] < end) & (t[None, :] <= i[:, None] + 30)
        tl.store(out + (tl.program_id(0) * N + i[:, None]) * n + t[None, :], seen.to(tl.int8))


def test_bounds_in_a_loop(backend):
    out = np.full((len(EXTREME), 32, 128), 7, np.int8)
    in_loop[(len(EXTREME),)](out, EXTREME, 128, N=32)
    t = np.arange(128)[None]
    seen = t <= np.arange(32)[:, None] + 30
    assert_same(out, (seen[None] & (t[None] < EXTREME[:, None, None])).astype(np.int8))


@triton.jit
def one_bound(out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    t = tl.arange(0, N)
    x = (t < n).to(tl.int8) + (t <= n).to(tl.int8) * 2 + (t > n).to(tl.int8) * 4
    x += (t >= n).to(tl.int8) * 8 + (n < t).to(tl.int8) * 16 + (n >= t).to(tl.int8) * 32
    tl.store(out + i, x)


@pytest.mark.parametrize("n", EXTREME.tolist())
def test_one_bound(backend, n):
    """No difference of an index and the bound fits 32 bits where the bound is the least number."""
    out = np.zeros(1024, np.int8)
    one_bound[(1,)](out, n, N=1024)
    t = np.arange(1024)
    x = (t < n) + (t <= n) * 2 + (t > n) * 4 + (t >= n) * 8 + (n < t) * 16 + (n >= t) * 32
    assert_same(out, x.astype(np.int8))
