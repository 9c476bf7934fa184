"""x[...] and x[...] = v on tiles: NumPy's rules, and NumPy is asked.

Each program is one line of text that a kernel compiles and that Python executes on arrays; the
seed names it."""

import random

import numpy as np
import pytest
import tritium as triton
import tritium.c
import tritium.language as tl
from support import kernels_from

EXTENTS = (1, 2, 3, 4, 5, 8, 16)


def tile_of(pointer, shape):
    """The text of a load of a whole array."""
    offsets, stride = [], 1
    for d in reversed(range(len(shape))):
        place = ", ".join(":" if i == d else "None" for i in range(len(shape)))
        offsets.append(f"tl.arange(0, {shape[d]})[{place}] * {stride}")
        stride *= shape[d]
    return f"{pointer} + {' + '.join(offsets) or 0}"


def subscript(rng, shape, tiles):
    """A random subscript of an array of that shape; fills `tiles` with the arrays that it names."""
    named = rng.randrange(len(shape) + 1)
    items = []
    tile_at = rng.randrange(named) if named and rng.random() < 0.4 else -1
    tile_count = rng.randrange(1, min(3, named - tile_at) + 1) if tile_at >= 0 else 0
    full = [rng.choice(EXTENTS[:5]) for _ in range(rng.randrange(1, 3))] if tile_count else []
    for d in range(named):
        extent = shape[d]
        if tile_at <= d < tile_at + tile_count and tile_at >= 0:
            own = full[rng.randrange(len(full)):] if d != tile_at else full
            own = [rng.choice((1, n)) for n in own] if d != tile_at else own
            name = f"r{len(tiles)}"
            tiles[name] = np.array([rng.randrange(-extent, extent)
                                    for _ in range(int(np.prod(own)))], np.int32).reshape(own)
            items.append(name)
            continue
        kind = rng.randrange(4)
        if kind == 0 and tile_at < 0:
            items.append(rng.choice((str(rng.randrange(-extent, extent)), "i", "-1")))
        elif kind == 1:
            items.append(":")
        else:
            while True:
                a, b = (rng.choice(("", rng.randrange(-extent - 1, extent + 2)))
                        for _ in range(2))
                step = rng.choice(("", "", 1, 2, 3, -1, -2, 7))
                text = f"{a}:{b}:{step}" if step != "" else f"{a}:{b}"
                if len(eval(f"range({extent})[{text}]")):
                    break
            items.append(text)
    if tile_at < 0:
        for _ in range(rng.choice((0, 0, 1, 2))):
            items.insert(rng.randrange(len(items) + 1), "None")
    if not items or rng.random() < 0.2:
        items.append("...")
    return ", ".join(items)


def program(seed):
    rng = random.Random(seed)
    while True:
        shape = [rng.choice(EXTENTS) for _ in range(rng.randrange(1, 4))]
        i = rng.randrange(-min(shape), min(shape))
        tiles = {}
        where = subscript(rng, shape, tiles)
        x = np.zeros(shape)
        if eval(f"x[{where}]", {"x": x, "i": i, **tiles}).size <= 4096:
            return rng, shape, i, tiles, where


def loads(shape, tiles):
    lines = [f"    x = tl.load({tile_of('x_ptr', shape)})"]
    lines += [f"    {name} = tl.load({tile_of(name + '_ptr', value.shape)})"
              for name, value in tiles.items()]
    return lines


@pytest.mark.parametrize("seed", range(60))
def test_reading(backend, seed):
    _, shape, i, tiles, where = program(seed)
    x = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
    expected = np.asarray(eval(f"x[{where}]", {"x": x, "i": i, **tiles}))
    parameters = "".join(f", {name}_ptr" for name in tiles)
    text = [f"@triton.jit\ndef kernel(x_ptr, out_ptr, i{parameters}):", *loads(shape, tiles),
            f"    tl.store({tile_of('out_ptr', expected.shape)}, x[{where}])"]
    kernel = kernels_from("\n".join(text) + "\n").kernel
    out = np.zeros(expected.shape, np.float32)
    kernel[(1,)](x, out, i, *tiles.values())
    assert (out == expected).all(), text


