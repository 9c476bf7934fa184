"""tl.dot over element types, shapes, transposed operands and accumulators."""

import ml_dtypes
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


def run(rng, shape, dtype, result, ta=False, tb=False, acc="none", place=np.ascontiguousarray):
    M, N, K = shape
    if dtype.startswith(("int", "uint")):
        a, b = random_array(rng, (M, K), dtype), random_array(rng, (K, N), dtype)
        c = random_array(rng, (M, N), "int32")
    else:
        a, b = random_array(rng, (M, K), dtype), random_array(rng, (K, N), dtype)
        c = random_array(rng, (M, N), result)
    out = np.zeros((M, N), numpy_dtype(result))
    dot[(1,)](place(a.T if ta else a), place(b.T if tb else b), c, out, M=M, N=N, K=K, TA=ta,
              TB=tb, ACC=acc)
    return a, b, c, out


def check(a, b, c, out, acc, result):
    wide = np.int64 if out.dtype.kind == "i" else np.float64
    a, b, c = a.astype(wide), b.astype(wide), c.astype(wide) * (acc != "none")
    expected = a @ b + c
    if wide is np.int64:
        assert_same(out, expected.astype(np.int32))
    else:
        assert_close_sum(out, expected, np.abs(a) @ np.abs(b) + np.abs(c), a.shape[-1] + 1, result)


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


@pytest.mark.parametrize("dtype,result", FLOAT_CASES + [("int8", "int32"), ("uint8", "int32")])
@pytest.mark.parametrize("ta,tb", [(False, False), (False, True), (True, True)])
def test_nothing_behind_operands_is_read(compiled_backend, rng, at_end_of_page, dtype, result, ta,
                                         tb):
    for shape in SHAPES + [(16, 32, 33), (32, 20, 64), (20, 48, 31), (64, 80, 24), (8, 64, 6)]:
        check(*run(rng, shape, dtype, result, ta, tb, place=at_end_of_page), "none", result)


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


def test_small_numbers(backend, rng):
    """Where numbers below 2^-126 are taken for zero, what is lost is as little as that."""
    for dtype in ("float32", "bfloat16"):
        for shape in SHAPES:
            M, N, K = shape
            a, b = (np.ldexp(rng.standard_normal(size), rng.integers(-140, 50, size))
                    .astype(numpy_dtype(dtype)) for size in ((M, K), (K, N)))
            out = np.zeros((M, N), np.float32)
            dot[(1,)](a, b, out, out, M=M, N=N, K=K, TA=False, TB=False, ACC="none")
            a, b = a.astype(np.float64), b.astype(np.float64)
            each = np.abs(a).sum(1)[:, None] + np.abs(b).sum(0)[None, :] + 2 * K
            bound = 2.0 ** -24 * (K + 4) * (np.abs(a) @ np.abs(b)) + 2.0 ** -126 * each
            assert (np.abs(out - a @ b) <= bound).all()


@triton.jit
def batched(a_ptr, b_ptr, out_ptr, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr,
            K: tl.constexpr, TB: tl.constexpr):
    batch = tl.arange(0, B)[:, None, None]
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + batch * M * K + m[None, :, None] * K + k[None, None, :])
    row, column = (1, K) if TB else (N, 1)
    b = tl.load(b_ptr + batch * K * N + k[None, :, None] * row + n[None, None, :] * column)
    tl.store(out_ptr + batch * M * N + m[None, :, None] * N + n[None, None, :], tl.dot(a, b))


@pytest.mark.parametrize("shape", [(1, 4, 4, 4), (3, 16, 8, 32), (2, 5, 7, 3), (2, 16, 40, 12)])
@pytest.mark.parametrize("dtype", ("float32", "bfloat16", "int8", "uint8"))
@pytest.mark.parametrize("tb", (False, True))
def test_batched(backend, rng, shape, dtype, tb):
    B, M, N, K = shape
    a, b = random_array(rng, (B, M, K), dtype), random_array(rng, (B, K, N), dtype)
    result = "int32" if "int" in dtype else "float32"
    out = np.zeros((B, M, N), numpy_dtype(result))
    batched[(1,)](a, np.ascontiguousarray(b.swapaxes(1, 2)) if tb else b, out, B=B, M=M, N=N, K=K,
                  TB=tb)
    check(a, b, np.zeros_like(out), out, "none", result)


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
def chained_narrow(a_ptr, b_ptr, c_ptr, out_ptr, n, N: tl.constexpr, IMPRECISE: tl.constexpr):
    """A product as either operand of others, and a tile as both of one."""
    rows, columns = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    a = tl.load(a_ptr + rows * N + columns)
    total = tl.zeros((N, N), out_ptr.dtype.element_ty)
    for k in range(n):
        b = tl.load(b_ptr + k * N * N + columns * N + rows)
        c = tl.load(c_ptr + k * N * N + rows * N + columns)
        product = tl.dot(a, b).to(a.dtype)
        total = tl.dot(product, c, total, max_num_imprecise_acc=IMPRECISE)
        total += tl.dot(c, product) + tl.dot(c, c)
    tl.store(out_ptr + rows * N + columns, total)


