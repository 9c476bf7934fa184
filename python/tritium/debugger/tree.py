"""Variables as editors show them: a line each, and what is in it when it is opened."""

import numpy as np

from .pointers import Pointers
from .stop import Block

_FEW = 6  # elements that a line shows


def line(value):
    """A value in one line."""
    if value is np.ma.masked:
        return "masked"
    if isinstance(value, np.ndarray) and value.size > _FEW:
        edge = value.reshape(-1)[:_FEW]
        return f"[{', '.join(map(str, edge))}, ...]"
    if isinstance(value, Pointers) and value.shape and value.name is not None:
        return f"{value.name} + {line(value.offsets)}"
    if isinstance(value, np.ndarray):
        return np.array2string(value, separator=", ").replace("\n", "")
    return repr(value) if not isinstance(value, np.generic) else str(value)


def parts(value):
    """What is in a value: pairs of a name and a value, or None if it is one thing."""
    if isinstance(value, Pointers):
        inside = [("argument", value.name), ("addresses", value.addresses)]
        return inside + ([("offsets", value.offsets), ("values", value.values)]
                         if value.name is not None else [])
    if isinstance(value, Block):
        return list(vars(value).items())
    if isinstance(value, dict):
        return [(repr(key), each) for key, each in value.items()]
    if isinstance(value, (tuple, list)) or (isinstance(value, np.ndarray) and value.ndim):
        return _Numbered(value)
    return None


class _Numbered:
    """Pairs for a sequence, of which only those are made that are looked at."""

    def __init__(self, sequence):
        self._sequence = sequence

    def __len__(self):
        return len(self._sequence)

    def __getitem__(self, part):
        return [(f"[{at}]", self._sequence[at]) for at in range(*part.indices(len(self)))]


class Tree:
    """What was shown of a program that has stopped, by the numbers that the editor asks with."""

    def __init__(self):
        self._held = []

    def hold(self, value):
        """A number for the parts of a value; 0 if it has none."""
        inside = parts(value)
        return self.hold_parts(inside) if inside is not None and len(inside) else 0

    def hold_parts(self, inside):
        self._held.append(inside)
        return len(self._held)

    def variables(self, number, start=0, count=0, types=None):
        """Those behind a number, as the protocol has them."""
        if not 1 <= number <= len(self._held):
            return []
        inside = self._held[number - 1]
        shown = []
        for name, value in inside[start:start + count if count else None]:
            one = {"name": str(name), "value": line(value), "variablesReference": self.hold(value)}
            if one["variablesReference"] and isinstance(parts(value), _Numbered):
                one["indexedVariables"] = len(value)
            if types and types.get(name):
                one["type"] = types[name]
            shown.append(one)
        return shown