@pytest.mark.parametrize("seed", range(60))
def test_writing(backend, seed):
    rng, shape, i, tiles, where = program(seed + 1000)
    x = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
    expected = x.copy()
    selected = eval(f"x[{where}]", {"x": x, "i": i, **tiles}).shape
    own = [rng.choice((1, n, n)) for n in selected[rng.randrange(len(selected) + 1):]]
    v = np.random.default_rng(seed + 7).standard_normal(own).astype(np.float32)
    exec(f"x[{where}] = v", {"x": expected, "i": i, "v": v, **tiles})
    parameters = "".join(f", {name}_ptr" for name in tiles)
    text = [f"@triton.jit\ndef kernel(x_ptr, v_ptr, out_ptr, i{parameters}):", *loads(shape, tiles),
            f"    v = tl.load({tile_of('v_ptr', v.shape)})", "    old = x",
            f"    x[{where}] = v",
            f"    tl.store({tile_of('out_ptr', shape)}, x)",
            f"    tl.store({tile_of('x_ptr', shape)}, old)"]
    kernel = kernels_from("\n".join(text) + "\n").kernel
    out, before = np.zeros(shape, np.float32), x.copy()
    kernel[(1,)](x, v, out, i, *tiles.values())
    assert (out == expected).all(), text
    assert (x == before).all(), "the tile that was bound to another name has changed"


C_READING = """void kernel(float *x_ptr, float *out, int i{parameters}) {{
    float x{tile} = *(x_ptr + {x});
{loads}
    *(out + {places}) = x[{where}];
}}"""
C_WRITING = """void kernel(float *x_ptr, float *out, int i{parameters}) {{
    float x{tile} = *(x_ptr + {x});
{loads}
    x[{where}] = 2 * x[{where}];
    *(out + {x}) = x;
}}"""


def c_places(shape):
    """The text of a tile of the positions in an array."""
    parts, stride = [], 1
    for d in reversed(range(len(shape))):
        axes = ", ".join(":" if i == d else "newaxis" for i in range(len(shape)))
        parts.append(f"(0 ... {shape[d]})[{axes}] * {stride}")
        stride *= shape[d]
    return f"({' + '.join(parts) or 0})"


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("text", (C_READING, C_WRITING), ids=("reading", "writing"))
def test_in_triton_c(backend, seed, text):
    _, shape, i, tiles, where = program(seed + 2000)
    named = [item for item in where.split(", ") if item not in ("...", "None")]
    where = ", ".join(where.replace("None", "newaxis").replace(", ...", "").split(", ") +
                      [":"] * (len(shape) - len(named)))
    where = where.replace("..., ", "").replace("...", ":")
    x = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
    names = {"x": x, "i": i, "newaxis": None, **tiles}
    expected = np.asarray(eval(f"x[{where}]", names))
    if text is C_WRITING:
        names["x"] = x.copy()
        exec(f"x[{where}] = 2 * x[{where}]", names)
        expected = names["x"]
    code = text.format(
        parameters="".join(f", int *{name}_ptr" for name in tiles), x=c_places(shape), where=where,
        tile=str(list(shape)), places=c_places(expected.shape),
        loads="\n".join(
            f"    int {name}{list(value.shape)} = *({name}_ptr + {c_places(value.shape)});"
            for name, value in tiles.items()))
    out = np.zeros(expected.shape, np.float32)
    triton.c.kernel(code)(x, out, i, *tiles.values(), grid=(1,))
    assert (out == expected).all(), code


@triton.jit
def running_maximum(x_ptr, out_ptr, N: tl.constexpr):
    """A loop carries the tile whose elements it assigns to."""
    x = tl.load(x_ptr + tl.arange(0, N))
    for i in range(1, N):
        x[i] = tl.maximum(x[i], x[i - 1])
    x[0] += 100
    x[1::2] *= 2
    tl.store(out_ptr + tl.arange(0, N), x)


