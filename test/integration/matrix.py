"""The matrix of the language: each row is a name, and its cases are element types times shapes.

Many cases are packed into one kernel. Each reads its operands from the input array of their
element type and writes its result into the output array of the result's type, at places of its
own; the kernel itself asserts the type and the shape of each result."""

import collections
import dataclasses
import functools
import re
import typing
import zlib

import ml_dtypes
import numpy as np
import tritium as triton
from support import FLOATS, INTS, assert_same, kernels_from, numpy_dtype, ulp_error
from tritium.errors import TritonError

SHAPES = ((), (1,), (3,), (16,), (80,), (96,), (781,), (3, 5), (16, 16), (4, 96), (2, 3, 5))
FLOAT8 = {"float8e5": ml_dtypes.float8_e5m2, "float8e4nv": ml_dtypes.float8_e4m3fn,
          "float8e4b8": ml_dtypes.float8_e4m3fnuz, "float8e5b16": ml_dtypes.float8_e5m2fnuz}
TYPES = ("int1", *INTS, *FLOATS, *FLOAT8)
# How much text a kernel holds at most, in cases and in elements.
CASES, ELEMENTS = 40, 12000


def kind_of(dtype):
    """The dtype of NumPy for a type of the language."""
    if dtype == "int1":
        return np.dtype(bool)
    return np.dtype(FLOAT8[dtype]) if dtype in FLOAT8 else numpy_dtype(dtype)


def name_of(kind):
    """The type of the language for a dtype of NumPy."""
    return next(name for name in TYPES if kind_of(name) == kind)


@dataclasses.dataclass
class Row:
    """A name of the language.

    text      lines of a kernel that make `r` of the operands `x`, `y`, `z`; `{shape}`, `{axis}`
              and whatever `facts` gives are replaced
    expected  NumPy's answer, of the operands' arrays (and the facts, if it has such parameters)
    operands  how the operands are drawn: functions of rng, dtype, shape (see `data`)
    shapes    those that it takes, and for others the text that its refusal has, or a reason in
              brackets why it is no case
    types     the same for element types
    close     compares result and answer
    """

    name: str
    text: str
    expected: typing.Callable
    operands: tuple
    types: typing.Callable
    shapes: typing.Callable
    close: typing.Callable
    facts: typing.Callable = lambda shape: {}
    backends: str | tuple = ""  # the back ends' names begin so
    writes: bool = False  # the first answer is what the memory of `x` holds in the end
    aligned: bool = False  # operands begin at multiples of 16 elements


@dataclasses.dataclass
class Case:
    row: Row
    dtype: str
    shape: tuple

    def __str__(self):
        return f"{self.row.name} of {self.dtype} {'x'.join(map(str, self.shape)) or 'scalar'}"

    @functools.cached_property
    def facts(self):
        return {"shape": self.shape, "axis": max(len(self.shape) - 1, 0), "dtype": self.dtype,
                **self.row.facts(self.shape)}

    @functools.cached_property
    def arrays(self):
        seed = zlib.crc32(str(self).encode())
        rng = np.random.default_rng(seed)
        return [draw(rng, self.dtype, self.shape) for draw in self.row.operands]

    @functools.cached_property
    def answer(self):
        with np.errstate(all="ignore"):
            answers = self.row.expected(*self.arrays, **wanted(self.row.expected, self.facts))
        return answers if isinstance(answers, list) else [answers]


def wanted(function, facts):
    code = getattr(function, "__code__", None)
    if code is None:
        return {}
    names = code.co_varnames[code.co_argcount:code.co_argcount + code.co_kwonlyargcount]
    return {name: facts[name] for name in names}


def index_name(shape):
    return "i_" + ("x".join(map(str, shape)) or "0")


def index_text(shape):
    if not shape:
        return "0"
    terms = []
    for d, extent in enumerate(shape):
        place = ", ".join(":" if k == d else "None" for k in range(len(shape)))
        term = f"tl.arange(0, {extent})" + (f"[{place}]" if len(shape) > 1 else "")
        stride = int(np.prod(shape[d + 1:]))
        terms.append(term + (f" * {stride}" if stride > 1 else ""))
    return " + ".join(terms)


