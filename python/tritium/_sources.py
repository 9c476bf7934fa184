"""What can be compiled ahead of a launch: a kernel with a signature, or a file."""

import hashlib
import pathlib

from ._signatures import Signature
from .errors import ArgumentError, CompilationError


class ASTSource:
    """A kernel with an explicit signature, to compile without arguments.

    Args:
        fn: the kernel, a JITFunction.
        signature: a dict, parameter name -> type: "*fp32", "i32", ..., "constexpr", for a
            `TensorDescriptor` "tensordesc<fp16[64, 64]>", for a tuple a tuple of these.
        constexprs: a dict, parameter name (or position, or tuple of one) -> value. (2, 0) is the
            first item of the tuple that is parameter 2.
        attrs: a dict with the same keys -> [["tt.divisibility", 16]].

    A descriptor's elements outside of the array read as zero, and a layout that follows the block
    in the text is without effect.

    Example:
        >>> @triton.jit
        ... def fill(x, value, N: tl.constexpr):
        ...     tl.store(x + tl.arange(0, N), value)
        >>> signature = {"x": "*i32", "value": "i32", "N": "constexpr"}
        >>> source = triton.ASTSource(fill, signature, {"N": 4})
        >>> "tensor<4xi32>" in triton.compile(source).asm["ttir"]
        True
    """

    def __init__(self, fn, signature, constexprs=None, attrs=None):
        self.fn = fn
        self.signature = dict(signature)
        self.constexprs = {self._name(key): value for key, value in (constexprs or {}).items()}
        self.attrs = {self._name(key): value for key, value in (attrs or {}).items()}

    def _name(self, key):
        if isinstance(key, tuple) and len(key) == 1:
            key = key[0]
        return self.fn.arg_names[key] if key in range(len(self.fn.arg_names)) else key

    def _parameters(self):
        for name in [*self.signature, *self.constexprs, *self.attrs]:
            if not isinstance(name, tuple) and name not in self.fn.arg_names:
                raise ArgumentError(f"kernel '{self.fn.__name__}' has no parameter {name!r}; its "
                                    f"parameters are: {', '.join(self.fn.arg_names)}")
        signature = Signature(self.fn.__name__, self._by_path(self.constexprs),
                              self._by_path(self.attrs))
        for param in self.fn.params:
            kind = self.signature.get(param.name, "constexpr")
            if param.name in self.constexprs or kind != "constexpr":
                yield signature.part(kind, (param.num,), param.name)
            elif param.has_default:
                yield ("constexpr", param.default)
            else:
                raise ArgumentError(f"kernel '{self.fn.__name__}': the signature says nothing of "
                                    f"parameter '{param.name}'")
        signature.check_all_used()

    def _by_path(self, values):
        return {key if isinstance(key, tuple) else (self.fn.arg_names.index(key),): value
                for key, value in values.items()}


class IRSource:
    """A file with one kernel, to compile.

    Args:
        path: of the file. See `compile`.
        context, backend: taken, without effect.

    Attributes:
        path: the path, a `pathlib.Path`.
        ext: the stage that it holds, by its suffix: "ttir", "ttgir", ...
        src: its text.
    """

    def __init__(self, path, context=None, backend=None):
        self.path = pathlib.Path(path)
        self.ext = self.path.suffix[1:]
        try:
            self.src = self.path.read_text()
        except UnicodeDecodeError:
            raise CompilationError(
                f"{path} is no text; go on from tile IR (.ttir, .ttgir)") from None

    def hash(self):
        """A hash of the text."""
        return hashlib.sha256(self.src.encode()).hexdigest()
