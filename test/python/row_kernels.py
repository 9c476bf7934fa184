"""A softmax whose programs have a row each, and that it is right."""

import numpy as np

import tritium as triton
import tritium.language as tl


@triton.jit
def softmax(y, x, sx, sy, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + row * sx + c, mask=c < n, other=-float("inf")).to(tl.float32)
    z = tl.exp(v - tl.max(v, axis=0))
    tl.store(y + row * sy + c, (z / tl.sum(z, axis=0)).to(y.dtype.element_ty), mask=c < n)


def rows(count, columns, dtype=np.float32):
    return np.random.default_rng(columns).standard_normal((count, columns)).astype(dtype)


def check_softmax(count, columns, dtype=np.float32, **options):
    x = rows(count, columns, dtype)
    y = np.full((count + 1, columns), 7, dtype)
    kernel = softmax[(count,)](y, x, columns, columns, columns,
                               BLOCK=triton.next_power_of_2(columns), **options)
    z = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    tolerance = 1e-6 if dtype == np.float32 else 1e-3
    np.testing.assert_allclose(y[:count], z / z.sum(1, keepdims=True), tolerance, tolerance)
    assert (y[count] == 7).all()
    return kernel
