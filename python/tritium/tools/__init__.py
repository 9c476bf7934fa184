"""Tools around kernels."""

from . import tensor_descriptor
