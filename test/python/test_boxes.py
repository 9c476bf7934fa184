"""Loads of pipelined loops that TMA copies as boxes: on the simulated GPU, or with
TRITIUM_TEST_BACKENDS=cuda on one of compute capability 9.0. Arrays lie in larger ones of NaN, so
that an element too many shows."""

import os
import re

import numpy as np
import pytest

import tritium as triton
import tritium.language as tl

BACKEND = "cuda" if os.environ.get("TRITIUM_TEST_BACKENDS") == "cuda" else "sim:sm_90"
T = 64


@pytest.fixture(autouse=True)
def backend(monkeypatch):
    monkeypatch.setenv("TRITIUM_BACKEND", BACKEND)


def matrix(rows, columns, seed, before=8, behind=72, transposed=False):
    """Whole numbers in the midst of NaNs."""
    if transposed:
        return matrix(columns, rows, seed, before, behind).T
    whole = np.full((rows + before + 3, columns + before + behind), np.nan, np.float16)
    inside = whole[before : before + rows, before : before + columns]
    inside[...] = np.random.default_rng(seed).integers(-4, 5, (rows, columns))
    return inside


def strides(x):
    return [n // x.itemsize for n in x.strides]


def copies(kernel):
    """Loads of boxes, in the loop and in front of it."""
    return len(re.findall(r"cp\.async\.bulk\.tensor\.\dd\.shared", kernel.asm["ptx"]))


def expect_product(result, a, b):
    np.testing.assert_array_equal(result, a.astype(np.float32) @ b.astype(np.float32))


# How rows and columns are kept inside, and how the loop moves on.
@triton.jit
def product(a, b, c, M, N, K, am, ak, bk, bn, cm, cn, T: tl.constexpr, HOW: tl.constexpr):
    before = 16 if HOW == "in front" else 0
    rm = tl.program_id(0) * T - before + tl.arange(0, T)
    rn = tl.program_id(1) * T + tl.arange(0, T)
    rk = tl.arange(0, T)
    wm = rm % M if HOW == "modulo" else rm
    wn = rn % N if HOW == "modulo" else rn
    ap = a + wm[:, None] * am + rk[None, :] * ak
    bp = b + rk[:, None] * bk + wn[None, :] * bn
    acc = tl.zeros((T, T), tl.float32)
    for k in range(0, tl.cdiv(K, T)):
        inside = rk < K - k * T
        if HOW == "modulo":
            x = tl.load(ap, mask=inside[None, :], other=0.0)
            y = tl.load(bp, mask=inside[:, None], other=0.0)
        elif HOW == "recomputed":
            at = k * T + rk
            x = tl.load(a + rm[:, None] * am + at[None, :] * ak,
                        mask=(rm < M)[:, None] & (at < K)[None, :], other=0.0)
            y = tl.load(b + at[:, None] * bk + rn[None, :] * bn,
                        mask=(at <= K - 1)[:, None] & (N > rn)[None, :], other=0.0)
        else:
            there = (rm < M) & (rm >= 0) if HOW == "in front" else rm < M
            x = tl.load(ap, mask=there[:, None] & inside[None, :], other=0.0)
            y = tl.load(bp, mask=inside[:, None] & (rn < N)[None, :], other=0.0)
        acc = tl.dot(x, y, acc)
        ap += T * ak
        bp += T * bk
    tl.store(c + rm[:, None] * cm + rn[None, :] * cn, acc,
             mask=((rm < M) & (rm >= 0))[:, None] & (rn < N)[None, :])


def run_product(m, n, k, how, stages=3, **options):
    a = matrix(m, k, 1, **{x: y for x, y in options.items() if x != "transposed"})
    b = matrix(k, n, 2, **options)
    c = np.zeros((m, n), np.float32)
    grid = (triton.cdiv(m + 16, T), triton.cdiv(n, T))
    kernel = product[grid](a, b, c, m, n, k, *strides(a), *strides(b), *strides(c), T=T, HOW=how,
                           num_warps=4, num_stages=stages)
    expect_product(c, a, b)
    return kernel


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("how", ["modulo", "masked", "recomputed", "in front"])
def test_product(how, transposed):
    kernel = run_product(128, 192, 208, how, transposed=transposed)
    assert copies(kernel) == 6 and "cp.async.cg" not in kernel.asm["ptx"]


# The ends of both arrays cut boxes, in one or two buffers, and fewer iterations than stages.
@pytest.mark.parametrize("m,n,k,stages", [(80, 112, 48, 3), (16, 16, 16, 2), (64, 64, 272, 4)])
@pytest.mark.parametrize("transposed", [False, True])
def test_cut(m, n, k, stages, transposed):
    assert copies(run_product(m, n, k, "masked", stages, transposed=transposed)) == 2 * stages


# What TMA has no map for, or the code no proof, takes other code: rows that wrap around within a
# tile, addresses and pitches that are no multiples of 16 bytes.
@pytest.mark.parametrize("how,m,options", [("modulo", 80, {}), ("masked", 64, {"before": 1}),
                                           ("masked", 64, {"behind": 9}), ("masked", 1, {})])
def test_other_code(how, m, options):
    run_product(m, 64, 64, how, **options)


@triton.jit
def batched(a, b, c, rows, first, M, N, K, ab, am, bb, bk, T: tl.constexpr):
    batch = tl.program_id(1)
    rm = first + tl.program_id(0) * T + tl.arange(0, T)
    rn = tl.arange(0, T)
    rk = tl.arange(0, T)
    acc = tl.zeros((T, T), tl.float32)
    for k in range(0, K, T):
        x = tl.load(a + batch * ab + rm[:, None] * am + (k + rk)[None, :],
                    mask=(rm < M)[:, None] & (k + rk < K)[None, :])
        y = tl.load(b + batch * bb + (k + rk)[:, None] * bk + rn[None, :],
                    mask=(k + rk < K)[:, None] & (rn < N)[None, :])
        acc = tl.dot(x, y, acc)
    at = tl.program_id(0) * T + tl.arange(0, T)
    tl.store(c + batch * rows * N + at[:, None] * N + rn[None, :], acc,
             mask=(at < rows)[:, None] & (rn < N)[None, :])


# One index more than the tile has dimensions; and rows that begin in the midst.
@pytest.mark.parametrize("first", [0, 16])
def test_batches(first):
    m, k = 80, 176
    a, b = matrix(96, 3 * k, 3, before=0, behind=80), matrix(3 * k, 64, 4)
    pitch = strides(a)[0]
    c = np.zeros((3, m - first, 64), np.float32)
    rows = c.shape[1]
    kernel = batched[(triton.cdiv(rows, T), 3)](
        a, b, c, rows, first, m, 64, k, k, pitch, k * strides(b)[0], strides(b)[0], T=T,
        num_warps=4, num_stages=3)
    for i in range(3):
        tile = a[first : first + rows, i * k : (i + 1) * k]
        expect_product(c[i], tile, b[i * k : (i + 1) * k])
    assert copies(kernel) == 6
    assert kernel.asm["ptx"].count("cp.async.bulk.tensor.3d.shared") == 6


@triton.jit
def by_descriptor(a, b, c, M, N, K, T: tl.constexpr):
    x = tl.make_tensor_descriptor(a, [M, K], [K, 1], [T, T])
    y = tl.make_tensor_descriptor(b, [N, K], [K, 1], [T, T])
    z = tl.make_tensor_descriptor(c, [M, N], [N, 1], [T, T])
    i, j = tl.program_id(0) * T, tl.program_id(1) * T
    acc = tl.zeros((T, T), tl.float32)
    for k in range(0, K, T):
        acc = tl.dot(x.load([i, k]), y.load([j, k]).T, acc)
    z.store([i, j], acc)


@pytest.mark.parametrize("m,n,k", [(64, 128, 192), (80, 48, 112)])
def test_descriptors(m, n, k):
    a, b = (matrix(rows, k, seed, before=0, behind=0) for rows, seed in ((m, 5), (n, 6)))
    c = np.zeros((m, n), np.float32)
    kernel = by_descriptor[(triton.cdiv(m, T), triton.cdiv(n, T))](a, b, c, m, n, k, T=T,
                                                                  num_warps=4, num_stages=3)
    expect_product(c, a, b.T)
    assert copies(kernel) == 6


# One of the two loads is no box, and threads copy it, in a loop that TMA copies the other for.
@triton.jit
def special(a, b, c, lengths, K, T: tl.constexpr, WHAT: tl.constexpr):
    rm = tl.arange(0, T)
    rk = tl.arange(0, T)
    acc = tl.zeros((T, T), tl.float32)
    size = K
    if WHAT == "length":
        size = tl.load(lengths)
    if WHAT == "in place":
        tl.store(a + rm[:, None] * K + rk[None, :], tl.full((T, T), 1.0, tl.float16))
    rows = rm
    if WHAT == "rows":
        rows = tl.load(lengths + 1 + rm)
    for k in range(0, K, T):
        at = k + rk
        inside = (at < size)[None, :] & (rm >= 0)[:, None]
        if WHAT == "other":
            x = tl.load(a + rm[:, None] * K + at[None, :], mask=inside, other=1.0)
        elif WHAT == "diagonal":
            x = tl.load(a + rm[:, None] * K + at[None, :], mask=at[None, :] <= rm[:, None],
                        other=0.0)
        else:
            x = tl.load(a + rows[:, None] * K + at[None, :], mask=inside, other=0.0)
        y = tl.load(b + at[:, None] * T + rm[None, :], mask=(at < K)[:, None], other=0.0)
        acc = tl.dot(x, y, acc)
    tl.store(c + rm[:, None] * T + rk[None, :], acc)


@pytest.mark.parametrize("what,boxes", [("length", 2), ("in place", 2), ("rows", 2), ("other", 2),
                                        ("diagonal", 2), ("", 6)])
def test_no_boxes(what, boxes):
    k = 192
    a = matrix(T, k, 7, before=0, behind=0)
    b = matrix(k, T, 8, before=0, behind=0)
    lengths = np.concatenate([[100], np.arange(T)[::-1]]).astype(np.int32)
    expected = a.copy()
    if what == "length":
        expected[:, 100:] = 0
    elif what == "in place":
        expected[:, :T] = 1
    elif what == "rows":
        expected = expected[::-1]
    elif what == "diagonal":
        expected = np.where(np.arange(k)[None, :] <= np.arange(T)[:, None], expected, 0)
    c = np.zeros((T, T), np.float32)
    kernel = special[(1,)](a, b, c, lengths, k, T=T, WHAT=what, num_warps=4, num_stages=3)
    expect_product(c, expected, b)
    assert copies(kernel) == boxes


# Tiles in a loop: copies for the next one start when the products of this one are over. Depths
# differ from tile to tile, down to nothing, and buffers go on in turn.
@triton.jit
def in_a_loop(a, b, c, counter, M, N, K, less, T: tl.constexpr, PROGRAMS: tl.constexpr,
              COUNTS: tl.constexpr):
    rm, rk = tl.arange(0, T), tl.arange(0, T)
    columns = tl.cdiv(N, T)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, T) * columns, PROGRAMS):
        rows, cols = tile // columns * T + rm, tile % columns * T + rm
        acc = tl.zeros((T, T), tl.float32)
        for k in range(0, K - tile * less, T):
            x = tl.load(a + rows[:, None] * K + (k + rk)[None, :],
                        mask=(rows < M)[:, None] & (k + rk < K)[None, :], other=0.0)
            y = tl.load(b + (k + rk)[:, None] * N + cols[None, :],
                        mask=(k + rk < K)[:, None] & (cols < N)[None, :], other=0.0)
            acc = tl.dot(x, y, acc)
        if COUNTS:
            tl.atomic_add(counter, 1)
        tl.store(c + rows[:, None] * N + cols[None, :], acc,
                 mask=(rows < M)[:, None] & (cols < N)[None, :])


