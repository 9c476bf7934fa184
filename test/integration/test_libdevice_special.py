"""`tl.extra.libdevice`: the error function's, the gamma function's and Bessel's relatives against
exact values, on every back end."""

import functools
from decimal import Decimal

import exact_functions as exact
import numpy as np
import pytest
from support import assert_same, compute, spread, ulp_error

LEAST, MOST = 2.0 ** -1074, np.finfo(np.float64).max


def even(low, high, count=60):
    return np.random.default_rng(5).uniform(low, high, count)


def sizes(low, high, count=40):
    """Positive numbers, evenly spread over powers."""
    return np.abs(spread(low, high, count))


def beside(*numbers):
    """The neighbours, and what is farther and farther away."""
    steps = np.append(np.arange(1, 6) * 2.0 ** -52, 2.0 ** -np.arange(3.0, 49.0, 3))
    return np.concatenate([z * (1 + s * steps) for z in numbers for s in (1, -1)])


ZEROS = {"j0": (2.404825557695773, 5.520078110286311),
         "j1": (3.8317059702075125, 7.015586669815619),
         "y0": (0.8935769662791675, 3.957678419314858, 7.086051060301773),
         "y1": (2.197141326031017, 5.429681040794135)}
BESSEL = {"j0": lambda x: exact.jn(0, x), "j1": lambda x: exact.jn(1, x),
          "y0": lambda x: exact.yn(0, x), "y1": lambda x: exact.yn(1, x)}
NEGATIVE = -np.concatenate([
    even(0, 20), np.arange(1, 171, 13) + 2.0 ** -20,
    [15.18, 175.99999999999997, 22.000000000000004, 22.031558336355182, 177.5, 2.5, 0.5]])
TINY = np.concatenate([[LEAST, 1e-320, 1e-308], sizes(1e-300, 1e-3)])

# name: the function, how many units in the last place float64 may be off (what CUDA documents, or
# less), numbers. float32 is computed in float64.
ACCURACY = {
    "erf": (exact.erf, 2, [even(-6, 6), spread(1e-300, 1)]),
    "erfc": (exact.erfc, 5, [
        even(-6, 6), even(5, 27), spread(1e-300, 1),
        [1.585074947106059e-07, 0.5, -0.5, 0.529122439612341, 26.54]]),
    "erfcx": (exact.erfcx, 4, [
        even(-26, 0), even(0, 50), spread(1e-300, 1), sizes(50, MOST),
        [26.6, -26.6, 9.5e307, MOST]]),
    "normcdf": (exact.normcdf, 5, [even(-38, 8), even(-1, 1), spread(1e-300, 1)]),
    "erfinv": (exact.erfinv, 5, [
        even(-1, 1), spread(1e-300, 0.5), 1 - sizes(2e-16, 0.5), [-0.5, 1 - 2.0 ** -53]]),
    "erfcinv": (exact.erfcinv, 6, [
        even(0, 2), even(0.4, 0.6), sizes(1e-307, 1), [LEAST], 2 - sizes(4e-16, 1),
        1 - spread(2e-16, 0.1)]),
    "normcdfinv": (exact.normcdfinv, 8, [
        even(0, 1), even(0.2, 0.3), sizes(1e-307, 0.5), [LEAST], 1 - sizes(2e-16, 0.5),
        0.5 - spread(2e-16, 0.1)]),
    "tgamma": (exact.tgamma, 10, [
        even(0, 30), even(30, 171.6), 1 / sizes(1, 1e300), spread(1e-300, 0.5), NEGATIVE]),
    "lgamma": (exact.lgamma, 4, [
        even(0, 20), even(0.5, 2.5), sizes(20, 1e300), TINY, -TINY,
        NEGATIVE[(NEGATIVE < -11) | (NEGATIVE > -2.26)], beside(1.0, 2.0)]),
    "j0": (BESSEL["j0"], 7, [even(-8, 8), sizes(1e-300, 1), beside(*ZEROS["j0"])]),
    "j1": (BESSEL["j1"], 7, [even(-8, 8), spread(1e-300, 1), beside(*ZEROS["j1"])]),
    "y0": (BESSEL["y0"], 7, [even(0, 8), TINY, beside(*ZEROS["y0"])]),
    "y1": (BESSEL["y1"], 7, [even(0, 8), TINY, beside(*ZEROS["y1"])]),
    "cyl_bessel_i0": (lambda x: exact.modified_bessel(0, x), 6, [
        even(-20, 20), even(20, 700, 12), sizes(1e-300, 1)]),
    "cyl_bessel_i1": (lambda x: exact.modified_bessel(1, x), 6, [
        even(-20, 20), even(20, 700, 12), spread(1e-300, 1)]),
}
# Between these, which they do not reach; all others take all numbers.
DOMAINS = {"erfinv": (-1, 1), "erfcinv": (0, 2), "normcdfinv": (0, 1)}


def extended(numbers):
    """Decimal numbers as the longest floats, which are 1e4000 or 0 far beyond float64's range."""
    largest = Decimal("1e4000")
    held = [min(max(v, -largest), largest) if abs(v) > 1 / largest else 0 for v in numbers]
    return np.array([np.longdouble(format(Decimal(v), ".40e")) for v in held])


