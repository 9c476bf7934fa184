"""`triton.runtime.errors`: the names that scripts import from there."""

from ..errors import InterpreterError, OutOfResources, TritonError

__all__ = ["TritonError", "OutOfResources", "InterpreterError"]
