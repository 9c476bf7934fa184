"""Random kernels whose result is known to be unique.

A kernel is a list of statements over tiles of shape (M, N), their rows (N), their columns (M)
and scalars. Integers wrap and are compared exactly. Floats come in two sorts:

- exact: whole numbers small enough for every operation on them to be exact in their type,
  whatever its order or fusion (a clamp is emitted where a bound would grow past that); they
  may be compared, cast, reduced and carried, and results are compared exactly;
- inexact: results of division and of functions; the bound of their error is tracked and
  results are compared within it. They decide no branch and no mask.
"""

import dataclasses
import random

INTS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float16", "bfloat16", "float32", "float64")
EXACT_LIMIT = {"float16": 2.0 ** 11, "bfloat16": 2.0 ** 8, "float32": 2.0 ** 24,
               "float64": 2.0 ** 53}
EPSILON = {"float32": 2.0 ** -23, "float64": 2.0 ** -52}
ARRAY_SIZE = 1 << 14
INPUT_BOUND = 4.0  # Inputs of float type are whole numbers of at most this magnitude.
ATOMIC_SLOTS = 64
HELPERS = '''@triton.jit
def helper(x, y):
    return x + y + x


@triton.jit
def larger(a, i, b, j):
    take = (a > b) | ((a == b) & (i < j))
    return tl.where(take, a, b), tl.where(take, i, j)


@triton.jit
def lesser(x, y):
    while x > y:
        x = y
    return x


'''


@dataclasses.dataclass
class Value:
    name: str
    dtype: str   # as in tl, or "int1"
    kind: str    # "S" scalar, "N", "M" vectors, "T" tile of M x N
    bound: float = 0.0  # floats: largest magnitude
    error: float = 0.0  # floats: bound of the absolute error; 0 means exact

    @property
    def isFloat(self):
        return self.dtype in FLOATS

    @property
    def isExact(self):
        return self.error == 0


@dataclasses.dataclass
class Output:
    dtype: str
    error: float


