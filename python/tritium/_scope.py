"""What the names in a kernel mean: the answers to the compiler's questions.

A lookup answers None (not defined) or a tuple: ("constant", value), ("function", source),
("module", scope), ("library_module", path), ("library", name), ("host", name, function) or
("unusable", reason). Each name that was found is watched: if it means something else at a
later launch, the kernel is compiled anew.
"""

import builtins
import enum
import math
import sys
import types

from . import language as tl

_VALUES = (bool, int, float, str, type(None))


def _module_path(module):
    """The path of a module that the compiler knows by itself, or None."""
    name = module.__name__
    if name == "tritium":
        return "triton"
    if name.startswith("tritium.language"):
        return "triton" + name[len("tritium"):]
    return name if name == "math" else None


def _is_value(value):
    if isinstance(value, tl.constexpr):
        return _is_value(value.value)
    if isinstance(value, tuple):
        return all(map(_is_value, value))
    return isinstance(value, _VALUES) or isinstance(value, tl.dtype)


def _simple(value):
    """A value of exactly Python's own types, for one that derives from them."""
    if isinstance(value, tl.constexpr):
        return _simple(value.value)
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, tuple):
        return tuple(map(_simple, value))
    for kind in (bool, int, float, str):
        if isinstance(value, kind):
            return kind(value)
    return value


def describe(value, owner):
    """The answer for a Python object. `owner`: the kernel that is compiled."""
    if isinstance(value, tl.constexpr):
        return ("constant", _simple(value.value)) if _is_value(value) else describe(
            value.value, owner)
    library = getattr(value, "_library_name", None)
    if isinstance(library, str):
        return ("library", library)
    if hasattr(value, "_kernel_source"):
        return ("function", value._kernel_source(owner))
    if isinstance(value, types.ModuleType):
        path = _module_path(value)
        return ("library_module", path) if path else ("module", AttributeScope(value, owner))
    if _is_value(value):
        return ("constant", _simple(value))
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.generic):
        item = value.item()
        return ("constant", item if isinstance(item, _VALUES) else float(value))
    if hasattr(value, "_constexpr_function"):
        return ("host", value.__name__, value._constexpr_function)
    if isinstance(value, types.BuiltinFunctionType):
        if getattr(math, value.__name__, None) is value:
            return ("library", f"math.{value.__name__}")
        if getattr(builtins, value.__name__, None) is value:
            return ("library", f"builtins.{value.__name__}")
    if isinstance(value, types.FunctionType):
        return ("host", value.__qualname__, value)
    if isinstance(value, type):
        if getattr(builtins, value.__name__, None) is value:
            return ("library", f"builtins.{value.__name__}")
        return ("module", AttributeScope(value, owner))
    if isinstance(value, enum.Enum):
        return ("module", AttributeScope(value, owner))
    kind = type(value).__qualname__
    if hasattr(value, "__array_interface__") or hasattr(value, "data_ptr"):
        return ("unusable", f"it is an array (of type {kind}); pass it to the kernel as an argument")
    return ("unusable", f"it is a Python object of type {kind}; a kernel can use constants, "
            "modules and other kernel functions from outside")


class AttributeScope:
    """The attributes of a module, a class or an enum's member."""

    def __init__(self, holder, owner):
        self.holder = holder
        self.owner = owner

    def lookup(self, name):
        names = getattr(self.holder, "__dict__", {})
        if isinstance(names, dict) and name in names:
            self.owner._watch(names, name, names[name])
        elif not hasattr(self.holder, name):
            return None
        return describe(getattr(self.holder, name), self.owner)


class FunctionScope:
    """The free names of a Python function: its closure, its globals, the builtins."""

    def __init__(self, function, owner):
        self.function = function
        self.owner = owner

    def lookup(self, name):
        code = self.function.__code__
        if name in code.co_freevars:
            cell = self.function.__closure__[code.co_freevars.index(name)]
            try:
                value = cell.cell_contents
            except ValueError:
                return None
            self.owner._watch(cell, name, value)
            return describe(value, self.owner)
        names = self.function.__globals__
        if name in names:
            self.owner._watch(names, name, names[name])
            return describe(names[name], self.owner)
        if hasattr(builtins, name):
            return ("library", f"builtins.{name}")
        return None
