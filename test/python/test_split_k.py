"""Kernels whose programs have parts (split_k): on the simulated GPU, or with
TRITIUM_TEST_BACKENDS=cuda on one of compute capability 9.0."""

import os

import numpy as np
import pytest

import tritium as triton
import tritium.language as tl
from sum_kernels import (by_block_pointer, by_descriptor, check_blocks, check_columns,
                         check_from_layouts, check_not_twice, check_product, check_same_bits,
                         columns, matmul)

BACKEND = "cuda" if os.environ.get("TRITIUM_TEST_BACKENDS") == "cuda" else "sim:sm_90"


@pytest.fixture(autouse=True)
def backend(monkeypatch):
    monkeypatch.setenv("TRITIUM_BACKEND", BACKEND)


def multiply(m, n, k, parts, tiles=(64, 64, 32), **rest):
    kernel = check_product(m, n, k, tiles, split_k=parts, **rest)
    assert isinstance(parts, int) and "scf.if" in kernel.asm["ttgir"]
    return kernel


def said(kernel):
    return [r.message for r in kernel.remarks if r.pass_ == "split-k"]


@pytest.mark.parametrize("parts", [2, 3, 4, 7, 16])
def test_parts(parts):
    kernel = multiply(128, 64, 512, parts)
    assert said(kernel) == [f"the loop is split in {parts} parts, each of which is a program of "
                            "its own; the last of them to end adds their sums up and does what "
                            "comes behind the loop"]
    assert kernel.metadata.split_k == parts


# Fewer iterations than parts, none, and extents and pitches that fit no tile.
@pytest.mark.parametrize("m, n, k", [(64, 64, 32), (64, 64, 64), (65, 33, 100), (1, 130, 257),
                                     (64, 64, 0)])
@pytest.mark.parametrize("parts", [2, 5])
def test_extents(m, n, k, parts):
    multiply(m, n, k, parts, pitch=3)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_axes(axis):
    multiply(200, 64, 256, 3, axis=axis)


def test_sums_that_begin_elsewhere():
    multiply(64, 64, 256, 4, adds=True)


# wgmma with copies by TMA, a warp for them, a loop over programs, or none of these.
@pytest.mark.parametrize("options", [{}, {"warp_specialize": True}, {"warp_specialize": False},
                                     {"persistent": True}, {"persistent": False},
                                     {"tensor_copies": False}, {"num_stages": 1}])
def test_warp_groups(options):
    kernel = multiply(256, 128, 512, 3, tiles=(128, 128, 64), num_warps=8, **options)
    assert "wgmma" in kernel.asm["ptx"]
    if options.get("tensor_copies", True) and options.get("num_stages") != 1:
        assert "cp.async.bulk.tensor" in kernel.asm["ptx"]


@pytest.mark.parametrize("seed", [1, 2, 3, 4, 5])
def test_in_any_order(monkeypatch, seed):
    monkeypatch.setenv("TRITIUM_SIM_SEED", str(seed))
    multiply(130, 70, 300, 4)


def test_same_bits(monkeypatch):
    check_same_bits(monkeypatch, split_k=5)


