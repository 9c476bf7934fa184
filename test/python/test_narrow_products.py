"""Products by wgmma whose operands must lie along K in shared memory, of 8 and of 32 bits, in both
orders, with tails: on the simulated GPU, or with TRITIUM_TEST_BACKENDS=cuda on one of compute
capability 9.0. fp32 is rounded to tf32, to the nearest, wherever it comes from."""

import os
import re

import ml_dtypes
import numpy as np
import pytest

import tritium as triton
import tritium.language as tl

BACKEND = "cuda" if os.environ.get("TRITIUM_TEST_BACKENDS") == "cuda" else "sim:sm_90"
FLOAT8 = {"fp8e4nv": ml_dtypes.float8_e4m3fn, "fp8e5": ml_dtypes.float8_e5m2}


@pytest.fixture(autouse=True)
def backend(monkeypatch):
    monkeypatch.setenv("TRITIUM_BACKEND", BACKEND)


@triton.jit
def product(a, b, c, M, N, K, am, ak, bk, bn, cm, cn, BM: tl.constexpr, BN: tl.constexpr,
            BK: tl.constexpr, SUM: tl.constexpr, BOUND: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    ap = a + rm[:, None] * am + rk[None, :] * ak
    bp = b + rk[:, None] * bk + rn[None, :] * bn
    acc = tl.zeros((BM, BN), SUM)
    for k in range(0, tl.cdiv(K, BK)):
        inside = rk < K - k * BK
        x = tl.load(ap, mask=(rm < M)[:, None] & inside[None, :], other=0)
        y = tl.load(bp, mask=inside[:, None] & (rn < N)[None, :], other=0)
        acc = tl.dot(x, y, acc, out_dtype=SUM, max_num_imprecise_acc=BOUND)
        ap += BK * ak
        bp += BK * bk
    tl.store(c + rm[:, None] * cm + rn[None, :] * cn, acc,
             mask=(rm < M)[:, None] & (rn < N)[None, :])


def strides(x):
    return [n // x.itemsize for n in x.strides]


def matrix(rows, columns, dtype, make, across, pitch):
    """In a larger array; `across`: columns lie one behind the other in memory."""
    if across:
        return matrix(columns, rows, dtype, lambda shape: make(shape[::-1]).T, False, pitch).T
    whole = np.zeros((rows + 5, columns + pitch), dtype)
    inside = whole[2 : 2 + rows, 16 : 16 + columns]
    inside[...] = make((rows, columns))
    return inside


def launch(a, b, m, n, k, tile, dtype, bound=None, **options):
    c = np.zeros((m, n), dtype)
    grid = (triton.cdiv(m, tile[0]), triton.cdiv(n, tile[1]))
    sums = tl.int32 if dtype == np.int32 else tl.float32
    options = {"num_warps": 4, "num_stages": 3, **options}
    kernel = product[grid](a, b, c, m, n, k, *strides(a), *strides(b), *strides(c), *tile, SUM=sums,
                           BOUND=bound, **options)
    return c, kernel


def boxes(kernel):
    return len(re.findall(r"cp\.async\.bulk\.tensor\.\dd\.shared", kernel.asm["ptx"]))


def to_tf32(x, ties):
    """Rounded to 11 significant bits."""
    bits = x.astype(np.float32).view(np.uint32)
    more = np.uint32(0x1000) if ties == "away" else np.uint32(0xfff) + (bits >> 13 & 1)
    return ((bits + more) & np.uint32(0xffffe000)).view(np.float32)


# None is a tie, and some are rounded up: with bits cut off products are others. Sums have one sign.
def tf32_numbers(seed):
    def make(shape):
        rng = np.random.default_rng(seed)
        upper = rng.integers(1024, 1040, shape)
        return np.float32(upper) + rng.choice([0, 0.25, 0.75], shape).astype(np.float32)
    return make


SHAPES = [(64, 64, 96), (128, 80, 72), (80, 176, 32), (64, 64, 8)]


@pytest.mark.parametrize("m,n,k", SHAPES)
@pytest.mark.parametrize("a_across,b_across", [(False, False), (False, True), (True, False),
                                               (True, True)])
def test_tf32(m, n, k, a_across, b_across):
    a = matrix(m, k, np.float32, tf32_numbers(1), a_across, 32)
    b = matrix(k, n, np.float32, tf32_numbers(2), b_across, 32)
    c, kernel = launch(a, b, m, n, k, (64, 128, 32), np.float32)
    exact = to_tf32(a, "away").astype(np.float64) @ to_tf32(b, "away").astype(np.float64)
    np.testing.assert_allclose(c, exact, rtol=2e-6)
    ptx = kernel.asm["ptx"]
    assert "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32" in ptx
    assert "mma.sync" not in ptx and boxes(kernel) and "cp.async.c" not in ptx
    # TMA rounds.
    assert "cvt.rna.tf32" not in ptx


# A tile's rows of 32, 64 and 128 bytes and more, along and across K, and one that is no box.
@pytest.mark.parametrize("tile,warps", [((64, 64, 64), 4), ((64, 128, 32), 4), ((128, 128, 128), 8),
                                        ((64, 256, 64), 4), ((128, 32, 128), 8)])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "fp8e4nv", "fp8e5"])
