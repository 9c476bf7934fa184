"""The kernels of workloads.py, by family; importing them registers their cases."""

from . import decode, norms, prefill, recurrences, rows, training  # noqa: F401