@pytest.mark.parametrize("n", (3, 16, 80))
def test_elements_in_a_loop(backend, rng, n):
    x = rng.integers(-50, 50, n).astype(np.int32)
    out = np.zeros(n, np.int32)
    running_maximum[(1,)](x, out, N=n)
    expected = np.maximum.accumulate(x)
    expected[0] += 100
    expected[1::2] *= 2
    assert (out == expected).all()


@triton.jit
def chosen_pointers(x_ptr, out_ptr, i):
    pointers = x_ptr + tl.arange(0, 16)
    tl.store(out_ptr, tl.load(pointers[i]))
    tl.store(out_ptr + 1, tl.load(pointers[3]))
    tl.store(out_ptr + 2 + tl.arange(0, 4), tl.load(pointers[4:8]))
    tl.atomic_add(pointers[i], 100)


def test_tiles_of_pointers(backend):
    x, out = np.arange(16, dtype=np.int32), np.zeros(6, np.int32)
    chosen_pointers[(1,)](x, out, 9)
    assert out.tolist() == [9, 3, 4, 5, 6, 7] and x[9] == 109


@triton.jit
def chosen_once(out_ptr):
    x = tl.zeros((8,), tl.int32)
    y = tl.zeros((4, 8), tl.int32)
    x[tl.atomic_add(out_ptr, 1)] += 5
    y[tl.atomic_add(out_ptr, 1)][tl.atomic_add(out_ptr, 1)] += 7
    tl.store(out_ptr + 8 + tl.arange(0, 8), x)
    tl.store(out_ptr + 16 + tl.arange(0, 32).reshape(4, 8), y)


def test_what_chooses_elements_is_evaluated_once(backend):
    out = np.zeros(48, np.int32)
    chosen_once[(1,)](out)
    expected = np.zeros(48, np.int32)
    expected[[0, 8, 16 + 8 + 2]] = 3, 5, 7
    assert (out == expected).all()


@pytest.mark.parametrize("dtype", ("int8", "int16", "int64", "uint8", "uint32", "float16",
                                   "float64", "bool"))
@pytest.mark.parametrize("index", ("int32", "int8", "int64", "uint8", "uint32"))
def test_types(backend, rng, dtype, index):
    kernel = kernels_from("""@triton.jit
def kernel(x_ptr, r_ptr, out_ptr):
    i = tl.arange(0, 16)
    x = tl.load(x_ptr + i)
    r = tl.load(r_ptr + tl.arange(0, 8))
    x[r[::2]] = x[r[1::2]]
    tl.store(out_ptr + i, x)
""").kernel
    x = rng.integers(0, 2 if dtype == "bool" else 100, 16).astype(dtype)
    r = rng.permutation(16)[:8].astype(index)
    out = np.zeros(16, dtype)
    kernel[(1,)](x, r, out)
    x[r[::2]] = x[r[1::2]]
    assert (out == x).all()


@pytest.mark.parametrize("statement,message", [
    ("y = x[16]", "subscript constexpr 16 is out of range for dimension 0, which has 16 elements"),
    ("y = x[-17]", "out of range"),
    ("y = x[3:3]", "this slice of dimension 0, which has 16 elements, is empty"),
    ("y = x[n:n + 4]", "must be known at compile time.*tl.arange"),
    ("y = x[0, 1]", "too many subscripts: 2 dimensions are named, but the shape is"),
    ("y = x[0.5]", "is subscripted with integers.*found constexpr 0.5"),
    ("y = x[x > 1]", "a tile of booleans.*tl.where"),
    ("y = x[::0]", "the step of a slice must not be 0"),
    ("x[0:4] = tl.arange(0, 3)", r"cannot assign int32\[3\] to elements of shape \[4\]"),
    ("x[0] = tl.arange(0, 3)", r"cannot assign int32\[3\] to elements of shape \[\]"),
    ("n[0] = 1", "a scalar has no elements to assign to"),
    ("t = (1, 2)\n    t[0] = 1", "the elements of .* cannot be assigned to; only those of a tile"),
    ("z = tl.zeros((4, 4, 4), tl.float32)\n    y = z[0, :, r]", "must stand next to"),
    ("z = tl.zeros((4, 4), tl.float32)\n    z[r][0] = 1",
     "this is a copy of elements, as in NumPy"),
    ("tl.arange(0, 4)[1] = 4", "only elements of a tile that has a name can be assigned to"),
    ("out[0] = 4", "a scalar has no elements to assign to; tl.store writes to memory"),
    ("y = out[0]", r"a pointer cannot be subscripted; tl.load\(p \+ i\) reads memory"),
    ("y = tl.zeros((16384,), tl.int32)\n    y[tl.arange(0, 4096)] = 1",
     "this assignment compares 4096 indices with 16384 places, which is too many"),
    ("x[r] = 1\n    y = x[r[None, :], r]", "too many subscripts"),
])
def test_messages(statement, message):
    kernel = kernels_from(f"""@triton.jit
def kernel(out, n):
    x = tl.arange(0, 16)
    r = tl.arange(0, 4)
    {statement}
""").kernel
    with pytest.raises(triton.CompilationError, match=message):
        kernel[(1,)](np.zeros(1, np.int32), 3)


