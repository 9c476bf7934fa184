"""Arrays under another element type."""


class TensorWrapper:
    """An array under another element type, for one launch. See `reinterpret`."""

    def __init__(self, base, dtype):
        self.base = base
        self.dtype = dtype
        self.shape = base.shape


def reinterpret(tensor, dtype):
    """`tensor` with its elements taken as `dtype`, for a launch. The widths must agree.

    Example:
        >>> @triton.jit
        ... def ones(x):
        ...     tl.store(x + tl.arange(0, 2), 1.0)
        >>> x = np.zeros(2, dtype=np.uint8)
        >>> compiled = ones[(1,)](triton.reinterpret(x, tl.float8e5))
        >>> x
        array([60, 60], dtype=uint8)
    """
    if isinstance(tensor, TensorWrapper):
        tensor = tensor.base
    return TensorWrapper(tensor, dtype)
