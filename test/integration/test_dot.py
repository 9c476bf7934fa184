"""tl.dot over element types, shapes, transposed operands and accumulators."""

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from support import assert_close_sum, assert_same, numpy_dtype, random_array

SHAPES = [(1, 1, 1), (16, 16, 16), (3, 5, 7), (17, 33, 9), (64, 64, 32), (1, 64, 16), (64, 1, 48),
          (8, 100, 37)]


@triton.jit
def dot(a_ptr, b_ptr, acc_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
        TA: tl.constexpr, TB: tl.constexpr, ACC: tl.constexpr):
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    k = tl.arange(0, K)
    if TA:
        a = tl.trans(tl.load(a_ptr + k[:, None] * M + m[None, :]))
    else:
        a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    if TB:
        b = tl.load(b_ptr + n[:, None] * K + k[None, :]).T
    else:
        b = tl.load(b_ptr + k[:, None] * N + n[None, :])
    tile = m[:, None] * N + n[None, :]
    if ACC == "none":
        c = tl.dot(a, b)
    elif ACC == "argument":
        c = tl.dot(a, b, tl.load(acc_ptr + tile))
    else:
        c = tl.load(acc_ptr + tile)
        c += tl.dot(a, b)
    tl.static_assert(c.dtype == out_ptr.dtype.element_ty, "the result has another type")
    tl.store(out_ptr + tile, c)


def run(rng, shape, dtype, result, ta=False, tb=False, acc="none"):
    M, N, K = shape
    if dtype.startswith(("int", "uint")):
        a, b = random_array(rng, (M, K), dtype), random_array(rng, (K, N), dtype)
        c = random_array(rng, (M, N), "int32")
    else:
        a, b = random_array(rng, (M, K), dtype), random_array(rng, (K, N), dtype)
        c = random_array(rng, (M, N), result)
    out = np.zeros((M, N), numpy_dtype(result))
    dot[(1,)](np.ascontiguousarray(a.T) if ta else a, np.ascontiguousarray(b.T) if tb else b, c,
              out, M=M, N=N, K=K, TA=ta, TB=tb, ACC=acc)
    return a, b, c, out


def check(a, b, c, out, acc, result):
    wide = np.int64 if out.dtype.kind == "i" else np.float64
    a, b, c = a.astype(wide), b.astype(wide), c.astype(wide) * (acc != "none")
    expected = a @ b + c
    if wide is np.int64:
        assert_same(out, expected.astype(np.int32))
    else:
        assert_close_sum(out, expected, np.abs(a) @ np.abs(b) + np.abs(c), a.shape[1] + 1, result)


FLOAT_CASES = [("float32", "float32"), ("float16", "float32"), ("bfloat16", "float32"),
               ("float64", "float64")]


@pytest.mark.parametrize("dtype,result", FLOAT_CASES)
@pytest.mark.parametrize("acc", ("none", "argument", "added"))
def test_float(backend, rng, dtype, result, acc):
    for shape in SHAPES:
        check(*run(rng, shape, dtype, result, acc=acc), acc, result)


@pytest.mark.parametrize("dtype,result", FLOAT_CASES + [("int8", "int32")])
@pytest.mark.parametrize("ta,tb", [(True, False), (False, True), (True, True)])
def test_transposed(backend, rng, dtype, result, ta, tb):
    for shape in SHAPES:
        check(*run(rng, shape, dtype, result, ta, tb), "none", result)


@pytest.mark.parametrize("dtype", ("int8", "uint8"))
@pytest.mark.parametrize("acc", ("none", "argument"))
def test_integer(backend, rng, dtype, acc):
    for shape in SHAPES:
        a, b, c, out = run(rng, shape, dtype, "int32", acc=acc)
        with np.errstate(all="ignore"):
            check(a, b, c, out, acc, "int32")


@triton.jit
def dot_special(a_ptr, b_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out_ptr + i, tl.dot(tl.load(a_ptr + i), tl.load(b_ptr + i)))


@pytest.mark.parametrize("dtype", ("float32", "float16", "bfloat16"))
def test_special_values(backend, rng, dtype):
    """NaN and infinities come through; a NaN in one row stays in that row."""
    a = np.abs(random_array(rng, (16, 16), dtype)) + numpy_dtype(dtype).type(0.5)
    b = np.abs(random_array(rng, (16, 16), dtype)) + numpy_dtype(dtype).type(0.5)
    a[3, 4] = np.nan
    a[7, 2] = np.inf
    b[5, 9] = -np.inf
    out = np.zeros((16, 16), np.float32)
    dot_special[(1,)](a, b, out, N=16)
    expected = a.astype(np.float64) @ b.astype(np.float64)
    assert np.array_equal(np.isnan(out), np.isnan(expected))
    assert np.array_equal(np.isposinf(out), np.isposinf(expected))
    assert np.array_equal(np.isneginf(out), np.isneginf(expected))


