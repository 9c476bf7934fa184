"""What a case must leave in memory, by its second text, and launches to compare with it."""

import math
import os

import numpy as np

import numpy_model
from generate import ATOMIC_SLOTS, INPUT_BOUND
from layout import Layout, windows
from numpy_model import Memory, Shifted, Undefined, element_type, same
from numpy_text import Writer, fits

__all__ = ["Fixed", "Reaching", "Undefined", "prepared", "second_text"]


def wide(x):
    return np.asarray(x).astype(np.int64)


def scalar_type(value):
    return next(dtype for dtype in ("int32", "int64", "uint64") if fits(value, dtype))


def bases(case):
    """Parameters that say where index 0 of an array is; zero in the second text."""
    return [f"{name}_base" for name in case.get("arrays", ())]


def second_text(case, source):
    """The second text of a kernel."""
    if case["kind"] == "indices":
        types = {name: array["dtype"] for name, array in case["arrays"].items()}
    else:
        types = {dtype: dtype for dtype in case["loads"]}
        types |= {"scratch": "int32", "alias": "int32", "atomic": "int32", "sums": "float32"}
        types |= {name: dtype for name, (dtype, _) in case.get("more", {}).items()}
        types |= {f"out{i}": dtype for i, (dtype, _) in enumerate(case["outputs"])}
    arguments = {f"{name}_ptr": "*" + dtype for name, dtype in types.items()}
    arguments |= {name: scalar_type(value) for name, value in case["scalars"].items()}
    arguments |= dict.fromkeys(bases(case), "int64")
    # A launch makes constants of integers that are 1.
    numbers = {name: 1 for name, value in case["scalars"].items() if value == 1}
    return Writer(source, arguments, numbers).text()


def run(text, memory, grid, scalars):
    """Runs the programs of a grid on `memory`, arrays by parameter, one after another."""
    grid = (*grid, 1, 1)[:3]
    scope = {"np": np, "m": numpy_model, "math": math, "wide": wide}
    exec(compile(text, "<numpy>", "exec"), scope)
    given = {name: np.asarray(value, scalar_type(value)) for name, value in scalars.items()
             if value != 1}
    with np.errstate(all="ignore"):
        for number, (z, y, x) in enumerate(np.ndindex(*reversed(grid))):
            for each in memory.values():
                each.program = number
            scope["program"]((x, y, z), grid, memory, **given)


class Fixed:
    """A case of arrays whose sizes the generator chose."""

    def __init__(self, case, source, usesNumPy):
        self.case = case
        self.expected = self.from_numpy(source) if usesNumPy else None

    def inputs(self):
        """Arrays to load from, by element type."""
        case = self.case
        rng = np.random.default_rng(case["seed"])
        shift = case.get("shift", 0)
        size = sum(case["margins"]) + shift
        arrays = {}
        for dtype in case["loads"]:
            kind = element_type(dtype)
            if kind.kind in "iu":
                info = np.iinfo(kind)
                data = rng.integers(info.min, info.max, size, dtype=kind, endpoint=True)
            else:
                data = rng.integers(-INPUT_BOUND, INPUT_BOUND + 1, size).astype(kind)
            arrays[dtype] = data[shift:]
        return arrays

    def written(self):
        """Arrays to store to, by name."""
        case = self.case
        programs = int(np.prod(case["grid"]))
        scratch = np.arange(case["slice"] * 8, dtype=np.int32)
        arrays = {"scratch": scratch}
        if "alias" in case:
            arrays["alias"] = scratch[case["alias"]:]
        arrays["atomic"] = np.zeros(ATOMIC_SLOTS, np.int32)
        if "alias" in case:
            arrays["sums"] = np.zeros(512, np.float32)
        for name, (dtype, size) in case.get("more", {}).items():
            arrays[name] = (np.arange(size) % 9 - 4).astype(element_type(dtype))
        for i, (dtype, _) in enumerate(case["outputs"]):
            arrays[f"out{i}"] = np.full(case["size"] * programs, 3, element_type(dtype))
        return arrays

    def from_numpy(self, source):
        arrays = {**self.inputs(), **self.written()}
        memory = {f"{name}_ptr": Memory(data) for name, data in arrays.items()}
        if "alias" in arrays:
            memory["alias_ptr"] = Shifted(memory["scratch_ptr"], self.case["alias"])
        run(second_text(self.case, source), memory, self.case["grid"], self.case["scalars"])
        return {name: arrays[name] for name in self.written()}

    def launch(self, kernel):
        arrays = self.written()
        kernel[tuple(self.case["grid"])](*self.inputs().values(), *arrays.values(),
                                         *self.case["scalars"].values(), **self.case["options"])
        self.result = arrays

    def difference(self, backend):
        """The first disagreement as text, or nothing. Without a second text, the first launch
        says what is right."""
        if self.expected is None:
            self.expected = self.result
        errors = {f"out{i}": error for i, (_, error) in enumerate(self.case["outputs"])}
        for name, found in self.result.items():
            if text := mismatch(name, found, self.expected[name], errors.get(name, 0), backend):
                return text
        return None

    def accepts(self, error):
        """Whether a launch may fail so."""
        return False


class Reaching:
    """An index case, whose arrays follow from what the second text uses."""

    def __init__(self, case, source, usesNumPy=True):
        self.case = case
        memory = windows(case)
        run(second_text(case, source), {f"{name}_ptr": each for name, each in memory.items()},
            case["grid"], case["scalars"] | dict.fromkeys(bases(case), 0))
        self.layout = Layout(case, memory)

    def launch(self, kernel):
        layout = self.layout
        kernel[tuple(self.case["grid"])](*layout.arrays().values(), *layout.bases.values(),
                                         *self.case["scalars"].values(), **self.case["options"])

    def difference(self, backend):
        for name, found, expected, isIntact in self.layout.results():
            if text := mismatch(name, found, expected, 0, backend):
                return text
            if not isIntact:
                return f"bytes beside {name} were written on {backend}"
        return None

    def accepts(self, error):
        """A launch may refuse to reach from one view into another."""
        return any(array["view"] for array in self.case["arrays"].values()) and \
            type(error).__name__ in ("InterpreterError", "SimulatorError", "ArgumentError") and \
            any(place in str(error)
                for place in ("outside every ", " the end of ", "right behind "))


def mismatch(name, found, expected, error, backend):
    if found.dtype.kind in "iu":
        wrong = found != expected
    else:
        wide = np.abs(found.astype(np.float64) - expected.astype(np.float64))
        wrong = ~(wide <= error) & ~same(found, expected)
    if not wrong.any():
        return None
    i = int(np.argmax(wrong))
    return (f"{name}[{i}] is {found[i]!r} on {backend} and should be {expected[i]!r} "
            f"({np.count_nonzero(wrong)} of {found.size} differ)")


def prepared(case, source, usesNumPy):
    """The case with what it must leave in memory. Raises Undefined where nothing is certain."""
    kind = Reaching if case["kind"] == "indices" else Fixed
    return kind(case, source, usesNumPy)
