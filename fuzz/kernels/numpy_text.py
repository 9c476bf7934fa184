"""The second text of a random kernel: what each of its programs does, in NumPy.

    n = tl.arange(0, 8)                         t0 = np.arange(0, 8, dtype='int32')
    offs = n * stride                           t1 = t0 * stride
                                                t1w = wide(t0) * wide(stride)
    tl.store(y + offs, offs, offs < 9)          t2 = wide(y) + t1w
                                                t3 = t1w < wide(np.int32(9))
                                                m.store(memory['y'], t2, t1, t3)

It is written from the kernel's syntax tree with the language's rules of types, and shares nothing
with the compiler. Integers wrap at their width, but for the rule of indices:

1. A sum, difference or product of int32 that makes up the offset of a pointer, through sums,
   differences, products, operations on shapes, conversions to 64 bits, loops and branches, is
   computed in 64 bits, and loops and branches carry it so.
2. A comparison of signed numbers of which a side is made, by such operations, of one of these
   same values is done on values that are computed so.
3. Other uses of the same values see them wrapped. What comes from a load or another operation is
   taken as it is.

Values with rule 1 or 2 have a second variable, with a `w` behind its name.
"""

import ast
import itertools

from numpy_calls import Calls
from numpy_nodes import (EXACT, INTEGERS, RANK, SIGNED, Carry, Line, Node, common, fits, width)

OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.BitAnd: "&", ast.BitOr: "|",
             ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>", ast.FloorDiv: "//",
             ast.Mod: "%", ast.Div: "/"}
COMPARISONS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==",
               ast.NotEq: "!="}


