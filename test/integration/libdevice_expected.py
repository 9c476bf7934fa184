"""What each function of `tl.extra.libdevice` gives, of arrays of its arguments: in NumPy's longest
floats, in Python's integers, or exactly. `EXPECTED[name]` is (function, units in the last place
that float64 and float32 may be off); 0 of both: to the last bit, zeros with their signs."""

import math

import exact_functions as exact
import numpy as np
from exact_arithmetic import DIRECTIONS, OPERATIONS, apply, rounded
from fractions import Fraction

L = np.longdouble
NAN, INF = math.nan, math.inf


def wide(function):
    return lambda *arrays: function(*(v if v.dtype.kind in "iu" else v.astype(L) for v in arrays))


def each(function, out=None):
    """Of every element, a number of NumPy's."""
    return lambda *arrays: np.array([function(*values) for values in zip(*arrays)],
                                    out or arrays[0].dtype)


def plain(function, out=None):
    """Of every element, as Python's integer or float."""
    return each(lambda *values: function(*(v.item() for v in values)), out)


# Integers.


def bits(v):
    return int(v) % 2 ** (8 * v.dtype.itemsize)


def width(v):
    return 8 * v.dtype.itemsize


def whole(function, out=None):
    """Integers of any size, of which the type keeps the last bits."""

    def of_arrays(*arrays):
        kind = np.dtype(out or arrays[0].dtype)
        unsigned = np.dtype(f"u{kind.itemsize}")
        results = [function(*values) % 2 ** (8 * kind.itemsize) for values in zip(*arrays)]
        return np.array(results, unsigned).view(kind)

    return of_arrays


def low24(v):
    low = int(v) % 2 ** 24
    return low - 2 ** 24 if v.dtype.kind == "i" and low >= 2 ** 23 else low


def permuted(x, y, s):
    pool = bits(y) << 32 | bits(x)
    return sum((pool >> 8 * (bits(s) >> 4 * i & 7) & 255) << 8 * i for i in range(4))


INTEGERS = {
    "clz": whole(lambda v: width(v) - bits(v).bit_length(), "i4"),
    "popc": whole(lambda v: bits(v).bit_count(), "i4"),
    "ffs": whole(lambda v: (bits(v) & -bits(v)).bit_length(), "i4"),
    "brev": whole(lambda v: int(f"{bits(v):0{width(v)}b}"[::-1], 2)),
    "byte_perm": whole(permuted),
    "mulhi": whole(lambda x, y: int(x) * int(y) >> width(x)),
    "mul24": whole(lambda x, y: low24(x) * low24(y)),
    "hadd": whole(lambda x, y: (int(x) + int(y)) >> 1),
    "rhadd": whole(lambda x, y: (int(x) + int(y) + 1) >> 1),
    "sad": whole(lambda x, y, z: abs(int(x) - int(y)) + int(z)),
    "int2double_rn": lambda x: x.astype("f8"), "uint2double_rn": lambda x: x.astype("f8"),
    "int_as_float": lambda x: x.view("f4"), "uint_as_float": lambda x: x.view("f4"),
    "float_as_int": lambda x: x.view("i4"), "float_as_uint": lambda x: x.view("i4"),
    "longlong_as_double": lambda x: x.view("f8"), "double_as_longlong": lambda x: x.view("i8"),
    "double2hiint": lambda x: (x.view("i8") >> 32).astype("i4"),
    "double2loint": lambda x: x.view("i8").astype("i4"),
    "hiloint2double": each(
        lambda high, low: np.uint64(bits(high) << 32 | bits(low)).view("f8"), "f8"),
}

# Conversions.

WHOLE = {"rn": np.rint, "rz": np.trunc, "rd": np.floor, "ru": np.ceil}


