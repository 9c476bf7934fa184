"""Kernels of short rows, of which a CTA has several programs at a time: on simulated GPUs, of which
TRITIUM_SIM_MULTIPROCESSORS says how many CTAs there are, or with TRITIUM_TEST_BACKENDS=cuda on
one."""

import os

import numpy as np
import pytest

import tritium as triton
import tritium.language as tl
from row_kernels import check_softmax, rows, softmax
from tritium import _C
from tritium.compiler import ASTSource, CompiledKernel, GPUTarget

BACKENDS = (["cuda"] if os.environ.get("TRITIUM_TEST_BACKENDS") == "cuda"
            else ["sim:sm_90", "sim:sm_80"])
WARPS = 8  # of a CTA, a program each


@pytest.fixture(autouse=True, params=BACKENDS)
def backend(request, monkeypatch):
    monkeypatch.setenv("TRITIUM_BACKEND", request.param)
    return request.param


def remarks(kernel):
    return [r.message for r in kernel.remarks if r.pass_ == "pack-programs"]


def is_packed(kernel):
    packed = f"ttg.programs_per_cta = {WARPS} : i32" in kernel.asm["ttgir"]
    assert not packed or (kernel.metadata.persistent and kernel.metadata.num_warps == WARPS)
    return packed


@pytest.mark.parametrize("columns", [1, 5, 32, 100, 128, 200, 509, 512])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_softmax(columns, dtype):
    kernel = check_softmax(21, columns, dtype)
    packs = triton.next_power_of_2(columns) * np.dtype(dtype).itemsize <= 1024
    assert is_packed(kernel) == packs
    assert remarks(kernel) == packs * ["the row of a program is short: one warp does it, and a "
                                       "CTA has 8 programs at a time"]


# One program, fewer than warps and CTAs, as many, and more.
@pytest.mark.parametrize("ctas", ["1", "3", "100"])
@pytest.mark.parametrize("count", [1, 2, 8, 24, 25, 99])
def test_grids(monkeypatch, ctas, count):
    monkeypatch.setenv("TRITIUM_SIM_MULTIPROCESSORS", ctas)
    assert is_packed(check_softmax(count, 37))


