"""Kernels whose copies a warp of its own starts: on the simulated GPU, or with
TRITIUM_TEST_BACKENDS=cuda on one of compute capability 9.0."""

import os

import numpy as np
import pytest

import tritium as triton
import tritium.language as tl

BACKEND = "cuda" if os.environ.get("TRITIUM_TEST_BACKENDS") == "cuda" else "sim:sm_90"
T = 64


@pytest.fixture(autouse=True)
def backend(monkeypatch):
    monkeypatch.setenv("TRITIUM_BACKEND", BACKEND)


def matrix(rows, columns, seed):
    """Whole numbers, whose products are exact."""
    numbers = np.random.default_rng(seed).integers(-4, 5, (rows, columns))
    return numbers.astype(np.float16)


def expect_product(result, a, b, times=1):
    np.testing.assert_array_equal(result, times * (a.astype(np.float32) @ b.astype(np.float32)))


def remarks(kernel):
    return [r.message for r in kernel.remarks if r.pass_ == "warp-specialization"]


def is_split(kernel):
    return "ttg.warp_groups" in kernel.asm["ttgir"]


@triton.jit
def product(a, b, c, M, N, K, am, bk, cm, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr,
            HINT: tl.constexpr):
    rm = tl.program_id(0) * TM + tl.arange(0, TM)
    rn = tl.program_id(1) * TN + tl.arange(0, TN)
    rk = tl.arange(0, TK)
    acc = tl.zeros((TM, TN), tl.float32)
    for k in tl.range(0, tl.cdiv(K, TK), warp_specialize=HINT):
        at = k * TK + rk
        x = tl.load(a + rm[:, None] * am + at[None, :],
                    mask=(rm < M)[:, None] & (at < K)[None, :], other=0.0)
        y = tl.load(b + at[:, None] * bk + rn[None, :],
                    mask=(at < K)[:, None] & (rn < N)[None, :], other=0.0)
        acc = tl.dot(x, y, acc)
    tl.store(c + rm[:, None] * cm + rn[None, :], acc, mask=(rm < M)[:, None] & (rn < N)[None, :])


