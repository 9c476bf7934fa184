"""Guesses what a kernel may be called with, from its text.

A package's kernels are called by its host code with tensors that are not at hand. What a parameter
is shows in the kernel: what addresses are made of is a pointer, what a value loaded from it
addresses with tells its element type, a test makes a compile-time value a flag, a comparison lists
its values. `tries(kernel)` yields complete guesses, the likeliest first.
"""

import ast
import inspect
import random
import re
import sys
import textwrap
import typing

import host_blocks

ADDRESSED = {"load", "store", "make_block_ptr", "make_tensor_descriptor", "advance", "prefetch",
             "_experimental_make_tensor_descriptor"}
THROUGH = {"multiple_of", "max_contiguous", "max_constancy", "advance", "cast", "broadcast_to",
           "make_block_ptr", "expand_dims", "broadcast"}
TEXTS = {"eviction_policy": "", "cache_modifier": "", "input_precision": "ieee"}
METHODS = {"to", "reshape", "expand_dims", "broadcast_to"}
NUMBER = re.compile(r"stride|offs|_len|size|^n_|^num|idx|pid|^i_|cols|rows|_dim", re.I)
POINTER = re.compile(r"ptr|pointer|^p_", re.I)
INTEGERS = re.compile(r"ind(ex|ices)|_idx|ids?(_|$)|seqlens|offsets|label|target|table|count|lens$",
                      re.I)
REAL = re.compile(r"^log2?_|eps|scale|alpha|beta|^lr|gamma|prob|^p$|dropout|momentum|lambda|"
                  r"temperature|inv_|weight_decay|softcap|^value$|threshold", re.I)


def nameOf(call):
    """The last part of what a call calls."""
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def argument(call, position, *names):
    """An argument of a call by its position or one of its names; None if it has none."""
    for keyword in call.keywords:
        if keyword.arg in names:
            return keyword.value
    if len(call.args) > position and not any(isinstance(a, ast.Starred) for a in call.args):
        return call.args[position]
    return None


def isPointerName(name):
    return POINTER.search(name) and ("stride" not in name or re.search(r"ptrs?$|pointer$", name))


def withoutTests(node):
    """The parts of an expression whose numbers reach its value: no comparison, and not the
    condition of a choice."""
    if isinstance(node, ast.Compare):
        return
    yield node
    for part in node.args[1:] if isinstance(node, ast.Call) and nameOf(
            node) == "where" else ast.iter_child_nodes(node):
        yield from withoutTests(part)