@functools.cache
def numbers_and_values(name, dtype):
    function, _, numbers = ACCURACY[name]
    with np.errstate(all="ignore"):
        x = np.concatenate(numbers).astype(dtype)
    ordinary = np.isfinite(x) & (x != 0)
    if name.endswith("gamma"):
        ordinary &= (x > 0) | (np.floor(x) != x)
    low, high = DOMAINS.get(name, (-np.inf, np.inf))
    ordinary &= (low < x) & (x < high)
    x, values = x[ordinary], extended([function(v) for v in x[ordinary]])
    beside_zero = (name in ZEROS) & (np.abs(values) < 1e-15) & (np.abs(x) > 0.5)
    return x[~beside_zero], values[~beside_zero]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ACCURACY)
def test_accuracy(name, dtype, backend):
    x, values = numbers_and_values(name, dtype)
    result = compute(f"libdevice.{name}(a)", x, out=dtype)
    assert ulp_error(result, values) <= (ACCURACY[name][1] if dtype == "float64" else 1)
    is_number = np.abs(values) > (1e-40 if name == "lgamma" else 0)  # which is 0 at 1 and at 2
    assert_same(np.signbit(result[is_number]), np.signbit(values[is_number]))


@pytest.mark.parametrize("name", ZEROS)
def test_the_floats_nearest_to_a_zero(name, backend):
    """What is left there of the terms, which are about 1, is below 10^-15."""
    x = np.array([v for z in ZEROS[name] for v in (np.nextafter(z, 0), z, np.nextafter(z, 9))])
    values = extended([BESSEL[name](v) for v in x])
    result = compute(f"libdevice.{name}(a)", x, out="float64")
    assert np.max(np.abs(result - values)) < 1e-30


@pytest.mark.parametrize("name", ZEROS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_bessel_functions_beyond_8(name, dtype, backend):
    """Amplitudes and phases, whose error is one of their size."""
    x = np.append(even(8, 60), [8.0, np.nextafter(8, 9)]).astype(dtype)
    result = compute(f"libdevice.{name}(a)", x, out=dtype)
    error = np.abs(result - extended([BESSEL[name](v) for v in x]))
    assert np.max(error) < 4 * np.finfo(dtype).eps


# Orders and arguments of jn and yn: small, where n is beside x, and where n is far from it.
ORDERS = (0, 1, 2, 3, 7, 12, 30, 100)


@functools.cache
def orders_and_values(name, dtype):
    tiny = [1e-3, 1e-30, 1e-160, 1e-300] if dtype == "float64" else []
    x = np.concatenate([[0.125, 0.75, 1.0, 1.5, 7.5, 12.5, 29.5, 30.5], even(0.1, 50, 8), tiny])
    n, x = np.meshgrid(np.array(ORDERS, np.int32), x)
    n, x = n.ravel().copy(), x.ravel().astype(dtype)
    return n, x, extended([getattr(exact, name)(int(order), v) for order, v in zip(n, x)])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["jn", "yn"])
def test_bessel_functions_of_any_order(name, dtype, backend):
    """The error is one of their size: of 1 where they are less (J beyond x: of what they are)."""
    n, x, values = orders_and_values(name, dtype)
    result = compute(f"libdevice.{name}(a, b)", n, x, out=dtype)
    with np.errstate(over="ignore"):
        rounded = values.astype(dtype)
    is_finite = np.isfinite(rounded)
    assert_same(result[~is_finite], rounded[~is_finite])
    n, x, values, result = (v[is_finite] for v in (n, x, values, result))
    size = np.maximum(np.abs(values), 0 if name == "jn" else 1)
    size = np.where((name == "jn") & (n > x), size, np.maximum(size, 0.1))
    unit = np.maximum(size * np.finfo(dtype).eps, np.longdouble(np.finfo(dtype).smallest_subnormal))
    assert np.max(np.abs(result - values) / unit) < 32


def test_orders_beyond_all_recurrences(backend):
    """No loop is as long as the order, which an int32 holds to the last."""
    most, least = 2 ** 31 - 1, -2 ** 31
    n = np.array([most, most, most, 65537, 70000, 65537, -1, least], np.int32)
    x = np.array([1.0, 1e30, np.inf, 3.0, 32768.0, np.nan, 1.0, 1.0])
    nan = np.nan
    assert_same(compute("libdevice.jn(a, b)", n, x, out="float64"),
                np.array([0, nan, 0, 0, 0, nan, nan, nan]))
    assert_same(compute("libdevice.yn(a, b)", n, x, out="float64"),
                np.array([-np.inf, nan, 0, -np.inf, -np.inf, nan, nan, nan]))
    assert_same(compute("libdevice.jn(2147483647, a)", x[:1], out="float64"), np.zeros(1))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["j1", "cyl_bessel_i1", "erf", "erfinv", "cbrt"])
def test_odd_functions_keep_the_sign_of_0(name, dtype, backend):
    x = np.array([0.0, -0.0], dtype)
    result = compute(f"libdevice.{name}(a)", x, out=dtype)
    assert_same(result, x)
    assert_same(np.signbit(result), np.signbit(x))
