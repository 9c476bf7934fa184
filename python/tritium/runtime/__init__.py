"""The parts of the run-time side that other programs reach for."""

from ..errors import InterpreterError, OutOfResources
from ..jit import JITFunction, KernelInterface, MockTensor, TensorWrapper, reinterpret
from . import driver, errors

__all__ = ["driver", "errors", "JITFunction", "KernelInterface", "MockTensor", "TensorWrapper",
           "reinterpret", "OutOfResources", "InterpreterError"]
