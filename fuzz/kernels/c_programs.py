"""Random C programs, as Triton-C and by the host's C compiler, whose results must agree.

    c_programs.py --seed 17 --count 100   the seeds 17 .. 116, on TRITIUM_BACKEND

A program is one function over scalars of all integer types, with loops of every kind, jumps,
nested scopes, a helper function, and loads and stores. It has no undefined behaviour under
-fwrapv, and nothing whose order C leaves open.
"""

import argparse
import ctypes
import random

import host_compiler
import numpy as np

TYPES = ["int", "unsigned", "long", "unsigned long", "char", "unsigned char", "short", "bool"]
LITERALS = ["0", "1", "2", "3", "5", "-1", "7u", "100", "-100", "255", "0x7F", "0xFFFFFFFF",
            "2147483647", "1l", "-3l", "4000000000", "65535", "12345678901"]

class Program:
    """Text of `void k(long *out, int a, unsigned b, long c)` and its helper."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = 0
        # What the function that is being written returns; variables that loops count in.
        self.returned, self.counters = " 3", {"a", "b"}
        self.hasHelper = False
        helper = self.block(2, ["a", "b"], False, 1)
        helper.append(f"  return {self.expression(2, ['a', 'b'])};")
        self.returned, self.hasHelper = "", True
        parameters = ["a", "b", "c"]
        body = self.block(3, parameters, False, 1) + self.block(3, parameters, False, 1)
        self.text = "\n".join(
            ["long helper(int a, long b, long *out) {", "  int fuel = 6;"] + helper +
            ["}", "void k(long *out, int a, unsigned b, long c) {", "  int fuel = 20;"] + body +
            ["}", ""])
        self.arguments = (self.random.choice([0, 1, -1, 7, -2147483648, 123456]),
                          self.random.choice([0, 1, 5, 4294967295, 4096]),
                          self.random.choice([0, -1, 1 << 40, -12345678901, 3]))

    def fresh(self, letter):
        self.names += 1
        return f"{letter}{self.names}"

    def expression(self, depth, names):
        choose, kind = self.random.choice, self.random.random()
        if depth <= 0 or kind < 0.2:
            if names and self.random.random() < 0.75:
                return choose(names)
            return f"({choose(LITERALS)})"

        def part():
            return self.expression(depth - 1, names)

        kind = self.random.random()
        if kind < 0.45:
            return f"({part()} {choose('+-*&|^')} {part()})"
        if kind < 0.55:
            return f"({part()} {choose(['<<', '>>'])} ({part()} & 7))"
        if kind < 0.63:
            return f"({part()} {choose('/%')} (({part()} & 7) + 1))"
        if kind < 0.75:
            return f"({part()} {choose(['<', '>', '<=', '>=', '==', '!='])} {part()})"
        if kind < 0.80:
            return f"({part()} {choose(['&&', '||'])} {part()})"
        if kind < 0.86:
            return f"({part()} ? {part()} : {part()})"
        if kind < 0.92:
            return f"({choose(TYPES)}){part()}"
        if kind < 0.97:
            return f"({choose('-~!')}{part()})"
        return f"*(out + ({part()} & 15))"

    def block(self, depth, names, inLoop, indent):
        names, declared, lines = list(names), set(), []
        for _ in range(self.random.randint(1, 4)):
            lines += self.statement(depth, names, inLoop, indent, declared)
        return lines

    def statement(self, depth, names, inLoop, indent, declared):
        pad, kind = "  " * indent, self.random.random()
        assignable = [name for name in names if name not in self.counters]
        if kind < 0.22 or not assignable:
            return self.declaration(depth, names, pad, declared)
        if kind < 0.50:
            return self.assignment(names, self.random.choice(assignable), pad)
        if kind < 0.60:
            return [f"{pad}*(out + ({self.expression(1, names)} & 15)) = "
                    f"{self.expression(3, names)};"]
        if kind < 0.65 and self.hasHelper:
            result = self.fresh("h")
            first, second = self.expression(1, names), self.expression(1, names)
            return [f"{pad}{{ long {result} = helper({first}, {second}, out);",
                    f"{pad}  *(out + {self.random.randint(0, 15)}) += {result}; }}"]
        if depth <= 0:
            return [f"{pad}*(out + {self.random.randint(0, 15)}) ^= {self.expression(2, names)};"]
        if kind < 0.80:
            return self.branch(depth, names, inLoop, indent)
        return self.loop(depth, names, indent)

    def declaration(self, depth, names, pad, declared):
        hidden = [name for name in names if name not in declared | self.counters]
        if hidden and depth < 3 and self.random.random() < 0.2:
            name = self.random.choice(hidden)
            value = self.expression(2, [other for other in names if other != name])
        else:
            name, value = self.fresh("v"), self.expression(3, names)
            names.append(name)
        declared.add(name)
        return [f"{pad}{self.random.choice(TYPES)} {name} = {value};"]

    def assignment(self, names, target, pad):
        kind = self.random.random()
        if kind < 0.3:
            op = self.random.choice("+-*&|^")
            return [f"{pad}{target} {op}= {self.expression(2, names)};"]
        if kind < 0.44:
            step = self.random.choice(["++{0};", "{0}++;", "--{0};", "{0}--;"])
            return [pad + step.format(target)]
        return [f"{pad}{target} = {self.expression(3, names)};"]

    def branch(self, depth, names, inLoop, indent):
        pad, jump = "  " * indent, self.random.random()
        lines = [f"{pad}if ({self.expression(2, names)}) {{"]
        lines += self.block(depth - 1, names, inLoop, indent + 1)
        if jump < 0.3 and inLoop:
            lines.append(f"{pad}  {'break' if jump < 0.15 else 'continue'};")
        elif 0.3 < jump < 0.4:
            lines.append(f"{pad}  return{self.returned};")
        if self.random.random() < 0.5:
            lines.append(f"{pad}}} else {{")
            lines += self.block(depth - 1, names, inLoop, indent + 1)
            if inLoop and self.random.random() < 0.15:
                lines.append(f"{pad}  {self.random.choice(['break', 'continue'])};")
        return lines + [pad + "}"]

    def loop(self, depth, names, indent):
        pad = "  " * indent
        leave = self.random.choice(["break", "break", "return" + self.returned])
        fuel = [f"{pad}  if (--fuel < 0) {leave};"]
        if self.random.random() < 0.65:
            header, counter = self.forHeader()
            self.counters.add(counter)
            body = self.block(depth - 1, names + [counter], True, indent + 1)
            if self.random.random() < 0.3:
                body = fuel + body
            return [f"{pad}for ({header}) {{"] + body + [pad + "}"]
        if self.random.random() < 0.3:
            return self.countingWhile(depth, names, pad, indent)
        body = fuel + self.block(depth - 1, names, True, indent + 1)
        test = self.expression(2, names)
        if self.random.random() < 0.5:
            return [f"{pad}while ({test}) {{"] + body + [pad + "}"]
        return [f"{pad}do {{"] + body + [f"{pad}}} while ({test});"]

    def countingWhile(self, depth, names, pad, indent):
        """Counts in a variable that is read afterwards; `continue` would skip the step."""
        counter, by = self.fresh("w"), self.random.randint(1, 3)
        self.counters.add(counter)
        start, step = ("0", "+=") if self.random.random() < 0.5 else ("7", "-=")
        test = f"{counter} < (b & 7)" if start == "0" else f"{counter} >= (a & 3)"
        body = self.block(depth - 1, names + [counter], False, indent + 1)
        declaration = f"{pad}int {counter} = {start};"
        names.append(counter)
        return ([declaration, f"{pad}while ({test}) {{"] + body +
                [f"{pad}  {counter} {step} {by};", pad + "}"])

    def forHeader(self):
        i, n = self.fresh("i"), self.random.randint(0, 6)
        ctype = self.random.choice(["int", "long", "int", "unsigned"])
        down = 1 if ctype == "unsigned" else self.random.randint(1, 3)
        return self.random.choice([
            f"{ctype} {i} = 0; {i} < {n}; {i}++",
            f"{ctype} {i} = {n}; {i} > 0; {i} -= {down}",
            f"{ctype} {i} = {self.random.randint(0, 2)}; {i} <= {n}; {i} = {i} + 2",
            f"{ctype} {i} = 1; {n} > {i}; ++{i}",
            f"int {i} = (a & 3); {i} < (b & 7); {i} += {self.random.randint(1, 2)}",
            f"int {i} = {n}; {i} >= (a & 1); --{i}",
        ]), i


def initial():
    return np.arange(-3, 13, dtype=np.int64) * 7


def expectations(programs):
    """What the host's compiler makes of the programs."""
    text = "#include <stdbool.h>\n"
    for i, program in enumerate(programs):
        text += program.text.replace("helper(", f"helper{i}(").replace("void k(", f"void k{i}(")
    loaded = host_compiler.load(text)
    for i, program in enumerate(programs):
        out, (a, b, c) = initial(), program.arguments
        getattr(loaded, f"k{i}")(ctypes.c_void_p(out.ctypes.data), ctypes.c_int(a),
                                 ctypes.c_uint(b), ctypes.c_long(c))
        yield out


def check(first, count):
    """Compares the programs of `count` seeds; returns the seeds that differ."""
    import tritium

    programs = [Program(seed) for seed in range(first, first + count)]
    wrong = []
    for seed, program, expected in zip(range(first, first + count), programs,
                                       expectations(programs)):
        out = initial()
        tritium.c.kernel(program.text, name="k")(out, *program.arguments, grid=(1,))
        if not np.array_equal(out, expected):
            wrong.append(seed)
            print(f"seed {seed} with {program.arguments}:\n{expected}\n{out}\n{program.text}")
    return wrong


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--count", type=int, default=100)
    options = parser.parse_args()
    differing = check(options.seed, options.count)
    print(f"{options.count} programs from seed {options.seed}: {len(differing)} differ")
    raise SystemExit(bool(differing))
