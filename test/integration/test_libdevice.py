"""`tl.extra.libdevice`: every function, on every back end."""

import fractions
import math

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from support import assert_same, compute, is_gpu, kernels_from, pairs, spread, ulp_error


def half_turns(x, shift):
    """sin(pi (x + shift / 2))."""
    rest = fractions.Fraction(float(x)) % 2
    quarter = round(2 * rest)
    angle = math.pi * float(rest - fractions.Fraction(quarter, 2))
    return (math.sin, math.cos, lambda t: -math.sin(t), lambda t: -math.cos(t))[
        (quarter + shift) % 4](angle)


MIDDLE = np.linspace(-0.98, 0.98, 49)
# name: the function in float64, the numbers, how many units in the last place it may be off.
REAL = {
    "expm1": (math.expm1, spread(1e-6, 80), 3), "log1p": (math.log1p, MIDDLE, 3),
    "log10": (math.log10, abs(spread(1e-30, 1e30)), 3),
    "exp10": (lambda x: 10.0 ** x, 30 * MIDDLE, 3),
    "sinh": (math.sinh, spread(1e-4, 80), 4), "cosh": (math.cosh, spread(1e-4, 80), 4),
    "tanh": (math.tanh, spread(1e-4, 20), 3), "asinh": (math.asinh, spread(1e-5, 1e30), 4),
    "acosh": (math.acosh, 1 + abs(spread(1e-3, 1e10)), 4), "atanh": (math.atanh, MIDDLE, 4),
    "sin": (math.sin, spread(1e-3, 1e4), 3), "cos": (math.cos, spread(1e-3, 1e4), 3),
    "tan": (math.tan, spread(1e-3, 100), 4), "asin": (math.asin, MIDDLE, 3),
    "acos": (math.acos, MIDDLE, 3), "atan": (math.atan, spread(1e-4, 1e6), 3),
    "sinpi": (lambda x: half_turns(x, 0), 20 * MIDDLE, 3),
    "cospi": (lambda x: half_turns(x, 1), 20 * MIDDLE, 3),
    "cbrt": (lambda x: np.cbrt(np.longdouble(x)), spread(1e-30, 1e30), 2),
    "rcbrt": (lambda x: 1 / np.cbrt(np.longdouble(x)), spread(1e-30, 1e30), 3),
    "sqrt": (math.sqrt, abs(spread(1e-30, 1e30)), 1),
    "rsqrt": (lambda x: 1 / math.sqrt(x), abs(spread(1e-30, 1e30)), 2),
    "exp": (math.exp, 80 * MIDDLE, 2), "exp2": (lambda x: 2.0 ** x, 100 * MIDDLE, 2),
    "log": (math.log, abs(spread(1e-30, 1e30)), 2),
    "log2": (math.log2, abs(spread(1e-30, 1e30)), 2),
    "logb": (lambda x: math.frexp(x)[1] - 1, spread(1e-30, 1e30), 0),
    "floor": (math.floor, 20 * MIDDLE, 0), "ceil": (math.ceil, 20 * MIDDLE, 0),
    "trunc": (math.trunc, 20 * MIDDLE, 0), "rint": (round, 20 * MIDDLE, 0),
    "nearbyint": (round, 20 * MIDDLE, 0),
    "round": (lambda x: math.copysign(math.floor(abs(x) + 0.5), x), 20 * MIDDLE, 0),
    "abs": (abs, 20 * MIDDLE, 0),
}


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_functions_of_one_number(name, dtype, backend):
    function, numbers, units = REAL[name]
    x = numbers.astype(dtype)
    result = compute(f"libdevice.{name}(a)", x, out=dtype)
    # Hardware's approximations, of which a function here may be made, add theirs.
    slack = 4 if is_gpu(backend) and dtype == "float32" and units else 0
    assert ulp_error(result, [function(v) for v in x.astype(np.float64)]) <= units + slack


