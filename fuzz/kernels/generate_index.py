"""Random kernels about indices: how they are computed, what masks are made of, and what memory
looks like where they point.

Addresses and masks come from sums, products, quotients, remainders, shifts, conversions and loads,
in narrow and unsigned types, with constants at the edges of types. Rows are gathered and scattered,
addresses repeat, two pointers reach into one array, and arrays are as long as what is used of them.
Where an array begins and how long it is follows from a run of the second text (layout.py).
"""

import dataclasses
import random
import re

WIDTHS = {f"{sign}int{bits}": bits for sign in ("", "u") for bits in (8, 16, 32, 64)}
INDEX_TYPES = ("int8", "uint8", "int16", "uint16", "int32", "int32", "uint32", "int64")
DATA_TYPES = ("int8", "uint8", "int16", "int32", "int32", "int64", "float32", "float16")
PRODUCTS = {"float16": "float32", "bfloat16": "float32", "float32": "float32", "int8": "int32"}
EDGES = [1 << 7, 1 << 8, 1 << 15, 1 << 16, 1 << 31, 1 << 32]
SPAN = 2000     # Most elements between the least and the largest index of an access.
SLICE = 4096    # Elements from one program's part of a written array to the next one's.


def bounds(dtype):
    bits = WIDTHS[dtype]
    return (0, (1 << bits) - 1) if dtype[0] == "u" else (-(1 << bits - 1), (1 << bits - 1) - 1)


def fitted(low, high, dtype):
    """The bounds of numbers from low to high when they wrap at the width of the type."""
    least, most = bounds(dtype)
    rounds = (low - least) // (most - least + 1) * (most - least + 1)
    return (low - rounds, high - rounds) if high - rounds <= most else (least, most)


def common(a, b):
    """The type of an operation on integers of two types."""
    if WIDTHS[a] != WIDTHS[b]:
        return a if WIDTHS[a] > WIDTHS[b] else b
    return a if a[0] == "u" else b


@dataclasses.dataclass
class Index:
    """An integer value; low and high bound it as an offset, which for int32 does not wrap."""

    text: str
    dtype: str
    kind: str    # "S" scalar, "N", "M", "K" vectors, "T" tile of M x N
    low: int
    high: int

    @property
    def range(self):
        """Bounds of the value as it is anywhere else, at its width."""
        return fitted(self.low, self.high, self.dtype)

    @property
    def isNear(self):
        return self.high - self.low <= SPAN


