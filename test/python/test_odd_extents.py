"""Tiles whose extents are no powers of two, in products of warp groups (wgmma): 48, 80, 96, .. of rows
or columns or along k. On the simulated GPU, or with TRITIUM_TEST_BACKENDS=cuda on one of compute
capability 9.0."""

import os

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
    assert f"m64n{tn}k16" in kernel.asm["ptx"]
