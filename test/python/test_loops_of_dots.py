"""Loops of several dots of warp groups: what needs nothing of the first one begins beside it, what
several dots read lies in shared memory once, vectors beside tiles are copied by TMA."""

import os

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl

BACKEND = "cuda" if os.environ.get("TRITIUM_TEST_BACKENDS") == "cuda" else "sim:sm_90"


@pytest.fixture(autouse=True)
def backend(monkeypatch):
    monkeypatch.setenv("TRITIUM_BACKEND", BACKEND)


def loop_of(kernel):
    """The first loop of a kernel that multiplies, to its end."""
    text = kernel.asm["ttgir"]
    loop = next(part for part in text.split("scf.for")[1:] if "warp_group_dot" in part)
    return loop[: loop.index("scf.yield")]


@triton.jit
def gradients(q_ptr, k_ptr, v_ptr, do_ptr, lse_ptr, delta_ptr, dk_ptr, dv_ptr, N, n,
              D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """Of BN keys and values, from all queries; keys come scaled. `n` of N queries count."""
    head = tl.program_id(1).to(tl.int64) * N
    keys, dims = tl.program_id(0) * BN + tl.arange(0, BN), tl.arange(0, D)
    at = (head + keys)[:, None] * D + dims[None, :]
    k, v = tl.load(k_ptr + at), tl.load(v_ptr + at)
    dk, dv = tl.zeros([BN, D], tl.float32), tl.zeros([BN, D], tl.float32)
    for first in range(0, n, BM):
        rows = first + tl.arange(0, BM)
        inside = rows < n
        qt = tl.load(q_ptr + (head + rows)[None, :] * D + dims[:, None], mask=inside[None, :],
                     other=0.0)
        lse = tl.load(lse_ptr + head + rows, mask=inside, other=0.0)
        pt = tl.where(inside[None, :], tl.exp2(tl.dot(k, qt) - lse[None, :]), 0.0)
        do = tl.load(do_ptr + (head + rows)[:, None] * D + dims[None, :], mask=inside[:, None],
                     other=0.0)
        dv += tl.dot(pt.to(do.dtype), do)
        delta = tl.load(delta_ptr + head + rows, mask=inside, other=0.0)
        dst = pt * (tl.dot(v, tl.trans(do)) - delta[None, :])
        dk += tl.dot(dst.to(qt.dtype), tl.trans(qt))
    tl.store(dk_ptr + at, dk)
    tl.store(dv_ptr + at, dv)


@pytest.mark.parametrize("specializes", [False, True])
@pytest.mark.parametrize("stages", [1, 2, 3])
@pytest.mark.parametrize("n", [0, 100, 192])
def test_gradients(n, stages, specializes):
    N, D, BM, BN = 192, 64, 64, 64
    random = np.random.default_rng(n + stages)
    q, k, v, do = (random.standard_normal((2, N, D)).astype(np.float16) for _ in range(4))
    k = (k / 8).astype(np.float16)
    lse, delta = (random.standard_normal((2, N)).astype(np.float32) for _ in range(2))
    dk, dv = (np.full((2, N, D), np.nan, np.float32) for _ in range(2))
    kernel = gradients[(N // BN, 2)](q, k, v, do, lse, delta, dk, dv, N, n, D, BM, BN, num_warps=4,
                                     num_stages=stages, warp_specialize=specializes)
    for head in range(2):
        a, b, c, d = (x[head].astype(np.float64) for x in (q[:, :n], k, v, do[:, :n]))
        weights = np.exp2(b @ a.T - lse[head, :n])
        scores = weights * (c @ d.T - delta[head, :n])
        # Left operands are rounded to 11 bits.
        for found, left, right in ((dv[head], weights, d), (dk[head], scores, a)):
            bound = np.abs(left) @ np.abs(right) * 2**-10 + 1e-3
            assert (np.abs(found - left @ right) <= bound).all()
    loop = loop_of(kernel)
    waits = loop.index("warp_group_dot_wait")
    assert loop[:waits].count("ttng.warp_group_dot ") == 2, "both first dots begin at once"
    if stages > 1:
        assert "local_alloc init" not in loop, "four dots read two buffers in place"
        text = kernel.asm["ttgir"]
        assert "<64xf32" in "".join(l for l in text.splitlines() if "ttng.tma_load" in l)
        assert ("ttg.warp_groups" in text) == specializes


@triton.jit
def weighted(x_ptr, w_ptr, s_ptr, y_ptr, K, M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr,
             LEFT: tl.constexpr):
    """y = x @ (w * s), or its transpose; w is of 8 bits and comes with a factor for each k."""
    rows, columns, ks = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BK)
    y = tl.zeros([N, M] if LEFT else [M, N], tl.float32)
    z = tl.zeros([M, M], tl.float32)
    for k in range(0, K, BK):
        x = tl.load(x_ptr + rows[:, None] * K + k + ks[None, :])
        w = tl.load(w_ptr + (k + ks)[:, None] * N + columns[None, :]).to(x.dtype)
        w *= tl.load(s_ptr + k + ks).to(x.dtype)[:, None]
        z += tl.dot(x, tl.trans(x))
        if LEFT:
            y += tl.dot(tl.trans(w), tl.trans(x))
        else:
            y += tl.dot(x, w)
    tl.store(y_ptr + (columns[:, None] * M + rows[None, :] if LEFT
                      else rows[:, None] * N + columns[None, :]), y)
    tl.store(y_ptr + M * N + rows[:, None] * M + rows[None, :], z)


@pytest.mark.parametrize("stages", [1, 3])
@pytest.mark.parametrize("left", [False, True])
def test_weights_of_8_bits(left, stages):
    M, N, K, BK = 64, 64, 256, 64
    random = np.random.default_rng(5)
    x = random.standard_normal((M, K)).astype(np.float16)
    w = random.integers(-128, 128, (K, N), dtype=np.int8)
    s = (random.random(K) / 64).astype(np.float32)
    y = np.full(M * N + M * M, np.nan, np.float32)
    kernel = weighted[(1,)](x, w, s, y, K, M, N, BK, left, num_warps=4, num_stages=stages)
    scaled = (w.astype(np.float16) * s.astype(np.float16)[:, None]).astype(np.float64)
    product = x.astype(np.float64) @ scaled
    np.testing.assert_allclose(y[: M * N].reshape(product.shape), product.T if left else product,
                               atol=2e-2)
    np.testing.assert_allclose(y[M * N :].reshape(M, M),
                               x.astype(np.float64) @ x.T.astype(np.float64), atol=1e-2)
    # What warps would hold for a dot is as many elements in each of them.
    casts = [l for l in kernel.asm["ttgir"].splitlines() if "arith.sitofp" in l and "i8" in l]
    assert casts and not any("dot_op" in cast for cast in casts)


@triton.jit
def decayed(q_ptr, k_ptr, v_ptr, begun_ptr, out_ptr, n, D: tl.constexpr, BM: tl.constexpr,
            BN: tl.constexpr):
    """Sums of which each step leaves half; what a step stores keeps that in front of its dots."""
    rows, dims = tl.arange(0, BM), tl.arange(0, D)
    q = tl.load(q_ptr + rows[:, None] * D + dims[None, :])
    sums = tl.zeros([BM, D], tl.float32)
    for first in range(0, n, BN):
        sums = sums * 0.5
        tl.store(begun_ptr + first // BN, first)
        at = first + tl.arange(0, BN)
        k = tl.load(k_ptr + at[None, :] * D + dims[:, None])
        v = tl.load(v_ptr + at[:, None] * D + dims[None, :])
        sums += tl.dot(tl.dot(q, k).to(v.dtype), v)
    tl.store(out_ptr + rows[:, None] * D + dims[None, :], sums)


@pytest.mark.parametrize("n", [0, 64, 256])
def test_sum_that_changes_before_the_dots(n):
    N, D, B = 256, 64, 64
    random = np.random.default_rng(n)
    q, k, v = ((random.standard_normal((m, D)) / 4).astype(np.float16) for m in (B, N, N))
    begun, out = np.full(N // B, -1, np.int32), np.full((B, D), np.nan, np.float32)
    kernel = decayed[(1,)](q, k, v, begun, out, n, D, B, B, num_warps=4, num_stages=3)
    assert "ahead = -1" in kernel.asm["ttgir"]  # the second dot goes on
    expected = np.zeros((B, D))
    for first in range(0, n, B):
        part = slice(first, first + B)
        scores = (q.astype(np.float64) @ k[part].T).astype(np.float16)
        expected = expected * 0.5 + scores.astype(np.float64) @ v[part]
    assert (begun[: n // B] == np.arange(0, n, B)).all() and (begun[n // B:] == -1).all()
    np.testing.assert_allclose(out, expected, atol=2e-2)
