"""Random programs that are both C and Triton-C, whose results must agree with a C compiler's.

    against_c.py --count 100            the seeds 1 .. 100, on the back end of TRITIUM_BACKEND
    against_c.py --seed 17 --count 1 --show

The language's precedence, conversions and control flow are C's. A few macros make one text
a C function and a kernel, on scalars or elementwise on tiles, for which C runs a loop.
Floats must agree to the last bit: on the CPU, which contracts products and sums, programs
only convert and compare them.
"""

import argparse
import ctypes
import json
import os
import pathlib
import random
import sys

import host_compiler

LANES = 8
RESULTS = 40
INTEGERS = {"c": "char", "s": "short", "i": "int", "l": "long", "uc": "unsigned char",
            "us": "unsigned short", "u": "unsigned int", "ul": "unsigned long", "b": "_Bool"}
FLOATS = {"f": "float", "d": "double"}
TYPES = INTEGERS | FLOATS
NUMPY = {"c": "int8", "s": "int16", "i": "int32", "l": "int64", "uc": "uint8", "us": "uint16",
         "u": "uint32", "ul": "uint64", "b": "bool", "f": "float32", "d": "float64"}
LITERALS = ("0 1 3 7u -1 2l 5ul 255 0x80 0xFFFFFFFF 0x7fffffff 3000000000 'a' 017").split()
BINARY = "+ - * & | ^ == != < > <= >= && ||".split()
COMPARISONS = "< > <= >= == != && ||".split()

KERNEL = f"""#define AS(type) type DIM
#ifdef TILES
#define DIM [{LANES}]
#define AT(p, i) *(p + (i) * {LANES} + 0 ... {LANES})
#else
#define DIM
#define AT(p, i) *(p + (i))
#endif
#define EACH_LANE
"""
REFERENCE = f"""#define AS(type) type
#define DIM
#ifdef TILES
#define AT(p, i) *(p + (i) * {LANES} + lane)
#define EACH_LANE for (int lane = 0; lane < {LANES}; ++lane)
#else
#define AT(p, i) *(p + (i))
#define EACH_LANE
#endif
"""


class Generator:
    """The text of one program."""

    def __init__(self, seed, computes_floats):
        self.random = random.Random(seed)
        self.computes_floats = computes_floats
        self.is_tile = seed % 2 == 0
        self.names = 0

    def chance(self, probability):
        return self.random.random() < probability

    def pick(self, *choices):
        return self.random.choice(choices)

    def variable(self, types):
        return self.random.choice(list(types)) + self.pick("0", "1")

    def integer(self, depth):
        r = self.random.random()
        if depth == 0:
            return self.variable(INTEGERS) if r < 0.7 else f"({self.random.choice(LITERALS)})"
        a = self.integer(depth - 1)
        if r < 0.2:
            return f"({a}) {self.random.choice(BINARY)} ({self.integer(depth - 1)})"
        if r < 0.4:
            return self.chain()
        if r < 0.5:
            return f"({a}) {self.pick('<<', '>>')} (({self.integer(depth - 1)}) & 7)"
        if r < 0.58:
            return f"({a}) {self.pick('/', '%')} ((({self.integer(depth - 1)}) & 7) + 1)"
        if r < 0.7:
            return f"{self.pick('-', '~', '!', '+')}({a})"
        if r < 0.82:
            return f"(AS({self.random.choice(list(INTEGERS.values()))}))({a})"
        if r < 0.9:
            return f"(({a}) ? ({self.integer(depth - 1)}) : ({self.integer(depth - 1)}))"
        if r < 0.92:
            return f"sizeof({self.random.choice(list(TYPES.values()))})"
        x, y = self.floating(depth - 1), self.floating(depth - 1)
        return f"(({x}) {self.random.choice(COMPARISONS)} ({y}))"

    def chain(self):
        """Operators without parentheses."""
        text = self.variable(INTEGERS)
        for _ in range(self.random.randint(1, 4)):
            sign = self.pick("", "-", "~", "!")
            text += f" {self.random.choice(BINARY)} {sign}{self.variable(INTEGERS)}"
        return f"({text})"

    def floating(self, depth):
        r = self.random.random()
        if depth == 0:
            return self.variable(FLOATS) if r < 0.7 else self.pick("1.5", "2.f", "-3.25f", "1e3")
        x = self.floating(depth - 1) if self.chance(0.6) else self.integer(depth - 1)
        if r < 0.5 and self.computes_floats:
            return f"({x}) {self.random.choice('+-*/')} ({self.floating(depth - 1)})"
        if r < 0.6:
            return f"-({self.floating(depth - 1)})"
        if r < 0.8:
            return f"(AS({self.random.choice(list(FLOATS.values()))}))({x})"
        return f"(({self.integer(depth - 1)}) ? ({self.floating(depth - 1)}) : ({x}))"

    def store(self):
        place = self.random.randrange(RESULTS)
        if self.chance(0.7):
            value = f"(AS(long))({self.integer(3)})"
            return f"AT(lo, {place}) = AT(lo, {place}) * 3 + {value};"
        return f"AT(fo, {place}) = (AS(double))({self.floating(3)});"

    def assignment(self):
        if self.chance(0.2):
            name = self.pick(*(t for t in INTEGERS if t != "b")) + "0"
            return self.pick("{}++;", "--{};").format(name)
        if self.chance(0.8):
            operator = self.pick("=", "+=", "-=", "*=", "&=", "|=", "^=")
            return f"{self.variable(INTEGERS)} {operator} {self.integer(2)};"
        operator = self.pick("=", "+=", "-=", "*=") if self.computes_floats else "="
        return f"{self.variable(FLOATS)} {operator} {self.floating(2)};"

    def block(self, depth, in_loop):
        return " ".join(self.statement(depth, in_loop)
                        for _ in range(self.random.randint(1, 3)))

    def statement(self, depth, in_loop=False):
        r = self.random.random()
        if depth == 0 or r < 0.4:
            return self.store()
        if r < 0.65:
            return self.assignment()
        self.names += 1
        counter, count = f"k{self.names}", self.random.randint(0, 3)
        if r < 0.75:
            body = self.block(depth - 1, True)
            return f"for (int {counter} = 0; {counter} < {count}; {counter}++) {{ {body} }}"
        if r < 0.8:
            kind = self.random.choice(list(INTEGERS))
            value = self.integer(2).replace(kind + "0", kind + "1")
            body = self.block(depth - 1, in_loop)
            return f"{{ {INTEGERS[kind]} {kind}0 DIM = {value}; {body} }}"
        # What follows asks for a scalar.
        if self.is_tile:
            return self.store()
        test = self.integer(2)
        if r < 0.88:
            other = f" else {{ {self.block(depth - 1, in_loop)} }}" if self.chance(0.5) else ""
            return f"if ({test}) {{ {self.block(depth - 1, in_loop)} }}{other}"
        if r < 0.92:
            return (f"{{ int {counter} = {count}; while ({counter} > 0 && ({test})) "
                    f"{{ {counter}--; {self.block(depth - 1, True)} }} }}")
        if r < 0.95:
            return (f"{{ int {counter} = 0; do {{ {counter} += 1; {self.block(depth - 1, True)} }} "
                    f"while ({counter} < 3); }}")
        if in_loop:
            return f"if ({test}) {self.pick('break', 'continue')};"
        return f"if (({test}) == 77) return;"

    def program(self, name):
        parameters = ["long *lo", "double *fo"] + [f"{t} *p{k}" for k, t in TYPES.items()]
        lines = [f"{t} {k}0 DIM = AT(p{k}, 0), {k}1 DIM = AT(p{k}, 1);" for k, t in TYPES.items()]
        lines += [self.statement(3) for _ in range(20)]
        body = "\n  ".join(lines)
        return f"void {name}({', '.join(parameters)}) {{ EACH_LANE {{\n  {body}\n}} }}\n"


