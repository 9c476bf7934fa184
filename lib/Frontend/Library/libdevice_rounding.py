# The device library: rounding to integers, conversions, and arithmetic that rounds in a direction
# (rn: to nearest, rz: to zero, rd: down, ru: up).
#
# No back end changes how its hardware rounds. A result that is rounded to nearest goes to its
# neighbour where what was rounded off says so: sums and products leave an error that is a float
# itself; of quotients and roots the remainder has the error's sign. float32 is computed in float64.


def floor(x):
    return tl.floor(x)


def ceil(x):
    return tl.ceil(x)


def trunc(x):
    return copysign(tl.floor(tl.abs(x)), x)


def rint(x):
    # Above 2^23 (2^52) every float is an integer, so that adding it rounds.
    magic: tl.constexpr = 4503599627370496.0 if x.dtype == tl.float64 else 8388608.0
    magnitude = tl.abs(x)
    rounded = (magnitude + magic) - magic
    return copysign(tl.where(magnitude < magic, rounded, magnitude), x)


def nearbyint(x):
    return rint(x)


def round(x):
    magnitude = tl.abs(x)
    whole = tl.floor(magnitude)
    return copysign(tl.where(magnitude - whole >= 0.5, whole + 1, whole), x)


def llrint(x):
    return _to_integer(rint(x), tl.int64)


def llround(x):
    return _to_integer(round(x), tl.int64)


def _to_integer(x, dtype: tl.constexpr):
    # What does not fit becomes the greatest or the least integer. NaN becomes 0 where both types
    # have 32 bits, else the integer of which only the first bit is set.
    low: tl.constexpr = dtype.get_int_min_value()
    high: tl.constexpr = dtype.get_int_max_value()
    above: tl.constexpr = float(high + 1)
    fits = (x >= low) & (x < above)
    result = tl.where(fits, x, 0).to(dtype)
    result = tl.where(x >= above, high, result)
    result = tl.where(x < low, low, result)
    if dtype.primitive_bitwidth == 32 and x.dtype == tl.float32:
        return result
    else:
        first: tl.constexpr = low if low < 0 else high // 2 + 1
        return tl.where(x != x, first, result)


def _integral(x, rounding: tl.constexpr):
    if rounding == "rn":
        return rint(x)
    elif rounding == "rz":
        return trunc(x)
    elif rounding == "rd":
        return tl.floor(x)
    else:
        return tl.ceil(x)


def _float2int(x, rounding: tl.constexpr):
    return _to_integer(_integral(x, rounding), tl.int32)


def _float2uint(x, rounding: tl.constexpr):
    return _to_integer(_integral(x, rounding), tl.uint32).to(tl.int32, bitcast=True)


def _float2ll(x, rounding: tl.constexpr):
    return _to_integer(_integral(x, rounding), tl.int64)


def _float2ull(x, rounding: tl.constexpr):
    return _to_integer(_integral(x, rounding), tl.uint64).to(tl.int64, bitcast=True)


def _double2int(x, rounding: tl.constexpr):
    return _float2int(x, rounding)


def _double2uint(x, rounding: tl.constexpr):
    return _float2uint(x, rounding)


def _double2ll(x, rounding: tl.constexpr):
    return _float2ll(x, rounding)


def _double2ull(x, rounding: tl.constexpr):
    return _float2ull(x, rounding)


# Directions.


def _above(x):
    bits = _bits(x)
    return tl.where(x == 0, _number(bits * 0 + 1), _number(tl.where(x > 0, bits + 1, bits - 1)))


def _directed(x, error, rounding: tl.constexpr):
    # x is the float nearest to x + error.
    if rounding == "rn":
        return x
    else:
        below = -_above(-x)
        if rounding == "ru":
            return tl.where(error > 0, _above(x), x)
        elif rounding == "rd":
            return tl.where(error < 0, below, x)
        else:
            x = tl.where((x > 0) & (error < 0), below, x)
            return tl.where((x < 0) & (error > 0), _above(x), x)


def _to_float(x, error, rounding: tl.constexpr):
    # x + error in float64, where x is the nearest float64, as a float32.
    result = x.to(tl.float32)
    rest = x - result.to(tl.float64)
    return _directed(result, tl.where(rest == 0, error, rest), rounding)


