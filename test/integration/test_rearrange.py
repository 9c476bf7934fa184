"""`tl.flip` and `tl.cat`: elements at other places of a tile, or of a larger one."""

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from support import assert_same, random_array

TYPES = ("bool", "int8", "uint16", "int32", "int64", "float16", "bfloat16", "float64")


@triton.jit
def offsets(A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    return ((tl.arange(0, A)[:, None, None] * B + tl.arange(0, B)[None, :, None]) * C
            + tl.arange(0, C)[None, None, :])


@triton.jit
def flip_1d(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.flip(tl.load(x_ptr + i)))


@triton.jit
def flip_2d(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, DIM: tl.constexpr):
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out_ptr + i, tl.load(x_ptr + i).flip(DIM))


@triton.jit
def flip_3d(x_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, DIM: tl.constexpr):
    i = offsets(A, B, C)
    tl.store(out_ptr + i, tl.flip(tl.load(x_ptr + i), dim=DIM))


@pytest.mark.parametrize("extent", (1, 2, 3, 16, 80, 781, 1024))
def test_flip_1d(backend, rng, extent):
    x = random_array(rng, extent, "float32")
    out = np.zeros_like(x)
    flip_1d[(1,)](x, out, N=extent)
    assert_same(out, x[::-1])


@pytest.mark.parametrize("dtype", TYPES)
def test_flip_types(backend, rng, dtype):
    for extent in (64, 80):
        x = random_array(rng, extent, dtype)
        out = np.zeros_like(x)
        flip_1d[(1,)](x, out, N=extent)
        assert_same(out, x[::-1])


@pytest.mark.parametrize("shape", ((4, 64), (16, 16), (1, 32), (32, 1), (3, 80), (17, 5), (64, 2)))
@pytest.mark.parametrize("dim", (None, 0, 1, -2))
def test_flip_2d(backend, rng, shape, dim):
    x = random_array(rng, shape, "int32")
    out = np.zeros_like(x)
    flip_2d[(1,)](x, out, *shape, DIM=dim)
    assert_same(out, np.flip(x, -1 if dim is None else dim))


@pytest.mark.parametrize("shape", ((2, 8, 16), (3, 5, 7), (4, 1, 12)))
@pytest.mark.parametrize("dim", (None, 0, 1, -1))
def test_flip_3d(backend, rng, shape, dim):
    x = random_array(rng, shape, "float32")
    out = np.zeros_like(x)
    flip_3d[(1,)](x, out, *shape, DIM=dim)
    assert_same(out, np.flip(x, -1 if dim is None else dim))


@triton.jit
def cat_1d(x_ptr, y_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, M))
    y = tl.load(y_ptr + tl.arange(0, N))
    tl.store(out_ptr + tl.arange(0, M + N), tl.cat(x, y, can_reorder=True))


@triton.jit
def cat_3d(x_ptr, y_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr,
           OTHER: tl.constexpr, DIM: tl.constexpr):
    AY: tl.constexpr = OTHER if DIM % 3 == 0 else A
    BY: tl.constexpr = OTHER if DIM % 3 == 1 else B
    CY: tl.constexpr = OTHER if DIM % 3 == 2 else C
    x = tl.load(x_ptr + offsets(A, B, C))
    y = tl.load(y_ptr + offsets(AY, BY, CY))
    z = tl.cat(x, y, dim=DIM)
    tl.store(out_ptr + offsets(z.shape[0], z.shape[1], z.shape[2]), z)


@pytest.mark.parametrize("extents", ((1, 1), (16, 16), (512, 512), (3, 3), (80, 80), (1, 3),
                                     (16, 48), (781, 3), (5, 128)))
def test_cat_1d(backend, rng, extents):
    x, y = (random_array(rng, n, "float32") for n in extents)
    out = np.zeros(sum(extents), np.float32)
    cat_1d[(1,)](x, y, out, *extents)
    assert_same(out, np.concatenate([x, y]))


@pytest.mark.parametrize("dtype", TYPES)
def test_cat_types(backend, rng, dtype):
    for extents in ((32, 32), (7, 20)):
        x, y = (random_array(rng, n, dtype) for n in extents)
        out = np.zeros(sum(extents), x.dtype)
        cat_1d[(1,)](x, y, out, *extents)
        assert_same(out, np.concatenate([x, y]))


@pytest.mark.parametrize("shape,other", (((4, 8, 16), None), ((2, 3, 5), None), ((2, 3, 5), 4),
                                         ((4, 8, 16), 1)))
@pytest.mark.parametrize("dim", (0, 1, 2, -1))
def test_cat_3d(backend, rng, shape, other, dim):
    other_shape = list(shape)
    other_shape[dim] = other or shape[dim]
    x, y = random_array(rng, shape, "int32"), random_array(rng, other_shape, "int32")
    expected = np.concatenate([x, y], axis=dim)
    out = np.zeros_like(expected)
    cat_3d[(1,)](x, y, out, *shape, OTHER=other_shape[dim], DIM=dim)
    assert_same(out, expected)


@triton.jit
def cat_promotes(out_ptr):
    x = tl.cat(tl.arange(0, 16), tl.full((16,), 0.5, tl.float32))
    tl.store(out_ptr + tl.arange(0, 32), x)


def test_cat_of_types(backend):
    out = np.zeros(32, np.float32)
    cat_promotes[(1,)](out)
    assert_same(out, np.concatenate([np.arange(16), np.full(16, 0.5)]).astype(np.float32))