class Usage:
    """How a function of kernels uses its parameters."""

    known = {}

    def __init__(self, fn):
        Usage.known[fn] = self
        self.names = list(inspect.signature(fn).parameters)
        self.scope = {**fn.__globals__, **inspect.getclosurevars(fn).nonlocals}
        self.assigned, self.added, self.tuples = {}, {}, set()
        self.pointers, self.integers, self.blocks, self.flags = set(), set(), set(), set()
        self.types, self.values, self.called, self.callees = set(), {}, set(), set()
        self.ranges, self.unrolled, self.shifted = set(), set(), set()
        self.counts, self.integral = set(), set()  # what is shifted by; what is no real number
        self.packed = set()  # pointers to what is shifted
        self.known = {name for name, param in inspect.signature(fn).parameters.items()
                      if str(param.annotation).endswith(("constexpr", "constexpr'>"))}
        self.returnsValue = False
        self.alike, self.descriptors = [], {}
        tree = ast.parse(textwrap.dedent(inspect.getsource(fn))).body[0]
        self.assignments(tree)
        for node in ast.walk(tree):
            self.visit(node)

    @staticmethod
    def of(fn):
        return Usage.known.get(fn) or Usage(fn)

    def resolve(self, node):
        """What an expression of names stands for outside of the function; None if unknown."""
        if isinstance(node, ast.Attribute):
            holder = self.resolve(node.value)
            return getattr(holder, node.attr, None) if holder is not None else None
        if isinstance(node, ast.Name) and node.id not in self.names:
            return self.scope.get(node.id)
        return None

    def assignments(self, tree):
        for node in ast.walk(tree):
            if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)) and node.value:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    self.assign(target, node.value,
                                self.added if isinstance(node, ast.AugAssign) else self.assigned)

    def assign(self, target, value, values):
        if isinstance(target, ast.Name):
            values.setdefault(target.id, []).append(value)
        elif isinstance(target, ast.Tuple):
            parts = value.elts if isinstance(value, ast.Tuple) and len(value.elts) == len(
                target.elts) else [value] * len(target.elts)
            for one, part in zip(target.elts, parts):
                self.assign(one, part, values)

    def bases(self, node, seen=None):
        """The parameters that an address may begin at, the leftmost first."""
        seen = set() if seen is None else seen
        if isinstance(node, ast.Name):
            if node.id in seen:
                return []
            seen.add(node.id)
            own = [node.id] if node.id in self.names and node.id not in self.known else []
            return own + [base for value in self.assigned.get(node.id, ())
                          for base in self.bases(value, seen)]
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
            left, alike = self.bases(node.left, seen), list(self.alike)
            right = self.bases(node.right, seen)
            if left:  # the right side is an offset
                self.alike = alike
            return left + right
        if isinstance(node, ast.IfExp):
            return self.bases(node.body, seen) + self.bases(node.orelse, seen)
        if isinstance(node, ast.Subscript):
            return self.bases(node.value, seen)
        if isinstance(node, ast.Call):
            if nameOf(node) == "where" and len(node.args) == 3:
                both = self.bases(node.args[1], seen), self.bases(node.args[2], seen)
                self.alike.append({base for bases in both for base in bases[:1]})
                return both[0] + both[1]
            if nameOf(node) in THROUGH:
                first = argument(node, 0, "base")
                return self.bases(first, seen) if first is not None else []
            if nameOf(node) in METHODS and isinstance(node.func, ast.Attribute):
                return self.bases(node.func.value, seen)
        return []

    def mark(self, address, seen=None):
        """Notes what an address says of the parameters."""
        if isinstance(address, ast.Name) and address.id not in self.names:
            seen = set() if seen is None else seen
            if address.id not in seen:  # each value that it may have begins somewhere
                seen.add(address.id)
                for value in self.assigned.get(address.id, ()):
                    self.mark(value, seen)
                hasBase = any(self.bases(value) for value in self.assigned.get(address.id, ()))
                for value in self.added.get(address.id, ()):
                    if hasBase:
                        self.markIntegers(value)
                    else:  # offsets to which a base is added
                        self.mark(value, seen)
            return
        self.alike = []
        bases = self.bases(address)
        for alike in self.alike:
            self.pointers |= {name for name in alike if not NUMBER.search(name)}
        likely = [name for name in bases if not NUMBER.search(name) or isPointerName(name)]
        for name in likely[:1] or bases[:1]:
            self.pointers.add(name)
        self.pointers |= {name for name in bases if isPointerName(name)}
        self.integral |= {part.id for part in withoutTests(address) if isinstance(part, ast.Name)}
        self.markIntegers(address)

    def markIntegers(self, node, seen=None, into=None):
        """Notes that what is loaded for `node` is integers."""
        seen = set() if seen is None else seen
        into = self.integers if into is None else into
        for part in withoutTests(node):
            if isinstance(part, ast.Call) and nameOf(part) == "load":
                into |= set(self.bases(part.args[0])[:1]) if part.args else set()
            elif isinstance(part, ast.Name) and part.id not in seen:
                seen.add(part.id)
                for value in (*self.assigned.get(part.id, ()), *self.added.get(part.id, ())):
                    self.markIntegers(value, seen, into)

    def roots(self, node):
        """The parameters that a name of the kernel comes from, `node` being a compile-time one."""
        return {part.id for part in ast.walk(node)
                if isinstance(part, ast.Name) and part.id in self.names}

    def test(self, node):
        """Notes the compile-time values that a test is about."""
        if isinstance(node, ast.Name):
            self.flags.add(node.id)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self.test(node.operand)
        elif isinstance(node, ast.BoolOp):
            for value in node.values:
                self.test(value)

    def visit(self, node):
        if isinstance(node, ast.Return) and node.value is not None and not (
                isinstance(node.value, ast.Constant) and node.value.value is None):
            self.returnsValue = True
        elif isinstance(node, (ast.If, ast.IfExp)):
            self.test(node.test)
        elif isinstance(node, ast.Compare) and isinstance(node.left, ast.Name):
            for other in node.comparators:
                parts = other.elts if isinstance(other, (ast.Tuple, ast.List)) else [other]
                for part in parts:
                    value = part if isinstance(part, ast.Constant) else self.resolve(part)
                    value = getattr(value, "value", value)
                    if isinstance(value, (bool, int, float, str, type(None))) and (
                            isinstance(part, ast.Constant) or value is not None):
                        self.values.setdefault(node.left.id, []).append(value)
        elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and not (
                isinstance(node.slice, (ast.Slice, ast.Tuple)) or isinstance(
                    node.slice, ast.Constant) and node.slice.value is None):
            self.tuples.add(node.value.id)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.RShift, ast.LShift)):
            self.markIntegers(node.left, into=self.packed)
            self.shifted |= self.roots(node.left)
            self.counts |= self.roots(node.right)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.FloorDiv, ast.Mod)):
            self.integral |= {part.id for part in (node.left, node.right)
                              if isinstance(part, ast.Name)}
        elif isinstance(node, ast.Call):
            self.call(node)

    def call(self, node):
        name = nameOf(node)
        holder = getattr(node.func, "value", None)
        if isinstance(node.func, ast.Name) and name in self.names:
            self.called.add(name)
        if isinstance(holder, ast.Name) and holder.id in self.names and name in (
                "load", "store", "gather", "scatter", "atomic_add"):
            offsets = argument(node, 0, "offsets")
            self.descriptors[holder.id] = len(getattr(offsets, "elts", (0, 0)))
        elif (name in ADDRESSED or name.startswith("atomic_")) and node.args + node.keywords:
            address = argument(node, 0, "base", "pointer")
            if address is not None:
                self.mark(address)
        if name == "arange":
            for part in node.args:
                self.blocks |= self.roots(part)
        elif name in ("zeros", "full", "make_block_ptr", "reshape", "view", "broadcast_to"):
            shape = argument(node, 4, "block_shape") if name == "make_block_ptr" else argument(
                node, 1 if name in ("reshape", "view", "broadcast_to") else 0, "shape")
            self.blocks |= self.roots(shape) if shape is not None else set()
        elif name in ("range", "static_range"):
            for part in node.args:
                self.ranges |= self.roots(part)
                if name == "static_range":
                    self.unrolled |= self.roots(part)
                self.markIntegers(part)
        for keyword in node.keywords:
            if isinstance(keyword.value, ast.Name) and keyword.arg in TEXTS:
                self.values.setdefault(keyword.value.id, []).append(TEXTS[keyword.arg])
        kind = argument(node, 0, "dtype") if name == "to" else argument(
            node, 99 if name not in ("zeros", "cast") else 1, "dtype", "out_dtype")
        if isinstance(kind, ast.Name) and kind.id in self.names:
            self.types.add(kind.id)
        callee = self.resolve(node.func)
        while callee is not None and not inspect.isfunction(callee):
            callee = getattr(callee, "fn", None)
        if callee is not None and hasattr(self.resolve(node.func), "arg_names"):
            self.callees.add(callee)
            self.passOn(node, Usage.of(callee))

    def passOn(self, node, other):
        """What a called function does with its parameters is done with the arguments."""
        for position, name in enumerate(other.names):
            value = argument(node, position, name)
            if value is None:
                continue
            if name in other.pointers:
                self.mark(value)
                if name in other.integers:
                    self.integers |= set(self.bases(value)[:1])
            elif name in other.shifted:
                self.markIntegers(value, into=self.packed)
                self.shifted |= self.roots(value)
            elif name in other.descriptors and isinstance(value, ast.Name):
                self.descriptors[value.id] = other.descriptors[name]
            elif isinstance(value, ast.Name):
                for mine, its in ((self.blocks, other.blocks), (self.flags, other.flags),
                                  (self.types, other.types), (self.called, other.called),
                                  (self.counts, other.counts), (self.ranges, other.ranges),
                                  (self.integral, other.integral)):
                    if name in its:
                        mine.add(value.id)
                self.values.setdefault(value.id, []).extend(other.values.get(name, ()))


