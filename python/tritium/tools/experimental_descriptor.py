"""Descriptors of addresses, as Triton 3.0 to 3.3 had them: arguments for kernels that call
`tl._experimental_descriptor_load` and `tl._experimental_descriptor_store`."""

from types import SimpleNamespace

from .. import language as tl
from .tensor_descriptor import TensorDescriptor

__all__ = ["TmaDescKernelParam", "create_1d_tma_descriptor", "create_2d_tma_descriptor"]

_ELEMENTS = {1: tl.uint8, 2: tl.uint16, 4: tl.uint32, 8: tl.uint64}


class _Memory:
    """The array at an address, in the memory in which kernels find theirs."""

    def __init__(self, address, shape, element_size):
        from ..runtime.driver import active

        self.address = address
        self.shape = tuple(shape)
        self.dtype = _ELEMENTS[element_size]
        self.size = element_size
        is_gpu = active.get_current_target().backend == "cuda"
        self.device = SimpleNamespace(type="cuda" if is_gpu else "cpu",
                                      index=active.get_current_device())

    def data_ptr(self):
        return self.address

    def element_size(self):
        return self.size

    def stride(self):
        strides = [1]
        for extent in reversed(self.shape[1:]):
            strides.insert(0, strides[0] * extent)
        return tuple(strides)


class TmaDescKernelParam(TensorDescriptor):
    """An array of one or two dimensions without gaps, by its address.

    Args:
        ptr: the address of the first element, a multiple of 16: what `data_ptr()` answers. Memory
            of the GPU where kernels run there, else the host's. The array must live until the
            launches are over.
        dims: its extents.
        block_dims: as many ints: the extents of a block, as far as a kernel does not say others.
        element_size: bytes of an element, 1, 2, 4 or 8. Of two dimensions a row has a multiple of
            16 bytes.

    Raises ValueError where a rule is broken.
    """

    def __init__(self, ptr, dims, block_dims, element_size):
        if len(dims) not in (1, 2):
            raise ValueError(f"a descriptor of an address has 1 or 2 dimensions, but got {dims}")
        if element_size not in _ELEMENTS:
            raise ValueError("the element_size of a descriptor must be 1, 2, 4 or 8 bytes, but got "
                             f"{element_size!r}")
        if isinstance(ptr, bool) or not hasattr(ptr, "__index__"):
            raise ValueError("a descriptor is made of an address, such as x.data_ptr(), but got "
                             f"{ptr!r}")
        memory = _Memory(ptr.__index__(), dims, element_size)
        super().__init__(memory, memory.shape, memory.stride(), block_dims)


def create_1d_tma_descriptor(ptr, dim, block_dim, element_size):
    """The descriptor of `dim` elements at the address `ptr`, in blocks of `block_dim`.

    Args and errors are those of `TmaDescKernelParam`.

    Example:
        >>> from tritium.tools.experimental_descriptor import create_1d_tma_descriptor
        >>> @triton.jit
        ... def twice(desc):
        ...     x = tl._experimental_descriptor_load(desc, [2], [4], tl.float32)
        ...     tl._experimental_descriptor_store(desc, x * 2, [2])
        >>> x = np.arange(8, dtype=np.float32)
        >>> compiled = twice[(1,)](create_1d_tma_descriptor(x.ctypes.data, 8, 4, 4))
        >>> x.tolist()
        [0.0, 1.0, 4.0, 6.0, 8.0, 10.0, 6.0, 7.0]
    """
    return TmaDescKernelParam(ptr, [dim], [block_dim], element_size)


def create_2d_tma_descriptor(ptr, dim1, dim0, block_dim1, block_dim0, element_size):
    """The descriptor of `dim1` rows of `dim0` elements at the address `ptr`, in blocks of
    `block_dim1` rows of `block_dim0`.

    Args and errors are those of `TmaDescKernelParam`.
    """
    return TmaDescKernelParam(ptr, [dim1, dim0], [block_dim1, block_dim0], element_size)
