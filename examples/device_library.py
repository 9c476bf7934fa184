"""Functions of CUDA's device library in a kernel: the arc sine of each element."""

import numpy as np

import tritium as triton
import tritium.language as tl
from tritium.language.extra import libdevice


@triton.jit
def asin_kernel(x_ptr, y_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    # One name for float32 and float64; on every back end.
    tl.store(y_ptr + offsets, libdevice.asin(x), mask=mask)


def asin(x):
    """The arc sine of each element of a contiguous array, NaN beyond -1 to 1."""
    y = np.empty_like(x)
    asin_kernel[(triton.cdiv(x.size, 1024),)](x, y, x.size, BLOCK_SIZE=1024)
    return y


if __name__ == "__main__":
    x = np.random.default_rng(0).uniform(-1, 1, 98432)
    triton.testing.assert_close(asin(x.astype(np.float32)), np.arcsin(x.astype(np.float32)),
                                rtol=1e-6)
    triton.testing.assert_close(asin(x), np.arcsin(x), rtol=1e-14)
    print("device library: asin of 98432 elements of float32 and float64 agrees with NumPy")
