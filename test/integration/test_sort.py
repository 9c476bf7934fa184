"""`tl.sort`, `tl.topk` and `tl.bitonic_merge`."""

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from support import assert_same, random_array

TYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
         "float16", "bfloat16", "float32", "float64")
FLOATS = ("float16", "bfloat16", "float32", "float64")


@triton.jit
def sort_rows(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, DIM: tl.constexpr,
              DESCENDING: tl.constexpr):
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out_ptr + i, tl.sort(tl.load(x_ptr + i), dim=DIM, descending=DESCENDING))


@triton.jit
def sort_1d(x_ptr, out_ptr, N: tl.constexpr, DESCENDING: tl.constexpr = False):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.sort(tl.load(x_ptr + i), descending=DESCENDING))


@triton.jit
def sort_3d(x_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, DIM: tl.constexpr):
    i = ((tl.arange(0, A)[:, None, None] * B + tl.arange(0, B)[None, :, None]) * C
         + tl.arange(0, C)[None, None, :])
    tl.store(out_ptr + i, tl.sort(tl.load(x_ptr + i), DIM))


@triton.jit
def topk_rows(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
              DESCENDING: tl.constexpr):
    rows = tl.arange(0, M)[:, None]
    x = tl.load(x_ptr + rows * N + tl.arange(0, N)[None, :])
    tl.store(out_ptr + rows * K + tl.arange(0, K)[None, :], tl.topk(x, K, 1, DESCENDING))


