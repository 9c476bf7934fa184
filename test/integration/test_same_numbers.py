"""A value that a kernel writes once is one number, wherever it is computed: for a maximum and what
is compared with it, in places that a mask leaves out, in all lanes."""

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from support import assert_same


@triton.jit
def greatest_of_row(x_ptr, count_ptr, sum_ptr, out_ptr, n, other, a, b, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + c, mask=c < n, other=other)
    t = x * a
    s = t + x * b
    is_greatest = s == tl.max(s, axis=0)
    tl.store(count_ptr, tl.sum(is_greatest.to(tl.int32), axis=0))
    tl.store(sum_ptr, tl.sum(tl.where(is_greatest, t, 0.0), axis=0))
    tl.store(out_ptr + c, t)


@pytest.mark.parametrize("a,b", [(1.3, 1.7), (1.234567, 1.345678), (0.7, 0.9)])
def test_what_equals_the_greatest(backend, rng, a, b):
    """Wherever the sum of products is computed again, it is rounded as for the maximum."""
    x = (rng.random(3072) * 2 - 1).astype(np.float32)
    out, count = np.zeros(4096, np.float32), np.full(1, -1, np.int32)
    total = np.zeros(1, np.float32)
    greatest_of_row[(1,)](x, count, total, out, 3072, 1.1, a, b, BLOCK=4096)
    assert_same(count, np.array([1024], np.int32))
    np.testing.assert_allclose(total[0], 1024 * np.float32(1.1) * np.float32(a), rtol=1e-5)


@triton.jit
def greatest_quotient(x_ptr, place_ptr, count_ptr, n, other, b, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    q = tl.load(x_ptr + c, mask=c < n, other=other) / b
    tl.store(place_ptr, tl.argmax(q, axis=0))
    tl.store(count_ptr, tl.sum((q == tl.max(q, axis=0)).to(tl.int32), axis=0))


@pytest.mark.parametrize("n", [2048, 3072])
def test_greatest_quotient(backend, rng, n):
    """Quotients of what is not loaded are the same in all places; some share a reciprocal."""
    for _ in range(6):
        x, b = (rng.random(n) * 2 - 1).astype(np.float32), float(np.float32(rng.random() + 1))
        place, count = np.full(1, -1, np.int32), np.full(1, -1, np.int32)
        greatest_quotient[(1,)](x, place, count, n, 1.1, b, BLOCK=4096)
        assert (place[0], count[0]) == (n, 4096 - n)


@triton.jit
def softmax_of_scaled(x_ptr, out_ptr, zeros_ptr, scale, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i) * scale
    d = x - tl.max(x, axis=0)
    e = tl.exp(d)
    tl.store(out_ptr + i, e / tl.sum(e, axis=0))
    tl.store(zeros_ptr, tl.sum((d == 0).to(tl.int32), axis=0))


@pytest.mark.parametrize("size", [1, 1e10])
def test_softmax_of_scaled(backend, rng, size):
    """A product that is compared is the one that is subtracted from."""
    x = (rng.standard_normal(512) * size).astype(np.float32)
    out, zeros = np.zeros(512, np.float32), np.full(1, -1, np.int32)
    softmax_of_scaled[(1,)](x, out, zeros, 1.3, N=512)
    assert_same(zeros, np.array([1], np.int32))
    np.testing.assert_allclose(out.sum(), 1, rtol=1e-5)


@triton.jit
def greatest_again(x_ptr, products_ptr, count_ptr, a, b, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    m = float("-inf")
    for row in range(M):
        x = tl.load(x_ptr + row * N + i)
        m = tl.maximum(m, tl.max(x * a + x * b, axis=0))
    count = 0
    for row in range(M):
        x = tl.load(x_ptr + row * N + i)
        t = x * a
        count += tl.sum((t + x * b == m).to(tl.int32), axis=0)
        tl.store(products_ptr + row * N + i, t)
    tl.store(count_ptr, count)


def test_greatest_again(backend, rng):
    """A sum is the same number where its first product is stored."""
    for _ in range(10):
        x = rng.standard_normal((4, 256)).astype(np.float32)
        a, b = (float(np.float32(rng.random() + 1)) for _ in range(2))
        products, count = np.zeros_like(x), np.full(1, -1, np.int32)
        greatest_again[(1,)](x, products, count, a, b, M=4, N=256)
        assert_same(count, np.array([1], np.int32))


@triton.jit
def greatest_less_itself(x_ptr, z_ptr, count_ptr, n, other, y, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    q = tl.load(x_ptr + c, mask=c < n, other=other) / y
    z = q - tl.max(q, axis=0)
    tl.store(z_ptr + c, z, mask=c < n)
    tl.store(count_ptr, tl.sum((z == 0).to(tl.int32), axis=0))


@pytest.mark.parametrize("n", [2048, 3072])
def test_greatest_less_itself(backend, rng, n):
    """The difference is stored, and what is stored needs nothing of what the mask leaves out."""
    x = (rng.random(n) * 2 - 1).astype(np.float32)
    z, count = np.zeros(n, np.float32), np.full(1, -1, np.int32)
    greatest_less_itself[(1,)](x, z, count, n, 1.234567, 1.345678, BLOCK=4096)
    assert_same(count, np.array([4096 - n], np.int32))


@triton.jit
def products_of_lanes(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    c = tl.arange(0, N)
    x = tl.load(x_ptr + c)
    tl.store(out_ptr + c, x * 0 + tl.sum(x * tl.load(y_ptr + c), axis=0))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [16, 32, 64, 256])
def test_products_of_lanes(backend, rng, size, dtype):
    """Lanes add up each other's products to one sum."""
    for _ in range(6):
        x, y = rng.standard_normal((2, size)).astype(dtype)
        out = np.zeros(size, dtype)
        products_of_lanes[(1,)](x, y, out, N=size, num_warps=1)
        assert len(set(out)) == 1


@triton.jit
def product_and_sum(x_ptr, y_ptr, z_ptr, out_ptr, N: tl.constexpr):
    c = tl.arange(0, N)
    tl.store(out_ptr + c, tl.load(x_ptr + c) * tl.load(y_ptr + c) + tl.load(z_ptr + c))


def test_products_are_rounded_if_asked(backend, rng):
    x, y, z = rng.standard_normal((3, 1024)).astype(np.float32)
    out = np.zeros_like(x)
    product_and_sum[(1,)](x, y, z, out, N=1024, enable_fp_fusion=False)
    assert_same(out, x * y + z)
