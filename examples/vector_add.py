"""Vector addition: the smallest kernel with a grid, a tile and a mask."""

import numpy as np

import tritium as triton
import tritium.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    # Each program adds one tile of BLOCK_SIZE elements.
    pid = tl.program_id(axis=0)
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    # The last tile may reach past the end of the arrays.
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(output_ptr + offsets, x + y, mask=mask)


def add(x, y, output=None):
    """Returns x + y for two contiguous arrays of one shape and dtype."""
    output = np.empty_like(x) if output is None else output
    n_elements = x.size
    add_kernel[lambda meta: (triton.cdiv(n_elements, meta["BLOCK_SIZE"]),)](
        x, y, output, n_elements, BLOCK_SIZE=4096)
    return output


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((2, 98432), dtype=np.float32)
    assert np.array_equal(add(x, y), x + y)
    print("add: 98432 elements equal NumPy's")
