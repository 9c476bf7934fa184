"""`tl.extra.cuda` on every back end, and functions of the device library by their symbols."""

import pathlib

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from support import assert_same, is_gpu, kernels_from, random_array


def line_of(marker):
    text = pathlib.Path(__file__).read_text().splitlines()
    return next(number for number, line in enumerate(text, 1) if line.endswith("# " + marker))


#===-- tl.extra.cuda -------------------------------------------------------===#


@triton.jit
def clocks(time_ptr, x_ptr, rounds):
    pid = tl.program_id(0)
    before = tl.extra.cuda.globaltimer()
    total = tl.load(x_ptr)
    for i in range(rounds):
        total = total * 3 + tl.load(x_ptr + i % 4)
    tl.store(x_ptr + 4, total)
    after = tl.extra.cuda.globaltimer()
    tl.store(time_ptr + 2 * pid, before)
    tl.store(time_ptr + 2 * pid + 1, after)


def test_the_clock_goes_forward(backend):
    times, x = np.zeros((3, 2), np.int64), np.ones(5, np.int32)
    clocks[(3,)](times, x, 1000)
    assert (times >= 0).all(), times
    assert (times[:, 1] > times[:, 0]).all(), times


@triton.jit
def about_the_machine(out_ptr):
    tl.store(out_ptr, tl.extra.cuda.smid())
    tl.store(out_ptr + 1, tl.extra.cuda.num_threads())
    tl.store(out_ptr + 2, tl.extra.cuda.num_warps())


def test_the_machine(backend):
    out = np.full(3, -1, np.int32)
    about_the_machine[(1,)](out, num_warps=2)
    assert 0 <= out[0] < 1024
    assert out[1:].tolist() == [64, 2]


@triton.jit
def overlapping(x_ptr, out_ptr, N: tl.constexpr):
    offs = tl.arange(0, N)
    tl.extra.cuda.gdc_wait()  # WAIT
    x = tl.load(x_ptr + offs)
    tl.extra.cuda.gdc_launch_dependents()
    tl.store(out_ptr + offs, 2 * x)


def test_overlapping_launches(backend, rng):
    x = random_array(rng, 64, "float32")
    out = np.zeros(64, np.float32)
    if backend in ("sim:sm_80", "sim:sm_75"):
        with pytest.raises(Exception) as caught:
            overlapping[(1,)](x, out, N=64)
        message = str(caught.value)
        assert f"test_machine.py:{line_of('WAIT')}" in message, message
        assert "begin with compute capability 9.0" in message, message
        assert "tl.target_info.cuda_capability_geq(9)" in message, message
        return
    overlapping[(1,)](x, out, N=64)
    assert_same(out, 2 * x)


#===-- Symbols of the device library ---------------------------------------===#


@tl.core.extern
def sine(x, _semantic=None):
    return tl.core.extern_elementwise(
        "", "", [x], {
            (tl.core.dtype("fp32"),): ("__nv_sinf", tl.core.dtype("fp32")),
            (tl.core.dtype("fp64"),): ("__nv_sin", tl.core.dtype("fp64")),
        }, is_pure=True, _semantic=_semantic)


@tl.core.extern
def power(x, y, _semantic=None):
    return tl.core.extern_elementwise(
        "libdevice", "/nowhere/libdevice.bc", [x, y], {
            (tl.core.dtype("fp32"), tl.core.dtype("int32")): ("__nv_powif", tl.core.dtype("fp32")),
        }, is_pure=True, _semantic=_semantic)


@triton.jit
def symbols(x_ptr, s_ptr, p_ptr, M: tl.constexpr, N: tl.constexpr):
    rows, columns = tl.arange(0, M), tl.arange(0, N)
    x = tl.load(x_ptr + rows)
    tl.store(s_ptr + rows, sine(x))
    at = rows[:, None] * N + columns[None, :]
    tl.store(p_ptr + at, power(x.to(tl.float32)[:, None], columns[None, :]))


