"""Classes whose objects kernels make and hand on: `@triton.aggregate`."""

import inspect

from . import language as tl
from ._objects import AGGREGATE
from .errors import ArgumentError
from .jit import JITFunction

_KINDS = {tl.constexpr: "constexpr", tl.tensor: "tensor", tl.tuple: "tuple", tuple: "tuple",
          tl.tensor_descriptor: "tensor_descriptor",
          tl.tensor_descriptor_base: "tensor_descriptor"}


def _annotations(kind):
    """The annotations of a class itself; those that are text are evaluated where they can be."""
    try:
        return inspect.get_annotations(kind, eval_str=True)
    except Exception:  # a name that is not there: any value may stand in such a field
        return inspect.get_annotations(kind)


def _own(kind, name):
    """What a class has by that name, or one that it is derived from, and that is not `object`."""
    for base in kind.__mro__[:-1]:
        if name in vars(base):
            return vars(base)[name]
    return None


class Aggregate:
    """What the compiler asks of a class.

    Attributes:
        kind: the class.
        fields: name -> annotation, those of the classes that it is derived from first.
        init: its __init__ as a kernel function; None: it has none.
        statics: names of the kernel functions in it that take no object.
    """

    def __init__(self, kind):
        self.kind = kind
        self.fields = {}
        for base in reversed(kind.__mro__):
            if base is kind or is_aggregate(base):
                self.fields.update(_annotations(base))
        init = _own(kind, "__init__")
        self.init = init if init is None or isinstance(init, JITFunction) else JITFunction(init)
        self.statics = tuple(name for base in kind.__mro__ for name, value in vars(base).items()
                             if isinstance(value, staticmethod)
                             and isinstance(value.__func__, JITFunction))

    def answer(self, label_of):
        """As lib/Frontend/Sema/Aggregates.cpp reads it."""
        labels = tuple(label_of(base) for base in self.kind.__mro__ if is_aggregate(base))
        fields = tuple((name, _kind_of(annotation, label_of))
                       for name, annotation in self.fields.items())
        return (self.kind.__name__, labels, fields, self.statics, self.init is not None)


def _kind_of(annotation, label_of):
    if not isinstance(annotation, type):
        return ""
    return label_of(annotation) if is_aggregate(annotation) else _KINDS.get(annotation, "")


def is_aggregate(value):
    """Whether it is a class with @aggregate, and not just derived from one."""
    return isinstance(value, type) and AGGREGATE in vars(value)


def aggregate(cls):
    """Makes a class of values of kernels: `@triton.aggregate`.

    Its annotations are its fields: `tl.tensor`, `tl.constexpr`, another aggregate, or anything
    else that kernels have. In a kernel, calling the class makes an object: by its `__init__`,
    whose text is compiled, or from a value for each field, in their order or by name, where a
    class attribute is a field's default. Functions in it with `@triton.jit` are methods, also
    those by names such as `__add__`. Objects go through branches, loops and calls, and are not
    changed: `tl.aggregate_replace(x, name=value)` makes another one.

    Returns the class. Raises `ArgumentError` for what is no class.

    Example:
        >>> @triton.aggregate
        ... class Span:
        ...     low: tl.tensor
        ...     high: tl.tensor
        ...
        ...     @triton.jit
        ...     def middle(self):
        ...         return (self.low + self.high) // 2
        >>> @triton.jit
        ... def kernel(out):
        ...     tl.store(out, Span(tl.load(out), 10).middle())
        >>> out = np.array([4])
        >>> compiled = kernel[(1,)](out)
        >>> out
        array([7])
    """
    if not isinstance(cls, type):
        raise ArgumentError(f"@aggregate needs a class, but got {type(cls).__qualname__}")
    setattr(cls, AGGREGATE, Aggregate(cls))
    return cls
