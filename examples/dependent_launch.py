"""Programmatic dependent launch: a kernel that starts while the one before it still runs.

On NVIDIA GPUs from compute capability 9.0 on, the programs of a dependent launch may begin as
soon as those before them say so; they wait only where they need what the others have written.
Elsewhere launches follow one another, and the same kernel runs without these calls.
"""

import numpy as np

import tritium as triton
import tritium.language as tl
from tritium.language.extra.cuda import gdc_launch_dependents, gdc_wait


@triton.jit
def multiply_and_add_kernel(previous_ptr, x_ptr, output_ptr, n_elements, addend,
                            BLOCK_SIZE: tl.constexpr, OVERLAP: tl.constexpr):
    """previous * x + addend, where `previous` comes from the launch before."""
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    # No kernel writes x, so this load need not wait.
    x = tl.load(x_ptr + offsets, mask=mask)
    if OVERLAP:
        # Programs of the next launch may begin: they wait in turn until all of these are done.
        gdc_launch_dependents()
        gdc_wait()
    previous = tl.load(previous_ptr + offsets, mask=mask)
    tl.store(output_ptr + offsets, previous * x + addend, mask=mask)


def launches_overlap():
    """Whether kernels run where launches can overlap."""
    target = triton.runtime.driver.active.get_current_target()
    return target.backend == "cuda" and target.arch >= 90


def polynomial(x, coefficients, overlap=None):
    """The values of the polynomial with these coefficients, highest first: a launch for each.

    Each launch reads what the one before has written.
    """
    overlap = launches_overlap() if overlap is None else overlap
    result, previous = np.empty_like(x), np.zeros_like(x)
    grid = (triton.cdiv(x.size, 1024),)
    for coefficient in coefficients:
        multiply_and_add_kernel[grid](previous, x, result, x.size, coefficient, BLOCK_SIZE=1024,
                                      OVERLAP=overlap, launch_pdl=overlap)
        result, previous = previous, result
    return previous


if __name__ == "__main__":
    x = np.random.default_rng(0).uniform(-1, 1, 98432).astype(np.float32)
    coefficients = (0.5, -2.0, 1.0, 3.0)
    triton.testing.assert_close(polynomial(x, coefficients), np.polyval(coefficients, x),
                                atol=1e-5)
    print("dependent launch: 4 launches over 98432 elements agree with NumPy")
