"""Values of a second text (numpy_text.py) and the types that operations give them."""

import dataclasses

SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTEGERS = SIGNED + UNSIGNED
# Types of the sums that rule 1 passes through. Narrower and unsigned ones wrap.
EXACT = ("int32", "int64", "uint64")
RANK = {"float8e4nv": 0, "float8e5": 0, "float16": 2, "bfloat16": 1, "float32": 3, "float64": 4}


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


@dataclasses.dataclass
class Block:
    """A tensor descriptor, or a block pointer where it has offsets."""

    base: Node
    shape: list
    strides: list
    extents: tuple
    offsets: list = None


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


def fits(number, dtype):
    bits = width(dtype)
    low, high = (0, 1 << bits) if dtype in UNSIGNED else (-(1 << bits - 1), 1 << bits - 1)
    return low <= number < high
