"""Functions that give kernels memory beside their arguments. Kernels here need none of it, so
none of them is called."""

import contextvars

__all__ = ["set_allocator", "set_profile_allocator", "NullAllocator"]


class NullAllocator:
    """The allocator that is set at first: it has no memory to give."""

    def __call__(self, size, alignment, stream):
        raise RuntimeError(f"a kernel needs {size} bytes, and no allocator is set; call "
                           "triton.set_allocator")


_allocator = contextvars.ContextVar("allocator", default=NullAllocator())
_profile_allocator = contextvars.ContextVar("profile allocator", default=NullAllocator())


def _set(variable, allocator, name):
    if not callable(allocator):
        raise TypeError(f"{name} needs a function, but got {type(allocator).__qualname__}")
    variable.set(allocator)


def set_allocator(allocator):
    """Taken for programs that provide memory for descriptors on a GPU, which kernels here
    need none of.

    Args:
        allocator: `f(size, alignment, stream)` that returns an object with `data_ptr()`.

    Example:
        >>> triton.set_allocator(lambda size, alignment, stream: np.empty(size, dtype=np.uint8))
    """
    _set(_allocator, allocator, "set_allocator")


def set_profile_allocator(allocator):
    """Taken for programs that provide memory for a profiler, which kernels here need none of.

    Args:
        allocator: as for `set_allocator`; None: none.
    """
    _set(_profile_allocator, NullAllocator() if allocator is None else allocator,
         "set_profile_allocator")
