"""The matrix's rows of what works on whole tiles: shapes, indices, reductions, scans, order and
products."""

import ml_dtypes
import numpy as np
from matrix import FLOAT8, every, integers, kind_of, only, row, tiles, whole
from matrix_elementwise import NUMBERS, wide
from support import FLOATS, INTS


def sized(shape):
    return {"size": int(np.prod(shape)), "back": shape[::-1], "head": shape[:-1],
            "order": (*range(1, len(shape)), 0) if shape else ()}


def shaped(name, text, expected, operands=(whole,), **more):
    return row(name, f"r = {text}", expected, operands, facts=sized, **more)


def swapped(x):
    return np.swapaxes(x, -1, -2)


def halves(rng, dtype, shape):
    return whole(rng, dtype, (*shape, 2))


def matrices(message):
    return lambda shape: None if len(shape) > 1 else message


TWO = (whole, whole)
SHAPED = [
    shaped("tl.arange", "tl.arange(0, {size})",
           lambda x, *, size: np.arange(size, dtype=np.int32),
           types=lambda dtype: None if dtype == "int32" else "(it makes int32)",
           shapes=lambda shape: None if len(shape) == 1 else "(it has one dimension)"),
    shaped("tl.full", "tl.full({shape}, 1, tl.{dtype})", np.ones_like),
    shaped("tl.zeros", "tl.zeros({shape}, tl.{dtype})", np.zeros_like),
    shaped("tl.zeros_like", "tl.zeros_like(x)", np.zeros_like),
    shaped("tl.to_tensor", "tl.to_tensor(x)", lambda x: x),
    shaped("tl.ravel", "tl.ravel(x)", np.ravel),
    shaped("tl.reshape", "tl.reshape(x, ({size},))", np.ravel),
    shaped("x.reshape", "x.reshape({back})", lambda x, *, back: x.reshape(back)),
    shaped("tl.view", "tl.view(x, (1, {size}))", lambda x: x.reshape(1, -1)),
    shaped("tl.trans", "tl.trans(x)", swapped,
           shapes=matrices("tl.trans needs a tile of rank 2 or more, found")),
    shaped("x.T", "x.T", np.transpose),
    shaped("tl.permute", "tl.permute(x, {order})", lambda x, *, order: np.transpose(x, order)),
    shaped("tl.expand_dims", "tl.expand_dims(x, 0)", lambda x: x[None]),
    shaped("x[..., None]", "x[..., None]", lambda x: x[..., None]),
    shaped("tl.unsqueeze", "tl.unsqueeze(x, -1)", lambda x: x[..., None]),
    shaped("tl.squeeze", "tl.squeeze(tl.expand_dims(x, 0), 0)", lambda x: x),
    shaped("tl.broadcast_to", "tl.broadcast_to(x[None], (2,) + {shape})",
           lambda x: np.broadcast_to(x, (2, *x.shape))),
    shaped("tl.broadcast", "tl.broadcast(x, y)", lambda x, y: [x, np.broadcast_to(y, x.shape)],
           (whole, lambda rng, dtype, shape: whole(rng, dtype, (*shape[:-1], 1) if shape else ()))),
    shaped("tl.flip", "tl.flip(x, {axis})", lambda x, *, axis: np.flip(x, axis),
           shapes=tiles("tl.flip needs a tile")),
    shaped("tl.flip of dimension 0", "tl.flip(x, 0)", lambda x: np.flip(x, 0),
           shapes=tiles("tl.flip needs a tile")),
    shaped("tl.cat", "tl.cat(x, y, dim={axis})",
           lambda x, y, *, axis: np.concatenate([x, y], axis), TWO,
           shapes=tiles("tl.cat needs|scalar")),
    shaped("tl.join", "tl.join(x, y)", lambda x, y: np.stack([x, y], -1), TWO),
    shaped("tl.split", "tl.split(x)", lambda x: [x[..., 0], x[..., 1]], (halves,)),
    shaped("tl.interleave", "tl.interleave(x, y)",
           lambda x, y: np.stack([x, y], -1).reshape(x.shape[:-1] + (-1,)), TWO),
]


def places(rng, dtype, shape):
    """Of the last dimension."""
    return np.asarray(rng.integers(0, shape[-1] if shape else 1, shape)).astype(np.int32)


def several_places(rng, dtype, shape):
    return rng.integers(0, shape[0] if shape else 1, 7).astype(np.int32)


def one_place(rng, dtype, shape):
    return np.asarray(rng.integers(0, shape[0] if shape else 1)).astype(np.int32)


def last_set(x, y):
    x = x.copy()
    x[-1] = y
    return x


def grouped(x, y):
    """Where 2 rows at a time of a grid of 5 x 6 are walked column by column."""
    order = [(first + row, column) for first in range(0, 5, 2) for column in range(6)
             for row in range(min(2, 5 - first))]
    pairs = np.array(order, np.int32)[x * 6 + y]
    return [pairs[..., 0], pairs[..., 1]]


