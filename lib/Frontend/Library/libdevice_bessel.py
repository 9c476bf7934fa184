# The device library: Bessel functions, in float64. Up to 8 they are their power series, summed in
# pairs of floats, since what is left beside a zero is a part in 10^16 of the terms; beyond it they
# are amplitudes and phases, whose parts are polynomials of 1 / x^2.
#
# Polynomials: utils/fit_libdevice.py.


# Pairs: the sum of a float and of what is less than its last bit, which has about 104 bits. No
# product is left to be added where the compiler could make one operation of both (_cut).


def _pair_of_sum(high, low):
    # Of floats of which the second is less than the first.
    total = high + low
    return total, low - (total - high)


def _pair_sum(a, a_rest, b, b_rest):
    total = a + b
    return _pair_of_sum(total, _sum_error(a, b, total) + (a_rest + b_rest))


def _pair_product(a, a_rest, b, b_rest):
    product = _cut(a * b)
    return _pair_of_sum(product, tl.fma(a, b, -product) + tl.fma(a, b_rest, a_rest * b))


def _pair_quotient(a, a_rest, b, b_rest):
    quotient = a / b
    rest = tl.fma(-quotient, b, a) + tl.fma(-quotient, b_rest, a_rest)
    return _pair_of_sum(quotient, rest / b)


def _pair_logarithm(x):
    # x = 2^e m; s = (m - 1) / (m + 1); log(m) = 2 s (1 + s^2/3 + s^4/5 + ...), in which s^44 is
    # below all bits.
    bits = _bits(x)
    e = (bits - 0x3FE6A09E667F3BCD) >> 52
    f = _number(bits - (e << 52)) - 1
    e = e.to(tl.float64)
    divisor = 2 + f
    s, s_rest = _pair_quotient(f, 0.0, divisor, f - (divisor - 2))
    z, z_rest = _pair_product(s, s_rest, s, s_rest)
    total = z * 0
    rest = z * 0
    for i in range(22):
        total, rest = _pair_product(total, rest, z, z_rest)
        inverse, inverse_rest = _pair_quotient(1.0 + z * 0, 0.0, 43.0 - 2 * i, 0.0)
        total, rest = _pair_sum(inverse, inverse_rest, total, rest)
    total, rest = _pair_product(total, rest, 2 * s, 2 * s_rest)
    whole, whole_rest = _pair_product(e, 0.0, 0.6931471805599453, 2.3190468138462996e-17)
    return _pair_sum(whole, whole_rest, total, rest)


def _quarter_square(x):
    product, rest = _pair_product(x, 0.0, x, 0.0)
    return 0.25 * product, 0.25 * rest


def _first_series(x, order: tl.constexpr):
    # (x / 2)^order sum (-x^2 / 4)^k / (k! (k + order)!)
    q, q_rest = _quarter_square(x)
    total = q * 0 + 1
    rest = q * 0
    for i in range(34):
        k = 34.0 - i
        total, rest = _pair_product(total, rest, -q, -q_rest)
        total, rest = _pair_quotient(total, rest, k * (k + order), 0.0)
        total, rest = _pair_sum(q * 0 + 1, 0.0, total, rest)
    if order == 0:
        return total
    else:
        return x * (0.5 * total)


