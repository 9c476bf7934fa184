"""The example kernels and whole kernels of the usual kinds, on awkward sizes."""

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from attention import attention, attention_numpy
from dropout import dropout, dropout_numpy
from layer_norm import layer_norm, layer_norm_numpy
from matmul import multiply
from softmax import softmax, softmax_grid_stride, softmax_numpy
from support import assert_same, numpy_dtype, random_array
from vector_add import add


@pytest.mark.parametrize("n", (1, 3, 781, 4096, 98432))
@pytest.mark.parametrize("dtype", ("float32", "float16", "int64"))
def test_add(backend, rng, n, dtype):
    x, y = random_array(rng, n, dtype), random_array(rng, n, dtype)
    assert_same(add(x, y), x + y)


@pytest.mark.parametrize("shape", [(1, 1), (5, 3), (7, 781), (3, 1024), (2, 5000)])
@pytest.mark.parametrize("function", (softmax, softmax_grid_stride))
def test_softmax(backend, rng, function, shape):
    x = random_array(rng, shape, "float32") * np.float32(10)
    # The difference from the maximum reaches 80; its rounding is an absolute error of 4e-6.
    np.testing.assert_allclose(function(x), softmax_numpy(x.astype(np.float64)), rtol=1e-5,
                               atol=1e-37)


def test_softmax_of_extremes(backend):
    x = np.array([[3e38, -3e38, 0, 1], [-np.inf, 0, -np.inf, 0], [1e-40, 0, -1e-40, 0],
                  [np.nan, 1, 2, 3]], np.float32)
    with np.errstate(all="ignore"):
        expected = softmax_numpy(x.astype(np.float64))
    result = softmax(x)
    np.testing.assert_allclose(result[:3], expected[:3], rtol=2e-6)
    # The maximum ignores a NaN, the sum does not.
    assert np.isnan(result[3]).all()


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (4, 781), (2, 4096)])
def test_layer_norm(backend, rng, shape):
    x = random_array(rng, shape, "float32") * np.float32(3) + np.float32(100)
    weight, bias = random_array(rng, (2, shape[1]), "float32")
    y, mean, rstd = layer_norm(x, weight, bias)
    wide = x.astype(np.float64)
    np.testing.assert_allclose(mean, wide.mean(axis=1), rtol=1e-5)
    np.testing.assert_allclose(y, layer_norm_numpy(wide, weight, bias), atol=2e-4)


@pytest.mark.parametrize("shape", [(1, 1, 1), (64, 64, 64), (100, 33, 51), (65, 130, 70)])
@pytest.mark.parametrize("activation", ("", "leaky_relu"))
@pytest.mark.parametrize("dtype", ("float32", "float16", "bfloat16"))
def test_matmul(backend, rng, shape, activation, dtype):
    M, N, K = shape
    a, b = random_array(rng, (M, K), dtype), random_array(rng, (K, N), dtype)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    if activation:
        exact = np.where(exact >= 0, exact, 0.01 * exact)
    rtol = {"float32": 1e-5, "float16": 1e-3, "bfloat16": 8e-3}[dtype]
    np.testing.assert_allclose(multiply(a, b, activation).astype(np.float64), exact, rtol=rtol,
                               atol=1e-4)


def test_matmul_at_the_size_of_the_demo(compiled_backend, rng):
    a, b = random_array(rng, (1000, 517), "float32"), random_array(rng, (517, 333), "float32")
    np.testing.assert_allclose(multiply(a, b), a.astype(np.float64) @ b.astype(np.float64),
                               atol=2e-4)


@pytest.mark.parametrize("tile", [(16, 16, 16), (100, 48, 7), (1, 16, 64), (96, 80, 24)])
def test_matmul_tiles(backend, rng, tile):
    a, b = random_array(rng, (70, 90), "float32"), random_array(rng, (90, 75), "float32")
    BM, BN, BK = tile
    np.testing.assert_allclose(multiply(a, b, BM=BM, BN=BN, BK=BK),
                               a.astype(np.float64) @ b.astype(np.float64), atol=1e-4)


@pytest.mark.parametrize("p", (0.0, 0.25, 0.9))
def test_dropout(backend, rng, p):
    x = random_array(rng, 5000, "float32")
    y = dropout(x, p, seed=11)
    expected = dropout_numpy(x, p, seed=11)
    assert np.array_equal(y == 0, expected == 0)
    np.testing.assert_allclose(y, expected, rtol=3e-7)


@pytest.mark.parametrize("shape", [(1, 1, 16), (2, 64, 64), (1, 100, 80), (2, 130, 33)])
@pytest.mark.parametrize("causal", (True, False))
def test_attention(backend, rng, shape, causal):
    q, k, v = random_array(rng, (3, *shape), "float32")
    exact = attention_numpy(*(x.astype(np.float64) for x in (q, k, v)), causal)
    np.testing.assert_allclose(attention(q, k, v, causal), exact, atol=1e-5)


@pytest.mark.parametrize("tiles", [(16, 16), (32, 64), (48, 20)])
def test_attention_tiles(backend, rng, tiles):
    q, k, v = random_array(rng, (3, 1, 100, 40), "float32")
    exact = attention_numpy(*(x.astype(np.float64) for x in (q, k, v)))
    np.testing.assert_allclose(attention(q, k, v, BM=tiles[0], BN=tiles[1]), exact, atol=1e-5)


