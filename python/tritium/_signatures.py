"""Signatures of `ASTSource`, as what the native side compiles for.

An item of a signature is a type ("*fp32", "i32"), "constexpr", a tensor descriptor
("tensordesc<fp16[64, 64]>"), or a tuple of items, a named one with their names. What it belongs to
has a path: (2,) is the third parameter, (2, 0) the first item of the tuple that it is.
"""

import re

from .errors import ArgumentError

_DESCRIPTOR = re.compile(r"tensordesc<\s*(\w+)\s*\[([\d,\s]*)\]\s*(,.*)?>", re.DOTALL)
_ALIGNMENT = 16  # bytes, of what a descriptor begins at and of its strides


def _constant(value):
    """A compile-time value; a tuple with names keeps them."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return ("tuple", [_constant(item) for item in value], value._fields)
    return ("constexpr", value)


class Signature:
    """What is said of the parameters of one kernel.

    Args:
        kernel: its name, for errors.
        constants: path -> compile-time value.
        attributes: path -> [["tt.divisibility", 16], ...].
    """

    def __init__(self, kernel, constants, attributes):
        self.kernel, self.constants, self.attributes = kernel, constants, attributes
        self._used = set()

    def part(self, kind, path, name):
        """What the native side takes for the item `kind` at `path`: ("constexpr", value),
        (type, divisibility), ("tuple", items, names or None) or ("descriptor", items, None)."""
        self._used.add(path)
        if path in self.constants:
            return _constant(self.constants[path])
        if isinstance(kind, (tuple, list)):
            items = [self.part(item, (*path, i), f"{name}[{i}]") for i, item in enumerate(kind)]
            return ("tuple", items, getattr(kind, "_fields", None))
        if not isinstance(kind, str):
            raise ArgumentError(f"kernel '{self.kernel}': the signature of '{name}' must be a text "
                                f"or a tuple of such, but it is {kind!r}")
        if kind == "constexpr":
            raise ArgumentError(f"kernel '{self.kernel}': the signature says that '{name}' is a "
                                f"constexpr, but the constants have no value at {path}")
        if kind.startswith("tensordesc"):
            return ("descriptor", self._descriptor(kind, name), None)
        self._type(kind, name)
        return (kind, dict(self.attributes.get(path, ())).get("tt.divisibility", 1))

    def _type(self, text, name):
        from . import language as tl

        try:
            return tl.str_to_ty(text)
        except ValueError as error:
            raise ArgumentError(f"kernel '{self.kernel}': the signature of '{name}': "
                                f"{error}") from error

    def check_all_used(self):
        """ArgumentError for a path that leads nowhere, once all parameters were asked for."""
        for path in (*self.constants, *self.attributes):
            if path not in self._used:
                raise ArgumentError(f"kernel '{self.kernel}': the signature has no tuple with an "
                                    f"item at {path}")

    def _descriptor(self, kind, name):
        """The parts of a descriptor, as tl.make_tensor_descriptor takes them. What
        `TensorDescriptor` checks of all descriptors may be relied on. The layout that may stand
        behind the block is of no use here: the compiler chooses its own."""
        match = _DESCRIPTOR.fullmatch(kind)
        block = [int(extent) for extent in match[2].replace(",", " ").split()] if match else []
        if not block:
            raise ArgumentError(f"kernel '{self.kernel}': the signature of '{name}' is {kind!r}, "
                                "which is no tensor descriptor; write the type of its elements "
                                "and the extents of its block, as 'tensordesc<fp16[64, 64]>'")
        bits = self._type(match[1], name).primitive_bitwidth
        step = max(1, 8 * _ALIGNMENT // max(bits, 8))
        outer = len(block) - 1
        return [("*" + match[1], _ALIGNMENT),
                ("tuple", [("i32", 1)] * len(block), None),
                ("tuple", [("i64", step)] * outer + [("constexpr", 1)], None),
                ("constexpr", tuple(block)), ("constexpr", "zero")]
