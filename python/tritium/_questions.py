"""What a compiled kernel depends on beyond the names in its text: questions that are asked again at
each launch, and functions whose answers cannot change.
"""

import builtins
import dis
import math
import operator
import types

from . import _objects
from ._addresses import own_path

_SETTLED_BUILTINS = frozenset(
    "abs all any bin bool bytes chr dict divmod enumerate filter float format frozenset hash hex "
    "int isinstance issubclass len list map max min oct ord pow range repr reversed round set "
    "slice sorted str sum tuple type zip".split())


def mark(value):
    """What tells a value from others, as long as it is kept."""
    try:
        return _objects.spell(value)
    except TypeError:  # an array, or something without an end
        return id(value)


def _opened(value):
    """The Content of any object that consists of nothing but attributes."""
    held = _objects.content(value)
    kind = type(value)
    if held is not None or isinstance(value, type) or not _objects.is_of_attributes(kind):
        return held
    return None if hasattr(kind, "_kernel_source") else _objects.Content(value, object)


class _Answer:
    """What a question has been answered."""

    def __init__(self, value):
        self._value = value  # kept: its number is part of the mark
        # An object that nobody has seen before is as good as another one that holds the same.
        self._content = self._spelt(value) if self._is_new(value) else None
        self._mark = mark(value) if self._content is None else None

    @staticmethod
    def _is_new(value):
        return _opened(value) is not None and _objects.known_label(value) is None

    @staticmethod
    def _spelt(value):
        try:
            return _objects.spell(value, opens=_opened)
        except TypeError:
            return None

    def is_again(self, value):
        if self._content is None:
            return mark(value) == self._mark
        return self._spelt(value) == self._content if self._is_new(value) else (
            value is self._value)


class Questions:
    """Questions with the answers that a kernel was compiled for."""

    def __init__(self):
        self._asked = {}
        self.check = self._check

    def add(self, key, question, value):
        """`key` tells questions apart; `value` is the answer of now."""
        self._asked[key] = (question, _Answer(value))

    def _check(self):
        """Whether all answers are what they were."""
        for question, answer in list(self._asked.values()):
            try:
                is_again = answer.is_again(question())
            except Exception:  # the kernel's compilation meets it again, and tells where
                is_again = False
            if not is_again:
                self._asked.clear()
                return False
        return True


def _codes(code):
    """A function's code and those inside."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _is_settled_value(value, watch, above):
    if isinstance(value, types.FunctionType):
        return _is_settled_function(value, watch, above)
    if isinstance(value, types.ModuleType):
        return value.__name__ in ("math", "operator") or own_path(value) is not None
    return _objects.is_fixed(value) or isinstance(getattr(value, "_library_name", None), str)


def _is_settled_function(function, watch, above):
    if function in above:
        return True
    above = (*above, function)
    defaults = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
    if not all(_is_settled_value(value, watch, above) for value in defaults):
        return False
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            value = cell.cell_contents
        except ValueError:
            return False
        watch(cell, name, value)
        if not _is_settled_value(value, watch, above):
            return False
    variables = function.__globals__
    for instruction in (each for code in _codes(function.__code__)
                        for each in dis.get_instructions(code)):
        name = instruction.argval
        if instruction.opname.startswith(("IMPORT_", "STORE_GLOBAL", "DELETE_GLOBAL")):
            return False
        if instruction.opname not in ("LOAD_GLOBAL", "LOAD_NAME"):
            continue
        if name not in variables:
            known = getattr(builtins, name, None)
            is_error = isinstance(known, type) and issubclass(known, BaseException)
            if name not in _SETTLED_BUILTINS and not is_error:
                return False
            continue
        watch(variables, name, variables[name])
        if not _is_settled_value(variables[name], watch, above):
            return False
    return True


def is_settled(function, args, watch):
    """Whether a call gives the same as long as what `watch` is told of stays as it is."""
    if isinstance(function, types.FunctionType):
        return all(_objects.is_value(arg) for arg in args) and _is_settled_function(
            function, watch, ())
    holder = getattr(function, "__self__", None)
    if isinstance(function, (types.BuiltinFunctionType, types.MethodWrapperType)):
        return type(holder) in (dict, list, tuple) or holder is math or holder is operator
    return False