@pytest.mark.parametrize("programs,less,stages", [(1, 0, 3), (2, 64, 3), (3, 32, 2), (9, 64, 4),
                                                  (1, 96, 4)])
@pytest.mark.parametrize("counts", [False, True])
def test_tiles_in_a_loop(programs, less, stages, counts):
    m, n, k = 176, 144, 336
    a, b = (matrix(*shape, 9, before=0, behind=0) for shape in ((m, k), (k, n)))
    c, counter = np.zeros((m, n), np.float32), np.zeros(1, np.int32)
    kernel = in_a_loop[(programs,)](a, b, c, counter, m, n, k, less, T=T, PROGRAMS=programs,
                                    COUNTS=counts, num_warps=4, num_stages=stages)
    for tile in range(9):
        i, j = tile // 3 * T, tile % 3 * T
        depth = min(k, -(-max(0, k - tile * less) // T) * T)
        expect_product(c[i : i + T, j : j + T], a[i : i + T, :depth], b[:depth, j : j + T])
    # In front of the loops, in the inner one, and behind that; an atomic keeps the order.
    assert copies(kernel) == 2 * (stages if counts else 2 * stages - 1)
    assert counter[0] == (9 if counts else 0)


# A GPU has no instruction for boxes whose rows begin between two multiples of 16 bytes.
@triton.jit
def shifted(a, b, c, K, SHIFT: tl.constexpr, STEP: tl.constexpr, T: tl.constexpr):
    r = tl.arange(0, T)
    acc = tl.zeros((T, T), tl.float32)
    for k in range(0, 4):
        at = tl.program_id(0) * SHIFT + k * STEP + r
        x = tl.load(a + r[:, None] * K + at[None, :])
        y = tl.load(b + at[:, None] * T + r[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + (tl.program_id(0) * T + r)[:, None] * T + r[None, :], acc)


@pytest.mark.parametrize("shift, step, count", [(8, 64, 2), (64, 8, 2), (4, 64, 1), (64, 3, 1),
                                                (1, 1, 1)])
def test_where_rows_begin(shift, step, count):
    a, b = matrix(T, 512, 1, before=0, behind=0), matrix(512, T, 2, before=0, behind=0)
    c = np.zeros((2 * T, T), np.float32)
    kernel = shifted[(2,)](a, b, c, 512, shift, step, T=T, num_warps=4, persistent=False,
                           warp_specialize=False)
    for i in range(2):
        parts = [slice(i * shift + k * step, i * shift + k * step + T) for k in range(4)]
        expected = sum(a[:, p].astype(np.float32) @ b[p].astype(np.float32) for p in parts)
        np.testing.assert_array_equal(c[i * T : (i + 1) * T], expected)
    # Those of b count by whole rows.
    boxes = set(re.findall(r"bulk.tensor.*?complete_tx::bytes \[%r\d+\], \[(%rd\d+)",
                           kernel.asm["ptx"]))
    assert len(boxes) == count
