"""Conversions between element types, bit casts, and what a store converts."""

import ml_dtypes
import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from support import (DTYPES, FLOATS, INTS, adversarial, assert_same, is_float, numpy_dtype,
                     random_array, tl_dtype)


@triton.jit
def cast(x_ptr, out_ptr, n, TO: tl.constexpr, BITCAST: tl.constexpr, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = x.to(TO, bitcast=BITCAST)
    tl.static_assert(y.dtype == TO, "the cast has another type")
    tl.store(out_ptr + offs, y, mask=mask)


@triton.jit
def store_as(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(out_ptr + offs, tl.load(x_ptr + offs, mask=mask), mask=mask)


def inputs(rng, source, target):
    """Values whose conversion is defined and has one right answer."""
    x = np.concatenate([adversarial(source), random_array(rng, 700, source)])
    if is_float(source) and not is_float(target):
        x = np.concatenate([x, (rng.uniform(-300, 300, 300)).astype(x.dtype)])
        info = np.iinfo(target)
        wide = np.trunc(x.astype(np.float64))
        x = x[np.isfinite(wide) & (wide >= info.min) & (wide <= info.max - info.max // 1024)]
    if not is_float(source) and target in ("float16", "bfloat16"):
        # Exact in fp32, so that one rounding gives the result.
        x = x[np.abs(x.astype(np.float64)) <= 2 ** 24]
    return x


def converted(x, target):
    with np.errstate(all="ignore"):
        if target in ("float16", "bfloat16") and x.dtype.kind in "iub":
            return x.astype(np.float32).astype(numpy_dtype(target))
        if x.dtype == numpy_dtype("bfloat16") and target != "float32":
            return x.astype(np.float32).astype(numpy_dtype(target))
        return x.astype(numpy_dtype(target))


@pytest.mark.parametrize("target", DTYPES)
@pytest.mark.parametrize("source", DTYPES)
def test_cast(backend, rng, source, target):
    x = inputs(rng, source, target)
    out = np.zeros(x.size, numpy_dtype(target))
    cast[(triton.cdiv(x.size, 256),)](x, out, x.size, TO=tl_dtype(target), BITCAST=False, BLOCK=256)
    expected = converted(x, target)
    assert_same(out, expected)
    stored = np.zeros_like(out)
    store_as[(triton.cdiv(x.size, 256),)](x, stored, x.size, BLOCK=256)
    assert_same(stored, expected)


@pytest.mark.parametrize("dtype", DTYPES)
def test_to_bool(backend, rng, dtype):
    x = np.concatenate([adversarial(dtype), np.zeros(10, numpy_dtype(dtype))])
    out = np.zeros(x.size, bool)
    cast[(1,)](x, out, x.size, TO=tl.int1, BITCAST=False, BLOCK=256)
    assert_same(out, x != np.array(0, x.dtype))


@pytest.mark.parametrize("dtype", DTYPES)
def test_from_bool(backend, rng, dtype):
    x = random_array(rng, 100, "bool")
    out = np.zeros(x.size, numpy_dtype(dtype))
    cast[(1,)](x, out, x.size, TO=tl_dtype(dtype), BITCAST=False, BLOCK=128)
    assert_same(out, x.astype(np.float32).astype(out.dtype))


@pytest.mark.parametrize("source,target", [
    ("float32", "int32"), ("int32", "float32"), ("float16", "int16"), ("int16", "bfloat16"),
    ("bfloat16", "uint16"), ("float64", "int64"), ("uint64", "float64"), ("int8", "uint8"),
    ("uint32", "int32"), ("float16", "bfloat16")])
def test_bitcast(backend, rng, source, target):
    x = np.concatenate([adversarial(source), random_array(rng, 300, source)])
    out = np.zeros(x.size, numpy_dtype(target))
    cast[(triton.cdiv(x.size, 256),)](x, out, x.size, TO=tl_dtype(target), BITCAST=True, BLOCK=256)
    kind = f"u{x.dtype.itemsize}"
    assert_same(out.view(kind), x.view(kind))


@triton.jit
def bitcast_between_halves(x_ptr, out_ptr, SPLAT: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    if SPLAT:
        x = tl.zeros((N,), x.dtype) + tl.load(x_ptr)
    y = x.to(tl.bfloat16, bitcast=True) if x.dtype == tl.float16 else x.to(tl.float16, bitcast=True)
    tl.store(out_ptr + tl.arange(0, N), y.to(tl.float32))


@pytest.mark.parametrize("splat", (False, True))
@pytest.mark.parametrize("source,target", [("float16", "bfloat16"), ("bfloat16", "float16")])
def test_bitcast_between_halves(backend, rng, source, target, splat):
    """Of values that are computed with on both sides, not loaded or stored as they are."""
    x = random_array(rng, 32, source)
    out = np.zeros(x.size, np.float32)
    bitcast_between_halves[(1,)](x, out, SPLAT=splat, N=x.size)
    y = np.full_like(x, x[0]) if splat else x
    assert_same(out, y.view(numpy_dtype(target)).astype(np.float32))


@pytest.mark.parametrize("dtype", ("float16", "bfloat16"))
def test_every_16_bit_float(backend, dtype):
    """All 65,536 patterns to fp32 and back; NaN stays NaN."""
    x = np.arange(65536, dtype=np.uint16).view(numpy_dtype(dtype))
    wide = np.zeros(x.size, np.float32)
    cast[(256,)](x, wide, x.size, TO=tl.float32, BITCAST=False, BLOCK=256)
    assert_same(wide, x.astype(np.float32))
    back = np.zeros_like(x)
    cast[(256,)](wide, back, x.size, TO=tl_dtype(dtype), BITCAST=False, BLOCK=256)
    assert_same(back, x)


@pytest.mark.parametrize("dtype", ("float16", "bfloat16"))
def test_rounding_to_16_bits(backend, rng, dtype):
    """Halfway cases and their neighbours round to even; overflow gives infinity."""
    kind = numpy_dtype(dtype)
    base = np.arange(65536, dtype=np.uint16).view(kind).astype(np.float32)
    base = np.sort(base[np.isfinite(base)])
    middle = ((base[:-1].astype(np.float64) + base[1:]) / 2).astype(np.float32)
    x = np.concatenate([middle, np.nextafter(middle, np.float32(np.inf)),
                        np.nextafter(middle, np.float32(-np.inf)),
                        np.float32([65519.9, 65520, 3.39e38, -3.4e38, np.inf, np.nan])])
    out = np.zeros(x.size, kind)
    cast[(triton.cdiv(x.size, 4096),)](x, out, x.size, TO=tl_dtype(dtype), BITCAST=False,
                                       BLOCK=4096)
    with np.errstate(over="ignore"):
        assert_same(out, x.astype(kind))
