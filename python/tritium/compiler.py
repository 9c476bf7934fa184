"""Compiling ahead of a launch, and what comes out."""

import collections
import json
import pathlib
import types

from . import _C
from .errors import ArgumentError, CompilationError, CompileTimeAssertionFailure, \
    UnsupportedLanguageConstruct

__all__ = ["compile", "ASTSource", "CompiledKernel", "GPUTarget", "CompilationError",
           "CompileTimeAssertionFailure", "UnsupportedLanguageConstruct"]

GPUTarget = collections.namedtuple("GPUTarget", ["backend", "arch", "warp_size"])
GPUTarget.__doc__ = """What a kernel is compiled for: backend "cpu", arch: LLVM's name of a CPU
("native", "haswell", "skylake-avx512", ...), warp_size: 1."""


class _Stages(collections.abc.Mapping):
    """The stages of a kernel, produced when they are asked for."""

    _names = ("ttir", "llir", "asm", "obj")

    def __init__(self, native):
        self._native = native

    def __getitem__(self, name):
        if name not in self._names:
            raise KeyError(f"{name!r}; the stages are: {', '.join(self._names)}")
        data = self._native.stage(name)
        return data if name == "obj" else data.decode()

    def __iter__(self):
        return iter(self._names)

    def __len__(self):
        return len(self._names)


class CompiledKernel:
    """One variant of a kernel: compiled for one choice of types and constants.

    Attributes:
        asm: a mapping of its stages: "ttir", "llir" and "asm" as text, "obj" as bytes.
        metadata: a namespace: name, target, cpu, hash, parameters (name, type, read,
            written), scratch_bytes, debug, cached, compile_ms, and the launch's options.
        remarks: the optimisations that were applied or missed, each a namespace with pass_,
            kind, message, file, line, column, values.
        n_regs, n_spills: 0; they describe GPUs.
        name, hash: its name and the hash of everything that it was made from.
    """

    n_regs = 0
    n_spills = 0
    n_max_threads = 1

    def __init__(self, native):
        self._native = native
        self.asm = _Stages(native)
        self._all = None

    def _described(self):
        if self._all is None:
            self._all = json.loads(self._native.metadata())
        return self._all

    @property
    def metadata(self):
        described = self._described()
        fields = {"num_warps": 4, "num_stages": 3, "num_ctas": 1, "shared": 0,
                  **described["options"]}
        fields.update({name: value for name, value in described.items()
                       if name not in ("options", "remarks")})
        fields["parameters"] = [types.SimpleNamespace(**p) for p in described["parameters"]]
        return types.SimpleNamespace(**fields)

    @property
    def remarks(self):
        return [types.SimpleNamespace(pass_=r["pass"],
                                      **{k: v for k, v in r.items() if k != "pass"})
                for r in self._described()["remarks"]]

    @property
    def name(self):
        return self._described()["name"]

    @property
    def hash(self):
        return self._described()["hash"]

    def __getitem__(self, grid):
        """`compiled[grid](*args)` runs this variant; `args` are its run-time arguments."""
        dims = (grid,) if isinstance(grid, int) else tuple(grid)

        def launch(*args):
            self._native.launch([int(dim) for dim in dims], args)

        return launch

    def __repr__(self):
        return f"CompiledKernel({self.name}, {self.hash[:12]})"


class ASTSource:
    """A kernel with an explicit signature, to compile without arguments.

    Args:
        fn: the kernel, a JITFunction.
        signature: a dict, parameter name -> type ("*fp32", "i32", ..., "constexpr").
        constexprs: a dict, parameter name (or position, or tuple of one) -> value.
        attrs: a dict, position (or tuple of one, or name) -> [["tt.divisibility", 16]].
    """

    def __init__(self, fn, signature, constexprs=None, attrs=None):
        self.fn = fn
        self.signature = dict(signature)
        self.constexprs = {self._name(key): value for key, value in (constexprs or {}).items()}
        self.attrs = {self._name(key): value for key, value in (attrs or {}).items()}

    def _name(self, key):
        if isinstance(key, tuple) and len(key) == 1:
            key = key[0]
        return self.fn.arg_names[key] if isinstance(key, int) else key

    def _parameters(self):
        for name in [*self.signature, *self.constexprs]:
            if name not in self.fn.arg_names:
                raise ArgumentError(f"kernel '{self.fn.__name__}' has no parameter '{name}'; its "
                                    f"parameters are: {', '.join(self.fn.arg_names)}")
        for param in self.fn.params:
            if param.name in self.constexprs:
                yield ("constexpr", self.constexprs[param.name])
            elif self.signature.get(param.name, "constexpr") != "constexpr":
                divisibility = 1
                for attribute, value in self.attrs.get(param.name, ()):
                    if attribute == "tt.divisibility":
                        divisibility = value
                yield (self.signature[param.name], divisibility)
            elif param.has_default:
                yield ("constexpr", param.default)
            else:
                raise ArgumentError(f"kernel '{self.fn.__name__}': the signature says nothing of "
                                    f"parameter '{param.name}'")


def compile(src, target=None, options=None, _env_vars=None):
    """Compiles ahead of time.

    Args:
        src: an `ASTSource`, or the path of a `.ttir` file with one kernel.
        target: a `GPUTarget("cpu", cpu name, 1)`; None: this machine.
        options: a dict of launch options (num_warps, debug, ...).

    Returns a `CompiledKernel`. Raises `CompilationError` for an error in the kernel.
    """
    cpu = None
    if target is not None:
        if target.backend != "cpu":
            raise ArgumentError(f"no back end {target.backend!r}; there is: cpu")
        cpu = str(target.arch)
    options = dict(options or {})
    if isinstance(src, ASTSource):
        native = _C.specialize(src.fn._handle(), list(src._parameters()), options, cpu)
    else:
        native = _C.compile_ttir(pathlib.Path(src).read_text(), options, cpu)
    return CompiledKernel(native)
