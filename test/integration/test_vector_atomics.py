"""Sums of floats that are neighbours in memory, which GPUs from 9.0 on add together."""

import re

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from support import assert_same, numpy_dtype


@triton.jit
def add_to_rows(x_ptr, at_ptr, out_ptr, rows, ROWS: tl.constexpr, N: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, N)
    mask = (r < rows)[:, None]
    at = tl.load(at_ptr + r, mask=r < rows, other=0)
    x = tl.load(x_ptr + r[:, None] * N + c[None, :], mask=mask)
    tl.atomic_add(out_ptr + at[:, None] * N + c[None, :], x, mask=mask)


@pytest.mark.parametrize("dtype", ("float32", "float16", "bfloat16"))
def test_atomics_on_neighbours(backend, rng, dtype):
    """Rows of which many programs add to the same ones; from 9.0 on neighbours together."""
    rows, n = 21, 256
    x = rng.integers(-2, 3, (rows, n)).astype(numpy_dtype(dtype))  # exact in any order
    at = rng.integers(0, 3, rows)
    out = np.zeros((4, n), dtype=x.dtype)
    kernel = add_to_rows[(triton.cdiv(rows, 4),)](x, at, out, rows, ROWS=4, N=n)
    expected = np.zeros((4, n))
    np.add.at(expected, at, x.astype(np.float64))
    assert_same(out, expected.astype(x.dtype))
    ptx = kernel.asm.get("ptx", "")
    if ".target sm_9" in ptx:
        assert re.search(r"red\.relaxed\.gpu\.global\.add.*\.v[48]\.", ptx)
        assert "atom." not in ptx and ptx.count("fence.acq_rel.gpu") == 1
