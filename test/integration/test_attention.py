"""Attention in the form of two dots a loop, in tiles that warp groups can do: on a GPU of compute
capability 9.0 the second dot goes on while the next iteration computes from the first one."""

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from support import random_array
from tritium.compiler import ASTSource, GPUTarget


@triton.jit
def over_blocks(acc, l, m, q, k_d, v_d, first, lo, hi, scale, rows, BN: tl.constexpr,
                MASK: tl.constexpr):
    for n in tl.range(lo, hi, BN):
        s = tl.dot(q, k_d.load([first + n, 0]).T) * scale
        if MASK:
            s = tl.where(rows[:, None] >= n + tl.arange(0, BN)[None, :], s, float("-inf"))
        most = tl.maximum(m, tl.max(s, 1))
        p = tl.math.exp2(s - most[:, None])
        alpha = tl.math.exp2(m - most)
        acc = tl.dot(p.to(q.dtype), v_d.load([first + n, 0]), acc * alpha[:, None])
        l = l * alpha + tl.sum(p, 1)
        m = most
    return acc, l, m


@triton.jit
def attend(q_ptr, k_ptr, v_ptr, o_ptr, scale, n, heads, CAUSAL: tl.constexpr, BM: tl.constexpr,
           BN: tl.constexpr, D: tl.constexpr):
    first, start = tl.program_id(1) * n, tl.program_id(0) * BM
    shape, strides = [heads * n, D], [D, 1]
    q_d = tl.make_tensor_descriptor(q_ptr, shape, strides, [BM, D])
    k_d = tl.make_tensor_descriptor(k_ptr, shape, strides, [BN, D])
    v_d = tl.make_tensor_descriptor(v_ptr, shape, strides, [BN, D])
    o_d = tl.make_tensor_descriptor(o_ptr, shape, strides, [BM, D])
    rows = start + tl.arange(0, BM)
    acc = tl.zeros([BM, D], tl.float32)
    l = tl.zeros([BM], tl.float32)
    m = tl.full([BM], float("-inf"), tl.float32)
    q = q_d.load([first + start, 0])
    end = start if CAUSAL else n
    acc, l, m = over_blocks(acc, l, m, q, k_d, v_d, first, 0, end, scale, rows, BN, False)
    if CAUSAL:
        acc, l, m = over_blocks(acc, l, m, q, k_d, v_d, first, start, start + BM, scale, rows, BN,
                                True)
    o_d.store([first + start, 0], (acc / l[:, None]).to(q.dtype))


def attention(q, k, v, causal, stages, bm=64, bn=32, warps=4):
    heads, n, d = q.shape
    o = np.zeros_like(q)
    attend[(n // bm, heads)](q, k, v, o, d**-0.5 * 1.44269504, n, heads, CAUSAL=causal, BM=bm,
                             BN=bn, D=d, num_stages=stages, num_warps=warps)
    return o


def exact_attention(q, k, v, causal):
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    s = q @ k.swapaxes(1, 2) * q.shape[-1]**-0.5
    if causal:
        s = np.where(np.tri(s.shape[1], dtype=bool), s, -np.inf)
    p = np.exp(s - s.max(-1, keepdims=True))
    return p @ v / p.sum(-1, keepdims=True)


# A program of the first rows has no blocks without a mask; with one block there is no next one.
@pytest.mark.parametrize("causal", (True, False))
@pytest.mark.parametrize("n,bn", [(64, 64), (128, 32), (192, 64)])
def test_attention(backend, rng, causal, n, bn):
    q, k, v = (random_array(rng, (1, n, 64), "float16") for _ in range(3))
    result = attention(q, k, v, causal, stages=3, bn=bn)
    # Probabilities and the result are rounded to 11 bits.
    np.testing.assert_allclose(result.astype(np.float64), exact_attention(q, k, v, causal),
                               atol=4e-3)


@pytest.mark.parametrize("stages", (3, 4))
def test_attention_is_the_same_in_any_order(backend, rng, stages):
    """Loops whose second dot goes on, which takes three stages or more, compute the same bits."""
    q, k, v = (random_array(rng, (1, 256, 64), "float16") for _ in range(3))
    for causal in (True, False):
        expected = attention(q, k, v, causal, stages=2)
        result = attention(q, k, v, causal, stages)
        np.testing.assert_array_equal(result.view(np.uint16), expected.view(np.uint16))


@pytest.mark.parametrize("d,bm,bn,stages,warps", [
    (128, 128, 128, 3, 8), (128, 128, 64, 3, 8), (64, 128, 128, 3, 8), (64, 128, 64, 3, 4),
    (64, 64, 64, 4, 4)])
def test_second_dot_goes_on(d, bm, bn, stages, warps, monkeypatch):
    """In the loop, one for blocks with and without a mask, the wait for the first dot leaves the
    second one in flight, in registers."""
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    kernel = compiled(d, bm, bn, stages, warps)
    assert kernel.asm["ptx"].count("wgmma.wait_group.sync.aligned 1;") == 1
    assert kernel.n_spills == 0


@pytest.mark.parametrize("d,bm,bn,stages,warps", [(128, 128, 64, 3, 4), (64, 64, 64, 2, 4)])
def test_second_dot_does_not_go_on(d, bm, bn, stages, warps, monkeypatch):
    """Without registers for all tiles, or a buffer to spare, as threads' copies need one."""
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    kernel = compiled(d, bm, bn, stages, warps, tensor_copies=False)
    assert "wgmma.wait_group.sync.aligned 1;" not in kernel.asm["ptx"]


def test_no_buffer_to_spare_for_copies_behind_the_dots(monkeypatch):
    """TMA's go to what the second dot has read when it is over."""
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    ptx = compiled(64, 64, 64, 2, 4).asm["ptx"]
    assert "wgmma.wait_group.sync.aligned 1;" in ptx and "cp.async.bulk.tensor" in ptx


def compiled(d, bm, bn, stages, warps, **options):
    pointers = {name: "*fp16" for name in ("q_ptr", "k_ptr", "v_ptr", "o_ptr")}
    source = ASTSource(attend, {**pointers, "scale": "fp32", "n": "i32", "heads": "i32"},
                       {"CAUSAL": True, "BM": bm, "BN": bn, "D": d},
                       {name: [["tt.divisibility", 16]] for name in (*pointers, "n")})
    return triton.compile(source, GPUTarget("cuda", 90, 32),
                          {"num_stages": stages, "num_warps": warps, **options})
