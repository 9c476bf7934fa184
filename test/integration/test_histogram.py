"""`tl.histogram`: how often each number occurs in a tile."""

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from support import assert_same, random_array


@triton.jit
def histogram(x_ptr, out_ptr, N: tl.constexpr, BINS: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(out_ptr + tl.arange(0, BINS), tl.histogram(x, BINS))


@triton.jit
def masked_histogram(x_ptr, mask_ptr, out_ptr, N: tl.constexpr, BINS: tl.constexpr):
    i = tl.arange(0, N)
    counts = tl.load(x_ptr + i).histogram(BINS, mask=tl.load(mask_ptr + i))
    tl.store(out_ptr + tl.arange(0, BINS), counts)


def counts_of(x, bins):
    """What lies outside of the bins is not counted."""
    x = x.astype(object)
    return np.bincount(x[(x >= 0) & (x < bins)].astype(np.int64), minlength=bins).astype(np.int32)


@pytest.mark.parametrize("extent,bins", ((1, 1), (1, 4), (2, 2), (3, 16), (16, 3), (80, 32),
                                         (781, 80), (1024, 256), (256, 1)))
def test_extents(backend, rng, extent, bins):
    x = random_array(rng, extent, "int32", 0, bins - 1)
    out = np.full(bins, -1, np.int32)
    histogram[(1,)](x, out, extent, bins)
    assert_same(out, counts_of(x, bins))
    assert out.sum() == extent


def test_one_bin_has_all(backend):
    for number in (0, 5, 7):
        out = np.full(8, -1, np.int32)
        histogram[(1,)](np.full(64, number, np.int32), out, 64, 8)
        assert_same(out, np.eye(8, dtype=np.int32)[number] * np.int32(64))


@pytest.mark.parametrize("dtype", ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16",
                                   "uint32", "uint64"))
def test_types_and_numbers_outside(backend, rng, dtype):
    x = random_array(rng, 80, dtype, -3, 12)
    if dtype != "bool":
        x[:3] = np.iinfo(dtype).min, np.iinfo(dtype).max, 9
    out = np.full(10, -1, np.int32)
    histogram[(1,)](x, out, 80, 10)
    assert_same(out, counts_of(x, 10))


@pytest.mark.parametrize("extent,bins", ((64, 16), (50, 7)))
def test_mask(backend, rng, extent, bins):
    x, mask = random_array(rng, extent, "int32", 0, bins), random_array(rng, extent, "bool")
    out = np.full(bins, -1, np.int32)
    masked_histogram[(1,)](x, mask, out, extent, bins)
    assert_same(out, counts_of(x[mask], bins))
    masked_histogram[(1,)](x, np.zeros_like(mask), out, extent, bins)
    assert_same(out, np.zeros(bins, np.int32))
