"""Layer normalisation of the rows of a matrix, with weight and bias, and its gradients.

Every row adds to the gradients of weight and bias. Programs do not send theirs to memory row by
row: rows share a few partial sums, each under a lock, and a second kernel adds these up.
"""

import numpy as np

import tritium as triton
import tritium.language as tl


@triton.jit
def layer_norm_kernel(x_ptr, y_ptr, weight_ptr, bias_ptr, mean_ptr, rstd_ptr, stride, n_cols,
                      eps, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / n_cols
    centred = tl.where(mask, x - mean, 0.0)
    variance = tl.sum(centred * centred, axis=0) / n_cols
    rstd = 1 / tl.sqrt(variance + eps)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)
    weight = tl.load(weight_ptr + cols, mask=mask)
    bias = tl.load(bias_ptr + cols, mask=mask)
    tl.store(y_ptr + row * stride + cols, centred * rstd * weight + bias, mask=mask)


@triton.jit
def layer_norm_backward_kernel(dx_ptr, dy_ptr, partial_dweight_ptr, partial_dbias_ptr, x_ptr,
                               weight_ptr, mean_ptr, rstd_ptr, locks_ptr, stride, n_cols,
                               GROUPS: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    """One row a program: its dx, and what it adds to the partial sums of row % GROUPS."""
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    dy = tl.load(dy_ptr + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    weight = tl.load(weight_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    rstd = tl.load(rstd_ptr + row)
    normal = tl.where(mask, (x - tl.load(mean_ptr + row)) * rstd, 0.0)
    # The gradient without its parts along the row's mean and along the row itself.
    dnormal = weight * dy
    along_row = tl.sum(normal * dnormal, axis=0) / n_cols
    along_mean = tl.sum(dnormal, axis=0) / n_cols
    dx = (dnormal - normal * along_row - along_mean) * rstd
    tl.store(dx_ptr + row * stride + cols, dx, mask=mask)

    group = row % GROUPS
    lock = locks_ptr + group
    is_started = locks_ptr + GROUPS + group
    dweight_ptrs = partial_dweight_ptr + group * n_cols + cols
    dbias_ptrs = partial_dbias_ptr + group * n_cols + cols
    dweight = dy * normal
    dbias = dy
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    # The first row of a group finds nothing in memory to add to.
    if tl.load(is_started) == 0:
        tl.atomic_xchg(is_started, 1)
    else:
        dweight += tl.load(dweight_ptrs, mask=mask)
        dbias += tl.load(dbias_ptrs, mask=mask)
    tl.store(dweight_ptrs, dweight, mask=mask)
    tl.store(dbias_ptrs, dbias, mask=mask)
    # All threads of the program have stored before another program may go on.
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def add_rows_kernel(dweight_ptr, dbias_ptr, partial_dweight_ptr, partial_dbias_ptr, n_rows, n_cols,
                    BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr):
    """The sums of the columns of both partial sums; BLOCK_COLS of them a program."""
    cols = tl.program_id(0) * BLOCK_COLS + tl.arange(0, BLOCK_COLS)
    dweight = tl.zeros((BLOCK_ROWS, BLOCK_COLS), dtype=tl.float32)
    dbias = tl.zeros((BLOCK_ROWS, BLOCK_COLS), dtype=tl.float32)
    for first in range(0, n_rows, BLOCK_ROWS):
        rows = first + tl.arange(0, BLOCK_ROWS)
        mask = (rows[:, None] < n_rows) & (cols[None, :] < n_cols)
        offsets = rows[:, None] * n_cols + cols[None, :]
        dweight += tl.load(partial_dweight_ptr + offsets, mask=mask, other=0.0)
        dbias += tl.load(partial_dbias_ptr + offsets, mask=mask, other=0.0)
    tl.store(dweight_ptr + cols, tl.sum(dweight, axis=0), mask=cols < n_cols)
    tl.store(dbias_ptr + cols, tl.sum(dbias, axis=0), mask=cols < n_cols)


def layer_norm(x, weight, bias, eps=1e-5, y=None):
    """Returns the normalised rows, and each row's mean and 1/standard deviation (fp32)."""
    n_rows, n_cols = x.shape
    y = np.empty_like(x) if y is None else y
    mean = np.empty(n_rows, np.float32)
    rstd = np.empty(n_rows, np.float32)
    layer_norm_kernel[(n_rows,)](x, y, weight, bias, mean, rstd, x.strides[0] // x.itemsize,
                                 n_cols, eps, BLOCK_SIZE=triton.cdiv(n_cols, 16) * 16)
    return y, mean, rstd


def layer_norm_backward(dy, x, weight, mean, rstd, groups=8):
    """The gradients of x, weight and bias, from that of y; x and dy have the same strides."""
    n_rows, n_cols = x.shape
    dx, dweight, dbias = np.empty_like(x), np.empty_like(weight), np.empty_like(weight)
    partial_dweight, partial_dbias = np.empty((2, groups, n_cols), np.float32)
    locks = np.zeros(2 * groups, np.int32)
    layer_norm_backward_kernel[(n_rows,)](
        dx, dy, partial_dweight, partial_dbias, x, weight, mean, rstd, locks,
        x.strides[0] // x.itemsize, n_cols, GROUPS=groups,
        BLOCK_SIZE=triton.cdiv(n_cols, 16) * 16)
    # A group that no row belongs to is not written.
    add_rows_kernel[lambda meta: (triton.cdiv(n_cols, meta["BLOCK_COLS"]),)](
        dweight, dbias, partial_dweight, partial_dbias, min(groups, n_rows), n_cols,
        BLOCK_ROWS=8, BLOCK_COLS=128)
    return dx, dweight, dbias


def layer_norm_numpy(x, weight, bias, eps=1e-5):
    mean = x.mean(axis=1, keepdims=True)
    variance = x.var(axis=1, keepdims=True)
    return (x - mean) / np.sqrt(variance + eps) * weight + bias


def layer_norm_backward_numpy(dy, x, weight, eps=1e-5):
    rstd = 1 / np.sqrt(x.var(axis=1, keepdims=True) + eps)
    normal = (x - x.mean(axis=1, keepdims=True)) * rstd
    dnormal = dy * weight
    dx = (dnormal - dnormal.mean(axis=1, keepdims=True)
          - normal * (normal * dnormal).mean(axis=1, keepdims=True)) * rstd
    return dx, (dy * normal).sum(axis=0), dy.sum(axis=0)


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    x = rng.standard_normal((1151, 781), dtype=np.float32)
    weight, bias = rng.standard_normal((2, 781), dtype=np.float32)
    y, mean, rstd = layer_norm(x, weight, bias)
    triton.testing.assert_close(y, layer_norm_numpy(x, weight, bias), atol=1e-5)
    triton.testing.assert_close(mean, x.mean(axis=1), atol=1e-6)
    dy = rng.standard_normal(x.shape, dtype=np.float32)
    for ours, numpys in zip(layer_norm_backward(dy, x, weight, mean, rstd),
                            layer_norm_backward_numpy(dy, x, weight)):
        triton.testing.assert_close(ours, numpys, rtol=1e-5, atol=2e-4)
    print("layer norm: 1151 rows of 781 and their gradients agree with NumPy")