def _second_series(x, order: tl.constexpr):
    # pi Y(x) = (x / 2)^order sum (-x^2 / 4)^k / (k! (k + order)!) w(k), less 2 / x of order 1, with
    # w(k) = 2 (log(x / 2) + gamma) - H(k) - H(k + order), H(k) = 1 + 1/2 + ... + 1/k.
    q, q_rest = _quarter_square(x)
    w, w_rest = _pair_logarithm(x)
    w, w_rest = _pair_sum(w, w_rest, -0.11593151565841245, -3.7780767526472776e-19)
    if order == 0:
        w, w_rest = _pair_sum(2 * w, 2 * w_rest, -8.236419980890865, -3.8400216977647644e-16)
    else:
        w, w_rest = _pair_sum(2 * w, 2 * w_rest, -8.264991409462294, -4.855082748850622e-16)
    total = w
    rest = w_rest
    for i in range(34):
        k = 34.0 - i
        total, rest = _pair_product(total, rest, -q, -q_rest)
        total, rest = _pair_quotient(total, rest, k * (k + order), 0.0)
        step, step_rest = _pair_quotient(q * 0 + (2 * k + order), 0.0, k * (k + order), 0.0)
        w, w_rest = _pair_sum(w, w_rest, step, step_rest)
        total, rest = _pair_sum(w, w_rest, total, rest)
    if order == 1:
        total, rest = _pair_product(total, rest, 0.5 * x, 0.0)
        pole, pole_rest = _pair_quotient(q * 0 - 2, 0.0, x, 0.0)
        total, rest = _pair_sum(total, rest, pole, pole_rest)
    return 0.3183098861837907 * total


def _phase0(t):
    amplitude = _polynomial(t, (
        3.2274659236696375e-14, -1.0240462527458219e-13, 2.486651879170221e-13,
        -1.0160586409351026e-12, 4.7832464504070676e-12, -2.4911156906092825e-11,
        1.5500758850965851e-10, -1.2121099519052884e-09, 1.2803760990761632e-08,
        -2.0527448258799454e-07, 6.137416080147722e-06, -0.0005363673192129684,
        0.9994572757882519))
    return amplitude, _polynomial(t, (
        -4.832460403369333e-15, 1.2703337763959492e-14, -1.7256018173230505e-14,
        5.765391531338497e-14, -2.330636917551769e-13, 8.68860563656614e-13,
        -3.5891751531936186e-12, 1.702943915933753e-11, -9.470386229469955e-11,
        6.432789309241135e-10, -5.668716091144362e-09, 7.106214852432276e-08,
        -1.4771388326473744e-06, 6.833149099344075e-05, -0.015555113879513518))


def _phase1(t):
    amplitude = _polynomial(t, (
        -3.4273425511664546e-14, 1.0911783467601572e-13, -2.668914316041983e-13,
        1.0958092927251801e-12, -5.1871998149145174e-12, 2.7234187811287063e-11,
        -1.713127898085761e-10, 1.360297066536911e-09, -1.470851251614582e-08,
        2.45367663311693e-07, -7.959694698478657e-06, 0.0008988049416705195, 1.0009070262780821))
    return amplitude, _polynomial(t, (
        5.093381730784018e-15, -1.3419652685122838e-14, 1.8370749899635615e-14,
        -6.154174237314398e-14, 2.4914316871937574e-13, -9.33020006505065e-13,
        3.876268151236579e-12, -1.8520806488547767e-11, 1.0395068460328534e-10,
        -7.151113407635711e-10, 6.4201325429831086e-09, -8.291960701565042e-08,
        1.8212018512285427e-06, -9.621458822054624e-05, 0.04677687402744898))


def _far(x, order: tl.constexpr, is_second: tl.constexpr):
    # sqrt(2 / (pi x)) (P cos(c) - Q sin(c)) with c = x - pi/4 - order pi/2; Y swaps them.
    inverse = 8 / x
    t = 2 * inverse * inverse - 1
    if order == 0:
        p, q = _phase0(t)
    else:
        p, q = _phase1(t)
    q = q * inverse
    sine = tl.sin(x)
    cosine = tl.cos(x)
    # sqrt(2) times the cosine and the sine of c.
    if order == 0:
        c = cosine + sine
        s = sine - cosine
    else:
        c = sine - cosine
        s = -(sine + cosine)
    amplitude = tl.sqrt(0.3183098861837907 / x)
    if is_second:
        return amplitude * (p * s + q * c)
    else:
        return amplitude * (p * c - q * s)


def _first(x, order: tl.constexpr):
    magnitude = tl.abs(x)
    small = _first_series(tl.minimum(magnitude, 8.0), order)
    result = tl.where(magnitude < 8, small, _far(tl.maximum(magnitude, 8.0), order, False))
    result = tl.where(magnitude == float("inf"), 0.0, result)
    result = tl.where(x != x, x, result)
    if order == 0:
        return result
    else:
        return tl.where(_bits(x) < 0, -result, result)


