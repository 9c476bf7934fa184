"""`tl.extra.libdevice`: arithmetic and conversions that round in a direction, on every back end."""

import fractions
import functools

import numpy as np
import pytest
from exact_arithmetic import DIRECTIONS, OPERATIONS, apply, rounded
from support import adversarial_floats, assert_identical, assert_same, compute, pairs


def any_floats(rng, dtype, count):
    """Random bits: every exponent is as likely, infinities, NaN and subnormals too."""
    bits = np.dtype("u4" if dtype == "float32" else "u8")
    return rng.integers(0, np.iinfo(bits).max, count, bits, endpoint=True).view(dtype)


def around(rng, dtype, count, exponent):
    """Numbers within 2^8 of 2^exponent, many of them with few bits."""
    mantissa = 1 + rng.integers(0, 2 ** 52, count) * 2.0 ** -52
    few = rng.integers(0, 2, count).astype(bool)
    mantissa = np.where(few, np.round(mantissa * 64) / 64, mantissa)
    sign = np.where(rng.integers(0, 2, count), 1.0, -1.0)
    with np.errstate(all="ignore"):
        return (sign * np.ldexp(mantissa, exponent + rng.integers(-8, 9, count))).astype(dtype)


@functools.cache
def operands_of(name, dtype):
    """Of every exponent; pairs whose result is near overflow, near 0 and beside a float."""
    rng = np.random.default_rng(12)
    info = np.finfo(dtype)
    edge = adversarial_floats(dtype)
    if name in ("rcp", "sqrt"):
        return (np.concatenate([edge, any_floats(rng, dtype, 1500),
                                around(rng, dtype, 200, info.maxexp - 4),
                                around(rng, dtype, 200, info.minexp - 10)]),)
    x, y = pairs(edge)
    columns = [[x, y], [any_floats(rng, dtype, 600) for _ in range(2)]]
    for target in (0, info.maxexp, info.minexp, info.minexp - info.nmant, -600, 600):
        first = rng.integers(-300 if dtype == "float64" else -60, 60, 200)
        other = target + first if name == "div" else target - first
        columns.append([around(rng, dtype, 200, other), around(rng, dtype, 200, first)])
    for low in (info.minexp, info.maxexp - 9, 0):
        columns.append([around(rng, dtype, 200, low), around(rng, dtype, 200, low)])
    x, y = (np.concatenate(column) for column in zip(*columns))
    if name != "fma":
        return x, y
    # Addends: none, what takes the product away but for its error, and of sizes around it.
    with np.errstate(all="ignore"):
        product = (x * y).astype(dtype)
        size = np.frexp(x)[1] + np.frexp(y)[1] + rng.integers(-130, 130, len(x))
        near = np.ldexp(around(rng, dtype, len(x), 0), size).astype(dtype)
        beside = np.nextafter(-product, near)
    choice = rng.integers(0, 6, len(x))
    last = edge[rng.integers(0, len(edge), len(x))]
    z = np.select([choice == 0, choice == 1, choice == 2, choice == 3],
                  [-product, near, last, beside],
                  any_floats(rng, dtype, len(x))).astype(dtype)
    return x, y, z


@functools.cache
def expected_of(name, dtype, direction):
    return apply(name, direction, *operands_of(name, dtype))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("name", OPERATIONS)
def test_arithmetic_in_a_direction(name, direction, dtype, backend):
    operands = operands_of(name, dtype)
    names = ", ".join("abc"[:len(operands)])
    result = compute(f"libdevice.{name}_{direction}({names})", *operands, out=dtype)
    assert_identical(result, expected_of(name, dtype, direction), *operands)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_fma_of_products_that_no_float_holds(direction, backend):
    """Products that vanish and products that overflow, which the addend decides or takes back."""
    least, most = 2.0 ** -1074, np.finfo(np.float64).max
    cases = np.array([
        [1e-200, 1e-200, least], [1e-200, -1e-200, least], [1e-200, 1e-200, 0.0],
        [-1e-200, 1e-200, 0.0], [1e-200, 1e-200, -0.0], [1e-160, 1e-160, -1e-300],
        [1e-150, 1e-140, 1e-290], [1e-150, 1e-140, -1e-290], [least, 0.5, 0.0], [least, -0.5, -0.0],
        [1e200, 1e108, -most], [1e160, -1e149, most], [most, 2.0, -most], [most, -2.0, most],
        [1e200, 1e200, -most], [0.0, 5.0, -0.0], [0.0, -5.0, 0.0], [1.0, 1.0, -1.0],
        [most, most, 1.0], [least, least, 1.0], [least, least, -1.0], [1 + 2.0 ** -52] * 3])
    operands = [column.copy() for column in cases.T]
    result = compute(f"libdevice.fma_{direction}(a, b, c)", *operands, out="float64")
    assert_identical(result, apply("fma", direction, *operands), *operands)


