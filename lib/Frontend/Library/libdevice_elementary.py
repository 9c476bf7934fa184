# The device library: powers, logarithms, trigonometric and hyperbolic functions.
#
# Polynomials: utils/fit_libdevice.py.


def _polynomial(x, coefficients):
    # From the highest power.
    total = coefficients[0]
    for i in tl.static_range(1, len(coefficients)):
        total = tl.fma(x, total, coefficients[i])
    return total


def exp(x):
    return tl.standard._exp(x)


def exp2(x):
    return tl.exp2(x)


def log(x):
    return tl.log(x)


def log2(x):
    return tl.log2(x)


def sin(x):
    return tl.sin(x)


def cos(x):
    return tl.cos(x)


def tanh(x):
    return tl.standard._tanh(x)


def erf(x):
    return tl.erf(x)


def fast_sinf(x):
    return tl.sin(x)


def fast_cosf(x):
    return tl.cos(x)


def fast_tanf(x):
    return tl.sin(x) / tl.cos(x)


def fast_expf(x):
    return tl.exp(x)


def fast_exp10f(x):
    return tl.exp2(x * 3.3219280948873623)


def fast_logf(x):
    return tl.log(x)


def fast_log2f(x):
    return tl.log2(x)


def fast_log10f(x):
    return tl.log2(x) * 0.30102999566398120


def fast_tanhf(x):
    return tl.standard._tanh(x)


def fast_powf(x, y):
    return tl.exp2(y * tl.log2(x))


# Exponentials and logarithms.


def expm1(x):
    # The error that exp makes is in its logarithm, too (Kahan).
    power = tl.standard._exp(x)
    less = power - 1
    near = less * _quotient(x, tl.log(power))
    result = tl.where(tl.abs(x) < 1, near, less)
    return tl.where((power == 1) & (tl.abs(x) < 1), x, result)


def log1p(x):
    total = 1 + x
    near = tl.log(total) * _quotient(x, total - 1)
    result = tl.where(tl.abs(x) < 1e6, near, tl.log(total))
    return tl.where(total == 1, x, tl.where(total > 0, result, tl.log(total)))


def log10(x):
    # log10(e) in two parts.
    y = tl.log(x)
    if x.dtype == tl.float64:
        result = tl.fma(y, 0.4342944819032518, y * 1.098319650216765e-17)
    else:
        result = tl.fma(y, 0.4342944920063019, y * -1.010305e-8)
    return tl.where(tl.abs(y) < float("inf"), result, y)


def exp10(x):
    # 10^x = 2^n 10^r, with n log10(2) in two parts.
    bound: tl.constexpr = 400.0 if x.dtype == tl.float64 else 60.0
    held = tl.minimum(tl.maximum(x, -bound), bound)
    n = rint(held * 3.3219280948873623)
    if x.dtype == tl.float64:
        r = tl.fma(n, -0.30102999566406652, held)
        r = tl.fma(n, 8.5323443170571066e-14, r)
    else:
        r = tl.fma(n, -0.301025390625, held)
        r = tl.fma(n, -4.6050389811952114e-6, r)
    result = ldexp(tl.exp2(r * 3.3219280948873623), n.to(tl.int32))
    return tl.where(x != x, x, result)


def _cut(x):
    # x or the float next to it: a product that no sum swallows, since its last bit is gone. What
    # fma makes of the difference has the rest.
    return _number(_bits(x) & -2)


