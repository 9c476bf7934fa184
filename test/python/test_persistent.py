"""Kernels whose CTAs loop over the programs of the grid: on the simulated GPU, of which
TRITIUM_SIM_MULTIPROCESSORS says how many CTAs there are, or with TRITIUM_TEST_BACKENDS=cuda on one
of compute capability 9.0."""

import os
import re

import numpy as np
import pytest

import tritium as triton
import tritium.language as tl
from fake_ptxas import SERIALIZED, ptxas
from tritium import _C
from tritium.compiler import ASTSource, CompiledKernel, GPUTarget

BACKEND = "cuda" if os.environ.get("TRITIUM_TEST_BACKENDS") == "cuda" else "sim:sm_90"
TARGET = "cuda:90" if BACKEND == "cuda" else "sim:90"


@pytest.fixture(autouse=True)
def backend(monkeypatch):
    monkeypatch.setenv("TRITIUM_BACKEND", BACKEND)


def remarks(kernel):
    return [r.message for r in kernel.remarks if r.pass_ == "persistent"]


def copies(kernel):
    """Of boxes: in front of the loop over programs, in the inner one, and behind that."""
    return len(re.findall(r"cp\.async\.bulk\.tensor\.\dd\.shared", kernel.asm["ptx"]))


def whole(rows, columns, seed):
    return np.random.default_rng(seed).integers(-4, 5, (rows, columns)).astype(np.float16)


@triton.jit
def matmul(a, b, c, M, N, K, am, bk, cm, first, EPILOGUE: tl.constexpr, BM: tl.constexpr,
           BN: tl.constexpr, BK: tl.constexpr, GM: tl.constexpr):
    pid = tl.program_id(0)
    tiles = tl.cdiv(N, BN)
    width = GM * tiles
    group = pid // width * GM
    rows = min(tl.cdiv(M, BM) - group, GM)
    pm = group + pid % width % rows
    pn = pid % width // rows
    rm, rn, rk = pm * BM + tl.arange(0, BM), pn * BN + tl.arange(0, BN), tl.arange(0, BK)
    begin = first * pid if EPILOGUE == "uneven" else 0
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(begin, K, BK):
        x = tl.load(a + rm[:, None] * am + (k + rk)[None, :],
                    mask=(rm < M)[:, None] & (k + rk < K)[None, :], other=0.0)
        y = tl.load(b + (k + rk)[:, None] * bk + rn[None, :],
                    mask=(k + rk < K)[:, None] & (rn < N)[None, :], other=0.0)
        acc = tl.dot(x, y, acc)
    cp = c + rm[:, None] * cm + rn[None, :]
    inside = (rm < M)[:, None] & (rn < N)[None, :]
    if EPILOGUE == "add":
        tl.atomic_add(cp, acc, mask=inside)
    elif EPILOGUE == "count":
        acc += tl.atomic_add(c + M * cm, 1.0) * 0
        tl.store(cp, acc, mask=inside)
    else:
        tl.store(cp, acc, mask=inside)


def multiply(m=176, n=272, k=320, epilogue="", stages=5, bm=64, **options):
    """Four boxes of 64 or 128 rows and 128 columns ahead take more than half of shared memory."""
    a, b = whole(m, k, 1), whole(k, n, 2)
    c = np.zeros((m + 1, n), np.float32)
    grid = (triton.cdiv(m, bm) * triton.cdiv(n, 128),)
    kernel = matmul[grid](a, b, c, m, n, k, k, n, n, 0, EPILOGUE=epilogue, BM=bm, BN=128, BK=64,
                          GM=2, num_warps=4, num_stages=stages, **options)
    np.testing.assert_array_equal(c[:m], a.astype(np.float32) @ b.astype(np.float32))
    return kernel


# Nine programs on one CTA, on fewer than there are, on as many as they are, and on more.
@pytest.mark.parametrize("ctas", [1, 2, 4, 9, 100])
@pytest.mark.parametrize("epilogue", ["", "add"])
def test_chosen(monkeypatch, ctas, epilogue):
    monkeypatch.setenv("TRITIUM_SIM_MULTIPROCESSORS", str(ctas))
    kernel = multiply(epilogue=epilogue)
    assert kernel.metadata.persistent
    (said,) = remarks(kernel)
    assert said == ("CTAs loop over programs; copies for the next one start before this one is "
                    "stored")
    # A box of `a` and two of `b`, for four tiles in front of the loop and behind the inner one,
    # and for one in that.
    assert copies(kernel) == 3 * (2 * 4 + 1)


