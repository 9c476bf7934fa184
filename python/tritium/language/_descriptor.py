"""Tensor descriptors as objects of a kernel."""

from .types import _methods

__all__ = ["tensor_descriptor", "tensor_descriptor_base", "tensor_descriptor_type"]


class tensor_descriptor:
    """A tensor descriptor in a kernel: made by `tl.make_tensor_descriptor`, or passed as a
    `tritium.tools.tensor_descriptor.TensorDescriptor`. On the host it is of use as an
    annotation only.

    Attributes, in a kernel:
        shape, strides: tuples of scalars, int32 and int64.
        block_shape: a tuple of constants.
        dtype: the type of an element.
        type, block_type: the type of a block.

    Example:
        >>> d = tl.make_tensor_descriptor(floats, (4, 4), (4, 1), (2, 4))
        >>> d.block_shape
        2
        4
        >>> d.load([3, 0])
        float32 [[12.0, 13.0, 14.0, 15.0], [0.0, 0.0, 0.0, 0.0]]
    """

    _library_name = "triton.language.tensor_descriptor"

    def __init__(self, *_args, **_kwargs):
        raise RuntimeError("a tl.tensor_descriptor exists only inside a kernel; make a "
                           "TensorDescriptor to pass one")

    def load(self, offsets):
        """The block at `offsets`, one int for each dimension; what lies outside of the array reads
        as padding.

        Example:
            >>> d = tl.make_tensor_descriptor(floats, (3,), (1,), (2,), padding_option="nan")
            >>> d.load([2])
            float32 [2.0, nan]
        """

    def store(self, offsets, value):
        """Writes a block, cast to the element type, of the shape of the block; what lies outside
        of the array is dropped.

        Example:
            >>> d = tl.make_tensor_descriptor(ints, (3,), (1,), (2,))
            >>> d.store([2], tl.full((2,), 8, tl.int32))
            >>> tl.load(ints + tl.arange(0, 4))
            int32 [0, 1, 8, 3]
        """

    def gather(self, x_offsets, y_offset):
        """Rows of an array of two dimensions, whose block is one row.

        Args:
            x_offsets: a tile of ints of one dimension, the rows.
            y_offset: the column from which on.

        Beyond Triton: any number of rows and of columns.

        Example:
            >>> d = tl.make_tensor_descriptor(floats, (4, 4), (4, 1), (1, 4))
            >>> d.gather(3 - tl.arange(0, 2), 2)
            float32 [[14.0, 15.0, 0.0, 0.0], [10.0, 11.0, 0.0, 0.0]]
        """

    def scatter(self, value, x_offsets, y_offset):
        """Writes rows of an array of two dimensions; arguments as for `gather`.

        Example:
            >>> d = tl.make_tensor_descriptor(ints, (4, 4), (4, 1), (1, 4))
            >>> d.scatter(tl.zeros((1, 4), tl.int32), tl.full((1,), 2, tl.int32), 0)
            >>> tl.load(ints + tl.arange(7, 13))
            int32 [7, 0, 0, 0, 0, 12]
        """


_ATOMIC = """{what}, element by element; what lies outside of the array is dropped.

        Args:
            offsets: one int for each dimension.
            value: a block of {types}.

        Returns nothing.

        Example:
            >>> d = tl.make_tensor_descriptor(ints, (16,), (1,), (2,))
            >>> d.{name}([5], tl.full((2,), 9, tl.int32))
            >>> tl.load(ints + tl.arange(5, 7))
            int32 {result}
        """


def _atomic(name, what, types, result):
    def function(self, offsets, value):
        pass

    function.__name__, function.__qualname__ = name, f"tensor_descriptor.{name}"
    function.__module__ = __name__
    function.__doc__ = _ATOMIC.format(name=name, what=what, types=types, result=result)
    setattr(tensor_descriptor, name, function)


_INTS, _NUMBERS = "ints", "ints or floats"
_atomic("atomic_add", "Adds a block to what is in memory", _NUMBERS, [14, 15])
_atomic("atomic_min", "Takes the minimum of a block and what is in memory", _NUMBERS, [5, 6])
_atomic("atomic_max", "Takes the maximum of a block and what is in memory", _NUMBERS, [9, 9])
_atomic("atomic_and", "Takes the bitwise and of a block and what is in memory", _INTS, [1, 0])
_atomic("atomic_or", "Takes the bitwise or of a block and what is in memory", _INTS, [13, 15])
_atomic("atomic_xor", "Takes the bitwise exclusive or of a block and what is in memory", _INTS,
        [12, 15])
_methods(tensor_descriptor)


tensor_descriptor_base = tensor_descriptor_type = tensor_descriptor
