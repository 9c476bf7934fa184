"""Blocks of NumPy arrays, as descriptors and block pointers see them."""

import numpy as np


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
