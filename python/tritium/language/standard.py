"""`tl.standard`: what Triton builds on its own language, with the functions that its reductions
combine elements by.

These are kernel functions and compile-time functions of their own, for programs that pass them to
`tl.reduce` or `tl.associative_scan`. Everything else is the function of the same name in `tl`.
"""

import tritium.language as tl

from ..jit import constexpr_function, jit
from . import (argmax, argmin, bitonic_merge, cdiv, cumprod, cumsum, flip, interleave, max, min,
               ravel, reduce_or, sigmoid, softmax, sort, squeeze, sum, swizzle2d, topk, unsqueeze,
               xor_sum, zeros, zeros_like)

__all__ = ["argmax", "argmin", "bitonic_merge", "cdiv", "cumprod", "cumsum", "flip", "interleave",
           "max", "min", "ravel", "reduce_or", "sigmoid", "softmax", "sort", "sort_impl",
           "squeeze", "sum", "swizzle2d", "topk", "unsqueeze", "xor_sum", "zeros", "zeros_like"]


@constexpr_function
def _log2(i):
    """The logarithm to base 2 of a positive int, rounded down."""
    if i <= 0:
        raise ValueError(f"_log2 takes a positive int, but got {i!r}")
    return i.bit_length() - 1


@constexpr_function
def _is_power_of_two(i):
    return i > 0 and i & (i - 1) == 0


@jit
def _sum_combine(a, b):
    return a + b


@jit
def _prod_combine(a, b):
    return a * b


@jit
def _xor_combine(a, b):
    return a ^ b


@jit
def _or_combine(a, b):
    return a | b


@jit
def _elementwise_max(a, b):
    return tl.maximum(a, b)


@jit
def _elementwise_min(a, b):
    return tl.minimum(a, b)


@jit
def _argmax_combine(value1, index1, value2, index2, tie_break_left):
    takes_first = value1 > value2
    if tie_break_left:
        takes_first = takes_first | ((value1 == value2) & (index1 < index2))
    return tl.where(takes_first, value1, value2), tl.where(takes_first, index1, index2)


@jit
def _argmax_combine_tie_break_left(value1, index1, value2, index2):
    return _argmax_combine(value1, index1, value2, index2, True)


@jit
def _argmax_combine_tie_break_fast(value1, index1, value2, index2):
    return _argmax_combine(value1, index1, value2, index2, False)


@jit
def _argmin_combine(value1, index1, value2, index2, tie_break_left):
    takes_first = value1 < value2
    if tie_break_left:
        takes_first = takes_first | ((value1 == value2) & (index1 < index2))
    return tl.where(takes_first, value1, value2), tl.where(takes_first, index1, index2)


@jit
def _argmin_combine_tie_break_left(value1, index1, value2, index2):
    return _argmin_combine(value1, index1, value2, index2, True)


@jit
def _argmin_combine_tie_break_fast(value1, index1, value2, index2):
    return _argmin_combine(value1, index1, value2, index2, False)


@jit
def sort_impl(x, k: tl.constexpr = None, dim: tl.constexpr = None,
              descending: tl.constexpr = False):
    """`tl.topk(x, k, dim, descending)`, or `tl.sort` where k is None."""
    if k is None:
        return tl.sort(x, dim, descending)
    else:
        return tl.topk(x, k, dim, descending)