def to_integer(round_off, out):
    """What does not fit becomes the greatest or the least; NaN as PTX says."""
    info = np.iinfo(out)

    def convert(x):
        if math.isnan(x):
            return 0 if info.bits == 32 and x.dtype == np.float32 else (
                info.min if info.min else 2 ** (info.bits - 1))
        value = round_off(x)
        return info.max if value > info.max else info.min if value < info.min else int(value)

    return lambda x: each(convert, out)(x).view(f"i{info.bits // 8}")


def to_float(out, direction):
    def convert(v):
        if isinstance(v, np.floating) and (not np.isfinite(v) or v == 0):
            return v
        exact_value = Fraction(float(v)) if isinstance(v, np.floating) else Fraction(int(v))
        return rounded(exact_value, out, direction) if exact_value else 0.0

    return each(convert, out)


def half_away(x):
    return np.copysign(np.floor(np.abs(x)) + (np.abs(x) - np.floor(np.abs(x)) >= 0.5), x)


CONVERSIONS = {"llrint": to_integer(np.rint, "i8"), "llround": to_integer(half_away, "i8")}
for _direction in DIRECTIONS:
    for _source in ("float", "double"):
        for _target, _out in (("int", "i4"), ("uint", "u4"), ("ll", "i8"), ("ull", "u8")):
            CONVERSIONS[f"{_source}2{_target}_{_direction}"] = to_integer(WHOLE[_direction], _out)
    CONVERSIONS[f"double2float_{_direction}"] = to_float("f4", _direction)
    for _source in ("int", "uint", "ll", "ull"):
        CONVERSIONS[f"{_source}2float_{_direction}"] = to_float("f4", _direction)
    for _source in ("ll", "ull"):
        CONVERSIONS[f"{_source}2double_{_direction}"] = to_float("f8", _direction)

# Single operations, to the last bit.


def remainder(x, y):
    if math.isinf(y) and math.isfinite(x):
        return x
    return math.remainder(x, y) if math.isfinite(x) and y == y and y else NAN


def exponent_of(x):
    if x == 0 or x != x:
        return -2 ** 31
    return 2 ** 31 - 1 if math.isinf(x) else math.frexp(x)[1] - 1


OPERATIONS_OF_FLOATS = {
    "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "rint": np.rint, "nearbyint": np.rint,
    "round": half_away, "abs": np.abs, "sqrt": np.sqrt, "copysign": np.copysign,
    "nextafter": np.nextafter, "fmod": np.fmod, "remainder": plain(remainder),
    "ldexp": np.ldexp, "scalbn": np.ldexp,
    "fdim": lambda x, y: np.where((x != x) | (y != y), x + y,
                                  np.where(x > y, x - y, 0).astype(x.dtype)),
    "saturatef": lambda x: np.where(x > 0, np.minimum(x, 1), 0).astype(x.dtype),
    "isnan": lambda x: np.isnan(x).astype("i4"), "isinf": lambda x: np.isinf(x).astype("i4"),
    "signbit": lambda x: np.signbit(x).astype("i4"),
    "finitef": lambda x: np.isfinite(x).astype("i4"),
    "isfinited": lambda x: np.isfinite(x).astype("i4"),
    "ilogb": plain(exponent_of, "i4"),
    "logb": plain(lambda x: x * x if x != x or math.isinf(x) else exponent_of(x) if x else -INF),
    "fma": lambda *arrays: apply("fma", "rn", *arrays),
}
for _name in OPERATIONS:
    for _direction in DIRECTIONS:
        OPERATIONS_OF_FLOATS[f"{_name}_{_direction}"] = (
            lambda *arrays, _name=_name, _direction=_direction: apply(_name, _direction, *arrays))

# Functions.