class IndexGenerator:
    """Builds one kernel from a seed; `source` and `case` are the result. Not every kernel has a
    single result (two lanes may store to one element): then the next attempt is taken."""

    def __init__(self, seed, attempt=0):
        self.seed, self.attempt = seed, attempt
        self.rng = random.Random(f"{seed}/{attempt}")
        self.lines, self.indent, self.counter = [], 1, 0
        self.indices, self.masks, self.arrays = [], [], {}
        pick = self.rng.choice
        self.extent = {"M": pick([1, 2, 3, 8, 16, 17, 32]), "K": pick([4, 8, 16, 16, 19, 32]),
                       "N": pick([1, 2, 5, 8, 15, 16, 32, 33, 64, 64, 128, 256])}
        self.extent["M"] = min(self.extent["M"], 2048 // self.extent["N"])
        self.grid = pick([(1,), (2,), (3,), (2, 2)])
        self.backends = ["interpret", "cpu", pick(["sim:sm_80", "sim:sm_90"])]
        self.options = {"num_warps": pick([1, 2, 4]), "num_stages": pick([1, 2, 3])}
        # CTAs loop over programs where that is right, where it is faster, or not at all.
        if self.seed % 3:
            self.options["persistent"] = self.seed % 3 == 1
        self.scalars = {f"s{i}": self.scalar_value() for i in range(5)}
        self.generate()

    def scalar_value(self):
        rng, N = self.rng, self.extent["N"]
        return rng.choice([0, 1, 2, 3, 5, 8, 16, 64, N, N - 1, N + 5, -1, -3, -N, 100,
                           self.edge("int32"), self.edge("int32"), self.edge("int64")])

    def edge(self, dtype):
        """A number of the type near where types end."""
        low, high = bounds(dtype)
        while True:
            number = self.rng.choice(EDGES) + self.rng.randint(-5, 3)
            number = -number if self.rng.random() < 0.25 else number
            if low <= number <= high:
                return number

    # Text and names.

    def emit(self, text):
        self.lines.append("    " * self.indent + text)

    def name(self, letter):
        self.counter += 1
        return f"{letter}{self.counter}"

    def define(self, text, dtype, kind, low, high):
        # An int32 is exact in an offset; anything else is at its width.
        if dtype != "int32":
            low, high = fitted(low, high, dtype)
        value = Index(self.name("v"), dtype, kind, low, high)
        self.emit(f"{value.text} = {text}")
        self.indices.append(value)
        return value

    def array(self, name, dtype, fill, written=False, view=None):
        """An array that the kernel uses. `fill`: what its elements are (layout.py); `view`: the
        array that it lies in, and where."""
        self.arrays.setdefault(name, {"dtype": dtype, "fill": fill, "written": written,
                                      "view": view})
        return name

    # Index values.

    def choose(self, kinds="SNMT", accept=lambda value: True):
        fitting = [value for value in self.indices if value.kind in kinds and accept(value)]
        # Prefer what was made lately, so that expressions grow deep.
        return self.rng.choice(fitting[-7:])

    def lifted(self, value, kind):
        if kind == "T" and value.kind in "NM":
            return value.text + {"N": "[None, :]", "M": "[:, None]"}[value.kind]
        return value.text

    def pair(self, a, b):
        """Both as text of one shape, and its kind."""
        kinds = {a.kind, b.kind} - {"S"}
        kind = "S" if not kinds else kinds.pop() if len(kinds) == 1 else "T"
        return kind, self.lifted(a, kind), self.lifted(b, kind)

    def cast(self):
        a, dtype = self.choose(), self.rng.choice(INDEX_TYPES)
        isExtended = a.dtype == "int32" and dtype == "int64"
        return self.define(f"{a.text}.to(tl.{dtype})", dtype, a.kind,
                           *((a.low, a.high) if isExtended else self.wrapped(a, dtype)))

    def wrapped(self, value, dtype):
        return fitted(*value.range, dtype)

    def operand(self, a):
        """Something to combine with `a`: (text for its shape, value)."""
        roll = self.rng.random()
        if roll < 0.35:
            number = self.rng.choice([1, 2, 3, 4, 7, 8, 16, self.extent["N"]])
            return self.number(number, a)
        if roll < 0.5:
            return self.number(self.edge(a.dtype), a)
        if roll < 0.7:
            name = self.rng.choice(list(self.scalars))
            number = self.scalars[name]
            # The launch makes a constant of a one, which has no type of its own.
            low, high = bounds("int32")
            dtype = a.dtype if number == 1 else "int32" if low <= number <= high else "int64"
            return Index(name, dtype, "S", number, number)
        return self.choose()

    def number(self, number, a):
        low, high = bounds(a.dtype)
        number = number if low <= number <= high else 3
        return Index(f"({number})" if number < 0 else str(number), a.dtype, "S", number, number)

    def arithmetic(self):
        a = self.choose()
        b = self.operand(a)
        kind, x, y = self.pair(a, b)
        dtype = common(a.dtype, b.dtype)
        # Conversions to another type than a 64-bit one end what is exact.
        (p, q), (r, s) = [(v.low, v.high) if dtype in ("int32", "int64")
                          and v.dtype in ("int32", "int64") else self.wrapped(v, dtype)
                          for v in (a, b)]
        operator = self.rng.choice("+++--*")
        if operator == "*":
            corners = [i * j for i in (p, q) for j in (r, s)]
            low, high = min(corners), max(corners)
        else:
            low, high = (p + r, q + s) if operator == "+" else (p - s, q - r)
        if not -(1 << 62) < low <= high < 1 << 62:
            return self.cast()
        return self.define(f"{x} {operator} {y}", dtype, kind, low, high)

    def division(self):
        """// and % of operands of one signedness."""
        a = self.choose()
        sameSign = [v for v in self.indices if v.dtype[0] == a.dtype[0]]
        b = self.operand(a)
        if b.dtype[0] != a.dtype[0]:
            b = self.rng.choice(sameSign)
        kind, x, y = self.pair(a, b)
        dtype = common(a.dtype, b.dtype)
        (p, q), (r, s) = self.wrapped(a, dtype), self.wrapped(b, dtype)
        if self.rng.random() < 0.6:
            most = max(abs(r), abs(s))
            top = q if 0 in range(r, s + 1) else min(max(q, 0), max(most - 1, 0))
            low = 0 if p >= 0 else p if 0 in range(r, s + 1) else max(p, 1 - most)
            return self.define(f"{x} % {y}", dtype, kind, low, top)
        most = max(abs(p), abs(q))
        low = 0 if p >= 0 and r >= 0 else -most
        return self.define(f"{x} // {y}", dtype, kind, low, most)

    def shift(self):
        """The left operand decides what >> fills with, whatever the right one's type is."""
        a = self.choose()
        b = self.operand(a)
        if self.rng.random() < 0.4:
            # A count of the other signedness, and of any width.
            prefix, bits = "" if a.dtype[0] == "u" else "u", self.rng.choice([8, 16, 32, 32, 64])
            b = self.choose()
            b = self.define(f"{b.text}.to(tl.{prefix}int{bits})", f"{prefix}int{bits}", b.kind,
                            *self.wrapped(b, f"{prefix}int{bits}"))
        dtype = common(a.dtype, b.dtype)
        most = self.rng.choice([1, 3, 7, WIDTHS[dtype] - 1])
        kind, x, y = self.pair(a, b)
        if b.text.lstrip("(-").rstrip(")").isdigit():
            y = str(abs(b.low) & most)
        else:
            y = f"({y} & {most})"
        low, high = bounds(dtype)
        if self.rng.random() < 0.75:
            p, q = self.wrapped(a, dtype)
            if p >= 0:
                low, high = 0, q
            elif a.dtype[0] != "u" and dtype[0] != "u":
                low, high = p, max(q, 0)
            return self.define(f"{x} >> {y}", dtype, kind, low, high)
        return self.define(f"{x} << {y}", dtype, kind, low, high)

    def bits(self):
        a = self.choose()
        if self.rng.random() < 0.6:
            mask = self.rng.choice([1, 7, 15, 63, 127])
            low, high = a.range
            return self.define(f"{a.text} & {mask}", a.dtype, a.kind, 0,
                               min(high, mask) if low >= 0 else mask)
        b = self.operand(a)
        kind, x, y = self.pair(a, b)
        dtype = common(a.dtype, b.dtype)
        return self.define(f"{x} {self.rng.choice('&|^')} {y}", dtype, kind, *bounds(dtype))

    def selected(self):
        a = self.choose()
        b = self.operand(a)
        kind, x, y = self.pair(a, b)
        dtype = common(a.dtype, b.dtype)
        (p, q), (r, s) = self.wrapped(a, dtype), self.wrapped(b, dtype)
        form = self.rng.choice(["minimum", "maximum", "where"])
        if form == "where":
            condition = self.mask(kind)
            kind = "T" if kind != "S" and condition.endswith("]") else kind
            return self.define(f"tl.where({self.mask(kind)}, {x}, {y})", dtype, kind, min(p, r),
                               max(q, s))
        return self.define(f"tl.{form}({x}, {y})", dtype, kind,
                           *((min(p, r), min(q, s)) if form == "minimum" else
                             (max(p, r), max(q, s))))

    def near(self, kind):
        """An index with bounds that fit an array."""
        options = [v for v in self.indices if v.kind == kind and v.isNear]
        if options and self.rng.random() < 0.75:
            return self.rng.choice(options[-6:])
        a = self.choose(kind)
        low, high = a.range
        bound = self.rng.choice([31, 63, 255 if bounds(a.dtype)[1] > 127 else 127, 97, 100, 33])
        if bound & bound + 1 == 0:
            return self.define(f"{a.text} & {bound}", a.dtype, kind, 0,
                               min(high, bound) if low >= 0 else bound)
        return self.define(f"{a.text} % {bound}", a.dtype, kind, 0 if low >= 0 else 1 - bound,
                           bound - 1)

    def loaded(self):
        """Any number of a type, from memory."""
        kind, dtype = self.rng.choice("SNM"), self.rng.choice(["int8", "int16", "int32", "int64"])
        base = self.array(f"data_{dtype}", dtype, "full")
        return self.define(f"tl.load({base} + {self.near(kind).text})", dtype, kind,
                           *bounds(dtype))

    def gathered(self):
        """An index that memory holds."""
        kind, dtype = self.rng.choice("NM"), self.rng.choice(INDEX_TYPES)
        at = self.near(kind)
        base = self.array(f"index_{dtype}", dtype, "small")
        mask = self.masked(kind)
        return self.define(f"tl.load({base} + {at.text}{mask})", dtype, kind, 0, 63)

    def decided(self):
        """An index that a branch chooses."""
        a = self.choose(accept=lambda value: value.dtype in ("int32", "int64"))
        step = self.rng.choice([1, 7, 16, self.edge("int32")])
        b = self.choose(a.kind, lambda value: value.dtype == a.dtype)
        name = self.name("v")
        test = self.rng.choice(["pid % 2 == 0", "s0 > 3", "s1 < s2"])
        self.emit(f"{name} = {a.text}")
        self.emit(f"if {test}:")
        self.emit(f"    {name} = {a.text} + ({step})")
        low, high = min(a.low, a.low + step), max(a.high, a.high + step)
        if self.rng.random() < 0.5:
            self.emit("else:")
            self.emit(f"    {name} = {b.text}")
            low, high = min(low, b.low), max(high, b.high)
        value = Index(name, a.dtype, a.kind, low, high)
        self.indices.append(value)
        return value

    def index(self):
        roll = [(self.cast, 3), (self.arithmetic, 7), (self.division, 3), (self.shift, 3),
                (self.loaded, 1), (self.bits, 2), (self.selected, 1.5), (self.gathered, 1.5),
                (self.decided, 1)]
        functions, weights = zip(*roll)
        return self.rng.choices(functions, weights)[0]()

    # Masks.

    def compare(self, kind):
        """A comparison that has that shape."""
        rng = self.rng
        axes = {"S": "S", "N": "NNS", "M": "MMS", "K": "K", "T": "TNM"}[kind]
        fitting = [v for v in self.indices if v.kind in axes]
        a = rng.choice(fitting[-8:]) if fitting else self.choose("S")
        if rng.random() < 0.3:
            b = rng.choice([v for v in self.indices if v.kind in axes + "S"][-8:])
        else:
            b = self.operand(a)
            if b.kind not in axes + "S":
                b = self.number(rng.choice([0, 3, 16, self.extent["N"] // 2]), a)
        operator = rng.choice(["<", "<", "<", "<=", ">", ">=", "==", "!="])
        x, y = self.lifted(a, kind), self.lifted(b, kind)
        if a.kind == "S" and b.kind == "S" and kind != "S":
            x = f"({x} + {self.zeros(kind, common(a.dtype, b.dtype))})"
        return f"({x} {operator} {y})"

    def zeros(self, kind, dtype):
        shape = {"N": f"({self.extent['N']},)", "M": f"({self.extent['M']},)",
                 "K": f"({self.extent['K']},)",
                 "T": f"({self.extent['M']}, {self.extent['N']})"}[kind]
        return f"tl.zeros({shape}, tl.{dtype})"

    def mask(self, kind):
        made = [text for text, of in self.masks if of == kind]
        if made and self.rng.random() < 0.3:
            return self.rng.choice(made)
        text = self.compare(kind)
        while self.rng.random() < 0.35:
            text = f"({text} {self.rng.choice('&&&|^')} {self.compare(kind)})"
        if self.rng.random() < 0.4:
            name = self.name("p")
            self.emit(f"{name} = {text}")
            self.masks.append((name, kind))
            return name
        return text

    def masked(self, kind, other=True):
        if self.rng.random() < 0.4:
            return ""
        default = self.rng.choice(["", f", other={self.rng.randrange(5)}"]) if other else ""
        return f", mask={self.mask(kind)}{default}"

    # Addresses.

    def position(self, kind):
        """The text of an offset of that shape whose bounds fit an array."""
        rng, N = self.rng, self.extent["N"]
        if kind != "T" or rng.random() < 0.3:
            return self.near(kind).text
        row, column = self.near("M"), self.near("N")
        far, close = (row, column) if rng.random() < 0.7 else (column, row)
        pitch = self.number(rng.choice([N, N + 3, 64, 2, 0, -N, 1]), far).text
        if rng.random() < 0.25:
            name = rng.choice(list(self.scalars))
            if abs(self.scalars[name]) <= 256:
                pitch = name
        return f"({self.lifted(far, kind)} * {pitch} + {self.lifted(close, kind)})"

    def unique(self, kind):
        """An offset that no two lanes share."""
        rng, M, N = self.rng, self.extent["M"], self.extent["N"]

        def axis(name, size):
            some = rng.choice(list(self.scalars))
            forms = [name, name, f"({size - 1} - {name})", f"({name} * 2)",
                     f"(({name} + {rng.randrange(1, 40)}) % {size})",
                     f"(({name} + {abs(self.scalars[some]) % 50}) % {size})"]
            if size & size - 1 == 0 and size > 1:
                forms.append(f"({name} ^ {size // 2})")
                forms.append(f"(({name} * 5 + 3) & {size - 1})")
                forms.append(f"(({name} + {self.edge('int32')}) & {size - 1})")
            if size <= 64:
                forms.append(f"tl.load({self.array('permutation', 'int32', 'permutation')} + "
                             f"{name})")
            return rng.choice(forms)

        if kind == "S":
            return "0"
        if kind != "T":
            return axis(kind.lower(), self.extent[kind])
        n, m = axis("n", N), axis("m", M)
        if rng.random() < 0.3:
            return f"({n}[None, :] * {2 * M + 64} + {m}[:, None])" if 2 * M + 64 < 100 else \
                f"({n}[None, :] * {2 * M} + {m}[:, None])"
        return f"({m}[:, None] * {max(2 * N, 64)} + {n}[None, :])"

    def into(self, base, position):
        """A pointer into this program's part of a written array."""
        return self.rng.choice([f"{base} + pid * {SLICE} + {position}",
                                f"{base} + (pid * {SLICE} + {position})",
                                f"({base} + {position}) + pid * {SLICE}"])

    # Statements.

    def store(self, text, kind, dtype):
        base = self.array(f"out{len(self.arrays)}", dtype, "same", written=True)
        position = self.unique(kind)
        self.emit(f"tl.store({self.into(base, position)}, {text}{self.masked(kind, False)})")

    def store_index(self):
        """An index as data, which wraps."""
        value = self.choose()
        self.store(value.text, value.kind, value.dtype)

    def store_mask(self):
        kind = self.rng.choice("NNMT")
        self.store(f"({self.mask(kind)}).to(tl.int8) + {self.zeros(kind, 'int8')}", kind, "int8")

    def fetch(self):
        kind = self.rng.choice("SNNMTTT")
        dtype = self.rng.choice(DATA_TYPES)
        base = self.array(f"data_{dtype}", dtype, "full")
        position, mask = self.position(kind), self.masked(kind)
        start = self.rng.choice(["", "", "", f" + pid * {self.rng.choice([1, 16, 100])}"])
        name = self.name("x")
        self.emit(f"{name} = tl.load({base}{start} + {position}{mask})")
        if dtype in WIDTHS and kind != "T" and self.rng.random() < 0.5:
            self.indices.append(Index(name, dtype, kind, *bounds(dtype)))
        self.store(name, kind, dtype)

    def mark(self):
        """One number to places that may repeat, where a mask says so."""
        kind = self.rng.choice("NNMTT")
        base = self.array(f"marks{len(self.arrays)}", self.rng.choice(["int8", "int32"]), "same",
                          written=True)
        position, mask = self.position(kind), self.mask(kind)
        self.emit(f"tl.store({self.into(base, position)}, 77, mask={mask})")

    def change(self):
        """Load, change and store through one tile of pointers, in which places may repeat."""
        kind = self.rng.choice("NNNMT")
        dtype = self.rng.choice(["int32", "int32", "int8", "int64", "float32"])
        base = self.array(f"state{len(self.arrays)}", dtype, "full", written=True)
        pointers, name = self.name("q"), self.name("x")
        self.emit(f"{pointers} = {self.into(base, self.position(kind))}")
        mask = self.rng.choice(["", "", f", mask={self.mask(kind)}"])
        for _ in range(self.rng.choice([1, 1, 2])):
            change = self.rng.choice(["{0} + 1", "{0} * 2 + 1", "-{0}", "{0} + {0}"])
            loaded = f"tl.load({pointers}{mask})"
            if self.rng.random() < 0.5:
                self.emit(f"{name} = {loaded}")
                loaded = name
            self.emit(f"tl.store({pointers}, {change.format(loaded)}{mask})")

    def views(self):
        """Loads and stores through two pointers into one array, also before where they begin."""
        rng = self.rng
        dtype = rng.choice(["int32", "int16", "int8"])
        number = len(self.arrays)
        distance = rng.choice([0, 1, -1, 16, 64, 100, -64, 7, self.extent["N"]])
        one = self.array(f"left{number}", dtype, "full", written=True)
        two = self.array(f"right{number}", dtype, "full", written=True, view=(one, distance))
        for _ in range(rng.choice([1, 1, 2, 3])):
            kind = rng.choice("NNT")
            source, target = rng.choice([(one, two), (two, one), (one, one)])
            near = rng.choice(["0", "1", "-1", f"-{self.extent['N']}", "16", "s0", "s1"])
            near = near if near[0] != "s" or abs(self.scalars[near]) < 200 else "3"
            to = self.into(target, f"({self.unique(kind)} + {near})")
            at = self.into(source, rng.choice([self.unique(kind), self.position(kind)]))
            mask = self.masked(kind)
            rest = mask.partition(", other")[0]
            self.emit(f"tl.store({to}, tl.load({at}{mask}) + 1{rest})")

    def operand_axis(self, axis, extent, pitch=1):
        """The rows or columns of an operand, in a type that holds what they are multiplied by."""
        rng = self.rng
        some = rng.choice([name for name in self.scalars])
        amount = some if rng.random() < 0.5 else str(rng.randrange(1, 40))
        forms = [axis, axis, f"(({axis} + {amount}) % {extent})", f"({axis} // 2)",
                 f"({axis} >> 1)", f"({axis} * 3) % {extent}", f"(({axis} + {amount}) & 15)",
                 f"({extent} - 1 - {axis})"]
        if max(pitch, extent) <= 255:
            forms.append(f"({axis}.to(tl.uint8) % {extent})")
        if abs(self.scalars[some]) > 1000:
            forms = forms[:2] + forms[3:6]
        form = rng.choice(forms)
        if rng.random() < 0.25:
            index = rng.choice(["int32", "int64", "int16", *(["uint8"] if pitch <= 255 else [])])
            base = self.array(f"index_{index}", index, "small")
            return f"tl.load({base} + {form})"
        return form

    def dot_operand(self, name, dtype, rows, columns, extents):
        """A load with axes that wrap, repeat or are gathered, maybe through a transpose."""
        rng = self.rng
        base = self.array(f"{name}_{dtype}", dtype, "exact")
        R, C = extents
        isTransposed = rng.random() < 0.4
        pitch = rng.choice([R, R + 3] if isTransposed else [C, C + 5, 64])
        row = self.operand_axis(rows, R, 1 if isTransposed else pitch)
        column = self.operand_axis(columns, C, pitch if isTransposed else 1)
        mask = ""
        if rng.random() < 0.4:
            bound = rng.choice([str(R // 2), "s0", "s1", str(R)])
            other = rng.choice([str(C // 2), "s2", str(C)])
            mask = rng.choice([f"({rows}[:, None] < {bound})", f"({columns}[None, :] < {other})",
                               f"({rows}[:, None] < {bound}) & ({columns}[None, :] < {other})",
                               f"(({rows}[:, None] + {columns}[None, :]) % 3 != 1)",
                               f"(({row})[:, None] < {bound})"])
            mask = f", mask={mask}, other=0"
        if not isTransposed:
            return (f"tl.load({base} + ({row})[:, None] * {pitch} + ({column})[None, :]{mask})")
        for old, new in (("[:, None]", "[!]"), ("[None, :]", "[:, None]"), ("[!]", "[None, :]")):
            mask = mask.replace(old, new)
        return (f"tl.trans(tl.load({base} + ({column})[:, None] * {pitch} + "
                f"({row})[None, :]{mask}))")

    def product(self):
        rng = self.rng
        dtype = rng.choice(sorted(PRODUCTS))
        result, total = PRODUCTS[dtype], self.name("acc")
        M, N, K = (self.extent[axis] for axis in "MNK")
        self.emit(f"{total} = tl.zeros(({M}, {N}), tl.{result})")
        precision = ", input_precision='ieee'" if dtype == "float32" else ""
        step = rng.choice(["", "", "t"])
        if step:
            trips = rng.choice(["2", "3", "pid + 1"])
            self.emit(f"for t in range(0, {trips}):")
            self.indent += 1
            amount = rng.choice([K, K, 16])
            column = self.name("k")
            self.emit(f"{column} = " + rng.choice([
                f"t * {amount} + k", f"(t * {amount} + k + {rng.choice(['s0', '7'])}) % {2 * K}"
                if abs(self.scalars["s0"]) < 1000 else f"t * {amount} + k"]))
        else:
            column = "k"
        depth = 3 * K if step else K
        a = self.dot_operand("a", dtype, "m", column, (M, depth))
        b = self.dot_operand("b", dtype, column, "n", (depth, N))
        self.emit(f"{total} = tl.dot({a}, {b}, {total}{precision})")
        if step:
            self.indent -= 1
        self.store(total, "T", result)

    def walk(self):
        """A loop that carries an index or a pointer."""
        rng = self.rng
        kind = rng.choice("NNM")
        i, carried, total = self.name("i"), self.name("c"), self.name("sum")
        axis = kind.lower()
        dtype = rng.choice(["int32", "int32", "int16", "uint8", "int64"])
        start = rng.choice([axis, f"{axis} * 2", f"({axis} + 5)", f"({axis} + {(1 << 31) - 40})"])
        base = self.array("far_int32" if "214748" in start else "data_int32", "int32", "full")
        trips = rng.choice(["3", "pid + 2", "s0" if abs(self.scalars["s0"]) < 20 else "4"])
        self.emit(f"{total} = {self.zeros(kind, 'int32')}")
        if rng.random() < 0.5:
            self.emit(f"{carried} = ({start}).to(tl.{dtype})")
            self.emit(f"for {i} in range(0, {trips}):")
            mask = rng.choice(["", f", mask={carried} < {rng.choice([20, 64, 100])}"])
            step = rng.choice(["1", "16", "7", f"({self.edge(dtype)})"])
            isExact = dtype in ("int32", "int64") and "(" not in step
            at = carried if isExact else f"({carried} & 255)"
            self.emit(f"    {total} += tl.load({base} + {at}{mask})")
            self.emit(f"    {carried} = {carried} {rng.choice('++-')} {step}")
        else:
            self.emit(f"{carried} = {base} + {start}")
            self.emit(f"for {i} in range(0, {trips}):")
            bound = rng.choice([f"{self.extent[kind]} - {i} * 4", "10", f"({i} * 37) % 64"])
            mask = rng.choice(["", f", mask={axis} < {bound}"])
            self.emit(f"    {total} += tl.load({carried}{mask})")
            self.emit(f"    {carried} += {rng.choice(['1', '16', '(-3)', str(self.extent[kind])])}")
        self.store(total, kind, "int32")

    def statement(self):
        functions, weights = zip((self.store_index, 2), (self.store_mask, 2), (self.fetch, 4),
                                 (self.mark, 2), (self.change, 2.5), (self.views, 1),
                                 (self.product, 2), (self.walk, 1))
        self.rng.choices(functions, weights)[0]()

    def generate(self):
        self.emit("pid = tl.program_id(0) + tl.program_id(1) * tl.num_programs(0)")
        self.indices.append(Index("pid", "int32", "S", 0, 3))
        for axis in "MNK":
            self.emit(f"{axis.lower()} = tl.arange(0, {self.extent[axis]})")
            if axis != "K":
                self.indices.append(Index(axis.lower(), "int32", axis, 0, self.extent[axis] - 1))
        self.define("m[:, None] * %d + n[None, :]" % self.extent["N"], "int32", "T", 0,
                    self.extent["M"] * self.extent["N"] - 1)
        for _ in range(self.rng.randint(1, 4)):
            for _ in range(self.rng.randint(0, 4)):
                self.index()
            self.statement()
        # What nothing else shows is stored: an index that is wrong must be seen.
        used = "\n".join(self.lines)
        unseen = [value for value in self.indices
                  if len(re.findall(rf"\b{value.text}\b", used)) == 1]
        for value in unseen[-4:]:
            self.store(value.text, value.kind, value.dtype)
        names = list(self.arrays)
        heads = [f"    {name} = {name}_ptr + {name}_base" for name in names]
        parameters = [f"{name}_ptr" for name in names] + [f"{name}_base" for name in names]
        parameters += self.scalars
        self.source = ("import tritium as triton\nimport tritium.language as tl\n\n\n"
                       f"@triton.jit\ndef kernel({', '.join(parameters)}):\n"
                       + "\n".join(heads + self.lines) + "\n")

    def case(self):
        """The data that a saved kernel needs beside its source."""
        return {"kind": "indices", "seed": self.seed, "grid": self.grid, "arrays": self.arrays,
                "scalars": self.scalars, "options": self.options, "backends": self.backends}
