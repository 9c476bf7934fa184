"""`triton.tools.ragged_tma`: tiles of one part of an array, whose extent only the kernel knows.

An array holds parts of several sizes one behind the other along one dimension. A tensor
descriptor's bounds are those of the whole array, and a tile at the end of a part would read, and
store into, the next one. `create_ragged_descriptor` describes the array with two more dimensions
in front, such that the bound of a part becomes a bound of the descriptor:

    address = a * (2^34 - s) + y * s + x * s        s: stride of the ragged dimension
    a = 2^30, y = offset + size, x = 2^30 - size + row

is the address of row `offset + row` (2^30 * 2^34 elements are none in 64 bits), and x is less
than its extent, 2^30, just if row is less than size.
"""

from .. import language as tl
from ..jit import jit
from .tensor_descriptor import TensorDescriptor

__all__ = ["create_ragged_descriptor", "to_ragged_indices", "load_ragged", "store_ragged",
           "atomic_add_ragged"]

_MOST_ROWS = 2**30
_WRAP = 2**34
_ANY = 0x7fff0000


def create_ragged_descriptor(T, block_shape, ragged_dim=0):
    """The `TensorDescriptor` of an array of 2 or 3 dimensions for `load_ragged` and its like.

    Args:
        T: the array.
        block_shape: the shape of a tile, with as many dimensions.
        ragged_dim: the dimension along which parts lie; not the last one.

    Example:
        >>> from tritium.tools.ragged_tma import *
        >>> @triton.jit
        ... def part(desc, out):
        ...     tile = load_ragged(desc, 1, 2, [0, 0])
        ...     i = tl.arange(0, 4)
        ...     tl.store(out + 4 * i[:, None] + i, tile)
        >>> x = np.arange(16, dtype=np.float32).reshape(4, 4)
        >>> out = np.ones((4, 4), dtype=np.float32)
        >>> compiled = part[(1,)](create_ragged_descriptor(x, [4, 4]), out)
        >>> out[:, 0].tolist()
        [4.0, 8.0, 0.0, 0.0]
    """
    plain = TensorDescriptor.from_tensor(T, block_shape)
    rank = len(plain.shape)
    dim = ragged_dim + rank if ragged_dim < 0 else ragged_dim
    if not 2 <= rank <= 3:
        raise ValueError(f"a ragged descriptor is of 2 or 3 dimensions, but the shape is "
                         f"{plain.shape}")
    if not 0 <= dim < rank - 1:
        raise ValueError(f"ragged_dim is {ragged_dim}, and must be one of the {rank} dimensions "
                         "other than the last")
    if plain.shape[dim] > _MOST_ROWS:
        raise ValueError(f"the ragged dimension has {plain.shape[dim]} rows, and may have up to "
                         f"{_MOST_ROWS}")
    stride = plain.strides[dim]
    shape = [_ANY, _ANY, *plain.shape]
    shape[2 + dim] = _MOST_ROWS
    return TensorDescriptor(T, shape, [_WRAP - stride, stride, *plain.strides],
                            [1, 1, *plain.block_shape])


@jit
def to_ragged_indices(slice_off, slice_size, row):
    """The two indices in front, and that of the ragged dimension, for row `row` of the part of
    `slice_size` rows from `slice_off` on."""
    return 0x40000000, slice_off + slice_size, 0x40000000 - slice_size + row


@jit
def load_ragged(TMA, slice_off, slice_size, coords, ragged_dim: tl.constexpr = 0):
    """The tile at `coords`, which count within the part; zeros behind its end."""
    tl.static_assert(len(TMA.shape) == len(coords) + 2,
                     "the descriptor must be one of create_ragged_descriptor")
    a, y, x = to_ragged_indices(slice_off, slice_size, coords[ragged_dim])
    tile = TMA.load([a, y] + coords[:ragged_dim] + [x] + coords[ragged_dim + 1:])
    return tl.reshape(tile, tile.shape[2:])


@jit
def store_ragged(TMA, slice_off, slice_size, coords, data, ragged_dim: tl.constexpr = 0):
    """Stores a tile at `coords`, which count within the part; nothing behind its end."""
    tl.static_assert(len(TMA.shape) == len(coords) + 2,
                     "the descriptor must be one of create_ragged_descriptor")
    a, y, x = to_ragged_indices(slice_off, slice_size, coords[ragged_dim])
    tile = tl.reshape(data, [1, 1] + data.shape)
    TMA.store([a, y] + coords[:ragged_dim] + [x] + coords[ragged_dim + 1:], tile)


@jit
def atomic_add_ragged(TMA, slice_off, slice_size, coords, data, ragged_dim: tl.constexpr = 0):
    """Adds a tile at `coords`, which count within the part; nothing behind its end."""
    tl.static_assert(len(TMA.shape) == len(coords) + 2,
                     "the descriptor must be one of create_ragged_descriptor")
    a, y, x = to_ragged_indices(slice_off, slice_size, coords[ragged_dim])
    tile = tl.reshape(data, [1, 1] + data.shape)
    TMA.atomic_add([a, y] + coords[:ragged_dim] + [x] + coords[ragged_dim + 1:], tile)
