"""Kernels whose programs share their rounds out (stream_k): on the simulated GPU, or with
TRITIUM_TEST_BACKENDS=cuda on one of compute capability 9.0, which has more multiprocessors than are
asked for here, so that programs have more parts."""

import os

import numpy as np
import pytest

import tritium as triton
import tritium.language as tl
from sum_kernels import (by_block_pointer, by_descriptor, check_blocks, check_columns,
                         check_from_layouts, check_not_twice, check_product, check_same_bits,
                         columns)

BACKEND = "cuda" if os.environ.get("TRITIUM_TEST_BACKENDS") == "cuda" else "sim:sm_90"


@pytest.fixture(autouse=True)
def backend(monkeypatch):
    monkeypatch.setenv("TRITIUM_BACKEND", BACKEND)
    monkeypatch.setenv("TRITIUM_SIM_MULTIPROCESSORS", "5")


def multiply(m, n, k, tiles=(64, 64, 32), **options):
    kernel = check_product(m, n, k, tiles, stream_k=True, **options)
    assert kernel.metadata.stream_k and kernel.metadata.persistent
    return kernel


def said(kernel):
    return [r.message for r in kernel.remarks if r.pass_ == "stream-k"]


# Programs: fewer than CTAs, as many, a few more, twice as many, many more.
@pytest.mark.parametrize("ctas", [1, 2, 3, 5, 7, 12])
@pytest.mark.parametrize("programs", [1, 3, 5, 6, 10, 13])
def test_programs(monkeypatch, programs, ctas):
    monkeypatch.setenv("TRITIUM_SIM_MULTIPROCESSORS", str(ctas))
    kernel = multiply(16 * programs, 16, 16 * 9, (16, 16, 16), num_warps=1)
    assert said(kernel) == ["programs that are left over where each multiprocessor has as many "
                            "have several parts, which share the loop's rounds out; the last of "
                            "them to end adds their sums up and does what comes behind the "
                            "loop"]


# Rounds: none, one, two, fewer than CTAs, and what nothing divides.
@pytest.mark.parametrize("k", [0, 2, 32, 33, 100, 32 * 23])
@pytest.mark.parametrize("m, n", [(64, 64), (65, 130), (300, 70)])
def test_rounds(m, n, k):
    multiply(m, n, k, pitch=3)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_axes(axis):
    multiply(200, 64, 256, axis=axis)


def test_sums_that_begin_elsewhere():
    multiply(192, 128, 256, adds=True)


# wgmma with copies by TMA, a warp for them, and without; a program fills a multiprocessor or not.
@pytest.mark.parametrize("options", [{}, {"warp_specialize": True}, {"warp_specialize": False},
                                     {"persistent": True}, {"tensor_copies": False},
                                     {"num_stages": 1}, {"dynamic_scheduling": True}])
@pytest.mark.parametrize("tiles, warps", [((128, 128, 64), 8), ((64, 64, 64), 4)])
def test_warp_groups(options, tiles, warps):
    kernel = multiply(384, 256, 384, tiles, num_warps=warps, **options)
    assert "wgmma" in kernel.asm["ptx"]
    if options.get("tensor_copies", True) and options.get("num_stages") != 1:
        assert "cp.async.bulk.tensor" in kernel.asm["ptx"]
    if options.get("warp_specialize"):
        assert "ttg.warp_groups" in kernel.asm["ttgir"]


@pytest.mark.skipif(BACKEND == "cuda", reason="of the simulator")
@pytest.mark.parametrize("target", ["sim:sm_80", "sim:sm_86"])
def test_older_gpus(monkeypatch, target):
    monkeypatch.setenv("TRITIUM_BACKEND", target)
    multiply(192, 192, 256)


@pytest.mark.parametrize("seed", [1, 2, 3, 4, 5])
def test_in_any_order(monkeypatch, seed):
    monkeypatch.setenv("TRITIUM_SIM_SEED", str(seed))
    multiply(200, 150, 300)


def test_same_bits(monkeypatch):
    check_same_bits(monkeypatch, stream_k=True)