@triton.jit
def gated(x_ptr, v_ptr, w_ptr, out_ptr, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm, rn, rk = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    up = tl.zeros((BM, BN), tl.float32)
    gate = tl.zeros((BM, BN), tl.int32)
    for k in range(BK, K + BK, BK):
        x = tl.load(x_ptr + rm[:, None] * K + (k - BK + rk)[None, :])
        up += tl.dot(x, tl.load(v_ptr + (k - BK + rk)[:, None] * BN + rn[None, :])).to(tl.float32)
        gate += tl.dot(x, tl.load(w_ptr + (k - BK + rk)[:, None] * BN + rn[None, :]))
    tl.store(out_ptr + rm[:, None] * BN + rn[None, :], tl.where(gate > 0, up, 0.0))


# Two sums, of floats and of integers, in a loop that begins at 32 and steps by 32.
@pytest.mark.parametrize("parts", [2, 3, 4])
def test_two_sums(parts):
    random = np.random.default_rng(2)
    x, v, w = (random.integers(-3, 4, shape).astype(np.int8)
               for shape in [(32, 256), (256, 32), (256, 32)])
    out = np.empty((32, 32), np.float32)
    kernel = gated[(1,)](x, v, w, out, 256, 32, 32, 32, split_k=parts)
    up, gate = (x.astype(int) @ y.astype(int) for y in (v, w))
    np.testing.assert_array_equal(out, np.where(gate > 0, up, 0))
    assert kernel.metadata.split_k == parts


@pytest.mark.parametrize("m, parts", [(100, 4), (64, 2), (7, 3), (257, 8)])
def test_sums_of_columns(m, parts):
    assert check_columns(m, split_k=parts).metadata.split_k == parts


# A program's output may lie where it has read its input: it comes when all parts have read.
@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_in_place(monkeypatch, seed):
    monkeypatch.setenv("TRITIUM_SIM_SEED", str(seed))
    random = np.random.default_rng(4)
    a, b = (random.integers(-3, 4, (64, 64)).astype(np.float32) for _ in range(2))
    c = a.copy()
    matmul[(1,)](c, b, c, c, 64, 64, 64, 64, 64, 64, 64, 64, 16, False, split_k=4)
    np.testing.assert_array_equal(c, a @ b)


@pytest.mark.parametrize("kernel", [by_descriptor, by_block_pointer])
def test_blocks(kernel):
    assert check_blocks(kernel, split_k=3).metadata.split_k == 3


# ---------------------------------------------------------------- what cannot be split


@triton.jit
def largest(x_ptr, out_ptr, N, B: tl.constexpr):
    best = tl.full((B,), -9.0, tl.float32)
    for n in range(0, N, B):
        best = tl.maximum(best, tl.load(x_ptr + n + tl.arange(0, B)))
    tl.store(out_ptr + tl.arange(0, B), best)


@triton.jit
def running(x_ptr, out_ptr, N, B: tl.constexpr):
    total = tl.zeros((B,), tl.float32)
    for n in range(0, N, B):
        total += tl.load(x_ptr + n + tl.arange(0, B))
        tl.store(out_ptr + n + tl.arange(0, B), total)


@triton.jit
def scaled(x_ptr, out_ptr, N, B: tl.constexpr):
    total = tl.zeros((B,), tl.float32)
    for n in range(0, N, B):
        total = total * 0.5 + tl.load(x_ptr + n + tl.arange(0, B))
    tl.store(out_ptr + tl.arange(0, B), total)


@triton.jit
def twice(x_ptr, out_ptr, N, B: tl.constexpr):
    total = tl.zeros((B,), tl.float32)
    for n in range(0, N, B):
        total += tl.load(x_ptr + n + tl.arange(0, B))
    for n in range(0, N, B):
        total += tl.load(x_ptr + n + tl.arange(0, B))
    tl.store(out_ptr + tl.arange(0, B), total)


@triton.jit
def counted(x_ptr, out_ptr, N, B: tl.constexpr):
    tl.atomic_add(out_ptr, 1.0)
    total = tl.zeros((B,), tl.float32)
    for n in range(0, N, B):
        total += tl.load(x_ptr + n + tl.arange(0, B))
    tl.store(out_ptr + 1 + tl.arange(0, B), total)


@triton.jit
def late(x_ptr, out_ptr, N, B: tl.constexpr):
    total = tl.zeros((B,), tl.float32)
    for n in range(tl.program_id(0), N, B):
        total += tl.load(x_ptr + n + tl.arange(0, B))
    tl.store(out_ptr + tl.arange(0, B), total)


@triton.jit
def waiting(x_ptr, out_ptr, N, B: tl.constexpr):
    while tl.load(x_ptr, volatile=True) > 100:
        pass
    total = tl.zeros((B,), tl.float32)
    for n in range(0, N, B):
        total += tl.load(x_ptr + n + tl.arange(0, B))
    tl.store(out_ptr + tl.arange(0, B), total)


@triton.jit
def printing(x_ptr, out_ptr, N, B: tl.constexpr):
    total = tl.zeros((B,), tl.float32)
    for n in range(0, N, B):
        total += tl.load(x_ptr + n + tl.arange(0, B))
    tl.store(out_ptr + tl.arange(0, B), total)
    tl.device_print("is over", N)


@triton.jit
def straight(x_ptr, out_ptr, N, B: tl.constexpr):
    tl.store(out_ptr + tl.arange(0, B), tl.load(x_ptr + tl.arange(0, B)))


CARRIES = ("from one iteration to the next its loop carries what is neither a sum that nothing "
           "else in the loop reads nor a number that moves by the same amount")
WRITES = "what stands in front of its loop, or in it, writes to memory, which each part would do"
WAITS = ("what stands in front of its loop, or in it, waits for other programs, whose parts may "
         "not have begun")


@pytest.mark.parametrize("kernel, reason, expected", [
    (largest, CARRIES, lambda x: x.max(0)), (running, CARRIES, lambda x: x.cumsum(0)),
    (scaled, CARRIES, lambda x: x[0] / 8 + x[1] / 4 + x[2] / 2 + x[3]),
    (twice, "it has several loops, one after the other", lambda x: 2 * x.sum(0)),
    (counted, WRITES, lambda x: np.append(1, x.sum(0))),
    (waiting, WAITS, lambda x: x.sum(0)),
    (printing, "it prints or asserts, and says of which program", lambda x: x.sum(0)),
    (late, "its loop does not begin at a constant that is at least 0, or has no constant step",
     lambda x: x.sum(0)),
    (straight, "it has no loop outside of all branches and other loops", lambda x: x[0])])
def test_refused(kernel, reason, expected):
    x = np.random.default_rng(6).integers(-8, 8, (4, 16)).astype(np.float32)
    wanted = expected(x)
    out = np.zeros(wanted.size, np.float32)
    made = kernel[(1,)](x, out, 64, 16, split_k=2)
    np.testing.assert_array_equal(out, wanted.reshape(-1))
    assert made.metadata.split_k == 1
    name = kernel.fn.__name__
    assert said(made) == [f"split_k=2 changes nothing: of kernel '{name}', {reason}"]


@triton.jit
def assuming(x_ptr, out_ptr, N, B: tl.constexpr):
    tl.assume(N > 0)
    total = tl.zeros((B,), tl.float32)
    for n in range(0, N, B):
        tl.assume(n >= 0)
        total += tl.load(x_ptr + n + tl.arange(0, B))
    tl.store(out_ptr + tl.arange(0, B), total)


def test_promises_are_kept():
    x, out = np.arange(64, dtype=np.float32).reshape(4, 16), np.zeros(16, np.float32)
    made = assuming[(1,)](x, out, 64, 16, split_k=2)
    np.testing.assert_array_equal(out, x.sum(0))
    assert made.metadata.split_k == 2


@pytest.mark.parametrize("parts", [0, 65, 2.5, "two"])
def test_bad_options(parts):
    with pytest.raises(Exception, match="split_k"):
        multiply(64, 64, 64, parts)


def test_whole():
    x, out = np.ones((4, 16), np.float32), np.zeros(16, np.float32)
    made = late[(1,)](x, out, 64, 16, split_k=1)
    assert made.metadata.split_k == 1 and not said(made)


@pytest.mark.skipif(BACKEND == "cuda", reason="of the simulator")
def test_memory_of_the_simulator():
    with pytest.raises(Exception, match="memory|bytes"):
        multiply(64 * 300, 64 * 300, 64, 64)


def test_config():
    check_columns(64, triton.autotune([triton.Config({}, split_k=2), triton.Config({})],
                                      key=["M"])(columns))


def test_from_layouts():
    again = check_from_layouts(BACKEND, [
        ("split_k = 4", "split_k = 300"), ("split_k = 4", "split_k = 1"),
        ("partial_bytes = 256", "partial_bytes = -1"),
        ("partial_bytes = 256", f"partial_bytes = {1 << 62}")],
        "tt.split_k must be|tt.partial_bytes must", split_k=4)
    assert again.metadata.split_k == 4


def test_not_twice():
    check_not_twice("tt.split_k = 2 : i32")