@triton.jit
def batched(a_ptr, b_ptr, out_ptr, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr,
            K: tl.constexpr):
    batch = tl.arange(0, B)[:, None, None]
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + batch * M * K + m[None, :, None] * K + k[None, None, :])
    b = tl.load(b_ptr + batch * K * N + k[None, :, None] * N + n[None, None, :])
    tl.store(out_ptr + batch * M * N + m[None, :, None] * N + n[None, None, :], tl.dot(a, b))


@pytest.mark.parametrize("shape", [(1, 4, 4, 4), (3, 16, 8, 32), (2, 5, 7, 3)])
def test_batched(backend, rng, shape):
    B, M, N, K = shape
    a, b = random_array(rng, (B, M, K), "float32"), random_array(rng, (B, K, N), "float32")
    out = np.zeros((B, M, N), np.float32)
    batched[(1,)](a, b, out, B=B, M=M, N=N, K=K)
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    assert_close_sum(out, wide_a @ wide_b, np.abs(wide_a) @ np.abs(wide_b), K, "float32")


@triton.jit
def chained(a_ptr, b_ptr, c_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    first = tl.dot(tl.load(a_ptr + i), tl.load(b_ptr + i))
    first = tl.where(first > 0, first, 0.0)
    tl.store(out_ptr + i, tl.dot(first, tl.load(c_ptr + i)) + first)


@pytest.mark.parametrize("n", (16, 33, 64))
def test_result_of_a_dot_as_operand(backend, rng, n):
    a, b, c = random_array(rng, (3, n, n), "float32")
    out = np.zeros((n, n), np.float32)
    chained[(1,)](a, b, c, out, N=n)
    first = np.maximum(a.astype(np.float64) @ b.astype(np.float64), 0)
    np.testing.assert_allclose(out, first @ c.astype(np.float64) + first, rtol=1e-4, atol=1e-4)


@triton.jit
def blocked(a_ptr, b_ptr, c_ptr, M, N, K, sam, sak, sbk, sbn, BM: tl.constexpr, BN: tl.constexpr,
            BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    a_ptrs = a_ptr + rows[:, None] * sam + depth[None, :] * sak
    b_ptrs = b_ptr + depth[:, None] * sbk + cols[None, :] * sbn
    acc = tl.zeros((BM, BN), dtype=c_ptr.dtype.element_ty)
    for k in range(0, tl.cdiv(K, BK)):
        left = K - k * BK
        a = tl.load(a_ptrs, mask=(rows[:, None] < M) & (depth[None, :] < left), other=0)
        b = tl.load(b_ptrs, mask=(depth[:, None] < left) & (cols[None, :] < N), other=0)
        acc = tl.dot(a, b, acc)
        a_ptrs += BK * sak
        b_ptrs += BK * sbk
    mask = (rows[:, None] < M) & (cols[None, :] < N)
    tl.store(c_ptr + rows[:, None] * N + cols[None, :], acc, mask=mask)


@pytest.mark.parametrize("dtype,result", FLOAT_CASES + [("int8", "int32")])
@pytest.mark.parametrize("layout", ("rr", "cr", "rc", "cc"))
@pytest.mark.parametrize("shape,block", [
    ((100, 33, 51), (32, 32, 16)), ((64, 64, 64), (64, 64, 32)), ((70, 90, 40), (24, 48, 20))])
def test_blocked_matmul(backend, rng, dtype, result, layout, shape, block):
    M, N, K = shape
    a = random_array(rng, (M, K), dtype)
    b = random_array(rng, (K, N), dtype)
    if layout[0] == "c":
        a = np.asfortranarray(a)
    if layout[1] == "c":
        b = np.asfortranarray(b)
    out = np.zeros((M, N), numpy_dtype(result))
    strides = [s // x.itemsize for x in (a, b) for s in x.strides]
    # Kernels see memory: hand over the transposed view, which is contiguous.
    args = [x if x.flags.c_contiguous else x.T for x in (a, b)]
    BM, BN, BK = block
    blocked[(triton.cdiv(M, BM), triton.cdiv(N, BN))](*args, out, M, N, K, *strides, BM=BM, BN=BN,
                                                      BK=BK)
    check(a, b, np.zeros((M, N)), out, "none", result)