def _log2_parts(x):
    # log2(x) of a positive x as the sum of two floats, right to about twice the bits of one:
    # x = 2^e m; s = (m - 1) / (m + 1); log(m) = 2 s (1 + s^2/3 + s^4/5 + ...).
    if x.dtype == tl.float64:
        tiny = x < 2.2250738585072014e-308
        bits = _bits(tl.where(tiny, x * 18014398509481984.0, x))
        e = (bits - 0x3FE6A09E667F3BCD) >> 52
        m = _number(bits - (e << 52))
        e = e.to(tl.float64) - tl.where(tiny, 54.0, 0.0)
        third: tl.constexpr = 0.3333333333333333
        third_rest: tl.constexpr = 1.850371707708594e-17
        scale: tl.constexpr = 2.8853900817779268
        scale_rest: tl.constexpr = 4.0710547481862066e-17
        terms: tl.constexpr = 12
    else:
        tiny = x < 1.1754943508222875e-38
        bits = _bits(tl.where(tiny, x * 16777216.0, x))
        e = (bits - 0x3F3504F3) >> 23
        m = _number(bits - (e << 23))
        e = e.to(tl.float32) - tl.where(tiny, 24.0, 0.0)
        third: tl.constexpr = 0.3333333432674408
        third_rest: tl.constexpr = -9.934107462565104e-09
        scale: tl.constexpr = 2.885390043258667
        scale_rest: tl.constexpr = 3.8519228e-08
        terms: tl.constexpr = 5
    f = m - 1
    divisor = 2 + f
    s = _cut(_quotient(f, divisor))
    s_rest = (tl.fma(-s, divisor, f) - s * (f - (divisor - 2))) / divisor
    z = _cut(s * s)
    z_rest = tl.fma(s, s, -z) + 2 * s * s_rest
    series = z * 0 + 1 / (2 * terms + 5)
    for i in tl.static_range(terms):
        series = tl.fma(series, z, 1 / (2 * (terms - i) + 3))
    t = _cut(z * third)
    t_rest = tl.fma(z, third, -t) + tl.fma(z, third_rest, tl.fma(z_rest, third, z * z * series))
    w = 1 + t
    w_rest = (t - (w - 1)) + t_rest
    g = _cut(s * w)
    g_rest = tl.fma(s, w, -g) + tl.fma(s, w_rest, s_rest * w)
    h = _cut(g * scale)
    h_rest = tl.fma(g, scale, -h) + tl.fma(g, scale_rest, g_rest * scale)
    total = e + h
    return total, (h - (total - e)) + h_rest


def _positive_power(x, y):
    # x^y for a positive x. Where y log2(x) is out of range only its sign counts.
    bound: tl.constexpr = 1200.0 if x.dtype == tl.float64 else 200.0
    high, low = _log2_parts(x)
    product = y * high
    fits = tl.abs(product) < bound
    product = _cut(tl.where(fits, product, tl.where(product > 0, bound, -bound)))
    rest = tl.where(fits, tl.fma(y, high, -product) + y * low, 0.0)
    n = rint(product)
    return ldexp(tl.exp2((product - n) + rest), n.to(tl.int32))


def _power(x, y):
    magnitude = tl.abs(x)
    inside = (magnitude > 0) & (magnitude < float("inf")) & (y == y)
    result = _positive_power(tl.where(inside, magnitude, 1.0), tl.where(inside, y, 0.0))
    grows = (magnitude > 1) == (y > 0)
    edge = tl.where(grows, float("inf"), 0.0)
    result = tl.where(inside & (tl.abs(y) < float("inf")), result, edge)
    result = tl.where((magnitude == 1) & (tl.abs(y) == float("inf")), 1.0, result)
    is_whole = tl.floor(y) == y
    is_odd = is_whole & (tl.floor(0.5 * y) * 2 != y)
    result = tl.where((_bits(x) < 0) & is_odd, -result, result)
    result = tl.where((x < 0) & ~is_whole & (magnitude < float("inf")), float("nan"), result)
    result = tl.where((x != x) | (y != y), x + y, result)
    return tl.where((x == 1) | (y == 0), 1.0, result)


def pow(x, y):
    if y.dtype.is_int():
        # In float64, which has all 32-bit integers.
        return _power(x.to(tl.float64), y.to(tl.float64)).to(x.dtype)
    else:
        return _power(x, y)


# Roots.


