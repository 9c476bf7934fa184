"""Tritium compiles tile kernels that are written in Python's syntax and runs them.

    import tritium as triton
    import tritium.language as tl

    @triton.jit
    def add(x, y, out, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        mask = i < n
        tl.store(out + i, tl.load(x + i, mask) + tl.load(y + i, mask), mask)

    add[(triton.cdiv(n, 1024),)](x, y, out, n, BLOCK=1024)
"""

from . import (_C, _addresses, backends, c, compiler, errors, knobs, language, profiler, runtime,
               simulation, testing, tools)
from ._aggregates import aggregate
from ._alias import install_as_triton
from ._allocation import set_allocator
from ._async_compile import AsyncCompileMode, FutureKernel
from ._heuristics import Heuristics, heuristics
from .c import config, kernel, read
from .compiler import ASTSource, CompiledKernel, compile
from .errors import (ArgumentError, AutotunerError, CompilationError, CUDAError,
                     CompileTimeAssertionFailure, DeadlockError, DeviceAssertionError, GridError,
                     InternalError, InterpreterError, OptionError, OutOfResources, PTXASError,
                     SimulatorError, TritonError, UnsupportedLanguageConstruct)
from .jit import (JITFunction, KernelInterface, MockTensor, TensorWrapper, constexpr_function,
                  jit, reinterpret)
from .language import must_use_result
from .language.math import cdiv as _language_cdiv
from .profiler.launches import profile
from .language._builtin import Builtin as _Builtin
from .tune import Autotuner, Config, autotune

__all__ = [
    "jit", "aggregate", "constexpr_function", "autotune", "Config", "heuristics", "cdiv",
    "next_power_of_2",
    "compile", "reinterpret", "language", "profiler", "testing", "runtime", "errors", "knobs",
    "simulation",
    "JITFunction", "KernelInterface", "MockTensor", "TensorWrapper", "Autotuner", "Heuristics",
    "ASTSource", "CompiledKernel", "TritonError", "CompilationError",
    "CompileTimeAssertionFailure", "UnsupportedLanguageConstruct", "OutOfResources",
    "InterpreterError", "ArgumentError", "OptionError", "GridError", "CUDAError", "PTXASError",
    "AutotunerError", "DeadlockError", "DeviceAssertionError", "SimulatorError", "InternalError",
    "AsyncCompileMode", "FutureKernel", "must_use_result", "backends", "compiler",
    "install_as_triton", "set_allocator", "set_num_threads", "num_threads", "c", "kernel", "config",
    "read", "profile",
]

# The release of Triton whose language and host interface programs may expect, which they compare
# with; behind the plus sign Tritium's own.
__version__ = f"3.6.0+tritium.{_C.version()}"


def _next_power_of_2(n):
    """The smallest power of two that is at least `n`; 1 for n below 2. Works in kernels too,
    on compile-time ints.

    Example:
        >>> triton.next_power_of_2(100)
        128
    """
    return 1 << max(0, n - 1).bit_length()


def _cdiv(x, y):
    """x / y rounded up, for non-negative ints: (x + y - 1) // y. In kernels it is `tl.cdiv`.

    Example:
        >>> triton.cdiv(10, 4)
        3
    """
    return _language_cdiv(x, y)


_cdiv.__name__ = _cdiv.__qualname__ = "cdiv"
_next_power_of_2.__name__ = "next_power_of_2"
cdiv = _Builtin(_cdiv, "triton.cdiv", on_host=_cdiv)
next_power_of_2 = _Builtin(_next_power_of_2, "triton.next_power_of_2",
                           on_host=_next_power_of_2)


def set_num_threads(count):
    """How many threads a launch on the CPU uses, the calling one included.

    Args:
        count: an int; 0: as TRITIUM_NUM_THREADS says, or one for each core that the process may
            use.

    Example:
        >>> before = triton.num_threads()
        >>> triton.set_num_threads(2)
        >>> triton.num_threads()
        2
        >>> triton.set_num_threads(before)
    """
    _C.set_num_threads(count)


def num_threads():
    """How many threads the next launch will use.

    Example:
        >>> triton.num_threads() >= 1
        True
    """
    return _C.num_threads()


language._aggregate = aggregate  # its home before Triton 3.8
_addresses.install()
