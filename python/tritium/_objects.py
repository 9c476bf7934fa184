"""Names of Python's objects that kernels get as compile-time values.

The compiler knows such an object by a name, which is all that tells one variant of a kernel from
another: two objects have one name only if a kernel cannot tell them apart. Dictionaries and
dataclasses are known by what they hold (a copy is kept), anything else by its identity. Where it
can be, the name is the same in another process, so that compiled kernels are found again.
"""

import copy
import dataclasses
import enum
import types

from . import language as tl

_VALUES = (bool, int, float, str, bytes, type(None))
_names = {}  # key -> name
_objects = {}  # name -> object
_kept = []  # objects that are known by their identity: the number must stay theirs


def is_array(value):
    """Whether it is an array, which is a run-time value."""
    return hasattr(value, "__array_interface__") or hasattr(value, "data_ptr") or hasattr(
        value, "__dlpack__")


def _key(value):
    """What tells the object from others."""
    if isinstance(value, tl.constexpr):
        return _key(value.value)
    if isinstance(value, enum.Enum) or isinstance(value, type):
        return id(value)
    if type(value) in _VALUES:
        return (type(value), repr(value) if isinstance(value, float) else value)
    if isinstance(value, tl.dtype):
        return ("dtype", value.signature)
    if type(value) is dict:
        return ("dict", tuple((_key(key), _key(item)) for key, item in value.items()))
    if isinstance(value, (tuple, list)):
        return (type(value), tuple(map(_key, value)))
    if dataclasses.is_dataclass(value):
        return (type(value), tuple(_key(getattr(value, field.name))
                                   for field in dataclasses.fields(value)))
    if is_array(value):
        raise TypeError(f"an array (of type {type(value).__qualname__}) is no compile-time value")
    return id(value)


def _text(value):
    """A name that tells a reader what the object is."""
    if isinstance(getattr(value, "_library_name", None), str):
        return f"function {value._library_name}"
    if hasattr(value, "_kernel_source"):
        return f"function {value.__module__}.{value.__qualname__}"
    if isinstance(value, enum.Enum):
        return f"{type(value).__qualname__}.{value.name}"
    if isinstance(value, (type, types.FunctionType)):
        return f"{value.__module__}.{value.__qualname__}"
    if type(value) is dict or dataclasses.is_dataclass(value):
        text = repr(value)
        if len(text) <= 200 and text.isprintable():
            return text
    return type(value).__qualname__


def name_of(value):
    """The name of an object. TypeError for an array, which kernels do not read while they are
    compiled."""
    key = _key(value)
    name = _names.get(key)
    if name is not None:
        return name
    text = name = _text(value)
    number = 1
    while name in _objects:
        number += 1
        name = f"{text} #{number}"
    held = type(value) is dict or (dataclasses.is_dataclass(value) and not isinstance(value, type))
    _objects[name] = copy.copy(value) if held and not isinstance(value, enum.Enum) else value
    _kept.append(value)
    _names[key] = name
    return name


def named(name):
    """The object of that name."""
    return _objects[name]
