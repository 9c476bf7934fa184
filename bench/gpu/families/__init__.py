"""The kernels of workloads.py, by family; importing them registers their cases."""

from . import (  # noqa: F401
    decode,
    narrow_products,
    norms,
    prefill,
    products,
    recurrences,
    rows,
    training,
)
