"""Tiles whose extents are no powers of two, in products of warp groups (wgmma): 48, 80, 96, .. of
rows or columns or along k. On the simulated GPU, or with TRITIUM_TEST_BACKENDS=cuda on one of
compute capability 9.0."""

import json
import os
import re

import numpy as np
import pytest

import tritium as triton
import tritium.language as tl

BACKEND = "cuda" if os.environ.get("TRITIUM_TEST_BACKENDS") == "cuda" else "sim:sm_90"


@pytest.fixture(autouse=True)
def backend(monkeypatch):
    monkeypatch.setenv("TRITIUM_BACKEND", BACKEND)


def matrix(rows, columns, seed):
    """Whole numbers, whose products are exact, in the midst of what is none."""
    whole = np.full((rows + 2, columns), np.nan, np.float16)
    whole[1:-1] = np.random.default_rng(seed).integers(-3, 4, (rows, columns))
    return whole[1:-1]


def is_by_warp_groups(kernel):
    return "wgmma.mma_async" in kernel.asm["ptx"] and "mma.sync" not in kernel.asm["ptx"]


@triton.jit
def product(a, b, c, K, am, ak, bk, bn, cm, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr):
    rm = tl.program_id(0) * TM + tl.arange(0, TM)
    rn = tl.program_id(1) * TN + tl.arange(0, TN)
    rk = tl.arange(0, TK)
    acc = tl.zeros((TM, TN), tl.float32)
    for k in range(0, K, TK):
        x = tl.load(a + rm[:, None] * am + (k + rk)[None, :] * ak)
        y = tl.load(b + (k + rk)[:, None] * bk + rn[None, :] * bn)
        acc = tl.dot(x, y, acc)
    tl.store(c + rm[:, None] * cm + rn[None, :], acc.to(c.dtype.element_ty))