@pytest.mark.parametrize("a_across,b_across", [(False, False), (True, False), (True, True)])
def test_bytes(tile, warps, dtype, a_across, b_across):
    m, n, k = tile[0] + 16, tile[1] + 16, 2 * tile[2] + 48
    a, b = numbers(m, k, dtype, 3, a_across), numbers(k, n, dtype, 4, b_across)
    whole = np.int32 if "int" in dtype else np.float32
    c, kernel = launch(a, b, m, n, k, tile, whole, num_warps=warps)
    np.testing.assert_array_equal(c, a.astype(whole) @ b.astype(whole))
    assert "wgmma.mma_async" in kernel.asm["ptx"]
    assert boxes(kernel) and "cp.async.c" not in kernel.asm["ptx"]


def numbers(rows, columns, dtype, seed, across):
    low, high = (-128, 128) if dtype == "int8" else (0, 256) if dtype == "uint8" else (-4, 5)
    make, element = np.random.default_rng(seed).integers, FLOAT8.get(dtype) or np.dtype(dtype)
    return matrix(rows, columns, element, lambda shape: make(low, high, shape).astype(element),
                  across, 48)


@pytest.mark.parametrize("bound", [0, 64])
def test_bounds(bound):
    m, n, k = 80, 144, 208
    a, b = numbers(m, k, "fp8e5", 5, False), numbers(k, n, "fp8e5", 6, False)
    c, kernel = launch(a, b, m, n, k, (64, 128, 128), np.float32, bound)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))
    assert boxes(kernel)


# Addresses that TMA has no map for: threads copy, and round.
@pytest.mark.parametrize("dtype", ["int8", "fp32"])
@pytest.mark.parametrize("b_across", [False, True])
def test_other_copies(dtype, b_across):
    m, n, k = 64, 144, 80
    if dtype == "fp32":
        a = matrix(m, k, np.float32, tf32_numbers(1), False, 33)
        b = matrix(k, n, np.float32, tf32_numbers(2), b_across, 33)
        exact = to_tf32(a, "away").astype(np.float64) @ to_tf32(b, "away").astype(np.float64)
        c, kernel = launch(a, b, m, n, k, (64, 128, 32), np.float32)
        np.testing.assert_allclose(c, exact, rtol=2e-6)
    else:
        a, b = numbers(m, k, dtype, 7, False), numbers(k, n + 4, dtype, 8, b_across)[:, 4:]
        c, kernel = launch(a, b, m, n, k, (64, 128, 64), np.int32)
        np.testing.assert_array_equal(c, a.astype(np.int32) @ b.astype(np.int32))
    assert "wgmma.mma_async" in kernel.asm["ptx"]