class Writer(Calls):
    """`arguments`: types of parameters by name, "*T" for a pointer to T; `numbers`: those that
    are known when compiling."""

    def __init__(self, source, arguments, numbers):
        module = ast.parse(source)
        self.functions = {node.name: node for node in module.body
                          if isinstance(node, ast.FunctionDef)}
        self.lines, self.indent, self.count = [], 1, itertools.count()
        self.addresses = []
        self.loops = []      # what each open loop carries, by name
        self.results = None  # types of the function's results that is written, once known
        kernel = self.functions["kernel"]
        self.names = {}
        for argument in kernel.args.args:
            name = argument.arg
            if name in numbers:
                self.names[name] = Node("", "", number=numbers[name])
            elif arguments[name].startswith("*"):
                self.names[name] = Node("np.int64(0)", arguments[name][1:], base=name)
            else:
                self.names[name] = Node(name, arguments[name])
        self.parameters = [name for name, node in self.names.items()
                           if node.number is None and not node.isPointer]
        self.block(kernel.body)

    # Output.

    def emit(self, text):
        self.lines.append("    " * self.indent + text)

    def define(self, form, dtype, *operands, kind="leaf", base="", compares=False):
        node = Node(f"t{next(self.count)}", dtype, kind, operands, base)
        self.lines.append(Line(self.indent, node, form, operands, compares))
        return node

    def text(self):
        """The program. Only here all addresses are known, and with them the comparisons that
        follow rule 2."""
        roots, carried = [], set()
        for address in self.addresses:
            parts = self.parts(address)
            if any(self.mayWrap(node) for node in parts):
                roots.append(address)
                carried |= {node for node in parts if node.kind == "carried"}
        exact = set()
        for root in (*roots, *carried):
            self.follow(root, exact, carried)
        indices = {node for node in exact if self.mayWrap(node)} | carried
        assignments = [line for line in self.lines if isinstance(line, Line)]
        precise = {line.node for line in assignments if line.compares
                   and any(self.reaches(operand, indices) for operand in line.operands)}
        for line in assignments:
            if line.node in precise:
                for operand in line.operands:
                    self.follow(operand, exact, carried)
        parameters = "".join(", " + name for name in self.parameters)
        result = [f"def program(program_id, num_programs, memory{parameters}):"]
        for line in self.lines:
            if isinstance(line, Line):
                result += self.assignment(line, exact, precise)
            else:
                result.append(line if isinstance(line, str) else self.carrying(line, exact))
        return "\n".join(result) + "\n"

    def wide(self, node, exact):
        return node.text + "w" if node in exact else f"wide({node.text})"

    def assignment(self, line, exact, precise):
        pad, node = "    " * line.indent, line.node
        plain = [operand.text for operand in line.operands]
        wide = [self.wide(operand, exact) for operand in line.operands]
        inWide = node in precise or node.kind in ("address", "block")
        result = [f"{pad}{node.text} = {line.form.format(*(wide if inWide else plain))}"]
        if node in exact:
            form = "{0}" if node.kind == "extend" else line.form
            result.append(f"{pad}{node.text}w = {form.format(*wide)}")
        return result

    def carrying(self, line, exact):
        pairs = [(node.text, value.text) for node, value in zip(line.targets, line.values)]
        pairs += [(node.text + "w", self.wide(value, exact))
                  for node, value in zip(line.targets, line.values) if node in exact]
        if not pairs:
            return "    " * line.indent + "pass"
        targets, values = zip(*pairs)
        return "    " * line.indent + ", ".join(targets) + " = " + ", ".join(values)

    def passes(self, node):
        return node.kind in ("arithmetic", "shape", "extend") and not node.isPointer

    def mayWrap(self, node):
        return node.kind == "arithmetic" and node.dtype == "int32"

    def parts(self, root):
        """What rule 1 passes through from an offset on, with what control flow carries."""
        found, waiting = set(), [root]
        while waiting:
            node = waiting.pop()
            isCarried = node.kind == "carried" and node.dtype == "int32"
            if node not in found and (self.passes(node) or isCarried):
                found.add(node)
                waiting += node.operands
        return found

    def follow(self, root, exact, carried):
        """Adds what is computed in 64 bits for `root`."""
        waiting = [root]
        while waiting:
            node = waiting.pop()
            if node not in exact and (self.passes(node) or node in carried):
                exact.add(node)
                waiting += node.operands

    def reaches(self, node, indices):
        return node in indices or self.passes(node) and any(
            self.reaches(operand, indices) for operand in node.operands)

    # Types.

    def typed(self, node, dtype):
        """The node in that type: a number is written out, a value is converted."""
        if node.number is not None:
            if dtype in INTEGERS:
                return Node(f"np.{dtype}({int(node.number)})", dtype)
            return Node(f"m.cast({node.number!r}, {self.type_text(dtype)})", dtype)
        if node.dtype == dtype:
            return node
        # An int32 that goes to 64 bits is extended after the sum, or before it (rule 1).
        kind = "extend" if node.dtype == "int32" and dtype in ("int64", "uint64") else "leaf"
        if node.dtype in INTEGERS and dtype in INTEGERS and width(node.dtype) == width(dtype) == 64:
            kind = "extend"
        return self.define(f"m.cast({{0}}, {self.type_text(dtype)})", dtype, node, kind=kind)

    def type_text(self, dtype):
        if dtype in INTEGERS or dtype in ("float16", "float32", "float64"):
            return f"'{dtype}'"
        return f"m.element_type('{dtype}')"

    def own(self, node):
        """A number as a value of its own type."""
        if node.number is None:
            return node
        if isinstance(node.number, bool):
            return self.typed(node, "int1")
        if isinstance(node.number, float):
            return self.typed(node, "float32")
        return self.typed(node, next(dtype for dtype in ("int32", "uint32", "int64", "uint64")
                                     if fits(node.number, dtype)))

    def pair(self, a, b):
        if a.number is not None and b.number is not None:
            a = self.own(a)
        if a.number is not None:
            b, a = self.pair(b, a)
            return a, b
        if b.number is not None:
            needsFloat = isinstance(b.number, float) and a.dtype not in RANK
            dtype = "float32" if needsFloat else a.dtype
            if dtype == "int1" and not isinstance(b.number, bool):
                dtype = "int32"
        else:
            dtype = common(a.dtype, b.dtype)
        return self.typed(a, dtype), self.typed(b, dtype)

    # Statements.

    def block(self, statements):
        for statement in statements:
            getattr(self, "statement_" + type(statement).__name__)(statement)

    def statement_Expr(self, statement):
        self.value(statement.value)

    def statement_Assign(self, statement):
        target = statement.targets[0]
        value = self.value(statement.value)
        if isinstance(target, ast.Tuple):
            for name, part in zip(target.elts, value):
                self.names[name.id] = part
        elif isinstance(target, ast.Subscript):
            self.assign_elements(target, self.own(value))
        else:
            self.names[target.id] = value

    def statement_AugAssign(self, statement):
        target, old = statement.target, self.value(statement.target)
        new = self.binary(OPERATORS[type(statement.op)], old, self.value(statement.value))
        if isinstance(target, ast.Subscript):
            self.assign_elements(target, new)
        else:
            self.names[target.id] = new

    def assign_elements(self, target, value):
        """A new tile, with the value at the places of a subscript."""
        tile = self.names[target.value.id]
        places, operands = self.places(target.slice, 2)
        self.names[target.value.id] = self.define(
            f"m.assigned({{0}}, {{1}}, np.s_[{places}])", tile.dtype, tile,
            self.typed(value, tile.dtype), *operands)

    def statement_Break(self, _):
        self.leave("break")

    def statement_Continue(self, _):
        self.leave("continue")

    def leave(self, word):
        """Ends a round of the innermost loop, with the values that names have now."""
        self.carry_names(self.loops[-1])
        self.emit(word)

    def statement_Return(self, statement):
        if statement.value is None:
            return self.emit("return")
        value = self.value(statement.value)
        values = [self.own(part) for part in (value if isinstance(value, list) else [value])]
        self.results = self.results or [part.dtype for part in values]
        values = [self.typed(part, dtype) for part, dtype in zip(values, self.results)]
        self.emit("return " + "".join(part.text + ", " for part in values))

    def assigned(self, statements):
        """Names that the statements assign and that have a value before them."""
        found = {}
        for statement in statements:
            for node in ast.walk(statement):
                if isinstance(getattr(node, "ctx", None), ast.Store):
                    # An element that is assigned gives its tile's name another tile.
                    name = node.value if isinstance(node, ast.Subscript) else node
                    if isinstance(name, ast.Name):
                        found[name.id] = None
        return [name for name in found if name in self.names]

    def merge(self, names, isLoop):
        """Gives names the variables that hold them whichever way control came."""
        merged = {}
        for name in names:
            node = self.own(self.names[name])
            merged[name] = Node(f"{name}_{next(self.count)}", node.dtype, "carried", base=node.base)
            self.carry([merged[name]], [node], isSource=isLoop)
        return merged

    def carry(self, targets, values, isSource=True):
        self.lines.append(Carry(self.indent, targets, values))
        if isSource:
            for target, value in zip(targets, values):
                target.operands += (value,)

    def branch(self, merged, outer, statements):
        """A body, at whose end the merged names get their values at once."""
        self.indent += 1
        self.names = dict(outer)
        self.block(statements)
        self.carry_names(merged)
        self.indent -= 1

    def carry_names(self, merged):
        values = [self.names[name] if node.isPointer else self.typed(self.names[name], node.dtype)
                  for name, node in merged.items()]
        self.carry(list(merged.values()), values)

    def rounds(self, merged, outer, statements):
        """The body of a loop."""
        self.loops.append(merged)
        self.branch(merged, outer, statements)
        self.loops.pop()

    def statement_If(self, statement):
        test = self.value(statement.test)
        if test.number is not None:
            return self.block(statement.body if test.number else statement.orelse)
        # Without an `else`, what was there before is one of the ways.
        merged = self.merge(self.assigned(statement.body + statement.orelse),
                            not statement.orelse)
        outer = dict(self.names)
        self.emit(f"if bool({test.text}):")
        self.branch(merged, outer, statement.body)
        if statement.orelse:
            self.emit("else:")
            self.branch(merged, outer, statement.orelse)
        self.names = {**outer, **merged}

    def statement_For(self, statement):
        call = statement.iter
        form = call.func.id if isinstance(call.func, ast.Name) else call.func.attr
        bounds = [self.value(argument) for argument in call.args]
        if len(bounds) == 1:
            bounds.insert(0, Node("", "", number=0))
        if len(bounds) == 2:
            bounds.append(Node("", "", number=1))
        name = statement.target.id
        if form == "static_range":
            for i in range(*(bound.number for bound in bounds)):
                self.names[name] = Node("", "", number=i)
                self.block(statement.body)
            return
        dtype = "int32"
        for bound in bounds:
            dtype = common(dtype, self.own(bound).dtype)
        start, stop, step = (self.typed(bound, dtype).text for bound in bounds)
        merged = self.merge(self.assigned(statement.body), True)
        outer = dict(self.names)
        counter = f"i{next(self.count)}"
        self.emit(f"for {counter} in range(int({start}), int({stop}), int({step})):")
        self.emit(f"    {counter} = np.asarray({counter}, '{dtype}')")
        inside = {**outer, **merged, name: Node(counter, dtype)}
        self.rounds(merged, inside, statement.body)
        self.names = {**outer, **merged}

    def statement_While(self, statement):
        merged = self.merge(self.assigned(statement.body), True)
        outer = dict(self.names)
        self.names = {**outer, **merged}
        self.emit("while True:")
        self.indent += 1
        self.emit(f"if not bool({self.value(statement.test).text}): break")
        self.indent -= 1
        self.rounds(merged, {**outer, **merged}, statement.body)
        self.names = {**outer, **merged}

    # Expressions.

    def value(self, node):
        return getattr(self, "value_" + type(node).__name__)(node)

    def value_Constant(self, node):
        return Node("", "", number=node.value)

    def value_Name(self, node):
        return self.names[node.id]

    def value_Tuple(self, node):
        return [self.value(element) for element in node.elts]

    value_List = value_Tuple

    def value_Subscript(self, node):
        x = self.value(node.value)
        places, operands = self.places(node.slice, 1)
        if operands or any(letter.isdigit() for letter in places):
            x = self.own(x)
            return self.define(f"{{0}}[{places}]", x.dtype, x, *operands)
        return self.shape(f"{{0}}[{places}]", x)

    def places(self, node, first):
        """Text of a subscript, with a place for each value in it from the number `first` on,
        and these values."""
        parts, operands = [], []
        for part in node.elts if isinstance(node, ast.Tuple) else [node]:
            value = None if isinstance(part, ast.Slice) else self.value(part)
            if value is None:
                parts.append(ast.unparse(part))
            elif value.dtype == "":
                parts.append(str(value.number))
            else:
                parts.append(f"{{{first + len(operands)}}}")
                operands.append(value)
        return ", ".join(parts), operands

    def value_UnaryOp(self, node):
        x = self.value(node.operand)
        if x.number is not None:
            return Node("", "", number={ast.USub: lambda v: -v, ast.UAdd: lambda v: v,
                                        ast.Invert: lambda v: ~v}[type(node.op)](x.number))
        if isinstance(node.op, ast.Invert):
            return self.define("~{0}", x.dtype, x)
        if isinstance(node.op, ast.UAdd):
            return x
        return self.define("-{0}", x.dtype, x, kind=self.arithmetic_kind(x.dtype))

    def value_BinOp(self, node):
        return self.binary(OPERATORS[type(node.op)], self.value(node.left),
                           self.value(node.right))

    def value_BoolOp(self, node):
        values = [self.typed(self.value(value), "int1") for value in node.values]
        operator = "&" if isinstance(node.op, ast.And) else "|"
        return self.define(f" {operator} ".join(f"{{{i}}}" for i in range(len(values))), "int1",
                           *values)

    def value_Compare(self, node):
        left, parts = self.value(node.left), []
        for operation, right in zip(node.ops, node.comparators):
            right = self.value(right)
            a, b = self.pair(left, right)
            isIndex = a.dtype in ("int32", "int64")
            parts.append(self.define(f"{{0}} {COMPARISONS[type(operation)]} {{1}}", "int1", a, b,
                                     compares=isIndex))
            left = right
        result = parts[0]
        for part in parts[1:]:
            result = self.define("{0} & {1}", "int1", result, part)
        return result

    def shape(self, form, x):
        """An operation that moves elements, of a value or a pointer."""
        x = self.own(x)
        return self.define(form, x.dtype, x, kind="shape", base=x.base)

    def binary(self, operator, a, b):
        if a.isPointer or (operator == "+" and b.isPointer):
            pointer, amount = (a, b) if a.isPointer else (b, a)
            return self.moved(pointer, amount, operator)
        if a.number is not None and b.number is not None:
            return Node("", "", number=fold(operator, a.number, b.number))
        isArithmetic = a.number is None and a.dtype in SIGNED or \
            a.number is not None and b.dtype in SIGNED
        if operator in "//%" and not self.isFloat(a, b):
            function = "divide" if operator == "//" else "remainder"
            if operator != "/":
                a, b = self.pair(a, b)
                return self.define(f"m.{function}({{0}}, {{1}})", a.dtype, a, b)
        a, b = self.pair(a, b)
        if operator == "/":
            if a.dtype != "float64":
                a, b = self.typed(a, "float32"), self.typed(b, "float32")
            return self.define("{0} / {1}", a.dtype, a, b)
        if operator == "%":
            return self.define("m.remainder({0}, {1})", a.dtype, a, b)
        if operator == ">>":
            return self.define(f"m.shift_right({{0}}, {{1}}, {isArithmetic})", a.dtype, a, b)
        kind = self.arithmetic_kind(a.dtype) if operator in "+-*" else "leaf"
        return self.define(f"{{0}} {operator} {{1}}", a.dtype, a, b, kind=kind)

    def arithmetic_kind(self, dtype):
        return "arithmetic" if dtype in EXACT else "leaf"

    def isFloat(self, *nodes):
        return any(isinstance(node.number, float) or node.dtype in RANK for node in nodes)

    def moved(self, pointer, amount, operator):
        amount = self.own(amount)
        if operator == "-":
            amount = self.define("-{0}", "int64", self.typed(amount, "int64"), kind="arithmetic")
        self.addresses.append(amount)
        return self.define("{0} + {1}", pointer.dtype, pointer, amount, kind="address",
                           base=pointer.base)


def fold(operator, a, b):
    """Python's rules: both numbers are known when compiling."""
    return {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "//": lambda: a // b,
            "%": lambda: a % b, "<<": lambda: a << b, ">>": lambda: a >> b, "&": lambda: a & b,
            "|": lambda: a | b, "^": lambda: a ^ b, "/": lambda: a / b}[operator]()