def run_product(tm, tn, tk, steps=3, a_across=False, b_across=True, out=np.float32, **options):
    m, n, k = 2 * tm, 2 * tn, steps * tk
    a, b = matrix(m, k, 1), matrix(k, n, 2)
    given_a = np.ascontiguousarray(a.T).T if a_across else a
    given_b = b if b_across else np.ascontiguousarray(b.T).T
    c = np.full((m, n), np.nan, out)
    kernel = product[(2, 2)](
        given_a, given_b, c, k, *(s // 2 for s in given_a.strides + given_b.strides), n, tm, tn, tk,
        **options)
    want = a.astype(np.float32) @ b.astype(np.float32)
    np.testing.assert_array_equal(c.astype(np.float32), want)
    return kernel


EXTENTS = [(64, 96, 64), (64, 80, 32), (64, 48, 80), (128, 112, 96), (192, 64, 48), (64, 192, 64)]


@pytest.mark.parametrize("tm, tn, tk", EXTENTS)
@pytest.mark.parametrize("copies", [False, True])
def test_extents(tm, tn, tk, copies):
    kernel = run_product(tm, tn, tk, num_warps=4, num_stages=3, tensor_copies=copies)
    assert is_by_warp_groups(kernel)
    assert ("cp.async.bulk.tensor" in kernel.asm["ptx"]) == copies
    assert ("cp.async.cg" in kernel.asm["ptx"]) != copies
    # All columns by one instruction.
    assert set(re.findall(r"wgmma\S+m64n(\d+)k16", kernel.asm["ptx"])) == {str(tn)}


# Threads store a tile whose extent of a power of two is several panels wide.
@pytest.mark.parametrize("stages", [1, 3])
@pytest.mark.parametrize("tm, tn, tk", [(128, 96, 128), (64, 80, 128), (64, 48, 256)])
def test_panels_along_a_power_of_two(tm, tn, tk, stages):
    run_product(tm, tn, tk, b_across=False, num_stages=stages, tensor_copies=False)


# Rows of panels along k and across it, of 32, 64 and 128 bytes; several panels in both directions.
@pytest.mark.parametrize("a_across", [False, True])
@pytest.mark.parametrize("b_across", [False, True])
@pytest.mark.parametrize("tm, tn, tk", [(64, 80, 48), (192, 96, 96), (64, 48, 192), (192, 192, 80)])
def test_majors(tm, tn, tk, a_across, b_across):
    kernel = run_product(tm, tn, tk, a_across=a_across, b_across=b_across, num_stages=2)
    assert is_by_warp_groups(kernel)


# Two groups share 128 rows; of 192, which they cannot share, each has all, and half of the columns.
@pytest.mark.parametrize("tm, tn, shared", [(128, 80, True), (192, 128, True), (64, 96, False),
                                            (192, 96, False)])
def test_groups(tm, tn, shared):
    assert is_by_warp_groups(run_product(tm, tn, 64, num_warps=8)) == shared


# No instruction has as many, and parts of panels of 64 columns are powers of two.
@pytest.mark.parametrize("tn, width, b_across",
                         [(320, 64, True), (320, 160, False), (288, 96, True)])
def test_columns_of_several_instructions(tn, width, b_across):
    kernel = run_product(64, tn, 32, b_across=b_across, num_warps=4, num_stages=2)
    assert set(re.findall(r"wgmma\S+m64n(\d+)k16", kernel.asm["ptx"])) == {str(width)}


@triton.jit
def ends(a, b, c, M, N, K, am, bk, cm, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr,
         WRAPS: tl.constexpr):
    rm = tl.program_id(0) * TM + tl.arange(0, TM)
    rn = tl.program_id(1) * TN + tl.arange(0, TN)
    rk = tl.arange(0, TK)
    wm, wn = (rm % M, rn % N) if WRAPS else (rm, rn)
    acc = tl.zeros((TM, TN), tl.float32)
    for k in range(0, K, TK):
        at = k + rk
        inside_a, inside_b = (at < K)[None, :], (at < K)[:, None]
        if not WRAPS:
            inside_a, inside_b = inside_a & (rm < M)[:, None], inside_b & (rn < N)[None, :]
        x = tl.load(a + wm[:, None] * am + at[None, :], mask=inside_a, other=0.0)
        y = tl.load(b + at[:, None] * bk + wn[None, :], mask=inside_b, other=0.0)
        acc = tl.dot(x, y, acc)
    tl.store(c + rm[:, None] * cm + rn[None, :], acc.to(tl.float16),
             mask=(rm < M)[:, None] & (rn < N)[None, :])


@pytest.mark.parametrize("m, n, k", [(130, 208, 144), (64, 16, 16), (100, 176, 160)])
@pytest.mark.parametrize("tm, tn, tk, warps", [(64, 80, 48, 4), (128, 96, 32, 8), (64, 192, 80, 4)])
@pytest.mark.parametrize("wraps", [False, True])
def test_ends(m, n, k, tm, tn, tk, warps, wraps):
    a, b = matrix(m, k, 3), matrix(k, n, 4)
    c = np.full((m + 3, n + 8), -7.0, np.float16)
    kernel = ends[(triton.cdiv(m, tm), triton.cdiv(n, tn))](
        a, b, c, m, n, k, k, n, n + 8, tm, tn, tk, wraps, num_warps=warps, num_stages=3)
    np.testing.assert_array_equal(c[:m, :n], a.astype(np.float32) @ b.astype(np.float32))
    assert (c[m:] == -7).all() and (c[:, n:] == -7).all()
    assert "cp.async.bulk.tensor" in kernel.asm["ptx"]


@triton.jit
def attention(q, k, v, o, N, TM: tl.constexpr, TN: tl.constexpr, D: tl.constexpr):
    rm, rn, rd = tl.program_id(0) * TM + tl.arange(0, TM), tl.arange(0, TN), tl.arange(0, D)
    x = tl.load(q + rm[:, None] * D + rd[None, :])
    acc = tl.zeros((TM, D), tl.float32)
    total = tl.zeros((TM,), tl.float32)
    top = tl.full((TM,), -1000.0, tl.float32)
    for n in range(0, N, TN):
        y = tl.load(k + (n + rn)[:, None] * D + rd[None, :])
        s = tl.dot(x, y.T)
        most = tl.maximum(top, tl.max(s, 1))
        # Whole numbers, so that all is exact.
        p = tl.maximum(s - most[:, None] + 3.0, 0.0)
        scale = tl.where(top < most, 1.0, -1.0)
        z = tl.load(v + (n + rn)[:, None] * D + rd[None, :])
        acc = tl.dot(p.to(tl.float16), z, acc * scale[:, None])
        total = total * scale + tl.sum(p, 1)
        top = most
    tl.store(o + rm[:, None] * D + rd[None, :], acc + total[:, None])


def attend(q, k, v, tn):
    s = q @ k.T
    acc, total, top = np.zeros_like(q), np.zeros(len(q)), np.full(len(q), -1000.0)
    for n in range(0, len(k), tn):
        part = s[:, n : n + tn]
        most = np.maximum(top, part.max(1))
        p = np.maximum(part - most[:, None] + 3, 0)
        scale = np.where(top < most, 1.0, -1.0)
        acc = acc * scale[:, None] + p @ v[n : n + tn]
        total, top = total * scale + p.sum(1), most
    return acc + total[:, None]


@pytest.mark.parametrize("d", [48, 80, 96, 112, 192])
@pytest.mark.parametrize("tm, tn, warps", [(64, 64, 4), (128, 32, 8), (64, 48, 4)])
@pytest.mark.parametrize("splits", [False, True])
def test_attention(d, tm, tn, warps, splits):
    n = 2 * 3 * tn
    q, k, v = (matrix(rows, d, seed) for rows, seed in [(2 * tm, 5), (n, 6), (n, 7)])
    o = np.full((2 * tm, d), np.nan, np.float32)
    kernel = attention[(2,)](q, k, v, o, n, tm, tn, d, num_warps=warps, num_stages=3,
                             warp_specialize=splits)
    np.testing.assert_array_equal(o, attend(*(x.astype(np.float64) for x in (q, k, v)), tn))
    assert is_by_warp_groups(kernel)
    assert ("ttg.warp_groups" in kernel.asm["ttgir"]) == splits


def test_the_second_dot_goes_on():
    n, d = 256, 80
    q, k, v = (matrix(n, d, seed) for seed in (8, 9, 10))
    o = np.full((n, d), np.nan, np.float32)
    kernel = attention[(2,)](q, k, v, o, n, 128, 64, d, num_warps=8, num_stages=3)
    assert [r.message for r in kernel.remarks if r.pass_ == "rotate-dots"] == [
        "this dot goes on while the next iteration computes from the other one"]


# Of rows that are multiples of 128 bytes TMA stores 64 columns at a time.
@triton.jit
def many_tiles(a, b, c, M, K, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr):
    rn, rk = tl.arange(0, TN), tl.arange(0, TK)
    for tile in range(tl.program_id(0), M // TM, tl.num_programs(0)):
        rm = tile * TM + tl.arange(0, TM)
        acc = tl.zeros((TM, TN), tl.float32)
        for k in range(0, K, TK):
            x = tl.load(a + rm[:, None] * K + (k + rk)[None, :])
            y = tl.load(b + (k + rk)[:, None] * TN + rn[None, :])
            acc = tl.dot(x, y, acc)
        tl.store(c + rm[:, None] * TN + rn[None, :], acc.to(tl.float16))


@pytest.mark.parametrize("tn, parts", [(192, 3), (96, 1)])
def test_stores(tn, parts):
    m, k = 5 * 128, 192
    a, b = matrix(m, k, 11), matrix(k, tn, 12)
    c = np.full((m, tn), np.nan, np.float16)
    kernel = many_tiles[(2,)](a, b, c, m, k, 128, tn, 64, num_warps=8, num_stages=5)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))
    stores = [r.message for r in kernel.remarks if "TMA stores" in r.message]
    assert len(stores) == 1 and ("in 3 parts" in stores[0]) == (parts == 3)


@pytest.mark.parametrize("tm, tn, tk", [(64, 80, 80), (64, 96, 96), (128, 192, 64)])
@pytest.mark.parametrize("copies", [False, True])
def test_there_are_no_bank_conflicts(tm, tn, tk, copies):
    a, b = matrix(tm, 2 * tk, 13), matrix(2 * tk, tn, 14)
    c = np.zeros((tm, tn), np.float16)
    result = product.simulate((1, 1), a, b, c, 2 * tk, 2 * tk, 1, tn, 1, tn, tm, tn, tk,
                              num_warps=tm // 16, num_stages=2, tensor_copies=copies, arch="sm_90")
    # The simulator counts the passes of cp.async by the rows that it reads.
    assert all(counters.bank_conflicts == 0 for name, counters in result.instructions.items()
               if name != "cp.async")
