"""The language of kernels: `import tritium.language as tl`.

Functions here have a meaning inside a function with `@triton.jit`; on the host they carry
documentation. Types and constexpr are of use on both sides.
"""

import importlib as _importlib

from . import extra, math, random, target_info
from ._control import *
from ._control import __all__ as _control
from ._descriptor import *
from ._descriptor import __all__ as _descriptor
from ._extern import extern, extern_elementwise
from ._memory import *
from ._memory import __all__ as _memory
from ._memory import (_experimental_descriptor_load, _experimental_descriptor_store,
                      _experimental_make_tensor_descriptor,
                      _experimental_reinterpret_tensor_descriptor)
from .random import *
from .random import __all__ as _random
from ._reduction import *
from ._reduction import __all__ as _reduction
from ._shape import *
from ._shape import __all__ as _shape
from .math import *
from .math import __all__ as _math
from .types import *
from .types import __all__ as _types
from .types import (CONSTEXPR_0, TILE_METHODS as _tile_methods, _constexpr_to_value,
                    _unwrap_if_constexpr, get_int_dtype)

for _name in _tile_methods:
    setattr(tensor, _name, globals()[_name])

# Tiles have at most this many elements.
TRITON_MAX_TENSOR_NUMEL = 1048576

__all__ = [*_types, *_shape, *_memory, *_math, *_reduction, *_random, *_control,
           *_descriptor, "math", "extra", "random", "target_info", "TRITON_MAX_TENSOR_NUMEL"]


def __getattr__(name):
    if name == "standard":  # made of kernel functions, which need what is above
        return _importlib.import_module(".standard", __name__)
    from .._addresses import explain

    raise AttributeError(explain(__name__, name))
