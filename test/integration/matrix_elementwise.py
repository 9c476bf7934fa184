"""The matrix's rows of operators, functions of elements, and conversions."""

import math

import numpy as np
from matrix import (FLOAT8, TYPES, between, every, integers, kind_of, only, row, tiles, units,
                    whole)
from support import FLOATS, INTS

NUMBERS = ("int1", *INTS, *FLOATS)
WIDE = ("float32", "float64")


def not_on(*operators):
    """Operators that 8-bit floats do not have."""
    listed = "|".join(operators)
    return only(NUMBERS, rf"'({listed})' is not defined on float8\w+")


def taken_by(name, types):
    found = {"float32": "float32", WIDE: "float32 or float64", FLOATS: "floats"}[types]
    types = (types,) if isinstance(types, str) else types
    return only(types, rf"tl.{name} needs {found}, found \w+.*; convert with .to\(tl.float32\)")


INTEGERS = only(("int1", *INTS), r"needs integers|needs an integer|is not defined on \w*float")


def binary(name, text, expected, operands=(whole, whole), **more):
    return row(name, f"r = {text}", expected, operands, **more)


def unary(name, types, expected, operand=whole, **more):
    return row(f"tl.{name}", f"r = tl.{name}(x)", expected, (operand,),
               types=taken_by(name, types), **more)


def exactly(function):
    """Computed in float64, in the operand's type."""
    return lambda x: np.asarray(function(x.astype(np.float64))).astype(x.dtype)


def wide(x):
    """bfloat16 is computed, and stays, in float32 where the machine has no such operation."""
    return x.astype(np.float32) if x.dtype == kind_of("bfloat16") else x


def bits(function):
    """Of one bit, modulo 2."""

    def modulo(*operands):
        if operands[0].dtype != bool:
            return function(*operands)
        return (function(*(v.astype(np.int8) for v in operands)) & 1).astype(bool)

    return modulo


