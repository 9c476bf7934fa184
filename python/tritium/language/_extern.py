"""Functions of device libraries by their symbols: `tl.core.extern`, `tl.core.extern_elementwise`.

    @tl.core.extern
    def sine(x, _semantic=None):
        return tl.core.extern_elementwise("", "", [x], {
            (tl.dtype("fp32"),): ("__nv_sinf", tl.dtype("fp32")),
            (tl.dtype("fp64"),): ("__nv_sin", tl.dtype("fp64"))}, is_pure=True,
            _semantic=_semantic)

The body runs on the host, once a kernel uses the function, to find out the symbols. A kernel gets a
function in the kernel language that calls `extern_elementwise` with what was found.
"""

import inspect

from ._builtin import Builtin
from .types import dtype

__all__ = ["extern", "extern_elementwise"]


class _Argument:
    """Stands for an argument while the body runs."""

    def __init__(self, name):
        self.name = name


class _Call:
    """What the body asks for."""

    def __init__(self, library, arguments, symbols, is_pure):
        self.library = library
        self.arguments = arguments
        self.symbols = symbols
        self.is_pure = is_pure


def _on_host(lib_name, lib_path, args, arg_type_symbol_dict, is_pure, **_internal):
    if not any(isinstance(argument, _Argument) for argument in args):
        raise RuntimeError("tl.core.extern_elementwise can only be called in a function with "
                           "@tl.core.extern, which a kernel calls")
    return _Call((lib_name, lib_path), args, arg_type_symbol_dict, is_pure)


def _stub(lib_name, lib_path, args, arg_type_symbol_dict, is_pure):
    """A function of a device library, applied to each element.

    Args:
        lib_name, lib_path: of the library; only CUDA's device library is there, for every target.
        args: tiles or scalars, broadcast to one shape.
        arg_type_symbol_dict: a tuple of types of the arguments -> the symbol (`__nv_...`) and the
            type of its result.
        is_pure: whether it has no effect but its result, which all of that library are.

    Example:
        >>> # on the host
        >>> try:
        ...     tl.core.extern_elementwise("", "", [1.0], {}, True)
        ... except RuntimeError as error:
        ...     found = str(error)
        >>> "can only be called in a function with @tl.core.extern" in found
        True
    """


_stub.__name__ = _stub.__qualname__ = "extern_elementwise"
extern_elementwise = Builtin(_stub, "triton.language.extern_elementwise", _on_host)


def _text(value):
    """A value as the kernel language spells it."""
    if isinstance(value, _Argument):
        return value.name
    if isinstance(value, dtype):
        return f"dtype({str(value)!r})"
    if isinstance(value, (tuple, list)):
        return "(" + "".join(f"{_text(item)}, " for item in value) + ")"
    if isinstance(value, (bool, int, float, str)):
        return repr(value)
    raise TypeError(f"tl.core.extern_elementwise got {value!r}: arguments are those of the "
                    "function and numbers, symbols are strings, types are tl.dtype")


class Extern:
    """A function with `@tl.core.extern`: kernels call it, `symbols` of a device library does it."""

    def __init__(self, fn):
        self.fn = fn
        self.__name__ = fn.__name__
        self.__qualname__ = fn.__qualname__
        self.__module__ = fn.__module__
        self.__doc__ = fn.__doc__
        self.__wrapped__ = fn

    def __call__(self, *args, **kwargs):
        raise RuntimeError(f"{self.__name__} can only be called inside a kernel (a function with "
                           "@triton.jit)")

    def _kernel_text(self):
        names = [name for name in inspect.signature(self.fn).parameters
                 if not name.startswith("_")]
        call = self.fn(*map(_Argument, names))
        if not isinstance(call, _Call):
            raise TypeError(f"'{self.__name__}' has @tl.core.extern, so it must return what "
                            "tl.core.extern_elementwise returns")
        symbols = [(types, *target) for types, target in call.symbols.items()]
        return (f"def {self.__name__}({', '.join(names)}):\n"
                f"    return extern_elementwise({', '.join(map(_text, call.library))}, "
                f"{_text(call.arguments)}, {_text(symbols)}, {bool(call.is_pure)})\n")

    def _kernel_source(self, names):
        """As JITFunction has it, with this module's names around it."""
        code = self.fn.__code__
        return (self.__name__, code.co_filename, code.co_firstlineno, 0, self._kernel_text(), False,
                self.fn, names.function(_on_host))


def extern(fn):
    """Makes `fn`, whose body is one call of `tl.core.extern_elementwise`, a function of kernels.

    Args:
        fn: a function of the arguments that kernels give, which its body may use only as arguments
            of that call; names with an underscore in front are not for kernels.

    Differs from Triton: the symbols are those of CUDA's device library, on every back end.

    Example:
        >>> # on the host
        >>> @tl.core.extern
        ... def sine(x, _semantic=None):
        ...     fp32 = tl.dtype("fp32")
        ...     return tl.core.extern_elementwise("", "", [x], {(fp32,): ("__nv_sinf", fp32)},
        ...                                       is_pure=True, _semantic=_semantic)
        >>> @triton.jit
        ... def kernel(x):
        ...     tl.store(x, sine(tl.load(x)))
        >>> x = np.full(1, 0.5, dtype=np.float32)
        >>> compiled = kernel[(1,)](x)
        >>> round(x.item(), 3)
        0.479
    """
    return Extern(fn)
