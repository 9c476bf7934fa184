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
        input: a tile, or a tuple of n tiles of one shape.
        axis: a constexpr int; negative ones count from the end; None takes all elements.
        combine_fn: a kernel function of 2n scalars that returns n; associative and
            commutative. The order in which it is applied is not defined.
        keep_dims: keeps the axis, with extent 1.

    Returns a tile without that axis (a scalar if there is no other), or a tuple of n.

    Beyond Triton: any extents; a lambda is a function, too.

    Example:
        >>> tl.reduce(tl.arange(1, 6), 0, lambda a, b: a * b)
        int32 120
        >>> tl.reduce(tl.arange(1, 6), 1, lambda a, b: a * b)
        CompilationError: axis
    """


@builtin
def sum(input, axis=None, keep_dims=False, dtype=None):
    """The sum along an axis.

    Args:
        input: a tile.
        axis: a constexpr int; None: of all elements.
        keep_dims: keeps the axis, with extent 1.
        dtype: casts first. Without it ints below 32 bits are summed as int32, unsigned ones and
            bools as uint32; other types are kept.

    Example:
        >>> tl.sum(tl.reshape(tl.arange(0, 6), 2, 3), 1)
        int32 [3, 12]
        >>> tl.sum(tl.full((300,), 1, tl.int8))
        int32 300
    """


def _extremum(name, doc):
    def function(input, axis=None, return_indices=False, return_indices_tie_break_left=True,
                 keep_dims=False):
        pass

    function.__name__ = function.__qualname__ = name
    function.__module__ = __name__
    function.__doc__ = doc
    return builtin(function)


_EXTREMUM = """The {what} along an axis.

    Args:
        input: a tile.
        axis: a constexpr int; None: of all elements.
        return_indices: returns (values, int32 indices).
        return_indices_tie_break_left: of equal values the first counts, else any.
        keep_dims: keeps the axis, with extent 1.

    bf16 gives fp32; without indices other types below 32 bits are widened, to fp32 or int32. A NaN
    loses against a number.

    Example:
        >>> tl.{name}(tl.arange(0, 4) * 3 % 4)
        int32 {value}
        >>> tl.{name}(tl.arange(0, 4) * 3 % 4, 0, return_indices=True)
        int32 {value}
        int32 {index}
    """
max = _extremum("max", _EXTREMUM.format(what="largest value", name="max", value=3, index=1))
min = _extremum("min", _EXTREMUM.format(what="smallest value", name="min", value=0, index=0))


@builtin
def argmax(input, axis, tie_break_left=True, keep_dims=False):
    """The int32 index of the largest value along an axis.

    Args:
        input: a tile.
        axis: a constexpr int.
        tie_break_left: of equal values the first counts, else any.
        keep_dims: keeps the axis, with extent 1.

    Example:
        >>> tl.argmax(tl.arange(0, 4) * 3 % 4, 0)
        int32 1
    """


@builtin
def argmin(input, axis, tie_break_left=True, keep_dims=False):
    """The int32 index of the smallest value along an axis; arguments as for `argmax`.

    Example:
        >>> tl.argmin(tl.arange(0, 4) - 9, 0)
        int32 0
    """


@builtin
def xor_sum(input, axis=None, keep_dims=False):
    """The exclusive or of ints along `axis`, a constexpr int (None: of all elements).

    Example:
        >>> tl.xor_sum(tl.arange(0, 3))
        int32 3
        >>> tl.xor_sum(tl.zeros((4,), tl.float32))
        CompilationError: integer
    """


@builtin
def reduce_or(input, axis, keep_dims=False):
    """The bitwise or of ints along `axis`, a constexpr int (None: of all elements).

    Example:
        >>> tl.reduce_or(tl.arange(0, 5), 0)
        int32 7
    """


@builtin
def associative_scan(input, axis, combine_fn, reverse=False):
    """Each element combined with all before it along an axis.

    Args:
        input: a tile, or a tuple of n tiles of one shape.
        axis: a constexpr int; negative ones count from the end.
        combine_fn: a kernel function of 2n scalars that returns n: first what comes before, then
            what follows. Associative; elements keep their order.
        reverse: the other way round: the last element comes first.

    Returns a tile of the shape of `input`, or a tuple of n.

    Beyond Triton: any extents.

    Example:
        >>> tl.associative_scan(tl.arange(1, 6), 0, lambda a, b: a * b)
        int32 [1, 2, 6, 24, 120]
    """


@builtin
def cumsum(input, axis=0, reverse=False, dtype=None):
    """Running sums along an axis.

    Args:
        input: a tile.
        axis: a constexpr int.
        reverse: from the end of the axis.
        dtype: casts first. Without it types widen as for `sum`, and bf16 to fp32.

    Example:
        >>> tl.cumsum(tl.arange(0, 4), 0)
        int32 [0, 1, 3, 6]
        >>> tl.cumsum(tl.arange(0, 4), 0, reverse=True)
        int32 [6, 6, 5, 3]
    """


@builtin
def cumprod(input, axis=0, reverse=False):
    """Running products along an axis; arguments as for `cumsum`. bf16 gives fp32.

    Example:
        >>> tl.cumprod(tl.arange(1, 5), 0)
        int32 [1, 2, 6, 24]
    """


@builtin
def histogram(input, num_bins, mask=None):
    """How often each of 0 .. num_bins-1 occurs in a tile of ints with one dimension.

    Args:
        input: the tile; what is below 0, or num_bins or more, is not counted.
        num_bins: a constexpr, 1 or more.
        mask: where it is false, an element is not counted; broadcast to `input`.

    Returns an int32 tile of shape [num_bins].

    Beyond Triton: ints of every width, any number of elements and of bins.

    Example:
        >>> tl.histogram(tl.arange(0, 10) // 4, 3)
        int32 [4, 4, 2]
    """


@builtin
def sort(x, dim=None, descending=False):
    """`x` sorted along `dim`.

    Args:
        x: a tile of ints, bools or floats, of any extents.
        dim: a constexpr; negative ones count from the end (default: the last).
        descending: a constexpr, whether the greatest element comes first.

    -0 comes before 0, and NaNs after all numbers, as in NumPy, or before them where the order is
    descending. Each is the NaN of positive sign then.

    Beyond Triton: any extents and every dimension; Triton's network loses or doubles elements that
    are compared with a NaN.

    Example:
        >>> tl.sort(tl.arange(0, 5) * 3 % 5)
        int32 [0, 1, 2, 3, 4]
        >>> tl.sort(tl.arange(0, 3), descending=True)
        int32 [2, 1, 0]
    """


@builtin
def topk(x, k, dim=None, descending=True):
    """The first `k` elements of `tl.sort(x, dim, descending)`: the greatest, or the smallest.

    Args:
        x, dim, descending: as for `sort`.
        k: a constexpr from 1 to the extent along `dim`.

    Beyond Triton: any `k` and every dimension.

    Example:
        >>> tl.topk(tl.arange(0, 5), 3)
        int32 [4, 3, 2]
        >>> tl.topk(tl.arange(0, 5), 6)
        CompilationError: must be from 1 to the extent of dimension 0, which is 5, found 6
    """


@builtin
def bitonic_merge(x, dim=None, descending=False):
    """`tl.sort(x, dim, descending)` of what is bitonic along `dim`: it first rises and then falls,
    or is a rotation of such a sequence. Cheaper; of anything else it makes some other order.

    Example:
        >>> tl.bitonic_merge(tl.cat(tl.arange(0, 2), 3 - tl.arange(0, 2)))
        int32 [0, 1, 2, 3]
    """


@builtin
def dot(input, other, acc=None, input_precision=None, allow_tf32=None,
        max_num_imprecise_acc=None, out_dtype=None):
    """The matrix product of [M, K] and [K, N], or of batches [B, M, K] and [B, K, N]; also `a @ b`.

    Args:
        input, other: of one type: int8, uint8, fp16, bf16, fp32 or fp64, or two of 8-bit floats.
        acc: added to the product; of the result's shape and type.
        input_precision: for fp32 on GPUs: "tf32" (the default), "tf32x3", "bf16x3", "bf16x6" or
            "ieee". TRITON_F32_DEFAULT changes the default. A CPU computes as "ieee", its default,
            but for "bf16x3" and "tf32" with AMX: three products of bf16, off by 2^-15 at most.
        allow_tf32: True is "tf32", False "ieee"; an error beside `input_precision`.
        max_num_imprecise_acc: for 8-bit floats on GPUs, whose tensor cores may keep 14 bits of a
            sum: how many products along K they add up before it goes to fp32; at most K. None: all.
        out_dtype: fp32 or fp16, for fp16 and 8-bit floats.

    Returns int32 for 8-bit ints, fp64 for fp64, else fp32 (or `out_dtype`, or the type of `acc`).

    Beyond Triton: any M, N and K from 1 on.

    Example:
        >>> tl.dot(tl.full((2, 3), 2.0, tl.float16), tl.full((3, 2), 1.5, tl.float16))
        float32 [[9.0, 9.0], [9.0, 9.0]]
        >>> tl.dot(tl.zeros((2, 3), tl.float16), tl.zeros((4, 2), tl.float16))
        CompilationError: 3
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

    Example:
        >>> a = tl.full((1, 16), 0x22, tl.uint8)  # 32 times 1.0
        >>> b = tl.full((32, 1), 2.0, tl.bfloat16)
        >>> tl.dot_scaled(a, tl.full((1, 1), 128, tl.uint8), "e2m1", b, None, "bf16")
        float32 [[128.0]]
    """
