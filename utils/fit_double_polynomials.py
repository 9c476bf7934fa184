#!/usr/bin/env python3
"""Fits the polynomials of lib/Conversion/Math/DoubleMath.cpp and prints them.

Each interpolates a function at Chebyshev points, which is within a small factor of the best
fit; a coefficient more makes up for the factor. Computed with 90 digits, then the
coefficients are rounded to f64, and the error of the rounded polynomial is measured.
"""

import math
from decimal import Decimal as D, getcontext

getcontext().prec = 420  # for the bits of 2/pi


def series(first, ratio):
    """first + first * ratio(1) + first * ratio(1) * ratio(2) + ..."""
    total, term, n = D(0), first, 0
    while term != 0 and abs(term) > D(10) ** -85:
        total += term
        n += 1
        term *= ratio(n)
    return total


def sin_over_x(z):
    return series(D(1), lambda n: -z / ((2 * n) * (2 * n + 1)))


def cos(z):
    """cos(sqrt(z))."""
    return series(D(1), lambda n: -z / ((2 * n - 1) * (2 * n)))


_a, _b, _t, _p = D(1), 1 / D(2).sqrt(), D(1) / 4, D(1)
for _ in range(8):  # the mean of Gauss and Legendre
    _next = (_a + _b) / 2
    _b, _t, _p = (_a * _b).sqrt(), _t - _p * (_a - _next) ** 2, 2 * _p
    _a = _next
PI = (_a + _b) ** 2 / (4 * _t)
TWO_OVER_PI = 2 / PI
getcontext().prec = 90
LN2 = D(2).ln()


def erf_over_x(z):
    """erf(x) / x = 2/sqrt(pi) e^-z (1 + 2z/3 + (2z)^2/15 + ...): no cancellation."""
    return 2 / PI.sqrt() * (-z).exp() * series(D(1), lambda n: 2 * z / (2 * n + 1))


def erfc(x):
    return 1 - x * erf_over_x(x * x)


def atanh_over_s(z):
    s = z.sqrt()
    return ((1 + s) / (1 - s)).ln() / (2 * s)


def tanh_over_x(z):
    x = z.sqrt()
    e = (2 * x).exp()
    return (e - 1) / (e + 1) / x


def interpolate(function, low, high, count):
    """Coefficients of the polynomial through `count` Chebyshev points."""
    nodes = [D((low + high) / 2) + D((high - low) / 2) *
             D(math.cos(math.pi * (2 * k + 1) / (2 * count))) for k in range(count)]
    table = [function(x) for x in nodes]
    for order in range(1, count):
        for k in range(count - 1, order - 1, -1):
            table[k] = (table[k] - table[k - 1]) / (nodes[k] - nodes[k - order])
    c = [D(0)] * count
    for k in range(count - 1, -1, -1):
        c = [table[k] - nodes[k] * c[0]] + [c[i - 1] - nodes[k] * c[i] for i in range(1, count)]
    return c


def evaluate(c, x):
    total = D(0)
    for a in reversed(c):
        total = total * x + a
    return total


HALF_LN2 = 0.3466 * 1.01
# What the polynomial stands for, what an error in it weighs in the result, the domain, the
# number of coefficients.
FITS = {
    # exp(x) = 1 + x + x^2 P(x)
    "Exp": (lambda x: (x.exp() - 1 - x) / x**2, lambda x: x**2 / x.exp(), -HALF_LN2, HALF_LN2, 11),
    # 2^x = 1 + x P(x)
    "Exp2": (lambda x: ((x * LN2).exp() - 1) / x, lambda x: x / (x * LN2).exp(), -.505, .505, 13),
    # log(1 + f) = f - f^2/2 + s (f^2/2 + z P(z)) with s = f / (2 + f), z = s^2
    "Log": (lambda z: 2 * (atanh_over_s(z) - 1) / z, lambda z: z / 2, 1e-9, 0.02946, 8),
    # sin(x) = x + x^3 P(x^2), cos(x) = 1 - x^2/2 + x^4 P(x^2)
    "Sin": (lambda z: (sin_over_x(z) - 1) / z, lambda z: z / sin_over_x(z), 1e-9, 0.6175, 7),
    "Cos": (lambda z: (cos(z) - 1 + z / 2) / z**2, lambda z: z**2 / cos(z), 1e-6, 0.6175, 7),
    # tanh(x) = x + x^3 P(x^2) below 1
    "Tanh": (lambda z: (tanh_over_x(z) - 1) / z, lambda z: z / tanh_over_x(z), 1e-9, 1, 16),
    # erf(x) = x + x P(x^2) below 1.4, else 1 - exp(P(x - 1.4))
    "ErfSmall": (lambda z: erf_over_x(z) - 1, lambda z: 1 / erf_over_x(z), 1e-9, 1.96, 17),
    "ErfLarge": (lambda u: erfc(u + D(1.4)).ln(), lambda u: erfc(u + D(1.4)), 0, 4.6, 26),
}


def main():
    for name, (function, weight, low, high, count) in FITS.items():
        c = [float(a) for a in interpolate(function, low, high, count)]
        exact = [D(a) for a in c]
        points = [D(low) + (D(high) - D(low)) * k / 301 for k in range(1, 301)]
        error = max(abs((evaluate(exact, x) - function(x)) * weight(x)) for x in points if x)
        print(f"{name}: error 2^{math.log2(error):.1f}")
        print("constexpr double k" + name + "[] = {" + ", ".join(a.hex() for a in c) + "};")
    print("pi/2 in parts", *(parts(PI / 2, 4)))
    print("log2(e)", *parts(1 / LN2, 2), "log(2)", *parts(LN2, 2))
    getcontext().prec = 420
    bits = int(TWO_OVER_PI * 2 ** (64 * 19))
    print("2/pi", ", ".join(f"{bits >> 64 * (18 - i) & (1 << 64) - 1:#018x}" for i in range(19)))


def parts(x, count):
    for _ in range(count):
        yield float(x).hex()
        x -= D(float(x))


if __name__ == "__main__":
    main()
