"""Kernels whose CTAs take programs from a counter, as causal attention: on the simulated GPU, of
which TRITIUM_SIM_MULTIPROCESSORS says how many CTAs there are, or with TRITIUM_TEST_BACKENDS=cuda
on one of compute capability 9.0."""

import os

import numpy as np
import pytest

import tritium as triton
import tritium.language as tl
from tritium.compiler import ASTSource, GPUTarget

BACKEND = "cuda" if os.environ.get("TRITIUM_TEST_BACKENDS") == "cuda" else "sim:sm_90"


@pytest.fixture(autouse=True)
def backend(monkeypatch):
    monkeypatch.setenv("TRITIUM_BACKEND", BACKEND)


@triton.jit
def attention(q, k, v, o, visits, N, scale, TM: tl.constexpr, TN: tl.constexpr, D: tl.constexpr,
              COUNTS: tl.constexpr = True):
    rm, rn, rd = tl.program_id(0) * TM + tl.arange(0, TM), tl.arange(0, TN), tl.arange(0, D)
    head = tl.program_id(1) * N
    x = tl.load(q + (head + rm)[:, None] * D + rd[None, :])
    top = tl.full((TM,), -1e9, tl.float32)
    total = tl.zeros((TM,), tl.float32)
    acc = tl.zeros((TM, D), tl.float32)
    for n in range(0, (tl.program_id(0) + 1) * TM, TN):
        y = tl.load(k + (head + n + rn)[:, None] * D + rd[None, :])
        s = tl.dot(x, y.T) * scale
        s = tl.where(rm[:, None] >= (n + rn)[None, :], s, -1e9)
        new = tl.maximum(top, tl.max(s, 1))
        p = tl.exp2(s - new[:, None])
        ratio = tl.exp2(top - new)
        total = total * ratio + tl.sum(p, 1)
        acc = acc * ratio[:, None]
        z = tl.load(v + (head + n + rn)[:, None] * D + rd[None, :])
        acc = tl.dot(p.to(tl.float16), z, acc)
        top = new
    tl.store(o + (head + rm)[:, None] * D + rd[None, :], (acc / total[:, None]).to(tl.float16))
    if COUNTS:
        tl.atomic_add(visits + tl.program_id(0) + tl.program_id(1) * tl.num_programs(0), 1)


def attend(blocks=3, heads=2, tm=128, tn=128, d=128, warps=8, num_stages=2, counts=True,
           **options):
    """The kernel, that each program has run once, and that its results are right."""
    n = blocks * tm
    random = np.random.default_rng(9)
    q, k, v = (random.standard_normal((heads, n, d)).astype(np.float16) for _ in range(3))
    o, visits = np.zeros((heads, n, d), np.float16), np.zeros((heads, blocks), np.int32)
    kernel = attention[(blocks, heads)](q, k, v, o, visits, n, d**-0.5, tm, tn, d, counts,
                                        num_warps=warps, num_stages=num_stages, **options)
    assert (visits == counts).all()
    scores = q.astype(float) @ k.astype(float).transpose(0, 2, 1) * d**-0.5
    scores = np.where(np.tri(n) > 0, scores, -np.inf)
    weights = np.exp2(scores - scores.max(-1, keepdims=True))
    expected = weights / weights.sum(-1, keepdims=True) @ v.astype(float)
    np.testing.assert_allclose(o, expected, atol=2e-3)
    return kernel


def said(kernel):
    return [r.message for r in kernel.remarks if r.pass_ == "persistent"]


def takes(kernel):
    return "ttg.next_program" in kernel.asm["ttgir"]


# All programs on one CTA, on fewer than there are, on as many, and on more.
@pytest.mark.parametrize("ctas", [1, 2, 5, 6, 100])
def test_chosen(monkeypatch, ctas):
    monkeypatch.setenv("TRITIUM_SIM_MULTIPROCESSORS", str(ctas))
    kernel = attend()
    assert kernel.metadata.persistent and takes(kernel)
    (text,) = said(kernel)
    assert text == ("CTAs loop over programs, and who is done first takes the next one; copies for "
                    "the next one start before this one is stored")
    # Queries, too, come by TMA, which the warp for copies starts.
    assert "ld.global" not in kernel.asm["ptx"]
    assert not [r for r in kernel.remarks if "1 x i32" in r.message]


def loads_of_boxes(kernel):
    return kernel.asm["ttgir"].count("ttng.tma_load")


def lost_stages(kernel):
    return [r.message for r in kernel.remarks if "fewer stages" in r.message]


# Queries that the warp for copies starts stay beside what is stored in the end.
def test_queries_are_no_boxes_where_these_leave_no_room():
    kernel = attend(blocks=2, heads=1, tm=128, tn=64, d=256, persistent=False)
    assert "ttg.warp_groups" in kernel.asm["ttgir"] and loads_of_boxes(kernel) == 2
    assert not lost_stages(kernel)
    assert loads_of_boxes(attend(blocks=2, heads=1, persistent=False)) == 3


def test_queries_are_no_boxes_without_a_warp_for_copies():
    kernel = attend(blocks=2, heads=1, warp_specialize=False)
    assert "ttg.warp_groups" not in kernel.asm["ttgir"] and loads_of_boxes(kernel)
    assert "ld.global" in kernel.asm["ptx"]


# A stage is worth less than copies for the next program.
def test_a_stage_less_where_programs_loop():
    kernel = attend(blocks=2, heads=1, num_stages=3)
    assert kernel.metadata.persistent and loads_of_boxes(kernel) == 3
    assert len(lost_stages(kernel)) == 1
    assert not lost_stages(attend(blocks=2, heads=1, num_stages=3, persistent=False))


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_in_any_order(monkeypatch, seed):
    monkeypatch.setenv("TRITIUM_SIM_SEED", str(seed))
    monkeypatch.setenv("TRITIUM_SIM_MULTIPROCESSORS", "3")
    assert takes(attend(blocks=4, heads=3))


