"""Operators and element-wise functions over all element types against NumPy."""

import math

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from support import (DTYPES, FLOATS, GPU_ULP, INTS, SIGNED, ULP, UNSIGNED, adversarial,
                     assert_same, is_float, is_gpu, numpy_dtype, pairs,
                     random_array, ulp_error)


@triton.jit
def binary(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr, OP: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask, other=1)
    y = tl.load(y_ptr + offs, mask=mask, other=1)
    if OP == "add":
        z = x + y
    elif OP == "sub":
        z = x - y
    elif OP == "mul":
        z = x * y
    elif OP == "truediv":
        z = x / y
    elif OP == "floordiv":
        z = x // y
    elif OP == "mod":
        z = x % y
    elif OP == "and":
        z = x & y
    elif OP == "or":
        z = x | y
    elif OP == "xor":
        z = x ^ y
    elif OP == "shl":
        z = x << y
    elif OP == "shr":
        z = x >> y
    elif OP == "lt":
        z = x < y
    elif OP == "le":
        z = x <= y
    elif OP == "gt":
        z = x > y
    elif OP == "ge":
        z = x >= y
    elif OP == "eq":
        z = x == y
    elif OP == "ne":
        z = x != y
    elif OP == "minimum":
        z = tl.minimum(x, y)
    elif OP == "maximum":
        z = tl.maximum(x, y)
    else:
        tl.static_assert(False, "no such operator")
    tl.static_assert(z.dtype == out_ptr.dtype.element_ty, "the result has another type")
    tl.store(out_ptr + offs, z, mask=mask)


def run_binary(op, x, y, out_dtype, block=128):
    out = np.zeros(x.size, out_dtype)
    binary[(triton.cdiv(x.size, block),)](x, y, out, x.size, BLOCK=block, OP=op)
    return out


def c_division(x, y):
    """Quotient and remainder that truncate towards zero, with the wrap of the type."""
    wide_x, wide_y = x.astype(object), y.astype(object)
    quotient = np.array([abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
                         for a, b in zip(wide_x, wide_y)], dtype=object)
    remainder = wide_x - quotient * wide_y
    return quotient.astype(x.dtype), remainder.astype(x.dtype)


def data(rng, dtype, count=500):
    x, y = pairs(adversarial(dtype))
    return (np.concatenate([x, random_array(rng, count, dtype)]),
            np.concatenate([y, random_array(rng, count, dtype)]))


NUMPY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "lt": np.less, "le": np.less_equal,
         "gt": np.greater, "ge": np.greater_equal, "eq": np.equal, "ne": np.not_equal,
         "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", ("add", "sub", "mul"))
