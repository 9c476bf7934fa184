"""Kernels as users write them: the topics of tutorials and of model code, with launches that
hit their edges (lengths that divide nothing, strides that are zero or negative, one program
for all)."""

import ml_dtypes
import numpy as np
import pytest

import tritium as triton
import tritium.language as tl
from support import assert_same, numpy_dtype, random_array

WARPS = [1, 4, 8]


def close(result, expected, error):
    worst = np.max(np.abs(result.astype(np.float64) - expected)) if result.size else 0
    assert worst <= error, worst


# Fused attention, both ways.


@triton.jit
def attention_forward(q_ptr, k_ptr, v_ptr, o_ptr, lse_ptr, scale, N, D: tl.constexpr,
                      BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    base = tl.program_id(1) * N * D
    d = tl.arange(0, D)
    q = tl.load(q_ptr + base + rows[:, None] * D + d[None, :], mask=rows[:, None] < N, other=0.0)
    m = tl.full([BM], float("-inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, N, BN):
        keys = start + tl.arange(0, BN)
        k = tl.load(k_ptr + base + keys[None, :] * D + d[:, None], mask=keys[None, :] < N,
                    other=0.0)
        v = tl.load(v_ptr + base + keys[:, None] * D + d[None, :], mask=keys[:, None] < N,
                    other=0.0)
        s = tl.where(keys[None, :] < N, tl.dot(q, k) * scale, float("-inf"))
        top = tl.maximum(m, tl.max(s, 1))
        p = tl.exp(s - top[:, None])
        alpha = tl.exp(m - top)
        total = total * alpha + tl.sum(p, 1)
        acc = tl.dot(p.to(v.dtype), v, acc * alpha[:, None])
        m = top
    tl.store(o_ptr + base + rows[:, None] * D + d[None, :], acc / total[:, None],
             mask=rows[:, None] < N)
    tl.store(lse_ptr + tl.program_id(1) * N + rows, m + tl.log(total), mask=rows < N)


@triton.jit
def attention_backward(q_ptr, k_ptr, v_ptr, o_ptr, do_ptr, lse_ptr, dq_ptr, dk_ptr, dv_ptr, scale,
                       N, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """One program a block of keys; dq is summed by atomics."""
    keys = tl.program_id(0) * BN + tl.arange(0, BN)
    head = tl.program_id(1)
    base = head * N * D
    d = tl.arange(0, D)
    ours = keys[:, None] < N
    k = tl.load(k_ptr + base + keys[:, None] * D + d[None, :], mask=ours, other=0.0)
    v = tl.load(v_ptr + base + keys[:, None] * D + d[None, :], mask=ours, other=0.0)
    dk = tl.zeros([BN, D], tl.float32)
    dv = tl.zeros([BN, D], tl.float32)
    for start in range(0, N, BM):
        rows = start + tl.arange(0, BM)
        tile = base + rows[:, None] * D + d[None, :]
        valid = rows[:, None] < N
        q = tl.load(q_ptr + tile, mask=valid, other=0.0)
        do = tl.load(do_ptr + tile, mask=valid, other=0.0)
        o = tl.load(o_ptr + tile, mask=valid, other=0.0)
        lse = tl.load(lse_ptr + head * N + rows, mask=rows < N, other=0.0)
        p = tl.exp(tl.dot(q, tl.trans(k)) * scale - lse[:, None])
        p = tl.where(valid & (keys[None, :] < N), p, 0.0)
        dv += tl.dot(tl.trans(p.to(do.dtype)), do)
        dp = tl.dot(do, tl.trans(v))
        delta = tl.sum(o * do, 1)
        ds = (p * (dp - delta[:, None]) * scale).to(q.dtype)
        dk += tl.dot(tl.trans(ds), q)
        tl.atomic_add(dq_ptr + tile, tl.dot(ds, k), mask=valid)
    tl.store(dk_ptr + base + keys[:, None] * D + d[None, :], dk, mask=ours)
    tl.store(dv_ptr + base + keys[:, None] * D + d[None, :], dv, mask=ours)


@pytest.mark.parametrize("N, D, BM, BN, warps", [(50, 16, 16, 32, 2), (33, 32, 32, 16, 4),
                                                 (64, 64, 32, 32, 8)])
@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_attention_and_its_gradient(backend, rng, N, D, BM, BN, warps, dtype):
    heads, scale = 2, 0.3
    q, k, v, do = (random_array(rng, (heads, N, D), dtype) for _ in range(4))
    o, lse = np.zeros((heads, N, D), np.float32), np.zeros((heads, N), np.float32)
    attention_forward[(triton.cdiv(N, BM), heads)](q, k, v, o, lse, scale, N, D=D, BM=BM, BN=BN,
                                                   num_warps=warps)
    Q, K, V, dO = (x.astype(np.float64) for x in (q, k, v, do))
    s = Q @ K.swapaxes(1, 2) * scale
    p = np.exp(s - s.max(2, keepdims=True))
    p /= p.sum(2, keepdims=True)
    error = 4e-3 if dtype == "float16" else 2e-5
    close(o, p @ V, error)
    dq, dk, dv = (np.zeros((heads, N, D), np.float32) for _ in range(3))
    attention_backward[(triton.cdiv(N, BN), heads)](q, k, v, o.astype(q.dtype), do, lse, dq, dk,
                                                    dv, scale, N, D=D, BM=BM, BN=BN,
                                                    num_warps=warps)
    dp = dO @ V.swapaxes(1, 2)
    ds = p * (dp - (dp * p).sum(2, keepdims=True)) * scale
    error = 0.05 if dtype == "float16" else 2e-4
    close(dv, p.swapaxes(1, 2) @ dO, error)
    close(dq, ds @ K, error)
    close(dk, ds.swapaxes(1, 2) @ Q, error)


# Matrix products of many shapes by a fixed number of programs.


@triton.jit
def grouped_product(a_addresses, b_addresses, c_addresses, sizes, groups, BM: tl.constexpr,
                    BN: tl.constexpr, BK: tl.constexpr):
    tile = tl.program_id(0)
    done = 0
    for g in range(groups):
        M = tl.load(sizes + g * 3)
        N = tl.load(sizes + g * 3 + 1)
        K = tl.load(sizes + g * 3 + 2)
        across = tl.cdiv(N, BN)
        tiles = tl.cdiv(M, BM) * across
        while tile >= done and tile < done + tiles:
            a = tl.load(a_addresses + g).to(tl.pointer_type(tl.float16))
            b = tl.load(b_addresses + g).to(tl.pointer_type(tl.float16))
            c = tl.load(c_addresses + g).to(tl.pointer_type(tl.float16))
            m = (tile - done) // across * BM + tl.arange(0, BM)
            n = (tile - done) % across * BN + tl.arange(0, BN)
            k = tl.arange(0, BK)
            acc = tl.zeros((BM, BN), dtype=tl.float32)
            for start in range(0, K, BK):
                x = tl.load(a + m[:, None] * K + (start + k)[None, :],
                            mask=(m[:, None] < M) & (start + k[None, :] < K), other=0.0)
                y = tl.load(b + (start + k)[:, None] * N + n[None, :],
                            mask=(start + k[:, None] < K) & (n[None, :] < N), other=0.0)
                acc += tl.dot(x, y)
            tl.store(c + m[:, None] * N + n[None, :], acc.to(tl.float16),
                     mask=(m[:, None] < M) & (n[None, :] < N))
            tile += tl.num_programs(0)
        done += tiles


@pytest.mark.parametrize("programs", [1, 3, 7])
def test_grouped_product(backend, rng, programs):
    if backend == "cuda":
        pytest.skip("addresses of host arrays")
    sizes = np.array([[32, 32, 32], [17, 40, 5], [1, 1, 64], [70, 33, 50]], np.int32)
    a = [rng.integers(-3, 4, (m, k)).astype(np.float16) for m, n, k in sizes]
    b = [rng.integers(-3, 4, (k, n)).astype(np.float16) for m, n, k in sizes]
    c = [np.zeros((m, n), np.float16) for m, n, k in sizes]
    addresses = [np.array([x.ctypes.data for x in arrays], np.int64) for arrays in (a, b, c)]
    try:
        grouped_product[(programs,)](*addresses, sizes, len(sizes), BM=16, BN=32, BK=16)
    except triton.InterpreterError as error:
        assert backend == "interpret" and "outside every argument" in str(error)
        return
    for x, y, z in zip(a, b, c):
        assert_same(z, (x.astype(np.float32) @ y.astype(np.float32)).astype(np.float16))


@triton.jit
def persistent_product(a_ptr, b_ptr, c_ptr, M, N, K, GROUP, BM: tl.constexpr, BN: tl.constexpr,
                       BK: tl.constexpr):
    down, across = tl.cdiv(M, BM), tl.cdiv(N, BN)
    steps = tl.cdiv(K, BK)
    step = -1
    tile = tl.program_id(0) - tl.num_programs(0)
    count = 0
    if tl.program_id(0) < down * across:
        count = (down * across - 1 - tl.program_id(0)) // tl.num_programs(0) + 1
    m = tl.arange(0, BM)
    n = tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    # One loop over all steps of all tiles.
    for _ in range(steps * count):
        step = tl.where(step == steps - 1, 0, step + 1)
        if step == 0:
            tile += tl.num_programs(0)
            per = GROUP * across
            first = tile // per * GROUP
            size = min(down - first, GROUP)
            m = (first + tile % per % size) * BM + tl.arange(0, BM)
            n = tile % per // size * BN + tl.arange(0, BN)
        x = tl.load(a_ptr + m[:, None] * K + (step * BK + k)[None, :],
                    mask=(m[:, None] < M) & (step * BK + k[None, :] < K), other=0.0)
        y = tl.load(b_ptr + (step * BK + k)[:, None] * N + n[None, :],
                    mask=(step * BK + k[:, None] < K) & (n[None, :] < N), other=0.0)
        acc = tl.dot(x, y, acc)
        if step == steps - 1:
            tl.store(c_ptr + m[:, None] * N + n[None, :], acc,
                     mask=(m[:, None] < M) & (n[None, :] < N))
            acc = tl.zeros((BM, BN), tl.float32)


@pytest.mark.parametrize("M, N, K, group, programs", [(64, 64, 64, 2, 3), (50, 70, 33, 8, 2),
                                                      (16, 200, 16, 3, 40)])
@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_persistent_product(backend, rng, M, N, K, group, programs, dtype):
    a, b = (rng.integers(-4, 5, s).astype(dtype) for s in ((M, K), (K, N)))
    c = np.zeros((M, N), np.float32)
    persistent_product[(programs,)](a, b, c, M, N, K, group, BM=16, BN=32, BK=16)
    assert_same(c, a.astype(np.float32) @ b.astype(np.float32))


@triton.jit
def split_k(a_ptr, b_ptr, c_ptr, lock_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr,
            BK: tl.constexpr, SPLIT: tl.constexpr):
    """Programs of one tile add up under a lock; the first of them stores."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.program_id(2) * BK + tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(tl.program_id(2), tl.cdiv(K, BK), SPLIT):
        a = tl.load(a_ptr + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K),
                    other=0)
        b = tl.load(b_ptr + k[:, None] * N + n[None, :], mask=(k[:, None] < K) & (n[None, :] < N),
                    other=0)
        acc += tl.dot(a, b)
        k += BK * SPLIT
    mine = lock_ptr + tl.program_id(0) * tl.num_programs(1) + tl.program_id(1)
    count = mine + tl.num_programs(0) * tl.num_programs(1)
    c = c_ptr + m[:, None] * N + n[None, :]
    inside = (m[:, None] < M) & (n[None, :] < N)
    while tl.atomic_cas(mine, 0, 1) == 1:
        pass
    if tl.load(count) == 0:
        tl.store(c, acc, mask=inside)
        tl.atomic_xchg(count, 1)
    else:
        acc += tl.load(c, mask=inside)
        tl.store(c, acc, mask=inside)
    tl.atomic_xchg(mine, 0)


@pytest.mark.parametrize("split", [1, 3])
def test_split_k_with_a_lock(backend, rng, split):
    M, N, K = 40, 50, 130
    a, b = (rng.integers(-4, 5, s).astype(np.float16) for s in ((M, K), (K, N)))
    c, locks = np.full((M, N), 7, np.float32), np.zeros(2 * 3 * 2, np.int32)
    split_k[(3, 2, split)](a, b, c, locks, M, N, K, BM=16, BN=32, BK=32, SPLIT=split)
    assert_same(c, a.astype(np.float32) @ b.astype(np.float32))


# Layer norm's gradient: weights' gradients of groups of rows, under locks.


@triton.jit
def layer_norm_backward(dx_ptr, dy_ptr, dw_ptr, db_ptr, x_ptr, w_ptr, mean_ptr, rstd_ptr, lock_ptr,
                        stride, N, GROUP: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    lock = lock_ptr + row % GROUP
    count = lock + GROUP
    x = tl.load(x_ptr + row * stride + cols, mask=mask, other=0).to(tl.float32)
    dy = tl.load(dy_ptr + row * stride + cols, mask=mask, other=0).to(tl.float32)
    w = tl.load(w_ptr + cols, mask=mask).to(tl.float32)
    rstd = tl.load(rstd_ptr + row)
    xhat = tl.where(mask, (x - tl.load(mean_ptr + row)) * rstd, 0.)
    wdy = tl.where(mask, w * dy, 0.)
    c1 = tl.sum(xhat * wdy, axis=0) / N
    c2 = tl.sum(wdy, axis=0) / N
    tl.store(dx_ptr + row * stride + cols, (wdy - (xhat * c1 + c2)) * rstd, mask=mask)
    dw = (dy * xhat).to(w.dtype)
    db = dy.to(w.dtype)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    ours = row % GROUP * N + cols
    if tl.load(count) == 0:
        tl.atomic_xchg(count, 1)
    else:
        dw += tl.load(dw_ptr + ours, mask=mask)
        db += tl.load(db_ptr + ours, mask=mask)
    tl.store(dw_ptr + ours, dw, mask=mask)
    tl.store(db_ptr + ours, db, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@pytest.mark.parametrize("N", [64, 100])
def test_layer_norm_backward(backend, rng, N):
    rows, group = 9, 2
    x, dy = (random_array(rng, (rows, N), "float32") for _ in range(2))
    w = random_array(rng, N, "float32")
    mean, rstd = x.mean(1), 1 / np.sqrt(x.var(1) + 1e-5)
    dx = np.zeros_like(x)
    dw, db = (np.zeros((group, N), np.float32) for _ in range(2))
    layer_norm_backward[(rows,)](dx, dy, dw, db, x, w, mean, rstd, np.zeros(2 * group, np.int32), N,
                                 N, GROUP=group, BLOCK=128)
    xhat = (x.astype(np.float64) - mean[:, None]) * rstd[:, None]
    wdy = w * dy.astype(np.float64)
    c1, c2 = (xhat * wdy).mean(1, keepdims=True), wdy.mean(1, keepdims=True)
    close(dx, (wdy - (xhat * c1 + c2)) * rstd[:, None], 1e-5)
    close(dw.sum(0), (dy * xhat).sum(0), 1e-5)
    close(db.sum(0), dy.astype(np.float64).sum(0), 1e-5)


# Int8 with a scale for each block of K.


@triton.jit
def scaled_int8(a_ptr, b_ptr, sa_ptr, sb_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr,
                BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for block in range(K // BK):
        k = block * BK + tl.arange(0, BK)
        a = tl.load(a_ptr + (m % M)[:, None] * K + k[None, :])
        b = tl.load(b_ptr + (n % N)[None, :] * K + k[:, None])
        sa = tl.load(sa_ptr + (m % M) * (K // BK) + block)
        sb = tl.load(sb_ptr + (n % N) * (K // BK) + block)
        acc += tl.dot(a, b).to(tl.float32) * sa[:, None] * sb[None, :]
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


@pytest.mark.parametrize("warps", WARPS)
def test_scaled_int8(backend, rng, warps):
    M, N, K, BK = 35, 50, 128, 32
    a, b = (rng.integers(-128, 128, s).astype(np.int8) for s in ((M, K), (N, K)))
    sa, sb = (2.0 ** rng.integers(-3, 3, (r, K // BK)).astype(np.float32) for r in (M, N))
    c = np.zeros((M, N), np.float32)
    scaled_int8[(3, 2)](a, b, sa, sb, c, M, N, K, BM=16, BN=32, BK=BK, num_warps=warps)
    A = (a.reshape(M, -1, BK) * sa[:, :, None]).reshape(M, K).astype(np.float64)
    B = (b.reshape(N, -1, BK) * sb[:, :, None]).reshape(N, K).astype(np.float64)
    close(c, A @ B.T, 1e-6 * np.abs(A @ B.T).max())


# Seeds, pointers chosen by elements, loops without an end in sight.


@triton.jit
def dropout_twice(x_ptr, y_ptr, n, p, seed, BLOCK: tl.constexpr):
    """The mask is drawn anew where it is needed again."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = tl.rand(seed, i) > p
    x = tl.load(x_ptr + i, mask=i < n)
    y = tl.where(keep, x / (1 - p), 0.0)
    again = tl.rand(seed, i) > p
    tl.store(y_ptr + i, tl.where(again == keep, y, float("nan")), mask=i < n)


def test_dropout_by_seed(backend, rng):
    x = random_array(rng, 1000, "float32")
    results = []
    for seed in (0, 1, -1, 2 ** 40, 0):
        y = np.zeros_like(x)
        dropout_twice[(4,)](x, y, 1000, 0.5, seed, BLOCK=256)
        assert set(np.unique(y / x)) == {0.0, 2.0}
        results.append(y)
    assert_same(results[0], results[4])
    assert all((results[0] != y).any() for y in results[1:4])


@triton.jit
def choose_pointer(a_ptr, b_ptr, index_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    which = tl.load(index_ptr + i, mask=i < n, other=0)
    pointer = tl.where(which > 0, a_ptr + i, b_ptr + (n - 1 - i))
    both = tl.load(pointer, mask=i < n, other=-1)
    one = tl.load(tl.where(n > 50, a_ptr, b_ptr) + i, mask=i < n, other=-2)
    tl.store(out_ptr + i, both + one, mask=i < n)


@pytest.mark.parametrize("n", [1, 50, 100])
def test_chosen_pointers(backend, rng, n):
    a, b = (random_array(rng, n, "int32") for _ in range(2))
    which = rng.integers(-1, 2, n).astype(np.int32)
    out = np.zeros(n, np.int32)
    choose_pointer[(1,)](a, b, which, out, n, BLOCK=128)
    assert_same(out, np.where(which > 0, a, b[::-1]) + (a if n > 50 else b))


@triton.jit
def collatz(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=1)
    steps = tl.zeros([BLOCK], tl.int32)
    while tl.max(x) > 1:
        odd = x % 2 == 1
        steps += (x > 1).to(tl.int32)
        x = tl.where(x > 1, tl.where(odd, 3 * x + 1, x // 2), x)
    tl.store(out_ptr + i, steps, mask=i < n)


def test_loop_until_all_are_done(backend):
    x = np.arange(1, 100, dtype=np.int64)
    out = np.zeros(99, np.int32)
    collatz[(2,)](x, out, 99, BLOCK=64)
    expected = []
    for value in x.tolist():
        count = 0
        while value > 1:
            value, count = (3 * value + 1 if value % 2 else value // 2), count + 1
        expected.append(count)
    assert_same(out, np.array(expected, np.int32))


@triton.jit
def binary_search(sorted_ptr, x_ptr, out_ptr, n, m, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < m, other=0)
    low = tl.zeros([BLOCK], tl.int32)
    high = tl.zeros([BLOCK], tl.int32) + n
    while tl.max((low < high).to(tl.int32)) > 0:
        middle = (low + high) // 2
        active = low < high
        value = tl.load(sorted_ptr + middle, mask=active, other=0)
        low = tl.where(active & (value < x), middle + 1, low)
        high = tl.where(active & (value >= x), middle, high)
    tl.store(out_ptr + i, low, mask=i < m)


@pytest.mark.parametrize("n", [0, 1, 100])
def test_search(backend, rng, n):
    values, x = np.sort(random_array(rng, max(n, 1), "float32")), random_array(rng, 70, "float32")
    out = np.zeros(70, np.int32)
    binary_search[(3,)](values, x, out, n, 70, BLOCK=32)
    assert_same(out, np.searchsorted(values[:n], x).astype(np.int32))


# Functions of functions, tuples, constants.


@triton.jit
def minmax(a, b):
    return tl.minimum(a, b), tl.maximum(a, b)


@triton.jit
def sort3(values, REVERSE: tl.constexpr):
    a, b, c = values
    a, b = minmax(a, b)
    b, c = minmax(b, c)
    a, b = minmax(a, b)
    if REVERSE:
        return c, b, a
    return a, b, c


@triton.jit
def median_of_columns(x_ptr, out_ptr, n, stride, REVERSE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    loaded = (tl.load(x_ptr + i, mask=i < n), tl.load(x_ptr + stride + i, mask=i < n),
              tl.load(x_ptr + 2 * stride + i, mask=i < n))
    result = sort3(loaded, REVERSE)
    for row in tl.static_range(3):
        tl.store(out_ptr + row * stride + i, result[row], mask=i < n)


@pytest.mark.parametrize("reverse", [False, True])
def test_tuples_through_functions(backend, rng, reverse):
    x = random_array(rng, (3, 40), "float32")
    out = np.zeros_like(x)
    median_of_columns[(1,)](x, out, 37, 40, REVERSE=reverse, BLOCK=64)
    expected = np.sort(x, 0)[::-1] if reverse else np.sort(x, 0)
    assert_same(out[:, :37].copy(), expected[:, :37].copy())
    assert not out[:, 37:].any()


# Tiles of three dimensions.


@triton.jit
def box_sums(x_ptr, sum_ptr, max_ptr, arg_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr,
             AXIS: tl.constexpr):
    a = tl.arange(0, A)[:, None, None]
    b = tl.arange(0, B)[None, :, None]
    c = tl.arange(0, C)[None, None, :]
    x = tl.load(x_ptr + a * B * C + b * C + c)
    total = tl.ravel(tl.sum(x, AXIS))
    top = tl.ravel(tl.max(x, AXIS))
    where = tl.ravel(tl.argmax(x, AXIS))
    i = tl.arange(0, total.shape[0])
    tl.store(sum_ptr + i, total)
    tl.store(max_ptr + i, top)
    tl.store(arg_ptr + i, where)


@pytest.mark.parametrize("shape", [(2, 8, 16), (3, 5, 7), (1, 32, 4), (16, 1, 33)])
@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("warps", WARPS)
def test_boxes(backend, rng, shape, axis, warps):
    x = rng.integers(-5, 6, shape).astype(np.int32)
    size = x.sum(axis).size
    total, top, where = (np.zeros(size, np.int32) for _ in range(3))
    A, B, C = shape
    box_sums[(1,)](x, total, top, where, A=A, B=B, C=C, AXIS=axis, num_warps=warps)
    assert_same(total, x.sum(axis).ravel().astype(np.int32))
    assert_same(top, x.max(axis).ravel())
    assert_same(where, x.argmax(axis).ravel().astype(np.int32))