SUBSCRIPTS = tiles("subscript|a scalar has no elements|indexed")
INDEXED = [
    row("tl.gather", "r = tl.gather(x, y, {axis})",
        lambda x, y, *, axis: np.take_along_axis(x, y, axis), (whole, places),
        shapes=tiles("tl.gather needs")),
    row("x[0]", "r = x[0]", lambda x: x[0], shapes=SUBSCRIPTS),
    row("x[i]", "r = x[y]", lambda x, y: x[y], (whole, one_place), shapes=SUBSCRIPTS),
    row("x[..., -1]", "r = x[..., -1]", lambda x: x[..., -1], shapes=SUBSCRIPTS),
    row("x[0:n]", "r = x[0:{most}]", lambda x, *, most: x[0:most], shapes=SUBSCRIPTS,
        facts=lambda shape: {"most": max(1, shape[0] - 1) if shape else 1}),
    row("x[..., ::-2]", "r = x[..., ::-2]", lambda x: x[..., ::-2], shapes=SUBSCRIPTS),
    row("x[rows]", "r = x[y]", lambda x, y: x[y], (whole, several_places), shapes=SUBSCRIPTS),
    row("x[-1] = v", "x[-1] = y\nr = x", last_set, shapes=SUBSCRIPTS,
        operands=(whole, lambda rng, dtype, shape: whole(rng, dtype, shape[1:]))),
    row("tl.swizzle2d", "r = tl.swizzle2d(x, y, 5, 6, 2)", grouped,
        (lambda rng, dtype, shape: integers(0, 4)(rng, "int32", shape),
         lambda rng, dtype, shape: integers(0, 5)(rng, "int32", shape)),
        types=lambda dtype: None if dtype == "int32" else "(its numbers are int32)"),
]

few = integers(-3, 3)  # whose sums and products are exact in every type


def signs(rng, dtype, shape):
    """1 and -1, whose products are exact; of bits any."""
    x = integers(0, 1)(rng, dtype, shape)
    return x if dtype == "int1" else (x * 2 - 1).astype(x.dtype)


def exact(x):
    """In a type where nothing is rounded; integers as they are."""
    return x if x.dtype.kind in "iub" else x.astype(np.float64)


def sum_type(x):
    if x.dtype == bool or x.dtype.kind == "u" and x.itemsize < 4:
        return np.dtype(np.uint32)
    return np.dtype(np.int32) if x.dtype.kind == "i" and x.itemsize < 4 else x.dtype


def total(x, axis):
    own = {"dtype": sum_type(x)} if x.dtype.kind in "iub" else {}
    return np.asarray(np.sum(exact(x), axis, **own)).astype(sum_type(x))


def running(x, axis):
    own = {"dtype": sum_type(x)} if x.dtype.kind in "iub" else {}
    return wide(np.cumsum(exact(x), axis, **own).astype(sum_type(x)))


def running_product(x, axis):
    if x.dtype == bool:
        return np.logical_and.accumulate(x, axis)
    own = {"dtype": x.dtype} if x.dtype.kind in "iub" else {}
    return wide(np.cumprod(exact(x), axis, **own).astype(x.dtype))


def at_least_32(x):
    """As which the greatest and smallest come."""
    if x.dtype.itemsize >= 4:
        return x
    return x.astype(np.int32 if x.dtype.kind in "iub" else np.float32)


def place(function):
    return lambda x, axis: np.asarray(function(x, axis)).astype(np.int32)


def combined(name, expected, operand=whole, types=None, options="", all_axes=True):
    """Along the last dimension, along the first, and over all."""
    types = types or only(NUMBERS, f"tl.{name} is not defined on float8")
    more = {"operands": (operand,), "types": types, "shapes": tiles(f"tl.{name} .*needs a tile")}
    rows = [row(f"tl.{name}, last dimension{options}", f"r = tl.{name}(x, {{axis}}{options})",
                lambda x, *, axis: expected(x, axis), **more),
            row(f"tl.{name}, first dimension{options}", f"r = tl.{name}(x, 0{options})",
                lambda x: expected(x, 0), **more)]
    if all_axes:
        rows.append(row(f"tl.{name} of all{options}", f"r = tl.{name}(x{options})",
                        lambda x: expected(x, None), (operand,), types))
    return rows


