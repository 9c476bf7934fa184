"""What the names in a kernel mean: the answers to the compiler's questions.

A lookup answers None (not defined) or a tuple: ("constant", value), ("function", source),
("module", scope), ("object", name, scope), ("library_module", path), ("library", name),
("host", name, function) or ("unusable", reason). Each name that was found is watched: if it means something else at a
later launch, the kernel is compiled anew.

The native side refers to scopes weakly, so that no circle of references passes through it:
`Names` keeps them.
"""

import builtins
import enum
import functools
import math
import sys
import types
import weakref

from . import _objects
from . import language as tl

_VALUES = (bool, int, float, str, type(None))
_VIEWS = (type({}.keys()), type({}.values()), type({}.items()))
_OBJECT = "<object>"  # asks for an object by its name
# Modules of the language that have kernel functions and constants of their own.
_MODULES_HERE = ("tritium.language.standard", "tritium.language.random")


def _module_path(module):
    """The path of a module that the compiler knows by itself, or None."""
    name = module.__name__
    if name == "tritium":
        return "triton"
    if name in _MODULES_HERE:
        return None
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


def _object(value, names):
    return ("object", _objects.name_of(value), names.attributes(value))


def describe(value, names):
    """The answer for a Python object. `names`: of the kernel that is compiled."""
    if isinstance(value, tl.constexpr):
        return _describe_constexpr(value.value, names)
    library = getattr(value, "_library_name", None)
    if isinstance(library, str):
        return ("library", library)
    if hasattr(value, "_kernel_source"):
        return ("function", value._kernel_source(names))
    if isinstance(value, types.ModuleType):
        path = _module_path(value)
        return ("library_module", path) if path else ("module", names.attributes(value))
    if isinstance(value, enum.Enum) and not isinstance(value, _VALUES):
        return _object(value, names)
    if isinstance(value, tuple):
        return _object(value, names) if hasattr(value, "_fields") else (
            "constant", _result(value))
    if _is_value(value):
        return ("constant", _simple(value))
    if type(value) in (dict, list):
        return _describe_container(value, names)
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
    if isinstance(value, (types.FunctionType, types.MethodType)):
        return ("host", value.__qualname__, value)
    if isinstance(value, type):
        if getattr(builtins, value.__name__, None) is value:
            return ("library", f"builtins.{value.__name__}")
        return _object(value, names)
    if isinstance(value, (types.BuiltinMethodType, types.MethodWrapperType)):
        return ("host", value.__qualname__, value)
    kind = type(value).__qualname__
    if _objects.is_array(value):
        return ("unusable", f"it is an array (of type {kind}); pass it to the kernel as an "
                "argument")
    return ("unusable", f"it is a Python object of type {kind}; a kernel can use constants, "
            "modules and other kernel functions from outside")


def _describe_container(value, names):
    """The answer for a list or a dict, whose elements are watched as names are."""
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        names.watch(value, key, item)
    if isinstance(value, list):
        return ("constant", tuple(map(_result, value)))
    return _object(value, names)


def _describe_constexpr(value, names):
    """The answer for what a constexpr holds, which may be any object: its attributes are read,
    and its methods called, while the kernel is compiled."""
    answer = describe(value, names)
    return _object(value, names) if answer[0] == "unusable" and not _objects.is_array(
        value) else answer


def _result(value):
    """What a kernel gets of a value that Python has computed."""
    if isinstance(value, (list, *_VIEWS)):
        return tuple(map(_result, value))
    if isinstance(value, tuple):
        return tuple(map(_result, value))
    return value if isinstance(value, enum.Enum) and not isinstance(value, _VALUES) else _simple(
        value)


def _calling(function):
    """The function with results that a kernel takes."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        return _result(function(*args, **kwargs))

    return call


class Names:
    """The scopes that compiling a kernel has opened, with all that their names stand for.

    Whoever may still compile holds it: the kernel and its variants.
    """

    def __init__(self, kernel):
        self._kernel = weakref.ref(kernel)
        self._scopes = {}

    def kernel(self):
        """The kernel, or None where it is gone."""
        return self._kernel()

    def watch(self, container, name, value):
        """Has the kernel compiled anew once `container[name]` is not `value` any more."""
        kernel = self._kernel()
        if kernel is not None:
            kernel._watch(container, name, value)

    def function(self, function):
        """The scope of a Python function."""
        return self._scope(FunctionScope, function)

    def attributes(self, holder):
        """The scope of a module or any other object."""
        return self._scope(AttributeScope, holder)

    def _scope(self, kind, holder):
        # A scope keeps its holder, so the number means this holder as long as it is here.
        scope = self._scopes.get(id(holder))
        if scope is None:
            scope = self._scopes[id(holder)] = kind(holder, weakref.ref(self))
        return scope


class AttributeScope:
    """The attributes of a module, or of any other object."""

    def __init__(self, holder, names):
        self.holder = holder
        self._names = names

    def lookup(self, name):
        if name.startswith("<"):
            return self._answer(name)
        if name == "__call__" and isinstance(self.holder, type):
            return ("host", self.holder.__qualname__, _calling(self.holder))
        names, attributes = self._names(), getattr(self.holder, "__dict__", {})
        if isinstance(attributes, dict) and name in attributes:
            names.watch(attributes, name, attributes[name])
        elif not hasattr(self.holder, name):
            return None
        answer = describe(getattr(self.holder, name), names)
        if answer[0] == "host" and not isinstance(self.holder, types.ModuleType):
            return (*answer[:2], _calling(answer[2]))
        return answer

    def _answer(self, question):
        """What the compiler asks of an object beside its attributes."""
        holder = self.holder
        if isinstance(holder, types.ModuleType):
            return None
        if question == "<truth>":
            return ("constant", bool(holder))
        if question == "<items>" and hasattr(holder, "__iter__"):
            return ("constant", tuple(map(_result, holder)))
        if question == "<isinstance>" and isinstance(holder, type):
            return ("host", "isinstance", lambda value: isinstance(value, holder))
        return None


class FunctionScope:
    """The free names of a Python function: its closure, its globals, the builtins."""

    def __init__(self, function, names):
        self.function = function
        self._names = names

    def lookup(self, name):
        names, code = self._names(), self.function.__code__
        if name.startswith(_OBJECT):
            return _describe_constexpr(_objects.named(name[len(_OBJECT):]), names)
        if name in code.co_freevars:
            cell = self.function.__closure__[code.co_freevars.index(name)]
            try:
                value = cell.cell_contents
            except ValueError:
                return None
            names.watch(cell, name, value)
            return describe(value, names)
        variables = self.function.__globals__
        if name in variables:
            names.watch(variables, name, variables[name])
            return describe(variables[name], names)
        if hasattr(builtins, name):
            return ("library", f"builtins.{name}")
        return None
