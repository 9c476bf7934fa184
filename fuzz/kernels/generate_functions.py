"""Functions of random kernels: what combines elements, and functions of scalars with branches."""

COMBINERS = '''@triton.jit
def affine(a, b, c, d):
    return a * c, c * b + d


@triton.jit
def latest(a, b):
    return tl.where(b != 0, b, a)


@triton.jit
def odd(a, b):
    r = a
    if b % 2 != 0:
        r = b
    return r


@triton.jit
def matrix(a, b, c, d, e, f, g, h):
    return a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h


@triton.jit
def segment(a, s, b, t):
    return a | b, tl.where(b & 1 != 0, t, s + t)


@triton.jit
def product(a, b):
    return a * b


@triton.jit
def three(a, b, c, d, e, f):
    return a + d, tl.maximum(b, e), c ^ f


'''
# Functions, and what they combine: "any" numbers, integers of "one" type, or of "each" its own.
SCANS = [("affine", "one"), ("affine", "one"), ("latest", "any"), ("odd", "one"),
         ("matrix", "one"), ("segment", "each"), ("product", "one"), ("three", "each"),
         ("larger", "any"), ("lambda a, b: a ^ b", "one"), ("lambda a, b: b", "any")]
REDUCTIONS = [("product", "one"), ("three", "each"), ("larger", "any"),
              ("lambda a, b: a & b", "one"), ("lambda a, b: tl.minimum(a, b)", "one")]
ARITY = {"affine": 2, "matrix": 4, "segment": 2, "three": 3}


def arity(name):
    """How many tiles a function combines at once."""
    return ARITY.get(name, 1)


def drawn(rng, name, results):
    """The text of a function of two integers of one type, and its name."""
    return Function(rng, name, results).text, name


class Function:
    """Of values of one type, x and y and what is made of them, r and s."""

    def __init__(self, rng, name, results):
        self.rng, self.lines, self.loops = rng, [], 0
        self.returned = "return r, s" if results == 2 else "return r"
        self.line(1, "r = x")
        self.line(1, "s = y & 7")
        self.block(1, rng.randint(2, 4))
        self.line(1, self.returned)
        self.text = f"@triton.jit\ndef {name}(x, y):\n" + "\n".join(self.lines) + "\n\n\n"

    def line(self, depth, text):
        self.lines.append("    " * depth + text)

    def any(self):
        return self.rng.choice("xyrs")

    def expression(self):
        a, b = self.any(), self.any()
        return self.rng.choice([
            f"{a} + {b}", f"{a} - {b}", f"{a} * {b}", f"{a} & {b}", f"{a} ^ {b}", f"{a} | {b}",
            f"{a} // (({b} & 7) + 1)", f"{a} % {b}", f"{a} // {b}", f"{a} >> ({b} & 3)",
            f"tl.minimum({a}, {b})", f"tl.where({a} < {b}, {b}, {a})", f"{a} * 3 + 1", f"~{a}"])

    def condition(self):
        a, b = self.any(), self.any()
        return self.rng.choice([f"{a} > {b}", f"{a} == {b}", f"({a} & 3) == 1", f"{a} % 5 < 2",
                                f"{a} < 40", f"({a} > {b}) | ({b} == 0)"])

    def block(self, depth, count):
        for _ in range(count):
            self.statement(depth)

    def statement(self, depth):
        kind = self.rng.randrange(8) if depth < 4 else 0
        if kind <= 3:
            self.line(depth, f"{self.rng.choice('rs')} = {self.expression()}")
        elif kind <= 5:
            self.line(depth, f"if {self.condition()}:")
            self.block(depth + 1, self.rng.randint(1, 2))
            if self.rng.random() < 0.4:
                self.line(depth + 1, self.leaving())
            if self.rng.random() < 0.4:
                self.line(depth, "else:")
                self.block(depth + 1, self.rng.randint(1, 2))
        else:
            self.loop(depth)

    def leaving(self):
        return self.rng.choice([self.returned, "break", "continue"]) if self.loops else \
            self.returned

    def loop(self, depth):
        k = f"k{len(self.lines)}"
        trips = self.rng.choice(["3", "5", "(s & 3).to(tl.int32)"])
        if self.rng.random() < 0.5:
            self.line(depth, f"for {k} in range({trips}):")
        else:
            self.line(depth, f"{k} = 0")
            self.line(depth, f"while {k} < {trips}:")
            self.line(depth + 1, f"{k} += 1")
        self.loops += 1
        self.block(depth + 1, self.rng.randint(1, 3))
        self.loops -= 1