def half_turns(shift):
    """sin(pi (x + shift / 2)), of zeros their own."""

    def function(x):
        if not math.isfinite(x):
            return NAN
        rest = Fraction(float(x)) % 2 + Fraction(shift, 2)
        if rest.denominator == 1:
            return math.copysign(0.0, x) if not shift else 0.0
        quarter = round(2 * rest)
        angle = L(float(rest - Fraction(quarter, 2))) * (4 * np.arctan(L(1)))
        value = np.sin(angle) if quarter % 2 == 0 else np.cos(angle)
        return value if quarter % 4 < 2 else -value

    return each(function, L)


def longest(value):
    return L(format(value, ".40e"))


def at_limits(function, least, below, most, above, poles=()):
    """An exact function within the numbers where it is one, and what it is at and beyond them."""

    def value(x):
        number = float(x)
        if number != number:
            return NAN
        for pole, there in poles:
            if number == pole and math.copysign(1, number) == math.copysign(1, pole):
                return there
        if number < least:
            return below
        return above if number > most else longest(function(number)) if number else 0.0

    return each(value, L)


def is_pole(x):
    return x < 0 and (x == math.floor(x))


def of_gamma(function, at_poles, most, others):
    """It has poles at all negative integers."""
    inner = at_limits(function, -1000, NAN, most, INF, others)

    def value(x):
        is_pole = np.isfinite(x) and x < 0 and np.floor(x) == x
        return at_poles if is_pole else inner(np.array([x]))[0]

    return each(value, L)


