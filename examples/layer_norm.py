"""Layer normalisation of the rows of a matrix, with weight and bias."""

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


def layer_norm(x, weight, bias, eps=1e-5, y=None):
    """Returns the normalised rows, and each row's mean and 1/standard deviation (fp32)."""
    n_rows, n_cols = x.shape
    y = np.empty_like(x) if y is None else y
    mean = np.empty(n_rows, np.float32)
    rstd = np.empty(n_rows, np.float32)
    layer_norm_kernel[(n_rows,)](x, y, weight, bias, mean, rstd, x.strides[0] // x.itemsize,
                                 n_cols, eps, BLOCK_SIZE=triton.cdiv(n_cols, 16) * 16)
    return y, mean, rstd


def layer_norm_numpy(x, weight, bias, eps=1e-5):
    mean = x.mean(axis=1, keepdims=True)
    variance = x.var(axis=1, keepdims=True)
    return (x - mean) / np.sqrt(variance + eps) * weight + bias


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    x = rng.standard_normal((1151, 781), dtype=np.float32)
    weight, bias = rng.standard_normal((2, 781), dtype=np.float32)
    y, mean, rstd = layer_norm(x, weight, bias)
    triton.testing.assert_close(y, layer_norm_numpy(x, weight, bias), atol=1e-5)
    triton.testing.assert_close(mean, x.mean(axis=1), atol=1e-6)
    print("layer norm: 1151 rows of 781 agree with NumPy")
