"""Program ids, tiles from nothing, shapes and casts."""

from ._builtin import builtin

__all__ = ["program_id", "num_programs", "arange", "full", "zeros", "zeros_like", "cat", "cast",
           "to_tensor", "broadcast", "broadcast_to", "expand_dims", "permute", "trans",
           "reshape", "view", "ravel", "join", "split", "interleave", "squeeze", "unsqueeze",
           "where", "flip", "swizzle2d", "gather", "map_elementwise", "inline_asm_elementwise"]


@builtin
def program_id(axis):
    """The index of this program on axis 0, 1 or 2 (constexpr) of the grid; int32."""


@builtin
def num_programs(axis):
    """The number of programs on axis 0, 1 or 2 (constexpr) of the grid; int32."""


@builtin
def arange(start, end):
    """The ints from `start` up to, not including, `end`: 1-D, int32.

    Both are constexpr ints with end > start; the length may be at most 1048576.
    """


@builtin
def full(shape, value, dtype):
    """A tile of `shape` (constexpr ints) and `dtype` filled with a scalar."""


@builtin
def zeros(shape, dtype):
    """A tile of `shape` (constexpr ints) and `dtype` filled with zeros."""


@builtin
def zeros_like(input):
    """Zeros with the shape and type of `input`."""


@builtin
def cat(input, other, can_reorder=False, dim=0):
    """Two tiles one after the other along `dim`, in order.

    Args:
        input, other: tiles of one rank, whose extents agree but along `dim`; their elements are
            promoted to one type.
        can_reorder: has no effect; the order is kept.
        dim: a constexpr; negative ones count from the end.
    """


@builtin
def cast(input, dtype, fp_downcast_rounding=None, bitcast=False):
    """`input` as `dtype`; also `input.to(dtype)`.

    Args:
        fp_downcast_rounding: "rtne" (nearest, ties to even; the default) or "rtz" (towards
            zero), only where a float becomes narrower.
        bitcast: takes the bits as they are; the widths must agree.

    float to int is undefined out of range; anything to int1 is `!= 0`.
    """


@builtin
def to_tensor(x):
    """A scalar of the type that fits a Python number: int32, uint32, int64, uint64; fp32,
    or fp64 outside its range; int1 for a bool."""


@builtin
def broadcast(input, other):
    """Both inputs, broadcast to their common shape."""


@builtin
def broadcast_to(input, *shape):
    """`input` broadcast to `shape`, a tuple or several ints."""


@builtin
def expand_dims(input, axis):
    """`input` with an extent of 1 inserted at `axis` (int or tuple, counted in the result);
    also `input[:, None]`."""


@builtin
def permute(input, *dims):
    """`input` with its dimensions in the order `dims`, a permutation."""


@builtin
def trans(input, *dims):
    """`permute`; without `dims` the last two dimensions change places."""


@builtin
def reshape(input, *shape, can_reorder=False):
    """The elements of `input`, in order, as a tile of `shape`; the counts must agree."""


@builtin
def view(input, *shape):
    """`reshape`, by its old name."""


@builtin
def ravel(x, can_reorder=False):
    """`x` with one dimension."""


@builtin
def join(a, b):
    """Two tiles of one shape in a new last dimension of 2."""


@builtin
def split(a):
    """The two halves of a last dimension of 2; undoes `join`."""


@builtin
def interleave(a, b):
    """The elements of `a` and `b` by turns along the last dimension."""


@builtin
def squeeze(x, dim):
    """`x` without its dimension `dim`, which must be 1."""


@builtin
def unsqueeze(x, dim):
    """`x` with an extent of 1 inserted at `dim`."""


@builtin
def where(condition, x, y):
    """`x` where `condition` holds, else `y`; both are computed. The three broadcast; `x` and
    `y` are promoted to one type."""


@builtin
def flip(x, dim=None):
    """`x` reversed along `dim`, a constexpr (default: the last dimension)."""


@builtin
def swizzle2d(i, j, size_i, size_j, size_g):
    """Program (i, j) of a size_i x size_j grid, renumbered in groups of size_g rows."""


@builtin
def gather(src, index, axis):
    """The elements of `src` at `index` along `axis`.

    Args:
        src: a tile.
        index: a tile of integers of the same rank, with the extents of `src` but along `axis`.
        axis: a constexpr; negative ones count from the end.

    Returns a tile of the shape of `index`: for axis 0, `src[index[i, j], j]` at `[i, j]`. What lies
    at an index outside of `src` is undefined; the interpreter reports it.
    """


@builtin
def map_elementwise(scalar_fn, *args, pack=1):
    """`scalar_fn`, a kernel function of scalars, applied to each element.

    Args:
        scalar_fn: takes an element of each tile, and returns one of each result. It may branch and
            loop, each element in its own way; it only computes.
        args: tiles, broadcast to one shape.
        pack: elements a call. With 2 it takes two of the first tile, then two of the second, and
            returns two of each result, each of which may depend on the elements at its own place
            only.

    Returns a tile, or a tuple of them if `scalar_fn` returns one, of more than `pack` values.
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
    """
