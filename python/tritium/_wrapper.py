"""Arrays under another element type."""


class TensorWrapper:
    """An array under another element type, for one launch. See `reinterpret`."""

    def __init__(self, base, dtype):
        self.base = base
        self.dtype = dtype
        self.shape = base.shape


def reinterpret(tensor, dtype):
    """`tensor` with its elements taken as `dtype`, for a launch. The widths must agree."""
    if isinstance(tensor, TensorWrapper):
        tensor = tensor.base
    return TensorWrapper(tensor, dtype)