@pytest.mark.parametrize("dtype,result,imprecise", [
    (ml_dtypes.float8_e4m3fn, np.float32, None), (ml_dtypes.float8_e4m3fn, np.float32, 32),
    (ml_dtypes.bfloat16, np.float32, None), (np.int8, np.int32, None)])
def test_narrow_results_of_dots_as_operands(compiled_backend, rng, dtype, result, imprecise):
    n, N = 3, 64
    a, b, c = (rng.integers(-1, 2, shape).astype(dtype)
               for shape in ((N, N), (n, N, N), (n, N, N)))
    b[rng.random(b.shape) > 0.1] = 0
    out = np.zeros((N, N), result)
    chained_narrow[(1,)](a, b, c, out, n, N=N, IMPRECISE=imprecise)
    a, b, c = (x.astype(np.float64) for x in (a, b, c))
    # Numbers of one digit, which 8-bit floats have exactly.
    assert np.abs(a @ b.transpose(0, 2, 1)).max() <= 16
    expected = sum(a @ y.T @ z + z @ (a @ y.T) + z @ z for y, z in zip(b, c))
    assert np.array_equal(out.astype(np.float64), expected)


@triton.jit
def used_beside_products(a_ptr, b_ptr, out_ptr, rows_ptr, n, M: tl.constexpr, N: tl.constexpr):
    """Tiles that products read and others, too: carried, turned, reshaped, gathered, summed."""
    i, j = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    a, b = tl.load(a_ptr + i * N + j), tl.load(b_ptr + i * N + j)
    total = tl.dot(a, tl.trans(b))
    for _ in range(n):
        a, b = b, a + b
        total += tl.dot(a, b.T) + tl.dot(tl.reshape(a, (M, N)), tl.trans(tl.flip(b, 1)))
    turned = tl.trans(tl.reshape(tl.reshape(a, (N, M)), (M, N)))
    total += tl.dot(tl.gather(a, i + tl.zeros_like(j), 0), turned)
    tl.store(out_ptr + i * M + tl.arange(0, M)[None, :], total)
    tl.store(rows_ptr + tl.arange(0, M), tl.sum(a.to(total.dtype), 1))


@pytest.mark.parametrize("dtype", ("float16", "bfloat16", "int8", "uint8"))
@pytest.mark.parametrize("shape", [(16, 32), (64, 64), (8, 128), (32, 16)])
def test_operands_used_beside_products(backend, rng, dtype, shape):
    M, N = shape
    result = "int32" if "int" in dtype else "float32"
    a, b = (rng.integers(0, 4, shape).astype(numpy_dtype(dtype)) for _ in range(2))
    out, rows = np.zeros((M, M), numpy_dtype(result)), np.zeros(M, numpy_dtype(result))
    used_beside_products[(1,)](a, b, out, rows, 3, M=M, N=N)
    a, b = a.astype(np.int64), b.astype(np.int64)
    expected = a @ b.T
    for _ in range(3):
        a, b = b, a + b
        expected = expected + a @ b.T + a @ b[:, ::-1].T
    assert_same(out, (expected + a @ a.T).astype(out.dtype))
    assert_same(rows, a.sum(1).astype(out.dtype))


@triton.jit
def moved_between_products(a_ptr, b_ptr, out_ptr, n, N: tl.constexpr, HOW: tl.constexpr):
    """What is carried is the product with its elements in other places."""
    r = tl.arange(0, N)
    i = r[:, None] * N + r[None, :]
    acc = tl.zeros((N, N), tl.float32)
    other = acc + 1
    for step in range(n):
        d = tl.dot(tl.load(a_ptr + step * N * N + i), tl.load(b_ptr + step * N * N + i), acc)
        if HOW == "gathered":
            acc = tl.gather(d, tl.broadcast_to((N - 1 - r)[:, None], (N, N)), 0)
        elif HOW == "transposed":
            acc = tl.trans(d)
        else:
            acc = other * 2
            other = tl.trans(d)
    tl.store(out_ptr + i, acc + other)


@pytest.mark.parametrize("how", ("gathered", "transposed", "of another"))
def test_product_moved_before_it_is_carried(backend, rng, how):
    N, n = 32, 3
    a, b = random_array(rng, (2, n, N, N), "int8").astype(np.float32) % 4
    out = np.zeros((N, N), np.float32)
    moved_between_products[(1,)](a, b, out, n, N=N, HOW=how)
    acc, other = np.zeros((N, N), np.float32), np.ones((N, N), np.float32)
    for x, y in zip(a, b):
        d = acc + x @ y
        if how == "gathered":
            acc = d[::-1]
        elif how == "transposed":
            acc = d.T
        else:
            acc, other = other * 2, d.T
    assert_same(out, acc + other)