@pytest.mark.parametrize("dtype,tolerance", [("float32", 1e-6), ("float64", 1e-14)])
def test_symbols(backend, rng, dtype, tolerance):
    x = random_array(rng, 16, dtype)
    s, p = np.zeros_like(x), np.zeros((16, 4), np.float32)
    symbols[(1,)](x, s, p, M=16, N=4)
    np.testing.assert_allclose(s, np.sin(x), rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(p, x.astype(np.float32)[:, None] ** np.arange(4), rtol=2e-6)


@tl.core.extern
def elsewhere(x, _semantic=None):
    return tl.core.extern_elementwise(
        "mine", "mine.bc", [x], {(tl.core.dtype("fp32"),): ("mine_f", tl.core.dtype("fp32"))},
        is_pure=True, _semantic=_semantic)


@tl.core.extern
def no_call(x, _semantic=None):
    return x


@tl.core.extern
def no_symbol(x, _semantic=None):
    return tl.core.extern_elementwise(
        "", "", [x], {(tl.core.dtype("fp32"),): (3, tl.core.dtype("fp32"))}, is_pure=True)


@triton.jit
def calls(x_ptr, FUNCTION: tl.constexpr, TYPE: tl.constexpr):
    x = tl.load(x_ptr).to(TYPE)
    tl.store(x_ptr, FUNCTION(x))  # CALL


@pytest.mark.parametrize("function,type_,words", [
    (elsewhere, tl.float32, ["'mine_f' is no function of CUDA's device library", "inline_asm"]),
    (no_call, tl.float32, ["no_call", "@tl.core.extern", "tl.core.extern_elementwise"]),
    (no_symbol, tl.float32, ["symbol", "string"]),
    (sine, tl.int32, ["(float32) or (float64)", "found (int32)", ".to("]),
])
def test_other_symbols(backend, function, type_, words):
    with pytest.raises(Exception) as caught:
        calls[(1,)](np.zeros(1, np.float32), function, type_)
    message = str(caught.value)
    for word in words:
        assert word in message, (word, message)


def test_the_host_cannot_call_them():
    with pytest.raises(RuntimeError, match="can only be called inside a kernel"):
        sine(1.0)
    with pytest.raises(RuntimeError, match="in a function with @tl.core.extern"):
        tl.core.extern_elementwise("", "", [1.0], {}, True)


@triton.jit
def producer_and_consumer(flags_ptr, data_ptr, out_ptr, N: tl.constexpr):
    offs = tl.arange(0, N)
    if tl.program_id(0) == 0:
        tl.store(data_ptr + offs, offs * 3)
        tl.atomic_xchg(flags_ptr, 7, sem="release")
    else:
        tl.atomic_poll(flags_ptr, 7)
        tl.store(out_ptr + offs, tl.load(data_ptr + offs, volatile=True))


@pytest.mark.parametrize("dtype", (np.int16, np.uint32, np.int64))
def test_poll_waits(backend, dtype):
    data, out = np.zeros(32, np.int32), np.zeros(32, np.int32)
    producer_and_consumer[(2,)](np.zeros(1, dtype), data, out, N=32)
    assert_same(out, np.arange(32, dtype=np.int32) * 3)


@triton.jit
def polls(flag_ptr, out_ptr, timeout):
    tl.store(out_ptr, tl.atomic_poll(flag_ptr, 5, timeout_ns=0))
    tl.store(out_ptr + 1, flag_ptr.atomic_poll(6, sem="relaxed", scope="sys", timeout_ns=timeout))
    tl.store(out_ptr + 2, tl.atomic_poll(flag_ptr, 5, "acquire", timeout_ns=timeout))


def test_poll_that_ends(backend, unrecorded):  # its clock reads otherwise when it is run again
    out = np.full(3, 9, np.int32)
    flag = np.array([5], np.int32)
    polls[(1,)](flag, out, 2000)
    assert out.tolist() == [1, 0, 1] and flag[0] == 5


@pytest.mark.parametrize("call,message", [
    ("x + tl.arange(0, 4), 1", "reads one element, through a scalar pointer"),
    ("y, 1", "waits for an integer of 16, 32 or 64 bits"),
    ("z, 1", "goes through a tl.const pointer"),
    ("x, 1, sem='release'", "'sem' of tl.atomic_poll must be 'acquire' or 'relaxed'")])
def test_poll_messages(call, message):
    kernel = kernels_from("@triton.jit\ndef kernel(x, y, z: tl.const):\n"
                          f"    tl.atomic_poll({call})\n").kernel
    with pytest.raises(triton.CompilationError, match=message):
        kernel[(1,)](np.zeros(4, np.int32), np.zeros(4, np.float32), np.zeros(4, np.int32))
