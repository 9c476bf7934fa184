"""The kernels of workloads.py, by family; importing them registers their cases."""

from . import decode, norms, prefill, rows, training  # noqa: F401
