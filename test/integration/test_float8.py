"""8-bit floats: every code, and every way to round to one, against the formats' definitions."""

import ml_dtypes
import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from support import (DTYPES, assert_same, is_float, kernels_from, numpy_dtype, random_array,
                     tl_dtype)


class Format:
    """`kind`: what there is besides numbers. "ieee": infinities and NaN; "fn": one NaN of each
    sign; "fnuz": one NaN in place of -0; "none": nothing, and 0x7f is no result of a conversion."""

    def __init__(self, mantissa, bias, kind):
        self.kind = kind
        codes = np.arange(256)
        magnitude = codes & 127
        field, rest = magnitude >> mantissa, magnitude & ((1 << mantissa) - 1)
        top = (1 << (7 - mantissa)) - 1
        values = np.where(field == 0, np.ldexp(1.0 * rest, 1 - bias - mantissa),
                          np.ldexp(1.0 * (rest + (1 << mantissa)), field - bias - mantissa))
        if kind == "ieee":
            values = np.where(field == top, np.where(rest == 0, np.inf, np.nan), values)
        if kind == "fn":
            values[magnitude == 127] = np.nan
        self.values = np.where(codes & 128, -values, values)
        if kind == "fnuz":
            self.values[128] = np.nan
        last = {"ieee": top << mantissa, "fn": 127, "fnuz": 128, "none": 127}[kind]
        self.numbers = values[:last]  # finite, upwards from 0

    def encode(self, x, towards_zero=False):
        """Codes of float64 values: to the nearest, ties to the even code."""
        magnitude = np.abs(x)
        low = np.clip(np.searchsorted(self.numbers, magnitude, "right") - 1, 0, None)
        high = np.minimum(low + 1, len(self.numbers) - 1)
        with np.errstate(invalid="ignore"):  # infinities and NaN, which are dealt with below
            down, up = magnitude - self.numbers[low], self.numbers[high] - magnitude
            takes_high = (down > up) | ((down == up) & (low % 2 == 1))
        codes = np.where(takes_high & (low != high) & ~towards_zero, high, low)
        if self.kind == "ieee":
            largest, before = self.numbers[-1], self.numbers[-2]
            overflows = magnitude >= (np.inf if towards_zero else largest + (largest - before) / 2)
            codes = np.where(overflows, 0x7c, codes)
        nan = {"ieee": 0x7e, "fn": 0x7f, "fnuz": 0x80, "none": 0x7e}[self.kind]
        codes = np.where(np.isnan(x), nan, codes)
        signed = codes | np.where(np.signbit(x), 0x80, 0)
        if self.kind == "fnuz":
            signed = np.where(codes == 0, 0, signed)
        return signed.astype(np.uint8)

    def check(self, codes, x, **options):
        """Codes as those of x; NaN as any of its codes."""
        with np.errstate(invalid="ignore"):  # of signalling NaNs
            x = np.asarray(x).astype(np.float64)
        expected = self.encode(x, **options)
        both_nan = np.isnan(self.values[codes]) & np.isnan(self.values[expected])
        same = (codes == expected) | both_nan
        if self.kind == "none":  # the sign of a NaN says nothing
            same |= np.isnan(x) & (codes & 127 == 0x7e)
        if not same.all():
            i = np.argmin(same)
            raise AssertionError(f"{np.count_nonzero(~same)} of {same.size} differ, first at "
                                 f"{x[i]!r}: {codes[i]:#x} instead of {expected[i]:#x}")


FORMATS = {"float8e5": Format(2, 15, "ieee"), "float8e4nv": Format(3, 7, "fn"),
           "float8e4b8": Format(3, 8, "fnuz"), "float8e5b16": Format(2, 16, "fnuz"),
           "float8e4b15": Format(3, 15, "none")}
ARRAYS = {"float8e5": ml_dtypes.float8_e5m2, "float8e4nv": ml_dtypes.float8_e4m3fn,
          "float8e4b8": ml_dtypes.float8_e4m3fnuz, "float8e5b16": ml_dtypes.float8_e5m2fnuz}
CODES = np.arange(256, dtype=np.uint8)


@pytest.mark.parametrize("name,kind", ARRAYS.items())
def test_definitions(name, kind):
    """The tables of this test are those of ml_dtypes."""
    assert_same(FORMATS[name].values, CODES.view(kind).astype(np.float64))


