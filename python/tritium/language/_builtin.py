"""How the library's functions look from the host: documented, and not callable."""

import functools
import inspect


class Builtin:
    """A function of the language. Kernels call it; the host reads its documentation.

    Calling it on the host raises RuntimeError, except where it has a meaning there.
    """

    def __init__(self, function, library_name, on_host=None):
        functools.update_wrapper(self, function)
        self.__signature__ = inspect.signature(function)
        self._library_name = library_name
        self._on_host = on_host

    def __call__(self, *args, **kwargs):
        if self._on_host is not None:
            return self._on_host(*args, **kwargs)
        raise RuntimeError(f"{self._library_name.replace('triton.language', 'tl')} can only be "
                           "called inside a kernel (a function with @triton.jit)")

    def __repr__(self):
        return f"<function {self._library_name}>"


def builtin(function):
    """Makes a Builtin of a documented stub in tritium.language."""
    return Builtin(function, f"triton.language.{function.__name__}")


def builtin_class(cls):
    """Marks a class that kernels use by name."""
    cls._library_name = f"triton.language.{cls.__name__}"
    return cls