@pytest.mark.parametrize("dtype", ("float16", "bfloat16"))
def test_attention_16_bit(backend, rng, dtype):
    q, k, v = (random_array(rng, (1, 96, 64), dtype) for _ in range(3))
    exact = attention_numpy(*(x.astype(np.float64) for x in (q, k, v)))
    np.testing.assert_allclose(attention(q, k, v).astype(np.float64), exact,
                               atol={"float16": 4e-3, "bfloat16": 4e-2}[dtype])


@triton.jit
def adam(p_ptr, g_ptr, m_ptr, v_ptr, n, lr, beta1, beta2, eps, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    p = tl.load(p_ptr + offs, mask=mask)
    g = tl.load(g_ptr + offs, mask=mask)
    m = tl.load(m_ptr + offs, mask=mask) * beta1 + g * (1 - beta1)
    v = tl.load(v_ptr + offs, mask=mask) * beta2 + g * g * (1 - beta2)
    tl.store(p_ptr + offs, p - lr * m / (tl.sqrt(v) + eps), mask=mask)
    tl.store(m_ptr + offs, m, mask=mask)
    tl.store(v_ptr + offs, v, mask=mask)


@pytest.mark.parametrize("n", (1, 781, 3067))
def test_adam(backend, rng, n):
    p, g, m = random_array(rng, (3, n), "float32")
    v = np.abs(random_array(rng, n, "float32"))
    wide = [x.astype(np.float64) for x in (p, g, m, v)]
    adam[(triton.cdiv(n, 256),)](p, g, m, v, n, 0.01, 0.9, 0.999, 1e-8, BLOCK=256)
    m64 = wide[2] * 0.9 + wide[1] * 0.1
    v64 = wide[3] * 0.999 + wide[1] ** 2 * 0.001
    np.testing.assert_allclose(m, m64, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(v, v64, rtol=1e-4)
    step = 0.01 * m64 / (np.sqrt(v64) + 1e-8)
    np.testing.assert_allclose(p, wide[0] - step, rtol=1e-4, atol=1e-5)


@triton.jit
def cross_entropy(logits_ptr, label_ptr, loss_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    base = logits_ptr + row * n_cols
    peak = float("-inf")
    total = 0.0
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(base + cols, mask=cols < n_cols, other=float("-inf"))
        new_peak = tl.maximum(peak, tl.max(x, axis=0))
        total = total * tl.exp(peak - new_peak) + tl.sum(tl.exp(x - new_peak), axis=0)
        peak = new_peak
    label = tl.load(label_ptr + row)
    loss = 0.0
    if label >= 0:
        loss = tl.log(total) + peak - tl.load(base + label)
    tl.store(loss_ptr + row, loss)


def test_cross_entropy(backend, rng):
    x = random_array(rng, (9, 1000), "float32")
    label = rng.integers(-1, 1000, 9)
    loss = np.zeros(9, np.float32)
    cross_entropy[(9,)](x, label, loss, 1000, BLOCK=128)
    wide = x.astype(np.float64)
    expected = np.log(np.exp(wide).sum(axis=1)) - wide[np.arange(9), label]
    np.testing.assert_allclose(loss, np.where(label >= 0, expected, 0), rtol=1e-5, atol=1e-5)


@triton.jit
def embedding(table_ptr, index_ptr, out_ptr, D: tl.constexpr, COUNT: tl.constexpr):
    rows = tl.load(index_ptr + tl.arange(0, COUNT))
    cols = tl.arange(0, D)
    x = tl.load(table_ptr + rows[:, None] * D + cols[None, :])
    tl.store(out_ptr + tl.arange(0, COUNT)[:, None] * D + cols[None, :], x)


def test_embedding(backend, rng):
    table, index = random_array(rng, (50, 48), "float16"), rng.integers(0, 50, 21)
    out = np.zeros((21, 48), np.float16)
    embedding[(1,)](table, index, out, D=48, COUNT=21)
    assert_same(out, table[index])


@triton.jit
def histogram_by_atomics(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    bins = tl.load(x_ptr + offs, mask=mask, other=0)
    tl.atomic_add(out_ptr + bins, 1, mask=mask)


def test_histogram(backend, rng):
    x = rng.integers(0, 17, 5000).astype(np.int32)
    out = np.zeros(17, np.int32)
    histogram_by_atomics[(triton.cdiv(x.size, 256),)](x, out, x.size, BLOCK=256)
    assert_same(out, np.bincount(x, minlength=17).astype(np.int32))


@triton.jit
def convolution(x_ptr, w_ptr, out_ptr, H, W, TAPS: tl.constexpr, BW: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.program_id(1) * BW + tl.arange(0, BW)
    acc = tl.zeros((BW,), dtype=tl.float32)
    for i in tl.static_range(TAPS):
        for j in tl.static_range(TAPS):
            r = row + i - TAPS // 2
            c = cols + (j - TAPS // 2)
            inside = (r >= 0) & (r < H) & (c >= 0) & (c < W)
            x = tl.load(x_ptr + r * W + c, mask=inside, other=0.0)
            acc += x * tl.load(w_ptr + i * TAPS + j)
    tl.store(out_ptr + row * W + cols, acc, mask=cols < W)


def test_convolution(backend, rng):
    H, W = 13, 37
    x, w = random_array(rng, (H, W), "float32"), random_array(rng, (3, 3), "float32")
    out = np.zeros_like(x)
    convolution[(H, triton.cdiv(W, 16))](x, w, out, H, W, TAPS=3, BW=16)
    padded = np.pad(x.astype(np.float64), 1)
    expected = sum(w[i, j] * padded[i:i + H, j:j + W] for i in range(3) for j in range(3))
    np.testing.assert_allclose(out, expected, atol=1e-5)
