"""The product of two matrices, a tile of 64 x 64 a program, whose loads are boxes of them."""

import tritium as triton
import tritium.language as tl


@triton.jit
def tiles(a_ptr, b_ptr, c_ptr, N: tl.constexpr, K: tl.constexpr):
    i = tl.arange(0, 64)
    rows, cols = tl.program_id(1) * 64 + i, tl.program_id(0) * 64 + i
    acc = tl.zeros((64, 64), tl.float32)
    for k in range(0, K, 64):
        a = tl.load(a_ptr + rows[:, None] * K + (k + i)[None, :])
        b = tl.load(b_ptr + (k + i)[:, None] * N + cols[None, :])
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + rows[:, None] * N + cols[None, :], acc)