def _overflowed(result, error, is_exact):
    # Of finite operands, whose result is too large, the error is infinite.
    is_lost = (tl.abs(result) == float("inf")) & ~is_exact
    return tl.where(is_lost, -result, error)


def _is_finite(x):
    return tl.abs(x) < float("inf")


def _apart(x):
    # x, which is not multiplied and added in one operation with what makes it: one NaN becomes
    # another.
    bits = _bits(x)
    nan: tl.constexpr = 0x7FF8000000000000 if x.dtype == tl.float64 else 0x7FC00000
    return _number(tl.where(bits == nan + 1, nan, bits))


def _sum_error(x, y, total):
    part = total - x
    return (x - (total - part)) + (y - part)


def _signed_zero(total, x, y, rounding: tl.constexpr):
    # x - x is -0 where sums are rounded down.
    if rounding == "rd":
        opposite = (total == 0) & ((x != 0) | (signbit(x) != signbit(y)))
        return tl.where(opposite, -tl.abs(total), total)
    else:
        return total


def _add(x, y, rounding: tl.constexpr):
    if rounding == "rn":
        return _apart(x) + _apart(y)
    elif x.dtype == tl.float32:
        wide_x = x.to(tl.float64)
        wide_y = y.to(tl.float64)
        total = wide_x + wide_y
        result = _to_float(total, _sum_error(wide_x, wide_y, total), rounding)
        return _signed_zero(result, x, y, rounding)
    else:
        x = _apart(x)
        y = _apart(y)
        total = x + y
        error = _overflowed(total, _sum_error(x, y, total), ~(_is_finite(x) & _is_finite(y)))
        return _signed_zero(_directed(total, error, rounding), x, y, rounding)


def _sub(x, y, rounding: tl.constexpr):
    return _add(x, -y, rounding)


def _product_error(x, y, product):
    # Where the product is so small that its error is no float, all is 2^600 times as large.
    tiny = tl.abs(product) < 1e-280
    scale: tl.constexpr = 4.149515568880993e180
    scaled_x = tl.where(tiny & (tl.abs(x) < 1), x * scale, x)
    scaled_y = tl.where(tiny & (tl.abs(x) >= 1), y * scale, y)
    error = tl.fma(scaled_x, scaled_y, -tl.where(tiny, product * scale, product))
    vanished = (product == 0) & (x != 0) & (y != 0)
    return tl.where(vanished, tl.where((x < 0) == (y < 0), 1.0, -1.0), error)


def _mul(x, y, rounding: tl.constexpr):
    if rounding == "rn":
        return _apart(x * y)
    elif x.dtype == tl.float32:
        return _to_float(x.to(tl.float64) * y.to(tl.float64), 0.0, rounding)
    else:
        product = _apart(x * y)
        error = _product_error(x, y, product)
        error = _overflowed(product, error, ~(_is_finite(x) & _is_finite(y)))
        return _directed(product, error, rounding)


def _fma(x, y, z, rounding: tl.constexpr):
    if rounding == "rn":
        return tl.fma(x, y, z)
    elif x.dtype == tl.float32:
        product = x.to(tl.float64) * y.to(tl.float64)
        wide = z.to(tl.float64)
        total = product + wide
        result = _to_float(total, _sum_error(product, wide, total), rounding)
        return _signed_zero(result, product, wide, rounding)
    else:
        result = tl.fma(x, y, z)
        product = _apart(x * y)
        total = product + z
        lost = _sum_error(product, z, total) + _product_error(x, y, product)
        error = (total - result) + lost
        finite = _is_finite(x) & _is_finite(y) & _is_finite(z)
        error = _overflowed(result, tl.where(total == result, lost, error), ~finite)
        return _signed_zero(_directed(result, error, rounding), product, z, rounding)


def _div(x, y, rounding: tl.constexpr):
    if rounding == "rn":
        return _quotient(x, y)
    elif x.dtype == tl.float32:
        wide_x = x.to(tl.float64)
        wide_y = y.to(tl.float64)
        quotient = wide_x / wide_y
        rest = tl.fma(-quotient, wide_y, wide_x)
        return _to_float(quotient, tl.where(y < 0, -rest, rest), rounding)
    else:
        quotient = x / y
        tiny = tl.abs(x) < 1e-270
        scale: tl.constexpr = 1.298074214633707e33
        rest = tl.fma(-tl.where(tiny, quotient * scale, quotient), y, tl.where(tiny, x * scale, x))
        exact = ~(_is_finite(x) & _is_finite(y)) | (y == 0)
        error = _overflowed(quotient, tl.where(y < 0, -rest, rest), exact)
        return _directed(quotient, error, rounding)


