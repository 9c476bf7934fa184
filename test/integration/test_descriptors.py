"""Tensor descriptors: blocks at every edge of an array and beyond it, made in kernels and
passed to them."""

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from blocks import block_of, check_edges, pitched, put_block, strides_of
from support import DTYPES, assert_same, kernels_from, random_array
from tritium.tools.tensor_descriptor import TensorDescriptor

OFFSETS = [(0, 0), (3, 5), (-3, 0), (0, -7), (-16, -32), (13, 40), (18, 30), (19, 0), (20, 45),
           (-15, -31), (100, 0), (0, 1000), (-2**31, 0), (2**31 - 1, 2**31 - 1)]


@triton.jit
def move(x_ptr, out_ptr, M, N, stride, i, j, oi, oj, BM: tl.constexpr, BN: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [M, N], [stride, 1], [BM, BN])
    out = tl.make_tensor_descriptor(out_ptr, shape=(M, N), strides=(stride, 1),
                                    block_shape=(BM, BN))
    out.store([oi, oj], x.load([i, j]))


@pytest.mark.parametrize("i,j", OFFSETS)
def test_edges(backend, rng, i, j):
    check_edges(move, rng, i, j)


@triton.jit
def double_all(x_ptr, out_ptr, M, N, stride, BM: tl.constexpr, BN: tl.constexpr,
               PADDING: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [M, N], [stride, 1], [BM, BN], PADDING)
    out = tl.make_tensor_descriptor(out_ptr, [M, N], [stride, 1], [BM, BN])
    for j in range(0, N, BN):
        block = tl.load_tensor_descriptor(x, [tl.program_id(0) * BM, j])
        tl.store_tensor_descriptor(out, [tl.program_id(0) * BM, j], block + block)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("m,n", [(64, 64), (1, 1), (37, 100), (65, 31), (16, 781)])
