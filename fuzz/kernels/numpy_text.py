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
import dataclasses
import itertools

SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTEGERS = SIGNED + UNSIGNED
# Types of the sums that rule 1 passes through. Narrower and unsigned ones wrap.
EXACT = ("int32", "int64", "uint64")
RANK = {"float8e4nv": 0, "float8e5": 0, "float16": 2, "bfloat16": 1, "float32": 3, "float64": 4}
OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.BitAnd: "&", ast.BitOr: "|",
             ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>", ast.FloorDiv: "//",
             ast.Mod: "%", ast.Div: "/"}
COMPARISONS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==",
               ast.NotEq: "!="}
FUNCTIONS = {"floor": "np.floor({0})", "ceil": "np.ceil({0})", "exp": "np.exp({0})",
             "exp2": "np.exp2({0})", "log": "np.log({0})", "log2": "np.log2({0})",
             "sin": "np.sin({0})", "cos": "np.cos({0})", "sqrt": "np.sqrt({0})",
             "sigmoid": "1 / (1 + np.exp(-{0}))", "erf": "np.vectorize(math.erf)({0})"}
ATOMICS = {"add": "old + new", "max": "max(old, new)", "min": "min(old, new)", "and": "old & new",
           "or": "old | new", "xor": "old ^ new", "xchg": "new"}
# Result types of reductions, by the operand's.
NARROW = {"int8": "int32", "int16": "int32", "uint8": "uint32", "uint16": "uint32",
          "int1": "uint32"}
PRODUCTS = {"int8": "int32", "uint8": "int32", "float64": "float64"}


@dataclasses.dataclass(eq=False)
class Node:
    """A value: the variable that holds it, or the number that it is."""

    text: str
    dtype: str            # "" for a number that takes the type of what it meets
    # What rule 1 passes through: "arithmetic", "shape", "extend", "carried" by control flow.
    kind: str = "leaf"
    operands: tuple = ()  # of what is carried: all that it may be
    base: str = ""        # of a pointer: the array
    number: object = None

    @property
    def isPointer(self):
        return bool(self.base)


@dataclasses.dataclass
class Line:
    """An assignment. `form` has a place for each operand's variable."""

    indent: int
    node: Node
    form: str
    operands: tuple
    compares: bool = False


@dataclasses.dataclass
class Carry:
    """An assignment of values to what control flow carries, all at once."""

    indent: int
    targets: list
    values: list


def width(dtype):
    return int(dtype.lstrip("uint"))


def common(a, b):
    """The type that two typed operands are converted to."""
    if a == b:
        return a
    if a in RANK or b in RANK:
        if a in RANK and b in RANK:
            if {a, b} == {"float16", "bfloat16"}:
                return "float16"
            return a if RANK[a] > RANK[b] else b
        return a if a in RANK else b
    if "int1" in (a, b):
        return b if a == "int1" else a
    if width(a) != width(b):
        return a if width(a) > width(b) else b
    return a if a in UNSIGNED else b


