"""Results of warp groups that TMA stores as boxes: on the simulated GPU, or with
TRITIUM_TEST_BACKENDS=cuda on one of compute capability 9.0. What surrounds a result is checked, so
that an element too many shows, and so that each that the mask allows is written."""

import os

import ml_dtypes
import numpy as np
import pytest

import tritium as triton
import tritium.language as tl

BACKEND = "cuda" if os.environ.get("TRITIUM_TEST_BACKENDS") == "cuda" else "sim:sm_90"
UNTOUCHED = -77


@pytest.fixture(autouse=True)
def backend(monkeypatch):
    monkeypatch.setenv("TRITIUM_BACKEND", BACKEND)


def operand(rows, columns, seed):
    return np.random.default_rng(seed).integers(-2, 3, (rows, columns)).astype(np.float16)


def result(rows, columns, dtype=np.float16, behind=16, transposed=False):
    """A part of a larger array, whose rows begin at multiples of 16 elements."""
    if transposed:
        whole, inside = result(columns, rows, dtype, behind)
        return whole, inside.T
    pitch = -(-columns // 16) * 16 + behind
    whole = np.full((rows + 5, pitch), UNTOUCHED, dtype)
    return whole, whole[2 : 2 + rows, :columns]


def strides(x):
    return [n // x.itemsize for n in x.strides]


def stores(kernel):
    return kernel.asm["ptx"].count("cp.async.bulk.tensor.2d.global.shared")


def expect(whole, inside, expected):
    """The product, and nothing around it."""
    np.testing.assert_array_equal(inside, expected.astype(inside.dtype))
    inside[...] = UNTOUCHED
    assert (whole == UNTOUCHED).all()


def product(a, b):
    return a.astype(np.float32) @ b.astype(np.float32)


@triton.jit
def plain(a, b, c, M, N, K, cm, cn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
          HOW: tl.constexpr):
    before = 16 if HOW == "in front" else 0
    rm = tl.program_id(0) * BM - before + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        x = tl.load(a + rm[:, None] * K + (k + rk)[None, :],
                    mask=((rm >= 0) & (rm < M))[:, None] & (k + rk < K)[None, :], other=0.0)
        y = tl.load(b + (k + rk)[:, None] * N + rn[None, :],
                    mask=(k + rk < K)[:, None] & (rn < N)[None, :], other=0.0)
        acc = tl.dot(x, y, acc)
    if HOW == "return":
        if tl.program_id(0) == 1:
            return
    if HOW == "elementwise":
        acc = tl.maximum(acc * 0.5, 0.0)
    value = acc.to(c.dtype.element_ty)
    if HOW == "modulo":
        tl.store(c + (rm % M)[:, None] * cm + rn[None, :] * cn, value)
    elif HOW == "no mask":
        tl.store(c + rm[:, None] * cm + rn[None, :] * cn, value)
    elif HOW == "rows":
        tl.store(c + rm[:, None] * cm + rn[None, :] * cn, value, mask=(rm < M)[:, None])
    elif HOW == "other mask":
        tl.store(c + rm[:, None] * cm + rn[None, :] * cn, value,
                 mask=(rm < M)[:, None] & (rn < N)[None, :] & (rm[:, None] >= rn[None, :]))
    elif HOW == "scalar mask":
        tl.store(c + rm[:, None] * cm + rn[None, :] * cn, value,
                 mask=(rm < M)[:, None] & (rn < N)[None, :] & (tl.program_id(0) == 0))
    elif HOW == "in front":
        tl.store(c + rm[:, None] * cm + rn[None, :] * cn, value,
                 mask=((rm >= 0) & (rm < M))[:, None] & (N > rn)[None, :])
    elif HOW == "branch":
        if tl.program_id(0) < K:
            tl.store(c + rm[:, None] * cm + rn[None, :] * cn, value,
                     mask=(rm < M)[:, None] & (rn < N)[None, :])
    else:
        tl.store(c + rm[:, None] * cm + rn[None, :] * cn, value,
                 mask=(rm < M)[:, None] & (rn <= N - 1)[None, :])


def run(m, n, k, how="masked", dtype=np.float16, tile=(64, 64, 64), transposed=False, behind=16,
        warps=4, **options):
    a, b = operand(m, k, 1), operand(k, n, 2)
    whole, c = result(m, n, dtype, behind, transposed)
    grid = (triton.cdiv(m + 16 * (how == "in front"), tile[0]), triton.cdiv(n, tile[1]))
    kernel = plain[grid](a, b, c, m, n, k, *strides(c), *tile, HOW=how, num_warps=warps, **options)
    expected = product(a, b)
    if how == "return":
        expected[tile[0] : 2 * tile[0]] = UNTOUCHED
    elif how == "elementwise":
        expected = np.maximum(expected * 0.5, 0)
    elif how == "other mask":
        expected = np.where(np.arange(m)[:, None] >= np.arange(n)[None, :], expected, UNTOUCHED)
    elif how == "scalar mask":
        expected[tile[0] :] = UNTOUCHED
    expect(whole, c, expected)
    return kernel


# Tiles inside, cut by either end or both, and smaller than a tile in all. TMA writes 16 bytes or
# none of them: where a row ends between, threads store.
@pytest.mark.parametrize("m,n,k", [(128, 128, 128), (80, 112, 64), (72, 104, 64), (65, 16, 32),
                                   (65, 8, 32), (8, 72, 192)])
@pytest.mark.parametrize("transposed", [False, True])
def test_cut(m, n, k, transposed):
    kernel = run(m, n, k, transposed=transposed)
    row = m if transposed else n
    assert stores(kernel) == (row % 16 == 0)
    assert "stmatrix" in kernel.asm["ptx"] or stores(kernel) == 0


@pytest.mark.parametrize("how", ["rows", "no mask", "return", "branch", "elementwise"])
def test_masks(how):
    assert stores(run(128, 128, 64, how)) == 1


# What the mask of a box cannot say stays with the threads.
@pytest.mark.parametrize("how", ["other mask", "scalar mask", "modulo", "in front"])
def test_no_box(how):
    assert stores(run(128, 128, 64, how)) == 0


@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16, np.int8, np.int16, np.int32])
@pytest.mark.parametrize("n", [128, 80])
def test_types(dtype, n):
    assert stores(run(100, n, 24, dtype=dtype)) == (2 if np.dtype(dtype).itemsize == 4 else 1)