def test_partial_tiles(backend, rng, dtype, m, n):
    x = pitched(random_array(rng, (m, n), dtype))
    out = pitched(np.zeros_like(x))
    double_all[(-(-m // 16),)](x, out, m, n, strides_of(x)[0], BM=16, BN=64, PADDING="zero")
    with np.errstate(over="ignore"):
        assert_same(out.copy(), x + x)


@triton.jit
def spread_block(x_ptr, out_ptr, N, i, B: tl.constexpr, PADDING: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [N], [1], [B], padding_option=PADDING)
    tl.store(out_ptr + tl.arange(0, B), x.load([i]))


@pytest.mark.parametrize("dtype", ("float16", "bfloat16", "float32", "float64"))
@pytest.mark.parametrize("padding", ("zero", "nan"))
@pytest.mark.parametrize("i", (0, -5, 90, 1000))
def test_padding_1d(backend, rng, dtype, padding, i):
    x = random_array(rng, 100, dtype)
    out = np.ones(32, x.dtype)
    spread_block[(1,)](x, out, 100, i, B=32, PADDING=padding)
    assert_same(out, block_of(x, (i,), (32,), np.nan if padding == "nan" else 0))


@triton.jit
def move_3d(x_ptr, out_ptr, A, B, C, sa, sb, i, j, k, BA: tl.constexpr, BB: tl.constexpr,
            BC: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [A, B, C], [sa, sb, 1], [BA, BB, BC])
    out = tl.make_tensor_descriptor(out_ptr, [A, B, C], [sa, sb, 1], [BA, BB, BC])
    out.store([0, 1, 2], x.load([i, j, k]))


@pytest.mark.parametrize("start", [(0, 0, 0), (1, 2, 16), (-1, -2, -3), (4, 8, 20), (9, 0, 0)])
@pytest.mark.parametrize("dtype", ("int8", "float16", "float32"))
def test_3d(backend, rng, dtype, start):
    x = pitched(random_array(rng, (5, 9, 21), dtype))
    out = pitched(np.zeros_like(x))
    expected = out.copy()
    move_3d[(1,)](x, out, 5, 9, 21, *strides_of(x)[:2], *start, BA=4, BB=8, BC=16)
    put_block(expected, (0, 1, 2), block_of(x, start, (4, 8, 16)))
    assert_same(out.copy(), expected)


@triton.jit
def move_5d(x_ptr, out_ptr, S: tl.constexpr, T: tl.constexpr, B: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, S, T, B)
    out = tl.make_tensor_descriptor(out_ptr, S, T, B)
    out.store([1, 0, 1, 0, 0], x.load([0, 1, 0, -1, 1]))


def test_5d(backend, rng):
    x = random_array(rng, (2, 3, 2, 3, 16), "float32")
    out = np.zeros_like(x)
    expected = out.copy()
    move_5d[(1,)](x, out, S=x.shape, T=tuple(strides_of(x)), B=(2, 2, 1, 2, 16))
    put_block(expected, (1, 0, 1, 0, 0), block_of(x, (0, 1, 0, -1, 1), (2, 2, 1, 2, 16)))
    assert_same(out, expected)


def test_any_extent(backend, rng):
    """Blocks need not be powers of two."""
    x = pitched(random_array(rng, (50, 70), "float32"))
    out = pitched(np.zeros_like(x))
    expected = out.copy()
    move[(1,)](x, out, 50, 70, strides_of(x)[0], 30, 40, 0, 3, BM=25, BN=37)
    put_block(expected, (0, 3), block_of(x, (30, 40), (25, 37)))
    assert_same(out.copy(), expected)


@triton.jit
def describe(x: tl.tensor_descriptor, out_ptr):
    tl.static_assert(x.dtype == tl.float16)
    tl.static_assert(x.block_shape == (8, 32))
    tl.static_assert(isinstance(x, tl.tensor_descriptor))
    tl.static_assert(not isinstance(x, tl.tensor))
    tl.store(out_ptr, x.shape[0])
    tl.store(out_ptr + 1, x.shape[1])
    tl.store(out_ptr + 2, x.strides[0])
    tl.store(out_ptr + 3, x.strides[1])


def test_attributes(backend):
    out = np.zeros(4, np.int64)
    describe[(1,)](TensorDescriptor(np.zeros((20, 40), np.float16), [19, 39], [40, 1], [8, 32]),
                   out)
    assert list(out) == [19, 39, 40, 1]


#===-- Atomics, rows ------------------------------------------------------===#


@triton.jit
def combine(x_ptr, y_ptr, M, N, i, j, OP: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    y = tl.make_tensor_descriptor(y_ptr, [BM, BN], [BN, 1], [BM, BN])
    x = tl.make_tensor_descriptor(x_ptr, [M, N], [N, 1], [BM, BN])
    value = y.load([0, 0])
    if OP == "add":
        x.atomic_add([i, j], value)
    elif OP == "min":
        x.atomic_min([i, j], value)
    elif OP == "max":
        x.atomic_max([i, j], value)
    elif OP == "and":
        x.atomic_and([i, j], value)
    elif OP == "or":
        x.atomic_or([i, j], value)
    else:
        x.atomic_xor([i, j], value)


ATOMICS = {"add": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and,
           "or": np.bitwise_or, "xor": np.bitwise_xor}


@pytest.mark.parametrize("op,dtype", [
    *[(op, dtype) for op in ATOMICS for dtype in ("int32", "uint32", "int64", "uint64")],
    ("add", "float16"), ("add", "bfloat16"), ("add", "float32"), ("min", "float32")])
@pytest.mark.parametrize("i,j", [(0, 0), (-3, 20)])
def test_atomics(backend, rng, op, dtype, i, j):
    x = random_array(rng, (12, 32), dtype)
    y = random_array(rng, (8, 16), dtype)
    expected = x.copy()
    with np.errstate(over="ignore"):
        put_block(expected, (i, j), ATOMICS[op](block_of(x, (i, j), y.shape), y))
    combine[(1,)](x, y, 12, 32, i, j, OP=op, BM=8, BN=16)
    assert_same(x, expected)


@triton.jit
def move_rows(x_ptr, rows_ptr, out_ptr, M, N, column, R: tl.constexpr, C: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [M, N], [N, 1], [1, C])
    out = tl.make_tensor_descriptor(out_ptr, [M, N], [N, 1], [1, C])
    rows = tl.load(rows_ptr + tl.arange(0, R))
    out.scatter(x.gather(rows, column), rows, column - 1)


@pytest.mark.parametrize("dtype", ("int16", "int32"))
@pytest.mark.parametrize("column", (1, 5, -3, 20))
def test_gather_and_scatter(backend, rng, dtype, column):
    x = random_array(rng, (40, 32), "float32")
    out, expected = np.zeros((2, *x.shape), x.dtype)
    rows = rng.permutation(60)[:16].astype(dtype) - 10
    move_rows[(1,)](x, rows, out, 40, 32, column, R=16, C=16)
    for row in rows:
        put_block(expected, (row, column - 1), block_of(x, (row, column), (1, 16)))
    assert_same(out, expected)


#===-- Control flow and calls ----------------------------------------------===#


@triton.jit
def make_descriptor(ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    return tl.make_tensor_descriptor(ptr, [M, N], [N, 1], [BM, BN])


@triton.jit
def load_twice(desc, i):
    return desc.load([i, 0]) + desc.load([i, 16])


@triton.jit
def travel(a_ptr, b_ptr, out_ptr, M, N, which, BM: tl.constexpr):
    first = make_descriptor(a_ptr, M, N, BM, 16)
    second = make_descriptor(b_ptr, M, N, BM, 16)
    if which > 0:
        source = first
    else:
        source = second
    other = first if which > 1 else second
    total = tl.zeros([BM, 16], tl.float32)
    for i in range(0, M, BM):
        total += load_twice(source, i)
        source, other = other, source
    n = 0
    while n < 2:
        total += source.load([0, n])
        source = other
        n += 1
    tl.store(out_ptr + tl.arange(0, BM)[:, None] * 16 + tl.arange(0, 16)[None, :], total)


@pytest.mark.parametrize("which", (0, 1, 2))
def test_control_flow(backend, rng, which):
    a, b = (random_array(rng, (24, 32), "float32") for _ in range(2))
    out = np.zeros((8, 16), np.float32)
    travel[(1,)](a, b, out, 24, 32, which, BM=8)
    source, other = (a if which > 0 else b), (a if which > 1 else b)
    expected = np.zeros_like(out)
    for i in range(0, 24, 8):
        expected += source[i:i + 8, :16] + source[i:i + 8, 16:]
        source, other = other, source
    expected += source[:8, :16]
    expected += other[:8, 1:17]
    np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-5)


@triton.jit(noinline=True)
def rows_from(desc, i):
    if i >= desc.shape[0]:
        return desc, tl.zeros(desc.block_shape, tl.float32)
    return desc, desc.load([i, 0])


@triton.jit
def call_with_descriptor(x_ptr, out_ptr, M, N, i, BM: tl.constexpr, BN: tl.constexpr):
    x = make_descriptor(x_ptr, M, N, BM, BN)
    same, block = rows_from(x, i)
    block += same.load([0, 1])
    tl.store(out_ptr + tl.arange(0, BM)[:, None] * BN + tl.arange(0, BN)[None, :], block)


@pytest.mark.parametrize("i", (0, 20, 24))
def test_functions_that_are_not_inlined(backend, rng, i):
    x = random_array(rng, (24, 32), "float32")
    out = np.zeros((8, 32), np.float32)
    call_with_descriptor[(1,)](x, out, 24, 32, i, BM=8, BN=32)
    np.testing.assert_array_equal(out, block_of(x, (i, 0), (8, 32)) + block_of(x, (0, 1), (8, 32)))


@triton.jit
def far_block(x_ptr, out_ptr, N, i, j, B: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [N], [1], [B])
    tl.store(out_ptr + tl.arange(0, B), x.load([i * j]))


def test_offsets_do_not_wrap(backend):
    """i * j is 2^32, which is 0 in 32 bits: beyond the array, not at its start."""
    out = np.ones(16, np.float32)
    far_block[(1,)](np.ones(64, np.float32), out, 64, 2**16, 2**16, B=16)
    assert not out.any()


DOUBLINGS = "\n".join("        j = j + j" for _ in range(60))
LONG_OFFSET = f"""
@triton.jit
def kernel(x_ptr, out_ptr, n, B: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [n], [1], [B])
    total = tl.zeros([B], tl.float32)
    for i in range(n):
        j = i
{DOUBLINGS}
        total += x.load([j])
    tl.store(out_ptr + tl.arange(0, B), total)
"""


def test_long_offset(backend):
    """Each sum uses the one in front of it twice: looking at every path would never end."""
    out = np.zeros(16, np.float32)
    kernels_from(LONG_OFFSET).kernel[(1,)](np.ones(3, np.float32), out, 3, B=16)
    assert np.array_equal(out, np.arange(16) < 3)


#===-- Descriptors from the host --------------------------------------------===#


@triton.jit
def copy(x, out, i, j):
    out.store([0, 0], x.load([i, j]))


@pytest.mark.parametrize("dtype", DTYPES)
def test_host_descriptor(backend, rng, dtype):
    x = pitched(random_array(rng, (19, 45), dtype))
    out = np.ones((16, 32), x.dtype)
    copy[(1,)](TensorDescriptor.from_tensor(x, [16, 32]),
               TensorDescriptor.from_tensor(out, [16, 32]), 10, 20)
    assert_same(out, block_of(x, (10, 20), (16, 32)))


def test_host_padding(backend):
    out = np.zeros((4, 16), np.float32)
    x = np.zeros((4, 16), np.float32)
    copy[(1,)](TensorDescriptor(x, [4, 16], [16, 1], [4, 16], padding="nan"),
               TensorDescriptor.from_tensor(out, [4, 16]), 2, 0)
    assert np.isnan(out[2:]).all() and not out[:2].any()


@triton.jit(do_not_specialize=["x", "out"])
def copy_unspecialized(x, out):
    out.store([0, 0], x.load([1, 2]))


def test_without_specialization(backend, rng):
    x = random_array(rng, (4, 16), "float32")
    out = np.zeros_like(x)
    copy_unspecialized[(1,)](TensorDescriptor.from_tensor(x, x.shape),
                             TensorDescriptor.from_tensor(out, x.shape))
    assert_same(out, block_of(x, (1, 2), x.shape))


@triton.jit
def copy_typed(x_ptr, out_ptr, m, n, i, B: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [m.to(tl.int64), n.to(tl.uint32)],
                                  [n.to(tl.int16), 1], [B, B])
    out = tl.make_tensor_descriptor(out_ptr, [m, n], [n.to(tl.int64), 1], [B, B])
    out.store([i.to(tl.int8), 0], x.load([i.to(tl.int64), i.to(tl.uint8)]))


@pytest.mark.parametrize("dtype", ("bool", "int8", "float64"))
def test_integer_types(backend, rng, dtype):
    """Extents, strides and offsets may have any integer type."""
    x = random_array(rng, (20, 32), dtype)
    out = np.zeros_like(x)
    expected = out.copy()
    copy_typed[(1,)](x, out, 20, 32, 3, B=16)
    put_block(expected, (3, 0), block_of(x, (3, 3), (16, 16)))
    assert_same(out, expected)


def test_block_shape_of_each_launch(backend, rng):
    """Another block shape is another variant."""
    x = random_array(rng, (16, 64), "float32")
    source = TensorDescriptor.from_tensor(x, [16, 64])
    for block in ([16, 64], [4, 16], [1, 8]):
        out = np.zeros(block, np.float32)
        source.block_shape = block
        copy[(1,)](source, TensorDescriptor.from_tensor(out, block), 0, 0)
        assert_same(out, x[:block[0], :block[1]])


def set_block(args):
    args["x"].block_shape = args["out"].block_shape = [args["BM"], 32]


@triton.autotune([triton.Config({"BM": bm}, pre_hook=set_block) for bm in (8, 16)], key=["M"])
@triton.jit
def tuned(x, out, M, BM: tl.constexpr):
    tl.static_assert(x.block_shape[0] == BM)
    out.store([tl.program_id(0) * BM, 0], x.load([tl.program_id(0) * BM, 0]))


def test_autotune_sets_block_shape(backend, rng):
    x = random_array(rng, (48, 32), "float32")
    out = np.zeros_like(x)
    tuned[lambda meta: (-(-48 // meta["BM"]),)](
        TensorDescriptor.from_tensor(x, [1, 1]), TensorDescriptor.from_tensor(out, [1, 1]), 48)
    assert_same(out, x)


@triton.jit
def sum_of_tuple(arrays, out_ptr, B: tl.constexpr):
    offs = tl.arange(0, B)
    total = tl.zeros([B], tl.float32)
    for array, n in arrays:
        total += tl.load(array + offs, mask=offs < n, other=0)
    tl.store(out_ptr + offs, total)


def test_tuple_of_arrays(backend, rng):
    """A tuple that holds arrays is a tuple of run-time arguments."""
    a, b = (random_array(rng, 16, "float32") for _ in range(2))
    out = np.zeros(16, np.float32)
    sum_of_tuple[(1,)](((a, 16), (b, 5)), out, B=16)
    assert_same(out, a + np.where(np.arange(16) < 5, b, np.float32(0)))


#===-- Matrix products --------------------------------------------------------===#


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BN, BK])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN])
    i = tl.program_id(0) * BM
    j = tl.program_id(1) * BN
    total = tl.zeros([BM, BN], tl.float32)
    for k in range(tl.cdiv(K, BK)):
        total = tl.dot(a.load([i, k * BK]), b.load([j, k * BK]).T, total)
    c.store([i, j], total.to(c.dtype))


@pytest.mark.parametrize("m,n,k", [(64, 64, 64), (50, 72, 40), (33, 8, 104)])
def test_matmul(backend, rng, m, n, k):
    a = rng.standard_normal((m, k)).astype(np.float16)
    b = rng.standard_normal((n, k)).astype(np.float16)
    c = np.zeros((m, n), np.float16)
    matmul[(-(-m // 32), -(-n // 32))](a, b, c, m, n, k, BM=32, BN=32, BK=16)
    exact = a.astype(np.float32) @ b.astype(np.float32).T
    np.testing.assert_allclose(c.astype(np.float32), exact, rtol=2e-3, atol=2e-2)


#===-- Bad input -----------------------------------------------------------===#


@triton.jit
def sum_rows(x_ptr, out_ptr, M, N, stride, BM: tl.constexpr, BN: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [M, N], [stride, 1], [BM, BN])
    tl.store(out_ptr + tl.arange(0, BM), tl.sum(x.load([0, 0]), 1))


@pytest.mark.parametrize("shift,stride,message", [(1, 32, "aligned to 16 bytes"),
                                                  (0, 30, "multiple of 4 elements")])
def test_broken_promises(backend, monkeypatch, shift, stride, message):
    """What the rules promise is checked when debugging. On the host, a broken promise is
    nothing but slow."""
    x = np.arange(1024, dtype=np.float32)
    out = np.zeros(16, np.float32)
    if not backend.startswith(("cuda", "sim")):
        sum_rows[(1,)](x[shift:], out, 16, 30, stride, BM=16, BN=32)
        rows = x[shift + np.arange(16)[:, None] * stride + np.arange(30)[None, :]]
        np.testing.assert_allclose(out, rows.sum(1), rtol=1e-6)
    monkeypatch.setenv("TRITON_DEBUG", "1")
    with pytest.raises(triton.DeviceAssertionError, match=message):
        sum_rows[(1,)](x[shift:], out, 16, 30, stride, BM=16, BN=32)


X = np.zeros((8, 32), np.float32)


@pytest.mark.parametrize("make,error,message", [
    (lambda: TensorDescriptor(3, [8], [1], [8]), TypeError, "must be an array"),
    (lambda: TensorDescriptor.from_tensor([1, 2], [2]), TypeError, "made from an array"),
    (lambda: TensorDescriptor(X, [], [], []), ValueError, "1 to 5 dimensions"),
    (lambda: TensorDescriptor(X, [8, 32], [1], [8, 32]), ValueError, "strides"),
    (lambda: TensorDescriptor(X, [8, 32], [32, 1], [8]), ValueError, "block_shape"),
    (lambda: TensorDescriptor(X, [8, 0], [32, 1], [8, 32]), ValueError, "positive"),
    (lambda: TensorDescriptor(X, [8, 32], [32, 1], [8, -1]), ValueError, "positive"),
    (lambda: TensorDescriptor(X, [8, 32], [32, 2], [8, 32]), ValueError, "last stride"),
    (lambda: TensorDescriptor(X, [8, 32], [31, 1], [8, 32]), ValueError, "4 elements"),
    (lambda: TensorDescriptor(X, [8, 1.5], [32, 1], [8, 32]), ValueError, "ints"),
    (lambda: TensorDescriptor(X, [8, 32], [32, 1], [8, 32], "one"), ValueError, "padding"),
    (lambda: TensorDescriptor(X.astype(np.int32), [8, 32], [32, 1], [8, 32], "nan"), ValueError,
     "nan"),
    (lambda: TensorDescriptor.from_tensor(X[:, 1:], [8, 16]), ValueError, "aligned"),
    (lambda: TensorDescriptor.from_tensor(X.T, [32, 8]), ValueError, "last stride"),
])
def test_host_errors(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_block_shape_that_is_no_shape(backend):
    x = TensorDescriptor.from_tensor(X, [8, 32])
    out = TensorDescriptor.from_tensor(X.copy(), [8, 32])
    for block, message in (([8], "2|1"), ([8, 0], "positive"), ([8, "a"], "integer"),
                           (7, "list of ints"), ([1 << 20, 2], "1048576")):
        x.block_shape = block
        with pytest.raises((triton.TritonError, TypeError), match=message):
            copy[(1,)](x, out, 0, 0)


@triton.jit
def needs_constant(x: tl.constexpr, y: tl.int32):
    pass


def test_descriptor_for_another_parameter(backend):
    x = TensorDescriptor.from_tensor(X, [8, 32])
    with pytest.raises(TypeError, match="'x' is a constexpr, but got a tensor descriptor"):
        needs_constant[(1,)](x, 3)
    with pytest.raises(TypeError, match="'y' is annotated tl.int32, but got a tensor descriptor"):
        needs_constant[(1,)](3, x)
    with pytest.raises(TypeError, match="tuple"):
        needs_constant[(1,)]((X, 1), 3)
    with pytest.raises(TypeError, match="'x' is a constexpr, but got an array"):
        needs_constant[(1,)]((X, object()), 3)


def test_read_only_array(backend):
    x = X.copy()
    x.flags.writeable = False
    out = TensorDescriptor.from_tensor(x, [8, 32])
    with pytest.raises((triton.TritonError, ValueError, TypeError), match="out|read-only|written"):
        copy[(1,)](TensorDescriptor.from_tensor(X, [8, 32]), out, 0, 0)
