"""Softmax over the rows of a matrix, fused: each element is read and written once."""

import numpy as np

import tritium as triton
import tritium.language as tl


@triton.jit
def softmax_kernel(output_ptr, input_ptr, input_row_stride, output_row_stride, n_cols,
                   BLOCK_SIZE: tl.constexpr):
    """One row a program."""
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(input_ptr + row * input_row_stride + cols, mask=mask, other=-float("inf"))
    numerator = tl.exp(x - tl.max(x, axis=0))
    y = numerator / tl.sum(numerator, axis=0)
    tl.store(output_ptr + row * output_row_stride + cols, y, mask=mask)


@triton.jit
def softmax_grid_stride_kernel(output_ptr, input_ptr, input_row_stride, output_row_stride,
                               n_rows, n_cols, BLOCK_SIZE: tl.constexpr,
                               num_stages: tl.constexpr):
    """A fixed number of programs; each takes every num_programs-th row."""
    first = tl.program_id(0)
    step = tl.num_programs(0)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    for row in tl.range(first, n_rows, step, num_stages=num_stages):
        x = tl.load(input_ptr + row * input_row_stride + cols, mask=mask, other=-float("inf"))
        numerator = tl.exp(x - tl.max(x, axis=0))
        y = numerator / tl.sum(numerator, axis=0)
        tl.store(output_ptr + row * output_row_stride + cols, y, mask=mask)


def tile_width(n_cols):
    """A tile may have any extent; a multiple of the vector width wastes nothing."""
    return triton.cdiv(n_cols, 16) * 16


def softmax(x, y=None):
    """Softmax of each row of a matrix."""
    n_rows, n_cols = x.shape
    y = np.empty_like(x) if y is None else y
    softmax_kernel[(n_rows,)](y, x, x.strides[0] // x.itemsize, y.strides[0] // y.itemsize,
                              n_cols, BLOCK_SIZE=tile_width(n_cols))
    return y


def softmax_grid_stride(x, programs=8):
    """The same with a grid whose size does not depend on the matrix."""
    n_rows, n_cols = x.shape
    y = np.empty_like(x)
    softmax_grid_stride_kernel[(programs,)](
        y, x, x.strides[0] // x.itemsize, y.strides[0] // y.itemsize, n_rows, n_cols,
        BLOCK_SIZE=tile_width(n_cols), num_stages=2)
    return y


def resident_programs(x):
    """How many programs of the kernel with the fixed grid the device runs at once, by what one of
    them takes of a multiprocessor's registers and shared memory."""
    n_rows, n_cols = x.shape
    stride = x.strides[0] // x.itemsize
    kernel = softmax_grid_stride_kernel.warmup(
        np.empty_like(x), x, stride, stride, n_rows, n_cols, BLOCK_SIZE=tile_width(n_cols),
        num_stages=2, grid=(1,))
    device = triton.runtime.driver.active
    has = device.utils.get_device_properties(device.get_current_device())
    registers = kernel.n_regs * has["warpSize"] * kernel.metadata.num_warps
    limits = [there // taken for there, taken in ((has["max_num_regs"], registers),
                                                  (has["max_shared_mem"], kernel.metadata.shared))
              if taken]
    # A core of a CPU, where nothing is taken, runs one program at a time.
    at_once = has["multiprocessor_count"] * max(min(limits, default=1), 1)
    return min(at_once, n_rows)


def softmax_numpy(x):
    numerator = np.exp(x - x.max(axis=1, keepdims=True))
    return numerator / numerator.sum(axis=1, keepdims=True)


if __name__ == "__main__":
    x = np.random.default_rng(0).standard_normal((1823, 781), dtype=np.float32)
    triton.testing.assert_close(softmax(x), softmax_numpy(x), atol=1e-6)
    triton.testing.assert_close(softmax_grid_stride(x, resident_programs(x)), softmax_numpy(x),
                                atol=1e-6)
    print("softmax: 1823 rows of 781 agree with NumPy")
