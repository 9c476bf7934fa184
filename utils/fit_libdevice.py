#!/usr/bin/env python3
"""The polynomials of lib/Frontend/Library/libdevice_*.py: interpolation at Chebyshev's points,
which is within a factor of two of the best fit. Needs mpmath.

    utils/fit_libdevice.py            # all of them, with their errors
"""

import struct

import mpmath
from mpmath import mp, mpf, pi

mp.dps = 60
TINY = mpf(10) ** -30


def interpolate(function, low, high, degree):
    """Coefficients of t in [-1, 1], which stands for [low, high]."""
    low, high = mpf(low), mpf(high)
    count = degree + 1
    points = [mpmath.cos(pi * (2 * k + 1) / (2 * count)) for k in range(count)]
    values = [function((low + high) / 2 + (high - low) / 2 * t) for t in points]
    result, before, current = [mpf(0)] * count, [], [mpf(1)]
    for j in range(count):
        weight = (mpf(2) if j else mpf(1)) / count * sum(
            v * mpmath.cos(j * pi * (2 * k + 1) / (2 * count)) for k, v in enumerate(values))
        for power, factor in enumerate(current):
            result[power] += weight * factor
        following = [mpf(0)] + [(2 if j else 1) * factor for factor in current]
        for power, factor in enumerate(before):
            following[power] -= factor
        before, current = current, following
    return result


def in_x(coefficients, bound):
    """The same polynomial of x in [0, bound], where t = 2 x / bound - 1."""
    result = []
    for coefficient in reversed(coefficients):
        following = [mpf(0)] * (len(result) + 1)
        for power, factor in enumerate(result):
            following[power] -= factor
            following[power + 1] += 2 * factor / bound
        following[0] += coefficient
        result = following
    return result[:len(coefficients)]


def error_of(function, coefficients, low, high):
    worst = mpf(0)
    for k in range(401):
        x = mpf(low) + (mpf(high) - mpf(low)) * k / 400
        t = (2 * x - low - high) / (mpf(high) - low)
        exact = function(x)
        worst = max(worst, abs(mpmath.polyval(coefficients[::-1], t) / exact - 1))
    return worst


def show(name, function, low, high, degree, of_x=False, single=False):
    coefficients = interpolate(function, low, high, degree)
    error = error_of(function, coefficients, low, high)
    if of_x:
        coefficients = in_x(coefficients, high)
    texts = []
    for value in map(float, reversed(coefficients)):
        if single:
            value = float(f"{struct.unpack('f', struct.pack('f', value))[0]:.9g}")
        texts.append(repr(value))
    print(f"{name}: error {mpmath.nstr(error, 3)}, from the highest power\n    {', '.join(texts)}")


def atan_tail(z):
    t = mpmath.sqrt(z)
    return (mpmath.atan(t) / t - 1) / z if z > TINY else mpf(-1) / 3


def asin_tail(z):
    t = mpmath.sqrt(z)
    return (mpmath.asin(t) / t - 1) / z if z > TINY else mpf(1) / 6


def scaled_tail(t):
    """(1 + 2 x) exp(x^2) erfc(x), t = (x - 4) / (x + 4)."""
    if t >= 1:
        return 2 / mpmath.sqrt(pi)
    x = 4 * (1 + t) / (1 - t)
    if x > 60:
        total = term = mpf(1)
        for k in range(1, 40):
            term *= -(2 * k - 1) / (2 * x * x)
            total += term
        return (1 + 2 * x) * total / (x * mpmath.sqrt(pi))
    with mpmath.workdps(70 + int(x * x / 2)):
        return (1 + 2 * x) * mpmath.exp(x * x) * mpmath.erfc(x)


def lgamma_near(x):
    if abs(x - 1) < TINY:
        return +mpmath.euler
    if abs(x - 2) < TINY:
        return 1 - mpmath.euler
    return mpmath.loggamma(x).real / ((x - 1) * (x - 2))


def amplitude(order, part):
    """P (part 0), or Q x / 8, of (8 / x)^2: J and Y are sqrt(2 / (pi x)) (P, Q) turned by
    x - (order / 2 + 1 / 4) pi."""

    def function(z):
        x = 8 / mpmath.sqrt(max(z, mpf(10) ** -24))
        if x < 150:
            angle = x - (mpf(order) / 2 + mpf(1) / 4) * pi
            j, y = mpmath.besselj(order, x), mpmath.bessely(order, x)
            c, s, scale = mpmath.cos(angle), mpmath.sin(angle), mpmath.sqrt(pi * x / 2)
            sums = [scale * (j * c + y * s), scale * (y * c - j * s)]
        else:
            sums, term = [mpf(0), mpf(0)], mpf(1)
            for k in range(60):
                sums[k % 2] += (-1) ** (k // 2) * term
                term *= mpf(4 * order ** 2 - (2 * k + 1) ** 2) / ((k + 1) * 8 * x)
        return sums[1] * x / 8 if part else sums[0]

    return function


def modified(order):
    """sqrt(x) exp(-x) I(x), of 8 / x."""

    def function(w):
        x = 8 / max(w, mpf(10) ** -40)
        if x < 300:
            return mpmath.sqrt(x) * mpmath.exp(-x) * mpmath.besseli(order, x)
        total = term = mpf(1)
        for k in range(60):
            term *= -mpf(4 * order ** 2 - (2 * k + 1) ** 2) / ((k + 1) * 8 * x)
            total += term
        return total / mpmath.sqrt(2 * pi)

    return function


def main():
    bound = (mpmath.sqrt(2) - 1) ** 2 * mpf("1.0001")
    show("_atan_tail, float64", atan_tail, 0, bound, 11, of_x=True)
    show("_atan_tail, float32", atan_tail, 0, bound, 4, of_x=True, single=True)
    show("_asin_tail, float64", asin_tail, 0, mpf("0.2501"), 13, of_x=True)
    show("_asin_tail, float32", asin_tail, 0, mpf("0.2501"), 5, of_x=True, single=True)
    show("_scaled_tail", scaled_tail, -1, 1, 25)
    show("_lgamma_near", lgamma_near, mpf("0.75"), 2, 24)
    for order in (0, 1):
        show(f"_phase{order}, amplitude", amplitude(order, 0), 0, 1, 12)
        show(f"_phase{order}, phase", amplitude(order, 1), 0, 1, 14)
    for order in (0, 1):
        show(f"_i{order}_far", modified(order), 0, 1, 22)


if __name__ == "__main__":
    main()
