"""Names of Python's objects that kernels get as compile-time values.

The compiler knows such an object by a name, which is all that tells one variant of a kernel from
another: two objects have one name only if a kernel cannot tell them apart, and no name is ever
given to something else. Dictionaries, dataclasses and what they hold are known by their contents,
which the name spells; copies of the latest are kept. Anything else is known by its identity, and is
forgotten when it is gone. Where it can be, a name is the same in another process, so that compiled
kernels are found again.
"""

import collections
import dataclasses
import enum
import functools
import hashlib
import sys
import types
import weakref

from . import language as tl
from ._locks import table_lock

VALUES = (bool, int, float, str, type(None))  # what the compiler knows by itself
_ARRAY = ("__array_interface__", "__cuda_array_interface__", "__dlpack__", "data_ptr")
AGGREGATE = "__tritium_aggregate__"  # where a class keeps what _aggregates says of it
_MOST = 1024  # copies; objects that cannot be referred to weakly
_DEEPEST = 64  # as deep as the native side takes tuples in tuples
_LONGEST = 200
_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE

_lock = table_lock()  # an object may go, and be forgotten, while another one is named
_numbers = collections.Counter()  # text of a label -> how many objects have had it
_labels = {}  # id -> (weak reference, or the object, and its label)
_labelled = {}  # label -> id
_unweak = collections.OrderedDict()  # ids in `_labels` of objects without weak references
_copies = collections.OrderedDict()  # name -> copy of what is known by its contents, or by its text


def is_number(value):
    """Whether it is a number of NumPy's."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.generic)


def is_array(value):
    """Whether it is an array, which is a run-time value."""
    kind = type(value)
    return any(hasattr(kind, name) for name in _ARRAY) and not is_number(value)


def plain(value):
    """What a constexpr holds; any other value itself."""
    while isinstance(value, tl.constexpr):
        value = value.value
    return value


def too_deep(value):
    return TypeError(f"it is a {type(value).__qualname__} that holds itself, or is nested more "
                     f"than {_DEEPEST} deep")


def is_value(value, depth=0):
    """Whether the compiler knows it by itself. TypeError for a tuple or list without an end."""
    value = plain(value)
    if isinstance(value, (tuple, list)):
        if depth > _DEEPEST:
            raise too_deep(value)
        return all(is_value(item, depth + 1) for item in value)
    return isinstance(value, VALUES) or isinstance(value, tl.dtype)


def is_fixed(value):
    """Whether the compiler knows it by itself, and nothing in it can be changed."""
    if isinstance(value, tuple):
        return is_value(value) and all(map(is_fixed, value))
    return isinstance(value, VALUES) or isinstance(value, tl.dtype)


def simple(value, depth=0):
    """What a kernel gets for a value: lists are tuples, and what derives from Python's own types
    is of exactly these."""
    value = plain(value)
    if isinstance(value, (tuple, list, *_VIEWS)):
        if depth > _DEEPEST:
            raise too_deep(value)
        return tuple(simple(item, depth + 1) for item in value)
    if isinstance(value, enum.Enum):
        return simple(value.value) if isinstance(value, VALUES) else value
    if is_number(value):
        item = value.item()
        return item if isinstance(item, VALUES) else float(value)
    for kind in (bool, int, float, str):
        if isinstance(value, kind):
            return kind(value)
    return value


_VIEWS = (type({}.keys()), type({}.values()), type({}.items()))


# What objects hold.

_CONTAINERS = (collections.OrderedDict, dict, list, tuple)


def can_change(kind):
    """Whether a class can get other attributes: it is none of Python's own."""
    return bool(kind.__flags__ & _HEAP_TYPE)


def is_of_attributes(kind):
    """Whether objects of a class are made of attributes and slots only."""
    return all(base is object or can_change(base) for base in kind.__mro__)


def _slots(value):
    """The slots of an object that hold something, by name."""
    found = {}
    for kind in type(value).__mro__:
        for name, slot in vars(kind).items():
            if isinstance(slot, types.MemberDescriptorType) and name not in found:
                try:
                    slot.__get__(value)
                except AttributeError:
                    continue
                found[name] = slot
    return found


class Content:
    """What an object holds that is known by that.

    Attributes:
        parts: the items (of a dictionary keys and values, by turns), then the attributes.
    """

    def __init__(self, value, base):
        self._type, self._base = type(value), base
        if issubclass(base, dict):
            items = [part for pair in base.items(value) for part in pair]
        else:
            items = [] if base is object else list(base.__iter__(value))
        self._count = len(items)
        is_derived = self._type is not base
        self._own = dict(sorted(vars(value).items())) if (
            is_derived and hasattr(value, "__dict__")) else {}
        self._slots = _slots(value) if is_derived else {}
        self.parts = [*items, *self._own.values(),
                      *(slot.__get__(value) for slot in self._slots.values())]

    def rebuilt(self, parts):
        """The like of it, which holds `parts`."""
        items, rest = parts[:self._count], iter(parts[self._count:])
        base = self._base
        made = tuple.__new__(self._type, items) if base is tuple else base.__new__(self._type)
        if base is list:
            list.extend(made, items)
        elif issubclass(base, dict):
            for key, item in zip(items[::2], items[1::2]):
                base.__setitem__(made, key, item)
        for name in self._own:
            vars(made)[name] = next(rest)
        for slot in self._slots.values():
            slot.__set__(made, next(rest))
        return made

    def spelt(self, parts):
        """Its text, where `parts` are those of its parts."""
        items, rest = parts[:self._count], parts[self._count:]
        if issubclass(self._base, dict):
            items = [f"{key}: {item}" for key, item in zip(items[::2], items[1::2])]
        names = (name if name.isidentifier() else repr(name)
                 for name in (*self._own, *self._slots))
        items += [f"{name}={item}" for name, item in zip(names, rest)]
        ends = {dict: "{}", list: "[]", tuple: "()"}.get(self._type)
        kind = "" if ends else _label(self._type)
        begin, end = ends or "()"
        text = f"{kind}{begin}{', '.join(items)}{end}"
        if len(text) <= _LONGEST and text.isprintable():
            return text
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        return f"{kind or self._type.__name__} {digest}"