class Writer:
    """`arguments`: types of parameters by name, "*T" for a pointer to T; `numbers`: those that
    are known when compiling."""

    def __init__(self, source, arguments, numbers):
        module = ast.parse(source)
        self.functions = {node.name: node for node in module.body
                          if isinstance(node, ast.FunctionDef)}
        self.lines, self.indent, self.count = [], 1, itertools.count()
        self.addresses = []
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
        else:
            self.names[target.id] = value

    def statement_AugAssign(self, statement):
        name = statement.target.id
        self.names[name] = self.binary(OPERATORS[type(statement.op)], self.names[name],
                                       self.value(statement.value))

    def assigned(self, statements):
        """Names that the statements assign and that have a value before them."""
        found = {}
        for statement in statements:
            for node in ast.walk(statement):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    found[node.id] = None
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
        values = [self.names[name] if node.isPointer else self.typed(self.names[name], node.dtype)
                  for name, node in merged.items()]
        self.carry(list(merged.values()), values)
        self.indent -= 1

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
        self.branch(merged, inside, statement.body)
        self.names = {**outer, **merged}

    def statement_While(self, statement):
        merged = self.merge(self.assigned(statement.body), True)
        outer = dict(self.names)
        self.names = {**outer, **merged}
        self.emit("while True:")
        self.indent += 1
        self.emit(f"if not bool({self.value(statement.test).text}): break")
        self.indent -= 1
        self.branch(merged, {**outer, **merged}, statement.body)
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
        return self.shape(f"{{0}}[{ast.unparse(node.slice).strip('()')}]", x)

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
            if a.dtype in INTEGERS:
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

    # Calls.

    def value_Call(self, node):
        function = node.func
        keywords = {keyword.arg: keyword.value for keyword in node.keywords}
        if isinstance(function, ast.Name):
            if function.id in self.functions:
                return self.inlined(self.functions[function.id], node.args, keywords)
            return getattr(self, "call_" + function.id)(*node.args, **keywords)
        if isinstance(function.value, ast.Name) and function.value.id == "tl":
            name, arguments = function.attr, node.args
        else:
            name, arguments = function.attr, [function.value, *node.args]
        if name == "load" and isinstance(arguments[0], ast.Call) and \
                ast.unparse(arguments[0].func) in ("tl.make_tensor_descriptor",
                                                   "tl.make_block_ptr"):
            return self.block_load(*arguments[:2])
        if name in FUNCTIONS:
            x = self.value(arguments[0])
            return self.define(FUNCTIONS[name], x.dtype, x)
        if name in ("sum", "max", "min", "xor_sum", "argmax", "argmin"):
            return self.reduction(name, *arguments, **keywords)
        if name.startswith("atomic_") and name != "atomic_cas":
            return self.atomic(name.removeprefix("atomic_"), *arguments, **keywords)
        return getattr(self, "call_" + name)(*arguments, **keywords)

    def inlined(self, function, arguments, keywords):
        """A call of a function that is one `return`."""
        names, outer = [argument.arg for argument in function.args.args], self.names
        given = {name: self.value(value) for name, value in
                 [*zip(names, arguments), *keywords.items()]}
        self.names = given
        result = self.value(function.body[-1].value)
        self.names = outer
        return result

    def literal(self, node):
        return ast.literal_eval(node)

    def extents(self, nodes):
        if len(nodes) == 1 and isinstance(nodes[0], ast.Tuple):
            nodes = nodes[0].elts
        return tuple(self.value(node).number for node in nodes)

    def dtype(self, node):
        return node.attr

    def call_program_id(self, axis):
        return self.define(f"np.asarray(program_id[{axis.value}], 'int32')", "int32")

    def call_num_programs(self, axis):
        return self.define(f"np.asarray(num_programs[{axis.value}], 'int32')", "int32")

    def call_arange(self, start, end):
        start, end = self.value(start).number, self.value(end).number
        return self.define(f"np.arange({start}, {end}, dtype='int32')", "int32")

    def call_zeros(self, shape, dtype):
        return self.call_full(shape, ast.Constant(0), dtype)

    def call_full(self, shape, value, dtype):
        dtype = self.dtype(dtype)
        return self.define(f"np.full({self.extents([shape])}, {{0}})", dtype,
                           self.typed(self.value(value), dtype))

    def call_to(self, x, dtype):
        return self.typed(self.own(self.value(x)), self.dtype(dtype))

    def call_load(self, pointer, mask=None, other=None, **_):
        pointer = self.value(pointer)
        operands = [pointer] + [self.own(self.value(node)) for node in (mask, other)
                                if node is not None]
        dtype = pointer.dtype
        rest = "".join(f", {{{i}}}" for i in range(1, len(operands)))
        return self.define(f"m.load(memory['{pointer.base}'], {{0}}{rest})", dtype, *operands)

    def call_store(self, pointer, value, mask=None, **_):
        pointer, value = self.value(pointer), self.own(self.value(value))
        operands = [pointer, value] + ([] if mask is None else [self.value(mask)])
        rest = "".join(f", {{{i}}}" for i in range(2, len(operands)))
        self.define(f"m.store(memory['{pointer.base}'], {{0}}, {{1}}{rest})", "", *operands)

    def atomic(self, name, pointer, value, mask=None, **_):
        pointer, value = self.value(pointer), self.own(self.value(value))
        operands = [pointer, value] + ([] if mask is None else [self.value(mask)])
        rest = "".join(f", {{{i}}}" for i in range(1, len(operands)))
        return self.define(f"m.atomic(memory['{pointer.base}'], lambda old, new: {ATOMICS[name]}, "
                           f"{{0}}{rest})", pointer.dtype, *operands)

    def call_atomic_cas(self, pointer, expected, value):
        pointer = self.value(pointer)
        return self.define(f"m.compare_and_swap(memory['{pointer.base}'], {{0}}, {{1}}, {{2}})",
                           pointer.dtype, pointer, self.own(self.value(expected)),
                           self.own(self.value(value)))

    def call_where(self, condition, a, b):
        a, b = self.pair(self.value(a), self.value(b))
        return self.define("np.where({0}, {1}, {2})", a.dtype, self.value(condition), a, b)

    def call_minimum(self, a, b, name="minimum"):
        a, b = self.pair(self.value(a), self.value(b))
        if a.dtype == "bfloat16":
            a, b = self.typed(a, "float32"), self.typed(b, "float32")
        return self.define(f"np.{name}({{0}}, {{1}})", a.dtype, a, b)

    def call_maximum(self, a, b):
        return self.call_minimum(a, b, "maximum")

    call_min, call_max = call_minimum, call_maximum

    def call_abs(self, x):
        x = self.value(x)
        return self.define("np.abs({0})", x.dtype, x)

    def call_cdiv(self, x, y):
        x, y = self.value(x), self.value(y)
        one = Node("", "", number=1)
        return self.binary("//", self.binary("+", x, self.binary("-", y, one)), y)

    def call_trans(self, x, *axes):
        if axes:
            return self.call_permute(x, *axes)
        return self.shape("np.swapaxes({0}, -1, -2)", self.value(x))

    def call_permute(self, x, *axes):
        return self.shape(f"np.transpose({{0}}, {self.extents(axes)})", self.value(x))

    def call_gather(self, x, index, axis):
        x = self.own(self.value(x))
        return self.define(f"np.take_along_axis({{0}}, {{1}}, {axis.value})", x.dtype, x,
                           self.value(index))

    def call_flip(self, x, dim):
        return self.shape(f"np.flip({{0}}, {dim.value})", self.value(x))

    def call_cat(self, a, b, can_reorder, dim):
        a, b = self.pair(self.value(a), self.value(b))
        return self.define(f"np.concatenate([{{0}}, {{1}}], {dim.value})", a.dtype, a, b)

    def call_sort(self, x, dim, descending):
        x = self.own(self.value(x))
        form = f"np.sort({{0}}, {dim.value})"
        form = f"np.flip({form}, {dim.value})" if descending.value else form
        return self.define(form, x.dtype, x)

    def call_topk(self, x, k, dim, descending):
        x = self.call_sort(x, dim, descending)
        return self.define(f"np.take({{0}}, range({k.value}), {dim.value})", x.dtype, x)

    def call_reshape(self, x, *shape):
        return self.shape(f"np.reshape({{0}}, {self.extents(shape)})", self.value(x))

    def call_ravel(self, x):
        return self.shape("np.ravel({0})", self.value(x))

    def call_expand_dims(self, x, axis):
        return self.shape(f"np.expand_dims({{0}}, {axis.value})", self.value(x))

    def call_broadcast_to(self, x, *shape):
        return self.shape(f"np.broadcast_to({{0}}, {self.extents(shape)})", self.value(x))

    def call_join(self, a, b, name="join"):
        a, b = self.pair(self.value(a), self.value(b))
        return self.define(f"m.{name}({{0}}, {{1}})", a.dtype, a, b)

    def call_interleave(self, a, b):
        return self.call_join(a, b, "interleave")

    def call_split(self, x):
        x = self.value(x)
        return [self.define(f"{{0}}[..., {i}]", x.dtype, x) for i in (0, 1)]

    def reduction(self, name, x, axis=None, return_indices=None):
        x = self.value(x)
        axis = axis.value if axis is not None else None
        if name in ("argmax", "argmin"):
            return self.define(f"m.chosen({{0}}, {axis}, {name == 'argmax'})", "int32", x)
        dtype = x.dtype if return_indices is not None else NARROW.get(x.dtype, x.dtype)
        if name in ("max", "min") and return_indices is None and x.dtype in ("float16", "bfloat16"):
            dtype = "float32"
        wide = self.typed(x, dtype)
        function = {"sum": f"np.sum({{0}}, axis={axis}, dtype={self.type_text(dtype)})",
                    "xor_sum": f"np.bitwise_xor.reduce({{0}}, axis={axis})",
                    "max": f"np.max({{0}}, axis={axis})", "min": f"np.min({{0}}, axis={axis})"}
        result = self.define(function[name], dtype, wide)
        if return_indices is None:
            return result
        return [result, self.define(f"m.chosen({{0}}, {axis}, {name == 'max'})", "int32", x)]

    def scan(self, name, x, axis, reverse, dtype):
        x, axis = self.typed(self.value(x), dtype), axis.value
        text = f"np.{name}({{0}}, axis={axis}, dtype={self.type_text(dtype)})"
        if reverse is not None and reverse.value:
            text = text.replace("{0}", f"np.flip({{0}}, {axis})")
            text = f"np.flip({text}, {axis})"
        return self.define(text, dtype, x)

    def call_cumsum(self, x, axis, reverse=None):
        dtype = self.value(x).dtype
        return self.scan("cumsum", x, axis, reverse, NARROW.get(dtype, dtype))

    def call_cumprod(self, x, axis, reverse=None):
        return self.scan("cumprod", x, axis, reverse, self.value(x).dtype)

    def call_reduce(self, operands, axis, function):
        values, indices = self.value(operands)
        both = self.define(f"m.combine({{0}}, {{1}}, {axis.value})", "", values, indices)
        return [self.define(f"{{0}}[{i}]", node.dtype, both)
                for i, node in enumerate((values, indices))]

    def call_map_elementwise(self, function, x, y):
        """With the kernels' function `lesser`."""
        return self.call_minimum(x, y)

    def call_dot(self, a, b, acc=None, **_):
        a, b = self.value(a), self.value(b)
        dtype = PRODUCTS.get(a.dtype, "float32")
        total = self.value(acc) if acc is not None else Node("np.int64(0)", dtype)
        return self.define(f"m.dot({{0}}, {{1}}, {{2}}, '{dtype}')", dtype, a, b, total)

    def block_load(self, call, offsets=None):
        """A load through tl.make_tensor_descriptor(...) or tl.make_block_ptr(...)."""
        keywords = {keyword.arg: keyword.value for keyword in call.keywords}
        base = self.value(call.args[0])
        offsets = offsets if call.func.attr == "make_tensor_descriptor" else keywords["offsets"]
        lists = [[self.own(value) for value in self.value(node)] for node in
                 (keywords["shape"], keywords["strides"], offsets)]
        self.addresses += itertools.chain(*lists)
        texts, i = [], 1
        for each in lists:
            texts.append("[" + ", ".join(f"{{{j}}}" for j in range(i, i + len(each))) + "]")
            i += len(each)
        return self.define(
            f"m.block(memory['{base.base}'], {{0}}, {', '.join(texts)}, "
            f"{self.extents([ast.Tuple(keywords['block_shape'].elts)])})", base.dtype, base,
            *itertools.chain(*lists), kind="block")


def fits(number, dtype):
    bits = width(dtype)
    low, high = (0, 1 << bits) if dtype in UNSIGNED else (-(1 << bits - 1), 1 << bits - 1)
    return low <= number < high


def fold(operator, a, b):
    """Python's rules: both numbers are known when compiling."""
    return {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "//": lambda: a // b,
            "%": lambda: a % b, "<<": lambda: a << b, ">>": lambda: a >> b, "&": lambda: a & b,
            "|": lambda: a | b, "^": lambda: a ^ b, "/": lambda: a / b}[operator]()
