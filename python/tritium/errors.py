"""The exceptions that Tritium raises.

Every error of a kernel's text carries where it is: `file`, `line`, `column`, the one-line
`message`, and `rendered`, the text with the source line and a caret, which is also what
`str()` gives.
"""

import re

__all__ = [
    "TritonError", "CompilationError", "CompileTimeAssertionFailure",
    "UnsupportedLanguageConstruct", "OutOfResources", "AutotunerError", "InterpreterError",
    "ArgumentError", "OptionError", "GridError", "CUDAError", "PTXASError",
    "SimulatorError", "DeviceAssertionError", "DeadlockError", "InternalError",
]


class TritonError(Exception):
    """The base of all of them.

    Example:
        >>> @triton.jit
        ... def wrong(x):
        ...     tl.store(x, tl.no_such_name(1))
        >>> try:
        ...     compiled = wrong.warmup(tl.pointer_type(tl.int32), grid=(1,))
        ... except triton.TritonError as error:
        ...     found = error
        >>> type(found).__name__
        'CompilationError'
        >>> found.message
        "the module 'triton.language' has no 'no_such_name' that kernels can use"
    """

    def __init__(self, message="", file="", line=0, column=0, rendered=None):
        super().__init__(message)
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        self.rendered = rendered if rendered is not None else message

    def __str__(self):
        return self.rendered


class CompilationError(TritonError):
    """A kernel's text breaks a rule of the language.

    Example:
        >>> @triton.jit
        ... def wrong(x):
        ...     tl.store(x, tl.arange(0, 4) + tl.arange(0, 8))
        >>> try:
        ...     compiled = wrong.warmup(tl.pointer_type(tl.int32), grid=(1,))
        ... except triton.CompilationError as error:
        ...     found = error
        >>> (found.line, found.column > 0)
        (7, True)
    """


class CompileTimeAssertionFailure(CompilationError):
    """A `static_assert` does not hold.

    Example:
        >>> @triton.jit
        ... def check(N: tl.constexpr):
        ...     tl.static_assert(N > 8, "N is too small")
        >>> try:
        ...     compiled = check.warmup(N=4, grid=(1,))
        ... except triton.CompileTimeAssertionFailure as error:
        ...     found = error
        >>> found.message
        'static assertion failed: N is too small'
    """


class UnsupportedLanguageConstruct(CompilationError):
    """A kernel uses a construct of Python that kernels do not have.

    Example:
        >>> @triton.jit
        ... def wrong(x):
        ...     try:
        ...         tl.store(x, 1)
        ...     finally:
        ...         tl.store(x, 2)
        >>> try:
        ...     compiled = wrong.warmup(tl.pointer_type(tl.int32), grid=(1,))
        ... except triton.UnsupportedLanguageConstruct as error:
        ...     found = error
        >>> found.line
        7
    """


class OutOfResources(TritonError):
    """A kernel needs more of a resource than there is.

    Args:
        required: how much it needs.
        limit: how much there is.
        name: what of.

    Example:
        >>> str(triton.OutOfResources(300000, 232448, "shared memory"))
        'out of resource: shared memory, required: 300000, limit: 232448'
    """

    def __init__(self, required, limit, name):
        super().__init__(f"out of resource: {name}, required: {required}, limit: {limit}")
        self.required = required
        self.limit = limit
        self.name = name

    @classmethod
    def _from_native(cls, message, file, line, column, rendered):
        found = re.search(r"out of resource: (.*?), required: (\d+), limit: (\d+)", message)
        name, required, limit = found.groups() if found else ("resource", 0, 0)
        error = cls(int(required), int(limit), name)
        error.args = (message,)
        error.message, error.file, error.line = message, file, line
        error.column, error.rendered = column, rendered
        return error


class AutotunerError(TritonError):
    """Tuning has no configuration to choose: none was given or left, or none runs."""