FAST = {"fast_sinf": math.sin, "fast_cosf": math.cos, "fast_tanf": math.tan, "fast_expf": math.exp,
        "fast_exp10f": lambda x: 10.0 ** x, "fast_tanhf": math.tanh, "fast_logf": math.log,
        "fast_log2f": math.log2, "fast_log10f": math.log10}


@pytest.mark.parametrize("name", FAST)
def test_fast_functions(name, backend):
    x = abs(spread(0.1, 1.4)).astype(np.float32)
    expected = np.array([FAST[name](float(v)) for v in x])
    result = compute(f"libdevice.{name}(a)", x, out="float32")
    np.testing.assert_allclose(result, expected, 2e-6, 1e-6)


TWO = {
    "pow": (math.pow, abs(spread(1e-3, 1e3)), 12 * MIDDLE, 3),
    "atan2": (math.atan2, spread(1e-3, 1e3), spread(1e-3, 1e3)[::-1], 3),
    "hypot": (math.hypot, spread(1e-18, 1e18), spread(1e-18, 1e18)[::-1], 3),
    "rhypot": (lambda x, y: 1 / math.hypot(x, y), spread(1e-18, 1e18), spread(1e-18, 1e18)[::-1],
               4),
    "fmod": (math.fmod, spread(0.1, 1e4), spread(0.1, 100)[::-1], 0),
    "remainder": (math.remainder, spread(0.1, 1e4), spread(0.1, 100)[::-1], 0),
    "fdim": (lambda x, y: max(x - y, 0.0), 3 * MIDDLE, 3 * MIDDLE[::-1], 1),
    "copysign": (math.copysign, 3 * MIDDLE, MIDDLE[::-1], 0),
}


@pytest.mark.parametrize("name", TWO)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_functions_of_two_numbers(name, dtype, backend):
    function, first, second, units = TWO[name]
    count = min(len(first), len(second))
    x, y = first[:count].astype(dtype), second[:count].astype(dtype)
    result = compute(f"libdevice.{name}(a, b)", x, y, out=dtype)
    expected = [function(float(v), float(w)) for v, w in zip(x, y)]
    slack = 4 if is_gpu(backend) and dtype == "float32" and units else 0
    assert ulp_error(result, expected) <= units + slack


SPECIAL = [0.0, -0.0, 0.5, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 2.5, -2.5, np.inf, -np.inf, np.nan]


