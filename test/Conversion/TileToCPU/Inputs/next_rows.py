import tritium as triton
import tritium.language as tl


@triton.jit
def heavy(x_ptr, rows_ptr, y_ptr, n, N: tl.constexpr, BY: tl.constexpr):
    """BY: what the row depends on."""
    i = tl.arange(0, N)
    if BY == "program":
        row = (tl.program_id(0) + 3) * n
    elif BY == "memory":
        row = tl.load(rows_ptr + tl.program_id(0))
    elif BY == "y":
        row = tl.program_id(1) * n
    else:
        row = tl.program_id(0) * 0
    x = tl.load(x_ptr + row + i)
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + tl.program_id(0) * N + i, e / tl.sum(e, axis=0))


@triton.jit
def light(x_ptr, y_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + tl.program_id(0) * n + i)
    tl.store(y_ptr + tl.program_id(0) * N + i, x - tl.max(x, axis=0))


@triton.jit
def printed(x_ptr, N: tl.constexpr):
    tl.device_print("x", tl.load(x_ptr + tl.program_id(0) * N + tl.arange(0, N)))