@pytest.mark.parametrize("tile,warps", [((128, 128, 64), 4), ((128, 128, 64), 8),
                                        ((64, 256, 64), 4), ((64, 16, 64), 4)])
def test_tiles(tile, warps):
    run(136, 272, 64, tile=tile, warps=warps)


# Tiles in a loop: a store goes on beside the next tile, and the next store waits for it.
@triton.jit
def in_a_loop(a, b, c, d, counter, M, N, K, pitch, BM: tl.constexpr, BN: tl.constexpr,
              BK: tl.constexpr, PROGRAMS: tl.constexpr, WHAT: tl.constexpr):
    rk = tl.arange(0, BK)
    columns = tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BM) * columns, PROGRAMS):
        rm = tile // columns * BM + tl.arange(0, BM)
        rn = tile % columns * BN + tl.arange(0, BN)
        inside = (rm < M)[:, None] & (rn < N)[None, :]
        at = rm[:, None] * pitch + rn[None, :]
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            x = tl.load(a + rm[:, None] * K + (k + rk)[None, :],
                        mask=(rm < M)[:, None] & (k + rk < K)[None, :], other=0.0)
            y = tl.load(b + (k + rk)[:, None] * N + rn[None, :],
                        mask=(k + rk < K)[:, None] & (rn < N)[None, :], other=0.0)
            acc = tl.dot(x, y, acc)
        if WHAT == "atomic":
            tl.atomic_add(counter, 1)
        if WHAT == "accumulates":
            acc += tl.load(c + at, mask=inside, other=0.0)
        if WHAT == "one tile":
            rm = tl.arange(0, BM)
            tl.store(c + rm[:, None] * pitch + tl.arange(0, BN)[None, :], acc.to(tl.float16))
        elif WHAT == "odd tiles":
            if tile % 2 == 1:
                tl.store(c + at, acc.to(tl.float16), mask=inside)
        else:
            tl.store(c + at, acc.to(tl.float16), mask=inside)
        if WHAT == "two":
            tl.store(d + at, (acc + 1).to(tl.float16), mask=inside)
        if WHAT == "twice":
            tl.store(c + at, (acc + 1).to(tl.float16), mask=inside)
        if WHAT == "reads":
            other = tl.load(c + rm[:, None] * pitch + rn[None, :] * 0, mask=inside, other=0.0)
            tl.store(d + at, other, mask=inside)