# Fewer iterations than run ahead, and none.
@pytest.mark.parametrize("k", [64, 128, 192])
def test_few_iterations(k):
    assert multiply(k=k).metadata.persistent


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_in_any_order(monkeypatch, seed):
    monkeypatch.setenv("TRITIUM_SIM_SEED", str(seed))
    assert multiply(epilogue="add").metadata.persistent


@pytest.mark.parametrize("options,reason", [
    ({"stages": 3}, "a multiprocessor has room for two programs"),
    ({"tensor_copies": False}, None),
    ({"epilogue": "uneven"}, "its loop is longer in some programs than in others"),
    ({"epilogue": "count"}, "this may depend on other programs, or on which CTA it is"),
    ({"persistent": False}, None),
    ({"launch_cooperative_grid": True}, None)])
def test_not_chosen(options, reason):
    kernel = multiply(**options)
    assert not kernel.metadata.persistent
    assert [reason in text for text in remarks(kernel)] == ([True] if reason else [])


def test_none_is_the_default():
    assert multiply(persistent=None).metadata.persistent


@triton.jit
def batches(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    batch = tl.program_id(2)
    x = tl.make_tensor_descriptor(a, [M * tl.num_programs(2), K], [K, 1], [BM, BK])
    y = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN])
    z = tl.make_tensor_descriptor(c, [M * tl.num_programs(2), N], [N, 1], [BM, BN])
    row = batch * M + tl.program_id(1) * BM
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(x.load([row, k]), y.load([k, tl.program_id(0) * BN]), acc)
    z.store([row, tl.program_id(0) * BN], acc)


@pytest.mark.parametrize("ctas", ["1", "3", "5"])
def test_descriptors(monkeypatch, ctas):
    monkeypatch.setenv("TRITIUM_SIM_MULTIPROCESSORS", ctas)
    many, m, n, k = 2, 128, 200, 256
    a, b, c = whole(many * m, k, 5), whole(k, n, 6), np.zeros((many * m, n), np.float32)
    kernel = batches[(2, m // 64, many)](a, b, c, m, n, k, BM=64, BN=128, BK=64, num_warps=4,
                                         num_stages=5)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))
    assert kernel.metadata.persistent and "before this one is stored" in remarks(kernel)[0]


def compiled(unaligned=(), **options):
    """For a GPU that need not be there."""
    pointers, numbers = ("a", "b", "c"), ("M", "N", "K", "am", "bk", "cm")
    types = {**dict.fromkeys(pointers[:2], "*fp16"), "c": "*fp32", **dict.fromkeys(numbers, "i32")}
    hints = {name: [["tt.divisibility", 16]] for name in types if name not in unaligned}
    constants = {"first": 0, "EPILOGUE": "", "BM": 64, "BN": 128, "BK": 64, "GM": 2}
    return triton.compile(ASTSource(matmul, types, constants, hints), GPUTarget("cuda", 90, 32),
                          {"num_warps": 4, **options})


def test_no_room_for_the_store():
    assert compiled(num_stages=7).metadata.persistent
    # TMA stores from what the loads have left. Threads would need memory for all of the tile.
    assert compiled(num_stages=9).metadata.persistent
    kernel = compiled(["cm"], num_stages=9)
    assert not kernel.metadata.persistent
    # A tile in each of nine buffers, and as many barriers as there are without the loop.
    assert 9 * 24576 < kernel.metadata.shared <= 232448
    assert "what this one's stores need do not fit shared memory together" in remarks(kernel)[0]


def test_slow_in_a_loop(tmp_path, monkeypatch):
    """An assembler that serialises dots where there is a loop over programs."""
    path = ptxas(tmp_path, f"""
        if "%nctaid" in ptx:
            print({SERIALIZED!r})
    """)
    assert compiled(num_stages=5).metadata.persistent
    monkeypatch.setenv("TRITON_PTXAS_PATH", path)
    kernel = compiled(num_stages=5)
    assert not kernel.metadata.persistent
    (said,) = remarks(kernel)
    assert "in a loop over programs, products of warp groups wait for one another" in said
    assert "%nctaid" not in kernel.asm["ptx"] and kernel.asm["ptx"].count(".visible .entry") == 1
    assert compiled(num_stages=5, persistent=True).metadata.persistent


