"""The error function's, the gamma function's and Bessel's relatives to 40 digits and more, by
series in Python's decimal numbers. Arguments and results are numbers that are neither infinite nor
NaN."""

import decimal
import fractions
import functools
import math
from decimal import Decimal

DIGITS = 50
EULER = Decimal("0.577215664901532860606512090082402431042159335939923598805767234884867726777664")


def precise(function):
    """Of floats, as decimal numbers. A series in a number has terms that are larger than its sum,
    by as many digits as the number says at most."""

    def at(*arguments):
        numbers = [v if isinstance(v, int) else Decimal(float(v)) for v in arguments]
        with decimal.localcontext() as context:
            context.prec = DIGITS + int(2 * min(abs(arguments[-1]), 60))
            context.Emin, context.Emax = -10 ** 6, 10 ** 6
            return +function(*numbers)

    return at


@functools.cache
def pi_of(digits):
    with decimal.localcontext() as context:
        context.prec = digits + 5

        def inverse_tangent(n):
            total = term = Decimal(1) / n
            k = 1
            while abs(term) > Decimal(10) ** -(digits + 5):
                term /= -n * n
                total += term / (2 * k + 1)
                k += 1
            return total

        return 4 * (4 * inverse_tangent(5) - inverse_tangent(239))


def circle():
    return pi_of(decimal.getcontext().prec)


def series(first, ratio):
    """first + first ratio(1) + first ratio(1) ratio(2) + ... until a term no longer counts."""
    total, term, k = first, first, 0
    limit = Decimal(10) ** -(decimal.getcontext().prec + 5)
    while term and (k < 5 or abs(term) > limit * abs(total) or abs(ratio(k)) > 1):
        k += 1
        term *= ratio(k)
        total += term
    return total


# The error function.


def _erf(x):
    scale = 2 * (-x * x).exp() / circle().sqrt()
    return scale * series(x, lambda k: 2 * x * x / (2 * k + 1))


def _scaled(x):
    if x < 4:
        return (x * x).exp() * (1 - _erf(x))
    # 1 / (x + (1/2) / (x + (2/2) / (x + (3/2) / ...)))
    fraction = x
    for k in range(250, 0, -1):
        fraction = x + Decimal(k) / 2 / fraction
    return 1 / (fraction * circle().sqrt())


def _erfc(x):
    return (-x * x).exp() * _scaled(x) if x > 0 else 1 - _erf(x)


def _inverse(y, c):
    """The w with erf(w) = y, of c = 1 - |y|, by Newton's rule."""
    if not y:
        return Decimal(0)
    if c < Decimal("0.5"):
        w = (-c.ln()).sqrt()
        for _ in range(40):
            tail = _erfc(w)
            w += (tail / c).ln() * tail * circle().sqrt() / 2 * (w * w).exp()
            if abs(tail - c) < c * Decimal(10) ** -35:
                break
        return w.copy_sign(y)
    w = y
    for _ in range(40):
        step = (_erf(w) - y) * circle().sqrt() / 2 * (w * w).exp()
        w -= step
        if abs(step) < abs(w) * Decimal(10) ** -40:
            break
    return w


erf = precise(_erf)
erfc = precise(_erfc)
erfcx = precise(_scaled)
normcdf = precise(lambda x: _erfc(-x / Decimal(2).sqrt()) / 2)
erfinv = precise(lambda y: _inverse(y, 1 - abs(y)))
erfcinv = precise(lambda x: _inverse(1 - x, min(x, 2 - x)))
normcdfinv = precise(
    lambda p: -Decimal(2).sqrt() * _inverse(1 - 2 * p, min(2 * p, 2 - 2 * p)))


# The gamma function.


@functools.cache
def bernoulli(count):
    """B(0), B(1), ... B(count - 1)."""
    numbers = []
    for m in range(count):
        numbers.append(-sum(math.comb(m + 1, k) * numbers[k] for k in range(m))
                       / fractions.Fraction(m + 1) if m else fractions.Fraction(1))
    return numbers


def _log_gamma_positive(x):
    product = Decimal(1)
    while x < 40:
        product *= x
        x += 1
    total = (x - Decimal("0.5")) * x.ln() - x + (2 * circle()).ln() / 2
    for n, number in list(enumerate(bernoulli(61)))[2::2]:
        total += Decimal(number.numerator) / number.denominator / (n * (n - 1)) / x ** (n - 1)
    return total - product.ln()


def _sin_half_turns(x):
    """sin(pi x)"""
    rest = x - 2 * (x / 2).to_integral_value()
    angle = circle() * rest
    return series(angle, lambda k: -angle * angle / ((2 * k) * (2 * k + 1)))


def _log_gamma(x):
    if x > 0:
        return _log_gamma_positive(x)
    mirrored = circle() / (-x * abs(_sin_half_turns(x)))
    return mirrored.ln() - _log_gamma_positive(-x)


def _gamma(x):
    if x > 0:
        return _log_gamma_positive(x).exp()
    return -circle() / (x * _sin_half_turns(x)) / _log_gamma_positive(-x).exp()


lgamma, tgamma = precise(_log_gamma), precise(_gamma)


# Bessel functions, of orders that are no float: jn(n, x).


def _first_kind(n, x, sign=-1):
    first = (x / 2) ** n / math.factorial(n)
    return series(first, lambda k: sign * x * x / (4 * k * (k + n)))


def _second_kind(n, x):
    """Of order 0 and 1 by series, of others upwards."""
    if n > 1:
        below, value = _second_kind(0, x), _second_kind(1, x)
        for k in range(1, n):
            below, value = value, 2 * k * value / x - below
        return value
    log, total, term, k = 2 * ((x / 2).ln() + EULER), Decimal(0), (x / 2) ** n, 0
    harmonic = Decimal(n)  # H(k) + H(k + n)
    limit = Decimal(10) ** -(decimal.getcontext().prec)
    while k < 5 or abs(term) > limit:
        total += term * (log - harmonic)
        k += 1
        term *= -x * x / (4 * k * (k + n))
        harmonic += Decimal(1) / k + Decimal(1) / (k + n)
    return (total - (2 / x if n else 0)) / circle()


jn, yn = precise(_first_kind), precise(_second_kind)
modified_bessel = precise(lambda n, x: _first_kind(n, x, sign=1))
