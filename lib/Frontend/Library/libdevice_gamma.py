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
    factor = tl.log(tl.where(below, near, product))
    middle = tl.where(below, shifted - factor, shifted + factor)
    return tl.where(x == float("inf"), x, tl.where(x > 10, far, middle + 0.0))


def lgamma(x):
    wide = x.to(tl.float64)
    positive = wide > 0
    result = _lgamma_positive(tl.abs(wide))
    # gamma(x) gamma(-x) = -pi / (x sin(pi x)), where -x is exact, as 1 - x is not.
    product = tl.abs(wide * sinpi(wide))
    mirrored = (1.1447298858494002 - tl.log(product)) - result
    # Beside 0 it is -log(-x); there and only there pi / (x sin(pi x)) may be out of range.
    mirrored = tl.where(wide > -1e-20, -tl.log(-wide), mirrored)
    result = tl.where(positive, result, mirrored)
    pole = (wide <= 0) & (tl.floor(wide) == wide)
    result = tl.where(pole | (tl.abs(wide) == float("inf")), float("inf"), result)
    return tl.where(wide != wide, wide, result).to(x.dtype)


def _tgamma_positive(x):
    # As a product, of which the first factor and all of it may be too large for a float. Beyond 14
    # by Stirling's series, with the power in two halves; else by lowering x.
    y = tl.minimum(x, 200.0)
    held = tl.maximum(y, 13.0)
    power = _positive_power(held, 0.5 * held - 0.25)
    rest = tl.standard._exp(-held) * tl.standard._exp(_stirling_rest(held))
    far = power * (rest * 2.5066282746310002)
    near, product = _lower(tl.minimum(y, 14.0), 14)
    below = near < 0.75
    value = tl.standard._exp(_lgamma_near(tl.where(below, near + 1, near)))
    middle = tl.where(below, value / near, value * product)
    is_far = y > 14
    return tl.where(is_far, far, middle), tl.where(is_far, power, 1.0)


def tgamma(x):
    wide = x.to(tl.float64)
    first, second = _tgamma_positive(tl.maximum(tl.abs(wide), 1e-20))
    # As in lgamma. Below -200 nothing is left of it but the sign.
    mirror = tl.maximum(wide, -200.0) * sinpi(wide)
    mirrored = -3.141592653589793 / (mirror * first) / second
    result = tl.where(wide > 0, first * second, mirrored)
    result = tl.where(tl.abs(wide) < 1e-20, 1 / wide, result)
    pole = (wide < 0) & (tl.floor(wide) == wide)
    result = tl.where(wide == float("inf"), wide, result)
    return tl.where(pole | (wide != wide), float("nan"), result).to(x.dtype)
