from collections.abc import Callable, Iterator, Sequence
from typing import Any, Tuple, Union
from ._descriptor import tensor_descriptor
from .types import constexpr, dtype, float32, tensor

_Bool = Union[bool, constexpr]
_Str = Union[str, constexpr]
_ElementType = dtype
_DType = Union[dtype, constexpr]
_Value = Union[tensor, constexpr, int, float, bool]

def extern(fn: _Value) -> tensor: ...
def extern_elementwise(lib_name: _Str, lib_path: _Str, args: Any, arg_type_symbol_dict: Any, is_pure: _Bool) -> tensor: ...
