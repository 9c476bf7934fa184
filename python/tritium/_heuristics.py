"""Kernels around kernels, and the simplest of them: parameters by rule (`heuristics`)."""

import inspect

from . import explanation, simulation
from .errors import ArgumentError
from .jit import KernelInterface


class Wrapper(KernelInterface):
    """A kernel around another one.

    Attributes:
        fn: the other one.
        arg_names: names of the parameters.
        base_fn: the Python function of the innermost.
    """

    def __init__(self, fn, arg_names):
        self.fn = fn
        self.arg_names = list(arg_names)
        self.base_fn = fn
        while not inspect.isfunction(self.base_fn):
            self.base_fn = self.base_fn.fn
        self.__name__ = self.base_fn.__name__
        self.__doc__ = self.base_fn.__doc__

    def _kernel_source(self, names):
        return self.fn._kernel_source(names)


class Heuristics(Wrapper):
    """A kernel some of whose parameters are computed from the others. See `heuristics`."""

    def __init__(self, fn, arg_names, values):
        super().__init__(fn, arg_names)
        self.values = values

    def _computed(self, args, kwargs):
        """`kwargs` with the computed parameters."""
        kwargs = dict(kwargs)
        for name, compute in self.values.items():
            kwargs[name] = compute({**dict(zip(self.arg_names, args)), **kwargs})
        return kwargs

    def run(self, *args, grid, warmup=False, **kwargs):
        return self.fn.run(*args, grid=grid, warmup=warmup, **self._computed(args, kwargs))

    def simulate(self, grid, /, *args, **kwargs):
        """As `JITFunction.simulate`."""
        own = simulation.take_options(kwargs, self.arg_names)
        return self.fn.simulate(grid, *args, **self._computed(args, kwargs), **own)

    def explain(self, grid, /, *args, **kwargs):
        """As `JITFunction.explain`."""
        own = explanation.take_options(kwargs, self.arg_names)
        return self.fn.explain(grid, *args, **self._computed(args, kwargs), **own)


def names_of(fn, decorator):
    """The names of the parameters of what `decorator` is put above."""
    if isinstance(fn, KernelInterface):
        return fn.arg_names
    raise ArgumentError(f"@{decorator} decorates a kernel: put it above @jit, not above a "
                        f"{type(fn).__qualname__}")


def heuristics(values):
    """Decorates a kernel: some of its parameters are computed from the others.

    Args:
        values: parameter name -> a function of the dict of arguments by name.

    Returns a decorator, which makes `Heuristics` of a kernel. Raises `ArgumentError` if it is put
    above anything else.

    Example:
        >>> @triton.heuristics({"BLOCK": lambda args: triton.next_power_of_2(args["n"])})
        ... @triton.jit
        ... def fill(x, n, BLOCK: tl.constexpr):
        ...     i = tl.arange(0, BLOCK)
        ...     tl.store(x + i, BLOCK, mask=i < n)
        >>> x = np.zeros(3, dtype=np.int32)
        >>> compiled = fill[(1,)](x, 3)
        >>> x
        array([4, 4, 4], dtype=int32)
    """
    return lambda fn: Heuristics(fn, names_of(fn, "heuristics"), values)
