"""`tl.standard`: what Triton builds on its own language, with the functions that its reductions
combine elements by.

They are for programs that pass them to `tl.reduce` or `tl.associative_scan`. Everything else is the
function of the same name in `tl`.
"""

import inspect

import tritium.language as tl

from ..jit import jit
from ._builtin import Builtin
from . import (argmax, argmin, bitonic_merge, cdiv, cumprod, cumsum, flip, interleave, max, min,
               ravel, reduce_or, sigmoid, softmax, sort, squeeze, sum, swizzle2d, topk, unsqueeze,
               xor_sum, zeros, zeros_like)

__all__ = ["argmax", "argmin", "bitonic_merge", "cdiv", "cumprod", "cumsum", "flip", "interleave",
           "max", "min", "ravel", "reduce_or", "sigmoid", "softmax", "sort", "sort_impl",
           "squeeze", "sum", "swizzle2d", "topk", "unsqueeze", "xor_sum", "zeros", "zeros_like"]


def _combine(name, what, names=("a", "b")):
    def stub(*_args):
        pass

    stub.__signature__ = inspect.Signature([
        inspect.Parameter(parameter, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        for parameter in names])
    stub.__name__ = stub.__qualname__ = name
    stub.__module__ = __name__
    stub.__doc__ = what
    return Builtin(stub, f"triton.language.standard.{name}")


_sum_combine = _combine("_sum_combine", "The sum of two elements.")
_prod_combine = _combine("_prod_combine", "The product of two elements.")
_xor_combine = _combine("_xor_combine", "The bits in which two elements differ.")
_or_combine = _combine("_or_combine", "The bits that one of two elements has.")
_elementwise_max = _combine("_elementwise_max", "The larger of two elements.")
_elementwise_min = _combine("_elementwise_min", "The smaller of two elements.")
_PAIRS = "The pair (value, index) of two whose value is {}; "
_NAMES = ("value1", "index1", "value2", "index2")
_LEFT, _FAST = "of equal values the one with the lower index.", "of equal values the second."
_argmax_combine_tie_break_left = _combine(
    "_argmax_combine_tie_break_left", _PAIRS.format("larger") + _LEFT, _NAMES)
_argmax_combine_tie_break_fast = _combine(
    "_argmax_combine_tie_break_fast", _PAIRS.format("larger") + _FAST, _NAMES)
_argmin_combine_tie_break_left = _combine(
    "_argmin_combine_tie_break_left", _PAIRS.format("smaller") + _LEFT, _NAMES)
_argmin_combine_tie_break_fast = _combine(
    "_argmin_combine_tie_break_fast", _PAIRS.format("smaller") + _FAST, _NAMES)


def _on_values(function):
    """A function of compile-time ints, which the host may call, too."""

    def on_host(*values):
        return function(*(v.value if isinstance(v, tl.constexpr) else v for v in values))

    return Builtin(function, f"triton.language.standard.{function.__name__}", on_host=on_host)


def _log2(i):
    """The logarithm to base 2 of a positive int, rounded down."""
    if i <= 0:
        raise ValueError(f"_log2 takes a positive int, but got {i!r}")
    return i.bit_length() - 1


def _is_power_of_two(i):
    """Whether an int is a power of two."""
    return i > 0 and i & (i - 1) == 0


_log2 = _on_values(_log2)
_is_power_of_two = _on_values(_is_power_of_two)


@jit
def sort_impl(x, k: tl.constexpr = None, dim: tl.constexpr = None,
              descending: tl.constexpr = False):
    """`tl.topk(x, k, dim, descending)`, or `tl.sort` where k is None.

    Example:
        >>> # on the host
        >>> tl.standard.sort_impl.arg_names
        ['x', 'k', 'dim', 'descending']
    """
    if k is None:
        return tl.sort(x, dim, descending)
    else:
        return tl.topk(x, k, dim, descending)
