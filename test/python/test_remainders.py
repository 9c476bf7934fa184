"""Addresses that wrap at a constant: tiles between two of its multiples, and around one."""

import numpy as np
import pytest

import tritium as triton
import tritium.language as tl


@triton.jit
def wrapped(x_ptr, y_ptr, first, STEP: tl.constexpr, N: tl.constexpr):
    i = first + tl.program_id(0) * STEP + tl.arange(0, 64)
    tl.store(y_ptr + tl.program_id(0) * 64 + tl.arange(0, 64), tl.load(x_ptr + N + i % N))


@pytest.mark.parametrize("step,n", [(64, 512), (48, 512), (64, 100), (1, 64), (64, 63)])
@pytest.mark.parametrize("first", [0, 5, -200, 2**31 - 300])
def test_remainders_by_constants(monkeypatch, step, n, first):
    monkeypatch.setenv("TRITIUM_BACKEND", "cpu")
    x, y = np.arange(2 * n, dtype=np.float32), np.zeros((8, 64), np.float32)
    triton.jit(wrapped.fn)[(8,)](x, y, first, STEP=step, N=n)
    i = (first + np.arange(8)[:, None] * step + np.arange(64)).astype(np.int32)
    np.testing.assert_array_equal(y, x[n + np.fmod(i, n)])
