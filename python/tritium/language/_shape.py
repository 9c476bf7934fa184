"""Program ids, tiles from nothing, shapes and casts."""

from ._builtin import builtin

__all__ = ["program_id", "num_programs", "arange", "full", "zeros", "zeros_like", "cat", "cast",
           "to_tensor", "broadcast", "broadcast_to", "expand_dims", "permute", "trans",
           "reshape", "view", "ravel", "join", "split", "interleave", "squeeze", "unsqueeze",
           "where", "flip", "swizzle2d", "gather", "map_elementwise", "inline_asm_elementwise"]


@builtin
def program_id(axis):
    """The index of this program on an axis of the grid; int32, from 0 to `num_programs(axis)` - 1.

    Args:
        axis: 0, 1 or 2, a constexpr; anything else is an error. Of an axis that the grid lacks the
            index is 0.

    Beyond Triton: an offset that is made of it is computed in 64 bits.

    Example:
        >>> tl.program_id(0)
        int32 0
        >>> tl.program_id(3)
        CompilationError: must be 0, 1 or 2
    """


@builtin
def num_programs(axis):
    """The number of programs on an axis of the grid; int32.

    Args:
        axis: 0, 1 or 2, a constexpr. Of an axis that the grid lacks the number is 1.

    Example:
        >>> tl.num_programs(2)
        int32 1
    """


@builtin
def arange(start, end=None):
    """The ints from `start` up to, not including, `end`: an int32 tile of one dimension.

    Args:
        start, end: constexpr ints of 32 bits, end > start; at most 1048576 of them.

    Beyond Triton: any number of elements, and `tl.arange(n)`, which begins at 0.

    Example:
        >>> tl.arange(2, 5)
        int32 [2, 3, 4]
        >>> tl.arange(3)
        int32 [0, 1, 2]
        >>> tl.arange(5, 2)
        CompilationError: the end of tl.arange must be greater than its start, found 5 and 2
    """


@builtin
def full(shape, value, dtype):
    """A tile whose elements are one value.

    Args:
        shape: constexpr ints, in a tuple or a list; () makes a scalar.
        value: a number, a scalar or a tile of one element; converted to `dtype`.
        dtype: the element type.

    Beyond Triton: any extents.

    Example:
        >>> tl.full((3,), 1.5, tl.float16)
        float16 [1.5, 1.5, 1.5]
    """


@builtin
def zeros(shape, dtype):
    """A tile of zeros.

    Args:
        shape: constexpr ints, in a tuple or a list.
        dtype: the element type.

    Example:
        >>> tl.zeros((2, 3), tl.int32)
        int32 [[0, 0, 0], [0, 0, 0]]
    """


@builtin
def zeros_like(input):
    """Zeros with the shape and the element type of `input`.

    Example:
        >>> tl.zeros_like(tl.arange(0, 3))
        int32 [0, 0, 0]
    """


@builtin
def cat(input, other, can_reorder=False, dim=0):
    """Two tiles one after the other along `dim`, in order.

    Args:
        input, other: tiles of one rank, whose extents agree but along `dim`; their elements are
            promoted to one type.
        can_reorder: has no effect; the order is kept.
        dim: a constexpr; negative ones count from the end.

    Beyond Triton: any extents, and every dimension.

    Example:
        >>> tl.cat(tl.arange(0, 2), tl.arange(5, 8))
        int32 [0, 1, 5, 6, 7]
        >>> tl.cat(tl.zeros((2, 1), tl.int32), tl.full((2, 1), 1, tl.int32), dim=1)
        int32 [[0, 1], [0, 1]]
    """


@builtin
def cast(input, dtype, fp_downcast_rounding=None, bitcast=False):
    """`input` as elements of `dtype`; also `input.to(dtype)`.

    Args:
        input: a tile, a scalar or a number.
        dtype: the element type.
        fp_downcast_rounding: "rtne" (nearest, ties to even; the default) or "rtz" (towards
            zero), only where a float becomes narrower; else an error.
        bitcast: takes the bits as they are; the widths must agree.

    An int that does not fit keeps its lower bits. A float that does not fit an int is undefined;
    anything to int1 is `!= 0`. fp16 and bf16 become each other by way of fp32.

    Example:
        >>> tl.cast(tl.full((2,), 2.75, tl.float32), tl.int32)
        int32 [2, 2]
        >>> tl.cast(1.0, tl.int32, bitcast=True)
        int32 1065353216
        >>> tl.cast(tl.full((1,), 300, tl.int32), tl.uint8)
        uint8 [44]
        >>> tl.cast(tl.full((1,), 1.0, tl.float32), tl.int8, fp_downcast_rounding="rtz")
        CompilationError: fp_downcast_rounding
    """


