# The device library: integers, bits, and what reads or sets parts of a float.


def _bits(x):
    if x.dtype == tl.float64:
        return x.to(tl.int64, bitcast=True)
    else:
        return x.to(tl.int32, bitcast=True)


def _number(bits):
    if bits.dtype.primitive_bitwidth == 64:
        return bits.to(tl.float64, bitcast=True)
    else:
        return bits.to(tl.float32, bitcast=True)


def _unsigned(x):
    if x.dtype.primitive_bitwidth == 64:
        return x.to(tl.uint64, bitcast=True)
    else:
        return x.to(tl.uint32, bitcast=True)


def _ones(u):
    if u.dtype.primitive_bitwidth == 64:
        u = u - ((u >> 1) & 0x5555555555555555)
        u = (u & 0x3333333333333333) + ((u >> 2) & 0x3333333333333333)
        u = (u + (u >> 4)) & 0x0F0F0F0F0F0F0F0F
        return ((u * 0x0101010101010101) >> 56).to(tl.int32)
    else:
        u = u - ((u >> 1) & 0x55555555)
        u = (u & 0x33333333) + ((u >> 2) & 0x33333333)
        u = (u + (u >> 4)) & 0x0F0F0F0F
        return ((u * 0x01010101) >> 24).to(tl.int32)


def popc(x):
    return _ones(_unsigned(x))


def clz(x):
    width: tl.constexpr = x.dtype.primitive_bitwidth
    u = _unsigned(x)
    u = u | (u >> 1)
    u = u | (u >> 2)
    u = u | (u >> 4)
    u = u | (u >> 8)
    u = u | (u >> 16)
    if width == 64:
        u = u | (u >> 32)
    return width - _ones(u)


def ffs(x):
    u = _unsigned(x)
    return tl.where(x == 0, 0, _ones((u & (0 - u)) - 1) + 1)


def brev(x):
    u = _unsigned(x)
    if x.dtype.primitive_bitwidth == 64:
        u = ((u >> 1) & 0x5555555555555555) | ((u & 0x5555555555555555) << 1)
        u = ((u >> 2) & 0x3333333333333333) | ((u & 0x3333333333333333) << 2)
        u = ((u >> 4) & 0x0F0F0F0F0F0F0F0F) | ((u & 0x0F0F0F0F0F0F0F0F) << 4)
        u = ((u >> 8) & 0x00FF00FF00FF00FF) | ((u & 0x00FF00FF00FF00FF) << 8)
        u = ((u >> 16) & 0x0000FFFF0000FFFF) | ((u & 0x0000FFFF0000FFFF) << 16)
        return ((u >> 32) | (u << 32)).to(x.dtype, bitcast=True)
    else:
        u = ((u >> 1) & 0x55555555) | ((u & 0x55555555) << 1)
        u = ((u >> 2) & 0x33333333) | ((u & 0x33333333) << 2)
        u = ((u >> 4) & 0x0F0F0F0F) | ((u & 0x0F0F0F0F) << 4)
        u = ((u >> 8) & 0x00FF00FF) | ((u & 0x00FF00FF) << 8)
        return ((u >> 16) | (u << 16)).to(x.dtype, bitcast=True)


def byte_perm(x, y, s):
    # Nibble i of s says which of the eight bytes of (y, x) is byte i of the result.
    pool = _unsigned(x).to(tl.uint64) | (_unsigned(y).to(tl.uint64) << 32)
    selector = _unsigned(s).to(tl.uint64)
    result = pool * 0
    for i in tl.static_range(4):
        shift = ((selector >> (4 * i)) & 7) << 3
        result = result | (((pool >> shift) & 255) << (8 * i))
    return result.to(tl.uint32).to(tl.int32, bitcast=True)


def mulhi(x, y):
    if x.dtype.is_int_unsigned():
        return tl.umulhi(x, y)
    else:
        # What the sign bits count for is taken away from the unsigned product.
        high = tl.umulhi(x, y)
        return high - tl.where(x < 0, y, 0) - tl.where(y < 0, x, 0)


def mul24(x, y):
    if x.dtype.is_int_unsigned():
        return (x & 0xFFFFFF) * (y & 0xFFFFFF)
    else:
        return ((x << 8) >> 8) * ((y << 8) >> 8)


def hadd(x, y):
    return (x & y) + ((x ^ y) >> 1)


