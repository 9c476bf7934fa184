"""What the integration tests share: element types, tolerances, data, kernels from text."""

import hashlib
import importlib.util
import pathlib
import sys
import tempfile

import ml_dtypes
import numpy as np

import tritium as triton
import tritium.language as tl

SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTS = SIGNED + UNSIGNED
FLOATS = ("float16", "bfloat16", "float32", "float64")
DTYPES = INTS + FLOATS

# Units in the last place of the result's own type, by what computed it:
#   arithmetic  one IEEE operation, or the same operation in fp32 rounded once more (the
#               language computes 16-bit floats so): exact
#   math        own polynomials: at most 1.5 ULP in fp32; fp64 is compared with NumPy's
#               results, which have an error of their own
ULP = {
    "arithmetic": dict.fromkeys(FLOATS, 0),
    "math": {"float32": 1.5, "float64": 4},
}

# On a GPU the hardware's approximations: ex2.approx and div.full are good to 2 ULP; exp adds
# the rounding of its product, which is 1.25 ULP for each unit of x besides, and sigmoid the sum and
# the quotient.
GPU_ULP = {"division": 2, "exp2": 2.5, "exp": 3, "sigmoid": 5.5}

# Relative error of a sum of n terms, per term added, in units of the type that it is added in.
EPSILON = {"float16": 2.0 ** -11, "bfloat16": 2.0 ** -8, "float32": 2.0 ** -24,
           "float64": 2.0 ** -53}


def is_gpu(backend):
    """Whether `backend` runs code for GPUs, on one or simulated."""
    return backend == "cuda" or backend.startswith("sim")


def numpy_dtype(name):
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def tl_dtype(name):
    return getattr(tl, name)


def is_float(name):
    return name in FLOATS


def random_array(rng, shape, dtype, low=None, high=None):
    """Integers over the whole range, floats from a normal distribution."""
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if is_float(dtype):
        return rng.standard_normal(shape).astype(numpy_dtype(dtype))
    info = np.iinfo(dtype)
    low = info.min if low is None else max(low, info.min)
    high = info.max if high is None else min(high, info.max)
    return rng.integers(low, high, shape, dtype=dtype, endpoint=True)


def adversarial_floats(dtype):
    """Zeros, infinities, NaN, subnormals, the largest and smallest, and neighbours of 1."""
    kind = numpy_dtype(dtype)
    info = ml_dtypes.finfo(kind)
    tiny, huge, eps = (np.float64(x) for x in (info.tiny, info.max, info.eps))
    subnormal = np.float64(info.smallest_subnormal)
    values = [0.0, 1.0, 1 + eps, 1 - eps / 2, 2.0, 0.5, 3.0, 10.0, np.pi, huge, huge / 2, tiny,
              tiny * (1 + eps), subnormal, tiny - subnormal, 1e-3, 255.0, 65504.0, np.inf]
    with np.errstate(over="ignore"):
        return np.array(values + [-x for x in values] + [np.nan], dtype=np.float64).astype(kind)