@builtin
def to_tensor(x):
    """A scalar of the type that fits a Python number: int1 for a bool; int32, uint32, int64 or
    uint64, the first that holds an int; fp32 for a float, or fp64 outside its normal range.

    Example:
        >>> tl.to_tensor(7)
        int32 7
        >>> tl.to_tensor(3000000000)
        uint32 3000000000
        >>> tl.to_tensor(0.5)
        float32 0.5
    """


@builtin
def broadcast(input, other):
    """Both tiles, broadcast to their common shape: the shorter shape gets extents of 1 in front,
    and then an extent of 1 stretches to the other's. Returns a tuple of two.

    Example:
        >>> tl.broadcast(tl.arange(0, 2)[:, None], tl.arange(5, 7)[None, :])
        int32 [[0, 0], [1, 1]]
        int32 [[5, 6], [5, 6]]
        >>> tl.broadcast(tl.arange(0, 2), tl.arange(0, 3))
        CompilationError: broadcast
    """


@builtin
def broadcast_to(input, *shape):
    """`input` broadcast to a shape.

    Args:
        input: a tile of the shape's rank, or a scalar.
        shape: constexpr ints, as a tuple or one by one.

    Example:
        >>> tl.broadcast_to(tl.arange(0, 2)[:, None], (2, 3))
        int32 [[0, 0, 0], [1, 1, 1]]
        >>> tl.broadcast_to(4, 2)
        int32 [4, 4]
    """


@builtin
def expand_dims(input, axis):
    """`input` with extents of 1 inserted; also `input[:, None]`.

    Args:
        axis: a constexpr int or a tuple of them, counted in the result; negative ones from its
            end. No two may be the same.

    Example:
        >>> tl.expand_dims(tl.arange(0, 2), 1)
        int32 [[0], [1]]
        >>> tl.arange(0, 2)[None, :]
        int32 [[0, 1]]
    """


@builtin
def permute(input, *dims):
    """`input` with its dimensions in another order.

    Args:
        dims: a permutation of 0 .. rank-1, as a tuple or one by one.

    Example:
        >>> tl.permute(tl.reshape(tl.arange(0, 6), 2, 3), 1, 0)
        int32 [[0, 3], [1, 4], [2, 5]]
        >>> tl.permute(tl.zeros((2, 3), tl.int32), 0, 0)
        CompilationError: permutation
    """


@builtin
def trans(input, *dims):
    """`permute`; without `dims` the last two dimensions change places.

    Example:
        >>> tl.trans(tl.reshape(tl.arange(0, 6), 2, 3))
        int32 [[0, 3], [1, 4], [2, 5]]
    """


@builtin
def reshape(input, *shape, can_reorder=False):
    """The elements of `input`, in order, as a tile of another shape.

    Args:
        shape: constexpr ints, as a tuple or one by one, with as many elements; () makes a scalar
            of one element.
        can_reorder: has no effect; the order is kept.

    Example:
        >>> tl.reshape(tl.arange(0, 6), 2, 3)
        int32 [[0, 1, 2], [3, 4, 5]]
        >>> tl.reshape(tl.arange(0, 6), (4, 2))
        CompilationError: 6 elements
    """


@builtin
def view(input, *shape):
    """`reshape`, by its old name. The order of the elements is kept here, too.

    Example:
        >>> tl.view(tl.arange(0, 4), 2, 2)
        int32 [[0, 1], [2, 3]]
    """


@builtin
def ravel(x, can_reorder=False):
    """`x` with one dimension, in order. `can_reorder` has no effect.

    Example:
        >>> tl.ravel(tl.full((2, 2), 3, tl.int32))
        int32 [3, 3, 3, 3]
    """


@builtin
def join(a, b):
    """Two tiles in a new last dimension of 2; scalars make a tile of shape [2].

    Args:
        a, b: broadcast to one shape, promoted to one type.

    Example:
        >>> tl.join(tl.arange(0, 2), tl.arange(5, 7))
        int32 [[0, 5], [1, 6]]
    """


@builtin
def split(a):
    """The two halves of a last dimension of 2, a tuple; undoes `join`. Of shape [2]: two scalars.

    Example:
        >>> tl.split(tl.reshape(tl.arange(0, 4), 2, 2))
        int32 [0, 2]
        int32 [1, 3]
        >>> tl.split(tl.zeros((2, 3), tl.int32))
        CompilationError: last dimension
    """