@triton.jit
def convert(x_ptr, out_ptr, n, TO: tl.constexpr, ROUNDING: tl.constexpr, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    y = tl.load(x_ptr + offs, mask=mask).to(TO, fp_downcast_rounding=ROUNDING)
    tl.static_assert(y.dtype == TO, "the cast has another type")
    tl.store(out_ptr + offs, y, mask=mask)


def converted(x, target, rounding=None):
    """x, an array or a wrapper, as elements of the type named; codes of 8-bit floats."""
    size = x.shape[0]
    out = np.zeros(size, np.uint8 if target in FORMATS else
                   bool if target == "int1" else numpy_dtype(target))
    wrapped = triton.reinterpret(out, tl_dtype(target)) if target in FORMATS else out
    convert[(triton.cdiv(size, 512),)](x, wrapped, size, TO=tl_dtype(target), ROUNDING=rounding,
                                       BLOCK=512)
    return out


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("target", (*DTYPES, "int1"))
def test_every_code(backend, name, target):
    values, codes = FORMATS[name].values, CODES
    if target in DTYPES and not is_float(target):
        info = np.iinfo(target)
        whole = np.trunc(values)
        codes = CODES[np.isfinite(values) & (whole >= info.min) & (whole <= float(info.max))]
    out = converted(triton.reinterpret(codes, tl_dtype(name)), target)
    with np.errstate(invalid="ignore"):
        expected = (values[codes] != 0 if target == "int1" else
                    values[codes].astype(numpy_dtype(target)))
    assert_same(out, expected)
    if is_float(target):
        numbers = ~np.isnan(values)
        assert np.array_equal(np.signbit(out)[numbers], np.signbit(values)[numbers])


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("target", FORMATS)
def test_between_formats(backend, name, target):
    codes = converted(triton.reinterpret(CODES, tl_dtype(name)), target)
    if name == target == "float8e4b15":  # 1.875 stays as it is where nothing is converted
        assert np.array_equal(codes, CODES)
    else:
        FORMATS[target].check(codes, FORMATS[name].values)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("source", ("float16", "bfloat16"))
@pytest.mark.parametrize("rounding", ("rtne", "rtz"))
def test_from_every_half(backend, name, source, rounding):
    x = np.arange(65536, dtype=np.uint16).view(numpy_dtype(source))
    FORMATS[name].check(converted(x, name, rounding), x, towards_zero=rounding == "rtz")


def neighbourhood(form, dtype):
    """Values at and halfway between numbers, beside these, beyond the largest, and special ones."""
    steps = np.append(form.numbers, 2 * form.numbers[-1] - form.numbers[-2])
    centres = np.concatenate([steps, (steps[1:] + steps[:-1]) / 2]).astype(dtype)
    near = np.concatenate([centres, np.nextafter(centres, dtype(0)),
                           np.nextafter(centres, dtype(np.inf))])
    tiny, huge = np.finfo(dtype).smallest_subnormal, np.finfo(dtype).max
    near = np.append(near, np.array([0, tiny, np.finfo(dtype).tiny, huge, np.inf, np.nan], dtype))
    return np.concatenate([near, -near])


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("source", (np.float32, np.float64))
@pytest.mark.parametrize("rounding", ("rtne", "rtz"))
def test_from_wide_floats(backend, rng, name, source, rounding):
    form = FORMATS[name]
    with np.errstate(invalid="ignore"):  # of signalling NaNs
        bits = rng.integers(0, 1 << 32, 4000, np.uint32).view(np.float32).astype(source)
    scale = np.exp2(rng.uniform(-24, 18, 4000))
    x = np.concatenate([neighbourhood(form, source), bits,
                        (rng.standard_normal(4000) * scale).astype(source)])
    form.check(converted(x, name, rounding), x, towards_zero=rounding == "rtz")


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("source", [d for d in DTYPES if not is_float(d)] + ["bool"])
def test_from_integers(backend, rng, name, source):
    x = random_array(rng, 200, source)
    if source != "bool":
        info = np.iinfo(source)
        near = [n for n in (*range(-600, 600), 1 << 16, 61439, 61440, 61441, 57345, 1 << 17,
                            (1 << 17) + 1, 1 << 30, info.max, info.min)
                if info.min <= n <= info.max]
        x = np.concatenate([x, np.array(near, source)])
    FORMATS[name].check(converted(x, name), x.astype(np.float64))


@pytest.mark.parametrize("name,kind", ARRAYS.items())
def test_arrays(backend, name, kind):
    """Arrays of ml_dtypes have the type of the language; a store converts to it."""
    x = CODES.view(kind)
    assert_same(converted(x, "float32"), x.astype(np.float32))
    out = np.zeros(256, kind)
    convert[(1,)](x.astype(np.float32), out, 256, TO=tl.float32, ROUNDING=None, BLOCK=512)
    assert np.array_equal(np.isnan(out), np.isnan(x)) and assert_same(out, x) is None


CONSTANTS = (0.0, -0.0, 1.0, 0.3, -1.7, 1.8, 239.0, 449.0, 1000.0, -1e6, 1e300, 3, -70000)


@triton.jit
def constants(out_ptr, CODE: tl.constexpr, F8: tl.constexpr, VALUES: tl.constexpr):
    for i in tl.static_range(len(VALUES)):
        x = tl.full((4,), VALUES[i], F8)
        tl.store(out_ptr + i * 4 + tl.arange(0, 4), x.to(tl.uint8, bitcast=True))
    inf = tl.full((4,), float("inf"), F8).to(tl.uint8, bitcast=True)
    tl.store(out_ptr + len(VALUES) * 4 + tl.arange(0, 4), inf)


@pytest.mark.parametrize("name", FORMATS)
def test_constants(backend, name):
    """A constant is what the same number converts to when the kernel runs."""
    out = np.zeros(4 * (len(CONSTANTS) + 1), np.uint8)
    constants[(1,)](out, CODE=0, F8=tl_dtype(name), VALUES=CONSTANTS)
    FORMATS[name].check(out, np.repeat(np.float64(CONSTANTS + (np.inf,)), 4))


@triton.jit
def moved(x_ptr, out_ptr, F8: tl.constexpr, N: tl.constexpr, M: tl.constexpr):
    offs = tl.arange(0, N)
    x = tl.load(x_ptr + offs, mask=offs < M, other=1.5)
    x = tl.where(offs % 2 == 0, x, tl.zeros((N,), F8))
    x = tl.reshape(tl.trans(tl.reshape(x, (N // 8, 8))), (N,))
    tl.store(out_ptr + offs, tl.flip(x))


@pytest.mark.parametrize("name", FORMATS)
def test_moves(backend, name):
    form, out = FORMATS[name], np.zeros(256, np.uint8)
    moved[(1,)](triton.reinterpret(CODES, tl_dtype(name)), triton.reinterpret(out, tl_dtype(name)),
                F8=tl_dtype(name), N=256, M=200)
    filled = np.where(CODES < 200, CODES, form.encode(np.float64([1.5]))[0])
    expected = np.where(CODES % 2 == 0, filled, 0).reshape(32, 8).T.reshape(-1)[::-1]
    same = (out == expected) | (np.isnan(form.values[out]) & np.isnan(form.values[expected]))
    assert same.all()


@triton.jit
def dot(a_ptr, b_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * N + n[None, :])
    tl.store(out_ptr + m[:, None] * N + n[None, :], tl.dot(a, b))


@pytest.mark.parametrize("names", [("float8e4b8", "float8e4b8"), ("float8e5b16", "float8e5"),
                                   ("float8e4b15", "float8e4b15"), ("float8e4nv", "float8e4b15")])
@pytest.mark.parametrize("shape", [(16, 16, 32), (3, 5, 7), (32, 64, 96)])
def test_dot(backend, rng, names, shape):
    M, N, K = shape
    values = np.array([-1.5, -1, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1, 1.25])
    a, b = (FORMATS[name].encode(rng.choice(values, s)) for name, s in
            zip(names, ((M, K), (K, N))))
    out = np.zeros((M, N), np.float32)
    dot[(1,)](*(triton.reinterpret(x, tl_dtype(name)) for x, name in zip((a, b), names)), out,
              M=M, N=N, K=K)
    assert_same(out, (FORMATS[names[0]].values[a] @ FORMATS[names[1]].values[b])
                .astype(np.float32))


@triton.jit
def ordered(x_ptr, out_ptr, top_ptr, N: tl.constexpr, K: tl.constexpr, DESCENDING: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    y = tl.sort(x, descending=DESCENDING)
    tl.static_assert(y.dtype == x.dtype)
    tl.store(out_ptr + tl.arange(0, N), y)
    tl.store(top_ptr + tl.arange(0, K), tl.topk(x, K))


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("descending", (False, True))
def test_sort(backend, rng, name, descending):
    """Of every code, and of 81, which are no power of two."""
    form = FORMATS[name]
    for codes in (rng.permutation(CODES), rng.choice(CODES, 81)):
        out, top = np.zeros_like(codes), np.zeros(8, np.uint8)
        ordered[(1,)](*(triton.reinterpret(x, tl_dtype(name)) for x in (codes, out, top)),
                      N=codes.size, K=8, DESCENDING=descending)
        upwards = np.sort(form.values[codes])
        assert_same(form.values[out], upwards[::-1] if descending else upwards)
        assert_same(form.values[top], upwards[::-1][:8])
        if name == "float8e4b15":  # no NaN that has several codes
            assert np.array_equal(np.sort(out), np.sort(codes))


@triton.jit
def magnitude(x_ptr, out_ptr):
    x = tl.load(x_ptr + tl.arange(0, 256))
    tl.store(out_ptr + tl.arange(0, 256), tl.abs(x))


def test_abs(backend):
    out = np.zeros(256, np.uint8)
    magnitude[(1,)](*(triton.reinterpret(x, tl.float8e4b15) for x in (CODES, out)))
    assert np.array_equal(out, CODES & 0x7f)


@pytest.mark.parametrize("name", ARRAYS)
def test_scalar_argument(backend, name):
    module = kernels_from(f"""
@triton.jit
def scalar(x: tl.{name}, out_ptr):
    tl.store(out_ptr, x.to(tl.float32))
""")
    for value in (1.5, -0.25, 0.0):
        out = np.ones(1, np.float32)
        module.scalar[(1,)](value, out)
        assert out[0] == value


def test_no_scalar_argument():
    module = kernels_from("""
@triton.jit
def scalar(x: tl.float8e4b15, out_ptr):
    tl.store(out_ptr, x.to(tl.float32))
""")
    with pytest.raises(triton.CompilationError) as caught:
        module.scalar[(1,)](1.5, np.zeros(1, np.float32))
    message = str(caught.value)
    assert "parameter 'x' cannot be a float8e4b15" in message
    assert ".to(tl.float8e4b15)" in message and "def scalar(x" in message


@triton.jit
def printed(x_ptr):
    x = tl.load(x_ptr)
    tl.device_print("x", x)
    tl.device_print("bits", x, hex=True)


def test_print(backend, capfd):
    printed[(1,)](triton.reinterpret(np.array([0x79], np.uint8), tl.float8e4b15))
    text = capfd.readouterr().out
    assert "1.125" in text and "79" in text


@triton.jit
def describe(E4: tl.constexpr, B8: tl.constexpr, B15: tl.constexpr, B16: tl.constexpr):
    tl.static_assert(B8.is_fp8e4b8() and B15.is_fp8e4b15() and B16.is_fp8e5b16())
    tl.static_assert(B8.is_fp8() and B15.is_fp8() and B16.is_fp8() and not B8.is_fp8e4nv())
    tl.static_assert(B8.name == "fp8e4b8" and B15.name == "fp8e4b15" and B16.name == "fp8e5b16")
    tl.static_assert(B8.fp_mantissa_width == 3 and B15.exponent_bias == 15)
    tl.static_assert(B16.fp_mantissa_width == 2 and B16.exponent_bias == 16)
    tl.static_assert(B8.exponent_bias == 8 and B15.primitive_bitwidth == 8)
    tl.static_assert(tl.float8e4b15 == B15 and tl.float8e4b8 != E4)


def test_descriptions():
    types = (tl.float8e4nv, tl.float8e4b8, tl.float8e4b15, tl.float8e5b16)
    describe[(1,)](*types)
    widths = [(t.name, t.fp_mantissa_width, t.exponent_bias, t.itemsize) for t in types]
    assert widths == [("fp8e4nv", 3, 7, 1), ("fp8e4b8", 3, 8, 1), ("fp8e4b15", 3, 15, 1),
                      ("fp8e5b16", 2, 16, 1)]
    assert tl.str_to_ty("*fp8e5b16") == tl.pointer_type(tl.float8e5b16)


@triton.jit
def arithmetic(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    offs = tl.arange(0, N)
    x, y = tl.load(x_ptr + offs), tl.load(y_ptr + offs)
    tl.static_assert((x + y).dtype == x.dtype)
    tl.store(out_ptr + offs, x + y)
    tl.store(out_ptr + N + offs, x - y)
    tl.store(out_ptr + 2 * N + offs, x * y)
    tl.store(out_ptr + 3 * N + offs, x / y)
    tl.store(out_ptr + 4 * N + offs, x + 1)


@pytest.mark.parametrize("name", ARRAYS)
def test_arithmetic(backend, rng, name):
    """Every pair of codes that are numbers: the exact result, rounded once."""
    codes = rng.integers(0, 256, (2, 2048)).astype(np.uint8)
    kind = ARRAYS[name]
    x, y = codes.view(kind)
    out = np.zeros((5, codes.shape[1]), kind)
    arithmetic[(1,)](x, y, out, N=codes.shape[1])
    a, b = x.astype(np.float64), y.astype(np.float64)
    with np.errstate(all="ignore"):
        exact = np.stack([a + b, a - b, a * b, a / b, a + 1])
    # What overflows is another test's, and so is what a NaN becomes.
    largest = float(np.abs(np.arange(256, dtype=np.uint8).view(kind).astype(np.float64)[
        np.isfinite(np.arange(256, dtype=np.uint8).view(kind).astype(np.float64))]).max())
    kept = np.isfinite(exact) & (np.abs(exact) <= largest)
    assert kept.mean() > 0.3
    got = out.astype(np.float64)
    assert (got[kept] == exact.astype(kind).astype(np.float64)[kept]).all()
