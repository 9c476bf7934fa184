"""Kernels of the families of bench/gpu that are estimated before they are measured: as they stand
there, where a file alone does not say all that explain has to know."""

import tritium as triton
import tritium.language as tl

@triton.jit
def chunk_state_kernel(
    k_ptr, v_ptr, g_ptr, h_ptr, last_ptr, T, D: tl.constexpr, V: tl.constexpr, CHUNK: tl.constexpr,
    BV: tl.constexpr,
):  # fmt: skip
    """The state before each chunk: it decays by the chunk's gates, which are sums of logarithms
    from the chunk's begin on, and takes in the chunk's keys and values.
    """
    head = tl.program_id(1).to(tl.int64)
    k_ptr += head * T * D
    v_ptr += head * T * V
    g_ptr += head * T
    h_ptr += head * tl.cdiv(T, CHUNK) * D * V
    d = tl.arange(0, D)
    c = tl.program_id(0) * BV + tl.arange(0, BV)
    h = tl.zeros([D, BV], dtype=tl.float32)
    for chunk in range(0, tl.cdiv(T, CHUNK)):
        to = h_ptr + chunk * D * V + d[:, None] * V + c[None, :]
        tl.store(to, h.to(h_ptr.dtype.element_ty))
        t = chunk * CHUNK + tl.arange(0, CHUNK)
        k = tl.load(k_ptr + t[None, :] * D + d[:, None], mask=t[None, :] < T, other=0.0)
        v = tl.load(v_ptr + t[:, None] * V + c[None, :], mask=t[:, None] < T, other=0.0)
        g = tl.load(g_ptr + t, mask=t < T, other=0.0)
        end = tl.load(g_ptr + tl.minimum(chunk * CHUNK + CHUNK, T) - 1)
        v = (v * tl.exp(end - g)[:, None]).to(v.dtype)
        h = h * tl.exp(end) + tl.dot(k, v)
    tl.store(last_ptr + head * D * V + d[:, None] * V + c[None, :], h)


@triton.jit
def retention_kernel(
    q_ptr, k_ptr, v_ptr, o_ptr, scale, T, heads, D: tl.constexpr, BLOCK_T: tl.constexpr,
    BLOCK_S: tl.constexpr,
):  # fmt: skip
    """Retention in parallel: scores decay by the distance, at a rate of the head."""
    head = tl.program_id(1)
    rate = tl.log2(1 - tl.exp2(-5 - (head % heads).to(tl.float32)))
    at = head.to(tl.int64) * T * D
    d = tl.arange(0, D)
    begin = tl.program_id(0) * BLOCK_T
    i = begin + tl.arange(0, BLOCK_T)
    q = tl.load(q_ptr + at + i[:, None] * D + d[None, :], mask=i[:, None] < T, other=0.0)
    acc = tl.zeros([BLOCK_T, D], dtype=tl.float32)
    for first in range(0, begin + BLOCK_T, BLOCK_S):
        t = first + tl.arange(0, BLOCK_S)
        k = tl.load(k_ptr + at + t[None, :] * D + d[:, None], mask=t[None, :] < T, other=0.0)
        v = tl.load(v_ptr + at + t[:, None] * D + d[None, :], mask=t[:, None] < T, other=0.0)
        far = (i[:, None] - t[None, :]).to(tl.float32)
        s = tl.where(far >= 0, tl.dot(q, k) * scale * tl.exp2(far * rate), 0.0)
        acc += tl.dot(s.to(v.dtype), v)
    o = acc.to(o_ptr.dtype.element_ty)
    tl.store(o_ptr + at + i[:, None] * D + d[None, :], o, mask=i[:, None] < T)


@triton.jit
def delta_rule_kernel(
    q_ptr, k_ptr, v_ptr, g_ptr, beta_ptr, o_ptr, scale, T, D: tl.constexpr, V: tl.constexpr,
    BV: tl.constexpr,
):  # fmt: skip
    """The gated delta rule step by step: the state in registers, an outer product a step."""
    head = tl.program_id(1).to(tl.int64)
    d = tl.arange(0, D)
    c = tl.program_id(0) * BV + tl.arange(0, BV)
    q_ptr += head * T * D
    k_ptr += head * T * D
    v_ptr += head * T * V
    o_ptr += head * T * V
    h = tl.zeros([D, BV], dtype=tl.float32)
    for t in range(0, T):
        q = tl.load(q_ptr + t * D + d).to(tl.float32) * scale
        k = tl.load(k_ptr + t * D + d).to(tl.float32)
        v = tl.load(v_ptr + t * V + c).to(tl.float32)
        h *= tl.exp(tl.load(g_ptr + head * T + t))
        v -= tl.sum(h * k[:, None], axis=0)
        v *= tl.load(beta_ptr + head * T + t)
        h += k[:, None] * v[None, :]
        o = tl.sum(h * q[:, None], axis=0)
        tl.store(o_ptr + t * V + c, o.to(o_ptr.dtype.element_ty))