def _rcp(x, rounding: tl.constexpr):
    return _div(tl.full(x.shape, 1, x.dtype), x, rounding)


def _sqrt(x, rounding: tl.constexpr):
    if rounding == "rn":
        return _root(x)
    elif x.dtype == tl.float32:
        wide = x.to(tl.float64)
        root = tl.sqrt(wide)
        return _to_float(root, tl.fma(-root, root, wide), rounding)
    else:
        root = tl.sqrt(x)
        tiny = tl.abs(x) < 1e-270
        scaled = tl.where(tiny, root * 3.602879701896397e16, root)
        rest = tl.fma(-scaled, scaled, tl.where(tiny, x * 1.298074214633707e33, x))
        return _directed(root, rest, rounding)


def _quotient(x, y):
    if x.dtype == tl.float32:
        return tl.div_rn(x, y)
    else:
        return x / y


def _root(x):
    if x.dtype == tl.float32:
        return tl.sqrt_rn(x)
    else:
        return tl.sqrt(x)


def _double2float(x, rounding: tl.constexpr):
    if rounding == "rn":
        return x.to(tl.float32)
    else:
        return _to_float(x, 0.0, rounding)


def _int2float(x, rounding: tl.constexpr):
    return _double2float(x.to(tl.float64), rounding)


def _uint2float(x, rounding: tl.constexpr):
    return _double2float(x.to(tl.float64), rounding)


def _integer_error(x, rounded):
    # What is missing of a 64-bit integer in the float64 nearest to it.
    above: tl.constexpr = float(x.dtype.get_int_max_value() + 1)
    back = tl.where(rounded >= above, 0, rounded).to(x.dtype)
    greater = tl.where(x > back, 1.0, tl.where(x < back, -1.0, 0.0)).to(tl.float64)
    return tl.where(rounded >= above, -1.0, greater)


def _ll2double(x, rounding: tl.constexpr):
    nearest = x.to(tl.float64)
    return _directed(nearest, _integer_error(x, nearest), rounding)


def _ull2double(x, rounding: tl.constexpr):
    return _ll2double(x, rounding)


def _ll2float(x, rounding: tl.constexpr):
    if rounding == "rn":
        return x.to(tl.float32)
    else:
        nearest = x.to(tl.float64)
        return _to_float(nearest, _integer_error(x, nearest), rounding)


def _ull2float(x, rounding: tl.constexpr):
    return _ll2float(x, rounding)


# Single operations.


def sqrt(x):
    return tl.sqrt(x)


def rsqrt(x):
    return tl.rsqrt(x)


def rsqrt_rn(x):
    return (1 / tl.sqrt(x.to(tl.float64))).to(tl.float32)


def rcp64h(x):
    # Of the upper half of a number, the upper half of the reciprocal.
    upper: tl.constexpr = -0x100000000
    return _number(_bits(1 / _number(_bits(x) & upper)) & upper)


def fma(x, y, z):
    return tl.fma(x, y, z)


def saturatef(x):
    return tl.minimum(tl.maximum(x, 0.0), 1.0)


def fast_dividef(x, y):
    return x / y


def fdim(x, y):
    difference = tl.where(x > y, x - y, 0.0)
    return tl.where((x != x) | (y != y), x + y, difference)


def fmod(x, y):
    return x % y


def remainder(x, y):
    # The exact remainder by 2 |y|, less |y| where that is nearer; a tie has an even quotient.
    divisor = tl.abs(y)
    rest = tl.abs(x) % (divisor + divisor)
    half = 0.5 * divisor
    small = divisor < 1e-30
    above = tl.where(small, rest + rest > divisor, rest > half)
    rest = tl.where(above, rest - divisor, rest)
    reaches = above & tl.where(small, rest + rest >= divisor, rest >= half)
    rest = tl.where(reaches, rest - divisor, rest)
    rest = tl.where(tl.abs(y) == float("inf"), tl.abs(x), rest)
    rest = tl.where((tl.abs(x) < float("inf")) & (y == y), rest, x * 0 + (x - x) + y * 0)
    return tl.where(_bits(x) < 0, -rest, rest)