@triton.jit
def batches_exchanged(a_ptr, b_ptr, out_ptr, n, N: tl.constexpr):
    r = tl.arange(0, N)
    i = (r[:, None, None] * N + r[None, :, None]) * N + r[None, None, :]
    acc = tl.zeros((N, N, N), tl.float32)
    for _ in range(n):
        acc = tl.trans(tl.dot(tl.load(a_ptr + i), tl.load(b_ptr + i), acc), (1, 0, 2))
    tl.store(out_ptr + i, acc)


def test_batches_exchanged_before_they_are_carried(backend, rng):
    N, n = 16, 3
    a, b = random_array(rng, (2, N, N, N), "int8").astype(np.float32) % 4
    out = np.zeros((N, N, N), np.float32)
    batches_exchanged[(1,)](a, b, out, n, N=N)
    acc = np.zeros((N, N, N), np.float32)
    for _ in range(n):
        acc = (acc + a @ b).transpose(1, 0, 2)
    assert_same(out, acc)


@triton.jit
def blocked(a_ptr, b_ptr, c_ptr, M, N, K, sam, sak, sbk, sbn, BM: tl.constexpr, BN: tl.constexpr,
            BK: tl.constexpr, IMPRECISE: tl.constexpr = None):
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
        acc = tl.dot(a, b, acc, max_num_imprecise_acc=IMPRECISE)
        a_ptrs += BK * sak
        b_ptrs += BK * sbk
    mask = (rows[:, None] < M) & (cols[None, :] < N)
    tl.store(c_ptr + rows[:, None] * N + cols[None, :], acc, mask=mask)


def run_blocked(a, b, result, layout, block, **options):
    """a @ b by `blocked`, with columns ("c") or rows ("r") of each in the order of memory."""
    (M, K), N = a.shape, b.shape[1]
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
                                                      BK=BK, **options)
    return out


@pytest.mark.parametrize("dtype,result", FLOAT_CASES + [("int8", "int32")])
@pytest.mark.parametrize("layout", ("rr", "cr", "rc", "cc"))
@pytest.mark.parametrize("shape,block", [
    ((100, 33, 51), (32, 32, 16)), ((64, 64, 64), (64, 64, 32)), ((70, 90, 40), (24, 48, 20))])
def test_blocked_matmul(backend, rng, dtype, result, layout, shape, block):
    M, N, K = shape
    a = random_array(rng, (M, K), dtype)
    b = random_array(rng, (K, N), dtype)
    out = run_blocked(a, b, result, layout, block)
    check(a, b, np.zeros((M, N)), out, "none", result)


