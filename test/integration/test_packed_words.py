"""Weights of 4 bits, eight in a word: a kernel loads the word for each of them."""

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from support import random_array


@triton.jit
def product(a_ptr, b_ptr, scale_ptr, c_ptr, K, sbk, zero, M: tl.constexpr, N: tl.constexpr,
            BK: tl.constexpr, ALONG_K: tl.constexpr, GROUP: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BK)
    # What is promised of all numbers is not true of every eighth.
    k = tl.max_contiguous(tl.multiple_of(k + zero, BK), BK)
    a_ptrs = a_ptr + m[:, None] * K + k[None, :]
    if ALONG_K:
        b_ptrs = b_ptr + (k >> 3)[:, None] * sbk + n[None, :]
        shift = ((k % 8) * 4)[:, None]
    else:
        b_ptrs = b_ptr + k[:, None] * sbk + (n // 8)[None, :]
        shift = ((n % 8) * 4)[None, :]
    acc = tl.zeros((M, N), dtype=tl.float32)
    for first in range(0, K, BK):
        a = tl.load(a_ptrs, mask=k[None, :] < K - first, other=0.0)
        b = tl.load(b_ptrs, mask=k[:, None] < K - first, other=0)
        scale = tl.load(scale_ptr + first // GROUP * N + n)
        b = ((b >> shift) & 15).to(tl.float16) - 8
        acc = tl.dot(a, b * scale[None, :], acc)
        a_ptrs += BK
        b_ptrs += (BK // 8 if ALONG_K else BK) * sbk
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc)


def words_of(b, axis):
    """Eight numbers along an axis in each word, the first lowest."""
    eights = np.moveaxis(b, axis, 0).reshape(b.shape[axis] // 8, 8, -1).astype(np.uint32)
    words = (eights << (4 * np.arange(8, dtype=np.uint32))[:, None]).sum(1, dtype=np.uint32)
    return np.ascontiguousarray(np.moveaxis(words, 0, axis)).view(np.int32)


@pytest.mark.parametrize("along_k", (True, False), ids=("along_k", "along_n"))
@pytest.mark.parametrize("stages", (1, 3))
@pytest.mark.parametrize("M,N,BK,K", ((16, 32, 32, 128), (64, 64, 32, 128), (64, 128, 64, 192),
                                      (16, 64, 32, 72), (64, 96, 64, 128)))
def test_product(backend, rng, along_k, stages, M, N, BK, K):
    a = random_array(rng, (M, K), "float16")
    b = rng.integers(0, 16, (K, N))
    scale = random_array(rng, (-(-K // BK), N), "float16")
    c = np.zeros((M, N), np.float32)
    words = words_of(b, 0 if along_k else 1)
    product[(1,)](a, words, scale, c, K, words.shape[1], 0, M, N, BK, along_k, BK,
                  num_warps=4, num_stages=stages)
    wide = (b - 8) * np.repeat(scale, BK, 0)[:K].astype(np.float32)
    np.testing.assert_allclose(c, a.astype(np.float32) @ wide, rtol=2e-2, atol=0.5)


@triton.jit
def by_hash(b_ptr, c_ptr, n, ROUNDS: tl.constexpr):
    i = tl.arange(0, 16)
    acc = tl.zeros((16, 16), dtype=tl.float32)
    one = tl.full((16, 16), 1, tl.float16)
    for k in range(n):
        h = i // 8
        for _ in tl.static_range(ROUNDS):
            h = (h ^ (h >> 1)) & 7
        b = tl.load(b_ptr + k + h[:, None] * 16 + i[None, :])
        acc = tl.dot(one, b * 2, acc)
    tl.store(c_ptr + i[:, None] * 16 + i[None, :], acc)


def test_an_index_that_uses_itself_twice(backend, rng):
    """60 times: 2^60 ways lead from the pointers to the range."""
    b, c = random_array(rng, 200, "float16"), np.zeros((16, 16), np.float32)
    by_hash[(1,)](b, c, 3, 60)
    rows = [sum(b[k + r * 16:k + r * 16 + 16].astype(np.float32) for k in range(3)) for r in (0, 1)]
    np.testing.assert_allclose(c, np.tile((rows[0] + rows[1]) * 16, (16, 1)), rtol=1e-2, atol=0.1)
