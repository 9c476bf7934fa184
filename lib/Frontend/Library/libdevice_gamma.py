# The device library: the gamma function and its logarithm, in float64.
#
# Polynomials: utils/fit_libdevice.py.


def _lgamma_near(x):
    # log(gamma(x)) for 3/4 <= x <= 2, which is 0 at 1 and at 2.
    t = (x - 1.375) * 1.6
    value = _polynomial(t, (
        4.267451546346847e-10, -9.727875675333355e-10, -4.4668724374278614e-10,
        1.0042341952666495e-09, 5.077101980486773e-09, -1.1645476641189423e-08,
        1.5093852759466465e-08, -3.503367714504757e-08, 9.343130434184156e-08,
        -2.1754555398788526e-07, 5.002123489113413e-07, -1.1738608873013057e-06,
        2.7709594227539264e-06, -6.566292157974603e-06, 1.5655331972870283e-05,
        -3.760581212682778e-05, 9.115764033941816e-05, -0.00022351328843008616,
        0.0005562964736985802, -0.0014130522721130143, 0.003696012768762073, -0.01011320663427774,
        0.02985669437517512, -0.10206197238758492, 0.5024224884952695))
    return (x - 1) * (x - 2) * value


def _stirling_rest(x):
    # 1 / (12 x) - 1 / (360 x^3) + ...
    y = 1 / x
    return y * _polynomial(y * y, (
        -0.029550653594771242, 0.00641025641025641, -0.0019175269175269176,
        0.0008417508417508417, -0.0005952380952380953, 0.0007936507936507937,
        -0.002777777777777778, 0.08333333333333333))


def _lower(x, bound: tl.constexpr):
    # x less a whole number, so that it is at most 2, and the product of what was passed.
    count = tl.maximum(tl.ceil(x) - 2, 0.0)
    product = x * 0 + 1
    for i in tl.static_range(1, bound - 1):
        product = product * tl.where(i <= count, x - i, 1.0)
    return x - count, product


def _lgamma_positive(x):
    far = (x - 0.5) * tl.log(x) - x + (0.9189385332046727 + _stirling_rest(x))
    near, product = _lower(tl.minimum(x, 10.0), 10)
    below = near < 0.75
    shifted = _lgamma_near(tl.where(below, near + 1, near))
    middle = shifted + tl.log(tl.where(below, 1 / near, product))
    middle = tl.where((product == 1) & ~below, shifted, middle)
    return tl.where(x == float("inf"), x, tl.where(x > 10, far, middle))


def lgamma(x):
    wide = x.to(tl.float64)
    positive = wide > 0
    result = _lgamma_positive(tl.where(positive, wide, 1 - wide))
    # gamma(x) gamma(1 - x) = pi / sin(pi x)
    mirrored = 1.1447298858494002 - tl.log(tl.abs(sinpi(wide))) - result
    mirrored = tl.where(wide > -1e-290, -tl.log(-wide), mirrored)
    result = tl.where(positive, result, mirrored)
    pole = (wide <= 0) & (tl.floor(wide) == wide)
    result = tl.where(pole | (tl.abs(wide) == float("inf")), float("inf"), result)
    return tl.where(wide != wide, wide, result).to(x.dtype)


def _tgamma_positive(x):
    # Beyond 14 by Stirling's series, with the power in two halves; else by the product.
    y = tl.minimum(x, 180.0)
    held = tl.maximum(y, 13.0)
    power = _positive_power(held, 0.5 * held - 0.25)
    rest = tl.exp(-held) * tl.exp(_stirling_rest(held))
    far = power * (rest * 2.5066282746310002) * power
    near, product = _lower(tl.minimum(y, 14.0), 14)
    below = near < 0.75
    value = tl.exp(_lgamma_near(tl.where(below, near + 1, near)))
    middle = tl.where(below, value / near, value * product)
    return tl.where(y > 14, far, middle)


def tgamma(x):
    wide = x.to(tl.float64)
    positive = wide > 0
    result = _tgamma_positive(tl.where(positive, wide, 1 - wide))
    mirrored = 3.141592653589793 / (sinpi(wide) * result)
    mirrored = tl.where(tl.abs(wide) < 1e-20, 1 / wide, mirrored)
    result = tl.where(positive & (wide >= 1e-20), result, mirrored)
    pole = (wide < 0) & (tl.floor(wide) == wide)
    result = tl.where(wide == float("inf"), wide, result)
    return tl.where(pole | (wide != wide), float("nan"), result).to(x.dtype)