def special_pow(x, y):
    try:
        return math.pow(x, y)
    except ValueError:  # a root of a negative number, or a pole
        return math.nan if x else math.copysign(math.inf, x if y % 2 == 1 else 1.0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_special_values(dtype, backend):
    x, y = (v.astype(dtype) for v in pairs(np.array(SPECIAL)))
    with np.errstate(all="ignore"):
        expected = np.array([special_pow(float(v), float(w)) for v, w in zip(x, y)])
        assert ulp_error(compute("libdevice.pow(a, b)", x, y, out=dtype), expected) <= 4
        angle = compute("libdevice.atan2(a, b)", x, y, out=dtype)
        assert ulp_error(angle, [math.atan2(float(v), float(w)) for v, w in zip(x, y)]) <= 4
        zeros = (x == 0) & (y == y)
        assert_same(np.signbit(angle[zeros]), np.signbit(x[zeros]))
        assert_same(compute("libdevice.nextafter(a, b)", x, y, out=dtype), np.nextafter(x, y))
        assert ulp_error(compute("libdevice.hypot(a, b)", x, y, out=dtype),
                         [math.hypot(float(v), float(w)) if np.inf in (abs(v), abs(w))
                          or not math.isnan(v + w) else math.nan for v, w in zip(x, y)]) <= 4
        x = np.array(SPECIAL, dtype)
        for name, numpy in (("isnan", np.isnan), ("isinf", np.isinf), ("signbit", np.signbit)):
            assert_same(compute(f"libdevice.{name}(a)", x, out="int32"), numpy(x).astype(np.int32))
        for name in ("rint", "trunc", "floor", "ceil", "cbrt"):
            result = compute(f"libdevice.{name}(a)", x, out=dtype)
            assert ulp_error(result, getattr(np, name)(x.astype(np.longdouble))) <= (name == "cbrt")
            assert_same(np.signbit(result[x == 0]), np.signbit(x[x == 0]))
        assert_same(compute("libdevice.ilogb(a)", x, out="int32"),
                    np.array([-2 ** 31] * 2 + [-1, 0, 0, 1, 1, 1, 1, 1, 1] + [2 ** 31 - 1] * 2
                             + [-2 ** 31], np.int32))
        for name, at in (("lgamma", [np.inf] * 2), ("tgamma", [np.inf, -np.inf]),
                         ("erfcinv", [np.inf] * 2), ("y0", [-np.inf] * 2), ("log1p", [0, 0]),
                         ("erfcx", [1, 1])):
            zeros = np.array([0.0, -0.0], dtype)
            assert_same(compute(f"libdevice.{name}(a)", zeros, out=dtype), np.array(at, dtype))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_scaling(dtype, backend):
    """Also where the result is subnormal: it is rounded once."""
    x, n = pairs(np.arange(10))
    numbers = [1, -1.5, 1 + np.finfo(dtype).eps, 1.9, -3e-5, 7e9, 0, np.inf, np.nan, 1e-30]
    x = np.array(numbers)[x].astype(dtype)
    n = np.array([0, 1, -1, 60, -60, -149, -1074, 1023, 3000, -140])[n].astype(np.int32)
    with np.errstate(all="ignore"):
        for name in ("ldexp", "scalbn"):
            assert_same(compute(f"libdevice.{name}(a, b)", x, n, out=dtype), np.ldexp(x, n))


# Integers.


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_bits(dtype, backend):
    info = np.iinfo(dtype)
    x = np.array([0, 1, -1, 2, 6, info.max, info.min, 0x1234567, -0x1234567, 1 << 20], dtype)
    width = info.bits
    plain = [int(v) % 2 ** width for v in x]
    assert_same(compute("libdevice.popc(a)", x, out="int32"),
                np.array([v.bit_count() for v in plain], np.int32))
    assert_same(compute("libdevice.clz(a)", x, out="int32"),
                np.array([width - v.bit_length() for v in plain], np.int32))
    assert_same(compute("libdevice.ffs(a)", x, out="int32"),
                np.array([(v & -v).bit_length() for v in plain], np.int32))
    reverse = np.array([int(f"{v:0{width}b}"[::-1], 2) for v in plain], "u" + dtype).view(dtype)
    assert_same(compute("libdevice.brev(a)", x, out=dtype), reverse)
    a, b = pairs(x)
    for kind in (dtype, "u" + dtype):
        high = [int(v) * int(w) >> width for v, w in zip(a.view(kind), b.view(kind))]
        assert_same(compute("libdevice.mulhi(a, b)", a.view(kind), b.view(kind), out=kind),
                    np.array(high, kind))


def test_integers_of_32_bits(backend):
    x, y = pairs(np.array([0, 1, -1, 5, -7, 2 ** 31 - 1, -2 ** 31, 1 << 22, 0x1234567], np.int32))
    a, b = x.astype(np.int64), y.astype(np.int64)
    assert_same(compute("libdevice.hadd(a, b)", x, y, out="int32"), ((a + b) >> 1).astype(np.int32))
    assert_same(compute("libdevice.rhadd(a, b)", x, y, out="int32"),
                ((a + b + 1) >> 1).astype(np.int32))
    assert_same(compute("libdevice.sad(a, b, 7)", x, y, out="int32"),
                (abs(a - b) + 7).astype(np.uint32).view(np.int32))
    low = ((a & 0xFFFFFF) ^ 0x800000) - 0x800000, ((b & 0xFFFFFF) ^ 0x800000) - 0x800000
    assert_same(compute("libdevice.mul24(a, b)", x, y, out="int32"),
                (low[0] * low[1]).astype(np.int32))
    selectors = np.array([0x3210, 0x7654, 0x0123, 0x4040, 0x1357], np.int32)
    for selector in selectors:
        pool = (y.view(np.uint32).astype(np.uint64) << np.uint64(32)
                | x.view(np.uint32).astype(np.uint64))
        wanted = sum((pool >> np.uint64(8 * (int(selector) >> 4 * i & 7)) & np.uint64(255))
                     << np.uint64(8 * i) for i in range(4))
        assert_same(compute(f"libdevice.byte_perm(a, b, {selector})", x, y, out="int32"),
                    wanted.astype(np.uint32).view(np.int32))


def test_reinterpreted_bits(backend):
    x = np.array([1.5, -2.25, 0.0, np.inf, 1e-40], np.float32)
    assert_same(compute("libdevice.float_as_int(a)", x, out="int32"), x.view(np.int32))
    assert_same(compute("libdevice.int_as_float(a)", x.view(np.int32), out="float32"), x)
    assert_same(compute("libdevice.uint_as_float(a)", x.view(np.uint32), out="float32"), x)
    wide = x.astype(np.float64) / 3
    bits = wide.view(np.int64)
    assert_same(compute("libdevice.double_as_longlong(a)", wide, out="int64"), bits)
    assert_same(compute("libdevice.longlong_as_double(a)", bits, out="float64"), wide)
    high, low = (bits >> 32).astype(np.int32), bits.astype(np.int32)
    assert_same(compute("libdevice.double2hiint(a)", wide, out="int32"), high)
    assert_same(compute("libdevice.double2loint(a)", wide, out="int32"), low)
    assert_same(compute("libdevice.hiloint2double(a, b)", high, low, out="float64"), wide)


# Names and types.


@triton.jit
def by_every_name(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    y = tl.extra.libdevice.pow(x, 2) + tl.math.pow(x, 2.0) + tl.extra.cuda.libdevice.pow(x, 2)
    tl.store(out_ptr + i, y + tl.libdevice.copysign(x, -1.0) + tl.core.exp(x * 0))


def test_names(backend):
    x = np.arange(1, 9, dtype=np.float32)
    out = np.zeros_like(x)
    by_every_name[(1,)](x, out, N=8)
    np.testing.assert_allclose(out, 3 * x * x - x + 1, 1e-5)


def test_scalars_and_shapes(backend):
    kernel = kernels_from(
        "@triton.jit\ndef kernel(out, v, N: tl.constexpr):\n"
        "    i = tl.arange(0, N).to(tl.float32)\n"
        "    tl.store(out + tl.arange(0, N), tl.extra.libdevice.atan2(i[:, None], v[None, None]"
        " + i[None, :] * 0).reshape(N, N).sum(1) + tl.extra.libdevice.hypot(v, 4.0))\n").kernel
    out = np.zeros(4, np.float32)
    kernel[(1,)](out, 3.0, N=4)
    np.testing.assert_allclose(out, 4 * np.arctan2(np.arange(4), 3.0) + 5, 1e-5)


@pytest.mark.parametrize("call,message", [
    ("libdevice.tanh(a.to(tl.float16))", r"libdevice.tanh takes \(float32\) or \(float64\), found "
     r"\(float16\[64\]\); convert with .to\(tl.float32\)"),
    ("libdevice.clz(a)", r"libdevice.clz takes \(int32\) or \(int64\), found \(float32\[64\]\)"),
    ("libdevice.pow(a)", "is missing the argument 'arg1'"),
    ("libdevice.tanh(None)", r"libdevice.tanh takes .* found \(None\)"),
    ("libdevice.tanhh(a)", "did you mean 'tanh'"),
    ("libdevice.fast_floorf(a)", "has no 'fast_floorf' that kernels can use"),
])
def test_errors(call, message):
    with pytest.raises(triton.CompilationError, match=message):
        compute(call, np.zeros(16, np.float32), out="float32")
