"""Tensor descriptors and block pointers: blocks at every edge of an array and beyond."""

import itertools

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from support import DTYPES, assert_same, is_float, kernels_from, numpy_dtype, random_array


def block_of(array, start, block, fill=0):
    """The block of NumPy's array at `start`, with `fill` for what lies outside."""
    out = np.full(block, fill, array.dtype)
    inside = [(max(s, 0), min(s + b, n)) for s, b, n in zip(start, block, array.shape)]
    if all(lo < hi for lo, hi in inside):
        source = tuple(slice(lo, hi) for lo, hi in inside)
        target = tuple(slice(lo - s, hi - s) for (lo, hi), s in zip(inside, start))
        out[target] = array[source]
    return out


def put_block(array, start, value):
    """Writes the part of a block that lies within the array."""
    inside = [(max(s, 0), min(s + b, n)) for s, b, n in zip(start, value.shape, array.shape)]
    if all(lo < hi for lo, hi in inside):
        target = tuple(slice(lo, hi) for lo, hi in inside)
        source = tuple(slice(lo - s, hi - s) for (lo, hi), s in zip(inside, start))
        array[target] = value[source]


def padded_rows(array, multiple=32):
    """The array with its last dimension in rows of a multiple of `multiple` elements."""
    width = -(-array.shape[-1] // multiple) * multiple
    backing = np.zeros((*array.shape[:-1], width), array.dtype)
    view = backing[..., :array.shape[-1]]
    view[...] = array
    return view


def strides_of(array):
    return [s // array.itemsize for s in array.strides]


@triton.jit
def move_2d(x_ptr, out_ptr, M, N, stride, i, j, oi, oj, BM: tl.constexpr, BN: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [M, N], [stride, 1], [BM, BN])
    out = tl.make_tensor_descriptor(out_ptr, [M, N], [stride, 1], [BM, BN])
    out.store([oi, oj], x.load([i, j]))


OFFSETS = [(0, 0), (3, 5), (-3, 0), (0, -7), (-16, -32), (13, 40), (18, 30), (19, 0), (20, 45),
           (-15, -31), (100, 0), (0, 1000), (-2**31, 0), (2**31 - 1, 2**31 - 1)]


@pytest.mark.parametrize("i,j", OFFSETS)
def test_edges_2d(backend, rng, i, j):
    x = padded_rows(random_array(rng, (19, 45), "int32"))
    out = padded_rows(np.full_like(x, 7))
    expected = out.copy()
    move_2d[(1,)](x, out, 19, 45, strides_of(x)[0], i, j, 2, 3, BM=16, BN=32)
    put_block(expected, (2, 3), block_of(x, (i, j), (16, 32)))
    assert_same(out.copy(), expected)
    out[...] = 7
    expected[...] = 7
    move_2d[(1,)](x, out, 19, 45, strides_of(x)[0], 1, 2, i, j, BM=16, BN=32)
    put_block(expected, (i, j), block_of(x, (1, 2), (16, 32)))
    assert_same(out.copy(), expected)