def bessel_far(n, x, second):
    """The asymptotic series; of the largest arguments only its first term is left."""
    parts, term = [L(0), L(0)], L(1)
    for k in range(12):
        parts[k % 2] += (-1) ** (k // 2) * term
        term *= (4 * n * n - (2 * k + 1) ** 2) / ((k + 1) * 8 * x)
    sine, cosine = np.sin(x), np.cos(x)
    turned = ((cosine + sine, sine - cosine), (sine - cosine, -cosine - sine))
    c, s = (v * (-1) ** (n % 4 // 2) for v in turned[n % 2])
    wave = parts[0] * s + parts[1] * c if second else parts[0] * c - parts[1] * s
    return wave / np.sqrt(4 * np.arctan(L(1)) * x)


def bessel(order, second):
    function = exact.yn if second else exact.jn

    def value(n, x):
        if x != x or n < 0 or (second and x < 0):
            return NAN
        if x == 0:
            zero = 1.0 if n == 0 else math.copysign(0.0, x) if n % 2 else 0.0
            return -INF if second else zero
        if np.isinf(x):
            return 0.0 if x > 0 or n % 2 == 0 else -0.0
        if abs(x) < 1e3:
            return longest(function(n, float(x)))
        far = bessel_far(int(n), abs(L(x)), second)
        return -far if x < 0 and n % 2 else far

    if order is None:
        return lambda n, x: np.array([value(int(k), v) for k, v in zip(n, x)], L)
    return each(lambda x: value(order, x), L)


def power(x, y):
    return np.power(x, y.astype(L))


def norm(*parts):
    total = np.abs(parts[0])
    for part in parts[1:]:
        total = np.hypot(total, part)
    has_infinity = np.any([np.isinf(part) for part in parts], axis=0)
    return np.where(has_infinity, L(INF), total)


def inverse(function):
    return lambda *parts: 1 / function(*parts)


FUNCTIONS = {
    "sin": (np.sin, 2), "cos": (np.cos, 2), "tan": (np.tan, 3), "exp": (np.exp, 2),
    "exp2": (np.exp2, 2), "exp10": (lambda x: L(10) ** x, 3), "expm1": (np.expm1, 3),
    "log": (np.log, 2), "log2": (np.log2, 2), "log10": (np.log10, 3), "log1p": (np.log1p, 3),
    "sinh": (np.sinh, 3), "cosh": (np.cosh, 3), "tanh": (np.tanh, 3), "asin": (np.arcsin, 3),
    "acos": (np.arccos, 3), "atan": (np.arctan, 3), "asinh": (np.arcsinh, 3),
    "acosh": (np.arccosh, 3), "atanh": (np.arctanh, 3), "atan2": (np.arctan2, 3),
    "sinpi": (half_turns(0), 3), "cospi": (half_turns(1), 3), "pow": (power, 1.5),
    "cbrt": (np.cbrt, 1.5), "rcbrt": (inverse(np.cbrt), 3), "rsqrt": (inverse(np.sqrt), 2),
    "rsqrt_rn": (inverse(np.sqrt), 1), "hypot": (norm, 1.5), "rhypot": (inverse(norm), 3),
    "norm3d": (norm, 1.5), "rnorm3d": (inverse(norm), 3), "norm4d": (norm, 1.5),
    "rnorm4d": (inverse(norm), 3),
    "erf": (at_limits(exact.erf, -30, -1.0, 30, 1.0, [(-0.0, -0.0)]), 2),
    "erfc": (at_limits(exact.erfc, -30, 2.0, 30, 0.0, [(0.0, 1.0), (-0.0, 1.0)]), 5),
    "erfcx": (at_limits(exact.erfcx, -30, INF, 1.8e308, 0.0, [(0.0, 1.0), (-0.0, 1.0)]), 4),
    "normcdf": (at_limits(exact.normcdf, -45, 0.0, 45, 1.0, [(0.0, 0.5), (-0.0, 0.5)]), 5),
    "erfinv": (at_limits(exact.erfinv, -1, NAN, 1, NAN,
                         [(1.0, INF), (-1.0, -INF), (-0.0, -0.0)]), 5),
    "erfcinv": (at_limits(exact.erfcinv, 0, NAN, 2, NAN,
                          [(0.0, INF), (-0.0, INF), (2.0, -INF)]), 6),
    "normcdfinv": (at_limits(exact.normcdfinv, 0, NAN, 1, NAN,
                             [(0.0, -INF), (-0.0, -INF), (1.0, INF), (0.5, 0.0)]), 8),
    # At -2.5 and -3.7 it is near its zeros.
    "lgamma": (of_gamma(exact.lgamma, INF, 1e308, [(0.0, INF), (-0.0, INF), (1.0, 0.0),
                                                   (2.0, 0.0), (-INF, INF)]), 16),
    "tgamma": (of_gamma(exact.tgamma, NAN, 1000, [(0.0, INF), (-0.0, -INF), (-INF, NAN)]), 10),
    "j0": (bessel(0, False), 16), "j1": (bessel(1, False), 16), "y0": (bessel(0, True), 16),
    "y1": (bessel(1, True), 16), "jn": (bessel(None, False), 32), "yn": (bessel(None, True), 32),
    "cyl_bessel_i0": (at_limits(lambda x: exact.modified_bessel(0, x), -720, INF, 720, INF,
                                [(0.0, 1.0), (-0.0, 1.0)]), 6),
    "cyl_bessel_i1": (at_limits(lambda x: exact.modified_bessel(1, x), -720, -INF, 720, INF,
                                [(-0.0, -0.0)]), 6),
}

# Approximations, in float32 (but rcp64h): relative and absolute errors.
APPROXIMATIONS = {
    "fast_sinf": np.sin, "fast_cosf": np.cos, "fast_tanf": np.tan, "fast_expf": np.exp,
    "fast_exp10f": lambda x: L(10) ** x, "fast_logf": np.log, "fast_log2f": np.log2,
    "fast_log10f": np.log10, "fast_tanhf": np.tanh, "fast_dividef": np.divide,
    "fast_powf": lambda x, y: np.exp2(y * np.log2(x)), "rcp64h": lambda x: 1 / x,
}

EXPECTED = {name: (function, 0, 0) for family in (INTEGERS, CONVERSIONS, OPERATIONS_OF_FLOATS)
            for name, function in family.items()}
for _name, (_function, _units) in FUNCTIONS.items():
    EXPECTED[_name] = (wide(_function), _units, min(_units, 3))