@builtin
def interleave(a, b):
    """The elements of `a` and `b` by turns along the last dimension, which is twice as long.

    Example:
        >>> tl.interleave(tl.arange(0, 3), tl.arange(7, 10))
        int32 [0, 7, 1, 8, 2, 9]
    """


@builtin
def squeeze(x, dim):
    """`x` without its dimension `dim`, a constexpr, whose extent must be 1.

    Example:
        >>> tl.squeeze(tl.arange(0, 2)[:, None], 1)
        int32 [0, 1]
    """


@builtin
def unsqueeze(x, dim):
    """`x` with an extent of 1 inserted at `dim`, a constexpr; negative ones count from the end of
    the result.

    Example:
        >>> tl.unsqueeze(tl.arange(0, 2), -1)
        int32 [[0], [1]]
    """


@builtin
def where(condition, x, y):
    """`x` where `condition` holds, else `y`. Both are computed: guard a load with its mask.

    Args:
        condition: int1; other types are compared with 0.
        x, y: promoted to one type; the three are broadcast to one shape.

    Example:
        >>> tl.where(tl.arange(0, 4) < 2, 1.0, -1.0)
        float32 [1.0, 1.0, -1.0, -1.0]
    """


@builtin
def flip(x, dim=None):
    """`x` reversed along `dim`, a constexpr (default: the last dimension).

    Beyond Triton: any extent.

    Example:
        >>> tl.flip(tl.arange(0, 3))
        int32 [2, 1, 0]
    """


@builtin
def swizzle2d(i, j, size_i, size_j, size_g):
    """The place in a size_i x size_j grid at which a program works whose number in rows is
    i * size_j + j, where programs go down the columns of groups of size_g rows: neighbours share
    columns, and thus the second operand of a product in the cache. Returns (i, j).

    Args:
        i, j, size_i, size_j, size_g: ints or int tiles.

    Example:
        >>> tl.swizzle2d(0, 1, 4, 4, 2)
        int32 1
        int32 0
    """


@builtin
def gather(src, index, axis):
    """The elements of `src` at `index` along `axis`.

    Args:
        src: a tile.
        index: a tile of integers of the same rank, with the extents of `src` but along `axis`.
        axis: a constexpr; negative ones count from the end.

    Returns a tile of the shape of `index`: for axis 0, `src[index[i, j], j]` at `[i, j]`. What lies
    at an index outside of `src` is undefined; the interpreter reports it.

    Beyond Triton: any extents; `src[rows]` does the same for whole rows.

    Example:
        >>> tl.gather(tl.arange(10, 14), tl.full((3,), 2, tl.int32), 0)
        int32 [12, 12, 12]
    """


@builtin
def map_elementwise(scalar_fn, *args, pack=1):
    """`scalar_fn`, a kernel function of scalars, applied to each element.

    Args:
        scalar_fn: takes an element of each tile, and returns one of each result. It may branch and
            loop, each element in its own way; it only computes.
        args: tiles, at least one, broadcast to one shape.
        pack: elements a call. With 2 it takes two of the first tile, then two of the second, and
            returns two of each result, each of which may depend on the elements at its own place
            only.

    Returns a tile, or a tuple of them if `scalar_fn` returns one, of more than `pack` values.

    Example:
        >>> def steps(n):
        ...     count = 0
        ...     while n > 1:
        ...         n = n // 2 if n % 2 == 0 else 3 * n + 1
        ...         count += 1
        ...     return count
        >>> tl.map_elementwise(steps, tl.arange(1, 6))
        int32 [0, 1, 7, 2, 5]
    """


@builtin
def inline_asm_elementwise(asm, constraints, args, dtype, is_pure, pack):
    """A GPU's assembly (PTX), applied to each element. Other targets refuse it.

    Args:
        asm: the text; `$0` is the first register that `constraints` name, `$$` a dollar sign.
        constraints: of LLVM: `=r` for each register of the results, then `r` for each of the
            arguments: r (32 bits), h (16), l (64), f (float32), d (float64), b (a predicate).
        args: tiles, broadcast to one shape; scalars or none make scalars.
        dtype: of the result, or a tuple of types.
        is_pure: whether it has no effect but its result.
        pack: elements a call, a power of two. Those of less than 32 bits share registers.

    Returns a tile, or a tuple of them if `dtype` is one.

    Example:
        >>> # on a GPU
        >>> tl.inline_asm_elementwise("shl.b32 $0, $1, 3;", "=r,r", [tl.arange(0, 4)], tl.int32,
        ...                           is_pure=True, pack=1)
        int32 [0, 8, 16, 24]
    """
