"""Rounds of a loop that a CPU multiplies at once, and packed operands that it keeps for the next
programs (Conversion/TileToCPU/PlanRounds.cpp), on several CPUs' code."""

import pathlib
import re
import threading
import time

import ml_dtypes
import numpy as np
import pytest

import tritium as triton
import tritium.language as tl
from test_cpus import COMMAND, HERE, call


@triton.jit
def product(a, b, c, M, N, K, am, ak, bk, bn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
            SUM: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    ap = a + rm[:, None] * am + rk[None, :] * ak
    bp = b + rk[:, None] * bk + rn[None, :] * bn
    acc = tl.zeros((BM, BN), SUM)
    for k in range(0, K, BK):
        x = tl.load(ap, mask=(rm < M)[:, None] & (rk < K - k)[None, :], other=0)
        y = tl.load(bp, mask=(rk < K - k)[:, None] & (rn < N)[None, :], other=0)
        acc = tl.dot(x, y, acc)
        ap += BK * ak
        bp += BK * bk
    tl.store(c + rm[:, None] * N + rn[None, :], acc, mask=(rm < M)[:, None] & (rn < N)[None, :])


FEATURES = set(pathlib.Path("/proc/cpuinfo").read_text().split())
SUMS = {np.dtype(np.int8): np.int32, np.dtype(np.uint8): np.int32,
        np.dtype(np.float64): np.float64}


def matrix(rows, columns, dtype, across, seed):
    """Whole numbers, of which every order of summation gives the same; a part of a larger array."""
    rng = np.random.default_rng(seed)
    low, high = (0, 256) if dtype == np.uint8 else (-128, 128) if dtype == np.int8 else (-4, 5)
    whole = rng.integers(low, high, (rows + 2, columns + 3)).astype(dtype)
    if across:
        return np.asfortranarray(whole)[:rows, :columns]
    return whole[:rows, 1 : columns + 1]


def expected(a, b):
    whole = SUMS.get(a.dtype, np.float32)
    wide = np.int64 if whole == np.int32 else np.float64
    return (a.astype(wide) @ b.astype(wide)).astype(whole)


def launch(a, b, tile, kernel=product):
    (m, k), n = a.shape, b.shape[1]
    c = np.zeros((m, n), SUMS.get(a.dtype, np.float32))
    strides = [s // x.itemsize for x in (a, b) for s in x.strides]
    sums = {np.int32: tl.int32, np.float64: tl.float64}.get(c.dtype.type, tl.float32)
    grid = (triton.cdiv(m, tile[0]), triton.cdiv(n, tile[1]))
    return c, kernel[grid](a, b, c, m, n, k, *strides, *tile, SUM=sums)


def multipliesAtOnce(handle):
    return [r.message for r in handle.remarks if "multiplied at once" in r.message]


DTYPES = [np.float32, np.float64, np.float16, ml_dtypes.bfloat16, ml_dtypes.float8_e5m2, np.int8,
          np.uint8]


@pytest.mark.parametrize("cpu", ["native", "x86-64", "haswell", "sapphirerapids"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("a_across,b_across", [(False, False), (True, False), (False, True)])
def test_products(monkeypatch, cpu, dtype, a_across, b_across):
    monkeypatch.setenv("TRITIUM_CPU", cpu)
    try:
        launch(*(matrix(16, 16, dtype, False, 0) for _ in range(2)), (16, 16, 16))
    except triton.errors.OptionError as error:
        assert "this machine lacks" in str(error)
        pytest.skip(str(error))
    # Whole tiles, tails of all extents, few rows, fewer rounds than go at once, none.
    for m, n, k, tile in ((64, 128, 1024, (32, 64, 64)), (70, 150, 1100, (32, 64, 64)),
                          (1, 320, 600, (1, 64, 32)), (7, 320, 600, (7, 192, 32)),
                          (13, 192, 580, (13, 96, 32)),
                          (17, 64, 130, (16, 32, 32)), (64, 64, 0, (16, 32, 32))):
        a, b = matrix(m, k, dtype, a_across, 1), matrix(k, n, dtype, b_across, 2)
        c, handle = launch(a, b, tile)
        np.testing.assert_array_equal(c, expected(a, b))
        if not a_across and not b_across and tile[1] == 64:
            assert multipliesAtOnce(handle)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16, np.int8])
def test_kept(monkeypatch, threads, dtype):
    """More chunks of k than are kept, several columns of tiles, and b changes between launches."""
    monkeypatch.setenv("TRITIUM_NUM_THREADS", str(threads))
    m, n, k = 96, 512, 2100
    a = matrix(m, k, dtype, False, 3)
    b = matrix(k, n, dtype, False, 4)
    for seed in (5, 6):
        c, handle = launch(a, b, (32, 256, 64))
        assert "is kept" in multipliesAtOnce(handle)[0]
        np.testing.assert_array_equal(c, expected(a, b))
        b[...] = matrix(k, n, dtype, False, seed)


@triton.jit
def wandering(a, b, c, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Programs with the same columns, others with new ones each, and some with the same again."""
    i = tl.program_id(0)
    column = tl.where(i < 6, i // 3, tl.where(i < 14, i % 4, (i - 14) // 3 % 4))
    rm, rn, rk = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        x = tl.load(a + (i * BM + rm)[:, None] * K + (k + rk)[None, :])
        y = tl.load(b + (k + rk)[:, None] * N + (column * BN + rn)[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + (i * BM + rm)[:, None] * BN + rn[None, :], acc)


@pytest.mark.parametrize("k", [256, 640, 2048])
def test_columns_that_few_programs_share(monkeypatch, k):
    monkeypatch.setenv("TRITIUM_NUM_THREADS", "1")
    programs, bm, bn = 28, 32, 256
    a, b = matrix(programs * bm, k, np.float32, False, 14).copy(), np.ascontiguousarray(
        matrix(k, 4 * bn, np.float32, False, 15))
    c = np.zeros((programs * bm, bn), np.float32)
    handle = wandering[(programs,)](a, b, c, 4 * bn, k, bm, bn, 64)
    assert "is kept" in multipliesAtOnce(handle)[0]
    whole = expected(a, b)
    for i in range(programs):
        column = i // 3 if i < 6 else i % 4 if i < 14 else (i - 14) // 3 % 4
        rows = slice(i * bm, (i + 1) * bm)
        np.testing.assert_array_equal(c[rows], whole[rows, column * bn:(column + 1) * bn])


@triton.jit
def two_products(a, b, c, d, n, N: tl.constexpr, K: tl.constexpr):
    """Of each b of a batch, d = sum of (a @ b) @ c over tiles of b's columns."""
    rows = tl.program_id(0) * N + tl.arange(0, N)
    rn, rk = tl.arange(0, N), tl.arange(0, K)
    x = tl.load(a + rows[:, None] * K + rk[None, :])
    b += tl.program_id(1) * n * K
    sums = tl.zeros((N, K), tl.float32)
    for first in range(0, n, N):
        y = tl.load(b + (first + rn)[None, :] * K + rk[:, None])
        z = tl.dot(x, y)
        w = tl.load(c + (first + rn)[:, None] * K + rk[None, :])
        sums = tl.dot(z.to(w.dtype), w, sums)
    tl.store(d + tl.program_id(1) * tl.num_programs(0) * N * K + rows[:, None] * K + rk[None, :],
             sums)


@pytest.mark.parametrize("threads", [1, 2])
def test_kept_in_loops(monkeypatch, threads):
    """What several programs multiply by, in a loop of more rounds than are kept; two batches, and
    both operands change between launches."""
    monkeypatch.setenv("TRITIUM_NUM_THREADS", str(threads))
    batches, programs, n, tile, k = 2, 3, 1280, 32, 32
    rng = np.random.default_rng(17)
    bf16 = ml_dtypes.bfloat16
    a = rng.integers(-2, 3, (programs * tile, k)).astype(bf16)
    b, c = np.zeros((batches, n, k), bf16), np.zeros((n, k), bf16)
    d = np.zeros((batches, programs * tile, k), np.float32)
    for _ in range(2):
        b[...] = rng.integers(0, 2, b.shape) * (rng.random(b.shape) < 0.05)
        c[...] = rng.integers(-2, 3, c.shape)
        handle = two_products[(programs, batches)](a, b, c, d, n, tile, k)
        kept = [r for r in handle.remarks if "is kept for" in r.message]
        assert not {"avx512_bf16", "sse4a"} <= FEATURES or len(kept) == 2
        wide = [x.astype(np.float64) for x in (a, b, c)]
        np.testing.assert_array_equal(d, wide[0] @ wide[1].transpose(0, 2, 1) @ wide[2])


def test_output_in_b():
    """Each row of programs multiplies by what the row before has stored: nothing is kept."""
    n = 256
    memory = matrix(2 * n, n, np.float32, False, 7).copy()
    a, b = np.eye(16, n, dtype=np.float32), memory[:n]
    c = memory[n - 16 :]

    @triton.jit
    def shifted(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
        rm, rn, rk = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
        i = tl.program_id(0)
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            x = tl.load(a + rm[:, None] * K + (k + rk)[None, :])
            y = tl.load(b + (k + rk)[:, None] * BN + rn[None, :])
            acc = tl.dot(x, y, acc)
        tl.store(c + (rm[:, None] * BN + rn[None, :]), acc + i)

    a[0, n - 1] = 1
    wanted = memory.copy()
    for i in range(3):
        wanted[n - 16 : n] = a @ wanted[:n] + i
    triton.set_num_threads(1)
    shifted[(3,)](a, b, c, n, 16, n, 32)
    np.testing.assert_array_equal(memory, wanted)


@triton.jit
def in_place(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn, rk = tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        x = tl.load(a + rm[:, None] * K + (k + rk)[None, :])
        y = tl.load(b + (k + rk)[:, None] * BN + rn[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + (rm[:, None] * K + rn[None, :]), acc)


def storesItself(handle):
    return any("stores its sums itself" in r.message for r in handle.remarks)


def hasWidePanels():
    return "avx512_vbmi2" in FEATURES and "sse4a" not in FEATURES


@pytest.mark.parametrize("m,n,k,tile,dtype", [
    (128, 128, 512, (64, 128, 32), np.float32), (128, 128, 512, (64, 64, 32), np.float64),
    (100, 150, 512, (64, 64, 32), np.float32),  # tiles that masks cut keep their phase
    (64, 64, 500, (64, 64, 32), np.float32), (64, 64, 64, (64, 64, 32), np.float32),
    (64, 64, 0, (64, 64, 32), np.float32)])  # as do last rounds that are not multiplied at once
def test_sums_stored_by_the_product(m, n, k, tile, dtype):
    a, b = matrix(m, k, dtype, False, 1), matrix(k, n, dtype, False, 2)
    c, handle = launch(a, b, tile)
    np.testing.assert_array_equal(c, expected(a, b))
    assert storesItself(handle) == hasWidePanels()


@triton.jit
def stored_in_part(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm, rn, rk = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        x = tl.load(a + rm[:, None] * K + (k + rk)[None, :])
        y = tl.load(b + (k + rk)[:, None] * BN + rn[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + rm[:, None] * BN + rn[None, :], acc, mask=(rm < M)[:, None] & (rn < N)[None, :])


@pytest.mark.parametrize("m,n", [(64, 128), (63, 128), (64, 127), (0, 128)])
def test_sums_stored_in_part(m, n):
    a, b = matrix(64, 256, np.float32, False, 1).copy(), matrix(256, 128, np.float32, False, 2)
    b, c = b.copy(), np.full((64, 128), -1, np.float32)
    handle = stored_in_part[(1,)](a, b, c, m, n, 256, 64, 128, 32)
    wanted = np.full((64, 128), -1, np.float32)
    wanted[:m, :n] = expected(a, b)[:m, :n]
    np.testing.assert_array_equal(c, wanted)
    assert storesItself(handle) == hasWidePanels()


@triton.jit
def same_array(a, b, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    in_place(a, b, a, K, BM, BN, BK)


def test_output_in_a():
    """Sums go over the rows that later columns are multiplied by."""
    n = 256
    b = matrix(n, n, np.float32, False, 7).copy()
    for kernel in (in_place, same_array):
        a = matrix(n, n, np.float32, False, 8).copy()
        wanted = expected(a, b)
        arrays = (a, b, a.reshape(-1)) if kernel is in_place else (a, b)
        handle = kernel[(n // 64,)](*arrays, n, 64, n, 32)
        np.testing.assert_array_equal(a, wanted)
        # Of arrays that overlap a launch takes other code than the handle tells of.
        assert kernel is in_place or not storesItself(handle)


# Tiles that do not follow each other: every second one along k, and addresses that turn back.
@triton.jit
def folded(a, b, c, M, N, K, am, ak, bk, bn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
           SUM: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), SUM)
    for k in range(0, K, BK):
        at = tl.where(k < K // 2, k, K - BK - k) + rk
        x = tl.load(a + rm[:, None] * am + at[None, :] * ak)
        y = tl.load(b + at[:, None] * bk + rn[None, :] * bn)
        acc = tl.dot(x, y, acc)
    tl.store(c + rm[:, None] * N + rn[None, :], acc)


@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16, np.int8])
def test_addresses_that_turn(dtype):
    n, k, block = 64, 1024, 32
    a, b = matrix(n, k, dtype, False, 8), matrix(k, n, dtype, False, 9)
    order = np.concatenate([np.arange(i if i < k // 2 else k - block - i,
                                      (i if i < k // 2 else k - block - i) + block)
                            for i in range(0, k, block)])
    c, handle = launch(a, b, (n, n, block), folded)
    assert multipliesAtOnce(handle)
    np.testing.assert_array_equal(c, expected(a[:, order], b[order]))


def test_steps_past_tiles():
    n, k, block = 64, 1024, 32
    a, b = matrix(n, k, np.float32, False, 10), matrix(k, n, np.float32, False, 11)

    @triton.jit
    def apart(a, b, c, K, am, bk, BN: tl.constexpr, BK: tl.constexpr):
        rn, rk = tl.arange(0, BN), tl.arange(0, BK)
        acc = tl.zeros((BN, BN), tl.float32)
        for k in range(0, K, 2 * BK):
            x = tl.load(a + rn[:, None] * am + (k + rk)[None, :])
            acc = tl.dot(x, tl.load(b + (k + rk)[:, None] * bk + rn[None, :]), acc)
        tl.store(c + rn[:, None] * BN + rn[None, :], acc)

    c = np.zeros((n, n), np.float32)
    apart[(1,)](a, b, c, k, a.strides[0] // 4, b.strides[0] // 4, n, block)
    half = np.arange(k) // block % 2 == 0
    np.testing.assert_array_equal(c, expected(a[:, half], b[half]))


@triton.jit
def by_turns(a, b, c, flag, done, K, B: tl.constexpr, BK: tl.constexpr, ROUNDS: tl.constexpr):
    rm, rk = tl.arange(0, B), tl.arange(0, BK)
    for r in range(ROUNDS):
        while tl.load(flag, volatile=True) <= r:
            pass
        acc = tl.zeros((B, B), tl.float32)
        for k in range(0, K, BK):
            x = tl.load(a + rm[:, None] * K + (k + rk)[None, :])
            y = tl.load(b + (k + rk)[:, None] * B + rm[None, :])
            acc = tl.dot(x, y, acc)
        tl.store(c + r * B * B + rm[:, None] * B + rm[None, :], acc)
        tl.store(done, r + 1)


def test_b_that_the_host_writes_meanwhile():
    B, K, rounds = 64, 256, 3
    a, b = np.ones((B, K), np.float32), np.ones((K, B), np.float32)
    c = np.zeros((rounds, B, B), np.float32)
    flag, done = np.zeros(1, np.int32), np.zeros(1, np.int32)

    def host():
        for r in range(rounds):
            b[...] = r + 1
            flag[0] = r + 1
            end = time.time() + 20
            while done[0] <= r and time.time() < end:
                time.sleep(0.001)

    thread = threading.Thread(target=host)
    thread.start()
    by_turns[(1,)](a, b, c, flag, done, K, B, 32, rounds)
    thread.join()
    np.testing.assert_array_equal(c[:, 0, 0] / K, [1, 2, 3])


@pytest.mark.parametrize("cpu, dtype, columns, stores", [
    ("sapphirerapids", np.float32, 64, True),
    ("sapphirerapids", np.float32, 56, False),
    ("znver4", np.float32, 64, False),
    ("neoverse-v1", np.float32, 16, False),
    ("neoverse-v1", np.int8, 14, False),
    ("neoverse-v1", np.uint8, 16, False),
])
def test_whose_product_stores_its_sums(monkeypatch, cpu, dtype, columns, stores):
    """Whole registers of one panel, on CPUs that have wide ones."""
    monkeypatch.setenv("TRITIUM_BACKEND", "cpu")
    monkeypatch.setenv("TRITIUM_CPU", cpu)
    sums = SUMS.get(np.dtype(dtype), np.float32)
    a, b, c = np.ones((64, 128), dtype), np.ones((128, 128), dtype), np.zeros((64, 128), sums)
    # The right operand lies along k.
    kernel = product.warmup(a, b, c, 64, 128, 128, 128, 1, 1, 128, BM=32, BN=columns, BK=64,
                            SUM=tl.int32 if sums == np.int32 else tl.float32, grid=(2, 2))
    assert ("the last sums are stored where they belong" in kernel.asm["plan"]) == stores


@pytest.mark.parametrize("rows, asked", [(1, 32), (2, 32), (16, 1)])
def test_code_of_few_rows(rows, asked):
    """One pointer is enough for the rows of the copy. Up to four rows take eight steps of 256 bytes
    of the second operand without a loop, and ask for as much: further along, or rows below."""
    text = call(COMMAND, "compile", HERE / "cpu_kernels.py", "--kernel", "rounds", "--signature",
                "*fp32,*fp32,*fp32,i32,i32,i32,i32,1",
                *(x for name in (f"BM={rows}", "BN=1024", "BK=64", "PRECISION='ieee'")
                  for x in ("--constexpr", name)), "--target", "cpu:skylake-avx512",
                "--emit", "asm")
    begin = re.search(rf"^dot_of_rows_{rows}x1024x256_\w+:$", text, re.M).start()
    code = text[begin:text.index("\tretq", begin)]
    assert code.count("prefetcht1") == asked and re.search(r"\tcmov\w+\t", code)
    if rows > 2:
        assert len(set(re.findall(r"\((%\w+)[^)]*\)\{1to16\}", code))) == 1