def run_loop(m, n, k, programs, what="", tile=(64, 64, 64), warps=4, stages=3, **options):
    a, b = operand(m, k, 1), operand(k, n, 2)
    whole, c = result(m, n)
    other, d = result(m, n)
    counter = np.zeros(1, np.int32)
    before = operand(m, n, 3)
    if what == "accumulates":
        c[...] = before
    kernel = in_a_loop[(programs,)](a, b, c, d, counter, m, n, k, strides(c)[0], *tile,
                                    PROGRAMS=programs, WHAT=what, num_warps=warps,
                                    num_stages=stages, **options)
    expected, of_other = product(a, b), np.full((m, n), UNTOUCHED)
    if what == "accumulates":
        expected = expected + before
    elif what == "two":
        of_other = expected + 1
    elif what == "twice":
        expected = expected + 1
    elif what == "reads":
        of_other = np.repeat(expected[:, :1], n, 1)
    elif what == "one tile":
        last = expected[(m // tile[0] - 1) * tile[0] :, (n // tile[1] - 1) * tile[1] :]
        expected = np.full((m, n), UNTOUCHED)
        expected[: tile[0], : tile[1]] = last
    elif what == "odd tiles":
        columns = n // tile[1]
        for i in range(0, m // tile[0] * columns, 2):
            i, j = i // columns * tile[0], i % columns * tile[1]
            expected[i : i + tile[0], j : j + tile[1]] = UNTOUCHED
    expect(other, d, of_other)
    expect(whole, c, expected)
    return kernel


@pytest.mark.parametrize("programs", [1, 2, 4])
@pytest.mark.parametrize("m,n,k", [(192, 128, 96), (136, 80, 192)])
def test_loop(programs, m, n, k):
    kernel = run_loop(m, n, k, programs)
    assert stores(kernel) == 1
    # The wait is for the tile before, and for the last one.
    assert kernel.asm["ptx"].count("cp.async.bulk.wait_group") == 2


@pytest.mark.parametrize("what,count", [("two", 2), ("twice", 2), ("odd tiles", 1),
                                        ("one tile", 1)])
def test_several_stores(what, count):
    assert stores(run_loop(192, 128, 64, 1, what)) == count


# What others must see in time, or the kernel itself reads, stays with the threads.
@pytest.mark.parametrize("what", ["atomic", "accumulates", "reads"])
def test_no_stores(what):
    assert stores(run_loop(192, 128, 64, 1, what)) == 0


# What does not fit beside the buffers of the next tile's copies is stored in parts of 64 columns,
# from two buffers in turn or from one.
@pytest.mark.parametrize("tile,waits", [((128, 256, 64), 2), ((256, 128, 64), 1)])
def test_parts(tile, waits):
    kernel = run_loop(256, 512, 320, 1, "", tile, 8, 4)
    assert stores(kernel) == tile[1] // 64
    # And at the end of the group.
    assert kernel.asm["ptx"].count("cp.async.bulk.wait_group.read") == waits + 1


# Of two stores to one tensor the later one waits, unless they share no element: where a row ends
# before the next one begins.
@triton.jit
def pair(a, b, c, N, K, cm, T: tl.constexpr, NEXT: tl.constexpr, TIGHT: tl.constexpr):
    r, rk = tl.arange(0, T), tl.arange(0, T)
    rn = tl.program_id(0) * 2 * T + tl.arange(0, T)
    left, right = tl.zeros((T, T), tl.float32), tl.zeros((T, T), tl.float32)
    for k in range(0, K, T):
        x = tl.load(a + r[:, None] * K + (k + rk)[None, :])
        y = tl.load(b + (k + rk)[:, None] * N + rn[None, :], mask=(rn < N)[None, :], other=0.0)
        z = tl.load(b + (k + rk)[:, None] * N + (rn + T)[None, :], mask=(rn + T < N)[None, :],
                    other=0.0)
        left = tl.dot(x, y, left)
        right = tl.dot(x, z, right)
    pitch = N if TIGHT else cm
    at = rn + NEXT
    tl.store(c + r[:, None] * pitch + rn[None, :], left.to(tl.float16), mask=(rn < N)[None, :])
    tl.store(c + r[:, None] * pitch + at[None, :], right.to(tl.float16), mask=(at < N)[None, :])


@pytest.mark.parametrize("n", [128, 80])
@pytest.mark.parametrize("next_one,tight,waits", [(64, True, 1), (64, False, 2), (32, True, 2)])
def test_pairs(n, next_one, tight, waits):
    a, b = operand(64, 128, 1), operand(128, n, 2)
    whole, c = result(64, n, behind=0)
    kernel = pair[(1,)](a, b, c, n, 128, strides(c)[0], T=64, NEXT=next_one, TIGHT=tight,
                        num_warps=4)
    expected = np.full((64, n + 64), UNTOUCHED, np.float32)
    expected[:, :64] = product(a, b)[:, :64]
    right = np.zeros((64, 64), np.float32)
    right[:, : n - 64] = product(a, b)[:, 64:]
    expected[:, next_one : next_one + 64] = right
    expect(whole, c, expected[:, :n])
    assert stores(kernel) == 2
    assert kernel.asm["ptx"].count("cp.async.bulk.wait_group") == waits


# Programs that count down: a launch would find that a tile may lie in front of the array, and would
# do without loads by TMA, too.
@triton.jit
def downwards(a, c, M, pitch, T: tl.constexpr):
    r = tl.arange(0, T)
    x = tl.load(a + r[:, None] * T + r[None, :])
    y = tl.load(a + r[:, None] * T + r[None, :])
    rows = M - (tl.program_id(0) + 1) * T + r
    acc = tl.zeros((T, T), tl.float32)
    for k in range(0, 3):
        x = tl.load(a + r[:, None] * T + r[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + rows[:, None] * pitch + r[None, :], acc.to(tl.float16))


def test_downwards():
    a = operand(64, 64, 1)
    whole, c = result(192, 64)
    kernel = downwards[(3,)](a, c, 192, strides(c)[0], T=64, num_warps=4)
    expect(whole, c, np.tile(3 * product(a, a), (3, 1)))
    assert stores(kernel) == 0


# Warps of their own load: the others' first thread stores, and their barrier is not all threads'.
@pytest.mark.parametrize("tile,warps", [((64, 64, 64), 4), ((128, 256, 64), 8),
                                        ((256, 64, 64), 16)])
@pytest.mark.parametrize("persistent", [True, False])
def test_warp_groups(tile, warps, persistent):
    kernel = run(300, 272, 192, tile=tile, warps=warps, warp_specialize=True,
                 persistent=persistent)
    said = [r.message for r in kernel.remarks if r.pass_ == "warp-specialization"]
    assert said == ["a warp of its own starts the loop's copies"]
    # Where the group ends behind it, threads store.
    assert stores(kernel) == (tile[1] // 64 if persistent else 0)
    assert kernel.metadata.persistent == persistent


@pytest.mark.parametrize("what,count", [("", 1), ("two", 2), ("twice", 2), ("odd tiles", 1)])
def test_loop_of_warp_groups(what, count):
    kernel = run_loop(192, 128, 64, 1, what, warp_specialize=True)
    assert stores(kernel) == count
    assert "a warp of its own starts the loop's copies" in [r.message for r in kernel.remarks]


# Stores of one block, none of which fits whole, share two buffers of parts.
def test_parts_of_two():
    kernel = run_loop(256, 512, 128, 1, "two", (128, 256, 64), 8, 3)
    assert stores(kernel) == 2 * 4
    said = {r.message for r in kernel.remarks if r.message.startswith("TMA stores")}
    assert said == {"TMA stores this tile in 2 parts, from 65536 bytes of shared memory"}
    assert kernel.metadata.shared <= 3 * 49152 + 65536 + 1024


# A launch that breaks a condition takes code without copies by TMA: tiles may lie in front of the
# array, where no mask says that nothing is written, or there are no rows at all.
@triton.jit
def moving(a, c, step, pitch, M, T: tl.constexpr):
    r = tl.arange(0, T)
    x = tl.load(a + r[:, None] * T + r[None, :])
    acc = tl.dot(x, x)
    rows = tl.program_id(0) * step + r
    tl.store(c + (64 + rows)[:, None] * pitch + r[None, :], acc.to(tl.float16),
             mask=(rows < M)[:, None])


@pytest.mark.parametrize("step,rows,boxes", [(64, 100, True), (-64, 40, False), (64, 0, False)])
def test_launches(step, rows, boxes):
    a = operand(64, 64, 1)
    whole = np.full((192, 80), UNTOUCHED, np.float16)
    counts = moving.simulate((2,), a, whole, step, 80, rows, T=64, num_warps=4, arch="sm_90")
    expected = np.full((192, 80), UNTOUCHED, np.float32)
    for first in (0, step):
        there = max(0, min(64, rows - first))
        expected[64 + first : 64 + first + there, :64] = product(a, a)[:there]
    np.testing.assert_array_equal(whole, expected)
    assert ("cp.async.bulk.tensor" in counts.instructions) == boxes


# The result lies where an operand does.
def test_in_place():
    a, b = operand(64, 64, 1), operand(64, 64, 2)
    expected = product(a, b)
    counts = plain.simulate((1, 1), a, b, a, 64, 64, 64, 64, 1, 64, 64, 64, HOW="masked",
                            num_warps=4, arch="sm_90")
    np.testing.assert_array_equal(a, expected)
    assert "cp.async.bulk.tensor" not in counts.instructions


# What the kernel reads through a pointer that comes from anywhere may be what it has stored.
@triton.jit
def launders(a, c, d, table, M, N, T: tl.constexpr, HOW: tl.constexpr):
    r = tl.arange(0, T)
    acc = tl.zeros((T, T), tl.float32)
    i = 0
    while i * i < M:
        x = tl.load(a + r[:, None] * T + r[None, :])
        acc = tl.dot(x, x, acc)
        tl.store(c + r[:, None] * N + r[None, :], acc.to(tl.float16), mask=(r < M)[:, None])
        i += 1
    if HOW == "number":
        p = (c.to(tl.int64, bitcast=True) + 2 * r).to(tl.pointer_type(tl.float16), bitcast=True)
        tl.store(d + r, tl.load(p))
    elif HOW == "table":
        tl.store(d + r, tl.load(tl.load(table).to(tl.pointer_type(tl.float16)) + r))
    elif HOW == "either":
        tl.store(d + r, tl.load((c if M > 10 else a) + r))
    else:
        tl.store(d + r, r.to(tl.float16))


# Copies of host arrays lie elsewhere than what is made of their addresses.
ON_HOST = pytest.mark.skipif(BACKEND == "cuda", reason="an address of the host")


@pytest.mark.parametrize("how,count", [("", 1), ("either", 0),
                                       pytest.param("number", 0, marks=ON_HOST),
                                       pytest.param("table", 0, marks=ON_HOST)])
def test_laundered_pointers(how, count):
    a, d = operand(64, 64, 1), np.zeros(64, np.float16)
    whole = np.full((70, 80), UNTOUCHED, np.float16)
    address = np.array([whole.ctypes.data], np.int64)
    kernel = launders[(1,)](a, whole, d, address, 33, 80, T=64, HOW=how, num_warps=4)
    expected = 6 * product(a, a)
    np.testing.assert_array_equal(d, expected[0] if how else np.arange(64))
    expect(whole, whole[:33, :64], expected[:33])
    assert stores(kernel) == count


def test_no_bank_conflicts():
    a, b = operand(128, 64, 1), operand(64, 128, 2)
    whole, c = result(128, 128)
    counts = plain.simulate((1, 1), a, b, c, 128, 128, 64, *strides(c), 128, 128, 64, HOW="masked",
                            num_warps=8, arch="sm_90")
    expect(whole, c, product(a, b))
    assert counts.bank_conflicts == 0 and "st.global" not in counts.instructions
    assert counts.instructions["stmatrix"].warp_instructions == 128 * 128 // (4 * 64)