# Conversions.


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_conversions_in_a_direction(direction, backend):
    wide = np.array([0.5, -0.5, 1.5, -2.5, 1e-50, -1e-50, 1 / 3, -1 / 3, 1e30 / 3, 1e39, -1e39, 3])
    expected = np.array([rounded(fractions.Fraction(v), "float32", direction) for v in wide])
    assert_same(compute(f"libdevice.double2float_{direction}(a)", wide, out="float32"),
                expected.astype(np.float32))
    whole = {"rn": np.rint, "rz": np.trunc, "rd": np.floor, "ru": np.ceil}[direction]
    x = np.array([0.5, -0.5, 1.5, 2.5, -2.5, 3.7, -3.7, 1e5 + 0.25])
    for source, dtype in (("float", "float32"), ("double", "float64")):
        for target, out in (("int", "int32"), ("ll", "int64")):
            result = compute(f"libdevice.{source}2{target}_{direction}(a)", x.astype(dtype),
                             out=out)
            assert_same(result, whole(x.astype(dtype)).astype(out))
    numbers = np.array([1, -1, 2 ** 62 + 1, -2 ** 62 - 1, 2 ** 63 - 1, -2 ** 63, 2 ** 24 + 1,
                        2 ** 53 + 1])
    for target, out in (("float", "float32"), ("double", "float64")):
        expected = np.array([rounded(fractions.Fraction(int(v)), out, direction) for v in numbers])
        assert_same(compute(f"libdevice.ll2{target}_{direction}(a)", numbers, out=out),
                    expected.astype(out))
        expected = np.array([rounded(fractions.Fraction(int(v) % 2 ** 64), out, direction)
                             for v in numbers])
        result = compute(f"libdevice.ull2{target}_{direction}(a)", numbers.view(np.uint64), out=out)
        assert_same(result, expected.astype(out))


def test_conversions_saturate(backend):
    x = np.array([3e9, -3e9, 5e9, 1e19, -1e19, 3e19, np.inf, -np.inf, np.nan], np.float32)
    low, high = -2 ** 31, 2 ** 31 - 1
    assert_same(compute("libdevice.float2int_rn(a)", x, out="int32"),
                np.array([high, low, high, high, low, high, high, low, 0], np.int32))
    assert_same(compute("libdevice.float2uint_rz(a)", x, out="int32").view(np.uint32),
                np.array([3000000000, 0, 2 ** 32 - 1, 2 ** 32 - 1, 0, 2 ** 32 - 1, 2 ** 32 - 1, 0,
                          0], np.uint32))
    low, high = -2 ** 63, 2 ** 63 - 1
    assert_same(compute("libdevice.llrint(a)", x, out="int64"),
                np.array([3000000000, -3000000000, 5000000000, high, low, high, high, low, low]))


def test_sums_and_products_are_not_fused(backend):
    """mul_rn, add_rn: what fma would make of them is another number."""
    x = np.full(16, 1 + 2.0 ** -12, np.float32)
    result = compute("libdevice.add_rn(libdevice.mul_rn(a, a), -1 - 2.0 ** -11)", x, out="float32")
    assert_same(result, np.zeros(16, np.float32))
    result = compute("libdevice.fma_rn(a, a, -1 - 2.0 ** -11)", x, out="float32")
    assert_same(result, np.full(16, 2.0 ** -24, np.float32))