def inputs(seed):
    """Arrays of all types, with small and with large numbers."""
    import numpy as np
    rng = np.random.default_rng(seed)
    arrays = [np.zeros(RESULTS * LANES, "int64"), np.zeros(RESULTS * LANES, "float64")]
    for name in NUMPY.values():
        bits = rng.integers(0, 256, 2 * LANES * 8, "uint8").view("uint64")
        if name == "bool":
            arrays.append(bits % 2 == 1)
        elif name.startswith("float"):
            arrays.append((rng.integers(-999, 999, 2 * LANES) / 7).astype(name))
        else:
            shifted = bits >> rng.integers(0, 60, 2 * LANES).astype("uint64")
            arrays.append(shifted.astype(name))
    return arrays


def compile_references(programs):
    """By whether they compute on tiles: a library with one function for each seed."""
    return {is_tile: host_compiler.load(
        REFERENCE + "".join(text for _, text, tile in programs if tile == is_tile),
        *(["-DTILES"] if is_tile else [])) for is_tile in (False, True)}


def check(seed, text, is_tile, libraries):
    """What is wrong; empty if nothing is."""
    import numpy as np
    import tritium
    ours, theirs = inputs(seed), inputs(seed)
    kernel = tritium.c.kernel(KERNEL + text, defines={"TILES": 1} if is_tile else {})
    kernel(*ours, grid=(1,))
    function = getattr(libraries[is_tile], f"k{seed}")
    function(*(ctypes.c_void_p(array.ctypes.data) for array in theirs))
    for kind, a, b in zip(("lo", "fo"), ours, theirs):
        different = np.flatnonzero(~((a == b) | ((a != a) & (b != b))))
        if different.size:
            at = int(different[0])
            return f"{kind}[{at}] is {a[at]!r}, C's is {b[at]!r}"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--show", action="store_true", help="print the programs")
    parser.add_argument("--report", type=pathlib.Path)
    options = parser.parse_args()
    computes_floats = os.environ.get("TRITIUM_BACKEND") == "interpret"
    programs = []
    for seed in range(options.seed, options.seed + options.count):
        generator = Generator(seed, computes_floats)
        programs.append((seed, generator.program(f"k{seed}"), generator.is_tile))
        if options.show:
            print(programs[-1][1])
    failures = []
    libraries = compile_references(programs)
    for program in programs:
        problem = check(*program, libraries)
        if problem:
            failures.append(f"seed {program[0]}: {problem}")
            print(failures[-1], flush=True)
    print(f"{len(programs) - len(failures)} of {len(programs)} programs agree with C")
    if options.report:
        report = {"passed": len(programs) - len(failures), "failures": failures}
        options.report.write_text(json.dumps(report))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
