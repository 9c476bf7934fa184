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


#===-- Views of one allocation ---------------------------------------------===#

@triton.jit
def reach(src_ptr, dst_ptr, source, target, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(dst_ptr + target + i, tl.load(src_ptr + source + i))


@triton.jit
def reach_twice(src_ptr, dst_ptr, source, target, B: tl.constexpr):
    i = tl.arange(0, B)
    first = tl.load(src_ptr + source + i)
    tl.store(dst_ptr + target + i, first + 1)
    tl.store(dst_ptr + target + i, first * 10 + tl.load(src_ptr + source + i))


N, B = 2048, 512


def whole_array():
    return np.arange(N, dtype=np.int32)


def halves(whole):
    return whole[N // 2:], whole[:N // 2]


def from_bytes(whole):
    """Each half is an array of its own, of bytes that both borrow."""
    memory = bytearray(whole.tobytes())
    return (np.frombuffer(memory, np.int32, offset=N * 2), np.frombuffer(memory, np.int32, N // 2))


def from_memoryview(whole):
    memory = memoryview(bytearray(whole.tobytes()))
    return np.frombuffer(memory[N * 2:], np.int32), np.frombuffer(memory[:N * 2], np.int32)


def of_a_file(whole, tmp_path):
    whole.tofile(tmp_path / "array")
    mapped = np.memmap(tmp_path / "array", np.int32, mode="r+")
    return mapped[N // 2:], mapped[:N // 2]


def of_records(whole):
    """Views of an array whose own elements kernels do not take."""
    records = np.zeros(N // 2, np.dtype([("a", np.int32), ("b", np.int32)]))
    plain = records.view(np.int32)
    plain[:] = whole
    return plain[N // 2:], plain[:N // 2]


def strided(whole):
    """Only a few elements of each half, on its outer edge."""
    return whole[N // 2:][::N // 4], whole[:N // 2][::N // 4]


VIEWS = [halves, from_bytes, from_memoryview, of_a_file, of_records, strided]
BACKENDS = ["cpu", "interpret", "sim:sm_80"]


def run_views(kernel, views, backend, source, target, tmp_path, monkeypatch):
    """The whole memory after the launch, and what it should be."""
    monkeypatch.setenv("TRITIUM_BACKEND", backend)
    right = whole_array()
    at = N // 2 + source
    first = right[at:at + B].copy()
    if kernel is reach_twice:
        right[target:target + B] = first + 1
        first = first * 10 + right[at:at + B]
    right[target:target + B] = first
    arguments = (whole_array(), tmp_path) if views is of_a_file else (whole_array(),)
    src, dst = views(*arguments)
    try:
        kernel[(1,)](src, dst, source, target, B=B)
    except triton.TritonError:
        # What checks accesses may say that they leave the arrays.
        assert views is strided and backend != "cpu"
        return right, right
    found = np.lib.stride_tricks.as_strided(dst, (N,), (4,))
    return np.array(found), right


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("kernel", [reach, reach_twice], ids=["once", "twice"])
@pytest.mark.parametrize("source,target",
                         [(-1024, 1), (-1023, 0), (-600, 400), (0, 1), (-100, 900)])
def test_a_kernel_reaches_from_one_view_into_another(tmp_path, monkeypatch, backend, kernel, source,
                                                     target):
    """Backwards, forwards, across the border, and not at all."""
    found, right = run_views(kernel, halves, backend, source, target, tmp_path, monkeypatch)
    np.testing.assert_array_equal(found, right)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("views", VIEWS)
def test_ways_to_be_a_view(tmp_path, monkeypatch, backend, views):
    found, right = run_views(reach_twice, views, backend, -1024, 1, tmp_path, monkeypatch)
    np.testing.assert_array_equal(found, right)


@pytest.mark.parametrize("backend", ["cpu", "sim:sm_80"])
def test_a_view_and_its_owner(monkeypatch, backend):
    """One argument owns the memory of the other."""
    monkeypatch.setenv("TRITIUM_BACKEND", backend)
    whole, right = whole_array(), whole_array()
    right[1:B + 1] = right[:B].copy()
    reach[(1,)](whole, whole[1:2], 0, 0, B=B)
    np.testing.assert_array_equal(whole, right)


def test_tuning_puts_back_what_is_reached_in_another_view(monkeypatch):
    """The kernel adds to memory of the read-only half, which each trial would change."""
    @triton.autotune([triton.Config({"B": b}) for b in (16, 32)], key=[])
    @triton.jit
    def count(src_ptr, dst_ptr, n, B: tl.constexpr):
        i = tl.arange(0, B)
        tl.store(dst_ptr + n + i, tl.load(src_ptr + i, i < 16) + 1, i < 16)

    whole = np.zeros(64, np.int32)
    count[(1,)](whole[32:], whole[:32], 32)
    assert count.source == "measured"
    np.testing.assert_array_equal(whole, [0] * 32 + [1] * 16 + [0] * 16)


def test_arrays_of_their_own_are_taken_for_apart(monkeypatch, tmp_path):
    """Views count as overlapping only where they share an allocation."""
    x, y = np.zeros(65, np.float32)[1:], np.zeros(65, np.float32)[1:]
    monkeypatch.setenv("TRITON_KERNEL_DUMP", "1")
    monkeypatch.setenv("TRITON_DUMP_DIR", str(tmp_path))
    reload[(1,)](x, y, N=61)
    assert len(list(tmp_path.glob("*/*.llir"))) == 1
    shared = np.zeros(130, np.float32)
    reload[(1,)](shared[1:65], shared[66:], N=61)
    assert len(list(tmp_path.glob("*/*.llir"))) == 2
