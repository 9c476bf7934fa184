"""Descriptors of addresses and the functions that Triton 3.0 to 3.3 had for them."""

import pathlib

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from support import assert_same, random_array
from tritium.tools.experimental_descriptor import (TmaDescKernelParam, create_1d_tma_descriptor,
                                                   create_2d_tma_descriptor)


def line_of(marker):
    text = pathlib.Path(__file__).read_text().splitlines()
    return next(number for number, line in enumerate(text, 1) if line.endswith("# " + marker))


@triton.jit
def add_blocks(x_desc, y_desc, out_desc, columns, BM: tl.constexpr, BN: tl.constexpr,
               TYPE: tl.constexpr):
    row = tl.program_id(0) * BM
    for column in range(0, columns, BN):
        x = tl._experimental_descriptor_load(x_desc, [row, column], [BM, BN], TYPE)
        y = tl._experimental_descriptor_load(y_desc, [row, column], [BM, BN], TYPE)
        tl._experimental_descriptor_store(out_desc, x + y, [row, column])


@pytest.mark.parametrize("dtype,element", [("float32", tl.float32), ("float16", tl.float16),
                                           ("int8", tl.int8), ("float64", tl.float64)])
def test_two_dimensions(backend, rng, dtype, element):
    x, y = (random_array(rng, (20, 48), dtype, -50, 50) for _ in range(2))
    out = np.full((20, 48), 9, dtype)
    described = [create_2d_tma_descriptor(a.ctypes.data, 20, 48, 8, 32, x.itemsize)
                 for a in (x, y, out)]
    add_blocks[(3,)](*described, 48, BM=8, BN=32, TYPE=element)
    assert_same(out, x + y)


@triton.jit
def shift(x_desc, out_desc, n, BLOCK: tl.constexpr, TYPE: tl.constexpr):
    at = tl.program_id(0) * BLOCK
    x = tl._experimental_descriptor_load(x_desc, [at - 3], [BLOCK], TYPE)
    tl._experimental_descriptor_store(out_desc, x, [at])


@pytest.mark.parametrize("block", [16, 64])
def test_one_dimension(backend, rng, block):
    """What lies outside reads as zero and is not written; the kernel's block counts."""
    x = random_array(rng, 101, "float32")
    whole = np.full(128, 7, np.float32)
    shift[(triton.cdiv(101, block),)](create_1d_tma_descriptor(x.ctypes.data, 101, 32, 4),
                                      TmaDescKernelParam(whole.ctypes.data, [101], [32], 4), 101,
                                      BLOCK=block, TYPE=tl.float32)
    assert_same(whole[:101], np.concatenate([np.zeros(3, np.float32), x[:-3]]))
    assert_same(whole[101:], np.full(27, 7, np.float32))


@triton.jit
def bits(x_ptr, out_ptr, N: tl.constexpr):
    x = tl._experimental_make_tensor_descriptor(x_ptr, [N], [1], [N])
    half = tl._experimental_reinterpret_tensor_descriptor(x, [N // 2], tl.int32)
    tl.store(out_ptr + tl.arange(0, N // 2), half.load([N // 2]))


def test_bits_stay(backend, rng):
    x, out = random_array(rng, 32, "float32"), np.zeros(16, np.int32)
    bits[(1,)](x, out, N=32)
    assert_same(out, x[16:].view(np.int32))


@triton.jit
def wrong_type(desc, TYPE: tl.constexpr, SHAPE: tl.constexpr):
    tl._experimental_descriptor_load(desc, [0], SHAPE, TYPE)  # LOAD


@triton.jit
def wrong_value(desc, TYPE: tl.constexpr, SHAPE: tl.constexpr):
    tl._experimental_descriptor_store(desc, tl.zeros(SHAPE, TYPE), [0])  # STORE


@pytest.mark.parametrize("kernel,type_,shape,line,words", [
    (wrong_type, tl.float16, (8,), "LOAD", "is of float16, and the elements of the descriptor have "
                                           "32 bits; their element_size"),
    (wrong_type, tl.float32, (8, 8), "LOAD", "as many dimensions as the array has, 1, found"),
    (wrong_type, 3, (8,), "LOAD", "'dtype'"),
    (wrong_type, tl.pointer_type(tl.float32), (8,), "LOAD", "moves integers and floats"),
    (wrong_type, tl.float32, (0,), "LOAD", "0"),
    (wrong_value, tl.int64, (8,), "STORE", "is of int64, and the elements"),
    (wrong_value, tl.int32, (2, 4), "STORE", "as many dimensions"),
])
def test_mistakes(backend, kernel, type_, shape, line, words):
    x = np.zeros(32, np.float32)
    with pytest.raises(triton.CompilationError) as caught:
        kernel[(1,)](create_1d_tma_descriptor(x.ctypes.data, 32, 8, 4), TYPE=type_, SHAPE=shape)
    assert words in str(caught.value)
    assert f"{pathlib.Path(__file__).name}:{line_of(line)}" in str(caught.value)


def test_no_descriptor(backend):
    with pytest.raises(triton.CompilationError, match="needs a tensor descriptor, found"):
        wrong_type[(1,)](np.zeros(128, np.uint8), TYPE=tl.float32, SHAPE=(8,))


@pytest.mark.parametrize("arguments,words", [
    ((0, [4, 4, 4], [4, 4, 4], 4), "1 or 2 dimensions"), ((0, [4], [4], 3), "1, 2, 4 or 8"),
    ((1.5, [4], [4], 4), "made of an address"), ((8, [4], [4], 4), "aligned to 16"),
    ((0, [4, 3], [4, 3], 4), "multiples of 16 bytes"), ((0, [4], [4, 4], 4), "as many"),
    ((0, [0], [4], 4), "must be positive")])
def test_mistakes_of_the_host(arguments, words):
    with pytest.raises(ValueError, match=words):
        TmaDescKernelParam(*arguments)