class Generator:
    """Builds one kernel from a seed; `source` and `case` are the result."""

    MARGINS = (0, ARRAY_SIZE)  # Elements of inputs in front of where kernels begin, and behind.
    SLICE = ARRAY_SIZE // 8    # Elements of the scratch array that are one program's own.
    STATEMENTS = (4, 16)
    STORED = (3, 2)
    FORMS = ["range", "tl.range", "while", "tl.static_range"]  # of loops
    WRITTEN = ["scratch_ptr", "atomic_ptr"]

    def __init__(self, seed, attempt=0):
        self.seed = seed
        self.rng = random.Random(seed + (attempt << 64))
        self.lines = []
        self.indent = 1
        self.counter = 0
        self.values = []
        self.outputs = []
        self.loads = set()
        self.more = {}           # arrays that kernels change: element type and size, by name
        self.helpers = [HELPERS]
        self.setup()
        self.generate()

    def setup(self):
        """The sizes of a kernel and its launch."""
        pick = self.rng.choice
        self.M = pick([1, 2, 3, 4, 7, 8, 16, 17])
        self.N = pick([1, 2, 3, 5, 8, 15, 16, 17, 31, 32, 33, 64, 70])
        self.K = pick([1, 2, 4, 5, 8, 16, 19])
        self.grid = pick([(1,), (2,), (3,), (2, 2)])
        self.scalars = {
            "rows": pick([0, 1, self.M // 2, self.M, self.M + 3]),
            "cols": pick([0, 1, self.N // 2, self.N - 1, self.N, self.N + 5])}
        # Short rows: several programs a CTA, or all warps one row.
        self.options = {"persistent": False} if self.seed % 2 else {}
        self.backends = ["interpret", "cpu"]

    # Text and names.

    def emit(self, text):
        self.lines.append("    " * self.indent + text)

    def define(self, expression, dtype, kind, bound=0.0, error=0.0):
        name = f"v{self.counter}"
        self.counter += 1
        self.emit(f"{name} = {expression}")
        value = Value(name, dtype, kind, bound, error)
        if value.isFloat and value.isExact and bound > EXACT_LIMIT[dtype] / 4:
            value = self.clamped(value)
        self.values.append(value)
        return value

    def clamped(self, value, limit=8.0):
        if value.bound <= limit:
            return value
        name = f"v{self.counter}"
        self.counter += 1
        self.emit(f"{name} = tl.minimum(tl.maximum({value.name}, -{limit}), {limit})"
                  f".to(tl.{value.dtype})")
        return Value(name, value.dtype, value.kind, limit, value.error)

    # Choosing values.

    def choose(self, accept):
        fitting = [value for value in self.values if accept(value)]
        # Prefer what was made lately, so that expressions grow deep.
        return self.rng.choice(fitting[-8:]) if fitting else None

    def number(self):
        return self.choose(lambda v: v.dtype != "int1" and v.isExact) or self.load()

    def integer(self):
        return self.choose(lambda v: v.dtype in INTS) or self.load(self.rng.choice(INTS))

    def condition(self):
        return self.choose(lambda v: v.dtype == "int1") or self.compare()

    def tile(self, dtype=None):
        found = self.choose(lambda v: v.kind == "T" and v.isExact and v.dtype != "int1"
                            and dtype in (None, v.dtype))
        return found or self.load(dtype, "T")

    def lifted(self, value, kind):
        """The value's name, with axes added to combine with a tile."""
        if kind == "T" and value.kind == "N":
            return f"{value.name}[None, :]"
        if kind == "T" and value.kind == "M":
            return f"{value.name}[:, None]"
        return value.name

    def common(self, *values):
        kinds = {value.kind for value in values} - {"S"}
        kind = "S" if not kinds else kinds.pop() if len(kinds) == 1 else "T"
        return kind, [self.lifted(value, kind) for value in values]

    def cast_text(self, text, value, dtype):
        """Text of `value` converted to `dtype`; floats go to narrow ints through int32."""
        if value.dtype == dtype:
            return text
        if value.isFloat and dtype in INTS:
            return f"{text}.to(tl.int64).to(tl.{dtype})"
        return f"{text}.to(tl.{dtype})"

    def as_type(self, value, dtype):
        """The value in another type. Exact floats are clamped to what the type holds."""
        if value.dtype == dtype:
            return value
        text = value.name
        if dtype in FLOATS:
            if value.dtype in INTS:
                # Four bits of the integer, so that the number is small and whole.
                text = f"({text} & 15)"
                return self.define(f"{text}.to(tl.{dtype})", dtype, value.kind, 15.0)
            if value.dtype == "int1":
                return self.define(f"{text}.to(tl.{dtype})", dtype, value.kind, 1.0)
            if value.bound > EXACT_LIMIT[dtype] / 4:
                value = self.clamped(value)
            return self.define(f"{value.name}.to(tl.{dtype})", dtype, value.kind, value.bound,
                               value.error)
        return self.define(self.cast_text(text, value, dtype), dtype, value.kind)

    # Statements. Each returns the value it made.

    def load(self, dtype=None, kind=None):
        rng = self.rng
        dtype = dtype or rng.choice(INTS + FLOATS * 2)
        kind = kind or rng.choice("SNMTTN")
        self.loads.add(dtype)
        base = f"{dtype}_ptr + pid * {rng.choice([0, 1, 16, self.M * self.N])}"
        stride = rng.choice([1, 1, 1, 2, 3])
        index = {"S": str(rng.randrange(50)), "N": f"n * {stride}" if stride > 1 else "n",
                 "M": f"m * {stride}" if stride > 1 else "m",
                 "T": rng.choice([f"(m[:, None] * {self.N} + n[None, :])",
                                  f"(m[:, None] * {self.N + 3} + n[None, :])",
                                  f"(n[None, :] * {self.M} + m[:, None])",
                                  f"(m[:, None] * {self.N * stride} + n[None, :] * {stride})"
                                  ])}[kind]
        if rng.random() < 0.15:
            picker = self.choose(lambda v: v.dtype in INTS and v.kind == kind)
            if picker:
                index = f"({picker.name}.to(tl.int32) & {ARRAY_SIZE // 2 - 1})"
        mask = {"N": "n < cols", "M": "m < rows", "S": "rows > 2",
                "T": rng.choice(["(m[:, None] < rows) & (n[None, :] < cols)", "n[None, :] < cols",
                                 "m[:, None] < rows"])}[kind]
        if rng.random() < 0.3:
            chosen = self.choose(lambda v: v.dtype == "int1" and v.kind == kind)
            mask = chosen.name if chosen else mask
        extra = f", mask={mask}, other={rng.randrange(5)}" if rng.random() < 0.5 else ""
        bound = INPUT_BOUND if dtype in FLOATS else 0.0
        return self.define(f"tl.load({base} + {index}{extra})", dtype, kind, bound)

    def unary(self):
        value = self.number()
        if value.isFloat:
            text = self.rng.choice(["-{}", "tl.abs({})"] + (
                ["tl.floor({})", "tl.ceil({})"] if value.dtype in ("float32", "float64") else []))
            return self.define(text.format(value.name), value.dtype, value.kind, value.bound)
        choices = ["~{}", "tl.abs({})"] + (["-{}"] if value.dtype.startswith("int") else [])
        return self.define(self.rng.choice(choices).format(value.name), value.dtype, value.kind)

    def binary(self):
        a = self.number()
        b = self.as_type(self.number(), a.dtype)
        kind, (x, y) = self.common(a, b)
        if a.isFloat:
            limit = EXACT_LIMIT[a.dtype] ** 0.5
            if max(a.bound, b.bound) > limit / 2:
                a, b = self.clamped(a), self.clamped(b)
                kind, (x, y) = self.common(a, b)
            text, bound = self.rng.choice([
                (f"{x} + {y}", a.bound + b.bound), (f"{x} - {y}", a.bound + b.bound),
                (f"{x} * {y}", a.bound * b.bound),
                (f"tl.minimum({x}, {y}).to(tl.{a.dtype})", max(a.bound, b.bound)),
                (f"tl.maximum({x}, {y}).to(tl.{a.dtype})", max(a.bound, b.bound))])
            return self.define(text, a.dtype, kind, bound)
        bits = int(a.dtype.strip("uint"))
        text = self.rng.choice([
            f"{x} + {y}", f"{x} - {y}", f"{x} * {y}", f"{x} & {y}", f"{x} | {y}", f"{x} ^ {y}",
            f"{x} << ({y} & {bits - 1})", f"{x} >> ({y} & {bits - 1})", f"{x} // (({y} & 7) + 1)",
            f"{x} % (({y} & 15) + 1)", f"tl.minimum({x}, {y})", f"tl.maximum({x}, {y})",
            f"{x} * 3 + {y}", f"{x} - 5 + {y}"])
        return self.define(text, a.dtype, kind)

    def compare(self):
        a = self.number()
        b = self.as_type(self.number(), a.dtype)
        kind, (x, y) = self.common(a, b)
        operator = self.rng.choice(["<", "<=", ">", ">=", "==", "!="])
        return self.define(f"{x} {operator} {y}", "int1", kind)

    def logic(self):
        a, b = self.condition(), self.condition()
        kind, (x, y) = self.common(a, b)
        return self.define(self.rng.choice(["{} & {}", "{} | {}", "{} ^ {}"]).format(x, y), "int1",
                           kind)

    def where(self):
        condition, a = self.condition(), self.number()
        b = self.as_type(self.number(), a.dtype)
        kind, (c, x, y) = self.common(condition, a, b)
        return self.define(f"tl.where({c}, {x}, {y})", a.dtype, kind, max(a.bound, b.bound))

    def cast(self):
        return self.as_type(self.number(), self.rng.choice(INTS + FLOATS))

    def reduce(self):
        value = self.choose(lambda v: v.kind != "S" and v.isExact and v.dtype != "int1")
        value = value or self.load(kind="T")
        axis, kind = self.rng.choice([(0, "N"), (1, "M")]) if value.kind == "T" else (0, "S")
        if value.kind == "T" and self.rng.random() < 0.2:
            axis, kind = None, "S"
        count = self.M * self.N
        operation = self.rng.choice(["sum", "sum", "max", "min", "argmax", "argmin", "xor_sum"])
        if operation.startswith("arg") and axis is None:
            operation = "max"
        if operation == "xor_sum" and value.isFloat:
            operation = "sum"
        if operation.startswith("arg"):
            return self.define(f"tl.{operation}({value.name}, axis={axis})", "int32", kind)
        if value.isFloat:
            if operation == "sum":
                value = self.as_type(value, "float64" if value.dtype == "float64" else "float32")
                value = self.clamped(value)
            bound = value.bound * (count if operation == "sum" else 1)
        else:
            bound = 0.0
        return self.define(f"tl.{operation}({value.name}, axis={axis}).to(tl.{value.dtype})",
                           value.dtype, kind, bound)

    def scan(self):
        """Running sums of exact numbers, or products of integers, from either end."""
        value = self.choose(lambda v: v.kind == "T" and v.isExact and v.dtype != "int1")
        value = value or self.load(kind="T")
        axis, reverse = self.rng.choice([0, 1]), self.rng.choice(["", ", reverse=True"])
        operation, bound = "cumsum", 0.0
        if value.isFloat:
            value = self.as_type(value, "float64" if value.dtype == "float64" else "float32")
            value = self.clamped(value)
            bound = value.bound * (self.M, self.N)[axis]
        elif self.rng.random() < 0.3:
            operation = "cumprod"
        return self.define(f"tl.{operation}({value.name}, {axis}{reverse}).to(tl.{value.dtype})",
                           value.dtype, "T", bound)

    def shape(self):
        value = self.tile()
        M, N = self.M, self.N
        text = self.rng.choice([
            f"tl.trans(tl.trans({value.name}) + 0)",
            f"tl.reshape(tl.reshape({value.name}, ({M * N},)), ({M}, {N}))",
            f"tl.permute(tl.expand_dims({value.name}, 0), (1, 2, 0)).reshape({M}, {N})"])
        return self.define(text, value.dtype, "T", value.bound)

    def gather(self):
        """Elements along an axis, by numbers of any kind that are made to fit."""
        value = self.tile()
        index = self.choose(lambda v: v.kind == "T" and v.dtype in INTS) or self.load(
            self.rng.choice(INTS), "T")
        axis = self.rng.choice([0, 1])
        extent = (self.M, self.N)[axis]
        fitting = f"({index.name}.to(tl.int64) % {extent} + {extent}) % {extent}"
        return self.define(f"tl.gather({value.name}, {fitting}, {axis})", value.dtype, "T",
                           value.bound)

    def rearrange(self):
        """Elements in another order, or the first ones of two tiles."""
        value = self.tile()
        axis = self.rng.choice([0, 1])
        if self.rng.random() < 0.3:
            return self.define(f"tl.flip({value.name}, {axis})", value.dtype, "T", value.bound)
        # A zero that has no sign compares equal to itself only.
        text = f"({value.name} + 0.0)" if value.isFloat else value.name
        descending = self.rng.choice([True, False])
        if self.rng.random() < 0.5:
            return self.define(f"tl.sort({text}, {axis}, {descending})", value.dtype, "T",
                               value.bound)
        other = self.load(value.dtype, "T")
        second = f"({other.name} + 0.0)" if value.isFloat else other.name
        extent = (self.M, self.N)[axis]
        return self.define(
            f"tl.topk(tl.cat({text}, {second}, False, {axis}), {extent}, {axis}, {descending})",
            value.dtype, "T", max(value.bound, other.bound))

    def flatten(self):
        """The tile's elements in the order of its transpose."""
        value = self.tile()
        return self.define(f"tl.reshape(tl.trans({value.name}), ({self.M}, {self.N}))", value.dtype,
                           "T", value.bound)

    def dot(self):
        dtype = self.rng.choice(["float32", "float16", "bfloat16", "float64", "int8"])
        self.loads.add(dtype)
        a = (f"tl.load({dtype}_ptr + m[:, None] * {self.K} + k[None, :])"
             if self.rng.random() < 0.6 else
             f"tl.trans(tl.load({dtype}_ptr + k[:, None] * {self.M} + m[None, :]))")
        b = (f"tl.load({dtype}_ptr + 7 + k[:, None] * {self.N} + n[None, :])"
             if self.rng.random() < 0.6 else
             f"tl.trans(tl.load({dtype}_ptr + 7 + n[:, None] * {self.K} + k[None, :]))")
        result = {"float64": "float64", "int8": "int32"}.get(dtype, "float32")
        bound = 0.0 if dtype == "int8" else INPUT_BOUND ** 2 * self.K
        accumulator = self.choose(lambda v: v.kind == "T" and v.dtype == result and v.isExact)
        if accumulator and self.rng.random() < 0.5:
            return self.define(f"tl.dot({a}, {b}, {accumulator.name})", result, "T",
                               bound + accumulator.bound)
        return self.define(f"tl.dot({a}, {b})", result, "T", bound)

    def function(self):
        """A result that is not exact, from an exact argument in a safe domain."""
        dtype = self.rng.choice(["float32", "float32", "float64"])
        x = self.clamped(self.as_type(self.number(), dtype))
        b = x.bound
        text, bound = self.rng.choice([
            (f"tl.exp({x.name} * 0.5)", 2.718 ** (b / 2)), (f"tl.exp2({x.name})", 2.0 ** b),
            (f"tl.log(tl.abs({x.name}) + 1)", b), (f"tl.log2(tl.abs({x.name}) + 1)", b + 1),
            (f"tl.sin({x.name})", 1.0), (f"tl.cos({x.name})", 1.0),
            (f"tl.sqrt(tl.abs({x.name}))", b), (f"tl.sigmoid({x.name})", 1.0),
            (f"tl.erf({x.name} * 0.25)", 1.0), (f"{x.name} / (tl.abs({x.name}) + 3)", 1.0)])
        return self.define(text, dtype, x.kind, bound, 8 * EPSILON[dtype] * max(bound, 1.0))

    def inexact(self):
        """Arithmetic on a result that is not exact."""
        a = self.choose(lambda v: v.isFloat and not v.isExact and v.bound < 1e6) or self.function()
        epsilon = EPSILON[a.dtype]
        if a.kind != "S" and self.rng.random() < 0.25:
            kind = "S" if a.kind != "T" else "M"
            n = self.M * self.N
            return self.define(f"tl.sum({a.name}, axis={0 if a.kind != 'T' else 1})", a.dtype, kind,
                               n * a.bound, n * a.error + n * n * epsilon * a.bound)
        b = self.clamped(self.as_type(self.number(), a.dtype))
        kind, (x, y) = self.common(a, b)
        if self.rng.random() < 0.5:
            bound = a.bound + b.bound
            return self.define(f"{x} + {y}", a.dtype, kind, bound, a.error + 2 * epsilon * bound)
        bound = a.bound * b.bound
        error = a.error * b.bound + 2 * epsilon * bound
        return self.define(f"{x} * {y}", a.dtype, kind, bound, error)

    def through_memory(self):
        """Stores a value in this program's scratch array and loads it elsewhere or again."""
        value = self.choose(lambda v: v.dtype == "int32" and v.kind in "NT") or self.load(
            "int32", self.rng.choice("NT"))
        index = "n" if value.kind == "N" else f"m[:, None] * {self.N} + n[None, :]"
        back = index if value.kind == "N" else self.rng.choice(
            [index, f"n[None, :] * {self.M} + m[:, None]"])
        if value.kind == "N" and self.rng.random() < 0.5:
            back = f"{self.N - 1} - n"
        shift = self.rng.choice([0, 0, 1, 3, 16])
        self.emit(f"tl.store(scratch + ({index}) + {shift}, {value.name})")
        return self.define(f"tl.load(scratch + ({back}))", "int32", value.kind)

    def atomic(self):
        value = self.as_type(self.integer(), "int32")
        self.emit(f"tl.atomic_add(atomic_ptr + ({value.name} & {ATOMIC_SLOTS - 1}), {value.name})")

    def call(self):
        a = self.number()
        b = self.as_type(self.number(), a.dtype)
        if a.isFloat:
            a, b = self.clamped(a), self.clamped(b)
        kind, (x, y) = self.common(a, b)
        return self.define(f"helper({x}, y={y})", a.dtype, kind, a.bound * 2 + b.bound)

    def mapped(self):
        """A function with a loop, applied to each element."""
        a = self.integer()
        b = self.as_type(self.integer(), a.dtype)
        kind, (x, y) = self.common(a, b)
        return self.define(f"tl.map_elementwise(lesser, {x}, {y})", a.dtype, kind)

    # Control flow. Names that a body makes are forgotten at its end.

    def body(self, count, carried=()):
        self.indent += 1
        outside = len(self.values)
        for _ in range(count):
            self.statement(deep=self.indent >= 3)
        made = self.values[outside:]
        del self.values[outside:]
        return made

    def assign(self, target, made):
        """Ends a body: gives `target` a value of its own type from what the body made."""
        source = self.rng.choice([v for v in made if v.isExact] or [target])
        source = self.as_type(source, target.dtype) if source is not target else source
        if source.isFloat:
            source = self.clamped(source)
        if source.kind not in ("S", target.kind) and target.kind != "T":
            source = target
        text = self.lifted(source, target.kind)
        operation = "+" if source is not target else "*"
        if target.dtype in FLOATS:
            combined = f"tl.minimum(tl.maximum({target.name} {operation} {text}, -8.0), 8.0)"
            self.emit(f"{target.name} = ({combined}).to(tl.{target.dtype})")
        else:
            self.emit(f"{target.name} = {target.name} {operation} {text}")

    def carriers(self):
        chosen = []
        for _ in range(self.rng.randint(1, 2)):
            value = self.number()
            if value.isFloat:
                value = self.clamped(value)
            name = f"c{self.counter}"
            self.counter += 1
            self.emit(f"{name} = {value.name} + 0")
            chosen.append(Value(name, value.dtype, value.kind, 8.0 if value.isFloat else 0.0))
        return chosen

    def scoped(self, carried):
        """Fills one body that may use and must update the carried values."""
        before = len(self.values)
        self.values += carried
        made = self.body(self.rng.randint(1, 3))
        for target in carried:
            kept = len(self.values)
            self.assign(target, made)
            del self.values[kept:]
        self.indent -= 1
        del self.values[before:]

    def loop(self):
        carried = self.carriers()
        start, step = self.rng.randint(0, 2), self.rng.choice([1, 1, 2])
        trip = self.rng.choice(["rows", str(self.rng.randint(0, 5))])
        form = self.rng.choice(self.FORMS)
        if form == "while":
            self.emit(f"i{self.indent} = {start}")
            self.emit(f"while i{self.indent} < {trip}:")
            self.indent += 1
            self.emit(f"i{self.indent - 1} += {step}")
            self.indent -= 1
        else:
            if form == "tl.static_range":
                trip = str(self.rng.randint(0, 3))
            self.emit(f"for i{self.indent} in {form}({start}, {trip}, {step}):")
        self.scoped(carried)
        self.values += carried

    def branch(self):
        carried = self.carriers()
        scalar = self.choose(lambda v: v.kind == "S" and v.dtype in INTS)
        test = self.rng.choice(["pid % 2 == 0", "rows > 3", "cols < rows"]
                               + ([f"({scalar.name} & 1) == 0"] * 2 if scalar else []))
        self.emit(f"if {test}:")
        self.scoped(carried)
        if self.rng.random() < 0.6:
            self.emit("else:")
            self.scoped(carried)
        self.values += carried

    def statement(self, deep=False):
        simple = [(self.load, 3), (self.unary, 2), (self.binary, 8), (self.compare, 2),
                  (self.logic, 1), (self.where, 3), (self.cast, 2), (self.reduce, 4),
                  (self.scan, 2), (self.shape, 1), (self.flatten, 1), (self.gather, 1),
                  (self.rearrange, 1),
                  (self.dot, 1), (self.function, 1), (self.inexact, 1), (self.call, 1),
                  (self.mapped, 1)]
        compound = [(self.loop, 2), (self.branch, 2), (self.through_memory, 1), (self.atomic, 1)]
        choices = simple if deep else simple + compound
        functions, weights = zip(*choices)
        self.rng.choices(functions, weights)[0]()

    def store(self, value):
        number = len(self.outputs)
        dtype = "int8" if value.dtype == "int1" else value.dtype
        text = f"{value.name}.to(tl.int8)" if value.dtype == "int1" else value.name
        stride = self.rng.choice([1, 1, 2])
        index, mask = {
            "S": ("0", ""), "N": (f"n * {stride}", ", mask=n < cols"),
            "M": (f"m * {stride}", ", mask=m < rows"),
            "T": (self.rng.choice([f"m[:, None] * {self.N} + n[None, :]",
                                   f"n[None, :] * {self.M} + m[:, None]"]),
                  ", mask=(m[:, None] < rows) & (n[None, :] < cols)")}[value.kind]
        mask = mask if self.rng.random() < 0.4 else ""
        base = f"out{number}_ptr + pid * {2 * self.M * self.N}"
        self.emit(f"tl.store({base} + {index}, {text}{mask})")
        self.outputs.append(Output(dtype, value.error))

    def prologue(self):
        self.emit("pid = tl.program_id(0) + tl.program_id(1) * tl.num_programs(0)")
        self.emit(f"m = tl.arange(0, {self.M})")
        self.emit(f"n = tl.arange(0, {self.N})")
        self.emit(f"k = tl.arange(0, {self.K})")
        self.emit(f"scratch = scratch_ptr + pid * {self.SLICE}")

    def generate(self):
        self.prologue()
        for _ in range(self.rng.randint(*self.STATEMENTS)):
            self.statement()
        # Store the latest values and a few others.
        latest, others = self.values[-self.STORED[0]:], min(self.STORED[1], len(self.values))
        for value in latest + self.rng.sample(self.values, others):
            self.store(value)
        arguments = [f"{dtype}_ptr" for dtype in sorted(self.loads)]
        if before := self.MARGINS[0]:
            self.lines[:0] = [f"    {argument} += {before}" for argument in arguments]
        arguments += self.WRITTEN + [f"{name}_ptr" for name in self.more]
        arguments += [f"out{i}_ptr" for i in range(len(self.outputs))]
        arguments += self.scalars
        self.source = ("import tritium as triton\nimport tritium.language as tl\n\n\n"
                       + "".join(self.helpers)
                       + f"@triton.jit\ndef kernel({', '.join(arguments)}):\n"
                       + "\n".join(self.lines) + "\n")

    def case(self):
        """The data that a saved kernel needs beside its source."""
        return {"kind": "tiles", "seed": self.seed, "grid": self.grid, "scalars": self.scalars,
                "loads": sorted(self.loads), "size": 2 * self.M * self.N, "slice": self.SLICE,
                "margins": self.MARGINS, "options": self.options,
                "backends": self.backends,
                "outputs": [(output.dtype, output.error) for output in self.outputs]}
