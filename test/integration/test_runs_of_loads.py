"""Loads of which neighbours come from one address: factors of groups, of channels, of rows."""

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from support import assert_same, random_array


@triton.jit
def by_group(x_ptr, f_ptr, y_ptr, n, length, GROUP: tl.constexpr, BLOCK: tl.constexpr):
    """y = x * f[i // GROUP], f[i // length] of a length that the kernel does not know."""
    for first in range(0, n, BLOCK):
        i = first + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + i, mask=i < n, other=0)
        f = tl.load(f_ptr + i // GROUP, mask=i < n, other=0)
        g = tl.load(f_ptr + i // length, mask=i < n, other=7)
        tl.store(y_ptr + i, x * f + g, mask=i < n)


@triton.jit
def by_tile(x_ptr, f_ptr, y_ptr, rows, cols, R: tl.constexpr, C: tl.constexpr, GR: tl.constexpr,
            GC: tl.constexpr):
    r, c = tl.arange(0, R), tl.arange(0, C)
    at = r[:, None] * C + c[None, :]
    inside = (r < rows)[:, None] & (c < cols)[None, :]
    f = tl.load(f_ptr + (r // GR)[:, None] * C + (c // GC)[None, :], mask=inside, other=-1)
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=inside, other=0) + f)


@pytest.mark.parametrize("dtype", ("int8", "float16", "float32", "int64"))
@pytest.mark.parametrize("n,group,length", ((256, 8, 16), (250, 16, 32), (1000, 5, 48), (96, 2, 3)))
def test_groups(backend, rng, dtype, n, group, length):
    x = random_array(rng, n, "int8", -9, 9).astype(dtype)
    f = random_array(rng, n, "int8", -5, 5).astype(dtype)
    y = np.zeros(n, dtype)
    by_group[(1,)](x, f, y, n, length, group, 128, num_warps=1)
    i = np.arange(n)
    assert_same(y, (x * f[i // group] + f[i // length]).astype(dtype))


@pytest.mark.parametrize("rows,cols", ((16, 64), (13, 57)))
@pytest.mark.parametrize("gr,gc", ((1, 8), (4, 1), (8, 16), (16, 64)))
def test_tiles(backend, rng, rows, cols, gr, gc):
    x, f = (random_array(rng, (16, 64), "int32", -99, 99) for _ in range(2))
    y = np.zeros_like(x)
    by_tile[(1,)](x, f, y, rows, cols, 16, 64, gr, gc, num_warps=2)
    r, c = np.arange(16)[:, None], np.arange(64)[None, :]
    inside = (r < rows) & (c < cols)
    assert_same(y, np.where(inside, x + f[r // gr, c // gc], -1).astype(np.int32))