@triton.jit
def compose(a1, b1, a2, b2):
    """Of x -> a x + b, the first and then the second."""
    return a1 * a2, b1 * a2 + b2


@triton.jit
def selective_scan_kernel(
    x_ptr, dt_ptr, a_ptr, b_ptr, c_ptr, o_ptr, T, channels, N: tl.constexpr, BLOCK: tl.constexpr
):
    """A channel's N states, in chunks of time: a scan within a chunk, one state between them."""
    row = tl.program_id(1).to(tl.int64) * channels + tl.program_id(0)
    batch = tl.program_id(1).to(tl.int64) * T * N
    n = tl.arange(0, N)
    a = tl.load(a_ptr + tl.program_id(0) * N + n)
    h = tl.zeros([N], dtype=tl.float32)
    i = tl.arange(0, BLOCK)
    for first in range(0, T, BLOCK):
        t = first + i
        x = tl.load(x_ptr + row * T + t, mask=t < T, other=0.0).to(tl.float32)
        dt = tl.load(dt_ptr + row * T + t, mask=t < T, other=0.0).to(tl.float32)
        at = batch + t[:, None] * N + n[None, :]
        b = tl.load(b_ptr + at, mask=t[:, None] < T, other=0.0).to(tl.float32)
        c = tl.load(c_ptr + at, mask=t[:, None] < T, other=0.0).to(tl.float32)
        decay = tl.exp(dt[:, None] * a[None, :])
        decays, states = tl.associative_scan((decay, (dt * x)[:, None] * b), 0, compose)
        states += decays * h[None, :]
        tl.store(o_ptr + row * T + t, tl.sum(states * c, axis=1), mask=t < T)
        h = tl.sum(tl.where(i[:, None] == BLOCK - 1, states, 0.0), axis=0)


