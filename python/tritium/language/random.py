"""Random numbers by Philox: the same seed and offset give the same number everywhere."""

from ._builtin import builtin
from .types import constexpr

__all__ = ["philox", "philox_impl", "randint", "randint4x", "rand", "rand4x", "randn", "randn4x",
           "uint_to_uniform_float", "pair_uniform_to_normal"]


@builtin
def philox_impl(c0, c1, c2, c3, k0, k1, n_rounds=10):
    """`n_rounds` rounds of Philox on the counter (c0 .. c3) with the key (k0, k1)."""


@builtin
def philox(seed, c0, c1, c2, c3, n_rounds=10):
    """Four random uint32 (or uint64) tiles from a seed and a counter."""


@builtin
def randint(seed, offset, n_rounds=10):
    """Random 32-bit ints, one for each element of `offset` (an int tile)."""


@builtin
def randint4x(seed, offset, n_rounds=10):
    """Four tiles of random 32-bit ints; costs as much as one."""


@builtin
def rand(seed, offset, n_rounds=10):
    """Random fp32 numbers, uniform in [0, 1), one for each element of `offset`."""


@builtin
def rand4x(seed, offsets, n_rounds=10):
    """Four tiles of uniform numbers; costs as much as one."""


@builtin
def randn(seed, offset, n_rounds=10):
    """Random fp32 numbers, standard normal, one for each element of `offset`."""


@builtin
def randn4x(seed, offset, n_rounds=10):
    """Four tiles of normal numbers."""


@builtin
def uint_to_uniform_float(x):
    """Random ints as fp32 numbers in [0, 1)."""


@builtin
def pair_uniform_to_normal(u1, u2):
    """Two uniform tiles as two normal ones (Box-Muller)."""


N_ROUNDS_DEFAULT = constexpr(10)
uint32_to_uniform_float = uint_to_uniform_float
