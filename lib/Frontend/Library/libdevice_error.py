# The device library: the error function's relatives and their inverses, in float64.
#
# Polynomials: utils/fit_libdevice.py.


def _scaled_tail(x):
    # exp(x^2) erfc(x) for x >= 0, as a polynomial of (x - 4) / (x + 4) over 1 + 2 x.
    t = 1 - 8 / (x + 4)
    value = _polynomial(t, (
        -1.4311318470928162e-10, -2.655726616312575e-10, 1.825695118953907e-09,
        3.1672611119361695e-09, -1.4806988146925795e-08, -2.05545313698593e-08,
        1.1025271999000152e-07, 7.74606863568198e-08, -8.25078338681245e-07,
        2.9198219084548256e-07, 5.709314113532492e-06, -1.1221292615314274e-05,
        -2.43989944557621e-05, 0.00015062149237837335, -0.00019925676026410458,
        -0.000757773262030915, 0.0050319699895242515, -0.01619773405968329, 0.03716751553632399,
        -0.06633036581219905, 0.0937328349984105, -0.1010390660362999, 0.0680970542546913,
        0.01537965210261959, -0.1396211168405625, 1.2329951186255526))
    # No sum of these is too large for a float.
    return (0.5 * value) / (0.5 + x)


def _square_parts(x, rest):
    # (x + rest)^2 as the sum of two floats.
    square = _cut(x * x)
    return square, tl.fma(x, x, -square) + 2 * x * rest


def _erfc_center(x):
    # Of |x| < 1/2, where it is no small number.
    return 1 - tl.erf(x)


def _erfc(x, rest):
    # erfc(x + rest); the square's second part counts where it is large.
    magnitude = tl.minimum(tl.abs(x), 30.0)
    square, square_rest = _square_parts(magnitude, tl.where(x < 0, -rest, rest))
    power = tl.standard._exp(-square)
    tail = _scaled_tail(magnitude) * tl.fma(power, -square_rest, power)
    tail = tl.where(x < 0, 2 - tail, tail)
    return tl.where(magnitude < 0.5, _erfc_center(x), tl.where(x != x, x, tail))


def erfc(x):
    wide = x.to(tl.float64)
    return _erfc(wide, 0.0).to(x.dtype)


def erfcx(x):
    wide = x.to(tl.float64)
    magnitude = tl.abs(wide)
    square, square_rest = _square_parts(tl.minimum(magnitude, 30.0), 0.0)
    power = tl.standard._exp(square)
    power = tl.where(power < float("inf"), tl.fma(power, square_rest, power), power)
    tail = _scaled_tail(magnitude)
    tail = tl.where(magnitude == float("inf"), 0.0, tail)
    result = tl.where(wide < 0, 2 * power - tail, tail)
    return tl.where(magnitude < 0.5, power * _erfc_center(wide), result).to(x.dtype)


def normcdf(x):
    # erfc(-x / sqrt(2)) / 2, with 1 / sqrt(2) in two parts.
    wide = -x.to(tl.float64)
    wide = tl.minimum(tl.maximum(wide, -60.0), 60.0)
    wide = tl.where(x != x, float("nan"), wide)
    y = _cut(wide * 0.7071067811865476)
    rest = tl.fma(wide, 0.7071067811865476, -y) - wide * 4.833646656726457e-17
    return (0.5 * _erfc(y, rest)).to(x.dtype)


def _inverse_tail(c):
    # erfc(w) = c for 0 < c <= 1/2: a guess by Winitzki, then rounds of Halley's rule.
    logarithm = tl.log(c)
    both = logarithm + tl.log(2 - c)
    middle = 4.330746750799873 + 0.5 * both
    w = tl.sqrt(tl.sqrt(middle * middle - both * 6.802721088435375) - middle)
    for _ in tl.static_range(4):
        # (erfc(w) - c) / -erfc'(w)
        step = 0.886226925452758 * (_scaled_tail(w) - tl.standard._exp(tl.fma(w, w, logarithm)))
        w = w + step / (1 - w * step)
    return w


def _inverse_center(y):
    # erf(w) = y for |y| <= 1/2.
    square = y * y
    w = y * (0.886226925452758 + square * (0.2320136665346545 + square * 0.15))
    for _ in tl.static_range(3):
        step = 0.886226925452758 * tl.standard._exp(w * w) * (tl.erf(w) - y)
        w = w - step / (1 + w * step)
    return tl.where(y == 0, y, w)


def _inverse(y, c):
    # The w with erf(w) = y, c = 1 - |y|.
    tail = _inverse_tail(tl.where((c > 0) & (c < 0.5), c, 0.25))
    center = _inverse_center(tl.where(tl.abs(y) <= 0.5, y, 0.0))
    result = tl.where(c < 0.5, copysign(tail, y), center)
    result = tl.where(c == 0, copysign(y * 0 + float("inf"), y), result)
    return tl.where((c >= 0) & (c <= 1), result, float("nan"))


def erfinv(x):
    wide = x.to(tl.float64)
    return _inverse(wide, 1 - tl.abs(wide)).to(x.dtype)


def erfcinv(x):
    wide = x.to(tl.float64)
    return _inverse(1 - wide, tl.where(wide < 1, wide, 2 - wide)).to(x.dtype)


def normcdfinv(x):
    wide = 2 * x.to(tl.float64)
    inverse = _inverse(1 - wide, tl.where(wide < 1, wide, 2 - wide))
    return (-1.4142135623730951 * inverse + 0.0).to(x.dtype)