class Stand:
    """Stands for a tensor where heuristics look at it and torch is not there."""

    def __init__(self, dtype):
        self.dtype, self.shape, self.ndim = dtype, (64, 64, 64, 64), 4


def stand(kind, language):
    """What heuristics are given for a parameter of a type."""
    if kind[0] != "*":
        return 64
    names = {"*bf16": "bfloat16", "*fp16": "float16", "*fp32": "float32", "*i32": "int32"}
    torch = sys.modules.get("torch")
    dtype = getattr(torch or language, names.get(kind, "int64"))
    return torch.empty((64,) * 4, dtype=dtype, device="meta") if torch else Stand(dtype)


class Choice(typing.NamedTuple):
    """What one guess takes for what the text does not tell.

    Attributes:
        element: the element type of pointers.
        flag: the value of flags.
        extent: of blocks.
        isNone: whether what may be None is.
        index: the element type of pointers to integers.
        seed: each block, flag and number from a list is drawn by this; None: all are the same.
        isPacked: whether what is shifted is integers from memory: it may be behind a flag.
    """

    element: str
    flag: bool
    extent: int
    isNone: bool
    index: str = "i64"
    seed: typing.Optional[int] = None
    isPacked: bool = True


CHOICES = [Choice("bf16", True, 64, False), Choice("fp32", True, 64, False),
           Choice("fp16", False, 64, False), Choice("fp32", False, 64, False),
           Choice("bf16", False, 64, True), Choice("fp32", True, 64, True),
           Choice("fp16", True, 16, False), Choice("fp32", False, 16, True),
           Choice("fp32", True, 128, False), Choice("i32", False, 64, False),
           Choice("bf16", True, 64, False, "i32"), Choice("i64", True, 64, False, "i32"),
           Choice("fp64", True, 64, False), Choice("u8", True, 64, False, "u64"),
           # Blocks may have to fit one another.
           *(Choice(("bf16", "fp32")[seed % 2], True, 64, seed % 5 == 4,
                    ("i32", "i64")[seed // 2 % 2], seed, seed % 3 > 0) for seed in range(96))]


class Guess:
    """One guess for one kernel: its signature, compile-time values and options.

    Args:
        kernel: the JIT function.
        usage: its Usage.
        wrappers: of each Heuristics and Autotuner around it, the outermost last.
        triton: the module.
        choice: one of CHOICES.
    """

    def __init__(self, kernel, usage, wrappers, triton, choice):
        self.usage, self.triton, self.choice = usage, triton, choice
        self.element, self.isNone = choice.element, choice.isNone
        self.drawn = None if choice.seed is None else random.Random(choice.seed)
        self.signature, self.constexprs, self.options = {}, {}, {}
        self.parameters = kernel.arg_names
        self.manyBlocks = sum(p.is_constexpr and p.name in usage.blocks
                              for p in kernel.params) > 2
        config = {}
        for wrapper in wrappers:
            configs = getattr(wrapper, "configs", None)
            if configs:
                one = configs[0]
                self.options.update(num_warps=one.num_warps, num_stages=one.num_stages)
                for name, value in one.kwargs.items():
                    (config if name in kernel.arg_names else self.options)[name] = value
        computed = {name for wrapper in wrappers for name in getattr(wrapper, "values", ())}
        for param in kernel.params:
            name = param.name
            if name in config:
                self.constexprs[name] = config[name]
            elif param.is_constexpr:
                if name not in computed:
                    self.constexprs[name] = self.constant(param)
            else:
                self.runTime(param)
        self.compute(wrappers)
        for param in kernel.params:
            if param.name not in self.signature and param.name not in self.constexprs:
                self.constexprs[param.name] = self.constant(param)
        self.chooseBlocks(kernel, wrappers)
        for name in self.constexprs:
            self.signature[name] = "constexpr"

    def chooseBlocks(self, kernel, wrappers):
        """The blocks of descriptors, as the host makes these: by the hook of the configuration, or
        where the kernel is launched."""
        names = [n for n in self.usage.descriptors if str(self.signature.get(n)).startswith("ten")]
        if not names:
            return
        blocks = host_blocks.atLaunch(kernel, names, self.constexprs)
        blocks.update(host_blocks.byHook(wrappers, names, {
            **{n: stand(kind, self.triton.language) for n, kind in self.signature.items()
               if n not in names}, **self.constexprs}))
        for name, block in blocks.items():
            self.signature[name] = f"tensordesc<{self.element}{block}>"

    def runTime(self, param):
        name, default = param.name, param.default
        kind = self.kindOf(param)
        if param.has_default and (default is None or isinstance(default, bool)) and (
                self.isNone or not kind[0] == "*" or default is not None):
            self.constexprs[name] = default
        elif self.isNone and f"{name} is not None" in self.usage.text:
            self.constexprs[name] = None
        else:
            self.signature[name] = kind

    def kindOf(self, param):
        name, usage = param.name, self.usage
        if param.annotation in ("tl.float32", "float", "float32", "fp32"):
            return "fp32"
        if name in usage.tuples:
            return (f"*{self.element}",) * 4
        if name in usage.descriptors:
            rank = usage.descriptors[name]
            return f"tensordesc<{self.element}{[1] * (rank - 2) + [64] * min(rank, 2)}>"
        if name in usage.pointers or (isPointerName(name) and name not in usage.blocks):
            isInteger = name in usage.integers or (
                INTEGERS.search(name) and "scale" not in name) or (
                    name in usage.packed and self.choice.isPacked)
            return f"*{self.choice.index if isInteger else self.element}"
        if isinstance(param.default, float) or (
                REAL.search(name) and not NUMBER.search(name)
                and name not in usage.ranges | usage.integral):
            return "fp32"
        return "i32"

    @property
    def flag(self):
        return self.choice.flag if self.drawn is None else self.drawn.random() < 0.5

    @property
    def extent(self):
        return self.choice.extent if self.drawn is None else 2 ** self.drawn.randint(4, 7)

    def oneOf(self, values):
        """A value that the text compares with."""
        return values[0 if self.flag else -1] if self.drawn is None else self.drawn.choice(values)

    def constant(self, param):
        """A value for a compile-time parameter."""
        name, usage = param.name, self.usage
        if param.has_default and not isinstance(param.default, (bool, type(None))):
            return param.default
        if name in usage.types or re.search(r"dtype$", name) and name not in usage.values:
            types = {"bf16": "bfloat16", "fp16": "float16"}
            return getattr(self.triton.language, types.get(self.element, "float32"))
        values = [v for v in usage.values.get(name, ()) if v is not None]
        texts = [v for v in values if isinstance(v, str)]
        numbers = [v for v in values if type(v) is int]
        if texts:
            return self.oneOf(texts)
        if numbers and not re.search(r"BLOCK|^B[A-Z]$|SIZE", name):
            return self.oneOf(numbers)
        if name in usage.unrolled | usage.counts:
            return 4
        if name in usage.blocks:
            # Tiles of three dimensions, or more tiles at once, stay small.
            isSmall = self.manyBlocks and self.drawn is None
            return min(self.extent, 16) if isSmall else self.extent
        if name in usage.flags or any(isinstance(v, bool) for v in values):
            return self.flag
        if re.match(r"(USE|IS|HAS|EVEN|STORE|SAVE|REVERSE|OUTPUT|WITH|ENABLE|DO)_|"
                    r".*_?(FLAG|MASKED)$", name, re.I):
            return self.flag
        if param.has_default:
            return param.default
        if REAL.search(name) and name not in usage.ranges | usage.integral:
            return 0.5
        if re.search(r"^(NUM|N|num|n)_|BITS|SHIFT", name):
            return 4
        if re.search(r"stride", name, re.I):
            return 64
        return self.extent

    def compute(self, wrappers):
        """Has heuristics give their values."""
        stands = {name: stand(kind, self.triton.language)
                  for name, kind in self.signature.items()}
        for wrapper in reversed(wrappers):
            for name, rule in getattr(wrapper, "values", {}).items():
                try:
                    value = rule({**stands, **self.constexprs})
                except Exception:
                    continue
                if name in self.parameters:
                    self.constexprs[name] = value
                    self.signature.pop(name, None)
                else:
                    self.options[name] = value

    def __str__(self):
        kinds = ", ".join(f"{n}: {k}" for n, k in self.signature.items() if k != "constexpr")
        return f"{kinds}; {self.constexprs}; {self.options}"


def tries(kernel, wrappers, triton):
    """Guesses for a kernel, the likeliest first."""
    usage = Usage.of(kernel.fn)
    usage.text = "".join(inspect.getsource(kernel.fn)) + "".join(
        inspect.getsource(rule) for wrapper in wrappers
        for rule in getattr(wrapper, "values", {}).values() if inspect.isfunction(rule)).replace(
            "args[", "").replace('"', "").replace("']", "").replace("'", "").replace("]", "")
    seen = set()
    for choice in CHOICES:
        guess = Guess(kernel, usage, wrappers, triton, choice)
        if str(guess) not in seen:
            seen.add(str(guess))
            yield guess