FLOAT8 = {"e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2}


def float8_imprecision(backend, K):
    """Tensor cores of sm_90 keep some 14 bits of a sum of 8-bit floats, step by step."""
    return K / 32 * 2.0 ** -12 if backend == "cuda" else 0


# Of what warp groups of sm_90 do but for halves with sums of f32, of which there is enough above.
@pytest.mark.parametrize("types,result", [
    (("e4m3", "e5m2"), "float32"), (("e5m2", "e4m3"), "float16"), (("int8", "int8"), "int32"),
    (("uint8", "uint8"), "int32"), (("float16", "float16"), "float16")])
@pytest.mark.parametrize("layout", ("rr", "cr", "rc", "cc"))
@pytest.mark.parametrize("block,imprecise,warps", [
    ((64, 64, 64), None, 4), ((64, 128, 128), 64, 4), ((128, 64, 32), 0, 8)])
def test_blocked_matmul_of_narrow_types(compiled_backend, rng, types, result, layout, block,
                                        imprecise, warps):
    M, N, K = 112, 144, 208
    a, b = (rng.standard_normal(s).astype(FLOAT8[t]) if t in FLOAT8 else random_array(rng, s, t)
            for s, t in zip(((M, K), (K, N)), types))
    out = run_blocked(a, b, result, layout, block, IMPRECISE=imprecise, num_warps=warps)
    if result == "int32":
        return check(a, b, np.zeros((M, N)), out, "none", result)
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    error = np.abs(out.astype(np.float64) - wide_a @ wide_b) / (np.abs(wide_a) @ np.abs(wide_b))
    bound = (K + 4) * 2.0 ** -24
    if types[0] in FLOAT8:
        bound += float8_imprecision(compiled_backend, K)
    if result == "float16":
        # Rounded once a step of k, or, of 8-bit floats, once a dot.
        step = block[2] if types[0] in FLOAT8 else 16
        bound += triton.cdiv(K, step) * 2.0 ** -11
    assert np.max(error) <= bound


@triton.jit
def dot_as_told(a_ptr, b_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
                PRECISION: tl.constexpr, OUT: tl.constexpr, IMPRECISE: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * N + n[None, :])
    c = tl.dot(a, b, input_precision=PRECISION, out_dtype=OUT, max_num_imprecise_acc=IMPRECISE)
    tl.store(out_ptr + m[:, None] * N + n[None, :], c)


def run_as_told(a, b, out_dtype, precision=None, imprecise=None, **options):
    (M, K), N = a.shape, b.shape[1]
    out = np.zeros((M, N), numpy_dtype(out_dtype))
    dot_as_told[(1,)](a, b, out, M=M, N=N, K=K, PRECISION=precision, OUT=getattr(tl, out_dtype),
                      IMPRECISE=imprecise, **options)
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    magnitude = np.abs(wide_a) @ np.abs(wide_b)
    return np.max(np.abs(out.astype(np.float64) - wide_a @ wide_b) / magnitude)


# Relative error of a product. A significand of tf32 has 11 bits, so each operand may be off by
# 2^-11; two parts of it are off by 2^-22 each, and the product of the second ones, which is left
# out, is as small. In bf16 it has 8 bits.
PRECISIONS = {"ieee": 0, "tf32": 2.0 ** -10, "tf32x3": 2.0 ** -20, "bf16x3": 2.0 ** -14,
              "bf16x6": 2.0 ** -21}


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("shape", [(32, 16, 48), (64, 64, 32), (5, 7, 9)])
def test_input_precision(backend, rng, precision, shape):
    M, N, K = shape
    a, b = random_array(rng, (M, K), "float32"), random_array(rng, (K, N), "float32")
    bound = PRECISIONS[precision] + (K + 4) * 2.0 ** -24
    assert run_as_told(a, b, "float32", precision) <= bound


def test_default_precision(backend, rng, monkeypatch):
    """fp32 operands may be rounded to tf32 on a GPU, if TRITON_F32_DEFAULT does not say
    otherwise, as it does for the other tests. What it says at a launch counts for that launch."""
    a, b = random_array(rng, (64, 64), "float32"), random_array(rng, (64, 64), "float32")
    exact = run_as_told(a, b, "float32")
    monkeypatch.delenv("TRITON_F32_DEFAULT")
    rounded = run_as_told(a, b, "float32")
    assert rounded <= 2.0 ** -10 + 68 * 2.0 ** -24
    if backend.startswith(("cuda", "sim")):
        assert rounded > 4 * exact
    assert run_as_told(a, b, "float32", default_dot_input_precision="ieee") == exact
    monkeypatch.setenv("TRITON_F32_DEFAULT", "ieee")
    assert run_as_told(a, b, "float32") == exact


@pytest.mark.parametrize("precision", ("tf32x3", "bf16x6"))
def test_special_values_of_parts(backend, rng, precision):
    """What is missing from an infinity is nothing, not NaN."""
    a, b = np.abs(random_array(rng, (16, 16), "float32")) + 0.5, np.eye(16, dtype=np.float32)
    a[3, 4] = np.inf
    a[5, 6] = np.nan
    out = np.zeros((16, 16), np.float32)
    dot_as_told[(1,)](a, b + 1, out, M=16, N=16, K=16, PRECISION=precision, OUT=tl.float32,
                      IMPRECISE=None)
    assert np.all(np.isposinf(out[3])) and np.all(np.isnan(out[5]))
    assert np.all(np.isfinite(np.delete(out, (3, 5), axis=0)))


@pytest.mark.parametrize("shape", [(16, 16, 16), (64, 32, 48), (8, 24, 40)])
def test_half_accumulators(backend, rng, shape):
    M, N, K = shape
    a, b = random_array(rng, (M, K), "float16"), random_array(rng, (K, N), "float16")
    # Rounded once a step of k, of which there are at most K / 16.
    assert run_as_told(a, b, "float16") <= (K // 16 + 1) * 2.0 ** -11 + (K + 4) * 2.0 ** -24


@pytest.mark.parametrize("types", [("e4m3", "e4m3"), ("e5m2", "e5m2"), ("e5m2", "e4m3")])
@pytest.mark.parametrize("out", ("float32", "float16"))
@pytest.mark.parametrize("shape", [(16, 16, 32), (64, 32, 64), (8, 8, 32)])
def test_float8(backend, rng, types, out, shape):
    M, N, K = shape
    a, b = (rng.standard_normal(s).astype(FLOAT8[t]) for s, t in zip(((M, K), (K, N)), types))
    bound = (K + 4) * 2.0 ** -24 + (2.0 ** -11 if out == "float16" else 0)
    bound += float8_imprecision(backend, K)
    assert run_as_told(a, b, out) <= bound
    assert run_as_told(a, b, out, imprecise=32) <= bound