BITS = only(("int1", *INTS), r"integers|is not defined on")
LARGER = "@triton.jit\ndef larger(a, b):\n    return tl.where(a > b, a, b)\n---\n"
COMBINED = [
    *combined("sum", total, few),
    *combined("max", lambda x, axis: at_least_32(np.max(x, axis))),
    *combined("min", lambda x, axis: at_least_32(np.min(x, axis))),
    *combined("argmax", place(np.argmax), few, all_axes=False),
    *combined("argmin", place(np.argmin), few, all_axes=False),
    *combined("max", lambda x, axis: [wide(np.max(x, axis)), place(np.argmax)(x, axis)], few,
              options=", return_indices=True", all_axes=False),
    *combined("xor_sum", np.bitwise_xor.reduce, types=BITS),
    *combined("reduce_or", lambda x, axis: np.bitwise_or.reduce(x, axis), types=BITS,
              all_axes=False),
    row("tl.reduce", LARGER + "r = tl.reduce(x, {axis}, larger)",
        lambda x, *, axis: np.max(x, axis), types=only(NUMBERS, "'>' is not defined on float8"),
        shapes=tiles("tl.reduce .*needs a tile")),
    *combined("cumsum", running, few, all_axes=False),
    *combined("cumsum", lambda x, axis: np.flip(running(np.flip(x, axis), axis), axis), few,
              options=", reverse=True", all_axes=False),
    *combined("cumprod", running_product, signs, all_axes=False),
    row("tl.associative_scan", LARGER + "r = tl.associative_scan(x, {axis}, larger)",
        lambda x, *, axis: np.maximum.accumulate(x, axis),
        types=only(NUMBERS, "'>' is not defined on float8"),
        shapes=tiles("tl.associative_scan needs a tile")),
]


def ordered(x, axis=-1, descending=False):
    result = np.sort(exact(x), axis).astype(x.dtype)
    return np.flip(result, axis) if descending else result


def bitonic(rng, dtype, shape):
    """Upwards, then downwards."""
    x = whole(rng, dtype, shape)
    if not shape:
        return x
    half = shape[-1] // 2
    return np.concatenate([ordered(x)[..., :half], np.flip(ordered(x)[..., half:], -1)], -1)


def sorts(name):
    return {"shapes": tiles(f"tl.{name} needs a tile")}


ORDERED = [
    row("tl.sort", "r = tl.sort(x)", lambda x: ordered(x), **sorts("sort")),
    row("tl.sort, descending", "r = tl.sort(x, {axis}, descending=True)",
        lambda x: ordered(x, -1, True), **sorts("sort")),
    row("tl.sort, first dimension", "r = tl.sort(x, 0)", lambda x: ordered(x, 0), **sorts("sort")),
    row("tl.topk", "r = tl.topk(x, {most})", lambda x, *, most: ordered(x, -1, True)[..., :most],
        facts=lambda shape: {"most": min(3, *shape, 3) if shape else 1}, **sorts("topk")),
    row("tl.bitonic_merge", "r = tl.bitonic_merge(x)", lambda x: ordered(x), (bitonic,),
        **sorts("bitonic_merge")),
    row("tl.histogram", "r = tl.histogram(x, 13)",
        lambda x: np.bincount(x.astype(np.int64), minlength=13).astype(np.int32),
        (integers(0, 12),),
        types=only(("int1", *INTS), "tl.histogram needs a tile of integers with one dimension"),
        shapes=lambda shape: None if len(shape) == 1 else
        "tl.histogram needs a tile of integers with one dimension"),
]


def product(x, y):
    kind = np.int32 if x.dtype.kind in "iu" else np.float64
    result = np.matmul(x.astype(kind), y.astype(kind))
    return result.astype(np.float32) if x.dtype.kind not in "iu" and x.itemsize < 8 else result


def other_side(rng, dtype, shape):
    """17 columns for the rows' products."""
    return few(rng, dtype, (*shape[:-2], shape[-1], 17) if len(shape) > 1 else shape)


DOTS = {"operands": (few, other_side),
        "types": only(("int8", "uint8", *FLOATS, *FLOAT8), r"tl.dot works on int8, uint8, float8"),
        "shapes": matrices("tl.dot needs two tiles of rank 2")}
FORMATS = {"bfloat16": "bf16", "float16": "fp16", "float8e5": "e5m2", "float8e4nv": "e4m3"}
FORMAT = "\n".join(f"if x.dtype == tl.{dtype}:\n    f: tl.constexpr = '{form}'"
                   for dtype, form in FORMATS.items())
PRODUCTS = [
    row("tl.dot_scaled", FORMAT + "\nr = tl.dot_scaled(x, None, f, y, None, f)", product,
        (few, other_side),
        shapes=matrices("tl.dot_scaled needs tiles of rank 2"),
        types=lambda dtype: None if dtype in FORMATS else "(it is no format)"),
    row("tl.dot", "r = tl.dot(x, y)", product, **DOTS),
    row("x @ y", "r = x @ y", product, **DOTS),
    row("tl.dot with acc", "r = tl.dot(x, y, acc=tl.dot(x, y))",
        lambda x, y: 2 * product(x, y), **DOTS),
]

ROWS = SHAPED + INDEXED + COMBINED + ORDERED + PRODUCTS
