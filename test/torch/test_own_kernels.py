"""Kernels of a program's own inside of what torch's compiler compiles, which writes their texts and
the names that they use into modules of its own."""

import torch
import triton
import triton.language as tl
import triton.language.extra.libdevice as device_library
from triton import cdiv
from triton.language import exp, where
from triton.language.extra import libdevice
from triton.language.extra.libdevice import tanh

OFFSET: tl.constexpr = 3


@triton.jit
def twice(x):
    return x * 2


@triton.jit
def shifted(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(out_ptr + i, twice(x) + OFFSET, mask=i < n)


@triton.jit
def named(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    y = where(x > 0, exp(x), libdevice.tanh(x)) + device_library.exp(x) + tanh(x)
    tl.store(out_ptr + i, y + cdiv(n, 7) + tl.sum(x), mask=i < n)


def run(kernel, x):
    out = torch.empty_like(x)
    kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out + 1


def agrees(kernel):
    x = torch.randn(300)
    torch.testing.assert_close(torch.compile(run, fullgraph=True)(kernel, x), run(kernel, x))


def test_annotated_constants_and_functions(compiled):
    agrees(shifted)


def test_names_of_the_language(compiled):
    agrees(named)