def cbrt(x):
    # A third of the exponent is a first guess; each round of Halley's rule has three times the
    # digits, and Newton's at the end rounds once. Sums of three numbers of x's size are finite, and
    # x is normal: else it is taken 8^n times as large.
    magnitude = tl.abs(x)
    if x.dtype == tl.float64:
        tiny = magnitude < 2.2250738585072014e-308
        large = magnitude > 1e300
        a = magnitude * tl.where(tiny, 18014398509481984.0, tl.where(large, 0.125, 1.0))
        root = _number(_bits(a) // 3 + 0x2A9F7893782DA1CE)
        back = tl.where(tiny, 3.814697265625e-06, tl.where(large, 2.0, 1.0))
        rounds: tl.constexpr = 3
    else:
        tiny = magnitude < 1.1754943508222875e-38
        large = magnitude > 1e30
        a = magnitude * tl.where(tiny, 16777216.0, tl.where(large, 0.125, 1.0))
        root = _number(_bits(a) // 3 + 0x2A5137A0)
        back = tl.where(tiny, 0.00390625, tl.where(large, 2.0, 1.0))
        rounds: tl.constexpr = 2
    for _ in tl.static_range(rounds):
        cube = root * root * root
        root = root * ((cube + 2 * a) / (2 * cube + a))
    root = root - (root - _quotient(a, root * root)) * 0.3333333333333333
    root = root * back
    ordinary = (magnitude > 0) & (magnitude < float("inf"))
    return copysign(tl.where(ordinary, root, magnitude), x)


def rcbrt(x):
    return _quotient(tl.full(x.shape, 1, x.dtype), cbrt(x))


def _norm(parts, is_inverse: tl.constexpr):
    # The parts over a power of two near the largest one. The inverse of a norm that is too large
    # for a float, or has lost bits as a subnormal, may be one.
    largest = tl.abs(parts[0])
    invalid = parts[0] != parts[0]
    for i in tl.static_range(1, len(parts)):
        largest = tl.maximum(largest, tl.abs(parts[i]))
        invalid = invalid | (parts[i] != parts[i])
    if largest.dtype == tl.float64:
        exponent = tl.minimum(tl.maximum(_bits(largest) >> 52, 1), 2045)
        scale = _number(exponent << 52)
        inverse = _number((2046 - exponent) << 52)
    else:
        exponent = tl.minimum(tl.maximum(_bits(largest) >> 23, 1), 253)
        scale = _number(exponent << 23)
        inverse = _number((254 - exponent) << 23)
    total = largest * 0
    for i in tl.static_range(len(parts)):
        part = parts[i] * inverse
        total = tl.fma(part, part, total)
    if is_inverse:
        result = _quotient(largest * 0 + 1, _root(total)) * inverse
        limit: tl.constexpr = 0.0
    else:
        result = _root(total) * scale
        limit: tl.constexpr = float("inf")
    result = tl.where(invalid, float("nan"), result)
    return tl.where(largest == float("inf"), limit, result)


def hypot(x, y):
    return _norm((x, y), False)


def norm3d(x, y, z):
    return _norm((x, y, z), False)


def norm4d(x, y, z, w):
    return _norm((x, y, z, w), False)


def rhypot(x, y):
    return _norm((x, y), True)


def rnorm3d(x, y, z):
    return _norm((x, y, z), True)


def rnorm4d(x, y, z, w):
    return _norm((x, y, z, w), True)


# Angles.


def tan(x):
    return _quotient(tl.sin(x), tl.cos(x))


def _half_turns(x, shift):
    # sin(pi (x + shift / 2)): x less its nearest multiple of 1/2 is exact.
    rest = x - 2 * rint(0.5 * x)
    quarter = rint(2 * rest)
    angle = (rest - 0.5 * quarter) * 3.141592653589793
    quadrant = (quarter.to(tl.int32) + shift) & 3
    value = tl.where((quadrant & 1) == 0, tl.sin(angle), tl.cos(angle))
    value = tl.where(quadrant >= 2, -value, value)
    return tl.where(tl.abs(x) < float("inf"), value, x - x)


def sinpi(x):
    result = _half_turns(x, 0)
    return tl.where(result == 0, copysign(result, x), result)


def cospi(x):
    return _half_turns(x, 1) + 0.0


def _atan_tail(z):
    # (atan(t) / t - 1) / t^2 at z = t^2, |t| <= tan(pi / 8)
    if z.dtype == tl.float64:
        return _polynomial(z, (0.016284375050043393, -0.03456931506332609, 0.045515447340221615,
                               -0.05230443640686948, 0.05878927554473807, -0.0666642476020052,
                               0.07692296368042296, -0.09090908753259112, 0.11111111105150588,
                               -0.14285714285659779, 0.19999999999999804, -0.3333333333333333))
    else:
        return _polynomial(z, (-0.0645171851, 0.107436687, -0.142639503, 0.199995399,
                               -0.333333313))


def _turn(x):
    # A quarter turn, pi / 2, and what is missing of it.
    if x.dtype == tl.float64:
        return 1.5707963267948966, 6.123233995736766e-17
    else:
        return 1.5707963705062866, -4.371139000186241e-08


def _atan_ratio(small, large):
    # atan(small / large) for 0 <= small <= large.
    turn, turn_rest = _turn(small)
    beyond = small > 0.41421356237309503 * large
    top = tl.where(beyond, small - large, small)
    bottom = tl.where(beyond, small + large, large)
    t = _quotient(top, bottom)
    z = t * t
    angle = tl.fma(t * z, _atan_tail(z), tl.where(beyond, 0.5 * turn_rest, 0.0)) + t
    return tl.where(beyond, 0.5 * turn + angle, angle)


def atan(x):
    turn, turn_rest = _turn(x)
    magnitude = tl.abs(x)
    beyond = magnitude > 1
    inverse = _quotient(tl.full(x.shape, 1, x.dtype), magnitude)
    angle = _atan_ratio(tl.where(beyond, inverse, magnitude), tl.full(x.shape, 1, x.dtype))
    angle = tl.where(beyond, turn - (angle - turn_rest), angle)
    return tl.where(x != x, x, copysign(angle, x))


def atan2(y, x):
    turn, turn_rest = _turn(x)
    # A power of two keeps quotients of the largest numbers finite.
    huge = (tl.abs(x) > 1e30) | (tl.abs(y) > 1e30)
    across = tl.where(huge, 0.25 * tl.abs(x), tl.abs(x))
    up = tl.where(huge, 0.25 * tl.abs(y), tl.abs(y))
    equal = across == up
    small = tl.where(equal, tl.where(up == 0, 0.0, 1.0), tl.minimum(across, up))
    large = tl.where(equal, 1.0, tl.maximum(across, up))
    large_is_infinite = large == float("inf")
    angle = _atan_ratio(tl.where(large_is_infinite, 0.0, small),
                        tl.where(large_is_infinite, 1.0, large))
    angle = tl.where(up > across, turn - (angle - turn_rest), angle)
    angle = tl.where(_bits(x) < 0, 2 * turn - (angle - 2 * turn_rest), angle)
    return tl.where((x != x) | (y != y), x + y, copysign(angle, y))


def _asin_tail(z):
    # (asin(t) / t - 1) / t^2 at z = t^2 <= 1/4
    if z.dtype == tl.float64:
        return _polynomial(z, (0.029635026263548546, -0.019277545928584553, 0.019579201619744684,
                               0.0030350071727267636, 0.009322101501082774, 0.009621402747344831,
                               0.011566511821890942, 0.013963775787848137, 0.017352816768546473,
                               0.022372157435623815, 0.030381944475693704, 0.04464285714255019,
                               0.07500000000000119, 0.16666666666666666))
    else:
        return _polynomial(z, (0.0337007269, 0.017143717, 0.0311017279, 0.0445993207,
                               0.0750009492, 0.166666657))


def _asin_parts(x):
    # Beyond 1/2 of sqrt((1 - x) / 2), which is sin((pi/2 - asin(x)) / 2).
    magnitude = tl.abs(x)
    beyond = magnitude > 0.5
    z = tl.where(beyond, 0.5 * (1 - magnitude), x * x)
    t = tl.where(beyond, _root(z), magnitude)
    return beyond, tl.fma(t * z, _asin_tail(z), t)


def asin(x):
    turn, turn_rest = _turn(x)
    beyond, angle = _asin_parts(x)
    angle = tl.where(beyond, turn - (2 * angle - turn_rest), angle)
    return tl.where(x != x, x, copysign(angle, x))


def acos(x):
    turn, turn_rest = _turn(x)
    beyond, angle = _asin_parts(x)
    inner = turn - (tl.where(x < 0, -angle, angle) - turn_rest)
    outer = tl.where(x < 0, 2 * turn - (2 * angle - 2 * turn_rest), 2 * angle)
    return tl.where(beyond, outer, inner)


# Hyperbolic functions.


def sinh(x):
    magnitude = tl.abs(x)
    less = expm1(magnitude)
    near = 0.5 * (less + _quotient(less, less + 1))
    half = tl.standard._exp(0.5 * magnitude)
    return copysign(tl.where(magnitude < 20, near, 0.5 * half * half), x)


def cosh(x):
    magnitude = tl.abs(x)
    power = tl.standard._exp(magnitude)
    half = tl.standard._exp(0.5 * magnitude)
    return tl.where(magnitude < 20, 0.5 * (power + 1 / power), 0.5 * half * half)


def asinh(x):
    magnitude = tl.abs(x)
    square = magnitude * magnitude
    near = log1p(magnitude + _quotient(square, 1 + _root(1 + square)))
    far = tl.log(magnitude) + 0.6931471805599453
    return copysign(tl.where(magnitude < 1e8, near, far), x)


def acosh(x):
    less = x - 1
    near = log1p(less + _root(less * (less + 2)))
    result = tl.where(x < 1e8, near, tl.log(x) + 0.6931471805599453)
    return tl.where(x < 1, float("nan"), result)


def atanh(x):
    magnitude = tl.abs(x)
    return copysign(0.5 * log1p(_quotient(2 * magnitude, 1 - magnitude)), x)