@pytest.mark.parametrize("m", [100, 64, 7, 257])
def test_sums_of_columns(m):
    assert check_columns(m, stream_k=True).metadata.stream_k


@pytest.mark.parametrize("kernel", [by_descriptor, by_block_pointer])
def test_blocks(kernel):
    assert check_blocks(kernel, stream_k=True).metadata.stream_k


# ---------------------------------------------------------------- what stays whole


@triton.jit
def triangle(x_ptr, out_ptr, N, B: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((B,), tl.float32)
    for n in range(0, row + 1):
        total += tl.load(x_ptr + n * B + tl.arange(0, B))
    tl.store(out_ptr + row * B + tl.arange(0, B), total)


@triton.jit
def long_count(x_ptr, out_ptr, N, B: tl.constexpr):
    total = tl.zeros((B,), tl.float32)
    for n in range(0, N.to(tl.int64)):
        total += tl.load(x_ptr + n * B + tl.arange(0, B))
    tl.store(out_ptr + tl.program_id(0) * B + tl.arange(0, B), total)


@triton.jit
def of_tickets(x_ptr, out_ptr, N, B: tl.constexpr):
    total = tl.zeros((B,), tl.float32)
    for n in range(0, N):
        total += tl.load(x_ptr + n * B + tl.arange(0, B))
    place = tl.atomic_add(out_ptr + 4 * B, 1.0).to(tl.int32)
    tl.store(out_ptr + place * B + tl.arange(0, B), total)


@triton.jit
def straight(x_ptr, out_ptr, N, B: tl.constexpr):
    row = tl.program_id(0)
    tl.store(out_ptr + row * B + tl.arange(0, B), tl.load(x_ptr + row * B + tl.arange(0, B)))


@pytest.mark.parametrize("kernel, reason, expected", [
    (triangle, "its loop may be longer in some programs than in others", lambda x: x.cumsum(0)),
    (long_count, "its loop counts in 64 bits instead of 32", lambda x: np.tile(x.sum(0), (4, 1))),
    (of_tickets, "it may depend on other programs, or on which CTA it is: 'tt.atomic_rmw'",
     lambda x: np.tile(x.sum(0), (4, 1))),
    (straight, "it has no loop outside of all branches and other loops", lambda x: x)])
def test_refused(kernel, reason, expected):
    x = np.random.default_rng(6).integers(-8, 8, (4, 16)).astype(np.float32)
    out = np.zeros((5, 16), np.float32)
    made = kernel[(4,)](x, out, 4, 16, stream_k=True)
    np.testing.assert_array_equal(out[:4], expected(x))
    assert not made.metadata.stream_k
    name = kernel.fn.__name__
    assert said(made) == [f"stream_k changes nothing: of kernel '{name}', {reason}"]


@pytest.mark.parametrize("options, message", [
    ({"stream_k": 2}, "stream_k"), ({"split_k": 2}, "leave split_k out"),
    ({"persistent": False}, "leave persistent=False out"),
    ({"launch_cooperative_grid": True}, "leave launch_cooperative_grid out")])
def test_bad_options(options, message):
    with pytest.raises(Exception, match=message):
        check_product(64, 64, 64, (64, 64, 32), **{"stream_k": True, **options})


@pytest.mark.parametrize("given", [False, None])
def test_not_asked_for(given):
    kernel = check_product(64, 64, 64, (64, 64, 32), stream_k=given)
    assert not kernel.metadata.stream_k and not said(kernel)


def test_config():
    check_columns(64, triton.autotune([triton.Config({}, stream_k=True), triton.Config({})],
                                      key=["M"])(columns))


def test_from_layouts():
    again = check_from_layouts(BACKEND, [("tt.stream_k", "tt.stream_k = 3 : i32"),
                                         ("partial_bytes = 256", "bytes = 1")],
                               "tt.stream_k must be", stream_k=True)
    assert again.metadata.stream_k


def test_not_twice():
    check_not_twice("tt.stream_k")
