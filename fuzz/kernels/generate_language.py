"""Random kernels about what the other kinds leave out: loops that are left, kernels that end early,
elements of tiles, scans and reductions with functions of one's own, functions of elements with
branches, histograms, scaled products, 8-bit floats, atomics of every width, and blocks that are
stored, moved and gathered over the edges of arrays.
"""

from generate import ATOMIC_SLOTS, FLOATS, HELPERS, INPUT_BOUND, INTS, Generator, Value
from generate_functions import COMBINERS, REDUCTIONS, SCANS, arity, drawn

SMALL = ("float8e4nv", "float8e5")
# Numbers that one operand of a scaled product has at most, and the array that it comes from.
FORMATS = {"e2m1": (6.0, "uint8"), "e4m3": (INPUT_BOUND, "float8e4nv"),
           "e5m2": (INPUT_BOUND, "float8e5"), "bf16": (INPUT_BOUND, "bfloat16"),
           "fp16": (INPUT_BOUND, "float16")}
# Rows of a box are so far apart: more than its columns, and a multiple of 16 bytes.
BOX_PITCH = 160
BOX = 1 << 15
BOX_ATOMICS = ("int32", "uint32", "uint64")  # Types whose blocks take every atomic operation.


class LanguageGenerator(Generator):
    STATEMENTS = (3, 11)
    FORMS = ["range", "tl.range", "while"]
    STORED = (4, 6)

    def setup(self):
        super().setup()
        pick = self.rng.choice
        if self.rng.random() < 0.2:
            # As many elements as several warps have. A program's part of scratch holds them.
            self.M, self.N = pick([32, 48, 64]), pick([16, 24, 31])
        if self.rng.random() < 0.9:  # else mostly nothing
            self.scalars = {"rows": pick([1, self.M // 2 + 1, self.M, self.M + 3]),
                            "cols": pick([1, self.N // 2 + 1, self.N, self.N, self.N + 5])}
        self.backends = ["interpret", "cpu", pick(["sim:sm_80", "sim:sm_90"])]
        self.options = {"num_warps": pick([1, 2, 4]), "num_stages": pick([1, 2, 3])}
        # CTAs loop over programs where that is right, where it is faster, or not at all.
        if self.seed % 3:
            self.options["persistent"] = self.seed % 3 == 1
        self.helpers = [HELPERS, COMBINERS]
        self.counters = []  # of the loops around the current statement

    def name(self, letter):
        self.counter += 1
        return f"{letter}{self.counter - 1}"

    def extent(self, kind):
        return {"N": self.N, "M": self.M}[kind]

    def integers(self, kind=None, dtype=None):
        """A value of an integer type, of that kind."""
        kind = kind or self.rng.choice("NMTT")
        found = self.choose(lambda v: v.dtype in INTS and v.kind == kind
                            and dtype in (None, v.dtype))
        return found or self.load(dtype or self.rng.choice(INTS), kind)

    def numbers(self, kind):
        """An exact value of that kind."""
        found = self.choose(lambda v: v.kind == kind and v.isExact and v.dtype in INTS + FLOATS)
        return found or self.load(None, kind)

    def results(self, names, values, kind):
        """Names that a statement gave several values to, of these values' types."""
        for name, value in zip(names, values):
            self.values.append(Value(name, value.dtype, kind, value.bound))
        return self.values[-1]

    # Control flow.

    def test(self):
        scalar = self.choose(lambda v: v.kind == "S" and v.dtype in INTS)
        row = self.choose(lambda v: v.kind in "NM" and v.dtype in INTS)
        tests = ["pid % 2 == 1", "rows > 2", "cols < rows"]
        tests += [f"({scalar.name} & 3) == 1", f"{scalar.name} % 3 != 0"] * 2 if scalar else []
        tests += [f"tl.max({row.name}) % 3 != 1"] if row else []
        if self.counters and self.indent > 1:
            tests += [f"{self.counters[-1]} == 2", f"{self.counters[-1]} * 2 > cols"] * 2
        return self.rng.choice(tests)

    def loop(self):
        if len(self.counters) == 2:
            return
        self.counters.append(f"i{self.indent}")
        super().loop()
        self.counters.pop()

    def leave(self):
        """Ends a round or a loop, or the kernel, with other values than further down."""
        word = self.rng.choice(["break", "continue", "break", "continue", "return"])
        if not self.counters or word == "return":
            if self.rng.random() < 0.6:
                return self.guarded()
            word = "return"
        self.emit(f"if {self.test()}:")
        self.indent += 1
        carried = self.choose(lambda v: v.name[0] == "c" and v.dtype in INTS)
        if carried:
            self.emit(f"{carried.name} = {carried.name} * 3 + 1")
        if self.rng.random() < 0.3:
            self.emit(f"tl.store(scratch + n, n + {self.rng.randrange(9)})")
        if word == "return" and self.values and self.rng.random() < 0.7:
            self.store(self.rng.choice(self.values[-4:]))
        self.emit(word)
        self.indent -= 1

    def guarded(self):
        """A value that a branch with a branch in it may change."""
        target = self.number()
        if target.isFloat:
            target = self.integers("S")
        name = self.name("c")
        self.emit(f"{name} = {target.name} + 0")
        self.emit(f"if {self.test()}:")
        self.emit(f"    {name} = {name} - 7")
        self.emit(f"    if {self.test()}:")
        self.emit(f"        {name} = ~{name}")
        return self.results([name], [target], target.kind)

    # Functions.

    def scalars_function(self, results):
        text, name = drawn(self.rng, self.name("f"), results)
        self.helpers.append(text)
        return name

    def mapped(self):
        """A function with branches and loops, applied to each element, or to scalars."""
        a = self.integers(self.rng.choice("SNMT"))
        b = self.as_type(self.integers(self.rng.choice(["S", a.kind])), a.dtype)
        kind, (x, y) = self.common(a, b)
        results = self.rng.choice([1, 1, 2])
        function = self.scalars_function(results)
        call = f"{function}({x}, {y})" if kind == "S" and self.rng.random() < 0.7 else \
            f"tl.map_elementwise({function}, {x}, {y})"
        names = [self.name("v") for _ in range(results)]
        self.emit(f"{', '.join(names)} = {call}")
        return self.results(names, [a] * results, kind)

    def along(self):
        """A scan, or a reduction, with one of the functions that combine elements."""
        kind = self.rng.choice("NTT")
        isScan = self.rng.random() < 0.7
        axis = self.rng.choice([0, 1]) if kind == "T" else 0
        name, needs = self.rng.choice(SCANS if isScan else REDUCTIONS)
        if needs == "any":
            values = [self.numbers(kind), self.integers(kind)][:2 if name == "larger" else 1]
        elif needs == "each":  # every element has a type of its own
            values = [self.integers(kind) for _ in range(arity(name))]
        else:
            first = self.integers(kind)
            values = [first, *(self.integers(kind, first.dtype)
                               for _ in range(arity(name) - 1))]
        operands = ", ".join(value.name for value in values)
        operands = operands if len(values) == 1 else f"({operands})"
        call = f"tl.associative_scan({operands}, {axis}, {name}" + self.rng.choice(
            ["", ", reverse=True"]) if isScan else f"tl.reduce({operands}, {axis}, {name}"
        names = [self.name("v") for _ in values]
        self.emit(f"{', '.join(names)} = {call})")
        return self.results(names, values, kind if isScan else "NM"[axis] if kind == "T" else "S")

    def kept(self):
        """A reduction that keeps its axis, with what was reduced."""
        value = self.as_type(self.integers("T"), self.rng.choice(["int32", "int64", "uint32"]))
        name = self.rng.choice(["sum", "max", "min", "xor_sum", "reduce_or"])
        axis = self.rng.choice([0, 1])
        return self.define(f"{value.name} - tl.{name}({value.name}, axis={axis}, keep_dims=True)"
                           f".to(tl.{value.dtype})", value.dtype, "T")

    def counted(self):
        """How often numbers occur."""
        kind = self.rng.choice("NMT")
        x = self.integers(kind)
        bins = self.rng.choice("NM")
        text = f"tl.ravel({x.name})" if kind == "T" else x.name
        small = self.rng.choice([f"({text} & 15)", f"({text} % {self.extent(bins) + 2})", text])
        mask = ""
        if kind != "T" and self.rng.random() < 0.5:
            chosen = self.choose(lambda v: v.dtype == "int1" and v.kind == kind)
            mask = f", mask={chosen.name if chosen else kind.lower() + ' < rows'}"
        return self.define(f"tl.histogram({small}, {self.extent(bins)}{mask})", "int32", bins)

    def sorted_row(self):
        """Sorted rows, of every type and kind, or their first elements at both ends."""
        kind = self.rng.choice("NMTT")
        value = self.numbers(kind)
        axis = self.rng.choice([0, 1]) if kind == "T" else 0
        text = f"({value.name} + 0.0).to(tl.{value.dtype})" if value.isFloat else value.name
        extent = self.extent(kind) if kind != "T" else (self.M, self.N)[axis]
        first = self.rng.randint(1, extent)
        down = self.rng.choice([True, False])
        if first == extent or self.rng.random() < 0.4:
            text = f"tl.sort({text}, {axis}, {down})"
        else:
            text = (f"tl.cat(tl.topk({text}, {first}, {axis}, {down}), "
                    f"tl.topk({text}, {extent - first}, {axis}, {not down}), False, {axis})")
        return self.define(text, value.dtype, kind, value.bound)

    # Elements.

    def place(self, extent):
        """A place of a dimension, known or computed."""
        if self.rng.random() < 0.5:
            return str(self.rng.randrange(-extent, extent))
        scalar = self.integers("S")
        return f"({scalar.name}.to(tl.int64) % {extent} + {extent}) % {extent}"

    def many(self, kind):
        """Places along a dimension, as many as it has."""
        index, extent = self.integers(kind), self.extent(kind)
        return f"({index.name}.to(tl.int64) % {extent} + {extent}) % {extent}"

    def elements(self):
        rng, value = self.rng, self.numbers(self.rng.choice("NMTTT"))
        x, dtype, bound = value.name, value.dtype, value.bound
        if value.kind != "T":
            extent = self.extent(value.kind)
            cut = rng.randrange(1, extent) if extent > 1 else 0
            text, kind = rng.choice([
                (f"{x}[{self.place(extent)}]", "S"), (f"{x}[::-1]", value.kind),
                (f"{x}[{self.many(value.kind)}]", value.kind)] + ([
                    (f"tl.cat({x}[{cut}:], {x}[:{cut}], False, 0)", value.kind)] if cut else []))
            return self.define(text, dtype, kind, bound)
        M, N = self.M, self.N
        choices = [(f"{x}[{self.place(M)}]", "N"), (f"{x}[:, {self.place(N)}]", "M"),
                   (f"{x}[{self.place(M)}, {self.place(N)}]", "S"), (f"{x}[::-1, ::-1]", "T"),
                   (f"{x}[{self.many('M')}]", "T"), (f"{x}[:, {self.many('N')}]", "T"),
                   (f"{x}[({self.many('M')})[:, None], ({self.many('N')})[None, :]]", "T")]
        if N > 1:
            cut = rng.randrange(1, N)
            choices.append((f"tl.cat({x}[:, {cut}:], {x}[:, :{cut}], False, 1)", "T"))
        if M > 1:
            choices.append((f"tl.cat({x}[1::2], {x}[::2], False, 0)", "T"))
        text, kind = rng.choice(choices)
        return self.define(text, dtype, kind, bound)

    def assigned(self):
        """A tile with other elements at some places."""
        rng, value = self.rng, self.numbers(self.rng.choice("NTT"))
        name = self.name("v")
        self.emit(f"{name} = {value.name} + 0")
        bound = value.bound
        for _ in range(rng.randint(1, 3)):
            if value.kind == "N":
                first = rng.randrange(self.N)
                place, kind = rng.choice([(self.place(self.N), "S"), (f"{first}:", "S"),
                                          (self.many("N"), "N"), ("::-1", "N")])
            else:
                place, kind = rng.choice([
                    (self.place(self.M), "N"), (f":, {self.place(self.N)}", "M"),
                    (f"{self.place(self.M)}, {self.place(self.N)}", "S"),
                    (f"{rng.randrange(self.M)}:, {rng.randrange(self.N)}::2", "S"),
                    (self.many("M"), "T"), (f":, {self.many('N')}", "T")])
            other = self.numbers(kind)
            if value.isFloat:
                other = self.clamped(self.as_type(other, value.dtype))
                bound = max(bound, other.bound)
            if other.isFloat and not value.isFloat:
                other = self.as_type(other, value.dtype)
            operator = "+=" if not value.isFloat and rng.random() < 0.3 else "="
            other = self.as_type(other, value.dtype) if operator == "+=" else other
            self.emit(f"{name}[{place}] {operator} {other.name}")
        self.values.append(Value(name, value.dtype, value.kind, bound))
        return self.values[-1]

    # Numbers.

    def small_floats(self):
        """Sums and products of 8-bit floats, each rounded to one."""
        rng = self.rng
        dtype, kind = rng.choice(SMALL), rng.choice("SNT")
        self.loads.add(dtype)
        index = {"S": "3", "N": "n", "T": f"m[:, None] * {self.N} + n[None, :]"}[kind]
        x, y = self.name("e"), self.name("e")
        self.emit(f"{x} = tl.load({dtype}_ptr + {index})")
        self.emit(f"{y} = tl.load({dtype}_ptr + 5 + {index})")
        text, bound = rng.choice([(f"{x} * {y} + {x}", 40.0), (f"{x} - {y}", 10.0),
                                  (f"{x} + {y} + {x}", 20.0), (f"{x} * {y} - {y} * {x}", 1.0),
                                  (f"({x} + {y}) * ({x} - {y})", 100.0)])
        z = self.name("e")
        self.emit(f"{z} = {text}")
        if kind == "T" and rng.random() < 0.3:
            self.emit(f"{z} = tl.trans({z}).trans()")
        if kind != "S" and rng.random() < 0.3:
            self.emit(f"{z} = tl.where(n % 3 == 1, {x}, {z})")
            bound = max(bound, INPUT_BOUND)
        return self.define(f"{z}.to(tl.{rng.choice(['float32', 'float16', 'bfloat16'])})"
                           ".to(tl.float32)", "float32", kind, bound)

    def scaled_product(self):
        """tl.dot_scaled. Scales are 1 or 2, so that four times the product is whole."""
        rng = self.rng
        K, M, N = rng.choice([32, 64]), self.M, self.N
        group = rng.choice([16, 32])
        k = self.name("k")
        first, second = rng.choice(list(FORMATS)), rng.choice(list(FORMATS))
        if {first, second} == {"bf16", "fp16"}:
            second = first
        texts, bound = [], 4.0 * K
        for form, extent, axis in ((first, M, 1), (second, N, 0)):
            largest, dtype = FORMATS[form]
            self.loads.add(dtype)
            sizes, packed = [(extent, K), (K, extent)][1 - axis], axis
            if form == "e2m1":
                packed = 1 - axis if extent % 2 == 0 and rng.random() < 0.4 else axis
                sizes = tuple(size // 2 if d == packed else size for d, size in enumerate(sizes))
            x, scale = self.name("x"), "None"
            self.emit(f"{x} = tl.load({dtype}_ptr + tl.arange(0, {sizes[0]})[:, None] * "
                      f"{sizes[1] + rng.choice([0, 0, 16])} + tl.arange(0, {sizes[1]})[None, :])")
            if rng.random() < 0.7:
                self.loads.add("uint8")
                self.emit(f"{k} = tl.arange(0, {K // group})")
                rows = f"tl.arange(0, {extent})[:, None]"
                scale = self.name("s")
                self.emit(f"{scale} = (tl.load(uint8_ptr + {rows} * 4 + {k}[None, :]) & 1) + 127")
                largest *= 2
            bound *= largest
            texts.append((f"{x}, {scale}, {form!r}", packed == axis))
        packs = f", lhs_k_pack={texts[0][1]}, rhs_k_pack={texts[1][1]}"
        return self.define(f"tl.dot_scaled({texts[0][0]}, {texts[1][0]}{packs}) * 4.0", "float32",
                           "T", bound)

    # Memory.

    def array(self, name, dtype, size):
        self.more[name] = (dtype, size)
        return f"{name}_ptr"

    def narrow(self):
        """An atomic on places that only this program uses, whose old value is known."""
        kind = self.rng.choice("SNT")
        dtype = self.rng.choice(INTS)
        value = self.as_type(self.integers(kind), dtype)
        index = {"S": "5", "N": "n", "T": f"m[:, None] * {self.N} + n[None, :]"}[kind]
        start = self.rng.choice([0, 0, 1, 3])
        base = self.array(f"own_{dtype}", dtype, 4 * self.SLICE)
        place = f"{base} + pid * {self.SLICE} + {start} + {index}"
        name = self.rng.choice(["add", "max", "min", "and", "or", "xor", "xchg", "cas"])
        if name == "cas":
            return self.define(f"tl.atomic_cas({place}, {value.name} & 15, {value.name})", dtype,
                               kind)
        mask = {"S": "rows > 2", "N": "n < cols", "T": "n[None, :] < cols"}[kind]
        if self.rng.random() < 0.4:
            # The old value of a place that is masked off is not defined.
            self.emit(f"tl.atomic_{name}({place}, {value.name}, mask={mask})")
            return self.define(f"tl.load({place})", dtype, kind)
        return self.define(f"tl.atomic_{name}({place}, {value.name})", dtype, kind)

    def shared(self):
        """An atomic on few places of all programs. Each array has one operation, so that the
        order does not matter."""
        dtype = self.rng.choice(INTS + ("float16", "bfloat16", "float32", "float64"))
        name = self.rng.choice(["max", "min"] if dtype in FLOATS else
                               ["add", "max", "min", "and", "or", "xor"])
        value = self.as_type(self.numbers(self.rng.choice("SNT")), dtype)
        if value.isFloat:
            value = self.clamped(value)
        if name in ("max", "min") and value.isFloat:
            # Zeros of both signs are equal, and which of them stays is open.
            value = self.define(f"{value.name} + 1.0", dtype, value.kind, value.bound + 1)
        index = {"S": "(pid & 7)", "N": "(n & 7)",
                 "T": f"(m[:, None] + n[None, :]) % {ATOMIC_SLOTS}"}
        base = self.array(f"{name}_{dtype}", dtype, ATOMIC_SLOTS)
        self.emit(f"tl.atomic_{name}({base} + {index[value.kind]}, {value.name})")

    def corner(self):
        """Where a block begins: within its array, partly outside, or far away."""
        if self.rng.random() < 0.1:
            return self.rng.choice([("0", "-100000"), ("2000000000", "0"), ("rows", "2147483647")])
        return [self.rng.choice(["0", "0", "-3", "pid * 2", "rows", "cols - 4", "7"])
                for _ in range(2)]

    def box(self):
        """A block that is stored, changed or loaded in an array of this program's own."""
        rng = self.rng
        dtype = rng.choice(INTS + FLOATS + BOX_ATOMICS * 2)
        bound = INPUT_BOUND if dtype in FLOATS else 0.0
        base = f"{self.array(f'box_{dtype}', dtype, 4 * BOX)} + pid * {BOX}"
        (i, j), name, value = self.corner(), self.name("d"), self.name("v")
        isPointer = rng.random() < 0.4
        shape = "shape=[rows * 2, cols * 2], " if not isPointer else "shape=(rows * 2, cols * 2), "
        if isPointer:
            strides = rng.choice([f"({BOX_PITCH}, 1)", f"(1, {BOX_PITCH})"])
            offsets = f"({i}, {j})"
            self.emit(f"{name} = tl.make_block_ptr({base}, {shape}strides={strides}, "
                      f"offsets={offsets}, block_shape=({self.M}, {self.N}), order=(1, 0))")
            if rng.random() < 0.5:
                self.emit(f"{name} = tl.advance({name}, ({rng.randint(-3, 3)}, {self.N}))")
            load = f"tl.load({name}, boundary_check=(0, 1), padding_option='zero')"
            store = f"tl.store({name}, {{}}, boundary_check=(0, 1))"
        else:
            self.emit(f"{name} = tl.make_tensor_descriptor({base}, {shape}"
                      f"strides=[{BOX_PITCH}, 1], block_shape=[{self.M}, {self.N}])")
            load, store = f"{name}.load([{i}, {j}])", f"{name}.store([{i}, {j}], {{}})"
        if rng.random() < 0.7:
            stored = self.as_type(self.numbers("T"), dtype)
            # What is loaded again, also elsewhere and later, is small.
            stored = self.clamped(stored, INPUT_BOUND) if stored.isFloat else stored
            self.emit(store.format(stored.name))
            if not isPointer and rng.random() < 0.6 and dtype in BOX_ATOMICS:
                operation = rng.choice(["add", "min", "max", "and", "or", "xor"])
                self.emit(f"{name}.atomic_{operation}([{j}, {i}], {stored.name})")
        self.emit(f"{value} = {load}")
        self.values.append(Value(value, dtype, "T", bound))
        return self.values[-1]

    def box_rows(self):
        """Rows of an array, by their numbers, some of which do not exist."""
        dtype = self.rng.choice(INTS + FLOATS)
        bound = INPUT_BOUND if dtype in FLOATS else 0.0
        base = f"{self.array(f'box_{dtype}', dtype, 4 * BOX)} + pid * {BOX}"
        name = self.name("d")
        self.emit(f"{name} = tl.make_tensor_descriptor({base}, shape=[rows + 9, cols], "
                  f"strides=[{BOX_PITCH}, 1], block_shape=[1, {self.N}])")
        column = self.rng.choice(["0", "-2", "pid", "cols - 1", "300"])
        if self.rng.random() < 0.5:
            value = self.as_type(self.numbers("T"), dtype)
            value = self.clamped(value, INPUT_BOUND) if value.isFloat else value
            # No two rows are one: several would be stored in no order.
            rows = self.rng.choice(["m - 2", f"m * 3 % {self.M + (self.M % 3 == 0)}", "9 - m"])
            self.emit(f"{name}.scatter({value.name}, {rows}, {column})")
        index = self.as_type(self.integers("M"), "int32")
        return self.define(f"{name}.gather({index.name} % 12, {column})", dtype, "T", bound)

    def box_loop(self):
        """Blocks that a loop goes through, over the edges of an array, until it is left."""
        rng = self.rng
        dtype = rng.choice(INTS + FLOATS)
        total = "float32" if dtype in FLOATS else "int64"
        self.loads.add(dtype)
        name, acc, t = self.name("d"), self.name("v"), self.name("t")
        rows, columns = rng.choice([("rows + 20", "cols"), ("30", "cols * 2"), ("37", "19")])
        self.emit(f"{name} = tl.make_tensor_descriptor({dtype}_ptr, shape=[{rows}, {columns}], "
                  f"strides=[{BOX_PITCH}, 1], block_shape=[{self.M}, {self.N}])")
        self.emit(f"{acc} = tl.zeros(({self.M}, {self.N}), tl.{total})")
        stages = rng.choice(["", f", num_stages={rng.randint(1, 4)}"])
        self.emit(f"for {t} in tl.range({rng.choice(['0', '-1', 'pid'])}, "
                  f"{rng.choice(['5', '3', 'rows'])}{stages}):")
        corner = rng.choice([(f"{t} * {self.M}", "0"), (f"{t} * {self.M} - 2", "cols - 5"),
                             ("3", f"{t} * {self.N} - 1"), (f"{t}", f"-{t}")])
        self.emit(f"    {acc} += {name}.load([{', '.join(corner)}]).to(tl.{total})")
        if rng.random() < 0.4:
            test = rng.choice([f"{t} == 2", f"({t} + pid) * 7 > rows", self.test()])
            self.emit(f"    if {test}:")
            self.emit(f"        {rng.choice(['break', 'continue', 'return'])}")
            self.emit(f"    {acc} = {acc} + 1")
        bound = 80 * (INPUT_BOUND + 1) if dtype in FLOATS else 0.0
        self.values.append(Value(acc, total, "T", bound))
        return self.values[-1]

    def known(self):
        """A tile whose elements the compiler knows, which may fold what is done with it."""
        kind = self.rng.choice("NMTT")
        shape = {"N": f"({self.N},)", "M": f"({self.M},)", "T": f"({self.M}, {self.N})"}[kind]
        dtype = self.rng.choice(INTS + FLOATS)
        number = self.rng.choice([0, 0, 1, 3])
        if self.rng.random() < 0.5:
            text = f"tl.full({shape}, {number}, tl.{dtype})" if number else \
                f"tl.zeros({shape}, tl.{dtype})"
            return self.define(text, dtype, kind, float(number) if dtype in FLOATS else 0.0)
        places = {"N": "n", "M": "m", "T": f"m[:, None] * {self.N} + n[None, :]"}[kind]
        return self.define(self.rng.choice([f"{places} + {number}", f"({places}) % 5 - {number}",
                                            f"({places}) // 3"]), "int32", kind)

    def prologue(self):
        super().prologue()
        for kind in "TTNMS":
            self.load(None, kind)
        if self.rng.random() < 0.4:
            self.known()

    def statement(self, deep=False):
        if self.counters and self.rng.random() < 0.2:
            return self.leave()
        if self.rng.random() < 0.4:
            return super().statement(deep)
        simple = [(self.mapped, 3), (self.along, 4), (self.kept, 1), (self.counted, 1),
                  (self.sorted_row, 2), (self.elements, 3), (self.assigned, 3),
                  (self.small_floats, 1), (self.scaled_product, 1), (self.narrow, 2),
                  (self.known, 1)]
        compound = [(self.loop, 2), (self.leave, 2), (self.shared, 1), (self.box, 3),
                    (self.box_rows, 2), (self.box_loop, 2)]
        functions, weights = zip(*(simple + compound))
        self.rng.choices(functions, weights)[0]()

    def case(self):
        return {**super().case(), "more": self.more}
