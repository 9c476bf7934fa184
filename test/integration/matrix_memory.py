"""The matrix's rows of memory, atomics and random numbers."""

import numpy as np
from matrix import between, integers, only, row, tiles, whole
from support import FLOATS, INTS, philox, uniform

# A third of the places.
MASKED = "i = {index}\nm = i % 3 == 0\n"


def third(shape):
    return np.arange(int(np.prod(shape))).reshape(shape) % 3 == 0


def block(shape):
    rank = len(shape)
    strides = [int(np.prod(shape[k + 1:])) for k in range(rank)]
    return {"strides": strides, "extents": list(shape), "zeros": [0] * rank,
            "order": list(range(rank))[::-1], "less": [max(s - 1, 1) for s in shape],
            "ahead": [1] + [0] * (rank - 1), "padded": shape[:-1] + (-(-shape[-1] // 16) * 16,)
            if shape else shape}


def cut(x):
    """Without the last place of each dimension that has more than one."""
    result = np.zeros_like(x)
    inside = tuple(slice(0, max(n - 1, 1)) for n in x.shape)
    result[inside] = x[inside]
    return result


def merged(x, y):
    """What is in memory when only those places are written."""
    inside = tuple(slice(0, max(n - 1, 1)) for n in x.shape)
    x = x.copy()
    x[inside] = y[inside]
    return x


BLOCKS = {"facts": block, "shapes": tiles("works on 1 to 5 dimensions, found a block_shape of 0")}
POINTER = "p = tl.make_block_ptr({x}, {extents}, {strides}, {zeros}, {shape}, {order})\n"
CUT = POINTER.replace("{extents}", "{less}")


def padded(rng, dtype, shape):
    """Rows that begin at multiples of 16 bytes, as descriptors need them."""
    return whole(rng, dtype, block(shape)["padded"])


def pitches(shape):
    facts = block(shape)
    return {**facts, "strides": block(facts["padded"])["strides"]}


DESCRIPTORS = {**BLOCKS, "facts": pitches, "aligned": True}
DESCRIPTOR = "d = tl.make_tensor_descriptor({x}, {extents}, {strides}, {extents})\n"


def block_of(x, shape):
    return x[..., :shape[-1]] if shape else x


def written(x, y, shape):
    x = x.copy()
    x[..., :shape[-1]] = y
    return x


MEMORY = [
    row("tl.load", "r = tl.load({x} + {index})", lambda x: x),
    row("tl.load, masked", MASKED + "r = tl.load({x} + i, mask=m)",
        lambda x: np.where(third(x.shape), x, np.zeros_like(x))),
    row("tl.load, other", MASKED + "r = tl.load({x} + i, mask=m, other=y)",
        lambda x, y: np.where(third(x.shape), x, y), (whole, whole)),
    row("tl.store", "tl.store({x} + {index}, y)", lambda x, y: [y], (whole, whole), writes=True),
    row("tl.store, masked", MASKED + "tl.store({x} + i, y, mask=m)",
        lambda x, y: [np.where(third(x.shape), y, x)], (whole, whole), writes=True),
    row("tl.make_block_ptr", POINTER + "r = tl.load(p)", lambda x: x, **BLOCKS),
    row("tl.make_block_ptr, stored", POINTER + "tl.store(p, y)", lambda x, y: [y], (whole, whole),
        writes=True, **BLOCKS),
    row("tl.make_block_ptr beyond the edge", CUT + "r = tl.load(p, boundary_check={order}, "
        "padding_option='zero')", cut, **BLOCKS),
    row("tl.make_block_ptr stored beyond the edge", CUT + "tl.store(p, y, boundary_check={order})",
        lambda x, y: [merged(x, y)], (whole, whole), writes=True, **BLOCKS),
    row("tl.advance", POINTER.replace("{zeros}", "{ahead}") +
        "r = tl.load(tl.advance(p, [-1] + [0] * {axis}))", lambda x: x, **BLOCKS),
    row("tl.make_tensor_descriptor", DESCRIPTOR + "r = d.load({zeros})",
        lambda x, *, shape: block_of(x, shape), (padded,), **DESCRIPTORS),
    row("tl.load_tensor_descriptor", DESCRIPTOR.replace(" {extents}, {strides}",
        " {less}, {strides}") + "r = tl.load_tensor_descriptor(d, {zeros})",
        lambda x, *, shape: cut(block_of(x, shape)), (padded,), **DESCRIPTORS),
    row("tl.store_tensor_descriptor", DESCRIPTOR + "tl.store_tensor_descriptor(d, {zeros}, y)",
        lambda x, y, *, shape: [written(x, y, shape)], (padded, whole), writes=True,
        **DESCRIPTORS),
]

few = integers(-3, 3)
EVERYWHERE = only((*INTS, *FLOATS), r"tl.atomic_\w+ is not supported on \w+; it works on integers")
ON_BITS = only(INTS, r"tl.atomic_\w+ is not supported on \w+; it works on integers")


def atomic(name, expected, types):
    """What is in memory afterwards, and what was there."""
    call = f"tl.atomic_{name}({{x}} + {{index}}, y)"
    return [row(f"tl.atomic_{name}", f"r = {call}", lambda x, y: [expected(x, y), x], (few, few),
                types, writes=True),
            row(f"tl.atomic_{name}, masked", f"{MASKED}{call.replace('y)', 'y, mask=m)')}",
                lambda x, y: [np.where(third(x.shape), expected(x, y), x)], (few, few), types,
                writes=True)]


ATOMICS = [
    *atomic("add", lambda x, y: x + y, EVERYWHERE),
    *atomic("max", np.maximum, EVERYWHERE), *atomic("min", np.minimum, EVERYWHERE),
    *atomic("and", lambda x, y: x & y, ON_BITS), *atomic("or", lambda x, y: x | y, ON_BITS),
    *atomic("xor", lambda x, y: x ^ y, ON_BITS), *atomic("xchg", lambda x, y: y, EVERYWHERE),
    row("tl.atomic_cas", "r = tl.atomic_cas({x} + {index}, tl.zeros({shape}, tl.{dtype}), y)",
        lambda x, y: [np.where(x == 0, y, x), x], (few, few), EVERYWHERE, writes=True),
]


def words(x):
    """The generator's four, of a counter whose upper word is that of a 64-bit place."""
    wide = x.astype(np.int64 if x.dtype.kind == "i" else np.uint64)
    return philox(7, wide & 0xFFFFFFFF, wide >> 32 & 0xFFFFFFFF if x.itemsize == 8 else 0)


def normals(first, second):
    u = np.maximum(1e-7, first.astype(np.float64))
    radius, angle = np.sqrt(-2 * np.log(u)), 2 * np.pi * second.astype(np.float64)
    return [(radius * f(angle)).astype(np.float32) for f in (np.cos, np.sin)]


def near(result, answer, case):
    np.testing.assert_allclose(result, answer, rtol=1e-5, atol=1e-5)


def taken(*types, but):
    return lambda dtype: None if dtype in types else f"({but})"


COUNTERS = taken(*INTS, but="it counts in integers")
WORDS = taken("int32", "uint32", but="of the 64-bit generator test_random.py has the numbers")
RANDOM = [
    row("tl.philox", "o = x * 0\nr = tl.philox(7, x, o, o, o)", words, types=WORDS),
    row("tl.philox_impl",
        "x = x.to(tl.uint32)\no = x * 0\nr = tl.philox_impl(x, o, o, o, o + 7, o)",
        words, types=WORDS),
    row("tl.randint", "r = tl.randint(7, x)", lambda x: words(x)[0], types=COUNTERS),
    row("tl.randint4x", "r = tl.randint4x(7, x)", words, types=COUNTERS),
    row("tl.rand", "r = tl.rand(7, x)", lambda x: uniform(words(x)[0]), types=COUNTERS),
    row("tl.rand4x", "r = tl.rand4x(7, x)", lambda x: [uniform(v) for v in words(x)],
        types=COUNTERS),
    row("tl.randn", "r = tl.randn(7, x)", lambda x: normals(*map(uniform, words(x)[:2]))[0],
        types=COUNTERS, close=near),
    row("tl.randn4x", "r = tl.randn4x(7, x)", types=COUNTERS, close=near,
        expected=lambda x: normals(*map(uniform, words(x)[:2])) +
        normals(*map(uniform, words(x)[2:]))),
    row("tl.uint_to_uniform_float", "r = tl.uint_to_uniform_float(x)",
        lambda x: uniform(x.view(np.uint32)), types=WORDS),
    row("tl.pair_uniform_to_normal", "r = tl.pair_uniform_to_normal(x, y)", normals,
        (between(0, 1),) * 2, taken("float32", but="uniform numbers are float32"), close=near),
]

ROWS = MEMORY + ATOMICS + RANDOM