def _second(x, order: tl.constexpr):
    # Below 10^-9 only the logarithm of order 0 and the pole of order 1 are left, which is beyond
    # the largest float of some x.
    tiny = x < 1e-9
    small = _second_series(tl.minimum(tl.where(tiny, 1.0, x), 8.0), order)
    held = tl.where(tiny, x, 1.0)
    if order == 0:
        limit = tl.fma(0.6366197723675814, tl.log(held), -0.07380429510868722)
    else:
        limit = -0.6366197723675814 / held
    result = tl.where(tiny, limit, small)
    result = tl.where(x < 8, result, _far(tl.maximum(x, 8.0), order, True))
    result = tl.where(x == float("inf"), 0.0, result)
    result = tl.where(x == 0, float("-inf"), result)
    return tl.where(x < 0, float("nan"), tl.where(x != x, x, result))


def j0(x):
    return _first(x.to(tl.float64), 0).to(x.dtype)


def j1(x):
    return _first(x.to(tl.float64), 1).to(x.dtype)


def y0(x):
    return _second(x.to(tl.float64), 0).to(x.dtype)


def y1(x):
    return _second(x.to(tl.float64), 1).to(x.dtype)


def _greatest(n):
    # Of all elements.
    if len(n.shape) == 0:
        return n
    else:
        return tl.max(n)


def _last_order():
    # Recurrences go through all orders up to the greatest of a block, at most to this one.
    return 65536


def _beyond_last_order(n, x, result, limit: tl.constexpr):
    # From an order of twice x on, J is less than any float, and Y greater; else it is not known.
    beyond = tl.where(0.5 * n.to(tl.float64) >= x, limit, float("nan"))
    beyond = tl.where(x == float("inf"), 0.0, beyond)
    return tl.where(n > _last_order(), beyond, result)


def yn(n, x):
    # Upwards: y(k + 1) = 2 k / x y(k) - y(k - 1). Below 0 it has no value.
    wide = x.to(tl.float64)
    below = _second(wide, 0)
    value = _second(wide, 1)
    last = tl.where(n == 0, below, value)
    k = 1
    top = _greatest(tl.minimum(n, _last_order()))
    while k < top:
        next = (2.0 * k) / wide * value - below
        below = value
        value = next
        k += 1
        last = tl.where(n == k, value, last)
    last = tl.where((last != last) & (wide > 0), float("-inf"), last)
    last = _beyond_last_order(n, wide, last, float("-inf"))
    last = tl.where((wide == 0) & (n >= 0), float("-inf"), last)
    last = tl.where((n < 0) | (wide < 0), float("nan"), last)
    return tl.where(x != x, x, last.to(x.dtype))


