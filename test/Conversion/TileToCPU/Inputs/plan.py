import tritium as triton
import tritium.language as tl


@triton.jit
def scale(x_ptr, y_ptr, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(y_ptr + i, 2 * tl.load(x_ptr + i, mask=i < n), mask=i < n)


@triton.jit
def softmax(x_ptr, y_ptr, n, N: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, N)
    x = tl.load(x_ptr + row * n + i, mask=i < n, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * n + i, e / tl.sum(e, axis=0), mask=i < n)


@triton.jit
def picked(x_ptr, y_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)
    tile = i[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + tile)
    y = tl.load(y_ptr + i * N + tl.argmin(x, axis=1))
    tl.store(y_ptr + tile, x)
    tl.store(out_ptr + tile, x + y[:, None])


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, K, M: tl.constexpr, N: tl.constexpr, STEP: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, STEP)
    acc = tl.zeros((M, N), tl.float32)
    for at in range(0, K, STEP):
        a = tl.load(a_ptr + m[:, None] * K + at + k[None, :])
        b = tl.load(b_ptr + n[None, :] * K + at + k[:, None])
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc)


@triton.jit
def upright(a_ptr, b_ptr, c_ptr, K, M: tl.constexpr, N: tl.constexpr, STEP: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, STEP)
    acc = tl.zeros((M, N), tl.float32)
    for at in range(0, K, STEP):
        a = tl.load(a_ptr + m[:, None] + (at + k[None, :]) * M)
        b = tl.load(b_ptr + (at + k[:, None]) * N + n[None, :])
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc)


@triton.jit
def bytes(a_ptr, b_ptr, c_ptr, N: tl.constexpr, TURNED: tl.constexpr = False):
    tile = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    b = tl.load(b_ptr + tile)
    tl.store(c_ptr + tile, tl.dot(tl.load(a_ptr + tile), b.T if TURNED else b))


@triton.jit
def turned(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    m, n = tl.arange(0, M), tl.arange(0, N)
    x = tl.load(x_ptr + m[:, None] * N + n[None, :])
    tl.store(y_ptr + tl.arange(0, M * N), tl.reshape(tl.trans(x), (M * N,)))


@triton.jit
def fibonacci(x_ptr, y_ptr, rounds, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x_ptr + i), tl.load(y_ptr + i)
    for _ in range(rounds):
        a, b = b, a + b
    tl.store(x_ptr + i, a)
    tl.store(y_ptr + i, b)


@triton.jit
def swap(x_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    low, high = tl.load(x_ptr + i), tl.load(x_ptr + N + i)
    tl.store(x_ptr + i, high)
    tl.store(x_ptr + N + i, low)


@triton.jit
def running(x_ptr, y_ptr, total_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(y_ptr + i, 2 * tl.cumsum(x, 0))
    tl.store(y_ptr + N + i, tl.cumsum(x, 0, reverse=True))
    y = tl.cumprod(x, 0)
    tl.store(y_ptr + 2 * N + i, y)
    tl.store(total_ptr, tl.sum(y, 0))


@triton.jit
def one(x_ptr, y_ptr, i, j, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    tl.store(y_ptr, x[i, j])


@triton.jit
def wrapped(x_ptr, y_ptr):
    i = tl.program_id(0) * 64 + tl.arange(0, 64)
    tl.store(y_ptr + i, tl.load(x_ptr + i % 512))


@triton.jit
def handed(x_ptr, y_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    low = tl.zeros((N,), tl.float32)
    high = tl.full((N,), 1, tl.float32)
    for k in range(n):
        x = tl.load(x_ptr + k * N + i)
        low += x
        high *= x
    first = high
    for k in range(n, 2 * n):
        x = tl.load(x_ptr + k * N + i)
        low += x
        high *= x
    tl.store(y_ptr + i, low)
    tl.store(y_ptr + N + i, high)
    tl.store(y_ptr + 2 * N + i, first)


@triton.jit
def count(x_ptr, out_ptr, n, N: tl.constexpr, BINS: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i, mask=i < n, other=0)
    tl.store(out_ptr + tl.arange(0, BINS), tl.histogram(x, BINS, mask=i < n))
