"""The kernels of workloads.py, by family; importing them registers their cases."""

from . import decode, prefill, rows  # noqa: F401
