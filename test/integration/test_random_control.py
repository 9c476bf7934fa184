"""Random control flow on integers: a kernel must store what Python computes.

Each program is one text that is compiled as a kernel and also executed by Python itself, with
a stand-in for `tl`. Branches, loops, `break`, `continue`, early returns, calls, `:=`, known and
unknown conditions nest freely; the seed names the program."""

import random

import numpy as np
import pytest
from support import kernels_from

NAMES = ["a", "b", "c", "d", "k", "m"]
ARGUMENTS = [(0, 0), (1, 5), (7, 2), (3, 3), (12, 40)]


class Writer:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.loops = 0       # loops so far, for the names of their counters
        self.depth = 0       # loops around the current statement
        self.in_function = False

    def program(self):
        for i in range(3):
            self.in_function = True
            self.lines += ["@triton.jit", f"def f{i}(a, b):",
                           f" K: tl.constexpr = {self.random.randrange(5)}",
                           " c = a\n d = b + 1\n k = 1\n m = 0"]
            self.block(1, 3)
            self.lines.append(f" return {self.expression()}")
        self.in_function = False
        self.lines += ["@triton.jit", "def kernel(out, a, b):", " K: tl.constexpr = 3",
                       " c = a + b\n d = b\n k = 0\n m = 2"]
        self.block(1, 6)
        for i, name in enumerate(NAMES):
            self.lines.append(f" tl.store(out + {i}, {name} & 1023)")
        return "\n".join(self.lines) + "\n"

    def pick(self, *options):
        return self.random.choice(options)

    def expression(self, depth=0):
        if depth > 2 or self.random.random() < 0.3:
            return self.pick(*NAMES, "1", "2", "5", "0")
        sub = lambda: self.expression(depth + 1)
        kind = self.random.randrange(7)
        if kind < 3:
            return f"(({sub()} {self.pick('+', '-', '*')} {sub()}) & 63)"
        if kind == 3:
            return f"({sub()} if {self.condition(depth + 1)} else {sub()})"
        if kind == 4:
            return f"({self.pick(*NAMES)} := {sub()})"
        if kind == 5 and not self.in_function:
            return f"f{self.random.randrange(3)}({sub()}, {sub()})"
        return f"({sub()} ^ {sub()})"

    def condition(self, depth=0):
        sub = lambda: self.expression(depth + 1)
        kind = self.random.randrange(7)
        if depth > 2 or kind < 3:
            return f"{sub()} {self.pick('<', '==', '>=', '!=')} {sub()}"
        if kind == 3:
            return f"(not {self.condition(depth + 1)})"
        if kind == 4:
            return f"({self.simple_condition()} {self.pick('and', 'or')} {self.simple_condition()})"
        if kind == 5:
            return f"a < {self.pick(*NAMES)} <= {self.pick(*NAMES)}"
        return self.pick("True", "False", "1 < 2", "a > 2", "b > 3", "c != k")

    def simple_condition(self):
        """Without `:=`: at run time, both sides of `and` and `or` are evaluated."""
        return f"{self.pick(*NAMES)} {self.pick('<', '==', '>=')} {self.pick(*NAMES, '3')}"

    def block(self, level, count=0):
        for _ in range(count or self.random.randrange(1, 4)):
            self.statement(level)

    def line(self, level, text):
        self.lines.append(" " * level + text)

    def statement(self, level):
        kind = self.random.randrange(17 if level <= 4 else 6)
        name = self.pick(*NAMES)
        if kind == 3:
            self.line(level, f"{name} += {self.pick(*NAMES, '1')}")
        elif kind == 4:
            x, y = self.random.sample(NAMES, 2)
            self.line(level, f"{x}, {y} = {y}, {self.expression()}")
        elif kind == 5 and self.in_function:
            self.line(level, f"{name} = {self.random.randrange(4)}")
        elif kind == 5:
            self.line(level, f"tl.store(out + {self.random.randrange(8)}, "
                             f"{self.expression()} & 1023)")
        elif 6 <= kind <= 8:
            self.line(level, f"if {self.condition()}:")
            self.block(level + 1)
            if self.random.random() < 0.3:
                self.line(level, f"elif {self.condition()}:")
                self.block(level + 1)
            if self.random.random() < 0.5:
                self.line(level, "else:")
                self.block(level + 1)
        elif kind == 9:
            self.for_loop(level)
        elif kind == 10:
            self.while_loop(level)
        elif kind == 11:
            self.leave(level, f"return {self.expression()}" if self.in_function else "return")
        elif kind in (13, 14) and self.depth:
            self.leave(level, self.pick("break", "continue"))
        elif kind == 15:
            self.endless_loop(level)
        elif kind == 12:
            self.line(level, f"if {self.pick('K', 'not K', 'K == 3')}:")
            self.block(level + 1)
            self.line(level, "else:")
            self.block(level + 1)
        else:
            self.line(level, f"{name} = {self.expression()}")

    def leave(self, level, statement):
        """Now and then on every path: what follows is then dead."""
        if self.random.random() < 0.1:
            self.line(level, statement)
            return
        self.line(level, f"if {self.condition()}:")
        if self.random.random() < 0.6:
            self.block(level + 1, 1)
        self.line(level + 1, statement)
        if self.random.random() < 0.3:
            self.line(level, "else:")
            self.block(level + 1)

    def for_loop(self, level):
        self.loops += 1
        counter = f"i{self.loops}"
        kind = self.pick("range", "tl.range", "tl.static_range")
        known = ("3", "1, 4", "4, 0, -1", "0, 5, 2")
        unknown = ("a & 3", "b & 3", "0, c & 7, 2", "a & 7, 0, -1", "d & 7, k & 3, -2",
                   "0, b & 7, (a & 3) + 1", "b & 7, 0, -1 - (a & 3)")
        bounds = self.pick(*(known if kind == "tl.static_range" else known + unknown))
        over = self.pick("(1, 5, 2)", "(a, 3, d, b)") if self.random.random() < 0.2 else \
            f"{kind}({bounds})"
        self.line(level, f"for {counter} in {over}:")
        self.depth += 1
        self.line(level + 1, f"{self.pick(*NAMES)} = {counter} + {self.pick(*NAMES)}")
        self.block(level + 1)
        self.depth -= 1

    def while_loop(self, level):
        self.loops += 1
        counter = f"w{self.loops}"
        self.line(level, f"{counter} = 0")
        self.line(level, f"while {counter} < (b & 3) and {self.simple_condition()}:")
        self.depth += 1
        self.line(level + 1, f"{counter} += 1")
        self.block(level + 1)
        self.depth -= 1

    def endless_loop(self, level):
        """Ends in its body only."""
        self.loops += 1
        counter = f"e{self.loops}"
        self.line(level, f"{counter} = 0")
        self.line(level, f"while {self.pick('True', '1 < 2', 'K >= 0')}:")
        self.depth += 1
        self.line(level + 1, f"{counter} += 1")
        self.line(level + 1, f"if {counter} > (b & 3) or {self.simple_condition()}:")
        self.line(level + 2, self.pick("break", "break", "return" + " a" * self.in_function))
        self.block(level + 1)
        self.depth -= 1


class Python:
    """What the programs use of `triton` and `tl`, executed by Python."""
    constexpr, range, static_range = int, range, range

    def __init__(self, out):
        self.out = out

    def jit(self, function):
        return function

    def store(self, index, value):
        self.out[index] = (value + 2**31) % 2**32 - 2**31


def expected(text, a, b):
    out = [-1] * 8
    names = {"tl": Python(out), "triton": Python(out)}
    exec(text, names)
    names["kernel"](0, a, b)
    return out


@pytest.mark.parametrize("seed", range(30))
def test_random_control(backend, seed):
    text = Writer(seed).program()
    kernel = kernels_from(text).kernel
    for a, b in ARGUMENTS:
        out = np.full(8, -1, np.int32)
        kernel[(1,)](out, a, b)
        assert out.tolist() == expected(text, a, b), f"a={a}, b={b}\n{text}"
