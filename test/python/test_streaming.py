"""Stores past the caches: TRITIUM_STREAMING_BYTES=0 takes them for outputs of any size."""

import pathlib

import numpy as np
import pytest

import tritium as triton
import tritium.language as tl


@triton.jit
def add_and_scale(x_ptr, y_ptr, sum_ptr, scaled_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(sum_ptr + offsets, x + y, mask=mask)
    tl.store(scaled_ptr + offsets, x * 2, mask=mask)


@triton.jit
def rows(x_ptr, out_ptr, pitch, n, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    for at in range(0, n, BLOCK):
        place = row * pitch + at + tl.arange(0, BLOCK)[None, :]
        tl.store(out_ptr + place, tl.load(x_ptr + place) + 1)


@pytest.fixture(params=["1", "2"])
def dumped(request, monkeypatch, tmp_path):
    """Streams everything; answers the assembly of what was compiled."""
    monkeypatch.setenv("TRITIUM_BACKEND", "cpu")
    monkeypatch.setenv("TRITIUM_STREAMING_BYTES", "0")
    monkeypatch.setenv("TRITON_KERNEL_DUMP", "1")
    monkeypatch.setenv("TRITON_DUMP_DIR", str(tmp_path / "dump"))
    triton.set_num_threads(int(request.param))
    yield lambda: [path.read_text() for path in pathlib.Path(tmp_path).rglob("*.s")]
    triton.set_num_threads(0)


def streams(assembly):
    """Streaming stores, and the fence after them."""
    return "movnt" in assembly and "sfence" in assembly


def guarded(n, offset, dtype):
    """n elements that begin `offset` elements into a line, and all that lies around them."""
    whole = np.full(n + 256, 77, dtype)
    start = -(whole.ctypes.data // whole.itemsize) % 64 + offset
    return whole, whole[start:start + n]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64])
@pytest.mark.parametrize("n", [1, 1023, 4096, 5000])
def test_offsets_and_tails(dumped, dtype, n):
    rng = np.random.default_rng(n)
    x, y = (rng.integers(-1000, 1000, n).astype(dtype) for _ in range(2))
    kernel = triton.jit(add_and_scale.fn)
    for first, second in [(0, 0), (4, 4), (1, 1), (15, 15), (4, 0), (3, 8)]:
        (whole_sum, total), (whole_scaled, scaled) = (guarded(n, offset, dtype)
                                                      for offset in (first, second))
        kernel[(triton.cdiv(n, 1024),)](x, y, total, scaled, n, BLOCK=1024)
        assert np.array_equal(total, x + y) and np.array_equal(scaled, x * 2)
        assert (whole_sum == 77).sum() == 256 + (x + y == 77).sum()
        assert (whole_scaled == 77).sum() == 256 + (x * 2 == 77).sum()
    assert any(streams(text) for text in dumped())


def test_address_that_no_element_divides(dumped):
    x = np.arange(4096, dtype=np.float32)
    memory = np.zeros(4096 * 4 + 64, np.uint8)
    shifted, other = memory[3:3 + 4096 * 4].view(np.float32), np.empty_like(x)
    triton.jit(add_and_scale.fn)[(4,)](x, x, shifted, other, 4096, BLOCK=1024)
    assert np.array_equal(shifted, x + x) and np.array_equal(other, x + x)
    assert any(streams(text) for text in dumped())


@pytest.mark.parametrize("pitch", [1536, 1541])
def test_rows(dumped, pitch):
    x = np.random.default_rng(0).random((6, pitch), dtype=np.float32)
    out = np.full_like(x, 77)
    triton.jit(rows.fn)[(3,)](x, out, pitch, 1536, ROWS=2, BLOCK=512)
    assert np.array_equal(out[:, :1536], x[:, :1536] + 1) and (out[:, 1536:] == 77).all()
    assert any(streams(text) for text in dumped())


def test_what_is_read_is_not_streamed(dumped):
    x = np.arange(4096, dtype=np.float32)
    scaled = np.empty_like(x)
    # One array for input and output: the launch sees that they overlap.
    triton.jit(add_and_scale.fn)[(4,)](x, x, x, scaled, 4096, BLOCK=1024)
    assert np.array_equal(x, 2 * np.arange(4096)) and not any(map(streams, dumped()))


def test_small_outputs_are_not_streamed(dumped, monkeypatch):
    monkeypatch.delenv("TRITIUM_STREAMING_BYTES")
    x = np.arange(4096, dtype=np.float32)
    total, scaled = np.empty_like(x), np.empty_like(x)
    triton.jit(add_and_scale.fn)[(4,)](x, x, total, scaled, 4096, BLOCK=1024)
    assert np.array_equal(total, x + x) and not any(map(streams, dumped()))