@triton.jit
def topk_kernel(
    x_ptr, weight_ptr, id_ptr, rows, n, stride, K: tl.constexpr, ROWS: tl.constexpr,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """The experts of a token: softmax, then the largest one K times."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, BLOCK)
    mask = (row[:, None] < rows) & (c[None, :] < n)
    x = tl.load(x_ptr + row[:, None] * stride + c[None, :], mask=mask, other=-float("inf"))
    x = x.to(tl.float32)
    x = tl.exp(x - tl.max(x, axis=1)[:, None])
    x = x / tl.sum(x, axis=1)[:, None]
    total = tl.zeros([ROWS], dtype=tl.float32)
    for k in tl.static_range(K):
        best = tl.max(x, axis=1)
        at = tl.argmax(x, axis=1)
        tl.store(weight_ptr + row * K + k, best, mask=row < rows)
        tl.store(id_ptr + row * K + k, at, mask=row < rows)
        x = tl.where(c[None, :] == at[:, None], -1.0, x)
        total += best
    for k in tl.static_range(K):
        w = tl.load(weight_ptr + row * K + k, mask=row < rows)
        tl.store(weight_ptr + row * K + k, w / total, mask=row < rows)


@triton.jit
def sort_pairs_kernel(x_ptr, key_ptr, at_ptr, stride, n, BLOCK: tl.constexpr):
    """Descending, with the places that elements came from, in the lower half of what is sorted."""
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + c, mask=c < n, other=-float("inf")).to(tl.float32)
    bits = x.to(tl.int32, bitcast=True)
    ordered = tl.where(bits < 0, bits ^ 0x7FFFFFFF, bits)
    pairs = (ordered.to(tl.int64) << 32) | (BLOCK - 1 - c).to(tl.int64)
    pairs = tl.sort(pairs, descending=True)
    ordered = (pairs >> 32).to(tl.int32)
    bits = tl.where(ordered < 0, ordered ^ 0x7FFFFFFF, ordered)
    at = BLOCK - 1 - (pairs & 0xFFFFFFFF).to(tl.int32)
    tl.store(key_ptr + row * n + c, bits.to(tl.float32, bitcast=True), mask=c < n)
    tl.store(at_ptr + row * n + c, at, mask=c < n)


@triton.jit
def gemv_kernel(
    x_ptr, w_ptr, o_ptr, N, K, sx, sw, ROWS: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    """A few rows by a matrix, with sums of products in place of dots."""
    on = tl.program_id(0) * BN + tl.arange(0, BN)
    for row in tl.static_range(ROWS):
        acc = tl.zeros([BN, BK], dtype=tl.float32)
        for first in range(0, K, BK):
            k = first + tl.arange(0, BK)
            x = tl.load(x_ptr + row * sx + k, mask=k < K, other=0.0).to(tl.float32)
            mask = (on[:, None] < N) & (k[None, :] < K)
            w = tl.load(w_ptr + on[:, None] * sw + k[None, :], mask=mask, other=0.0)
            acc += w.to(tl.float32) * x[None, :]
        o = tl.sum(acc, axis=1).to(o_ptr.dtype.element_ty)
        tl.store(o_ptr + row * N + on, o, mask=on < N)


@triton.jit
def group_norm_kernel(
    x_ptr, y_ptr, w_ptr, b_ptr, size, per_group, hw, groups, eps, BLOCK: tl.constexpr
):
    """A group of channels of an image is contiguous."""
    at = tl.program_id(0).to(tl.int64) * size
    total = tl.zeros([BLOCK], dtype=tl.float32)
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for first in range(0, size, BLOCK):
        i = first + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + at + i, mask=i < size, other=0.0).to(tl.float32)
        total += x
        squares += x * x
    mean = tl.sum(total, axis=0) / size
    rstd = tl.rsqrt(tl.sum(squares, axis=0) / size - mean * mean + eps)
    for first in range(0, size, BLOCK):
        i = first + tl.arange(0, BLOCK)
        channel = (tl.program_id(0) % groups) * per_group + i // hw
        w = tl.load(w_ptr + channel, mask=i < size)
        b = tl.load(b_ptr + channel, mask=i < size)
        x = tl.load(x_ptr + at + i, mask=i < size, other=0.0).to(tl.float32)
        tl.store(y_ptr + at + i, (x - mean) * rstd * w + b, mask=i < size)


@triton.jit
def int4_kernel(
    a_ptr, b_ptr, scale_ptr, zero_ptr, c_ptr, M, N, K, sam, sbk, ssg, szg, scm,
    GROUP: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GM: tl.constexpr,
):  # fmt: skip
    """Eight weights along k in a word; a scale and a zero for each group of k and each column."""
    pid = tl.program_id(0)
    width = GM * tl.cdiv(N, BN)
    first = pid // width * GM
    size = min(tl.cdiv(M, BM) - first, GM)
    om = (first + (pid % width) % size) * BM + tl.arange(0, BM)
    on = ((pid % width) // size) * BN + tl.arange(0, BN)
    ok = tl.arange(0, BK)
    a_ptrs = a_ptr + om[:, None] * sam + ok[None, :]
    b_ptrs = b_ptr + (ok // 8)[:, None] * sbk + on[None, :]
    shift = (ok % 8) * 4
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        a = tl.load(a_ptrs, mask=om[:, None] < M, other=0.0)
        b = tl.load(b_ptrs)
        group = k * BK // GROUP
        scale = tl.load(scale_ptr + group * ssg + on)
        zeros = tl.load(zero_ptr + group * szg + on // 8)
        zero = (zeros >> ((on % 8) * 4)) & 0xF
        b = (b >> shift[:, None]) & 0xF
        b = ((b - zero[None, :]) * scale[None, :]).to(a.dtype)
        acc += tl.dot(a, b)
        a_ptrs += BK
        b_ptrs += (BK // 8) * sbk
    mask = (om[:, None] < M) & (on[None, :] < N)
    c_ptrs = c_ptr + om[:, None] * scm + on[None, :]
    tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=mask)


@triton.jit
def int8_kernel(
    a_ptr, b_ptr, as_ptr, bs_ptr, c_ptr, M, N, K, sam, sbn, scm,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GM: tl.constexpr,
):  # fmt: skip
    """A factor for each row of a and each column of b, behind the loop."""
    pid = tl.program_id(0)
    width = GM * tl.cdiv(N, BN)
    first = pid // width * GM
    size = min(tl.cdiv(M, BM) - first, GM)
    om = (first + (pid % width) % size) * BM + tl.arange(0, BM)
    on = ((pid % width) // size) * BN + tl.arange(0, BN)
    ok = tl.arange(0, BK)
    a_ptrs = a_ptr + (om % M)[:, None] * sam + ok[None, :]
    b_ptrs = b_ptr + (on % N)[None, :] * sbn + ok[:, None]
    acc = tl.zeros((BM, BN), dtype=tl.int32)
    for k in range(0, tl.cdiv(K, BK)):
        a = tl.load(a_ptrs, mask=ok[None, :] < K - k * BK, other=0)
        b = tl.load(b_ptrs, mask=ok[:, None] < K - k * BK, other=0)
        acc += tl.dot(a, b)
        a_ptrs += BK
        b_ptrs += BK
    rows = tl.load(as_ptr + om, mask=om < M, other=0.0)
    columns = tl.load(bs_ptr + on, mask=on < N, other=0.0)
    c = acc.to(tl.float32) * rows[:, None] * columns[None, :]
    mask = (om[:, None] < M) & (on[None, :] < N)
    c_ptrs = c_ptr + om[:, None] * scm + on[None, :]
    tl.store(c_ptrs, c.to(c_ptr.dtype.element_ty), mask=mask)
