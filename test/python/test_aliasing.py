"""Arguments that overlap give the result that the program's order gives."""

import numpy as np
import pytest

import tritium as triton
import tritium.language as tl


@triton.jit
def shift(src_ptr, dst_ptr, N: tl.constexpr):
    """One element at a time, so that an overlap carries a value along."""
    for i in range(N):
        tl.store(dst_ptr + i, tl.load(src_ptr + i) + 1)


def expected(buffer, src, dst, n):
    buffer = buffer.copy()
    for i in range(n):
        buffer[dst + i] = buffer[src + i] + 1
    return buffer


@pytest.mark.parametrize("backend", ["cpu", "interpret"])
@pytest.mark.parametrize("src,dst", [(0, 1), (1, 0), (0, 0), (0, 32), (0, 16), (3, 19)])
def test_overlapping_views(monkeypatch, backend, src, dst):
    monkeypatch.setenv("TRITIUM_BACKEND", backend)
    n = 32
    buffer = np.arange(64, dtype=np.int32)
    right = expected(buffer, src, dst, n)
    shift[(1,)](buffer[src:src + n], buffer[dst:dst + n], N=n)
    np.testing.assert_array_equal(buffer, right)


def test_order_of_launches_does_not_matter():
    n = 32
    for src, dst in [(0, 32), (0, 1), (0, 32), (0, 1)]:
        buffer = np.arange(64, dtype=np.int32)
        right = expected(buffer, src, dst, n)
        shift[(1,)](buffer[src:src + n], buffer[dst:dst + n], N=n)
        np.testing.assert_array_equal(buffer, right)


class Bare:
    """An address and a type, without an extent."""

    dtype = tl.int32

    def __init__(self, array):
        self.array = array

    def data_ptr(self):
        return self.array.ctypes.data


def test_bare_pointers_may_overlap():
    n = 32
    buffer = np.arange(64, dtype=np.int32)
    right = expected(buffer, 0, 1, n)
    shift[(1,)](Bare(buffer), Bare(buffer[1:]), N=n)
    np.testing.assert_array_equal(buffer, right)


@triton.jit
def reload(src_ptr, dst_ptr, N: tl.constexpr):
    """The second load sees the first store if both reach the same memory."""
    i = tl.arange(0, N)
    first = tl.load(src_ptr + i)
    tl.store(dst_ptr + i, first + 1)
    second = tl.load(src_ptr + i)
    tl.store(dst_ptr + i, first * 100 + second)


@pytest.mark.parametrize("offset", [0, 1, 5, 64])
def test_loads_after_stores(offset):
    n = 64
    buffer = np.arange(128, dtype=np.float32)
    right = buffer.copy()
    first = right[:n].copy()
    right[offset:offset + n] = first + 1
    right[offset:offset + n] = first * 100 + right[:n].copy()
    reload[(1,)](buffer[:n], buffer[offset:offset + n], N=n)
    np.testing.assert_array_equal(buffer, right)


def test_code_for_separate_arrays_is_used_for_separate_arrays():
    x, out = np.zeros(64, np.float32), np.zeros(64, np.float32)
    compiled = reload[(1,)](x, out, N=64)
    assert "noalias" in compiled.asm["llir"]