# What is left to do without boxes, or with room for more programs, is done if it is asked for.
@pytest.mark.parametrize("options,across", [({"stages": 3}, True), ({"epilogue": "uneven"}, True),
                                            ({"tensor_copies": False}, False)])
def test_asked_for(options, across):
    kernel = multiply(persistent=True, **options)
    assert kernel.metadata.persistent
    assert ["before this one is stored" in text for text in remarks(kernel)] == [across]


@triton.jit
def ids(out, X, Y, EARLY: tl.constexpr):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    if EARLY:
        if x % 2 == 1:
            return
    n = tl.num_programs(0) + 100 * tl.num_programs(1) + 10000 * tl.num_programs(2)
    at = out + ((z * Y + y) * X + x) * 4 + tl.arange(0, 4)
    tl.store(at, tl.where(tl.arange(0, 4) < 3, x + 100 * y + 10000 * z, n))


@pytest.mark.parametrize("grid", [(1,), (7,), (5, 3), (1, 6), (3, 2, 4), (1, 1, 5), (2, 1, 3)])
@pytest.mark.parametrize("early", [False, True])
@pytest.mark.parametrize("ctas", ["1", "4"])
def test_ids(monkeypatch, grid, early, ctas):
    monkeypatch.setenv("TRITIUM_SIM_MULTIPROCESSORS", ctas)
    x, y, z = (*grid, 1, 1)[:3]
    out = np.full((z, y, x, 4), -1, np.int32)
    kernel = ids[grid](out, x, y, EARLY=early, persistent=True)
    assert kernel.metadata.persistent
    expected = np.empty_like(out)
    k, j, i = np.indices((z, y, x))
    expected[..., :3] = (i + 100 * j + 10000 * k)[..., None]
    expected[..., 3] = x + 100 * y + 10000 * z
    if early:
        expected[:, :, 1::2] = -1
    np.testing.assert_array_equal(out, expected)