# A tile that something else is done with, too, is not rounded where it is loaded.
@triton.jit
def with_sum(a, b, c, sums, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm, rn, rk = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    for k in range(0, K, BK):
        x = tl.load(a + rm[:, None] * K + (k + rk)[None, :])
        y = tl.load(b + rn[None, :] * K + (k + rk)[:, None])
        acc = tl.dot(x, y, acc)
        total = tl.maximum(total, tl.max(x, axis=1))
    tl.store(c + rm[:, None] * BN + rn[None, :], acc)
    tl.store(sums + rm, total)


def test_other_uses():
    a, b = tf32_numbers(9)((64, 96)), tf32_numbers(10)((128, 96))
    c, most = np.zeros((64, 128), np.float32), np.zeros(64, np.float32)
    kernel = with_sum[(1,)](a, b, c, most, 96, 64, 128, 32, num_warps=4, num_stages=3)
    exact = to_tf32(a, "away").astype(np.float64) @ to_tf32(b, "away").astype(np.float64).T
    np.testing.assert_allclose(c, exact, rtol=2e-6)
    np.testing.assert_array_equal(most, a.max(axis=1))
    assert "wgmma.mma_async" in kernel.asm["ptx"] and "cvt.rna.tf32" in kernel.asm["ptx"]


# All bits and exponents; ties go to either neighbour.
def test_rounding():
    bits = np.random.default_rng(11).integers(0, 2 ** 32, (64, 32), dtype=np.uint32)
    bits[::2] = bits[::2] & np.uint32(0xffffe000) | np.uint32(0x1000)
    bits[(bits & 0x7f800000) == 0x7f800000] &= np.uint32(0x7fffffff ^ 1 << 29)
    a, b = bits.view(np.float32), np.eye(32, 128, dtype=np.float32)
    c, _ = launch(a, b, 64, 128, 32, (64, 128, 32), np.float32)
    even, away = to_tf32(a, "even"), to_tf32(a, "away")
    assert ((c[:, :32] == even) | (c[:, :32] == away)).all() and (c[::2, :32] != a[::2]).any()


# Operands are turned for the next iteration while the dot of this one goes on, with and without a
# warp for copies, in one tile after the other; with none, one and many iterations.
@pytest.mark.parametrize("dtype", ["int8", "fp32"])
@pytest.mark.parametrize("specializes", [False, True])
@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("a_across", [False, True])
@pytest.mark.parametrize("k,stages", [(0, 4), (32, 4), (656, 4), (656, 5), (656, 3), (656, 2)])
def test_turned_ahead(dtype, specializes, persistent, a_across, k, stages):
    m, n = 192, 176
    if dtype == "fp32":
        a = matrix(m, k, np.float32, tf32_numbers(1), a_across, 32)
        b = matrix(k, n, np.float32, tf32_numbers(2), False, 32)
        tile, whole = (128, 128, 32), np.float32
    else:
        a, b = numbers(m, k, dtype, 3, a_across), numbers(k, n, dtype, 4, False)
        tile, whole = (128, 128, 128), np.int32
    c, kernel = launch(a, b, m, n, k, tile, whole, num_stages=stages, persistent=persistent,
                       warp_specialize=specializes)
    if dtype == "fp32":
        exact = to_tf32(a, "away").astype(np.float64) @ to_tf32(b, "away").astype(np.float64)
        # Tensor cores cut off what a step of 8 products adds below the last of 24 bits; the
        # simulator rounds.
        steps = k / 8 * 2**-23
        np.testing.assert_allclose(c, exact, rtol=steps if BACKEND == "cuda" else min(steps, 4e-6))
    else:
        np.testing.assert_array_equal(c, a.astype(np.int32) @ b.astype(np.int32))
    # The next tile is turned where a program is alone on a multiprocessor, with 227 KB.
    assert "wgmma.mma_async" in kernel.asm["ptx"]
    stores = re.search(r"local_store .* : tensor<\d+x\d+x(i8|f32), #linear", kernel.asm["ttgir"])
    turned = 32 if a_across else 16
    used = 32 * stages + turned
    assert bool(stores) == ((specializes or 2 * used > 227) and used + turned + 8 <= 227)
