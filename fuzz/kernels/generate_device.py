"""Random kernels for what a GPU does with tiles: several warps, pipelined loops, products on
tensor cores, exchanges through shared memory, barriers around global memory, atomics, blocks;
and arguments that are zero, negative, beyond 32 bits, or arrays that overlap.
"""

from generate import FLOATS, INPUT_BOUND, INTS, Generator, Value

# Element types of products, and what they add up to.
PRODUCTS = {"float16": "float32", "bfloat16": "float32", "float32": "float32",
            "float64": "float64", "int8": "int32", "uint8": "int32",
            "float8e4nv": "float32", "float8e5": "float32"}


class DeviceGenerator(Generator):
    MARGINS = (1 << 15, 1 << 17)
    SLICE = 1 << 15
    STATEMENTS = (3, 9)
    # The second shares memory with the first.
    WRITTEN = ["scratch_ptr", "alias_ptr", "atomic_ptr", "sums_ptr"]

    def setup(self):
        pick = self.rng.choice
        self.M = pick([1, 2, 3, 8, 16, 16, 17, 32, 32, 48, 64, 128])
        self.N = pick([1, 2, 5, 8, 15, 16, 16, 32, 32, 33, 64, 64, 96, 128])
        while self.M * self.N > 2048:
            self.M //= 2
        self.K = pick([1, 4, 8, 16, 16, 19, 32, 32, 48, 64])
        self.grid = pick([(1,), (2,), (3,), (2, 2)])
        self.backends = ["interpret", *pick([["sim:sm_80"], ["sim:sm_90"], ["sim:sm_75"],
                                             ["cpu", "sim:sm_80"]])]
        self.options = {"num_warps": pick([1, 2, 4, 4, 8]), "num_stages": pick([1, 2, 3, 4])}
        # CTAs loop over programs where that is right, where it is faster, or not at all.
        if self.seed % 3:
            self.options["persistent"] = self.seed % 3 == 1
        self.shift = pick([0, 0, 0, 1, 4])  # Elements by which input arrays are off alignment.
        self.alias = pick([0, 0, 1, 3, 16, 64])  # Where the second pointer to scratch begins.
        self.scalars = {
            "rows": pick([0, 1, self.M // 2, self.M, self.M + 3]),
            "cols": pick([0, 1, self.N // 2, self.N - 1, self.N, self.N + 5]),
            "pitch": pick([0, 1, self.N, self.N + 1, self.N + 5, 16, 64, 128, -self.N, -3, -64]),
            "count": pick([-3, 0, 1, 2, 3, 4, 5, 7]),
            "group": pick([-2, -1, 0, 1, 2, 3, 8]),
            "far": pick([1 << 31, 1 << 32, (1 << 33) + 16, -(1 << 32), -(1 << 35) - 8, 0, 16]),
            "limit": pick([0, 1, 15, 16, 100, 128, 1000, -1, -40])}

    def case(self):
        return {**super().case(), "shift": self.shift, "alias": self.alias}

    def prologue(self):
        super().prologue()
        self.emit(f"alias = alias_ptr + pid * {self.SLICE}")

    def small(self, value, dtype):
        """The value in a float type for products: whole and at most 8 in magnitude."""
        return self.clamped(self.as_type(value, dtype))

    def access(self, kind, pitch=None):
        """An index of `kind`'s shape; rows are `pitch` apart."""
        pitch = pitch or self.rng.choice([str(self.N), str(self.N + 3), "pitch", "pitch", "64"])
        step = self.rng.choice(["", "", "", " * 2"])
        return {"S": "0", "N": "n" + step, "M": f"m * {pitch}",
                "T": self.rng.choice([f"m[:, None] * {pitch} + n[None, :]{step}",
                                      f"m[:, None] + n[None, :] * {pitch}"])}[kind]

    def mask(self, kind):
        limit = self.rng.choice(["cols", "cols", "limit", "count * 8", str(self.N - 1)])
        return {"S": "rows > 2", "N": f"n < {limit}", "M": "m < rows",
                "T": self.rng.choice([f"(m[:, None] < rows) & (n[None, :] < {limit})",
                                      f"n[None, :] < {limit}", "m[:, None] < rows",
                                      f"(n[None, :] >= 3) & (n[None, :] < {limit})",
                                      "(m[:, None] + n[None, :]) % 3 != 1",
                                      f"m[:, None] * {self.N} + n[None, :] < {limit}"])}[kind]

    def masked(self, kind):
        if self.rng.random() < 0.4:
            return ""
        other = self.rng.choice(["", f", other={self.rng.randrange(5)}"])
        return f", mask={self.mask(kind)}{other}"

    # Statements.

    def strided(self, dtype=None, kind=None):
        """A load with a pitch that is an argument, which may be zero or negative, of a base
        that may be far away."""
        rng = self.rng
        dtype, kind = dtype or rng.choice(INTS + FLOATS * 2), kind or rng.choice("NMTTT")
        self.loads.add(dtype)
        base = rng.choice([f"{dtype}_ptr", f"{dtype}_ptr", f"({dtype}_ptr + far)"])
        index = f"{self.access(kind)} + pid * {rng.choice(['0', '1', '16', 'limit', 'pitch'])}"
        if "far" in base:
            index = f"({index} - far)"
        modifier = rng.choice(["", "", ", cache_modifier='.cg'", ", eviction_policy='evict_last'",
                               ", volatile=True"])
        return self.define(f"tl.load({base} + {index}{self.masked(kind)}{modifier})", dtype, kind,
                           INPUT_BOUND if dtype in FLOATS else 0.0)

    def product_operand(self, dtype, rows, columns, extents, offset, plain=False):
        """Text of a loaded operand, maybe through a transpose, masked in its inner extent."""
        rng = self.rng
        R, C = extents
        pitch = rng.choice([C, C, C + 8, "pitch"])
        far = rng.choice([R, R, R + 8])
        mask = ""
        if not plain and rng.random() < 0.4:
            mask = rng.choice([f", mask={columns}[None, :] < limit, other=0",
                               f", mask={rows}[:, None] < rows",
                               f", mask=({rows}[:, None] < rows) & ({columns}[None, :] < cols)"])
        if rng.random() < 0.6:
            return (f"tl.load({dtype}_ptr + {offset} + {rows}[:, None] * {pitch} + "
                    f"{columns}[None, :]{mask})")
        mask = mask.replace("[:, None]", "[!]").replace("[None, :]", "[:, None]")
        mask = mask.replace("[!]", "[None, :]")
        return (f"tl.trans(tl.load({dtype}_ptr + {offset} + {columns}[:, None] * {far} + "
                f"{rows}[None, :]{mask}))")

    def precision(self, dtype):
        if dtype != "float32":
            return ""
        return self.rng.choice(["", "", ", input_precision='ieee'", ", input_precision='tf32x3'",
                                ", input_precision='bf16x3'"])

    def product(self):
        """A product of loaded tiles, of one and a tile that was computed, or two in a row."""
        rng = self.rng
        dtype = rng.choice(sorted(PRODUCTS))
        result = PRODUCTS[dtype]
        self.loads.add(dtype)
        M, N, K = self.M, self.N, self.K
        a = self.product_operand(dtype, "m", "k", (M, K), 0)
        b = self.product_operand(dtype, "k", "n", (K, N), rng.choice([0, 7, 16]))
        bound = 0.0 if result == "int32" else INPUT_BOUND ** 2 * K
        if dtype.startswith("float8"):
            bound *= 4
        value = self.define(f"tl.dot({a}, {b}{self.precision(dtype)})", result, "T", bound)
        if result == "int32" or "8" in dtype or rng.random() < 0.5:
            return value
        # The product is an operand of another: M x N by N x N.
        p = self.small(value, dtype)
        self.loads.add(dtype)
        other = self.product_operand(dtype, "n", "n", (N, N), 3)
        return self.define(f"tl.dot({p.name}, {other}{self.precision(dtype)})", result, "T",
                           8 * INPUT_BOUND * N)

    def product_loop(self):
        """A matrix product along K, with pointers that move or indices."""
        rng = self.rng
        dtype = rng.choice(sorted(PRODUCTS))
        result = PRODUCTS[dtype]
        self.loads.add(dtype)
        M, N, K = self.M, self.N, self.K
        trips = rng.choice(["count", "count", "3", "5", "tl.cdiv(limit, 128)"])
        number = self.counter
        self.counter += 1
        acc, i = f"acc{number}", f"t{number}"
        base = 0
        if rng.random() < 0.4:
            # The order of programs that matmul kernels have; with any group size.
            size = rng.choice(["group", "group", "2", "8"])
            wide, tall = rng.choice(["1", "2", "count"]), rng.choice(["1", "2", "rows"])
            self.emit(f"per{number} = {size} * {wide}")
            self.emit(f"first{number} = pid // per{number} * {size}")
            self.emit(f"size{number} = min({tall} - first{number}, {size})")
            self.emit(f"pm{number} = first{number} + (pid % per{number}) % size{number}")
            self.emit(f"pn{number} = (pid % per{number}) // size{number}")
            base = f"pm{number} * {rng.choice([M, 8, 16])}"
            if rng.random() < 0.5:
                base += f" + pn{number} * {rng.choice([N, 8, 16])}"
        self.emit(f"{acc} = tl.zeros(({M}, {N}), tl.{result})")
        form = rng.choice([f"range(0, {trips})", f"tl.range(0, {trips}, num_stages="
                           f"{rng.randint(1, 4)})", f"range({trips})"])
        precision = self.precision(dtype)
        extra = []
        if rng.random() < 0.3:
            extra.append(f"{acc} = tl.minimum(tl.maximum({acc}, -64), 64).to(tl.{result})")
        if rng.random() < 0.2:
            extra.append(f"tl.store(scratch + n, {i} + n)")
        if rng.random() < 0.2:
            extra.append(f"{acc} += tl.load(alias + n).to(tl.int8)[None, :].to(tl.{result})"
                         if result == "int32" else
                         f"{acc} += (tl.load(alias + n) & 3)[None, :].to(tl.{result})")
        bound = 64 * INPUT_BOUND ** 2 * K
        if rng.random() < 0.4:
            step = rng.choice([K, 16, "pitch"])
            self.emit(f"a{number} = {dtype}_ptr + {base} + m[:, None] * "
                      f"{rng.choice([K, K * 4, 'pitch'])} + k[None, :]")
            self.emit(f"b{number} = {dtype}_ptr + 7 + k[:, None] * {rng.choice([N, N + 8])} + "
                      "n[None, :]")
            self.emit(f"for {i} in {form}:")
            edge = rng.choice(["", f", mask=k[None, :] < limit - {i} * {K}, other=0.0"
                               if dtype in FLOATS else ""])
            other = edge.replace("k[None, :]", "k[:, None]")
            self.emit(f"    {acc} = tl.dot(tl.load(a{number}{edge}), "
                      f"tl.load(b{number}{other}), {acc}{precision})")
            moves = [f"a{number} += {step}", f"b{number} += {rng.choice([K * N, 16, 'pitch'])}"]
            lines = moves + extra
        else:
            steps = rng.choice([f"{i} * {K}", f"{i} * 16", f"{i} * pitch"])
            a = self.product_operand(dtype, "m", "k", (M, K), f"{base} + {steps}")
            b = self.product_operand(dtype, "k", "n", (K, N), f"{steps}")
            self.emit(f"for {i} in {form}:")
            if rng.random() < 0.2:
                self.emit(f"    {acc} += tl.dot({a}, {b}{precision})")
            else:
                self.emit(f"    {acc} = tl.dot({a}, {b}, {acc}{precision})")
            lines = extra
        for line in lines:
            self.emit("    " + line)
        return self.define(f"{acc} + 0", result, "T", 0.0 if result == "int32" else bound)

    def stream_loop(self):
        """A loop over loads, which may be pipelined, with a reduction or without."""
        rng = self.rng
        number = self.counter
        self.counter += 1
        kind = rng.choice("NNTT")
        dtype = rng.choice(INTS + FLOATS)
        self.loads.add(dtype)
        total = "float32" if dtype in FLOATS else "int64"
        acc, i = f"acc{number}", f"t{number}"
        self.emit(f"{acc} = tl.zeros(({f'{self.M}, {self.N}' if kind == 'T' else f'{self.N},'}), "
                  f"tl.{total})")
        trips = rng.choice(["count", "count", "tl.cdiv(limit, 32)", "4"])
        self.emit(f"for {i} in tl.range(0, {trips}, num_stages={rng.randint(1, 4)}):")
        step = rng.choice([f"{i} * {self.N}", f"{i} * pitch", f"{i} * 16"])
        mask = rng.choice(["", f", mask={'n[None, :]' if kind == 'T' else 'n'} + {i} * 16 < limit",
                           ", mask=" + self.mask(kind)])
        x, y = f"x{number}", f"y{number}"
        load = f"tl.load({dtype}_ptr + {step} + {self.access(kind)}{mask})"
        self.emit(f"    {x} = {load}")
        if rng.random() < 0.4:
            # What this iteration stores, a later one may load.
            index = "m[:, None] * 128 + n[None, :]" if kind == "T" else "n"
            stored = x if dtype not in FLOATS else f"({x}.to(tl.int32))"
            first, second = rng.choice([("scratch", "alias"), ("alias", "scratch"),
                                        ("scratch", "scratch")])
            self.emit(f"    {y} = tl.load({first} + {index} + "
                      f"{rng.choice([0, 1, 16, f'({i} & 3) * 16'])})")
            self.emit(f"    tl.store({second} + {index}, {y} + {stored}.to(tl.int32) + 1)")
            self.emit(f"    {x} = {x} + ({y} & 3).to(tl.{dtype})")
        if rng.random() < 0.5:
            axis = rng.choice([0, 1]) if kind == "T" else 0
            total_text = rng.choice([f"tl.sum({x}.to(tl.{total}), axis={axis})",
                                     f"tl.max({x}, axis={axis}).to(tl.{total})"])
            lift = "" if kind != "T" else "[None, :]" if axis == 0 else "[:, None]"
            self.emit(f"    {acc} += {total_text}{lift}")
        else:
            self.emit(f"    {acc} += {x}.to(tl.{total})")
        bound = 0.0 if total == "int64" else 40 * 8.0 * max(self.M, self.N)
        return self.define(f"{acc} + 0", total, kind, bound)

    def batched(self):
        """A product with a batch dimension."""
        M, K = self.rng.choice([2, 4, 16]), self.rng.choice([4, 16])
        dtype = self.rng.choice(["float16", "float32", "bfloat16", "int8"])
        self.loads.add(dtype)
        result = PRODUCTS[dtype]
        number = self.counter
        self.counter += 1
        self.emit(f"b{number} = tl.arange(0, 3)[:, None, None]")
        self.emit(f"i{number} = tl.arange(0, {M})[None, :, None]")
        self.emit(f"k{number} = tl.arange(0, {K})")
        a = f"tl.load({dtype}_ptr + b{number} * 64 + i{number} * {K} + k{number}[None, None, :])"
        b = f"tl.load({dtype}_ptr + b{number} * 16 + k{number}[None, :, None] * {self.N} + " \
            "n[None, None, :])"
        bound = 0.0 if result == "int32" else INPUT_BOUND ** 2 * K
        self.emit(f"d{number} = tl.dot({a}, {b}{self.precision(dtype)})")
        reduced = self.rng.choice(["tl.sum(tl.sum(d{0}, axis=0), axis=0)",
                                   "tl.max(tl.max(d{0}, axis=1), axis=0)",
                                   "tl.sum(tl.min(d{0}, axis=0), axis=0)"]).format(number)
        return self.define(reduced, result, "N", bound * 3 * M)

    def rearranged(self):
        """Shapes of three dimensions, join, split and interleave, with the tile's elements."""
        value = self.tile()
        M, N, x = self.M, self.N, value.name
        bound = 2 * value.bound
        choices = [f"tl.trans({x}).trans()", f"tl.reshape(tl.ravel({x}), ({M}, {N}))",
                   f"tl.reshape(tl.permute(tl.reshape({x}, ({M}, {N}, 1)), (2, 1, 0)), ({M}, {N}))"]
        if M % 2 == 0:
            h = M // 2
            half = self.rng.choice([f"tl.sum(tl.reshape({x}, (2, {h}, {N})), axis=0)",
                                    f"tl.max(tl.reshape({x}, ({h}, 2, {N})), axis=1)"])
            half = f"{half}.to(tl.{value.dtype})"
            choices += [f"tl.reshape(tl.join({half}, {half}), ({M}, {N}))",
                        f"tl.reshape(tl.permute(tl.reshape({x}, (2, {h}, {N})), "
                        f"{self.rng.choice(['(1, 0, 2)', '(2, 0, 1)', '(1, 2, 0)'])}), ({M}, {N}))",
                        f"tl.reshape(tl.interleave({half}, {half}), ({M}, {N}))"]
        if N % 2 == 0 and self.rng.random() < 0.7:
            number = self.counter
            self.counter += 1
            self.emit(f"s{number}, r{number} = tl.split(tl.reshape({x}, ({M}, {N // 2}, 2)))")
            s, r = f"s{number}", f"r{number}"
            choices = [f"tl.interleave({r}, {s})", f"tl.reshape(tl.join({s}, {r} + 0), ({M}, {N}))",
                       f"tl.interleave({s} + {r}, {s})"]
            if M % 2 == 0:
                choices.append(f"tl.reshape(tl.permute(tl.join({s}, {r}), (2, 0, 1)), ({M}, {N}))")
        return self.define(self.rng.choice(choices), value.dtype, "T", bound)

    def combined(self):
        """A reduction with a function of one's own, or of values and their indices."""
        value = self.tile()
        axis = self.rng.choice([0, 1])
        kind = "NM"[axis]
        number = self.counter
        self.counter += 1
        if self.rng.random() < 0.5:
            name = self.rng.choice(["max", "min"])
            self.emit(f"w{number}, j{number} = tl.{name}({value.name}, axis={axis}, "
                      "return_indices=True)")
            self.values.append(Value(f"j{number}", "int32", kind))
            return self.define(f"w{number}.to(tl.{value.dtype})", value.dtype, kind, value.bound)
        position = "m[:, None] * 2 + n[None, :]"
        self.emit(f"w{number}, j{number} = tl.reduce(({value.name}, {position} + "
                  f"tl.zeros(({self.M}, {self.N}), tl.int32)), {axis}, larger)")
        self.values.append(Value(f"j{number}", "int32", kind))
        return self.define(f"w{number}", value.dtype, kind, value.bound)

    def overlapping(self):
        """Loads and stores through two pointers to one array."""
        kind = self.rng.choice("NT")
        value = self.as_type(self.choose(lambda v: v.kind == kind and v.dtype in INTS)
                             or self.load("int32", kind), "int32")
        index = "n" if kind == "N" else f"m[:, None] * {self.N} + n[None, :]"
        other = index if kind == "N" else self.rng.choice(
            [index, f"n[None, :] * {self.M} + m[:, None]"])
        if kind == "N" and self.rng.random() < 0.4:
            other = f"{self.N - 1} - n"
        one, two = self.rng.choice([("scratch", "alias"), ("alias", "scratch")])
        mask = self.rng.choice(["", f", mask={self.mask(kind)}"])
        self.emit(f"tl.store({one} + ({index}), {value.name}{mask})")
        loaded = self.define(f"tl.load({two} + ({other}))", "int32", kind)
        if self.rng.random() < 0.5:
            self.emit(f"tl.store({one} + ({other}), {loaded.name} + 1)")
        return loaded

    def counted(self):
        """An atomic on places of this program's own, whose old value is known."""
        kind = self.rng.choice("SNT")
        value = self.as_type(self.choose(lambda v: v.kind == kind and v.dtype in INTS)
                             or self.load("int32", kind), "int32")
        index = {"S": "5", "N": "n", "T": f"m[:, None] * {self.N} + n[None, :]"}[kind]
        name = self.rng.choice(["add", "max", "min", "and", "or", "xor", "xchg", "cas"])
        if name == "cas":
            return self.define(f"tl.atomic_cas(scratch + {index}, {value.name} & 255, "
                               f"{value.name})", "int32", kind)
        mask = self.rng.choice(["", f", mask={self.mask(kind)}"])
        if mask:
            # The old value of a place that is masked off is not defined.
            self.emit(f"tl.atomic_{name}(scratch + {index}, {value.name}{mask})")
            return self.define(f"tl.load(scratch + {index})", "int32", kind)
        return self.define(f"tl.atomic_{name}(scratch + {index}, {value.name})", "int32", kind)

    def summed(self):
        """Atomic sums of whole floats, of all programs."""
        value = self.small(self.number(), "float32")
        self.emit(f"tl.atomic_add(sums_ptr + (pid & 7) + ({self.spread(value.kind)}), "
                  f"{value.name}{self.rng.choice(['', ', mask=' + self.mask(value.kind)])})")

    def spread(self, kind):
        return {"S": "0", "N": self.rng.choice(["n % 16", "n"]), "M": "m",
                "T": self.rng.choice(["m[:, None] + n[None, :]", "n[None, :] + m[:, None] * 0"])
                }[kind]

    def block(self):
        """A load through a descriptor or a block pointer, over the array's edges."""
        rng = self.rng
        dtype = rng.choice(INTS + FLOATS)
        self.loads.add(dtype)
        M, N = self.M, self.N
        bound = INPUT_BOUND if dtype in FLOATS else 0.0
        i, j = (rng.choice(["0", "-3", "pid * 5", "limit", "count * 7"]) for _ in range(2))
        if self.shift == 0 and rng.random() < 0.5:
            return self.define(
                f"tl.make_tensor_descriptor({dtype}_ptr, shape=[rows * 2, cols * 2], "
                f"strides=[{rng.choice([64, 128, 256])}, 1], block_shape=[{M}, {N}])"
                f".load([{i}, {j}])", dtype, "T", bound)
        strides = rng.choice(["(pitch, 1)", f"({N + 3}, 1)", "(1, 64)", "(-64, 1)"])
        return self.define(
            f"tl.load(tl.make_block_ptr({dtype}_ptr, shape=(rows * 2, cols * 2), "
            f"strides={strides}, offsets=({i}, {j}), block_shape=({M}, {N}), order=(1, 0)), "
            "boundary_check=(0, 1), padding_option='zero')", dtype, "T", bound)

    def decided(self):
        """A branch on what a reduction found."""
        value = self.as_type(self.choose(lambda v: v.kind in "NT" and v.dtype in INTS)
                             or self.load("int32", "N"), "int32")
        carried = self.carriers()
        number = self.counter
        self.counter += 1
        self.emit(f"f{number} = tl.max({value.name})")
        self.emit(f"if f{number} % 2 == 0:")
        self.scoped(carried)
        if self.rng.random() < 0.5:
            self.emit("else:")
            self.scoped(carried)
        self.values += carried

    def statement(self, deep=False):
        if self.rng.random() < 0.45:
            return super().statement(deep)
        simple = [(self.strided, 4), (self.product, 2), (self.rearranged, 2), (self.combined, 1),
                  (self.batched, 0.5), (self.block, 2)]
        compound = [(self.product_loop, 3), (self.stream_loop, 3), (self.overlapping, 2),
                    (self.counted, 1), (self.summed, 1), (self.decided, 1)]
        functions, weights = zip(*(simple if deep else simple + compound))
        self.rng.choices(functions, weights)[0]()