def rhadd(x, y):
    return (x | y) - ((x ^ y) >> 1)


def sad(x, y, z):
    distance = tl.where(x > y, _unsigned(x) - _unsigned(y), _unsigned(y) - _unsigned(x))
    return (distance + z).to(x.dtype, bitcast=True)


def abs(x):
    return tl.abs(x)


def int_as_float(x):
    return x.to(tl.float32, bitcast=True)


def uint_as_float(x):
    return x.to(tl.float32, bitcast=True)


def float_as_int(x):
    return x.to(tl.int32, bitcast=True)


def float_as_uint(x):
    return x.to(tl.int32, bitcast=True)


def longlong_as_double(x):
    return x.to(tl.float64, bitcast=True)


def double_as_longlong(x):
    return x.to(tl.int64, bitcast=True)


def hiloint2double(high, low):
    return _number((high.to(tl.int64) << 32) | (low.to(tl.int64) & 0xFFFFFFFF))


def double2hiint(x):
    return (_bits(x) >> 32).to(tl.int32)


def double2loint(x):
    return _bits(x).to(tl.int32)


def int2double_rn(x):
    return x.to(tl.float64)


def uint2double_rn(x):
    return x.to(tl.float64)


# Floats: sign, exponent, neighbours.


def _sign_bit(x):
    return -0x8000000000000000 if x.dtype == tl.float64 else -0x80000000


def copysign(x, y):
    sign: tl.constexpr = _sign_bit(x)
    return _number((_bits(x) & ~sign) | (_bits(y) & sign))


def signbit(x):
    return (_bits(x) < 0).to(tl.int32)


def isnan(x):
    return (x != x).to(tl.int32)


def isinf(x):
    return (tl.abs(x) == float("inf")).to(tl.int32)


def finitef(x):
    return (tl.abs(x) < float("inf")).to(tl.int32)


def isfinited(x):
    return (tl.abs(x) < float("inf")).to(tl.int32)


def _exponent(x):
    # Of a number that is not 0: floor(log2(|x|)).
    if x.dtype == tl.float64:
        tiny = tl.abs(x) < 2.2250738585072014e-308
        bits = _bits(tl.where(tiny, x * 18014398509481984.0, x))
        return ((bits >> 52) & 2047).to(tl.int32) - tl.where(tiny, 1077, 1023)
    else:
        tiny = tl.abs(x) < 1.1754943508222875e-38
        bits = _bits(tl.where(tiny, x * 16777216.0, x))
        return ((bits >> 23) & 255) - tl.where(tiny, 151, 127)


def ilogb(x):
    exponent = tl.where(tl.abs(x) == float("inf"), 0x7FFFFFFF, _exponent(x))
    return tl.where((x == 0) | (x != x), -0x80000000, exponent)


def logb(x):
    exponent = _exponent(x).to(x.dtype)
    exponent = tl.where(x == 0, float("-inf"), exponent)
    return tl.where(tl.abs(x) < float("inf"), exponent, x * x)


def nextafter(x, y):
    sign: tl.constexpr = _sign_bit(x)
    bits = _bits(x)
    away = (y > x) == (x > 0)
    step = tl.where(away, bits + 1, bits - 1)
    step = tl.where(x == 0, (_bits(y) & sign) | 1, step)
    result = tl.where(x == y, y, _number(step))
    return tl.where((x != x) | (y != y), x + y, result)


def _power_of_two(n, like):
    # 2^n, a normal number.
    if like.dtype == tl.float64:
        return _number((n.to(tl.int64) + 1023) << 52)
    else:
        return _number((n + 127) << 23)


def ldexp(x, n):
    if x.dtype == tl.float64:
        # A power at a time; the last product alone may round.
        for _ in tl.static_range(2):
            large = n > 1023
            small = n < -1022
            x = tl.where(large, x * 8.98846567431158e307, x)
            x = tl.where(small, x * 2.004168360008973e-292, x)
            n = n - tl.where(large, 1023, 0) + tl.where(small, 969, 0)
        n = tl.minimum(tl.maximum(n, -1022), 1023)
        return x * _power_of_two(n, x)
    else:
        n = tl.minimum(tl.maximum(n, -400), 400)
        wide = x.to(tl.float64)
        return (wide * _power_of_two(n, wide)).to(tl.float32)


def scalbn(x, n):
    return ldexp(x, n)
