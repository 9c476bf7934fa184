"""Tensor descriptors that are made on the host and passed to kernels."""

__all__ = ["TensorDescriptor"]

_ALIGNMENT = 16  # bytes
_MAX_RANK = 5


def _is_pointer_like(base):
    return hasattr(base, "dtype") and any(
        hasattr(base, name) for name in ("data_ptr", "__array_interface__",
                                         "__cuda_array_interface__", "__dlpack__"))


def _address(base):
    """The address of an array's first element; None if it does not say."""
    if hasattr(base, "data_ptr"):
        return base.data_ptr()
    for name in ("__array_interface__", "__cuda_array_interface__"):
        interface = getattr(base, name, None)
        if interface is not None:
            return interface["data"][0]
    return None


def _item_size(base):
    dtype = base.dtype
    if hasattr(dtype, "itemsize"):
        return dtype.itemsize
    return base.element_size()


def _ints(values, what):
    result = []
    for value in values:
        if not hasattr(value, "__index__") or isinstance(value, bool):
            raise ValueError(f"a tensor descriptor's {what} must be ints, but got {value!r}")
        result.append(value.__index__())
    return result


class TensorDescriptor:
    """An array that a kernel accesses in blocks: `desc.load([i, j])`, `desc.store([i, j], x)`.

    Elements outside of the array read as padding and are not written.

    Args:
        base: the array; its first element must be at a multiple of 16 bytes.
        shape: 1 to 5 ints, the extents in elements.
        strides: as many ints, in elements. The last one must be 1, the others multiples of 16
            bytes.
        block_shape: as many ints, the extents of a block; compile-time values of the kernel.
            It may be assigned before a launch, by the `pre_hook` of a `Config` above all.
        padding: "zero" or, for floats, "nan": what elements outside of the array read as.
        round_f32_to_tf32: taken, without effect.

    Raises ValueError where a rule is broken, and TypeError if `base` is no array.

    Example:
        >>> @triton.jit
        ... def copy_block(source, target):
        ...     target.store([0, 0], source.load([2, 2]))
        >>> from tritium.tools.tensor_descriptor import TensorDescriptor
        >>> x = np.arange(16, dtype=np.float32).reshape(4, 4)
        >>> y = np.zeros((4, 4), dtype=np.float32)
        >>> compiled = copy_block[(1,)](TensorDescriptor.from_tensor(x, [2, 2]),
        ...                             TensorDescriptor.from_tensor(y, [2, 2]))
        >>> y[:2, :2].tolist()
        [[10.0, 11.0], [14.0, 15.0]]
    """

    def __init__(self, base, shape, strides, block_shape, padding="zero",
                 round_f32_to_tf32=False):
        if not _is_pointer_like(base):
            raise TypeError("the base of a tensor descriptor must be an array, but got "
                            f"{type(base).__qualname__}")
        self.base = base
        self.shape = _ints(shape, "shape")
        self.strides = _ints(strides, "strides")
        self.block_shape = _ints(block_shape, "block_shape")
        self.padding = padding
        self.round_f32_to_tf32 = round_f32_to_tf32
        self._check()

    def _check(self):
        rank = len(self.shape)
        if not 1 <= rank <= _MAX_RANK:
            raise ValueError(f"a tensor descriptor has 1 to {_MAX_RANK} dimensions, but the shape "
                             f"is {self.shape}")
        for name in ("strides", "block_shape"):
            if len(getattr(self, name)) != rank:
                raise ValueError(f"a tensor descriptor of {rank} dimensions needs as many "
                                 f"{name}, but got {getattr(self, name)}")
        if any(extent <= 0 for extent in self.shape):
            raise ValueError(f"the shape of a tensor descriptor must be positive: {self.shape}")
        if any(extent <= 0 for extent in self.block_shape):
            raise ValueError("the block_shape of a tensor descriptor must be positive: "
                             f"{self.block_shape}")
        if self.strides[-1] != 1:
            raise ValueError("the last stride of a tensor descriptor must be 1, but the strides "
                             f"are {self.strides}; transpose the array so that its contiguous "
                             "dimension is last")
        size = _item_size(self.base)
        for stride in self.strides[:-1]:
            if stride * size % _ALIGNMENT:
                raise ValueError(f"the strides of a tensor descriptor must be multiples of "
                                 f"{_ALIGNMENT} bytes, which are {_ALIGNMENT // size} elements "
                                 f"of {self.base.dtype}, but they are {self.strides}")
        address = _address(self.base)
        if address is not None and address % _ALIGNMENT:
            raise ValueError(f"the base of a tensor descriptor must be aligned to {_ALIGNMENT} "
                             f"bytes, but its address is {address:#x}")
        if self.padding not in ("zero", "nan"):
            raise ValueError(f"the padding of a tensor descriptor is 'zero' or 'nan', but got "
                             f"{self.padding!r}")
        if self.padding == "nan" and not any(
                word in str(self.base.dtype) for word in ("float", "fp")):
            raise ValueError(f"the padding of a tensor descriptor is 'nan', but its elements are "
                             f"{self.base.dtype}; only floats have a NaN: use 'zero'")

    __hash__ = None  # its block shape changes

    @property
    def dtype(self):
        """The element type, as the array has it."""
        return self.base.dtype

    @classmethod
    def from_tensor(cls, tensor, block_shape, padding="zero", round_f32_to_tf32=False):
        """The descriptor of a whole array (NumPy, torch, CuPy, ...)."""
        if not _is_pointer_like(tensor):
            raise TypeError("a tensor descriptor is made from an array, but got "
                            f"{type(tensor).__qualname__}")
        if hasattr(tensor, "stride") and callable(tensor.stride):
            strides = tensor.stride()
        else:
            size = _item_size(tensor)
            if any(step % size for step in tensor.strides):
                raise ValueError(f"the strides of the array, {tensor.strides} bytes, are no "
                                 "multiples of its elements")
            strides = [step // size for step in tensor.strides]
        return cls(tensor, tensor.shape, strides, block_shape, padding, round_f32_to_tf32)

    def __repr__(self):
        return (f"TensorDescriptor({self.dtype}, shape={self.shape}, strides={self.strides}, "
                f"block_shape={self.block_shape}, padding={self.padding!r})")