def test_arithmetic(backend, rng, op, dtype):
    x, y = data(rng, dtype)
    with np.errstate(all="ignore"):
        expected = NUMPY[op](x, y)
    assert_same(run_binary(op, x, y, numpy_dtype(dtype)), expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", ("lt", "le", "gt", "ge", "eq", "ne"))
def test_comparison(backend, rng, op, dtype):
    x, y = data(rng, dtype)
    assert_same(run_binary(op, x, y, bool), NUMPY[op](x, y))


@pytest.mark.parametrize("dtype", INTS + ("bool",))
@pytest.mark.parametrize("op", ("and", "or", "xor"))
def test_bitwise(backend, rng, op, dtype):
    x, y = data(rng, dtype) if dtype != "bool" else random_array(rng, (2, 300), "bool")
    assert_same(run_binary(op, x, y, x.dtype), NUMPY[op](x, y))


@pytest.mark.parametrize("dtype", INTS)
@pytest.mark.parametrize("op", ("shl", "shr"))
def test_shift(backend, rng, op, dtype):
    bits = np.dtype(dtype).itemsize * 8
    x = np.concatenate([adversarial(dtype), random_array(rng, 500, dtype)])
    y = rng.integers(0, bits, x.size).astype(dtype)
    expected = np.left_shift(x, y) if op == "shl" else np.right_shift(x, y)
    assert_same(run_binary(op, x, y, x.dtype), expected)


MIXED = [(x, y) for x in INTS for y in INTS if x.startswith("u") != y.startswith("u")]


@pytest.mark.parametrize("left, right", MIXED)
def test_shift_of_mixed_signedness(backend, rng, left, right):
    """The result has the common type; the left operand decides what is shifted in."""
    a, b = np.dtype(left), np.dtype(right)
    wider = max(a, b, key=lambda dtype: dtype.itemsize)
    common = wider if a.itemsize != b.itemsize else np.dtype(f"u{wider.name.lstrip('u')}")
    x = np.concatenate([adversarial(left), random_array(rng, 500, left)])
    y = rng.integers(0, min(common.itemsize * 8, 127), x.size).astype(right)
    own = np.dtype(("u" if a.kind == "u" else "") + common.name.lstrip("u"))
    expected = np.right_shift(x.astype(own), y.astype(own)).astype(common)
    assert_same(run_binary("shr", x, y, common), expected)


@pytest.mark.parametrize("dtype", INTS)
@pytest.mark.parametrize("op", ("floordiv", "mod"))
def test_integer_division(backend, rng, op, dtype):
    x, y = data(rng, dtype)
    valid = y != 0
    if dtype in SIGNED:
        valid &= ~((x == np.iinfo(dtype).min) & (y == -1))
    x, y = x[valid], y[valid]
    expected = c_division(x, y)[0 if op == "floordiv" else 1]
    assert_same(run_binary(op, x, y, x.dtype), expected)


@pytest.mark.parametrize("dtype", DTYPES)
def test_true_division(backend, rng, dtype):
    x, y = data(rng, dtype)
    kind = np.float64 if dtype == "float64" else np.float32
    with np.errstate(all="ignore"):
        expected = x.astype(kind) / y.astype(kind)
    result = run_binary("truediv", x, y, kind)
    if backend == "cuda" and kind == np.float32:
        with np.errstate(all="ignore"):
            exact = x.astype(kind).astype(np.longdouble) / y.astype(kind).astype(np.longdouble)
        assert ulp_error(result, exact) <= GPU_ULP["division"]
    else:
        assert_same(result, expected)


@pytest.mark.parametrize("dtype", ("float32", "float64"))
def test_float_modulo(backend, rng, dtype):
    x, y = data(rng, dtype)
    with np.errstate(all="ignore"):
        expected = np.fmod(x, y)
    assert_same(run_binary("mod", x, y, x.dtype), expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", ("minimum", "maximum"))
def test_minimum_maximum(backend, rng, op, dtype):
    x, y = data(rng, dtype)
    function = {"minimum": np.fmin, "maximum": np.fmax}[op] if is_float(dtype) else getattr(np, op)
    # bf16 is computed and returned as fp32.
    kind = np.float32 if dtype == "bfloat16" else x.dtype
    assert_same(run_binary(op, x, y, kind), function(x.astype(kind), y.astype(kind)))


@pytest.mark.parametrize("n", (1, 3, 64, 781, 1024, 4099))
@pytest.mark.parametrize("block", (1, 3, 16, 100, 128, 781, 1024))
def test_sizes(backend, rng, n, block):
    x, y = random_array(rng, (2, n), "float32")
    assert_same(run_binary("add", x, y, np.float32, block), x + y)


PROMOTIONS = [
    ("int8", "int16", "int16"), ("int32", "int64", "int64"), ("uint8", "int8", "uint8"),
    ("int32", "uint32", "uint32"), ("int64", "uint32", "int64"), ("uint8", "int32", "int32"),
    ("uint64", "int64", "uint64"), ("int64", "float16", "float16"),
    ("int32", "bfloat16", "bfloat16"),
    ("float16", "bfloat16", "float16"), ("float16", "float32", "float32"),
    ("bfloat16", "float32", "float32"), ("float64", "float16", "float64"),
    ("bool", "int8", "int8"), ("bool", "float32", "float32"), ("uint16", "float64", "float64"),
]


@pytest.mark.parametrize("left,right,result", PROMOTIONS)
def test_promotion(backend, rng, left, right, result):
    x = random_array(rng, 300, left, 0, 100)
    y = random_array(rng, 300, right, 0, 100)
    kind = numpy_dtype(result)
    expected = (x.astype(np.float32).astype(kind) if is_float(result) else x.astype(kind)) + (
        y.astype(np.float32).astype(kind) if is_float(result) else y.astype(kind))
    if result == "float64":
        expected = x.astype(kind) + y.astype(kind)
    assert_same(run_binary("add", x, y, kind), expected)
    assert_same(run_binary("add", y, x, kind), expected)


# Many elements by one divisor, whose reciprocal they may share.
@triton.jit
def divided_by_scalar(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    y = tl.load(y_ptr + tl.program_id(0))
    tl.store(out_ptr + tl.program_id(0) * n + offs, x / y, mask=offs < n)


def test_division_by_one_divisor(backend):
    y = np.concatenate([adversarial("float32"), 2.0 ** np.arange(-149, 128, 8)]).astype("float32")
    x = np.resize(y, 1024)
    out = np.zeros((len(y), len(x)), np.float32)
    divided_by_scalar[(len(y),)](x, y, out, len(x), BLOCK=1024)
    with np.errstate(all="ignore"):
        exact = x.astype(np.float64)[None, :] / y.astype(np.float64)[:, None]
        expected = x[None, :] / y[:, None]
    if is_gpu(backend):
        assert ulp_error(out, exact) <= GPU_ULP["division"]
    else:
        assert_same(out, expected)


@triton.jit
def with_scalar(x_ptr, out_ptr, s, n, BLOCK: tl.constexpr, OP: tl.constexpr, C: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    if OP == "literal":
        z = x * 2 + 1
    elif OP == "reflected":
        z = 100 - x
    elif OP == "constexpr":
        z = x + C
    elif OP == "argument":
        z = x + s
    elif OP == "negate":
        z = -x
    tl.store(out_ptr + offs, z, mask=mask)


@pytest.mark.parametrize("dtype", DTYPES)
def test_python_scalars(backend, rng, dtype):
    x = random_array(rng, 200, dtype, 0, 50)

    def run(op):
        out = np.zeros_like(x)
        with_scalar[(1,)](x, out, 3, x.size, BLOCK=256, OP=op, C=5)
        return out

    one, two, five, hundred = (np.array(v, x.dtype) for v in (1, 2, 5, 100))
    assert_same(run("literal"), x * two + one)
    assert_same(run("reflected"), hundred - x)
    assert_same(run("constexpr"), x + five)
    assert_same(run("argument"), x + np.array(3, x.dtype))
    if dtype not in UNSIGNED:
        assert_same(run("negate"), -x)


@triton.jit
def unary(x_ptr, out_ptr, n, BLOCK: tl.constexpr, OP: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask, other=1)
    if OP == "exp":
        z = tl.exp(x)
    elif OP == "exp2":
        z = tl.exp2(x)
    elif OP == "log":
        z = tl.log(x)
    elif OP == "log2":
        z = tl.log2(x)
    elif OP == "sin":
        z = tl.sin(x)
    elif OP == "cos":
        z = tl.cos(x)
    elif OP == "sqrt":
        z = tl.sqrt(x)
    elif OP == "rsqrt":
        z = tl.rsqrt(x)
    elif OP == "sigmoid":
        z = tl.sigmoid(x)
    elif OP == "erf":
        z = tl.erf(x)
    elif OP == "floor":
        z = tl.floor(x)
    elif OP == "ceil":
        z = tl.ceil(x)
    elif OP == "abs":
        z = tl.abs(x)
    elif OP == "invert":
        z = ~x
    else:
        tl.static_assert(False, "no such function")
    tl.static_assert(z.dtype == out_ptr.dtype.element_ty, "the result has another type")
    tl.store(out_ptr + offs, z, mask=mask)


def run_unary(op, x, **options):
    out = np.zeros_like(x)
    unary[(triton.cdiv(x.size, 256),)](x, out, x.size, BLOCK=256, OP=op, **options)
    return out


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


EXACT = {"exp": np.exp, "exp2": np.exp2, "log": np.log, "log2": np.log2, "sin": np.sin,
         "cos": np.cos, "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "sigmoid": sigmoid,
         "erf": np.vectorize(math.erf, otypes=[np.float64])}

DOMAIN = {"exp": (-104, 89), "exp2": (-150, 128), "log": (0, 1e38), "log2": (0, 1e38),
          "sin": (-1e5, 1e5), "cos": (-1e5, 1e5), "sqrt": (0, 1e38), "rsqrt": (1e-38, 1e38),
          "sigmoid": (-87, 90), "erf": (-5, 5)}

# Two roundings more than the polynomial: the sum and the quotient.
EXTRA_ULP = {"sigmoid": 1.5, "rsqrt": 0.5}


@pytest.mark.parametrize("dtype", ("float32", "float64"))
@pytest.mark.parametrize("op", EXACT)
def test_math(backend, rng, op, dtype):
    low, high = DOMAIN[op]
    x = np.concatenate([
        adversarial(dtype), rng.uniform(low, high, 3000), rng.uniform(-3, 3, 1000),
        rng.standard_normal(200) * 1e-30, np.exp(rng.uniform(-80, 80, 1000))]).astype(dtype)
    with np.errstate(all="ignore"):
        exact = EXACT[op](x.astype(np.longdouble) if op != "erf" else x.astype(np.float64))
    bound = ULP["math"][dtype] + EXTRA_ULP.get(op, 0)
    if is_gpu(backend) and dtype == "float32":
        if op in ("exp", "sigmoid"):
            return check_rough_exponentials(op, x, exact)
        if backend == "cuda":
            bound = max(bound, GPU_ULP.get(op, 0))
    options = {"enable_reflect_ftz": False} if op == "exp2" and is_gpu(backend) else {}
    assert ulp_error(run_unary(op, x, **options), exact) <= bound


def check_rough_exponentials(op, x, exact):
    """A GPU computes 2^(x log2 e) of the product in fp32, whose rounding, and that of log2 e, are
    1.25 units in the last place for each unit of x."""
    y = run_unary(op, x, enable_reflect_ftz=False)
    ends = [0, 1, 4, 16, 64, np.inf]
    size = np.where(np.isfinite(x), np.abs(x), np.inf)
    for low, high in zip(ends, ends[1:]):
        band = (size >= low) & (size <= high)
        # Beyond 104 everything is zero or infinity.
        assert ulp_error(y[band], exact[band]) <= GPU_ULP[op] + 1.25 * min(high, 104)


def test_exp_without_subnormals(backend, rng):
    """By default results of a GPU's exp under 2^-126 are zero, as exp2's are."""
    x = np.concatenate([rng.uniform(-110, -87.4, 500), rng.uniform(-87.3, 0, 500),
                        [-np.inf, np.inf, np.nan, -1e30]]).astype(np.float32)
    y = run_unary("exp", x)
    small = x < -87.35
    if is_gpu(backend):
        assert not y[small].view(np.uint32).any()
        assert (y[~small & (x < 0)] >= 2.0 ** -126).all()
    else:
        assert ulp_error(y, np.exp(x.astype(np.longdouble))) <= ULP["math"]["float32"]


def test_exp2_without_subnormals(backend, rng):
    """By default a GPU's exp2 is one instruction, whose results under 2^-126 are zero."""
    x = np.concatenate([rng.uniform(-160, -126.001, 500), rng.uniform(-125.999, 0, 500),
                        [-np.inf, np.inf, np.nan, -1e30]]).astype(np.float32)
    y = run_unary("exp2", x)
    small = x < -126
    exact = np.exp2(x.astype(np.longdouble))
    if is_gpu(backend):
        assert not y[small].view(np.uint32).any()
        x, y, exact = x[~small], y[~small], exact[~small]
    assert ulp_error(y, exact) <= max(ULP["math"]["float32"], GPU_ULP["exp2"])


@pytest.mark.parametrize("dtype", ("float32", "float64"))
@pytest.mark.parametrize("op", ("floor", "ceil"))
def test_rounding(backend, rng, op, dtype):
    x = np.concatenate([adversarial(dtype), rng.uniform(-1e6, 1e6, 500),
                        np.arange(-4, 4, 0.25)]).astype(dtype)
    assert_same(run_unary(op, x), getattr(np, op)(x))


@pytest.mark.parametrize("dtype", DTYPES)
def test_abs(backend, rng, dtype):
    x = np.concatenate([adversarial(dtype), random_array(rng, 300, dtype)])
    result = run_unary("abs", x)
    assert_same(result, np.abs(x))
    if is_float(dtype):
        assert not np.signbit(result.astype(np.float32))[~np.isnan(result.astype(np.float32))].any()


@pytest.mark.parametrize("dtype", INTS + ("bool",))
def test_invert(backend, rng, dtype):
    x = random_array(rng, 300, dtype)
    assert_same(run_unary("invert", x), np.invert(x))


@triton.jit
def ternary(x_ptr, y_ptr, z_ptr, out_ptr, n, BLOCK: tl.constexpr, OP: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.load(y_ptr + offs, mask=mask)
    z = tl.load(z_ptr + offs, mask=mask)
    if OP == "fma":
        r = tl.fma(x, y, z)
    elif OP == "clamp":
        r = tl.clamp(x, y, z)
    elif OP == "where":
        r = tl.where(x > y, y, z)
    tl.store(out_ptr + offs, r, mask=mask)


def run_ternary(op, x, y, z):
    out = np.zeros_like(x)
    ternary[(triton.cdiv(x.size, 64),)](x, y, z, out, x.size, BLOCK=64, OP=op)
    return out


@pytest.mark.parametrize("dtype", ("float32", "float64"))
def test_fma(backend, rng, dtype):
    x, y, z = random_array(rng, (3, 500), dtype)
    exact = (x.astype(np.longdouble) * y.astype(np.longdouble) + z.astype(np.longdouble))
    # One rounding; the reference for fp64 is itself rounded to 64 bits of mantissa.
    assert ulp_error(run_ternary("fma", x, y, z), exact) <= (0.5 if dtype == "float32" else 0.52)


@pytest.mark.parametrize("dtype", ("float32", "float64"))
def test_clamp(backend, rng, dtype):
    x = np.concatenate([adversarial(dtype), random_array(rng, 300, dtype)])
    x = x[~np.isnan(x)]
    low = -np.abs(random_array(rng, x.size, dtype))
    high = np.abs(random_array(rng, x.size, dtype))
    assert_same(run_ternary("clamp", x, low, high), np.clip(x, low, high))


@pytest.mark.parametrize("dtype", DTYPES)
def test_where(backend, rng, dtype):
    x, y, z = random_array(rng, (3, 300), dtype)
    assert_same(run_ternary("where", x, y, z), np.where(x > y, y, z))


@triton.jit
def divide_by_zero(x_ptr, y_ptr, out_ptr, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs)
    y = tl.load(y_ptr + offs)
    tl.store(out_ptr + offs, x // y)
    tl.store(out_ptr + BLOCK + offs, x % y)


@pytest.mark.parametrize("dtype", INTS)
def test_division_by_zero_does_not_trap(backend, dtype):
    x = np.resize(adversarial(dtype), 32)
    y = np.resize(np.array([0, 1, np.iinfo(dtype).max if dtype in UNSIGNED else -1], dtype), 32)
    out = np.zeros(64, dtype)
    divide_by_zero[(1,)](x, y, out, BLOCK=32)
    ones, zeros = y == 1, y == 0
    assert_same(out[:32][ones], x[ones])
    assert_same(out[:32][zeros], np.zeros_like(x[zeros]))
    assert_same(out[32:][zeros], x[zeros])


@triton.jit
def high_half(x_ptr, y_ptr, out_ptr, SHIFT: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x, y = tl.load(x_ptr + i), tl.load(y_ptr + i)
    if x.dtype == tl.int32:
        product = x.to(tl.int64) * y.to(tl.int64)
    else:
        product = x.to(tl.uint64) * y.to(tl.uint64)
    tl.store(out_ptr + i, (product >> SHIFT).to(x.dtype))


@pytest.mark.parametrize("dtype", ("int32", "uint32"))
@pytest.mark.parametrize("shift", (31, 32))
def test_high_half_of_a_product(backend, rng, dtype, shift):
    """MLIR knows an operation for it, which targets do not."""
    info = np.iinfo(dtype)
    x, y = rng.integers(info.min, info.max, (2, 64), dtype, endpoint=True)
    out = np.zeros_like(x)
    high_half[(1,)](x, y, out, SHIFT=shift, N=64)
    wide = "int64" if dtype == "int32" else "uint64"
    np.testing.assert_array_equal(out, (x.astype(wide) * y.astype(wide) >> shift).astype(dtype))


@triton.jit
def chain_of_choices(x_ptr, DEPTH: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    for _ in tl.static_range(DEPTH):
        x = tl.where(x > 2, x - 1, x)
    tl.store(x_ptr + i, x)


def test_chain_of_choices(backend):
    """Each value is used three times by the next: to look at every path would take ages."""
    x = np.arange(64, dtype=np.float32)
    chain_of_choices[(1,)](x, DEPTH=40, N=64)
    np.testing.assert_array_equal(x, np.where(np.arange(64) > 2, np.maximum(np.arange(64) - 40, 2),
                                              np.arange(64)))


@triton.jit
def known_nans(out):
    nan = tl.full((4,), float("nan"), tl.float32)
    i = tl.arange(0, 4)
    tl.store(out + i, tl.maximum(nan, 1.0))
    tl.store(out + 4 + i, tl.maximum(2.0, nan))
    tl.store(out + 8 + i, tl.minimum(nan, 3.0))
    tl.store(out + 12 + i, tl.minimum(4.0, nan))
    tl.store(out + 16 + i, tl.maximum(nan, 1.0, tl.PropagateNan.ALL))
    tl.store(out + 20 + i, tl.maximum(nan, nan))


def test_a_nan_loses_where_it_is_known(backend):
    out = np.zeros(24, np.float32)
    known_nans[(1,)](out)
    np.testing.assert_array_equal(out, np.repeat([1, 2, 3, 4, np.nan, np.nan], 4))


@triton.jit
def leave_numbers_behind(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b, c = tl.load(x + i) * 3, tl.load(x + N + i) * 3, tl.load(x + 2 * N + i) * 3
    d, e, f = tl.load(x + 3 * N + i) * 3, tl.load(x + 4 * N + i) * 3, tl.load(x + 5 * N + i) * 3
    for k in range(2):
        tl.store(out + k * N + i, a + b * k + c + d * k + e + f * k)


@triton.jit
def known_quotients(x, y, z, out, N: tl.constexpr):
    i = tl.arange(0, N)
    small = tl.load(x + i) <= ~tl.load(z + i).to(tl.int32)
    quotient = small.to(tl.int32) % ((tl.load(y + i).to(tl.int32) & 7) + 1) // 2
    for _ in range(2):
        tl.store(out + i, tl.load(out + i) * 3 + quotient)


def test_a_quotient_that_is_known_from_what_is_not(backend):
    """All elements of the quotient are 0, and it is computed once; its dividends are not."""
    numbers, sums = np.full(48, 2**30 + 12345, np.int32), np.zeros(16, np.int32)
    leave_numbers_behind[(1,)](numbers, sums, N=8)
    x, y = np.arange(8, dtype=np.int64), np.arange(8, dtype=np.int8)
    z, out = np.arange(8, dtype=np.uint16), np.ones(8, np.int64)
    known_quotients[(1,)](x, y, z, out, N=8)
    np.testing.assert_array_equal(out, 9)
