# Counter-based random numbers: Philox 4x32-10 and 4x64-10 (Salmon et al., "Parallel
# random numbers: as easy as 1, 2, 3", 2011).


def philox_impl(c0, c1, c2, c3, k0, k1, n_rounds: tl.constexpr = 10):
    # Multipliers and key increments of the 32- and of the 64-bit generator.
    if c0.dtype == tl.uint32:
        mul_a: tl.constexpr = 0xD2511F53
        mul_b: tl.constexpr = 0xCD9E8D57
        step_a: tl.constexpr = 0x9E3779B9
        step_b: tl.constexpr = 0xBB67AE85
    else:
        tl.static_assert(c0.dtype == tl.uint64, "Philox counters are uint32 or uint64")
        mul_a: tl.constexpr = 0xD2E7470EE14C6C93
        mul_b: tl.constexpr = 0xCA5A826395121157
        step_a: tl.constexpr = 0x9E3779B97F4A7C15
        step_b: tl.constexpr = 0xBB67AE8584CAA73B
    for _ in tl.static_range(n_rounds):
        high_a = tl.umulhi(c0, mul_a)
        high_b = tl.umulhi(c2, mul_b)
        low_a = c0 * mul_a
        low_b = c2 * mul_b
        c0 = high_b ^ c1 ^ k0
        c1 = low_b
        c2 = high_a ^ c3 ^ k1
        c3 = low_a
        k0 = k0 + step_a
        k1 = k1 + step_b
    return c0, c1, c2, c3


def philox(seed, c0, c1, c2, c3, n_rounds: tl.constexpr = 10):
    key = tl.to_tensor(seed).to(tl.uint64)
    c0 = tl.to_tensor(c0)
    c1 = tl.to_tensor(c1)
    c2 = tl.to_tensor(c2)
    c3 = tl.to_tensor(c3)
    if c0.dtype.primitive_bitwidth == 32:
        return philox_impl(c0.to(tl.uint32), c1.to(tl.uint32), c2.to(tl.uint32),
                           c3.to(tl.uint32), key.to(tl.uint32), (key >> 32).to(tl.uint32),
                           n_rounds)
    else:
        return philox_impl(c0.to(tl.uint64), c1.to(tl.uint64), c2.to(tl.uint64),
                           c3.to(tl.uint64), key, key * 0, n_rounds)


def randint4x(seed, offset, n_rounds: tl.constexpr = 10):
    offset = tl.to_tensor(offset)
    low = offset.to(tl.uint32)
    zero = low * 0
    if offset.dtype.primitive_bitwidth > 32:
        high = (offset >> 32).to(tl.uint32)
    else:
        high = zero
    return philox(seed, low, high, zero, zero, n_rounds)


def randint(seed, offset, n_rounds: tl.constexpr = 10):
    first, second, third, fourth = randint4x(seed, offset, n_rounds)
    return first


def uint_to_uniform_float(x):
    # Negative numbers fold onto the others, so that the result is in [0, 1).
    x = tl.to_tensor(x)
    if x.dtype.primitive_bitwidth == 32:
        number = x.to(tl.int32, bitcast=True)
        scale: tl.constexpr = 4.6566127342e-10
    else:
        tl.static_assert(x.dtype.primitive_bitwidth == 64, "a 32- or 64-bit integer is needed")
        number = x.to(tl.int64, bitcast=True)
        scale: tl.constexpr = 1.0842020432385337e-19
    number = tl.where(number < 0, ~number, number)
    return number * scale


def rand(seed, offset, n_rounds: tl.constexpr = 10):
    return uint_to_uniform_float(randint(seed, offset, n_rounds))


def rand4x(seed, offsets, n_rounds: tl.constexpr = 10):
    a, b, c, d = randint4x(seed, offsets, n_rounds)
    return (uint_to_uniform_float(a), uint_to_uniform_float(b), uint_to_uniform_float(c),
            uint_to_uniform_float(d))


def pair_uniform_to_normal(u1, u2):
    # Box-Muller; the logarithm needs a number that is not 0.
    radius = tl.sqrt(-2.0 * tl.log(tl.maximum(u1, 1.0e-7)))
    angle = 6.283185307179586 * u2
    return radius * tl.cos(angle), radius * tl.sin(angle)


def randn(seed, offset, n_rounds: tl.constexpr = 10):
    a, b, c, d = randint4x(seed, offset, n_rounds)
    first, second = pair_uniform_to_normal(uint_to_uniform_float(a), uint_to_uniform_float(b))
    return first


def randn4x(seed, offset, n_rounds: tl.constexpr = 10):
    u1, u2, u3, u4 = rand4x(seed, offset, n_rounds)
    n1, n2 = pair_uniform_to_normal(u1, u2)
    n3, n4 = pair_uniform_to_normal(u3, u4)
    return n1, n2, n3, n4