def test_a_launch_has_ctas_for_all_programs(backend, monkeypatch):
    """However few run at once; of short rows a warp takes several."""
    if backend == "cuda":
        pytest.skip("no counts")
    monkeypatch.setenv("TRITIUM_SIM_MULTIPROCESSORS", "1")
    for columns, rounds in ((128, 1), (64, 2), (32, 4), (16, 8), (8, 8)):
        x, y = rows(99, columns), np.zeros((99, columns), np.float32)
        explained = softmax.explain((99,), y, x, columns, columns, columns, BLOCK=columns,
                                    keep_options=True)
        assert explained.json["counters"]["grid"] == -(-99 // (WARPS * rounds))


@pytest.mark.parametrize("warps", [1, 2, 4, 8])
@pytest.mark.parametrize("columns", [128, 300, 1025])
def test_warps(warps, columns):
    """A row of 1 KB has one warp, whatever number is asked for."""
    kernel = check_softmax(5, columns, num_warps=warps)
    assert is_packed(kernel) == (columns <= 256)
    if not is_packed(kernel):
        assert kernel.metadata.num_warps == warps and not kernel.metadata.persistent


@pytest.mark.parametrize("options", [{"persistent": False}, {"launch_cooperative_grid": True}])
def test_not_wanted(options):
    kernel = check_softmax(9, 128, **options)
    assert not is_packed(kernel) and not kernel.metadata.persistent
    assert kernel.metadata.num_warps == 4


def test_dependent_launches(backend):
    if backend == "sim:sm_80":
        pytest.skip("begin with 9.0")
    assert not is_packed(check_softmax(9, 128, launch_pdl=True))


def test_asked_for():
    assert is_packed(check_softmax(9, 128, persistent=True))


@triton.jit
def exchange(x, y, HOW: tl.constexpr, N: tl.constexpr):
    """Elements change lanes by way of the memory that programs of a CTA have side by side."""
    row = tl.program_id(0)
    i, j = tl.arange(0, N), tl.arange(0, N)
    at = row * N * N + i[:, None] * N + j[None, :]
    v = tl.load(x + at)
    if HOW == "transpose":
        w = tl.trans(v) + tl.sum(v, 1)[None, :]
    elif HOW == "scan":
        w = tl.cumsum(v, 0) + tl.cumsum(v, 1, reverse=True)
    elif HOW == "gather":
        w = tl.gather(v, (v + tl.sum(v)) & (N - 1), 1)
    elif HOW == "histogram":
        counts = tl.histogram(tl.reshape(v, (N * N,)), N)
        w = v * 0 + counts[None, :] + tl.max(v)
    tl.store(y + at, w)


@pytest.mark.parametrize("how", ["transpose", "scan", "gather", "histogram"])
@pytest.mark.parametrize("seed", ["1", "2"])
def test_exchanges(monkeypatch, how, seed):
    monkeypatch.setenv("TRITIUM_SIM_SEED", seed)
    monkeypatch.setenv("TRITIUM_SIM_MULTIPROCESSORS", "2")
    n, count = 16, 37
    x = np.random.default_rng(4).integers(0, n, (count, n, n)).astype(np.int32)
    y = np.zeros_like(x)
    kernel = exchange[(count,)](x, y, HOW=how, N=n)
    total = x.sum((1, 2), keepdims=True)
    if how == "transpose":
        expected = x.transpose(0, 2, 1) + x.sum(2)[:, None, :]
    elif how == "scan":
        expected = x.cumsum(1) + x[:, :, ::-1].cumsum(2)[:, :, ::-1]
    elif how == "gather":
        expected = np.take_along_axis(x, (x + total) % n, 2)
    else:
        counts = np.stack([np.bincount(row.ravel(), minlength=n) for row in x])
        expected = np.broadcast_to(counts[:, None, :] + x.max((1, 2), keepdims=True), x.shape)
    np.testing.assert_array_equal(y, expected)
    assert is_packed(kernel)
    assert kernel.metadata.shared % WARPS == 0


def test_memory_is_shared_out():
    """Of all programs of a CTA."""
    options = {"HOW": "transpose", "N": 16}
    types = {"x": "*i32", "y": "*i32"}

    def shared(**more):
        return triton.compile(ASTSource(exchange, types, options), GPUTarget("cuda", 90, 32),
                              more).metadata.shared

    alone = shared(persistent=False, num_warps=1)
    assert alone > 0 and shared() == WARPS * alone


@triton.jit
def ids(out, sums, X, Y, EARLY: tl.constexpr):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    if EARLY:
        if x % 2 == 1:
            return
    n = tl.num_programs(0) + 100 * tl.num_programs(1) + 10000 * tl.num_programs(2)
    at = (z * Y + y) * X + x
    v = tl.where(tl.arange(0, 4) < 3, x + 100 * y + 10000 * z, n)
    tl.store(out + at * 4 + tl.arange(0, 4), v)
    tl.store(sums + at, tl.sum(v))


@pytest.mark.parametrize("grid", [(1,), (70,), (5, 3), (1, 16), (3, 2, 4), (1, 1, 25), (2, 1, 3)])
@pytest.mark.parametrize("early", [False, True])
@pytest.mark.parametrize("ctas", ["1", "4"])
def test_ids(monkeypatch, grid, early, ctas):
    monkeypatch.setenv("TRITIUM_SIM_MULTIPROCESSORS", ctas)
    x, y, z = (*grid, 1, 1)[:3]
    out, sums = np.full((z, y, x, 4), -1, np.int32), np.full((z, y, x), -4, np.int32)
    assert is_packed(ids[grid](out, sums, x, y, EARLY=early))
    expected = np.empty_like(out)
    k, j, i = np.indices((z, y, x))
    expected[..., :3] = (i + 100 * j + 10000 * k)[..., None]
    expected[..., 3] = x + 100 * y + 10000 * z
    if early:
        expected[:, :, 1::2] = -1
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(sums, expected.sum(-1))


@triton.jit
def in_place(x, counter, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n)
    total = tl.sum(tl.where(at < n, v, 0))
    tl.store(x + at, v * 2 + total, mask=at < n)
    # Another lane's element of what this program has stored.
    back = tl.program_id(0) * BLOCK + (BLOCK - 1 - tl.arange(0, BLOCK))
    w = tl.load(x + back, mask=at < n // BLOCK * BLOCK)
    tl.store(x + at, w, mask=at < n // BLOCK * BLOCK)
    tl.atomic_add(counter, 1)


@pytest.mark.parametrize("ctas", ["1", "2"])
def test_in_place(monkeypatch, ctas):
    monkeypatch.setenv("TRITIUM_SIM_MULTIPROCESSORS", ctas)
    n, block = 5000, 128
    x, counter = np.arange(n, dtype=np.int32), np.zeros(1, np.int32)
    expected = x.copy()
    for begin in range(0, n, block):
        part = expected[begin : begin + block]
        part[...] = part * 2 + part.sum()
        if len(part) == block:
            part[...] = part[::-1].copy()
    assert is_packed(in_place[(40,)](x, counter, n, BLOCK=block))
    np.testing.assert_array_equal(x, expected)
    assert counter[0] == 40


def test_overlapping_arguments():
    x = rows(11, 100)
    z = np.exp(x - x.max(1, keepdims=True))
    assert is_packed(softmax[(11,)](x, x, 100, 100, 100, BLOCK=128))
    np.testing.assert_allclose(x, z / z.sum(1, keepdims=True), 1e-6)


@triton.jit
def dependent(x, HOW: tl.constexpr):
    pid = tl.program_id(0)
    if HOW == "ticket":
        pid = tl.atomic_add(x + 8, 1)
    elif HOW == "volatile":
        pid += tl.load(x + 8, volatile=True)
    elif HOW == "barrier":
        tl.debug_barrier()
    elif HOW == "print":
        tl.device_print("pid", pid)
    elif HOW == "assembly":
        pid += tl.inline_asm_elementwise("and.b32 $0, $1, 0;", "=r,r", [pid], dtype=tl.int32,
                                         is_pure=True, pack=1)
    tl.store(x + pid, pid + tl.sum(tl.zeros((32,), tl.int32)))


@pytest.mark.parametrize("how", ["ticket", "volatile", "barrier", "print", "assembly"])
def test_dependent(how, capfd):
    x = np.zeros(9, np.int32)
    kernel = dependent[(5,)](x, HOW=how)
    assert not is_packed(kernel) and kernel.metadata.num_warps == 4
    (said,) = remarks(kernel)
    assert said == ("a CTA has one short program, not several: this may depend on other programs, "
                    "or on which CTA it is")
    np.testing.assert_array_equal(x[:8], [0, 1, 2, 3, 4, 0, 0, 0])


@triton.jit
def asserting(x):
    tl.device_assert(tl.program_id(0) < 100)
    tl.store(x + tl.program_id(0), tl.sum(tl.arange(0, 32)))


def test_assertions():
    x = np.zeros(9, np.int32)
    kernel = asserting[(9,)](x, debug=True)
    assert not is_packed(kernel) and kernel.metadata.num_warps == 4
    assert (x == 496).all()


# More than counts in 32 bits have code of one program a CTA: what launches look at.
def test_counted():
    kernel = check_softmax(3, 128)
    assert "tt.conditions = [" in kernel.asm["ttgir"]


def test_header():
    with pytest.raises(Exception, match="takes the grid as parameters, as it loops over programs: "
                                        "there is no header for it; compile it with "
                                        "persistent=False"):
        check_softmax(3, 128)._native.stage("header")
    assert b"launch" in check_softmax(3, 128, persistent=False)._native.stage("header")


@pytest.mark.parametrize("stage", ["ttgir", "ptx"])
def test_from_stage(stage, backend):
    if backend == "cuda":
        pytest.skip("compiles for simulated GPUs")
    x, y = rows(19, 128), np.zeros((19, 128), np.float32)
    kernel = softmax[(19,)](y, x, 128, 128, 128, BLOCK=128)
    again = CompiledKernel(_C.compile_ttir(kernel.asm[stage], f"softmax.{stage}", {},
                                           backend.replace("sm_", "")))
    assert again.metadata.persistent and again.metadata.num_warps == WARPS
    later = np.zeros_like(y)
    again[(19, 1, 1)](later, x, 128, 128, 128)
    np.testing.assert_array_equal(later, y)
