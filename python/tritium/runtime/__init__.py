"""The parts of the run-time side that other programs reach for."""

from ..errors import InterpreterError, OutOfResources
from ..jit import JITFunction, KernelInterface, MockTensor, TensorWrapper, reinterpret
from .._heuristics import Heuristics, heuristics
from ..tune import Autotuner, Config, autotune
from . import cache, driver, interpreter

__all__ = ["cache", "driver", "interpreter", "autotune", "Autotuner", "Config",
           "heuristics", "Heuristics", "JITFunction", "KernelInterface", "MockTensor",
           "TensorWrapper", "reinterpret", "OutOfResources", "InterpreterError"]
