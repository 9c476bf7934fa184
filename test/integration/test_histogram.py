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


@pytest.mark.parametrize("warps", (1, 4, 8))
@pytest.mark.parametrize("extent,bins", ((1, 1), (1, 3), (32, 5), (48, 3), (48, 100), (100, 1),
                                         (1024, 256), (1000, 37), (16, 512)))
@pytest.mark.parametrize("data", ("random", "equal", "outside"))
def test_warps(backend, rng, warps, extent, bins, data):
    """Fewer elements, or bins, than threads: each element is counted by one of those that have it.
    """
    x = {"random": random_array(rng, extent, "int32", 0, bins),
         "equal": np.full(extent, bins - 1, np.int32),
         "outside": random_array(rng, extent, "int32", bins, 2**31 - 1)}[data]
    out = np.full(bins, -1, np.int32)
    histogram[(1,)](x, out, extent, bins, num_warps=warps)
    assert_same(out, counts_of(x, bins))


@triton.jit
def rounds(x_ptr, out_ptr, each_ptr, n, N: tl.constexpr, BINS: tl.constexpr):
    b = tl.arange(0, BINS)
    total = tl.zeros((BINS,), tl.int32)
    for i in range(0, n):
        counts = tl.histogram(tl.load(x_ptr + i * N + tl.arange(0, N)), BINS)
        total += counts
        tl.store(each_ptr + i * BINS + b, counts)
    tl.store(out_ptr + b, total)


@pytest.mark.parametrize("warps", (1, 4))
@pytest.mark.parametrize("n,extent,bins", ((5, 64, 16), (3, 100, 130), (0, 64, 16)))
def test_rounds_of_a_loop(backend, rng, warps, n, extent, bins):
    """Each round begins at zero, when the one before has been read."""
    x = random_array(rng, (n, extent), "int32", 0, bins)
    out, each = np.full(bins, -1, np.int32), np.full((n, bins), -1, np.int32)
    rounds[(1,)](x, out, each, n, extent, bins, num_warps=warps)
    assert_same(each, np.array([counts_of(row, bins) for row in x], np.int32).reshape(n, bins))
    assert_same(out, counts_of(x.ravel(), bins))


@triton.jit
def several(x_ptr, y_ptr, few_ptr, many_ptr, sum_ptr, own_ptr, N: tl.constexpr, FEW: tl.constexpr,
            MANY: tl.constexpr):
    i = tl.arange(0, N)
    x, y = tl.load(x_ptr + i), tl.load(y_ptr + i)
    few, many = tl.histogram(x, FEW), tl.histogram(x + y, MANY)
    tl.store(few_ptr + tl.arange(0, FEW), few)
    tl.store(many_ptr + tl.arange(0, MANY), tl.histogram(many, MANY))
    tl.store(sum_ptr, tl.sum(few * tl.arange(0, FEW)))
    # How often each element occurs.
    tl.store(own_ptr + i, tl.gather(few, x, 0))


@pytest.mark.parametrize("warps", (1, 4))
@pytest.mark.parametrize("extent,few,many", ((64, 4, 32), (256, 10, 64), (48, 3, 7), (33, 1, 1)))
def test_several_and_who_reads_them(backend, rng, warps, extent, few, many):
    x, y = random_array(rng, extent, "int32", 0, few - 1), random_array(rng, extent, "int32", 0, 9)
    outs = [np.full(n, -1, np.int32) for n in (few, many, 1, extent)]
    several[(1,)](x, y, *outs, extent, few, many, num_warps=warps)
    counts = counts_of(x, few)
    assert_same(outs[0], counts)
    assert_same(outs[1], counts_of(counts_of(x + y, many), many))
    assert_same(outs[2], np.array([x.sum()], np.int32))
    assert_same(outs[3], counts[x])


@triton.jit
def add_up(x_ptr, out_ptr, n, BLOCK: tl.constexpr, BINS: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    counts = tl.histogram(tl.load(x_ptr + i, mask=i < n, other=0), BINS, mask=i < n)
    tl.atomic_add(out_ptr + tl.arange(0, BINS), counts)


@pytest.mark.parametrize("block,warps", ((32, 1), (32, 4), (256, 4), (1024, 8)))
def test_programs_add_up(backend, rng, block, warps):
    """Also programs of one warp each that stand in one CTA (ttg-pack-programs)."""
    x, out = random_array(rng, 2000, "int32", -5, 40), np.zeros(37, np.int32)
    add_up[(triton.cdiv(x.size, block),)](x, out, x.size, block, 37, num_warps=warps)
    assert_same(out, counts_of(x, 37))


@triton.jit
def shares(x_ptr, out_ptr, N: tl.constexpr, BINS: tl.constexpr):
    """What share of a row's elements each bin has, and the largest of them."""
    row = tl.program_id(0)
    counts = tl.histogram(tl.load(x_ptr + row * N + tl.arange(0, N)), BINS)
    most = tl.max(counts, 0)
    tl.store(out_ptr + row * BINS + tl.arange(0, BINS), counts * 1000 + most)


@pytest.mark.parametrize("warps", (1, 4))
@pytest.mark.parametrize("extent,bins", ((32, 8), (128, 32), (96, 24)))
def test_short_programs(backend, rng, warps, extent, bins):
    x = random_array(rng, (20, extent), "int32", 0, bins)
    out = np.full((20, bins), -1, np.int32)
    shares[(20,)](x, out, extent, bins, num_warps=warps)
    counts = np.array([counts_of(row, bins) for row in x], np.int32)
    assert_same(out, counts * np.int32(1000) + counts.max(1, keepdims=True))


@triton.jit
def beside_products(a_ptr, b_ptr, x_ptr, out_ptr, c_ptr, K, M: tl.constexpr, BINS: tl.constexpr,
                    GROUPS: tl.constexpr):
    m = tl.arange(0, M)
    acc, counts = tl.zeros((M, M), tl.float32), tl.zeros((BINS,), tl.int32)
    for k in tl.range(0, K, M, warp_specialize=GROUPS):
        a = tl.load(a_ptr + m[:, None] * K + k + m[None, :])
        b = tl.load(b_ptr + (k + m)[:, None] * M + m[None, :])
        acc = tl.dot(a, b, acc)
        counts += tl.histogram(tl.load(x_ptr + k + m), BINS)
    tl.store(c_ptr + m[:, None] * M + m[None, :], acc)
    tl.store(out_ptr + tl.arange(0, BINS), counts)


@pytest.mark.parametrize("groups,warps", ((False, 4), (True, 4), (True, 8)))
def test_beside_products(backend, rng, groups, warps):
    """Warps that count meet, and those that copy do not."""
    a, b = random_array(rng, (64, 256), "float16"), random_array(rng, (256, 64), "float16")
    x = random_array(rng, 256, "int32", 0, 20)
    out, c = np.zeros(16, np.int32), np.zeros((64, 64), np.float32)
    beside_products[(1,)](a, b, x, out, c, 256, 64, 16, groups, num_warps=warps, num_stages=3)
    assert_same(out, counts_of(x, 16))
    np.testing.assert_allclose(c, a.astype(np.float32) @ b.astype(np.float32), atol=1e-2)
