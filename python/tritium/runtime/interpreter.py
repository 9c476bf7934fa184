"""`triton.runtime.interpreter`: how a program tells that kernels run in the interpreter."""

from .. import knobs
from ..jit import JITFunction

__all__ = ["InterpretedFunction"]


class _Interpreted(type):
    def __instancecheck__(cls, kernel):
        return isinstance(kernel, JITFunction) and knobs.runtime.interpret


class InterpretedFunction(metaclass=_Interpreted):
    """What a kernel is an instance of while TRITON_INTERPRET=1: it stays a `JITFunction`, and the
    interpreter is part of the compiler."""

    def __new__(cls, *_args, **_kwargs):
        raise TypeError("kernels are made by @triton.jit; TRITON_INTERPRET=1 has them interpreted")
