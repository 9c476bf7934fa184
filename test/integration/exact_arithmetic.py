"""IEEE 754's operations of float32 and float64, rounded in any direction, from exact fractions."""

import fractions
import math

import numpy as np

DIRECTIONS = ("rn", "rz", "rd", "ru")


def rounded(exact, dtype, direction):
    """A fraction that is not 0 as a float."""
    info = np.finfo(dtype)
    size = abs(exact)
    power = size.numerator.bit_length() - size.denominator.bit_length()
    power -= size < fractions.Fraction(2) ** power
    shift = max(power, int(info.minexp)) - info.nmant
    count, rest = divmod(size / fractions.Fraction(2) ** shift, 1)
    up = {"rn": 2 * rest > 1 or (2 * rest == 1 and count % 2 == 1), "rz": False,
          "ru": exact > 0 and rest > 0, "rd": exact < 0 and rest > 0}[direction]
    value = (count + up) * fractions.Fraction(2) ** shift
    if value > fractions.Fraction(float(info.max)):
        stays = direction == "rz" or (direction == "ru" and exact < 0) or (
            direction == "rd" and exact > 0)
        value = info.max if stays else np.inf
    return float(value) if exact > 0 else -float(value)


def root(x):
    """A square root, or a fraction that rounds as it does."""
    shift = 2 * max(0, 140 - (x.numerator.bit_length() - x.denominator.bit_length()) // 2)
    scaled = x * 2 ** shift
    whole = math.isqrt(int(scaled))
    is_exact = whole * whole == scaled
    return (whole + (0 if is_exact else fractions.Fraction(1, 3))) / fractions.Fraction(
        2) ** (shift // 2)


def product_sign(x, y):
    return math.copysign(1, x) * math.copysign(1, y)


def sum_zero(one, other, direction):
    """The sum that is 0 of numbers with these signs."""
    if one == other:
        return math.copysign(0.0, one)
    return -0.0 if direction == "rd" else 0.0


# name: the fraction, the 0 that it is (of operands and direction), the result of operands of which
# one is not finite or which have none that is a number.
OPERATIONS = {
    "add": (lambda x, y: x + y,
            lambda d, x, y: sum_zero(math.copysign(1, x), math.copysign(1, y), d), np.add),
    "sub": (lambda x, y: x - y,
            lambda d, x, y: sum_zero(math.copysign(1, x), -math.copysign(1, y), d), np.subtract),
    "mul": (lambda x, y: x * y, lambda d, x, y: math.copysign(0.0, product_sign(x, y)),
            np.multiply),
    "div": (lambda x, y: x / y, lambda d, x, y: math.copysign(0.0, product_sign(x, y)), np.divide),
    "rcp": (lambda x: 1 / x, None, lambda x: np.divide(x.dtype.type(1), x)),
    "sqrt": (root, lambda d, x: x, np.sqrt),
    "fma": (lambda x, y, z: x * y + z,
            lambda d, x, y, z: sum_zero(product_sign(x, y), math.copysign(1, z), d),
            lambda x, y, z: z if np.isfinite(x) and np.isfinite(y) else x * y + z),
}


def apply(name, direction, *arrays):
    """The operation on the arrays' elements."""
    function, zero, special = OPERATIONS[name]
    result = np.empty_like(arrays[0])
    with np.errstate(all="ignore"):
        for i, operands in enumerate(zip(*arrays)):
            has_fraction = all(np.isfinite(v) for v in operands) and not (
                name in ("div", "rcp") and operands[-1] == 0 or name == "sqrt" and operands[0] < 0)
            if not has_fraction:
                result[i] = special(*operands)
                continue
            exact = function(*(fractions.Fraction(float(v)) for v in operands))
            numbers = [float(v) for v in operands]
            result[i] = (rounded(exact, arrays[0].dtype, direction) if exact
                         else zero(direction, *numbers))
    return result