def run_product(m, n, k, tm=T, tn=T, tk=T, hint=False, **options):
    # Rows of 16 bytes, as TMA wants them.
    a, b = matrix(m, -(-k // 8) * 8, 1)[:, :k], matrix(max(k, 1), -(-n // 8) * 8, 2)[:k, :n]
    c = np.full((m + 3, n + 5), -7.0, np.float32)
    kernel = product[(triton.cdiv(m, tm), triton.cdiv(n, tn))](
        a, b, c, m, n, k, a.strides[0] // 2, b.strides[0] // 2, c.strides[0] // 4,
        tm, tn, tk, hint, **options)
    expect_product(c[:m, :n], a, b)
    assert (c[m:] == -7).all() and (c[:, n:] == -7).all()
    return kernel


# No iteration, fewer than there are buffers, as many, and more, more than once around.
@pytest.mark.parametrize("k", [0, 2, 64, 128, 192, 200, 320, 448])
@pytest.mark.parametrize("stages", [2, 3, 4])
def test_iterations(k, stages):
    assert is_split(run_product(64, 64, k, num_stages=stages, warp_specialize=True))


@pytest.mark.parametrize("m, n", [(64, 64), (130, 80), (1, 208)])
@pytest.mark.parametrize("warps", [4, 8])
def test_extents(m, n, warps):
    kernel = run_product(m, n, 208, num_warps=warps, warp_specialize=True)
    assert is_split(kernel) and remarks(kernel) == ["a warp of its own starts the loop's copies"]


@pytest.mark.parametrize("tm, tn, tk, warps", [(128, 128, 64, 8), (128, 256, 64, 8),
                                               (256, 64, 32, 16), (64, 256, 128, 4)])
def test_tiles(tm, tn, tk, warps):
    kernel = run_product(200, 272, 304, tm, tn, tk, num_warps=warps, warp_specialize=True)
    assert is_split(kernel)
    # Nine warps cost the registers of twelve.
    assert ("setmaxnreg" in kernel.asm["ptx"]) == (warps >= 8)


def test_the_author_asks():
    assert is_split(run_product(64, 64, 320, hint=True))
    assert not is_split(run_product(64, 64, 320, hint=True, warp_specialize=False))


def test_where_it_does_not_pay():
    assert not is_split(run_product(64, 64, 320))


def test_registers_are_the_launchs():
    kernel = run_product(128, 128, 256, 128, 128, num_warps=8, maxnreg=168, warp_specialize=True)
    assert is_split(kernel) and "setmaxnreg" not in kernel.asm["ptx"]


# A loop over tiles, some of which have no iterations, and some that are left out.
@triton.jit
def tiles(a, b, c, lengths, N, K, TM: tl.constexpr):
    for tile in range(tl.program_id(0), N // TM, tl.num_programs(0)):
        length = tl.load(lengths + tile)
        if length >= 0:
            rn = tile * TM + tl.arange(0, TM)
            rk = tl.arange(0, TM)
            acc = tl.zeros((TM, TM), tl.float32)
            for k in range(0, length):
                at = k * TM + rk
                x = tl.load(a + rk[:, None] * K + at[None, :])
                y = tl.load(b + at[:, None] * N + rn[None, :])
                acc = tl.dot(x, y, acc)
            tl.store(c + rk[:, None] * N + rn[None, :], acc)


@pytest.mark.parametrize("programs", [1, 2])
@pytest.mark.parametrize("stages", [2, 3])
def test_tiles_of_many_lengths(programs, stages):
    lengths = np.array([3, 0, 1, -1, 5, 2], np.int32)
    n, k = T * len(lengths), T * 5
    a, b = matrix(T, k, 3), matrix(k, n, 4)
    c = np.full((T, n), -7.0, np.float32)
    kernel = tiles[(programs,)](a, b, c, lengths, n, k, T, num_stages=stages, warp_specialize=True)
    for i, length in enumerate(lengths):
        columns, part = slice(i * T, (i + 1) * T), slice(0, max(length, 0) * T)
        if length < 0:
            assert (c[:, columns] == -7).all()
        else:
            expect_product(c[:, columns], a[:, part], b[part, columns])
    # The number of iterations is loaded, so that no launch knows where a box may begin.
    assert not is_split(kernel)
    assert remarks(kernel) == ["the warps that compute start the loop's copies themselves: no loop "
                               "of the kernel has copies by TMA alone"]


@triton.jit
def tiles_of_a_rule(a, b, c, N, K, TM: tl.constexpr):
    for tile in range(tl.program_id(0), N // TM, tl.num_programs(0)):
        if tile % 3 != 2:
            rn = tile * TM + tl.arange(0, TM)
            rk = tl.arange(0, TM)
            acc = tl.zeros((TM, TM), tl.float32)
            for k in range(0, tile % 4 * TM, TM):
                x = tl.load(a + rk[:, None] * K + (k + rk)[None, :])
                y = tl.load(b + (k + rk)[:, None] * N + rn[None, :])
                acc = tl.dot(x, y, acc)
            tl.store(c + rk[:, None] * N + rn[None, :], acc)
        else:
            tl.store(c + tile * TM + tl.arange(0, TM), tl.full((TM,), 3.0, tl.float32))


@pytest.mark.parametrize("programs", [1, 2, 7])
@pytest.mark.parametrize("stages", [2, 3])
def test_loops_and_branches_around(programs, stages):
    n, k = T * 7, T * 3
    a, b = matrix(T, k, 5), matrix(k, n, 6)
    c = np.full((T, n), -7.0, np.float32)
    kernel = tiles_of_a_rule[(programs,)](a, b, c, n, k, T, num_stages=stages,
                                          warp_specialize=True)
    assert is_split(kernel)
    for tile in range(7):
        columns, part = slice(tile * T, (tile + 1) * T), slice(0, tile % 4 * T)
        if tile % 3 == 2:
            assert (c[0, columns] == 3).all() and (c[1:, columns] == -7).all()
        else:
            expect_product(c[:, columns], a[:, part], b[part, columns])


@triton.jit
def two_loops(a, b, c, FIRST, SECOND, K, TM: tl.constexpr, TN: tl.constexpr):
    """The same kinds of tiles in both loops, which take the same buffers; another in the third."""
    rm, rn = tl.arange(0, TM), tl.arange(0, TN)
    acc = tl.zeros((TM, TM), tl.float32)
    for k in range(0, FIRST):
        x = tl.load(a + rm[:, None] * K + (k * TM + rm)[None, :])
        y = tl.load(b + (k * TM + rm)[:, None] * TM + rm[None, :])
        acc = tl.dot(x, y, acc)
    acc *= 2
    for k in range(FIRST, SECOND):
        x = tl.load(a + rm[:, None] * K + (k * TM + rm)[None, :])
        y = tl.load(b + (k * TM + rm)[:, None] * TM + rm[None, :])
        acc = tl.dot(x, y, acc)
    acc *= 2
    for k in range(SECOND * TM // TN, K // TN):
        x = tl.load(a + rm[:, None] * K + (k * TN + rn)[None, :])
        y = tl.load(b + (k * TN + rn)[:, None] * TM + rm[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + rm[:, None] * TM + rm[None, :], acc)


@pytest.mark.parametrize("first, second", [(3, 5), (0, 0), (0, 6), (6, 6), (1, 2)])
def test_loops_one_after_the_other(first, second):
    k = 6 * T
    a, b, c = matrix(T, k, 7), matrix(k, T, 8), np.zeros((T, T), np.float32)
    kernel = two_loops[(1,)](a, b, c, first, second, k, T, T // 2, num_stages=3,
                             warp_specialize=True)
    assert is_split(kernel)
    first, second = first * T, second * T
    expect_product(c, np.hstack([4 * a[:, :first], 2 * a[:, first:second], a[:, second:]]), b)


@triton.jit
def attention(q, k, v, o, N, scale, CAUSAL: tl.constexpr, TM: tl.constexpr, TN: tl.constexpr,
              D: tl.constexpr):
    rm, rn, rd = tl.program_id(0) * TM + tl.arange(0, TM), tl.arange(0, TN), tl.arange(0, D)
    x = tl.load(q + rm[:, None] * D + rd[None, :])
    top = tl.full((TM,), -1e9, tl.float32)
    total = tl.zeros((TM,), tl.float32)
    acc = tl.zeros((TM, D), tl.float32)
    end = (tl.program_id(0) + 1) * TM if CAUSAL else N
    for n in range(0, end, TN):
        y = tl.load(k + (n + rn)[:, None] * D + rd[None, :])
        s = tl.dot(x, y.T) * scale
        if CAUSAL:
            s = tl.where(rm[:, None] >= (n + rn)[None, :], s, -1e9)
        new = tl.maximum(top, tl.max(s, 1))
        p = tl.exp2(s - new[:, None])
        ratio = tl.exp2(top - new)
        total = total * ratio + tl.sum(p, 1)
        acc = acc * ratio[:, None]
        z = tl.load(v + (n + rn)[:, None] * D + rd[None, :])
        acc = tl.dot(p.to(tl.float16), z, acc)
        top = new
    tl.store(o + rm[:, None] * D + rd[None, :], (acc / total[:, None]).to(tl.float16))


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("tm, tn, d, warps, asked", [(64, 64, 64, 4, True), (128, 64, 64, 8, True),
                                                     (128, 128, 128, 8, None)])
def test_attention(causal, tm, tn, d, warps, asked):
    n = 3 * tm
    random = np.random.default_rng(9)
    q, k, v = (random.standard_normal((n, d)).astype(np.float16) for _ in range(3))
    o = np.zeros((n, d), np.float16)
    options = {} if asked is None else {"warp_specialize": asked}
    kernel = attention[(3,)](q, k, v, o, n, d**-0.5, causal, tm, tn, d, num_warps=warps,
                             num_stages=2, **options)
    # The last one is what it is chosen for.
    assert is_split(kernel)
    # CTAs loop over programs that fill a multiprocessor alone; who is done first takes the next one
    # where some are longer than others.
    assert ("ttg.persistent" in kernel.asm["ttgir"]) == (d == 128)
    assert ("ttg.next_program" in kernel.asm["ttgir"]) == (d == 128 and causal)
    scores = q.astype(float) @ k.astype(float).T * d**-0.5
    if causal:
        scores = np.where(np.tri(n) > 0, scores, -np.inf)
    weights = np.exp2(scores - scores.max(1, keepdims=True))
    expected = weights / weights.sum(1, keepdims=True) @ v.astype(float)
    np.testing.assert_allclose(o, expected, atol=2e-3)


@triton.jit
def attend(x, k, v, acc, total, top, begin, end, scale, MASKED: tl.constexpr, T: tl.constexpr):
    rn = tl.arange(0, T)
    for n in range(begin, end, T):
        y = tl.load(k + (n + rn)[:, None] * T + rn[None, :])
        s = tl.dot(x, y.T)
        if MASKED:
            s = s * scale + tl.where(rn[:, None] >= (n + rn[None, :]) % T, 0, -1e6)
            new = tl.maximum(top, tl.max(s, 1))
            s -= new[:, None]
        else:
            new = tl.maximum(top, tl.max(s, 1) * scale)
            s = s * scale - new[:, None]
        p = tl.exp2(s)
        ratio = tl.exp2(top - new)
        total = total * ratio + tl.sum(p, 1)
        z = tl.load(v + (n + rn)[:, None] * T + rn[None, :])
        acc = tl.dot(p.to(tl.float16), z, acc * ratio[:, None])
        top = new
    return acc, total, top


@triton.jit
def attention_in_parts(q, k, v, o, begin, between, end, scale, T: tl.constexpr):
    begin, between, end = begin * T, between * T, end * T
    rows = tl.arange(0, T)
    x = tl.load(q + rows[:, None] * T + rows[None, :])
    acc, total = tl.zeros((T, T), tl.float32), tl.zeros((T,), tl.float32)
    top = tl.full((T,), -1e9, tl.float32)
    acc, total, top = attend(x, k, v, acc, total, top, begin, between, scale, False, T)
    acc, total, top = attend(x, k, v, acc, total, top, between, end, 2 * scale, True, T)
    tl.store(o + rows[:, None] * T + rows[None, :], acc / tl.maximum(total, 1e-6)[:, None])


def expect_parts(ends, scale=64**-0.5):
    """Keys are plain between the first and the second end, masked up to the third."""
    random = np.random.default_rng(11)
    q, k, v = (random.standard_normal((rows, T)).astype(np.float16) for rows in (T, 7 * T, 7 * T))
    o = np.full((T, T), np.nan, np.float32)
    kernel = attention_in_parts[(1,)](q, k, v, o, *ends, scale, T, num_stages=3,
                                      warp_specialize=True)
    assert is_split(kernel)
    # One loop for both parts, in the group that computes and in the one that copies.
    assert kernel.asm["ttgir"].count("scf.for") == 2
    begin, between, end = (end * T for end in ends)
    plain, masked = (np.array([n + i for n in range(*part, T) for i in range(T)], int)
                     for part in ((begin, between), (between, end)))
    keys = np.concatenate([plain, masked])
    scores = q.astype(float) @ k[keys].astype(float).T * scale
    hidden = np.arange(T)[:, None] < masked % T
    scores[:, plain.size :] = scores[:, plain.size :] * 2 - hidden * 1e6
    weights = np.exp2(scores - scores.max(1, keepdims=True)) if keys.size else scores
    total = np.maximum(weights.sum(1, keepdims=True), 1e-6)
    np.testing.assert_allclose(o, weights @ v[keys].astype(float) / total, atol=4e-3)


# Bounds may be in any order: then one of the loops, or both, have no iterations.
@pytest.mark.parametrize("ends", [(0, 0, 0), (0, 0, 3), (0, 3, 3), (0, 1, 2), (1, 4, 6), (2, 5, 1),
                                  (3, 1, 4), (3, 2, 1), (5, 0, 3)])
def test_dots_of_two_loops(ends):
    expect_parts(ends)


@triton.jit
def ordered(a, b, c, flag, HOW: tl.constexpr, K, TM: tl.constexpr):
    rm = tl.arange(0, TM)
    acc = tl.zeros((TM, TM), tl.float32)
    if HOW == "atomic before":
        tl.atomic_add(flag, 1)
    if HOW == "volatile before":
        acc += tl.load(flag, volatile=True)
    for k in range(0, K, TM):
        x = tl.load(a + rm[:, None] * K + (k + rm)[None, :])
        y = tl.load(b + (k + rm)[:, None] * TM + rm[None, :])
        acc = tl.dot(x, y, acc)
        if HOW == "atomic inside":
            tl.atomic_add(flag, 1)
    if HOW == "atomic behind":
        tl.atomic_add(flag, 1)
    if HOW == "print":
        tl.device_print("of", k)
    tl.store(c + rm[:, None] * TM + rm[None, :], acc)


@pytest.mark.parametrize("how, split, flag", [
    ("none", True, 0), ("atomic before", False, 1), ("volatile before", False, 0),
    ("atomic inside", False, 5), ("atomic behind", True, 1)])
def test_what_orders_memory(how, split, flag):
    a, b, c = matrix(T, 5 * T, 10), matrix(5 * T, T, 11), np.zeros((T, T), np.float32)
    flags = np.zeros(1, np.int32)
    kernel = ordered[(1,)](a, b, c, flags, how, 5 * T, T, warp_specialize=True)
    expect_product(c, a, b)
    assert is_split(kernel) == split and flags[0] == flag
    if not split:
        (said,) = remarks(kernel)
        assert said.startswith("the warps that compute start the loop's copies themselves: ")
        assert said.endswith("may order what it copies after what others write"
                             if how != "atomic inside" else "copies by TMA alone")


def test_one_operand_twice():
    @triton.jit
    def square(a, c, TM: tl.constexpr, K):
        rm = tl.arange(0, TM)
        acc = tl.zeros((TM, TM), tl.float32)
        for k in range(0, K, TM):
            x = tl.load(a + rm[:, None] * K + (k + rm)[None, :])
            acc = tl.dot(x, x.T, acc)
        tl.store(c + rm[:, None] * TM + rm[None, :], acc)

    a, c = matrix(T, 5 * T, 12), np.zeros((T, T), np.float32)
    kernel = square[(1,)](a, c, T, 5 * T, warp_specialize=True)
    expect_product(c, a, a.T)
    assert is_split(kernel)


def test_loads_that_are_no_boxes():
    """Rows that TMA cannot take: each warp copies its own."""
    a, b = matrix(T, 5 * T + 1, 13)[:, : 5 * T], matrix(5 * T, T + 3, 14)[:, :T]
    c = np.zeros((T, T), np.float32)
    kernel = product[(1, 1)](a, b, c, T, T, 5 * T, 5 * T + 1, T + 3, T, T, T, T, False,
                             warp_specialize=True)
    expect_product(c, a, b)
    assert not is_split(kernel)


@pytest.mark.parametrize("asked", [True, False])
def test_config(asked):
    @triton.autotune(configs=[triton.Config({}, warp_specialize=asked)], key=[])
    @triton.jit
    def tuned(a, b, c, K, TM: tl.constexpr):
        rm = tl.arange(0, TM)
        acc = tl.zeros((TM, TM), tl.float32)
        for k in range(0, K, TM):
            x = tl.load(a + rm[:, None] * K + (k + rm)[None, :])
            y = tl.load(b + (k + rm)[:, None] * TM + rm[None, :])
            acc = tl.dot(x, y, acc)
        tl.store(c + rm[:, None] * TM + rm[None, :], acc)

    a, b, c = matrix(T, 5 * T, 15), matrix(5 * T, T, 16), np.zeros((T, T), np.float32)
    kernel = tuned[(1,)](a, b, c, 5 * T, TM=T)
    expect_product(c, a, b)
    assert is_split(kernel) == asked
    assert str(triton.Config({}, warp_specialize=asked)).endswith(f"warp_specialize: {asked}")
    assert "warp_specialize" not in triton.Config({}).all_kwargs()


@triton.jit
def narrow_keys(q_ptr, k_ptr, v_ptr, o_ptr, scale, n, D: tl.constexpr, BM: tl.constexpr,
                BN: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    q = (tl.load(q_ptr + i[:, None] * D + d[None, :]) * scale).to(tl.float16)
    acc = tl.zeros([BM, D], tl.float32)
    for first in range(0, n, BN):
        t = first + tl.arange(0, BN)
        k = tl.load(k_ptr + t[None, :] * D + d[:, None], mask=t[None, :] < n, other=0)
        v = tl.load(v_ptr + t[:, None] * D + d[None, :], mask=t[:, None] < n, other=0)
        acc = tl.dot(tl.dot(q, k.to(tl.float16)).to(tl.float16), v.to(tl.float16), acc)
    tl.store(o_ptr + i[:, None] * D + d[None, :], acc)


# Queries that are computed stay in registers. ptxas gave these to other values from the second
# round on, which only a GPU shows.
@pytest.mark.parametrize("n", [100, 128, 200, 384])
def test_operands_that_are_kept(n):
    rng = np.random.default_rng(n)
    q = rng.integers(-2, 3, (128, 128)).astype(np.float16)
    k, v = (rng.integers(-1, 2, (n, 128)).astype(np.int8) for _ in range(2))
    o = np.empty((128, 128), np.float32)
    kernel = narrow_keys[(1,)](q, k, v, o, 0.5, n, 128, 128, 128, num_warps=8, num_stages=2,
                               warp_specialize=True)
    np.testing.assert_array_equal(o, (q.astype(float) / 2) @ k.T.astype(float) @ v.astype(float))
    assert "ttng.keep_operand" in kernel.asm["ttgir"]
