import triton
import triton.language as tl


@triton.jit
def early_return(x_ptr, n):
    if n < 0:
        return
    tl.store(x_ptr, n)


@triton.jit
def carried(x_ptr, n, N: tl.constexpr):
    total = tl.zeros((N,), dtype=tl.float32)
    unchanged = 3
    for i in range(n):
        if N == 5:
            unchanged = i
        total += tl.load(x_ptr + i * unchanged + tl.arange(0, N))
    tl.store(x_ptr + tl.arange(0, N), total)


@triton.jit
def downwards(x_ptr, n):
    for i in tl.range(n, 0, -3, num_stages=2):
        tl.store(x_ptr + i, i)


@triton.jit
def clamp_to(x, limit=10, *, scale: tl.constexpr = 1):
    if x > limit:
        return limit * scale
    return x


@triton.jit
def calls(x_ptr, n):
    tl.store(x_ptr, clamp_to(n, scale=7))


@triton.jit
def innermost(x):
    return x + missing


@triton.jit
def middle(x):
    return innermost(x)


@triton.jit
def broken(x_ptr, n):
    tl.store(x_ptr, middle(n))
