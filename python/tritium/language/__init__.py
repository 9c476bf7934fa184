"""The language of kernels: `import tritium.language as tl`.

Functions here have a meaning inside a function with `@triton.jit`; on the host they carry
documentation. Types and constexpr are of use on both sides.
"""

from . import math
from ._control import *
from ._control import __all__ as _control
from ._memory import *
from ._memory import __all__ as _memory
from ._random import *
from ._random import __all__ as _random
from ._reduction import *
from ._reduction import __all__ as _reduction
from ._shape import *
from ._shape import __all__ as _shape
from .math import *
from .math import __all__ as _math
from .types import *
from .types import __all__ as _types

# Tiles have at most this many elements.
TRITON_MAX_TENSOR_NUMEL = 1048576

__all__ = [*_types, *_shape, *_memory, *_math, *_reduction, *_random, *_control, "math",
           "TRITON_MAX_TENSOR_NUMEL"]
