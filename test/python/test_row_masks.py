"""Rows shorter than their tiles: whole chunks in front of the bound go without the mask."""

import numpy as np
import pytest

import tritium as triton
import tritium.language as tl

BLOCK = 1024
SENTINEL = 77.0


@triton.jit
def normalised(x_ptr, y_ptr, sum_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + i, mask=mask, other=0.5)
    centred = tl.where(mask, x - tl.sum(x, axis=0), 3.0)
    tl.store(sum_ptr, tl.sum(tl.abs(centred), axis=0))
    tl.store(y_ptr + i, centred + tl.cumsum(x, axis=0), mask=mask)


@triton.jit
def shifted(x_ptr, y_ptr, n, m, first, BLOCK: tl.constexpr, FORM: tl.constexpr):
    i = first + tl.arange(0, BLOCK)
    if FORM == "below":
        mask = i < n
    elif FORM == "up to":
        mask = n >= i
    elif FORM == "both":
        mask = (i < n) & (i <= m)
    elif FORM == "flag":
        mask = (i < n) & (m > 0)
    else:
        mask = (i < n) & (i != m)
    x = tl.load(x_ptr + (i - first), mask=mask, other=-1.0)
    tl.store(y_ptr + (i - first), tl.where(mask, x * 2, 5.0), mask=mask)
    tl.store(y_ptr + BLOCK, tl.max(x, axis=0))


def both(monkeypatch, kernel, *arguments, streams=False, **constants):
    """The arrays of a launch on the CPU, and in the interpreter."""
    found = []
    for backend in ("cpu", "interpret"):
        monkeypatch.setenv("TRITIUM_BACKEND", backend)
        if streams:
            monkeypatch.setenv("TRITIUM_STREAMING_BYTES", "0")
        copies = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
        triton.jit(kernel.fn)[(1,)](*copies, **constants)
        found.append([a for a in copies if isinstance(a, np.ndarray)])
    return found


SIZES = [0, 1, 15, 63, 64, 65, 127, 128, 129, 781, 1000, 1023, 1024, 1025]


def row(n):
    """n numbers; what is behind them must not be read."""
    x = np.full(BLOCK + 64, np.nan, np.float32)
    x[:n] = np.random.default_rng(n).integers(-8, 9, min(n, len(x))) / 4
    return x


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize("n", SIZES)
def test_sums_and_what_is_computed_from_them(monkeypatch, n, streams):
    y, total = np.full(BLOCK + 64, SENTINEL, np.float32), np.zeros(1, np.float32)
    cpu, expected = both(monkeypatch, normalised, row(n), y, total, n, streams=streams, BLOCK=BLOCK)
    for a, b in zip(cpu, expected):
        np.testing.assert_array_equal(a, b)
    assert (cpu[1][n:] == SENTINEL).all()


@pytest.mark.parametrize("form", ["below", "up to", "both", "flag", "hole"])
@pytest.mark.parametrize("n", [0, 1, 64, 100, 781, 1024])
def test_forms(monkeypatch, form, n):
    for first, m in ((0, 300), (5, 0), (-7, 2000), (2**31 - 512, 2**31 - 300)):
        y = np.full(BLOCK + 64, SENTINEL, np.float32)
        bound = min(first + n, 2**31 - 1)
        cpu, expected = both(monkeypatch, shifted, row(BLOCK), y, bound, m, first, BLOCK=BLOCK,
                             FORM=form)
        np.testing.assert_array_equal(cpu[1], expected[1], err_msg=f"first {first}, m {m}")


@pytest.mark.parametrize("bound", [-2**63, -2**62, -1, 3, 781, 2**31, 2**62, 2**63 - 1])
def test_bounds_of_64_bits(monkeypatch, bound):
    y = np.full(BLOCK + 64, SENTINEL, np.float32)
    for form in ("below", "up to"):
        cpu, expected = both(monkeypatch, shifted, row(BLOCK), y, bound, 0, 2**40, BLOCK=BLOCK,
                             FORM=form)
        np.testing.assert_array_equal(cpu[1], expected[1])


@pytest.mark.parametrize("offset", [0, 1, 7, 15])
@pytest.mark.parametrize("n", [1, 15, 16, 17, 781, 1023])
def test_streamed_rows_end_at_the_bound(monkeypatch, n, offset):
    y = np.full(BLOCK + 128, SENTINEL, np.float32)
    begin = -(y.ctypes.data // 4) % 16 + offset
    monkeypatch.setenv("TRITIUM_BACKEND", "cpu")
    monkeypatch.setenv("TRITIUM_STREAMING_BYTES", "0")
    x = row(n)
    triton.jit(shifted.fn)[(1,)](x, y[begin:], n, 0, 0, BLOCK=BLOCK, FORM="below")
    np.testing.assert_array_equal(y[begin:begin + n], 2 * x[:n])
    assert (y[:begin] == SENTINEL).all()
    assert (y[begin + n:begin + BLOCK] == SENTINEL).all()