@triton.jit
def topk_default(x_ptr, out_ptr, N: tl.constexpr, K: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(out_ptr + tl.arange(0, K), tl.topk(x, k=K))


@triton.jit
def merge_1d(x_ptr, out_ptr, N: tl.constexpr, DESCENDING: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.bitonic_merge(tl.load(x_ptr + i), None, DESCENDING))


def ordered(x, axis=-1, descending=False):
    """NaNs behind all numbers, or before them where the order is descending."""
    result = np.sort(x.astype(np.float64) if x.dtype.name == "bfloat16" else x, axis=axis)
    return (np.flip(result, axis) if descending else result).astype(x.dtype)


@pytest.mark.parametrize("descending", (False, True))
@pytest.mark.parametrize("extent", (1, 2, 3, 16, 80, 781, 1024))
def test_extents(backend, rng, extent, descending):
    x = random_array(rng, extent, "float32")
    out = np.zeros_like(x)
    sort_1d[(1,)](x, out, extent, descending)
    assert_same(out, ordered(x, descending=descending))


@pytest.mark.parametrize("dtype", TYPES)
def test_types(backend, rng, dtype):
    for extent, descending in ((64, False), (64, True), (21, False), (21, True)):
        x = random_array(rng, extent, dtype)
        if x.dtype.kind in "iu":
            x[0], x[-1] = np.iinfo(x.dtype).max, np.iinfo(x.dtype).min
        out = np.zeros_like(x)
        sort_1d[(1,)](x, out, extent, descending)
        assert_same(out, ordered(x, descending=descending))


@pytest.mark.parametrize("descending", (False, True))
@pytest.mark.parametrize("dtype", FLOATS)
def test_nan_and_infinity(backend, rng, dtype, descending):
    for extent in (32, 27):
        x = random_array(rng, extent, dtype)
        x[::5] = np.nan
        x[1::7] = np.copysign(np.nan, -1)
        x[2], x[3] = np.inf, -np.inf
        out = np.zeros_like(x)
        sort_1d[(1,)](x, out, extent, descending)
        assert_same(out, ordered(x, descending=descending))


def test_zeros(backend):
    """-0 stands before 0."""
    x = np.array([0.0, -0.0, 1.0, 0.0, -0.0, -1.0, -0.0, 0.0], np.float32)
    out = np.zeros_like(x)
    sort_1d[(1,)](x, out, 8)
    assert np.array_equal(np.signbit(out), [True] * 4 + [False] * 4)
    assert np.array_equal(out, np.sort(x))


@pytest.mark.parametrize("shape", ((4, 64), (16, 16), (3, 80), (5, 1), (1, 128), (33, 12)))
@pytest.mark.parametrize("dim", (None, 0, -1))
def test_dimensions(backend, rng, shape, dim):
    x = random_array(rng, shape, "float32")
    out = np.zeros_like(x)
    sort_rows[(1,)](x, out, *shape, DIM=dim, DESCENDING=True)
    assert_same(out, ordered(x, -1 if dim is None else dim, descending=True))


@pytest.mark.parametrize("num_warps", (1, 4))
def test_long_rows(backend, rng, num_warps):
    x = random_array(rng, (4, 256), "float32")
    out = np.zeros_like(x)
    sort_rows[(1,)](x, out, 4, 256, DIM=1, DESCENDING=False, num_warps=num_warps)
    assert_same(out, ordered(x))


@pytest.mark.parametrize("shape", ((2, 4, 16), (3, 5, 7)))
@pytest.mark.parametrize("dim", (0, 1, 2))
def test_3d(backend, rng, shape, dim):
    x = random_array(rng, shape, "int16")
    out = np.zeros_like(x)
    sort_3d[(1,)](x, out, *shape, DIM=dim)
    assert_same(out, ordered(x, dim))


@pytest.mark.parametrize("k", (1, 2, 5, 8, 32, 64))
@pytest.mark.parametrize("descending", (False, True))
def test_topk(backend, rng, k, descending):
    x = random_array(rng, (4, 64), "float32")
    out = np.zeros((4, k), np.float32)
    topk_rows[(1,)](x, out, 4, 64, k, descending)
    assert_same(out, ordered(x, descending=descending)[:, :k])


@triton.jit
def sort_known(out_ptr, N: tl.constexpr, NUMBER: tl.constexpr, DESCENDING: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.full((N,), NUMBER, tl.int32)
    tl.store(out_ptr + i, tl.sort(x, descending=DESCENDING) + tl.topk(x, N))


@pytest.mark.parametrize("extent", (2, 64, 80, 1024))
@pytest.mark.parametrize("descending", (False, True))
def test_known_elements(backend, extent, descending):
    """All steps of the sort fold, one behind the other."""
    out = np.zeros(extent, np.int32)
    sort_known[(1,)](out, extent, 7, descending)
    assert_same(out, np.full(extent, 14, np.int32))


@pytest.mark.parametrize("extent,k", ((1, 1), (16, 4), (80, 3), (80, 80), (781, 16), (1024, 8)))
def test_topk_of_extents(backend, rng, extent, k):
    x = random_array(rng, extent, "int32")
    out = np.zeros(k, np.int32)
    topk_default[(1,)](x, out, extent, k)
    assert_same(out, ordered(x, descending=True)[:k])


@pytest.mark.parametrize("dtype", TYPES)
def test_topk_types(backend, rng, dtype):
    x = random_array(rng, 32, dtype)
    out = np.zeros(4, x.dtype)
    topk_default[(1,)](x, out, 32, 4)
    assert_same(out, ordered(x, descending=True)[:4])


@pytest.mark.parametrize("extent", (1, 2, 16, 256, 80))
@pytest.mark.parametrize("descending", (False, True))
def test_bitonic_merge(backend, rng, extent, descending):
    x = random_array(rng, extent, "float32")
    half = extent // 3
    bitonic = np.roll(np.concatenate([np.sort(x[:half]), np.sort(x[half:])[::-1]]), 5)
    out = np.zeros_like(x)
    merge_1d[(1,)](bitonic, out, extent, descending)
    assert_same(out, ordered(x, descending=descending))


def test_bitonic_merge_only_merges(backend):
    """Of what is not bitonic it makes something else than a sort."""
    x = np.array([0, 3, 1, 2], np.int32)
    out = np.zeros_like(x)
    merge_1d[(1,)](x, out, 4, False)
    assert_same(out, np.array([0, 2, 1, 3], np.int32))
