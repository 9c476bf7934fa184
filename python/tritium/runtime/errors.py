"""`triton.runtime.errors`: the names that scripts import from there."""

from ..errors import AutotunerError, InterpreterError, OutOfResources, PTXASError, TritonError

__all__ = ["TritonError", "OutOfResources", "InterpreterError", "AutotunerError", "PTXASError"]