@triton.jit
def one_of(out_ptr, i):
    x = tl.arange(0, 16) * 2
    tl.store(out_ptr, x[i])


@pytest.mark.parametrize("i", (-17, 16, 2**31 - 1))
def test_out_of_range(backend, i):
    with pytest.raises(triton.errors.DeviceAssertionError,
                       match="out of range for dimension 0, which has 16 elements"):
        one_of[(1,)](np.zeros(1, np.int32), i, debug=True)


@triton.jit
def picked(x_ptr, out_ptr, i, j, n, M: tl.constexpr, N: tl.constexpr):
    """One element of a tile: of one that is used otherwise, too, of memory that changes between,
    in a loop, and of a scan."""
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + at, mask=at < n, other=7) * 2
    tl.store(out_ptr, x[i, j])
    tl.store(out_ptr + 1, x[i, j] + tl.sum(x))
    tl.store(x_ptr + at, x + 1)
    tl.store(out_ptr + 2, x[i, j])
    row = tl.load(x_ptr + tl.arange(0, N))
    tl.store(out_ptr + 3, row[j])
    s = 0
    for k in range(3):
        s += x[k, j] + row[k]
        tl.store(x_ptr + tl.arange(0, N), row * 0)
    tl.store(out_ptr + 4, s)
    tl.store(out_ptr + 5, tl.cumsum(row, 0)[j])
    tl.store(out_ptr + 6 + tl.arange(0, N), row + row[j])


@pytest.mark.parametrize("i,j", [(0, 0), (2, 3), (-1, -2)])
@pytest.mark.parametrize("M,N", [(3, 5), (8, 64), (7, 100)])
def test_one_element(backend, rng, M, N, i, j):
    for n in (M * N, 4):
        x = rng.integers(0, 99, (M, N)).astype(np.int32)
        y = np.where(np.arange(M * N).reshape(M, N) < n, x, 7) * 2
        out = np.zeros(6 + N, np.int32)
        picked[(1,)](x, out, i, j, n, M=M, N=N)
        row = y[0] + 1
        of_rounds = sum(y[k, j] + row[k] for k in range(3))
        expected = [y[i, j], y[i, j] + y.sum(), y[i, j], row[j], of_rounds, np.cumsum(row)[j]]
        np.testing.assert_array_equal(out, np.concatenate([expected, row + row[j]]))


@triton.jit
def picked_in_rounds(x_ptr, out_ptr, n, M: tl.constexpr, N: tl.constexpr):
    """What a loop takes elements of is reshaped in front of it."""
    x = tl.load(x_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    flat = tl.reshape(x, (M * N,))
    s = 0
    for k in range(n):
        s = s * 3 + flat[k * 2]
    tl.store(out_ptr, s)


@pytest.mark.parametrize("M,N", [(4, 16), (5, 33)])
def test_one_element_a_round(backend, rng, M, N):
    x, out, expected = rng.integers(0, 99, (M, N)).astype(np.int32), np.zeros(1, np.int32), 0
    picked_in_rounds[(1,)](x, out, 12, M=M, N=N)
    for k in range(12):
        expected = expected * 3 + int(x.reshape(-1)[k * 2])
    assert out[0] == expected