def adversarial_ints(dtype):
    info = np.iinfo(dtype)
    values = {0, 1, 2, 3, 7, info.max, info.max - 1, info.max // 2, info.min, info.min + 1,
              info.max // 3, -1 if info.min else 1, -2 if info.min else 2, -7 if info.min else 5}
    return np.array(sorted(values), dtype=dtype)


def adversarial(dtype):
    return adversarial_floats(dtype) if is_float(dtype) else adversarial_ints(dtype)


def pairs(values):
    """Every pair of the values, as two arrays."""
    x, y = np.meshgrid(values, values)
    return x.ravel().copy(), y.ravel().copy()


def ulp_error(result, exact):
    """Largest distance in units in the last place of the result's type from values that are
    known exactly (fp64 or longer). NaN and infinity must be where they are in `exact`."""
    info = ml_dtypes.finfo(result.dtype)
    exact = np.asarray(exact, dtype=np.longdouble)
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = exact.astype(np.float64).astype(result.dtype)
    ours = result.astype(np.longdouble)
    special = ~np.isfinite(rounded.astype(np.float64)) | ~np.isfinite(ours.astype(np.float64))
    same = (np.isnan(ours) & np.isnan(exact)) | (ours == rounded.astype(np.longdouble))
    # A finite result next to an overflow (or the other way round) is within one unit.
    largest = np.longdouble(np.float64(info.max))
    edge = special & ~same & ~np.isnan(ours) & ~np.isnan(exact)
    edge &= (np.abs(ours) >= largest) & (np.abs(exact) >= largest * (1 - np.longdouble(info.eps)))
    assert np.all(same | edge | ~special), (
        f"special values differ: {result[special & ~same & ~edge][:5]} "
        f"instead of {exact[special & ~same & ~edge][:5]}")
    finite = ~special
    if not finite.any():
        return 0.0
    ours, exact = ours[finite], exact[finite]
    tiny = np.longdouble(np.float64(info.tiny))
    exponent = np.floor(np.log2(np.maximum(np.abs(exact), tiny)))
    unit = np.exp2(exponent) * np.longdouble(np.float64(info.eps))
    return float(np.max(np.abs(ours - exact) / unit))


def assert_same(result, expected):
    """Equal element for element; NaN equals NaN, -0.0 equals 0.0."""
    assert result.shape == expected.shape and result.dtype == expected.dtype
    equal = result == expected
    if result.dtype.kind not in "iub":
        equal |= np.isnan(result.astype(np.float64)) & np.isnan(expected.astype(np.float64))
    if not equal.all():
        where = tuple(index[0] for index in np.nonzero(~equal))
        raise AssertionError(f"{np.count_nonzero(~equal)} of {equal.size} differ, first at "
                             f"{where}: {result[where]!r} instead of {expected[where]!r}")


def assert_identical(result, expected, *operands):
    """Equal element for element, zeros with their signs; NaN equals NaN."""
    kind = f"u{expected.itemsize}"
    equal = result.view(kind) == expected.view(kind)
    if expected.dtype.kind == "f":
        equal |= np.isnan(result) & np.isnan(expected)
    at = np.flatnonzero(~equal)
    assert not len(at), (
        f"{len(at)} of {len(equal)} differ, first of {[v[at[0]] for v in operands]}: "
        f"{result[at[0]]!r} instead of {expected[at[0]]!r}")


def assert_close_sum(result, exact, magnitude, terms, dtype):
    """A sum of `terms` products or values whose absolute values sum to `magnitude`."""
    bound = (terms + 4) * EPSILON[dtype] * np.asarray(magnitude, np.float64) + 1e-300
    error = np.abs(result.astype(np.float64) - exact)
    worst = np.unravel_index(np.argmax(error / bound), error.shape)
    assert error[worst] <= bound[worst], (
        f"at {worst}: {result[worst]} instead of {exact[worst]}; bound {bound[worst]}")


_folder = tempfile.TemporaryDirectory(prefix="tritium-kernels-")


def kernels_from(source):
    """A module made of kernel source text; the kernels are its attributes."""
    name = "kernels_" + hashlib.sha256(source.encode()).hexdigest()[:16]
    if name in sys.modules:
        return sys.modules[name]
    path = pathlib.Path(_folder.name) / f"{name}.py"
    path.write_text("import tritium as triton\nimport tritium.language as tl\n\n" + source)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def philox(seed, c0, c1=0, c2=0, c3=0, rounds=10):
    """Philox 4x32 in NumPy: four uint32 arrays for each counter."""
    low, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    c0 = np.asarray(c0).astype(np.uint64) & low
    c1, c2, c3 = (np.full_like(c0, c) for c in (c1, c2, c3))
    k0, k1 = np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32 & 0xFFFFFFFF)
    for _ in range(rounds):
        a, b = c0 * np.uint64(0xD2511F53), c2 * np.uint64(0xCD9E8D57)
        c0, c2 = (b >> shift) ^ c1 ^ k0, (a >> shift) ^ c3 ^ k1
        c1, c3 = b & low, a & low
        k0, k1 = (k0 + np.uint64(0x9E3779B9)) & low, (k1 + np.uint64(0xBB67AE85)) & low
    return [c.astype(np.uint32) for c in (c0, c1, c2, c3)]


def uniform(bits):
    """uint32 to fp32 in [0, 1), as tl.rand does it."""
    signed = bits.view(np.int32)
    return np.where(signed < 0, ~signed, signed).astype(np.float32) * np.float32(4.6566127342e-10)


def spread(low, high, count=48):
    """Numbers of both signs whose sizes are evenly spread over powers."""
    sizes = np.exp(np.linspace(np.log(low), np.log(high), count))
    return np.where(np.arange(count) % 2, -sizes, sizes)


def compute(expression, *arrays, out):
    """The elements of an expression in which the arrays are `a`, `b`, ..., 64 in each program."""
    names = "abcd"[:len(arrays)]
    parameters = ", ".join(f"{n}_ptr" for n in names)
    kernel = kernels_from(
        "from tritium.language.extra import libdevice\n"
        f"@triton.jit\ndef kernel(out, {parameters}, n, N: tl.constexpr):\n"
        "    i = tl.program_id(0) * N + tl.arange(0, N)\n"
        + "".join(f"    {name} = tl.load({name}_ptr + i, mask=i < n)\n" for name in names)
        + f"    tl.store(out + i, {expression}, mask=i < n)\n").kernel
    result = np.zeros(len(arrays[0]), out)
    kernel[(triton.cdiv(len(result), 64),)](result, *arrays, len(result), N=64)
    return result
