"""What the names in a kernel mean: the answers to the compiler's questions.

A lookup answers None (not defined) or a tuple: ("constant", value), ("function", source),
("module", scope), ("object", name, scope), ("library_module", path), ("library", name),
("host", name, function) or ("unusable", reason). What an answer depends on is watched, or asked
again by each launch: if it is something else then, the kernel is compiled anew.

The native side refers to scopes weakly, so that no circle of references passes through it:
`Names` keeps them.
"""

import builtins
import enum
import functools
import math
import types
import weakref

from . import _objects
from . import language as tl
from ._addresses import own_path
from ._questions import Questions, is_settled, mark

_OBJECT = "<object>"  # asks for an object by its name
# Modules of the language that have kernel functions and constants of their own.
_MODULES_HERE = ("tritium.language.standard", "tritium.language.random")


def _module_path(module):
    """The path of a module that the compiler knows by itself, or None."""
    name = module.__name__
    own = own_path(module)
    if own == "tritium":
        return "triton"
    if own in _MODULES_HERE:
        return None
    if own and own.startswith("tritium.language"):
        return "triton" + own[len("tritium"):]
    return name if name == "math" else None


def _object(value, names):
    return ("object", _objects.name_of(value), names.attributes(value))


def _taking_constexprs(function):
    """A function that Triton's own front end would call, for plain values: it takes and returns
    constexprs."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        return function(*map(tl.constexpr, args),
                        **{name: tl.constexpr(value) for name, value in kwargs.items()})

    return call


def describe(value, names):
    """The answer for a Python object. `names`: of the kernel that is compiled."""
    if isinstance(value, tl.constexpr):
        names.watch(vars(value), "value", value.value)
        return _describe_constexpr(value, names)
    library = getattr(value, "_library_name", None)
    if isinstance(library, str):
        return ("library", library)
    if hasattr(type(value), "_kernel_source"):
        return ("function", value._kernel_source(names))
    if isinstance(value, types.ModuleType):
        path = _module_path(value)
        return ("library_module", path) if path else ("module", names.attributes(value))
    if isinstance(value, enum.Enum) and not isinstance(value, _objects.VALUES):
        return _object(value, names)
    if isinstance(value, (tuple, list, dict)):
        names.watch_content(value)
        is_object = isinstance(value, dict) or hasattr(value, "_fields")
        return _object(value, names) if is_object else ("constant", _objects.simple(value))
    if _objects.is_value(value) or _objects.is_number(value):
        return ("constant", _objects.simple(value))
    if hasattr(type(value), "_constexpr_function"):
        return ("host", value.__name__, names.calling(value.fn))
    if isinstance(value, types.BuiltinFunctionType):
        if getattr(math, value.__name__, None) is value:
            return ("library", f"math.{value.__name__}")
        if getattr(builtins, value.__name__, None) is value:
            return ("library", f"builtins.{value.__name__}")
    if getattr(value, "__triton_builtin__", False):
        return ("host", value.__qualname__, names.calling(_taking_constexprs(value)))
    if isinstance(value, type):
        if getattr(builtins, value.__name__, None) is value:
            return ("library", f"builtins.{value.__name__}")
        return _object(value, names)
    if isinstance(value, _FUNCTIONS):
        return ("host", value.__qualname__, names.calling(value))
    kind = type(value).__qualname__
    if _objects.is_array(value):
        return ("unusable", f"it is an array (of type {kind}); pass it to the kernel as an "
                "argument")
    return ("unusable", f"it is a Python object of type {kind}; a kernel can use constants, "
            "modules and other kernel functions from outside")


_FUNCTIONS = (types.FunctionType, types.MethodType, types.BuiltinMethodType,
              types.MethodWrapperType)


def _describe_constexpr(value, names):
    """The answer for what a constexpr holds, which may be any object: its attributes are read,
    and its methods called, while the kernel is compiled."""
    value = _objects.plain(value)
    answer = describe(value, names)
    if answer[0] != "unusable" or _objects.is_array(value):
        return answer
    names.watch_content(value)
    return _object(value, names)


class Names:
    """The scopes that compiling a kernel has opened, with all that their names stand for.

    Whoever may still compile holds it: the kernel and its variants.
    """

    def __init__(self, kernel):
        self._kernel = weakref.ref(kernel)
        self._scopes = {}
        self._objects = {}  # by their names
        self._results = {}  # of functions, by their numbers
        self._copies = set()  # numbers of what is in copies of objects, which nobody changes
        self._questions = Questions()

    def kernel(self):
        """The kernel, or None where it is gone."""
        return self._kernel()

    def watch(self, *what):
        """Has the kernel compiled anew once what is watched (KernelBase._watch) has changed."""
        kernel = self._kernel()
        if kernel is not None:
            kernel._watch(*what)

    def watch_content(self, value):
        """Watches all that an object holds, if that is what it is known by."""
        held = None if self.is_copy(value) else _objects.content(value)
        if held is None:
            return
        if type(value) in (list, dict):
            self.watch(value)
        is_watched = type(value) in (list, dict, tuple)
        if not is_watched or any(map(_may_change, held.parts)):
            self.ask((id(value), "<content>"), lambda: value, value)

    def ask(self, key, question, value):
        """Has the kernel compiled anew once question() answers something else than `value`. `key`
        tells questions apart."""
        self._questions.add(key, question, value)
        self.watch(self._questions.check)

    def object(self, name):
        """The object of that name, which is kept."""
        if name not in self._objects:
            value = self._objects[name] = _objects.named(name)
            self._note_copies(value)
        return self._objects[name]

    def _note_copies(self, value):
        held = _objects.content(value)
        if held is not None:
            self._copies.add(id(value))
            for part in held.parts:
                self._note_copies(part)

    def is_copy(self, value):
        return id(value) in self._copies

    def calling(self, function):
        """The function with results that a kernel takes. Calls with results that may change are
        made again by each launch."""
        here = weakref.ref(self)

        @functools.wraps(function, updated=())
        def call(*args, **kwargs):
            result, names = function(*args, **kwargs), here()
            if names is not None:
                names._results[id(result)] = result
                if not is_settled(function, (*args, *kwargs.values()), names.watch):
                    key = mark(function), mark([*args, kwargs])
                    names.ask(key, lambda: function(*args, **kwargs), result)
            return _objects.simple(result)

        return call

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


def _may_change(part):
    """Whether a part of what is watched may change by itself, so that the whole is another one."""
    is_content = isinstance(part, tl.constexpr) or _objects.content(part) is not None
    return is_content and not _objects.is_fixed(part)


_MISSING = ("no attribute",)  # this very tuple
# Where a member of an Enum keeps what these attributes tell.
_OF_MEMBERS = {"name": "_name_", "value": "_value_"}
_LOOKUPS = (object.__getattribute__, types.ModuleType.__getattribute__)


class AttributeScope:
    """The attributes of a module, or of any other object."""

    def __init__(self, holder, names):
        self.holder = holder
        self._names = names

    def lookup(self, name):
        if name.startswith("<"):
            return self._answer(name)
        names, holder = self._names(), self.holder
        if name == "__call__" and isinstance(holder, type) and (
                _objects.AGGREGATE not in vars(holder)):
            return ("host", holder.__qualname__, names.calling(holder))
        value = getattr(holder, name, _MISSING)
        self._watch(name, value, names)
        if value is _MISSING:
            return None
        is_module = isinstance(holder, types.ModuleType)
        return describe(value, names) if is_module else _describe_constexpr(value, names)

    def _watch(self, name, value, names):
        """Has the kernel compiled anew once the attribute is not `value` any more."""
        holder, kind = self.holder, type(self.holder)

        def ask():
            names.ask((id(holder), name), lambda: getattr(holder, name, _MISSING), value)

        if isinstance(holder, type):
            # Members of an Enum stay, and so do the classes of Python itself.
            if value is not vars(holder).get("_member_map_", {}).get(name, _MISSING) and (
                    _objects.can_change(holder)):
                ask()
            return
        on_class = _on_class(kind, name)
        own = getattr(holder, "__dict__", {})
        if isinstance(holder, enum.Enum) and on_class is _on_class(enum.Enum, name):
            name_here = _OF_MEMBERS.get(name, name)
        else:
            name_here = name
        is_plain = kind.__getattribute__ in _LOOKUPS and type(own) is dict
        if is_plain and name_here in own and own[name_here] is value and (
                name_here != name or not hasattr(type(on_class), "__set__")):
            if not names.is_copy(holder):
                names.watch(own, name_here, value)
        elif not (_is_settled_type(kind) or names.is_copy(holder) and isinstance(
                on_class, types.MemberDescriptorType)):
            ask()

    def _answer(self, question):
        """What the compiler asks of an object beside its attributes."""
        holder = self.holder
        if isinstance(holder, types.ModuleType):
            return None
        described = vars(holder).get(_objects.AGGREGATE) if isinstance(holder, type) else None
        if described is not None and question == "<aggregate>":
            return self._asked(question, lambda: described.answer(_objects.name_of))
        if described is not None and question == "<init>":
            return describe(described.init, self._names())
        if question == "<truth>":
            return self._asked(question, lambda: bool(holder))
        if question == "<items>" and hasattr(type(holder), "__iter__"):
            return self._asked(question, lambda: _objects.simple(tuple(holder)))
        if question == "<isinstance>" and isinstance(holder, type):
            def test(value):
                return isinstance(value, holder)

            is_usual = type(holder).__instancecheck__ is type.__instancecheck__
            return ("host", "isinstance", test if is_usual else self._names().calling(test))
        return None

    def _asked(self, question, answer):
        names, value = self._names(), answer()
        if not _is_settled_type(type(self.holder)):
            names.ask((id(self.holder), question), answer, value)
        return ("constant", value)


def _on_class(kind, name):
    """What a class has by that name itself; None: nothing."""
    for base in kind.__mro__:
        if name in vars(base):
            return vars(base)[name]
    return None


def _is_settled_type(kind):
    """Whether nothing about objects of a class can change but what they hold."""
    return kind in (dict, list, tuple)


class FunctionScope:
    """The free names of a Python function: its closure, its globals, the builtins."""

    def __init__(self, function, names):
        self.function = function
        self._names = names

    def lookup(self, name):
        names, code = self._names(), self.function.__code__
        if name.startswith(_OBJECT):
            return _describe_constexpr(names.object(name[len(_OBJECT):]), names)
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