class InterpreterError(TritonError):
    """The interpreter stopped a kernel: an access out of bounds, a failed assertion."""


class SimulatorError(TritonError):
    """The simulated GPU found a fault in a kernel's code: an access out of bounds, a race, a
    barrier that part of the threads miss, data of an asynchronous copy that has not arrived."""


class ArgumentError(TritonError, TypeError):
    """An argument of a launch is missing, superfluous, or of a kind that does not fit.

    Example:
        >>> @triton.jit
        ... def fill(x, value, N: tl.constexpr):
        ...     tl.store(x + tl.arange(0, N), value)
        >>> try:
        ...     compiled = fill[(1,)](np.zeros(4, dtype=np.float32), N=4)
        ... except TypeError as error:
        ...     found = error
        >>> type(found).__name__
        'ArgumentError'
    """


class OptionError(ArgumentError, KeyError):
    """A keyword of a launch is neither a parameter nor an option, or has a bad value.

    Example:
        >>> @triton.jit
        ... def fill(x, value, N: tl.constexpr):
        ...     tl.store(x + tl.arange(0, N), value)
        >>> try:
        ...     compiled = fill[(1,)](np.zeros(4, dtype=np.float32), 1.0, N=4, num_wraps=4)
        ... except KeyError as error:
        ...     found = error
        >>> type(found).__name__
        'OptionError'
    """

    __str__ = TritonError.__str__


class GridError(TritonError, ValueError):
    """A grid is empty, has more than three dimensions, or is not made of ints.

    Example:
        >>> @triton.jit
        ... def fill(x, value, N: tl.constexpr):
        ...     tl.store(x + tl.arange(0, N), value)
        >>> try:
        ...     compiled = fill[(1, 1, 1, 1)](np.zeros(4, dtype=np.float32), 1.0, N=4)
        ... except ValueError as error:
        ...     found = error
        >>> type(found).__name__
        'GridError'
    """


class DeadlockError(TritonError):
    """All programs of a launch that run wait in loops, and none of them has got any further for
    the time that `TRITIUM_WAIT_SECONDS` says (10 s)."""


class DeviceAssertionError(TritonError, AssertionError, RuntimeError):
    """A `device_assert` failed while a kernel ran, or a hint did not hold.

    Example:
        >>> @triton.jit(debug=True)
        ... def check(n):
        ...     tl.device_assert(n < 10, "n is too large")
        >>> try:
        ...     compiled = check[(1,)](20)
        ... except triton.TritonError as error:
        ...     found = error
        >>> type(found).__name__
        'DeviceAssertionError'
        >>> "n is too large" in str(found)
        True
    """


class CUDAError(TritonError, RuntimeError):
    """The CUDA driver is missing, or reports an error."""


class PTXASError(TritonError, RuntimeError):
    """ptxas does not assemble a kernel."""


class InternalError(TritonError, RuntimeError):
    """A bug in Tritium, not in the kernel."""


_BY_KIND = {
    "CompilationError": CompilationError,
    "CompileTimeAssertionFailure": CompileTimeAssertionFailure,
    "UnsupportedLanguageConstruct": UnsupportedLanguageConstruct,
    "InterpreterError": InterpreterError,
    "SimulatorError": SimulatorError,
    "DeviceAssertion": DeviceAssertionError,
    "DeadlockError": DeadlockError,
    "ArgumentError": ArgumentError,
    "OptionError": OptionError,
    "GridError": GridError,
    "CUDAError": CUDAError,
    "PTXASError": PTXASError,
    "AutotunerError": AutotunerError,
}


def from_native(kind, message, file, line, column, rendered):
    """The exception for an error of the native library."""
    if kind == "OutOfMemory":
        return MemoryError(message)
    if kind == "OutOfResources":
        return OutOfResources._from_native(message, file, line, column, rendered)
    return _BY_KIND.get(kind, InternalError)(message, file, line, column, rendered)
