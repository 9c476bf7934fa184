"""Loops whose loads run ahead: what they compute, and what keeps loads where they are."""

import numpy as np
import pytest

import tritium as triton
import tritium.language as tl

TARGETS = ["sim:sm_80", "sim:sm_90"]


@pytest.fixture(params=TARGETS)
def target(request, monkeypatch):
    monkeypatch.setenv("TRITIUM_BACKEND", request.param)
    return request.param


@pytest.fixture(params=["0", "7"])
def schedule(request, monkeypatch):
    """In order, and with warps that take turns at random."""
    monkeypatch.setenv("TRITIUM_SIM_SEED", request.param)




# -- Stores --------------------------------------------------------------------------------------

@triton.jit
def softmax(y_ptr, x_ptr, sx, sy, n_rows, n_cols, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    """One program for many rows: the load of a later row before the store of this one."""
    for row in tl.range(tl.program_id(0), n_rows, tl.num_programs(0), num_stages=STAGES):
        c = tl.arange(0, BLOCK)
        m = c < n_cols
        x = tl.load(x_ptr + row * sx + c, mask=m, other=-float("inf")).to(tl.float32)
        z = tl.exp(x - tl.max(x, axis=0))
        tl.store(y_ptr + row * sy + c, (z / tl.sum(z, axis=0)).to(y_ptr.dtype.element_ty), mask=m)


@pytest.mark.parametrize("stages", [1, 2, 4])
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("rows,cols,pitch,programs", [
    (13, 256, 256, 3),
    (2, 1000, 1000, 4),  # programs without a row
    (5, 250, 256, 2),    # a vector of 16 bytes is cut by the bound
    (7, 781, 781, 2),    # rows of any alignment
])
def test_softmax_of_many_rows(target, schedule, rows, cols, pitch, programs, dtype, stages):
    x = np.random.default_rng(0).standard_normal((rows, pitch)).astype(dtype)
    y = np.zeros((rows, cols), dtype)
    softmax[(programs,)](y, x, pitch, cols, rows, cols, BLOCK=1 << (cols - 1).bit_length(),
                         STAGES=stages)
    e = np.exp(x[:, :cols].astype(np.float64))
    np.testing.assert_allclose(y, e / e.sum(1, keepdims=True), atol=2e-5 if dtype == np.float16
                               else 1e-7)


def test_softmax_in_place(target):
    """The launch sees that the arrays are one."""
    x = np.random.default_rng(0).standard_normal((8, 128)).astype(np.float32)
    e = np.exp(x.astype(np.float64))
    softmax[(2,)](x, x, 128, 128, 8, 128, BLOCK=128, STAGES=3)
    np.testing.assert_allclose(x, e / e.sum(1, keepdims=True), atol=1e-7)


@triton.jit
def running(y_ptr, x_ptr, n, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    """Block after block, each the sum of all before it."""
    c = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for i in tl.range(0, n, num_stages=STAGES):
        total += tl.load(x_ptr + i * BLOCK + c)
        tl.store(y_ptr + i * BLOCK + c, total)


@pytest.mark.parametrize("stages", [2, 3])
@pytest.mark.parametrize("shift", [0, 4, 128, 256, -4, -128])
@pytest.mark.parametrize("n", [0, 1, 2, 9])
def test_arrays_that_overlap(target, n, shift, stages):
    """A store that is read blocks later: in the program's order, wherever the arrays are."""
    block = 128
    buffer = np.random.default_rng(1).integers(-4, 5, (n + 6) * block).astype(np.float32)
    expected = buffer.copy()
    x, y = 2 * block, 2 * block + shift
    total = np.zeros(block, np.float32)
    for i in range(n):
        total = total + expected[x + i * block:x + (i + 1) * block]
        expected[y + i * block:y + (i + 1) * block] = total
    end = n * block if n else block
    running[(1,)](buffer[y:y + end], buffer[x:x + end], n, BLOCK=block, STAGES=stages)
    np.testing.assert_array_equal(buffer, expected)


@triton.jit
def doubled(x_ptr, n, BLOCK: tl.constexpr, STEP: tl.constexpr):
    """Through one argument: blocks that are apart, or that reach into the next one."""
    c = tl.arange(0, BLOCK)
    for i in tl.range(0, n, num_stages=3):
        x = tl.load(x_ptr + i * STEP + c)
        tl.store(x_ptr + i * STEP + c, 2 * x)


@pytest.mark.parametrize("step", [128, 256, 64, 4])
def test_one_array(target, schedule, step):
    x = np.arange(2048, dtype=np.float32)
    expected = x.copy()
    for i in range(7):
        expected[i * step:i * step + 128] *= 2
    doubled[(1,)](x, 7, BLOCK=128, STEP=step)
    np.testing.assert_array_equal(x, expected)


@triton.jit
def read_again(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    """A load of what the same iteration has stored, in blocks that are apart."""
    c = tl.arange(0, BLOCK)
    for i in tl.range(0, n, num_stages=3):
        x = tl.load(x_ptr + i * BLOCK + c)
        tl.store(x_ptr + i * BLOCK + c, x + 1, mask=c >= 3)
        tl.store(y_ptr + i * BLOCK + c, tl.load(x_ptr + i * BLOCK + c) + x)


def test_what_the_iteration_has_stored(target, schedule):
    x, y = np.arange(5 * 128, dtype=np.float32), np.zeros(5 * 128, np.float32)
    before = x.copy()
    read_again[(1,)](x, y, 5, BLOCK=128)
    after = before + (np.arange(5 * 128) % 128 >= 3)
    np.testing.assert_array_equal(x, after)
    np.testing.assert_array_equal(y, before + after)


@triton.jit
def halves(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    """That rows begin at multiples is known of the loop's index, not of one that runs ahead."""
    c = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for i in tl.range(tl.program_id(0), n, 2, num_stages=3):
        total += tl.load(x_ptr + i * BLOCK // 2 + c, mask=c < 100, other=5).to(tl.float32)
    tl.store(y_ptr + c, total)


@pytest.mark.parametrize("dtype", [np.int8, np.float16, np.float32])
def test_addresses_that_are_known_here_only(target, dtype):
    x = np.random.default_rng(4).integers(-9, 10, 2048).astype(dtype)
    y = np.zeros(256, np.float32)
    halves[(1,)](y, x, 7, BLOCK=256)
    rows = [x[i * 128:i * 128 + 256].astype(np.float32) for i in range(0, 7, 2)]
    expected = sum(np.where(np.arange(256) < 100, row, 5) for row in rows)
    np.testing.assert_array_equal(y, expected)


# -- Masks and `other` ---------------------------------------------------------------------------

@triton.jit
def sums(y_ptr, x_ptr, fill_ptr, n, BLOCK: tl.constexpr, LOW: tl.constexpr):
    """Masks that depend on the index of the loop, with a bound below or above, and a tile of what
    lanes outside hold."""
    c = tl.arange(0, BLOCK)
    fill = tl.load(fill_ptr + c)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in tl.range(0, n, BLOCK, num_stages=3):
        i = start + c
        if LOW:
            x = tl.load(x_ptr + i, mask=(i >= 5) & (i < n), other=fill)
        else:
            x = tl.load(x_ptr + i, mask=i < n, other=fill)
        total += x
    tl.store(y_ptr + c, total)


@pytest.mark.parametrize("low", [False, True])
@pytest.mark.parametrize("n", [0, 1, 128, 131, 517, 640])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_masks_of_the_index(target, n, low, dtype):
    block = 128
    x = np.random.default_rng(2).integers(-4, 5, max(n, 1)).astype(dtype)
    fill = np.arange(block).astype(dtype)
    y = np.zeros(block, np.float32)
    sums[(1,)](y, x, fill, n, BLOCK=block, LOW=low)
    blocks = -(-n // block)
    filled = np.tile(fill.astype(np.float32), blocks)
    lowest = 5 if low else 0
    filled[lowest:n] = x[lowest:n]
    np.testing.assert_array_equal(y, filled.reshape(blocks, block).sum(0))


@triton.jit
def product(c_ptr, d_ptr, a_ptr, b_ptr, n, k, T: tl.constexpr, OTHER: tl.constexpr):
    """Operands with another `other`, and a store in the loop."""
    r = tl.arange(0, T)
    acc = tl.zeros((T, T), tl.float32)
    for start in range(0, k, T):
        inside = start + r < k
        a = tl.load(a_ptr + r[:, None] * k + start + r[None, :], mask=inside[None, :], other=OTHER)
        b = tl.load(b_ptr + (start + r[:, None]) * T + r[None, :], mask=inside[:, None], other=1.0)
        acc = tl.dot(a, b, acc)
        tl.store(d_ptr + start * T + r[:, None] * T + r[None, :], acc)
    tl.store(c_ptr + r[:, None] * T + r[None, :], acc)


@pytest.mark.parametrize("k", [0, 16, 32, 80, 112])
@pytest.mark.parametrize("other", [0.0, 3.0])
def test_products(target, schedule, k, other):
    t = 32
    rng = np.random.default_rng(3)
    a = rng.integers(-3, 4, (t, max(k, 16))).astype(np.float16)[:, :k].copy()
    b = rng.integers(-3, 4, (k, t)).astype(np.float16)
    if k == 0:
        a, b = np.zeros((t, 16), np.float16), np.zeros((16, t), np.float16)
    steps = -(-k // t)
    c, d = np.zeros((t, t), np.float32), np.zeros((max(steps, 1), t, t), np.float32)
    product[(1,)](c, d, a, b, t, k, T=t, OTHER=other)
    acc, expected = np.zeros((t, t), np.float32), np.zeros_like(d)
    for s in range(steps):
        left, right = np.full((t, t), other, np.float32), np.ones((t, t), np.float32)
        width = min(t, k - s * t)
        left[:, :width], right[:width] = a[:, s * t:s * t + width], b[s * t:s * t + width]
        acc = acc + left @ right
        expected[s] = acc
    np.testing.assert_array_equal(c, acc)
    np.testing.assert_array_equal(d, expected)


# -- Shared memory -------------------------------------------------------------------------------

@triton.jit
def scaled_product(a_ptr, b_ptr, scale_ptr, c_ptr, K, T: tl.constexpr):
    """Tiles that change hands on their way into the product take shared memory, too."""
    i = tl.arange(0, T)
    total = tl.zeros((T, T), tl.float32)
    for k in range(0, K, T):
        a = tl.load(a_ptr + i[:, None] * K + (k + i)[None, :])
        b = tl.load(b_ptr + (k + i)[:, None] * T + i[None, :])
        scale = tl.load(scale_ptr + i)
        total = tl.dot((a * scale[:, None]).to(tl.float16), (b * scale[:, None]).to(tl.float16),
                       total)
    tl.store(c_ptr + i[:, None] * T + i[None, :], total)


@pytest.mark.parametrize("stages", [1, 3, 4])
def test_no_more_stages_than_fit(monkeypatch, stages):
    monkeypatch.setenv("TRITIUM_BACKEND", "sim:sm_80")
    rng = np.random.default_rng(0)
    a, b = rng.integers(-3, 4, (2, 128, 128)).astype(np.int8)
    scale, c = rng.integers(1, 3, 128).astype(np.float32), np.zeros((128, 128), np.float32)
    made = scaled_product[(1,)](a, b, scale, c, 128, T=128, num_stages=stages)
    assert np.array_equal(c, (a * scale[:, None]) @ (b * scale[:, None]))
    assert made.metadata.shared <= 166912
    fewer = [r.message for r in made.remarks if "fewer stages" in r.message]
    assert fewer == ([] if stages < 4 else [
        "the loop has fewer stages: 4 stages of 33280 bytes and what else the program keeps in "
        "shared memory are more than its 166912 bytes; use smaller tiles, or num_stages=3"])
    assert sum("iterations ahead" in r.message for r in made.remarks) == (stages > 1)



@triton.jit
def chain(a_ptr, c_ptr, T: tl.constexpr):
    """What the later products multiply is there from the beginning."""
    i = tl.arange(0, T)
    at = i[:, None] * T + i[None, :]
    w = tl.load(a_ptr + at) + 1.0
    x = tl.load(a_ptr + T * T + at) + 1.0
    y = tl.load(a_ptr + 2 * T * T + at) + 1.0
    z = tl.load(a_ptr + 3 * T * T + at) + 1.0
    s = tl.minimum(tl.dot(w, x), 2.0)
    s = tl.minimum(tl.dot(s.T, y), 2.0)
    tl.store(c_ptr + at, tl.dot(s.T, z))


def test_operands_wait_where_they_do_not_fit(monkeypatch):
    monkeypatch.setenv("TRITIUM_BACKEND", "sim:sm_90")
    a = np.random.default_rng(3).integers(-2, 3, (4, 128, 128)).astype(np.float32)
    c = np.zeros((128, 128), np.float32)
    made = chain[(1,)](a, c, 128, num_warps=4)
    w, x, y, z = a + 1
    assert np.array_equal(c, np.minimum(np.minimum(w @ x, 2).T @ y, 2).T @ z)
    # Of one product at a time.
    assert made.metadata.shared == 2 * a[0].nbytes