@np.vectorize
def truncated(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def quotient(x, y):
    return np.asarray(truncated(x.astype(object), y.astype(object))).astype(x.dtype)


def remainder(x, y):
    if x.dtype.kind in "iub":
        numbers = x.astype(object), y.astype(object)
        return np.asarray(numbers[0] - truncated(*numbers) * numbers[1]).astype(x.dtype)
    kind = np.float64 if x.dtype == np.float64 else np.float32
    return np.fmod(x.astype(kind), y.astype(kind))


def true_quotient(x, y):
    kind = np.float64 if x.dtype == np.float64 else np.float32
    return x.astype(kind) / y.astype(kind)


def nonzero(rng, dtype, shape):
    x = whole(rng, dtype, shape)
    return np.where(x == 0, np.ones_like(x), x)


def high_word(x, y):
    kind = f"u{x.itemsize}"
    product = x.astype(kind).astype(object) * y.astype(kind).astype(object)
    return np.asarray(product >> 8 * x.itemsize).astype(kind).astype(x.dtype)


def powers_of_e(x, axis):
    """In proportion, with a sum of 1."""
    x = x.astype(np.float32) if x.itemsize < 4 else x
    return np.exp(x) / np.exp(x).sum(axis, keepdims=True)


SHIFTED = only(INTS, INTEGERS("float32"), {"int1": "(a bit is shifted by 0 only)"})

OPERATORS = [
    binary("+", "x + y", bits(lambda x, y: x + y)),
    binary("-", "x - y", bits(lambda x, y: x - y)),
    binary("*", "x * y", bits(lambda x, y: x * y)),
    binary("/", "x / y", true_quotient, (whole, nonzero),
           backends=("interpret", "cpu", "haswell", "sim")),
    # div.full.f32 has two units in the last place.
    binary("/ of a GPU", "x / y", true_quotient, (whole, nonzero), backends="cuda",
           close=units({"float32": 2, "float64": 0})),
    binary("//", "x // y", quotient, (whole, nonzero), types=INTEGERS),
    binary("%", "x % y", remainder, (whole, nonzero)),
    binary("&", "x & y", lambda x, y: x & y, types=INTEGERS),
    binary("|", "x | y", lambda x, y: x | y, types=INTEGERS),
    binary("^", "x ^ y", lambda x, y: x ^ y, types=INTEGERS),
    binary("<<", "x << y", lambda x, y: x << y, (whole, integers(0, 7)), types=SHIFTED),
    binary(">>", "x >> y", lambda x, y: x >> y, (whole, integers(0, 7)), types=SHIFTED),
    binary("<", "x < y", lambda x, y: x < y, types=not_on("<")),
    binary("<=", "x <= y", lambda x, y: x <= y, types=not_on("<=")),
    binary(">", "x > y", lambda x, y: x > y, types=not_on(">")),
    binary(">=", "x >= y", lambda x, y: x >= y, types=not_on(">=")),
    binary("==", "x == y", lambda x, y: x == y, types=not_on("==")),
    binary("!=", "x != y", lambda x, y: x != y, types=not_on("!=")),
    row("unary -", "r = -x", lambda x: -(x.astype(np.int32) if x.dtype == bool else x),
        types=not_on("-")),
    row("unary +", "r = +x", lambda x: x, types=not_on(r"\+")),
    row("~", "r = ~x", lambda x: ~x, types=INTEGERS),
    row("x ** 2", "r = x ** 2", bits(lambda x: x * x)),
]

APPROXIMATE = {"types": WIDE, "close": units({"float32": 3.5, "float64": 4})}

FUNCTIONS = [
    binary("tl.add", "tl.add(x, y)", bits(lambda x, y: x + y)),
    binary("tl.sub", "tl.sub(x, y)", bits(lambda x, y: x - y)),
    binary("tl.mul", "tl.mul(x, y)", bits(lambda x, y: x * y)),
    binary("tl.minimum", "tl.minimum(x, y)", lambda x, y: wide(np.minimum(x, y)),
           types=only(NUMBERS, "tl.minimum needs float16 or wider")),
    binary("tl.maximum", "tl.maximum(x, y)", lambda x, y: wide(np.maximum(x, y)),
           types=only(NUMBERS, "tl.maximum needs float16 or wider")),
    row("tl.clamp", "r = tl.clamp(x, y, z)", lambda x, y, z: np.minimum(np.maximum(x, y), z),
        (whole, between(-1, 0), between(0, 1)), types=taken_by("clamp", FLOATS)),
    binary("tl.cdiv", "tl.cdiv(x, y)", lambda x, y: (x + (y - 1)) // y,
           (integers(0, 100), integers(1, 7)),
           types=only(INTS, INTEGERS("float32"), {"int1": "(y - 1 is int32: cdiv of int32)"})),
    row("tl.abs", "r = tl.abs(x)", np.abs, types=only(NUMBERS, "tl.abs needs numbers")),
    unary("exp", expected=exactly(np.exp), **APPROXIMATE),
    unary("exp2", expected=exactly(np.exp2), **APPROXIMATE),
    unary("log", expected=exactly(np.log), operand=between(0.01, 9), **APPROXIMATE),
    unary("log2", expected=exactly(np.log2), operand=between(0.01, 9), **APPROXIMATE),
    unary("sin", expected=exactly(np.sin), **APPROXIMATE),
    unary("cos", expected=exactly(np.cos), **APPROXIMATE),
    unary("erf", expected=exactly(np.vectorize(math.erf, otypes=[float])), **APPROXIMATE),
    unary("floor", WIDE, np.floor),
    unary("ceil", WIDE, np.ceil),
    unary("sqrt", expected=np.sqrt, operand=between(0.01, 9), **APPROXIMATE),
    unary("sqrt_rn", "float32", np.sqrt, between(0.01, 9)),
    unary("rsqrt", expected=exactly(lambda x: 1 / np.sqrt(x)), operand=between(0.01, 9),
          **APPROXIMATE),
    binary("tl.fdiv", "tl.fdiv(x, y)", lambda x, y: x / y, (whole, nonzero),
           types=taken_by("fdiv", FLOATS), close=units(dict.fromkeys(FLOATS, 2))),
    binary("tl.div_rn", "tl.div_rn(x, y)", lambda x, y: x / y, (whole, nonzero),
           types=taken_by("div_rn", "float32")),
    # Of small integers, where one rounding and two are the same.
    row("tl.fma", "r = tl.fma(x, y, z)", lambda x, y, z: x * y + z, (integers(-8, 8),) * 3,
        types=taken_by("fma", FLOATS)),
    binary("tl.umulhi", "tl.umulhi(x, y)", high_word,
           types=only(INTS[2:4] + INTS[6:], "tl.umulhi needs 32- or 64-bit integers, found")),
    unary("sigmoid", WIDE, exactly(lambda x: 1 / (1 + np.exp(-x))),
          close=units({"float32": 6, "float64": 4})),
    row("tl.softmax", "r = tl.softmax(x, {axis})",
        lambda x, *, axis: powers_of_e(x, axis),
        types=only(FLOATS, r"tl.\w+ needs float32 or float64|tl.\w+ is not defined on float8"),
        shapes=tiles("needs a tile"), close=units({"float32": 24, "float64": 24})),
    row("tl.where", "r = tl.where(x.to(tl.float32) > 0, y, z)",
        lambda x, y, z: np.where(x.astype(np.float32) > 0, y, z), (whole,) * 3),
    row("tl.map_elementwise", "@triton.jit\ndef larger(a, b):\n    if a > b:\n        return a\n"
        "    return b\n---\nr = tl.map_elementwise(larger, x, y)",
        lambda x, y: np.where(x > y, x, y), (whole, whole), types=not_on(">")),
    row("tl.inline_asm_elementwise",
        "r = tl.inline_asm_elementwise('add.s32 $0, $1, $2;', '=r,r,r', [x, y], tl.int32, True, 1)",
        lambda x, y: x + y, (whole, whole), backends="sim",
        types=lambda dtype: None if dtype == "int32" else "(the text is of int32)"),
]


def converted(to):
    return lambda x: x.astype(np.float32) != 0 if to == "int1" else x.astype(kind_of(to))


def bits_of(dtype):
    return 1 if dtype == "int1" else 8 * kind_of(dtype).itemsize


def of_one_width(to):
    return lambda dtype: None if bits_of(dtype) == bits_of(to) else (
        "a bitcast needs types of one width, found")


# Of numbers that every type has.
CASTS = [row(f"x.to {to}", f"r = x.to(tl.{to})", converted(to), (integers(0, 3),)) for to in TYPES]
CASTS += [row(f"tl.cast to {to}", f"r = tl.cast(x, tl.{to})", converted(to), (integers(0, 3),))
          for to in ("int32", "float32")]
CASTS += [row(f"tl.cast to the bits of {to}", f"r = tl.cast(x, tl.{to}, bitcast=True)",
              lambda x, to=to: x.view(kind_of(to)), types=of_one_width(to)) for to in TYPES]

def hints(name, types):
    return row(f"tl.{name}", f"r = tl.{name}(x, {{ones}})", lambda x: x, types=types,
               facts=lambda shape: {"ones": [1] * len(shape) or 1})


INDICES = only(("int1", *INTS), "is about integers and pointers, found")
HINTS = [hints("multiple_of", INDICES), hints("max_contiguous", INDICES),
         hints("max_constancy", every)]

ROWS = OPERATORS + FUNCTIONS + CASTS + HINTS