# More heads than begin together, and blocks that are no power of two.
@pytest.mark.parametrize("blocks, heads", [(1, 1), (1, 7), (5, 1), (3, 5)])
def test_grids(monkeypatch, blocks, heads):
    monkeypatch.setenv("TRITIUM_SIM_MULTIPROCESSORS", "2")
    assert takes(attend(blocks, heads, tn=64))


@pytest.mark.parametrize("options, reason", [
    ({"warp_specialize": False}, "there is no warp of its own for its copies"),
    ({"tensor_copies": False}, None), ({"persistent": False}, None)])
def test_not_chosen(options, reason):
    kernel = attend(**options)
    assert not kernel.metadata.persistent and not takes(kernel)
    assert [reason in text for text in said(kernel)] == ([True] if reason else [])


@triton.jit
def product(a, b, c, K, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr):
    rm, rn, rk = tl.arange(0, TM), tl.arange(0, TN), tl.arange(0, TK)
    row = tl.program_id(0) * TM + rm
    acc = tl.zeros((TM, TN), tl.float32)
    for k in range(0, K, TK):
        x = tl.load(a + row[:, None] * K + (k + rk)[None, :])
        y = tl.load(b + (k + rk)[:, None] * TN + rn[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + row[:, None] * TN + rn[None, :], acc.to(tl.float16))


# Programs of one length have fixed shares, unless the counter is asked for; the other way round.
@pytest.mark.parametrize("asked", [None, False, True])
def test_asked(monkeypatch, asked):
    monkeypatch.setenv("TRITIUM_SIM_MULTIPROCESSORS", "2")
    options = {} if asked is None else {"dynamic_scheduling": asked}
    a = np.random.default_rng(1).integers(-2, 3, (5 * 128, 192)).astype(np.float16)
    b = np.random.default_rng(2).integers(-2, 3, (192, 256)).astype(np.float16)
    c = np.zeros((5 * 128, 256), np.float16)
    kernel = product[(5,)](a, b, c, 192, 128, 256, 64, num_warps=8, num_stages=4, **options)
    np.testing.assert_array_equal(c, (a.astype(np.float32) @ b.astype(np.float32)))
    assert kernel.metadata.persistent and takes(kernel) == bool(asked)
    # Each warp stores its own rows: the warps do not meet between two programs.
    assert "by_warp" in kernel.asm["ttgir"]
    assert takes(attend(**options)) == (asked is not False)


# Of programs of one iteration the warp that copies is several ahead: it waits until a number has
# been read before it puts another one there.
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_short_programs(monkeypatch, seed):
    monkeypatch.setenv("TRITIUM_SIM_MULTIPROCESSORS", "1")
    monkeypatch.setenv("TRITIUM_SIM_SEED", str(seed))
    a = np.random.default_rng(1).integers(-2, 3, (9 * 128, 64)).astype(np.float16)
    b = np.random.default_rng(2).integers(-2, 3, (64, 256)).astype(np.float16)
    c = np.zeros((9 * 128, 256), np.float16)
    kernel = product[(9,)](a, b, c, 64, 128, 256, 64, num_warps=8, num_stages=4,
                           dynamic_scheduling=True)
    np.testing.assert_array_equal(c, (a.astype(np.float32) @ b.astype(np.float32)))
    assert takes(kernel)


def test_config():
    config = triton.Config({"TM": 128}, dynamic_scheduling=True)
    assert config.all_kwargs()["dynamic_scheduling"] is True
    assert "dynamic_scheduling" not in triton.Config({"TM": 128}).all_kwargs()


def test_asked_without_a_warp_for_copies():
    kernel = attend(persistent=True, warp_specialize=False, dynamic_scheduling=True)
    assert kernel.metadata.persistent and not takes(kernel)
    assert any("although the counter is asked for" in text for text in said(kernel))


# Queries in shared memory: they are handed back when the loop is over.
def test_queries_in_shared_memory():
    kernel = attend(tm=64, tn=64, d=256, warps=4, warp_specialize=True)
    assert "ttg.warp_groups" in kernel.asm["ttgir"]


# A counter is left as it was found; streams have counters of their own.
@pytest.mark.skipif(BACKEND != "cuda", reason="counters stay where modules do, on a GPU")
def test_one_launch_after_the_other():
    for blocks, heads in [(3, 2), (5, 40), (1, 1), (7, 19), (3, 2)] * 3:
        attend(blocks, heads)


# Three stages do not fit beside queries: fewer stages rather than no loop over programs.
def test_fewer_stages():
    kernel = attend(blocks=2, tm=128, tn=64, d=256, num_stages=3, counts=False)
    assert takes(kernel)
    assert kernel.metadata.shared <= 232448
    assert [r for r in kernel.remarks if "the loop has fewer stages" in r.message]


def test_assembles():
    kernel = triton.compile(
        ASTSource(attention, {"q": "*fp16", "k": "*fp16", "v": "*fp16", "o": "*fp16",
                              "visits": "*i32", "N": "i32", "scale": "fp32", "TM": "constexpr",
                              "TN": "constexpr", "D": "constexpr"},
                  {"TM": 128, "TN": 128, "D": 128},
                  {(i,): [["tt.divisibility", 16]] for i in range(6)}),
        target=GPUTarget("cuda", 90, 32), options={"num_warps": 8, "num_stages": 2})
    assert takes(kernel) and kernel.asm["ptx"].count("atom.global.inc.u32") == 1
    # Stored where the kernel begins, and loaded once a program; none in its loop.
    assert kernel.n_spills <= 4