class Packed:
    """A kernel of some cases, and its arrays."""

    def __init__(self, cases, refused=False):
        self.cases = cases
        self.inputs = collections.defaultdict(list)
        self.sizes = collections.Counter()
        self.outputs = collections.Counter()
        self.places = []
        shapes, lines, functions = {}, [], {}
        for case in cases:
            lines += self.load(case, shapes)
            text = case.row.text.format(**case.facts)
            if "\n---\n" in text:
                function, text = text.split("\n---\n")
                functions[function] = None
            lines += text.splitlines()
            if not refused:
                lines += self.results(case, shapes)
        parameters = [f"in_{dtype}" for dtype in self.inputs]
        parameters += [f"out_{dtype}" for dtype in self.outputs]
        indices = [f"{index_name(shape)} = {index_text(shape)}" for shape in shapes]
        self.source = ("\n".join(functions)
                       + f"\n@triton.jit\ndef kernel({', '.join(parameters)}):\n"
                       + "".join(f"    {line}\n" for line in indices + lines))

    def load(self, case, shapes):
        lines = []
        shapes[case.shape] = None
        case.facts["index"] = index_name(case.shape)
        for letter, array in zip("xyz", case.arrays):
            dtype = name_of(array.dtype)
            if case.row.aligned and (odd := self.sizes[dtype] % 16):
                self.inputs[dtype].append(np.zeros(16 - odd, array.dtype))
                self.sizes[dtype] += 16 - odd
            at = self.sizes[dtype]
            self.inputs[dtype].append(array.ravel())
            self.sizes[dtype] += array.size
            shapes[array.shape] = None
            case.facts[letter] = f"in_{dtype} + {at}"
            lines.append(f"{letter} = tl.load(in_{dtype} + {at} + {index_name(array.shape)})")
            if letter == "x":
                where = dtype, at
        self.places.append([("in", *where)] if case.row.writes else [])
        return lines

    def results(self, case, shapes):
        answers = case.answer[1:] if case.row.writes else case.answer
        names = ["r"] if len(answers) == 1 else [f"r[{k}]" for k in range(len(answers))]
        return [line for name, answer in zip(names, answers)
                for line in self.store(name, answer, shapes)]

    def store(self, result, answer, shapes):
        dtype = name_of(answer.dtype)
        at = self.outputs[dtype]
        self.outputs[dtype] += answer.size
        self.places[-1].append(("out", dtype, at))
        shapes[answer.shape] = None
        return [f"tl.static_assert({result}.dtype == tl.{dtype}, f'it is of {{{result}.dtype}}')",
                f"tl.static_assert({result}.shape == {answer.shape}, "
                f"f'it is of {{{result}.shape}}')",
                f"tl.store(out_{dtype} + {at} + {index_name(answer.shape)}, {result})"]

    def launch(self):
        """Runs the kernel; the arrays as they are then."""
        inputs = {dtype: np.concatenate(arrays) for dtype, arrays in self.inputs.items()}
        outputs = {dtype: np.zeros(size, kind_of(dtype)) for dtype, size in self.outputs.items()}
        kernels_from(self.source).kernel[(1,)](*inputs.values(), *outputs.values())
        return {"in": inputs, "out": outputs}

    def run(self):
        """Runs the kernel, and returns what it made for each case."""
        arrays = self.launch()
        return [[arrays[side][dtype][at:at + answer.size].reshape(answer.shape)
                 for (side, dtype, at), answer in zip(places, case.answer)]
                for case, places in zip(self.cases, self.places)]


def packs(cases):
    """The cases in groups that make kernels of a fit size."""
    group, elements = [], 0
    for case in cases:
        size = sum(answer.size for answer in case.answer)
        if group and (len(group) == CASES or elements + size > ELEMENTS):
            yield group
            group, elements = [], 0
        group.append(case)
        elements += size
    if group:
        yield group


def judge(cases):
    """What is wrong with the cases: a text for each that fails."""
    try:
        results = Packed(cases).run()
    except TritonError as error:
        if len(cases) > 1:
            half = len(cases) // 2
            return judge(cases[:half]) + judge(cases[half:])
        return [f"{cases[0]}: {error}"]
    wrong = []
    for case, made in zip(cases, results):
        try:
            for result, answer in zip(made, case.answer):
                case.row.close(result, answer, case)
        except AssertionError as error:
            wrong.append(f"{case}: {error}")
    return wrong


def refusal(case):
    """What the compiler says of a case, or None."""
    try:
        Packed([case], refused=True).launch()
    except triton.CompilationError as error:
        return str(error)
    return "it is taken"


# What operands are drawn from.


def integers(low, high):
    """Of every type, as far as it has them."""

    def draw(rng, dtype, shape):
        kind = kind_of(dtype)
        if dtype == "int1":
            return rng.integers(0, 2, shape).astype(bool)
        if dtype in INTS:
            info = np.iinfo(kind)
            return np.asarray(rng.integers(max(low, info.min), min(high, info.max), shape, kind,
                                           endpoint=True))
        return rng.integers(low, high, shape, endpoint=True).astype(kind)

    return draw


def whole(rng, dtype, shape):
    """Integers over the whole range, floats from a normal distribution."""
    kind = kind_of(dtype)
    if dtype in INTS or dtype == "int1":
        return integers(-2 ** 63, 2 ** 64 - 1)(rng, dtype, shape)
    return np.asarray(rng.standard_normal(shape)).astype(kind)


def between(low, high):
    """Floats."""

    def draw(rng, dtype, shape):
        return np.asarray(rng.uniform(low, high, shape)).astype(kind_of(dtype))

    return draw


# What shapes and types are taken: functions that answer with None, or the text of the refusal, or
# in brackets the reason why there is no case.


def every(value):
    return None


def only(accepted, message, others=None):
    """Those; of the rest `others` have messages of their own."""
    return lambda value: (others or {}).get(value, None if value in accepted else message)


def tiles(message):
    return lambda shape: None if shape else message


def is_reason(message):
    return re.fullmatch(r"\(.*\)", message)


def row(name, text, expected, operands=(whole,), types=every, shapes=every, close=None, **more):
    return Row(name, text, expected, operands, types, shapes, close or same, **more)


# How results are compared.


def same(result, answer, case):
    with np.errstate(invalid="ignore"):  # of signalling NaNs among bits
        assert_same(np.atleast_1d(result), np.atleast_1d(answer))


def units(limits):
    """Within so many units in the last place; the answer is taken as exact."""

    def close(result, answer, case):
        error = ulp_error(result.ravel(), answer.astype(np.longdouble).ravel())
        assert error <= limits[name_of(answer.dtype)], f"an error of {error} units"

    return close

