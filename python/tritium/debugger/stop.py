"""A program that has stopped: its frames, and its variables as NumPy's arrays."""

import ast
import re
import types

import numpy as np

from .pointers import Pointers, element_type

LINE, BREAKPOINT, FAILURE = range(3)

_PART = re.compile(r"\.(\w+)|\[([^\]]*)\]")


class Known:
    """What has no value of Python's, as its text: a type, infinity."""

    def __init__(self, text):
        self._text = text

    def __repr__(self):
        return self._text


class Block(types.SimpleNamespace):
    """A named tuple, an aggregate, a block pointer or a descriptor: its parts by their names."""

    def __repr__(self):
        return "(" + ", ".join(f"{name}={value!r}" for name, value in vars(self).items()) + ")"


def _known(text):
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return Known(text)


def _array(kind, bits, shape, data, present):
    """The elements as an array that cannot be written, those that were not loaded masked."""
    values = np.frombuffer(data, element_type(kind, bits))
    if not shape:
        return values[0] if present is None or present[0] else np.ma.masked
    values = values.reshape(shape)
    if present is None:
        return values
    loaded = np.frombuffer(present, np.bool_).reshape(shape)
    masked = np.ma.MaskedArray(values, mask=~loaded)
    masked.flags.writeable = False
    return masked


class Variables:
    """The variables of a frame.

    Attributes:
        values: name -> value, by what the kernel calls them.
        types: name -> the type in the language's words; "" for what is known at compile time.
    """

    def __init__(self, described, buffers):
        self.values, self.types = {}, {}
        tree = {}
        for name, type_name, text, kind, bits, shape, data, present in described:
            if text is not None:
                value = _known(text)
            elif kind == 3:
                value = Pointers(type_name, np.frombuffer(data, np.uint64).reshape(shape), buffers)
            else:
                value = _array(kind, bits, shape, data, present)
            self._place(tree, name, value)
            shown = "x".join(map(str, shape))
            self.types[name] = type_name + (f"[{shown}]" if shape and type_name else "")
        self.values = {name: self._whole(part) for name, part in sorted(tree.items())}

    @staticmethod
    def _place(tree, name, value):
        head = re.match(r"[^.\[]+", name)[0]
        keys = [head, *(part[1] if part[1] else _known(part[2])
                        for part in _PART.finditer(name, len(head)))]
        for key in keys[:-1]:
            tree = tree.setdefault(key, {})
        tree[keys[-1]] = value

    def _whole(self, part):
        if not isinstance(part, dict) or not part:
            return part
        if list(part) == list(range(len(part))):
            return tuple(self._whole(each) for each in part.values())
        whole = {key: self._whole(each) for key, each in part.items()}
        if all(isinstance(key, str) and key.isidentifier() for key in whole):
            return Block(**whole)
        return whole


class Frame:
    """A function that runs.

    Attributes:
        function, file, line, column: where it is.
        variables: `Variables`.
    """

    def __init__(self, described, buffers):
        self.function, self.file, self.line, self.column, values = described
        self._values, self._buffers, self._variables = values, buffers, None

    @property
    def variables(self):
        if self._variables is None:
            self._variables = Variables(self._values, self._buffers)
        return self._variables


class Stop:
    """A program that has stopped.

    Attributes:
        reason: LINE, BREAKPOINT or FAILURE.
        message: of a failure.
        kernel, pid, grid: which program of what.
        index: the coordinates of the element that failed, or ().
        frames: the kernel's `Frame`, then those of the functions that it calls.
    """

    def __init__(self, described):
        self.reason, self.message = described["reason"], described["message"]
        self.kernel, self.pid, self.grid = (described[key] for key in ("kernel", "pid", "grid"))
        self.index = described["index"]
        self.frames = [Frame(frame, described["buffers"]) for frame in described["frames"]]

    def names(self, frame):
        """What expressions may name where the program is in that frame."""
        return {"np": np, "pid": self.pid, "grid": self.grid, **frame.variables.values}

    def evaluate(self, frame, text, more=None):
        """The value of an expression there; whatever it raises is raised."""
        return eval(text, {"__builtins__": __builtins__, **(more or {}), **self.names(frame)})

    def title(self):
        """"program (3, 0, 0) of (8, 1, 1)"."""
        return f"program {self.pid} of {self.grid}"


def elements(value, index):
    """The element of a tile at `index`: where it has fewer dimensions, or extent 1, that which
    broadcasting would put there. None: it has none there."""
    if not isinstance(value, (np.ndarray, Pointers)) or len(value.shape) > len(index):
        return None
    shape = value.shape
    own = index[len(index) - len(shape):]
    own = tuple(0 if extent == 1 else at for at, extent in zip(own, shape))
    if any(not 0 <= at < extent for at, extent in zip(own, shape)):
        return None
    return value[own]
