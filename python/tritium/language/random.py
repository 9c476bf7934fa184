"""Random numbers by Philox: the same seed and offset give the same number everywhere.

The generator is Philox 4x32-10, and 4x64-10 for 64-bit counters (Salmon, Moraes, Dror, Shaw,
"Parallel random numbers: as easy as 1, 2, 3", 2011), bit for bit that of Triton.
"""

from ._builtin import builtin
from .types import constexpr

__all__ = ["philox", "philox_impl", "randint", "randint4x", "rand", "rand4x", "randn", "randn4x",
           "uint_to_uniform_float", "pair_uniform_to_normal"]


@builtin
def philox_impl(c0, c1, c2, c3, k0, k1, n_rounds=10):
    """`n_rounds` rounds of Philox.

    Args:
        c0, c1, c2, c3: the counter: uint32 or uint64 tiles or scalars.
        k0, k1: the key, of the same type.
        n_rounds: a constexpr int.

    Returns four of that type.

    Example:
        >>> zero = tl.zeros((1,), tl.uint32)
        >>> tl.philox_impl(zero, zero, zero, zero, zero, zero)
        uint32 [1713891541]
        uint32 [3781805453]
        uint32 [3159862348]
        uint32 [2600524760]
    """


@builtin
def philox(seed, c0, c1, c2, c3, n_rounds=10):
    """Four random uint32 (or uint64) tiles from a seed and a counter.

    Args:
        seed: an int, taken as 64 bits.
        c0, c1, c2, c3: the counter: ints of 32 bits, or of 64.
        n_rounds: a constexpr int.

    Example:
        >>> a, b, c, d = tl.philox(0, 0, 0, 0, 0)
        >>> a
        uint32 1713891541
    """


@builtin
def randint(seed, offset, n_rounds=10):
    """Random uint32 numbers, one for each element of `offset`.

    Args:
        seed: an int, a scalar.
        offset: an int tile; each number of it gives another random number.
        n_rounds: of Philox, a constexpr int.

    Example:
        >>> tl.randint(0, tl.arange(0, 2))
        uint32 [1713891541, 4175744164]
    """


@builtin
def randint4x(seed, offset, n_rounds=10):
    """Four tiles of random uint32 numbers, which cost as much as one; arguments as for `randint`.

    Example:
        >>> a, b, c, d = tl.randint4x(0, tl.arange(0, 1))
        >>> d
        uint32 [2600524760]
    """


@builtin
def rand(seed, offset, n_rounds=10):
    """Random fp32 numbers, uniform in [0, 1), one for each element of `offset`; arguments as for
    `randint`.

    Example:
        >>> tl.rand(0, tl.arange(0, 2))
        float32 [0.79809, 0.055518]
    """


@builtin
def rand4x(seed, offsets, n_rounds=10):
    """Four tiles of uniform numbers, which cost as much as one; arguments as for `randint`.

    Example:
        >>> a, b, c, d = tl.rand4x(0, tl.arange(0, 1))
        >>> a
        float32 [0.79809]
    """


@builtin
def randn(seed, offset, n_rounds=10):
    """Random fp32 numbers, standard normal, one for each element of `offset`; arguments as for
    `randint`.

    Example:
        >>> tl.randn(0, tl.arange(0, 2))
        float32 [0.046552, -0.388361]
    """


@builtin
def randn4x(seed, offset, n_rounds=10):
    """Four tiles of normal numbers, which cost as much as one; arguments as for `randint`.

    Example:
        >>> a, b, c, d = tl.randn4x(0, tl.arange(0, 1))
        >>> a
        float32 [0.046552]
    """


@builtin
def uint_to_uniform_float(x):
    """Random ints of 32 or 64 bits as floats in [0, 1): a negative one counts as its complement.

    Example:
        >>> tl.random.uint_to_uniform_float(tl.full((1,), 1 << 30, tl.uint32))
        float32 [0.5]
    """


@builtin
def pair_uniform_to_normal(u1, u2):
    """Two uniform tiles as two normal ones, by Box and Muller: sqrt(-2 log u1) times the cosine and
    the sine of 2 pi u2. `u1` counts as 1e-7 where it is less.

    Example:
        >>> tl.random.pair_uniform_to_normal(tl.full((1,), 0.6065307, tl.float32), 0.25)
        float32 [0.0]
        float32 [1.0]
    """


N_ROUNDS_DEFAULT = constexpr(10)
uint32_to_uniform_float = uint_to_uniform_float
