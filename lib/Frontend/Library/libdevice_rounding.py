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
    # Of finite operands, whose result is too large, the error is infinite; others have none.
    error = tl.where(tl.abs(result) == float("inf"), -result, error)
    return tl.where(is_exact, 0.0, error)


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


def _signed_zero(result, is_zero, is_opposite, rounding: tl.constexpr):
    # The sum of opposite numbers is -0 where sums are rounded down; a result that is 0 since it is
    # too small (not `is_zero`) has its own sign.
    if rounding == "rd":
        return tl.where(is_zero & is_opposite, -tl.abs(result), result)
    else:
        return result


def _differ_in_sign(x, y):
    return signbit(x) != signbit(y)


def _fraction_and_exponent(x):
    # x as a float in [1, 2), or its opposite, and the power of two that it has been divided by;
    # zeros and what is not finite as they are. Products and quotients of such fractions neither
    # overflow nor vanish, nor do the remainders that a single fma leaves of them.
    is_ordinary = (x != 0) & _is_finite(x)
    exponent = tl.where(is_ordinary, _exponent(x), 0)
    return ldexp(x, -exponent), exponent


def _add(x, y, rounding: tl.constexpr):
    if rounding == "rn":
        return _apart(x) + _apart(y)
    elif x.dtype == tl.float32:
        wide_x = x.to(tl.float64)
        wide_y = y.to(tl.float64)
        total = wide_x + wide_y
        result = _to_float(total, _sum_error(wide_x, wide_y, total), rounding)
        return _signed_zero(result, total == 0, _differ_in_sign(x, y), rounding)
    else:
        x = _apart(x)
        y = _apart(y)
        total = x + y
        error = _overflowed(total, _sum_error(x, y, total), ~(_is_finite(x) & _is_finite(y)))
        result = _directed(total, error, rounding)
        return _signed_zero(result, total == 0, _differ_in_sign(x, y), rounding)


def _sub(x, y, rounding: tl.constexpr):
    return _add(x, -y, rounding)


def _mul(x, y, rounding: tl.constexpr):
    if rounding == "rn":
        return _apart(x * y)
    elif x.dtype == tl.float32:
        return _to_float(x.to(tl.float64) * y.to(tl.float64), 0.0, rounding)
    else:
        product = _apart(x * y)
        x_fraction, x_exponent = _fraction_and_exponent(x)
        y_fraction, y_exponent = _fraction_and_exponent(y)
        error = tl.fma(x_fraction, y_fraction, -ldexp(product, -x_exponent - y_exponent))
        error = _overflowed(product, error, ~(_is_finite(x) & _is_finite(y)))
        return _directed(product, error, rounding)


def _fma_error(x, y, z, result):
    # What is missing of x y + z in `result`, the float64 nearest to it, or a number of its sign:
    # all is divided by the power of two that the product has.
    x, x_exponent = _fraction_and_exponent(x)
    y, y_exponent = _fraction_and_exponent(y)
    z_fraction, z_exponent = _fraction_and_exponent(z)
    exponent = x_exponent + y_exponent
    distance = z_exponent - exponent
    # Below the last bit of the product's error it does not matter how small the addend is.
    held = tl.minimum(tl.maximum(distance, -200), 200)
    addend = z_fraction * _power_of_two(held, z)
    product = _apart(x * y)
    product_rest = tl.fma(x, y, -product)
    total = product + addend
    total_rest = _sum_error(product, addend, total)
    difference = total - ldexp(result, -exponent)
    rest = total_rest + product_rest
    rest_of_rest = _sum_error(total_rest, product_rest, rest)
    error = difference + rest
    error = error + (_sum_error(difference, rest, error) + rest_of_rest)
    # Of a much greater z the nearest float is z itself.
    is_small = (product == 0) | ((distance > 110) & (z != 0))
    return tl.where(is_small, product, error)


def _fma(x, y, z, rounding: tl.constexpr):
    if rounding == "rn":
        return tl.fma(x, y, z)
    else:
        is_opposite = (signbit(x) ^ signbit(y)) != signbit(z)
        if x.dtype == tl.float32:
            product = x.to(tl.float64) * y.to(tl.float64)
            wide = z.to(tl.float64)
            total = product + wide
            result = _to_float(total, _sum_error(product, wide, total), rounding)
            return _signed_zero(result, total == 0, is_opposite, rounding)
        else:
            nearest = tl.fma(x, y, z)
            error = _fma_error(x, y, z, nearest)
            is_finite = _is_finite(x) & _is_finite(y) & _is_finite(z)
            result = _directed(nearest, _overflowed(nearest, error, ~is_finite), rounding)
            return _signed_zero(result, (nearest == 0) & (error == 0), is_opposite, rounding)


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
        x_fraction, x_exponent = _fraction_and_exponent(x)
        y_fraction, y_exponent = _fraction_and_exponent(y)
        scaled = ldexp(quotient, y_exponent - x_exponent)
        rest = tl.fma(-scaled, y_fraction, x_fraction)
        is_exact = ~(_is_finite(x) & _is_finite(y)) | (y == 0)
        error = _overflowed(quotient, tl.where(y < 0, -rest, rest), is_exact)
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