def jn(n, x):
    # Upwards while k < x, where that is stable; beyond it downwards from far above (Miller), scaled
    # by j0 + 2 j2 + 2 j4 + ... = 1; up to 1 by the power series.
    wide = tl.abs(x.to(tl.float64))
    up_below = _first(wide, 0)
    up = _first(wide, 1)
    result = tl.where(n == 0, up_below, up)
    order = tl.minimum(n, _last_order())
    power = 0.5 * wide
    small = power
    k = 1
    top = _greatest(order)
    while k < top:
        next = (2.0 * k) / wide * up - up_below
        up_below = up
        up = next
        k += 1
        power = power * (0.5 * wide / k)
        small = tl.where(n == k, power, small)
        result = tl.where(n == k, up, result)
    quarter = 0.25 * tl.minimum(wide * wide, 1.0)
    series = quarter * 0 + 1
    for i in tl.static_range(9):
        series = 1 - quarter / ((9.0 - i) * (order + (9.0 - i))) * series
    downwards = (n > wide) & (n > 1)
    held = tl.maximum(wide, 1.0)
    start = _greatest(tl.where(downwards, order + 24 + tl.sqrt(60.0 * order).to(tl.int32), 0))
    start = start - start % 2 + 2
    above = held * 0
    value = above + 1e-280
    total = above
    found = above
    m = start
    while m > 0:
        next = (2.0 * m) / held * value - above
        above = value
        value = next
        m -= 1
        found = tl.where(n == m, value, found)
        total = total + tl.where(m % 2 == 0, tl.where(m == 0, 1.0, 2.0), 0.0) * value
        huge = tl.abs(value) > 1e200
        scale = tl.where(huge, 1e-200, 1.0)
        value = value * scale
        above = above * scale
        total = total * scale
        found = found * scale
    result = tl.where(downwards, tl.where(wide <= 1, small * series, found / total), result)
    result = _beyond_last_order(n, wide, result, 0.0)
    result = tl.where((wide == 0) & (n > 0), 0.0, result)
    result = tl.where((wide == float("inf")) & (n >= 0), 0.0, result)
    result = tl.where((_bits(x) < 0) & (n % 2 == 1), -result, result)
    return tl.where(x != x, x, tl.where(n < 0, float("nan"), result).to(x.dtype))


def _i0_far(t):
    return _polynomial(t, (1.0881994785468934e-10, 3.525321019700796e-11, -7.473844621887592e-10,
                           -2.748111637276033e-10, 2.3981927228949238e-09, 1.0924527246468664e-09,
                           -4.8482509221176966e-09, -3.11851456121224e-09, 6.789790403895736e-09,
                           7.323310735122893e-09, -5.162517880939013e-09, -1.331979859201994e-08,
                           -6.805980075129678e-09, 7.532386417555123e-09, 2.155681110989874e-08,
                           3.932926571091252e-08, 8.872154618944625e-08, 2.9735956581528157e-07,
                           1.4838475863096976e-06, 1.1143033802583682e-05, 0.00013621607439187193,
                           0.0033605519836677235, 0.4021765094450081))


def _i1_far(t):
    return _polynomial(t, (-1.13288885034257e-10, -3.2677656089803323e-11, 7.79067217908059e-10,
                           2.582169443152386e-10, -2.5062162405593894e-09,
                           -1.0476127785270019e-09, 5.094016301574338e-09, 3.0717395650769477e-09,
                           -7.222524178953976e-09, -7.432535335623792e-09, 5.722677527454156e-09,
                           1.3952625102162603e-08, 6.795073490187386e-09, -8.407326839577817e-09,
                           -2.3382691353601083e-08, -4.31323156237458e-08,
                           -1.0001220638799958e-07, -3.483853071371078e-07,
                           -1.8349101539664522e-06, -1.503854721127423e-05, -0.000219235763833829,
                           -0.009749577193235609, 0.38939845902587233))


def _modified(x, order: tl.constexpr):
    # Up to 8 by the series sum (x^2 / 4)^k / (k! (k + order)!).
    magnitude = tl.abs(x)
    near = tl.minimum(magnitude, 8.0)
    quarter = 0.25 * near * near
    series = quarter * 0 + 1
    for i in tl.static_range(26):
        series = tl.fma(quarter * (1 / ((26 - i) * (26 - i + order))), series, 1.0)
    large = tl.maximum(magnitude, 8.0)
    t = 16 / large - 1
    if order == 0:
        far = _i0_far(t)
    else:
        series = 0.5 * near * series
        far = _i1_far(t)
    half = tl.standard._exp(0.5 * large)
    result = tl.where(magnitude < 8, series, half * (far / tl.sqrt(large)) * half)
    result = tl.where(magnitude == float("inf"), magnitude, result)
    if order == 0:
        return tl.where(x != x, x, result)
    else:
        return tl.where(x != x, x, tl.where(_bits(x) < 0, -result, result))


def cyl_bessel_i0(x):
    return _modified(x.to(tl.float64), 0).to(x.dtype)


def cyl_bessel_i1(x):
    return _modified(x.to(tl.float64), 1).to(x.dtype)
