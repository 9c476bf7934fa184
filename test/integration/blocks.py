"""Blocks of NumPy arrays, as descriptors and block pointers see them."""

import numpy as np
from support import assert_same, random_array


def _overlap(array, start, shape):
    """Slices of the array and of the block where both lie; None if nowhere."""
    inside = [(max(s, 0), min(s + b, n)) for s, b, n in zip(start, shape, array.shape)]
    if any(low >= high for low, high in inside):
        return None
    return (tuple(slice(low, high) for low, high in inside),
            tuple(slice(low - s, high - s) for (low, high), s in zip(inside, start)))


def block_of(array, start, shape, padding=0):
    """The block at `start`, with `padding` for what lies outside of the array."""
    block = np.full(shape, padding, array.dtype)
    if overlap := _overlap(array, start, shape):
        block[overlap[1]] = array[overlap[0]]
    return block


def put_block(array, start, block):
    """Writes the part of a block that lies within the array."""
    if overlap := _overlap(array, start, block.shape):
        array[overlap[0]] = block[overlap[1]]


def pitched(array):
    """The array with rows that begin at multiples of 16 elements."""
    columns = -(-array.shape[-1] // 16) * 16
    view = np.zeros((*array.shape[:-1], columns), array.dtype)[..., :array.shape[-1]]
    view[...] = array
    return view


def strides_of(array):
    """In elements."""
    return [step // array.itemsize for step in array.strides]


def check_edges(move, rng, i, j):
    """A 16x32 block is read at (i, j) of a 19x45 array, and another is written there.

    move(x, out, rows, columns, stride, i, j, oi, oj, BM, BN) copies the block at (i, j) of x
    to (oi, oj) of out; what lies outside reads as 0 and is not written.
    """
    x = pitched(random_array(rng, (19, 45), "int32"))
    out = pitched(np.full_like(x, 7))
    expected = out.copy()
    move[(1,)](x, out, 19, 45, strides_of(x)[0], i, j, 2, 3, BM=16, BN=32)
    put_block(expected, (2, 3), block_of(x, (i, j), (16, 32)))
    assert_same(out.copy(), expected)
    out[...] = expected[...] = 7
    move[(1,)](x, out, 19, 45, strides_of(x)[0], 1, 2, i, j, BM=16, BN=32)
    put_block(expected, (i, j), block_of(x, (1, 2), (16, 32)))
    assert_same(out.copy(), expected)
