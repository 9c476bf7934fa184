"""Small kernels whose generated code is known to matter; one test each in the folder above."""

import triton
import triton.language as tl


@triton.jit
def copy(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def copy_static(x, y, N: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < N), mask=i < N)


@triton.jit
def copy_loop_static(x, y, N: tl.constexpr, BLOCK: tl.constexpr):
    for t in range((N + BLOCK - 1) // BLOCK):
        i = t * BLOCK + tl.arange(0, BLOCK)
        tl.store(y + i, tl.load(x + i, mask=i < N), mask=i < N)


@triton.jit
def copy_rows(x, y, M: tl.constexpr, N: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.arange(0, BLOCK)
    cols = tl.arange(0, N)
    for t in range((M + BLOCK - 1) // BLOCK):
        i = t * BLOCK * N + N * rows[:, None] + cols[None, :]
        inside = (t * BLOCK + rows < M)[:, None]
        tl.store(y + i, tl.load(x + i, mask=inside), mask=inside)


@triton.jit
def copy_loop(x, y, n, BLOCK: tl.constexpr):
    for t in range((n + BLOCK - 1) // BLOCK):
        i = t * BLOCK + tl.arange(0, BLOCK)
        tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def copy_last_tile(x, y, n, BLOCK: tl.constexpr):
    tiles = (n + BLOCK - 1) // BLOCK
    for t in range(tiles - 1):
        i = t * BLOCK + tl.arange(0, BLOCK)
        tl.store(y + i, tl.load(x + i))
    i = (tiles - 1) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def total(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y, tl.sum(tl.load(x + i, mask=i < N, other=0.0), axis=0))


@triton.jit
def total_atomic(x, y, N: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(y, tl.sum(tl.load(x + i, mask=i < N, other=0.0), axis=0))


@triton.jit
def transpose(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y + i[None, :] * N + i[:, None], tl.load(x + i[:, None] * N + i[None, :]))


@triton.jit
def sigmoid(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y + i, tl.sigmoid(tl.load(x + i)))


@triton.jit
def divide(x, y, N: tl.constexpr, IEEE: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.store(y + i, tl.div_rn(1.5, v) if IEEE else 1.5 / v)


@triton.jit
def dot(a, b, d, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    k = tl.arange(0, K)
    x = tl.load(a + (m[:, None] * K + k[None, :]))
    y = tl.load(b + (k[:, None] * N + n[None, :]))
    tl.store(d + (m[:, None] * N + n[None, :]), tl.dot(x, y))


@triton.jit
def softmax(x, y, pitch, n, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    row = tl.program_id(0) * pitch
    v = tl.load(x + row + c, mask=c < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(y + row + c, e / tl.sum(e, axis=0), mask=c < n)


@triton.jit
def matmul(a, b, d, K, pitch_a, pitch_b, pitch_d, T: tl.constexpr, TK: tl.constexpr):
    m = tl.program_id(0) * T + tl.arange(0, T)
    n = tl.program_id(1) * T + tl.arange(0, T)
    k = tl.arange(0, TK)
    total = tl.zeros((T, T), tl.float32)
    for start in range(0, K, TK):
        x = tl.load(a + m[:, None] * pitch_a + (start + k)[None, :])
        y = tl.load(b + (start + k)[:, None] * pitch_b + n[None, :])
        total = tl.dot(x, y, total)
    tl.store(d + m[:, None] * pitch_d + n[None, :], total.to(tl.float16))


@triton.jit
def ahead(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for t in tl.range(0, n, num_stages=3):
        total += tl.load(x + t * BLOCK + i)
    tl.store(y + i, total)
