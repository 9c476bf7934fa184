# The device library: Bessel functions, in float64. Up to 8 they are polynomials of x^2, beyond it
# amplitudes and phases, whose parts are polynomials of 1 / x^2.
#
# Polynomials: utils/fit_libdevice.py.


def _j0_near(t):
    return _polynomial(t, (-1.2430166156640003e-11, 3.3794624520643e-10, -7.91533375368561e-09,
                           1.595584886623164e-07, -2.717749207626176e-06, 3.8473200057927604e-05,
                           -0.0004435459224433769, 0.00405807898810883, -0.028472718610877044,
                           0.14598884856785535, -0.507468045847101, 1.0383794611436883,
                           -0.8080888076696872, -0.6484692830871821, 0.9303012472958572,
                           0.045829664859813754))


def _j1_near(t):
    return _polynomial(t, (-4.0037632815796753e-13, 1.1658971884036515e-11,
                           -2.943016833829492e-10, 6.43119017895857e-09, -1.196708182234105e-07,
                           1.8684526037182737e-06, -2.404574866003479e-05, 0.00024949458135972767,
                           -0.0020290394945704573, 0.012456814392263375, -0.05474581821284725,
                           0.15858376432721838, -0.2595948652859303, 0.15151665143806636,
                           0.08105866038589796, -0.05814382795599107))


def _y0_near(t):
    return _polynomial(t, (2.6920542955933077e-11, -7.165821502826742e-10, 1.6390898995460987e-08,
                           -3.218450385303195e-07, 5.321318774428052e-06, -7.279542368640505e-05,
                           0.000806158605989114, -0.007025741054992014, 0.046367047681363883,
                           -0.21895747096229637, 0.6721770783431702, -1.077547733821527,
                           0.14412632369302453, 1.6470964788745432, -0.8284358903604587,
                           -0.38225065445942497))


def _y1_near(t):
    return _polynomial(t, (8.758166378734063e-13, -2.4995314348224963e-11, 6.169694909376002e-10,
                           -1.3153147370992129e-08, 2.3804930317310604e-07,
                           -3.6010000225850992e-06, 4.4674330127252e-05, -0.00044381734344201836,
                           0.0034224907399185273, -0.01962875683311711, 0.07854786922242538,
                           -0.19639839859930203, 0.23507209206669755, 0.02336757172099348,
                           -0.24337743079193114, 0.07075985882118005))


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


def _argument(x):
    # Of the polynomials: x^2 in [0, 64] as a number in [-1, 1].
    return tl.fma(x * x, 0.03125, -1.0)


def _first(x, order: tl.constexpr):
    magnitude = tl.abs(x)
    near = tl.minimum(magnitude, 8.0)
    if order == 0:
        small = _j0_near(_argument(near))
    else:
        small = near * _j1_near(_argument(near))
    result = tl.where(magnitude < 8, small, _far(tl.maximum(magnitude, 8.0), order, False))
    result = tl.where(magnitude == float("inf"), 0.0, result)
    result = tl.where(x != x, x, result)
    if order == 0:
        return result
    else:
        return tl.where(x < 0, -result, result)


def _second(x, order: tl.constexpr):
    near = tl.minimum(x, 8.0)
    t = _argument(near)
    scaled = 0.6366197723675814 * tl.log(near)
    if order == 0:
        small = _y0_near(t) + scaled * _j0_near(t)
    else:
        small = near * (_y1_near(t) + scaled * _j1_near(t)) - 0.6366197723675814 / near
    result = tl.where(x < 8, small, _far(tl.maximum(x, 8.0), order, True))
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


def _greatest(x):
    # Of all elements.
    if len(x.shape) == 0:
        return x
    else:
        return tl.max(x)


def yn(n, x):
    # Upwards: y(k + 1) = 2 k / x y(k) - y(k - 1). Below 0 it has no value.
    wide = x.to(tl.float64)
    below = _second(wide, 0)
    value = _second(wide, 1)
    last = tl.where(n == 0, below, value)
    k = 1
    top = _greatest(n)
    while k < top:
        next = (2.0 * k) / wide * value - below
        below = value
        value = next
        k += 1
        last = tl.where(n == k, value, last)
    last = tl.where((wide == 0) & (n >= 0), float("-inf"), last)
    last = tl.where((last != last) & (wide > 0), float("-inf"), last)
    return tl.where(n < 0, float("nan"), last).to(x.dtype)


def jn(n, x):
    # Upwards while k < x, where that is stable; else downwards from far above (Miller), scaled by
    # j0 + 2 j2 + 2 j4 + ... = 1.
    wide = tl.abs(x.to(tl.float64))
    up_below = _first(wide, 0)
    up = _first(wide, 1)
    result = tl.where(n == 0, up_below, up)
    top = _greatest(n)
    k = 1
    while k < top:
        next = (2.0 * k) / wide * up - up_below
        up_below = up
        up = next
        k += 1
        result = tl.where(n == k, up, result)
    start = _greatest(tl.where(n > wide, n + 24 + tl.sqrt(60.0 * n).to(tl.int32), 0))
    start = start - start % 2 + 2
    above = wide * 0
    value = above + 1e-280
    total = above
    found = above
    m = start
    while m > 0:
        next = (2.0 * m) / wide * value - above
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
    result = tl.where((n > wide) & (n > 1), found / total, result)
    result = tl.where((wide == 0) & (n > 0), 0.0, result)
    result = tl.where((wide == float("inf")) & (n >= 0), 0.0, result)
    result = tl.where((x < 0) & (n % 2 == 1), -result, result)
    return tl.where(n < 0, float("nan"), tl.where(x != x, x, result)).to(x.dtype)


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
    half = tl.exp(0.5 * large)
    result = tl.where(magnitude < 8, series, half * (far / tl.sqrt(large)) * half)
    result = tl.where(magnitude == float("inf"), magnitude, result)
    if order == 0:
        return tl.where(x != x, x, result)
    else:
        return tl.where(x != x, x, tl.where(x < 0, -result, result))


def cyl_bessel_i0(x):
    return _modified(x.to(tl.float64), 0).to(x.dtype)


def cyl_bessel_i1(x):
    return _modified(x.to(tl.float64), 1).to(x.dtype)