def content(value):
    """The Content of an object that is known by it; None: it is known by its identity."""
    if isinstance(value, (enum.Enum, type)):
        return None
    for base in _CONTAINERS:
        if isinstance(value, base):
            return Content(value, base)
    if dataclasses.is_dataclass(value) and is_of_attributes(type(value)):
        return Content(value, object)
    return None


# Names.

def _forget(number, label):
    with _lock:
        if _labelled.pop(label, None) == number:
            del _labels[number]


def _path(value):
    """The text that the label of an object begins with."""
    library = getattr(value, "_library_name", None)
    if isinstance(library, str):
        return f"function {library}"
    is_kernel = hasattr(type(value), "_kernel_source")
    if is_kernel or isinstance(value, (type, types.FunctionType)):
        path = f"{value.__module__}.{value.__qualname__}"
    else:
        path = type(value).__qualname__
    path = path.replace("<locals>.", "").replace("<lambda>", "lambda")
    if not all(part.isidentifier() for part in path.split(".")):
        path = "object"
    return f"function {path}" if is_kernel else path


def known_label(value):
    """The label of an object that has one already; None: it has none."""
    known = _labels.get(id(value))
    if known is None:
        return None
    held, is_weak, label = known
    return label if (held() if is_weak else held) is value else None


def _label(value):
    """What tells an object from all others that there have been."""
    with _lock:
        label = known_label(value)
        if label is not None:
            return label
        text, number = _path(value), id(value)
        _numbers[text] += 1
        label = text if _numbers[text] == 1 else f"{text} #{_numbers[text]}"
        try:
            held, is_weak = weakref.ref(
                value, functools.partial(_gone, number, label)), True
        except TypeError:
            held, is_weak = value, False
        _labels[number], _labelled[label] = (held, is_weak, label), number
        if not is_weak:
            _unweak[number] = label
            if len(_unweak) > _MOST:
                _forget(*_unweak.popitem(last=False))
        return label


def _gone(number, label, _reference):
    _forget(number, label)


def _spell_leaf(value):
    """The name of a value that holds no others."""
    if isinstance(value, enum.Enum):
        member = value.name if isinstance(value.name, str) else repr(value.value)
        return f"{_label(type(value))}[{member!r}]"
    if type(value) in (int, bool, str, bytes, type(None)):
        return hex(value) if type(value) is int and value.bit_length() > 64 else repr(value)
    if type(value) is float:
        return f"float({value!r})" if value != value or value in (_INFINITY, -_INFINITY) else (
            repr(value))
    if isinstance(value, tl.dtype):
        return f"dtype({value.signature!r})"
    if is_number(value):
        return f"{value.dtype.str!r}({value.tobytes().hex()})"
    if is_array(value):
        raise TypeError(f"an array (of type {type(value).__qualname__}) is no compile-time value")
    return _label(value)


_INFINITY = float("inf")
_METHODS = (types.MethodType, types.BuiltinMethodType, types.MethodWrapperType)
_NO_HOLDERS = (types.ModuleType, type(None))


def spell(value, above=(), opens=content):
    """The name of an object. TypeError for an array, which kernels do not read while they are
    compiled, and for what holds itself. `opens` gives the Content of what is known by it."""
    value = plain(value)
    label = known_label(value)
    if label is not None:
        return label
    if isinstance(value, _METHODS) and not isinstance(value.__self__, _NO_HOLDERS):
        # Each look-up of a method makes a new one.
        inner = spell(value.__self__, (*above, value), opens)
        function = getattr(value, "__func__", None)
        return f"{value.__qualname__ if function is None else _label(function)} of {inner}"
    held = None if type(value) in VALUES else opens(value)
    if held is None:
        return _spell_leaf(value)
    if len(above) > _DEEPEST or any(value is other for other in above):
        raise too_deep(value)
    return held.spelt([spell(part, (*above, value), opens) for part in held.parts])


def copied(value):
    """A copy that nobody else holds of what is known by its content; anything else itself."""
    held = content(plain(value))
    return plain(value) if held is None else held.rebuilt([copied(part) for part in held.parts])


def name_of(value):
    """The name of an object, by which `named` finds it: spell(value)."""
    name = known_label(value)
    if name is not None:
        return name
    name = spell(value)
    value = plain(value)
    if known_label(value) is not None:
        return name
    with _lock:
        if name not in _copies:
            _copies[name] = copied(value)
        _copies.move_to_end(name)
        if len(_copies) > _MOST:
            _copies.popitem(last=False)
    return name


def named(name):
    """The object of that name, or a copy of it."""
    with _lock:
        if name in _copies:
            _copies.move_to_end(name)
            return _copies[name]
        number = _labelled.get(name)
        if number is not None:
            held, is_weak, _ = _labels[number]
            value = held() if is_weak else held
            if value is not None:
                return value
    raise LookupError(f"the object {name} is gone; launch the kernel with it again")
