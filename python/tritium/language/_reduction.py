"""Reductions, scans, sorting, dot."""

from ._builtin import builtin
from .types import float32

__all__ = ["reduce", "sum", "max", "min", "argmax", "argmin", "xor_sum", "reduce_or",
           "associative_scan", "cumsum", "cumprod", "histogram", "sort", "topk",
           "bitonic_merge", "dot", "dot_scaled"]


@builtin
def reduce(input, axis, combine_fn, keep_dims=False):
    """Combines all elements along an axis.

    Args:
        input: a tile, or a tuple of tiles of one shape.
        axis: int; None takes all elements.
        combine_fn: a kernel function of 2n scalars that returns n; associative and
            commutative. The order in which it is applied is not defined.
        keep_dims: keeps the axis, with extent 1.
    """


@builtin
def sum(input, axis=None, keep_dims=False, dtype=None):
    """The sum along `axis` (None: of all). Ints below 32 bits are summed as int32, unsigned
    ones and bools as uint32; `dtype` casts first."""


def _extremum(name, doc):
    def function(input, axis=None, return_indices=False, return_indices_tie_break_left=True,
                 keep_dims=False):
        pass

    function.__name__ = function.__qualname__ = name
    function.__module__ = __name__
    function.__doc__ = doc
    return builtin(function)


_EXTREMUM = """The {what} along `axis` (None: of all).

    Args:
        return_indices: returns (values, int32 indices).
        return_indices_tie_break_left: of equal values the first counts, else any.
        keep_dims: keeps the axis, with extent 1.

    bf16 gives fp32; without indices types below 32 bits are widened.
    """
max = _extremum("max", _EXTREMUM.format(what="largest value"))
min = _extremum("min", _EXTREMUM.format(what="smallest value"))


@builtin
def argmax(input, axis, tie_break_left=True, keep_dims=False):
    """The int32 index of the largest value along `axis`."""


@builtin
def argmin(input, axis, tie_break_left=True, keep_dims=False):
    """The int32 index of the smallest value along `axis`."""


@builtin
def xor_sum(input, axis=None, keep_dims=False):
    """The exclusive or of ints along `axis` (None: of all)."""


@builtin
def reduce_or(input, axis, keep_dims=False):
    """The bitwise or of ints along `axis`."""


@builtin
def associative_scan(input, axis, combine_fn, reverse=False):
    """Each element combined with all before it along `axis`.

    Args:
        input: a tile, or a tuple of tiles of one shape.
        axis: int.
        combine_fn: a kernel function of 2n scalars that returns n: first what comes before, then
            what follows. Associative; elements keep their order.
        reverse: the other way round: the last element comes first.
    """


@builtin
def cumsum(input, axis=0, reverse=False, dtype=None):
    """Running sums along `axis`, from its end if `reverse`. Types widen as for `sum`, and bf16 to
    fp32; `dtype` casts first."""


@builtin
def cumprod(input, axis=0, reverse=False):
    """Running products along `axis`, from its end if `reverse`. bf16 gives fp32."""


@builtin
def histogram(input, num_bins, mask=None):
    """How often each of 0 .. num_bins-1 occurs in a tile of ints with one dimension.

    Args:
        input: the tile; what is below 0, or num_bins or more, is not counted.
        num_bins: a constexpr, 1 or more.
        mask: where it is false, an element is not counted; broadcast to `input`.

    Returns an int32 tile of shape [num_bins].
    """


@builtin
def sort(x, dim=None, descending=False):
    """`x` sorted along `dim`.

    Args:
        x: a tile of ints, bools, or floats of 16 bits or more, of any extents.
        dim: a constexpr; negative ones count from the end (default: the last).
        descending: a constexpr, whether the greatest element comes first.

    -0 comes before 0, and NaNs after all numbers, as in NumPy, or before them where the order is
    descending. Each is the NaN of positive sign then. (Triton's network loses or doubles elements
    that are compared with one.)
    """


@builtin
def topk(x, k, dim=None, descending=True):
    """The first `k` elements of `tl.sort(x, dim, descending)`: the greatest, or the smallest.

    `k` is a constexpr from 1 to the extent along `dim`.
    """


@builtin
def bitonic_merge(x, dim=None, descending=False):
    """`tl.sort(x, dim, descending)` of what is bitonic along `dim`: it first rises and then falls,
    or is a rotation of such a sequence. Cheaper; of anything else it makes some other order."""


@builtin
def dot(input, other, acc=None, input_precision=None, allow_tf32=None,
        max_num_imprecise_acc=None, out_dtype=None):
    """The matrix product of [M, K] and [K, N], or of batches [B, M, K] and [B, K, N].

    Args:
        input, other: of one type: int8, uint8, fp16, bf16, fp32 or fp64.
        acc: added to the product; of the result's shape and type.
        input_precision, allow_tf32, max_num_imprecise_acc: for GPUs; fp32 is exact here.
        out_dtype: fp32 or fp16, for fp16 inputs.

    Returns int32 for 8-bit ints, fp64 for fp64, else fp32 (or `out_dtype`).
    """


@builtin
def dot_scaled(lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, acc=None,
               fast_math=False, lhs_k_pack=True, rhs_k_pack=True, out_dtype=float32):
    """The matrix product of microscaled operands (OCP MX), in fp32.

    What is multiplied is bf16, or fp16 if one operand is: numbers times scales, rounded once.

    Args:
        lhs, rhs: tiles [M, K] and [K, N], or with a batch dimension in front.
        lhs_format, rhs_format: "e2m1", two numbers in a uint8, the lower half first; "e4m3",
            "e5m2", "bf16" or "fp16", as such or as their bits in an unsigned integer. Not bf16
            with fp16.
        lhs_scale, rhs_scale: [M, K / 32] and [N, K / 32], or K / 16: exponents as uint8, of
            which 0 is 2^-127 and 255 NaN; for e2m1 also fp8e4nv; or None.
        acc: added to the product: fp32 of the result's shape.
        fast_math: taken; NaN scales are right anyway.
        lhs_k_pack, rhs_k_pack: e2m1: whether the two are neighbours along K, or along M and N.
        out_dtype: fp32.
    """
