"""Compiling kernels in the threads of an executor: `AsyncCompileMode`."""

import contextvars

__all__ = ["AsyncCompileMode", "FutureKernel"]

active_mode = contextvars.ContextVar("AsyncCompileMode of this context", default=None)


class FutureKernel:
    """A kernel that is being compiled."""

    def __init__(self, future):
        self.future = future

    def result(self, ignore_errors=False):
        """The `CompiledKernel`, once it is there. Raises what compiling it raised, or with
        `ignore_errors` answers None."""
        if ignore_errors and self.future.exception() is not None:
            return None
        return self.future.result()


class AsyncCompileMode:
    """While `with AsyncCompileMode(executor):` lasts, `kernel.warmup(...)` compiles in `executor`
    and answers a `FutureKernel`. At its end all of them have been compiled. Launches inside are
    as outside: they wait for their own kernel.

    Args:
        executor: a `concurrent.futures.Executor` of threads; kernels of processes are not to be
            had.
        ignore_errors: whether a kernel that does not compile is left out; else its error is
            raised at the end.

    Example:
        >>> @triton.jit
        ... def fill(x, value, N: tl.constexpr):
        ...     tl.store(x + tl.arange(0, N), value)
        >>> import concurrent.futures
        >>> with concurrent.futures.ThreadPoolExecutor() as executor:
        ...     with triton.AsyncCompileMode(executor):
        ...         future = fill.warmup(tl.pointer_type(tl.int32), 1, N=4, grid=(1,))
        >>> future.result().name
        'fill'
    """

    def __init__(self, executor, *, ignore_errors=False):
        self.executor = executor
        self.ignore_errors = ignore_errors
        self._futures = []
        self._token = None

    def submit(self, compile):
        """Has `compile()` called in the executor; a `FutureKernel`."""
        self._futures.append(FutureKernel(self.executor.submit(compile)))
        return self._futures[-1]

    def __enter__(self):
        if active_mode.get() is not None:
            raise RuntimeError("an AsyncCompileMode is active already")
        self._token = active_mode.set(self)
        return self

    def __exit__(self, kind, error, trace):
        active_mode.reset(self._token)
        futures, self._futures = self._futures, []
        for future in futures:
            future.result(self.ignore_errors or kind is not None)
