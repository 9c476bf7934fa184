"""Philox: bit for bit what NumPy computes."""

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from support import assert_same, philox, uniform


@triton.jit
def draw(out_ptr, seed, first, N: tl.constexpr, KIND: tl.constexpr, ROUNDS: tl.constexpr):
    offs = tl.arange(0, N)
    if KIND == "rand":
        x = tl.rand(seed, first + offs, ROUNDS)
    elif KIND == "randn":
        x = tl.randn(seed, first + offs, ROUNDS)
    else:
        x = tl.randint(seed, first + offs, ROUNDS)
    tl.store(out_ptr + offs, x)


@triton.jit
def draw_four(out_ptr, seed, N: tl.constexpr):
    offs = tl.arange(0, N)
    a, b, c, d = tl.randint4x(seed, offs)
    tl.store(out_ptr + offs, a)
    tl.store(out_ptr + N + offs, b)
    tl.store(out_ptr + 2 * N + offs, c)
    tl.store(out_ptr + 3 * N + offs, d)


def run(kind, dtype, seed, first=0, n=1000, rounds=10):
    out = np.zeros(n, dtype)
    draw[(1,)](out, seed, first, N=n, KIND=kind, ROUNDS=rounds)
    return out


def test_reference_is_philox():
    """The published answer for the zero key and counter."""
    assert [int(c[0]) for c in philox(0, [0])] == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]


@pytest.mark.parametrize("seed", (0, 1, 42, 2 ** 31 - 1, 2 ** 40 + 17))
@pytest.mark.parametrize("first", (0, 1000, -500, 2 ** 31 - 1000))
def test_randint(backend, seed, first):
    offsets = (np.arange(1000) + first).astype(np.int32)
    assert_same(run("randint", np.uint32, seed, first), philox(seed, offsets.view(np.uint32))[0])


@pytest.mark.parametrize("seed", (0, 7, 2 ** 33 + 5))
@pytest.mark.parametrize("rounds", (6, 10))
def test_rand(backend, seed, rounds):
    x = run("rand", np.float32, seed, rounds=rounds)
    assert_same(x, uniform(philox(seed, np.arange(1000), rounds=rounds)[0]))
    assert 0 <= x.min() and x.max() < 1


def test_randint4x(backend):
    out = np.zeros((4, 333), np.uint32)
    draw_four[(1,)](out, 99, N=333)
    assert_same(out, np.stack(philox(99, np.arange(333))))


def test_randn(backend):
    """Box-Muller on the first two words, to the accuracy of log, sqrt and cos."""
    bits = philox(5, np.arange(4000))
    u1, u2 = (uniform(b).astype(np.float64) for b in bits[:2])
    expected = np.sqrt(-2 * np.log(np.maximum(u1, np.float64(np.float32(1e-7))))) * np.cos(
        2 * np.pi * u2)
    x = run("randn", np.float32, 5, n=4000)
    np.testing.assert_allclose(x, expected, rtol=2e-5, atol=2e-6)
    assert abs(x.mean()) < 0.1 and abs(x.std() - 1) < 0.05