@triton.jit
def in_place(x, counter, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n)
    total = tl.sum(tl.where(at < n, v, 0))
    tl.store(x + at, v * 2 + total, mask=at < n)
    # Another thread's element of what this program has stored.
    back = tl.program_id(0) * BLOCK + (BLOCK - 1 - tl.arange(0, BLOCK))
    w = tl.load(x + back, mask=at < n // BLOCK * BLOCK)
    tl.store(x + at, w, mask=at < n // BLOCK * BLOCK)
    tl.atomic_add(counter, 1)


def test_in_place():
    n, block = 1000, 128
    x, counter = np.arange(n, dtype=np.int32), np.zeros(1, np.int32)
    expected = x.copy()
    for begin in range(0, n, block):
        part = expected[begin : begin + block]
        part[...] = part * 2 + part.sum()
        if len(part) == block:
            part[...] = part[::-1].copy()
    kernel = in_place[(8,)](x, counter, n, BLOCK=block, persistent=True)
    assert kernel.metadata.persistent
    np.testing.assert_array_equal(x, expected)
    assert counter[0] == 8


@triton.jit
def bytes_in_rows(a, b, c, N, K, T: tl.constexpr):
    i = tl.arange(0, T)
    rows, cols = tl.program_id(1) * T + i, tl.program_id(0) * T + i
    acc = tl.zeros((T, T), tl.int32)
    for k in range(0, K, T):
        x = tl.load(a + rows[:, None] * K + (k + i)[None, :])
        y = tl.load(b + (k + i)[:, None] * N + cols[None, :], cache_modifier=".ca")
        acc = tl.dot(x, y, acc)
    tl.store(c + rows[:, None] * N + cols[None, :], acc)


def test_memory_for_the_store():
    """What TMA brings for the next program lies where this one's sum has changed threads: threads
    copy `b`, so that copies do not go on from one program to the next."""
    m, n, k = 192, 128, 192
    a, b = (whole(*shape, 3).astype(np.int8) for shape in ((m, k), (k, n)))
    c = np.zeros((m, n), np.int32)
    kernel = bytes_in_rows[(n // 64, m // 64)](a, b, c, n, k, T=64, num_warps=4, num_stages=3,
                                               persistent=True)
    np.testing.assert_array_equal(c, a.astype(np.int32) @ b)
    assert remarks(kernel) == ["CTAs loop over programs"] and copies(kernel) == 3


@triton.jit
def plus_program(x, y):
    return x + tl.program_id(0), y + tl.program_id(0)


@triton.jit
def dependent(x, HOW: tl.constexpr):
    pid = tl.program_id(0)
    if HOW == "ticket":
        pid = tl.atomic_add(x + 8, 1)
    elif HOW == "exchange":
        pid += tl.atomic_cas(x + 8, 0, 0)
    elif HOW == "volatile":
        pid += tl.load(x + 8, volatile=True)
    elif HOW == "uncached":
        pid += tl.load(x + 8, cache_modifier=".cv")
    elif HOW == "barrier":
        tl.debug_barrier()
    elif HOW == "print":
        tl.device_print("pid", pid)
    elif HOW == "while":
        while tl.load(x + 8) != 0:
            pid += 1
    elif HOW == "assembly":
        pid += tl.inline_asm_elementwise("and.b32 $0, $1, 0;", "=r,r", [pid], dtype=tl.int32,
                                         is_pure=True, pack=1)
    elif HOW == "map":
        pid = tl.max(tl.map_elementwise(plus_program, tl.zeros((32,), tl.int32), pack=2), 0)
    tl.store(x + pid, pid)


@pytest.mark.parametrize("how", ["ticket", "exchange", "volatile", "uncached", "barrier", "print",
                                 "while", "assembly", "map"])
def test_dependent(how, capfd):
    x = np.zeros(9, np.int32)
    kernel = dependent[(5,)](x, HOW=how, persistent=True)
    assert not kernel.metadata.persistent
    (said,) = remarks(kernel)
    assert said == ("a CTA runs one program, not one after the other: this may depend on other "
                    "programs, or on which CTA it is")
    np.testing.assert_array_equal(x[:8], [0, 1, 2, 3, 4, 0, 0, 0])


def test_errors():
    x = np.zeros(4, np.int32)
    with pytest.raises(Exception, match="option 'persistent' must be True, False or None, but "
                                        "got 3"):
        ids[(1,)](x, 1, 1, EARLY=False, persistent=3)
    with pytest.raises(Exception, match="'persistent' is True, but with launch_cooperative_grid "
                                        "all programs run at once"):
        ids[(1,)](x, 1, 1, EARLY=False, persistent=True, launch_cooperative_grid=True)
    kernel = ids[(1,)](x, 1, 1, EARLY=False, persistent=True)
    with pytest.raises(Exception, match="takes the grid as parameters, as it loops over programs: "
                                        "there is no header for it; compile it with "
                                        "persistent=False"):
        kernel._native.stage("header")
    assert b"launch" in ids[(1,)](x, 1, 1, EARLY=False)._native.stage("header")


def test_too_many_programs():
    x = np.zeros(4, np.int32)
    with pytest.raises(Exception, match=r"the grid \(65536, 32768, 1\) has more programs than a "
                                        r"kernel that loops over them counts, 2147483647; pass "
                                        r"persistent=False"):
        ids[(65536, 32768)](x, 1, 1, EARLY=False, persistent=True)


# A parameter of that name is the kernel's own.
@triton.jit
def named(x, persistent: tl.constexpr):
    tl.store(x + tl.program_id(0), persistent)


def test_parameter_of_that_name():
    x = np.zeros(3, np.int32)
    assert not named[(3,)](x, persistent=7).metadata.persistent
    assert list(x) == [7, 7, 7]


def test_config():
    @triton.autotune(configs=[triton.Config({}, persistent=True)], key=[])
    @triton.jit
    def tuned(x):
        tl.store(x + tl.program_id(0), tl.program_id(0))

    x = np.zeros(5, np.int32)
    assert tuned[(5,)](x).metadata.persistent
    assert list(x) == [0, 1, 2, 3, 4]
    assert str(triton.Config({}, persistent=False)).endswith("persistent: False")
    assert "persistent" not in triton.Config({}).all_kwargs()


# Code that was written out says that it takes the grid.
@pytest.mark.parametrize("stage", ["ttgir", "ptx"])
def test_from_stage(stage):
    out = np.full((7, 4), -1, np.int32)
    kernel = ids[(7,)](out, 7, 1, EARLY=False, persistent=True)
    again = CompiledKernel(_C.compile_ttir(kernel.asm[stage], f"ids.{stage}", {}, TARGET))
    assert again.metadata.persistent
    later = np.full_like(out, -1)
    again[(7, 1, 1)](later, 7)  # the other number is a constant 1
    np.testing.assert_array_equal(later, out)
