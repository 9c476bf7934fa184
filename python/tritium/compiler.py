"""Compiling ahead of a launch, and what comes out."""

import ast
import collections
import contextlib
import dataclasses
import functools
import hashlib
import itertools
import json
import os
import pathlib
import sys
import types

from . import _C, _objects
from ._hooks import LaunchMetadata, hooks
from ._sources import ASTSource, IRSource
from .errors import ArgumentError, CompilationError, CompileTimeAssertionFailure, \
    UnsupportedLanguageConstruct

__all__ = ["compile", "ASTSource", "IRSource", "CompiledKernel", "GPUTarget", "Remark",
           "make_backend", "triton_key",
           "CompilationError", "CompileTimeAssertionFailure",
           "UnsupportedLanguageConstruct"]

GPUTarget = collections.namedtuple("GPUTarget", ["backend", "arch", "warp_size"])
GPUTarget.__doc__ = """What a kernel is compiled for. backend "cuda": arch is the compute
capability (90 for 9.0), warp_size 32. backend "cpu": arch is LLVM's name of a CPU ("native",
"haswell", "skylake-avx512", ...), warp_size 1."""


@dataclasses.dataclass(frozen=True)
class Remark:
    """What the compiler says of one decision; docs/remarks.md lists them.

    Attributes:
        pass_: who says it ("coalesce", "pipeline", ...).
        kind: "missed", "applied", or "warning" of the front end.
        message: what was found, why, and what would change it.
        file, line, column: the user's place.
        arguments: a dict, the numbers and names in the message as strings.
        rendered: the message with its place, the line of text, and a caret.
    """

    pass_: str
    kind: str
    message: str
    file: str
    line: int
    column: int
    arguments: dict
    rendered: str

    def __str__(self):
        return self.rendered


class _Stages(collections.abc.Mapping):
    """The stages of a kernel, produced when they are asked for. Beside those that are listed a
    cubin has "sass", its machine code as text, where nvdisasm or cuobjdump is there to read it."""

    _binary = ("obj", "cubin")

    def __init__(self, native, names):
        self._native = native
        self._names = names

    def __getitem__(self, name):
        if name == "sass" and "cubin" in self._names:
            from .tools import disasm

            return disasm.get_sass(self["cubin"])
        if name not in self._names:
            raise KeyError(f"{name!r}; the stages are: {', '.join(self._names)}")
        data = self._native.stage(name)
        return data if name in self._binary else data.decode()

    def __iter__(self):
        return iter(self._names)

    def __len__(self):
        return len(self._names)


class _Target(str):
    """A target's name, "cpu" or "cuda:90", with what a `GPUTarget` has."""

    def __new__(cls, text, cpu):
        target = super().__new__(cls, text)
        kind, _, arch = text.partition(":")
        digits = arch.removeprefix("sm_")
        target.backend = kind
        target.arch = int(digits) if digits.isdigit() else digits or cpu
        target.warp_size = 32 if kind in ("cuda", "sim") else 1
        return target


def _target_of(function):
    return json.loads(function.metadata())["target"].partition(":")[0]


def launch(function, grid, stream, launch_metadata, enter_hook, exit_hook, args):
    """Launches a `CompiledKernel.function` with its run-time arguments, between the hooks, on the
    stream of that address; None: on the arrays' current one."""
    if not isinstance(function, _C.Compiled):
        raise ArgumentError("a launch needs the `function` of a CompiledKernel, but got a "
                            f"{type(function).__qualname__}")
    if stream:
        from .runtime.driver import active

        # Where the host is active there may still be arrays of a GPU.
        if active.get_current_target().backend == "cpu" and _target_of(function) != "cuda":
            raise ArgumentError(f"stream {stream!r}: the CPU has one stream, 0")
    if enter_hook is not None:
        enter_hook(launch_metadata)
    function.launch([int(dim) for dim in grid], tuple(args), stream)
    if exit_hook is not None:
        exit_hook(launch_metadata)


@functools.lru_cache(None)
def _metadata_type(fields):
    """A named tuple is a class, which takes time to make."""
    return collections.namedtuple("KernelMetadata", fields)


def _value_of(text):
    """A compile-time value from its text: what the text says, an object by its name."""
    with contextlib.suppress(ValueError, SyntaxError):
        return ast.literal_eval(text)
    if text in ("nan", "inf", "-inf"):
        return float(text)
    with contextlib.suppress(KeyError):
        return _objects.named(text)
    return text


class CompiledKernel:
    """One variant of a kernel: compiled for one choice of types and constants.

    Attributes:
        asm: a mapping of its stages: "ttir" and "llir" as text; of a CPU "plan" and "asm" as text
            and "obj" as bytes; of a GPU "ttgir" and "ptx" as text and "cubin" as bytes (which is
            missing without ptxas: the driver assembles the PTX).
        metadata: a named tuple: name, target (a text that is equal to "cpu" or "cuda:90" and has
            `backend`, `arch` and `warp_size`, as a `GPUTarget`), cpu, hash, parameters (name,
            type, read, written), scratch_bytes, debug, cached, compile_ms, triton_version, and
            the launch's options; shared, the bytes of dynamic shared memory of a CTA; 0 (and
            alignment 1) for memory that kernels do not use here: tmem_size,
            global_scratch_size, profile_scratch_size.
        src: an `ASTSource` of this variant; the `IRSource` of a file; None if the kernel is gone.
        kernel: the last of the stages.
        module, function: the loaded code, of use in comparisons and for `run`.
        remarks: the optimisations that were applied or missed, a list of `Remark`.
        n_regs, n_spills: the 32-bit registers of a thread, and how many of them are
            spilled to memory; 0 on a CPU, and where no ptxas is until the kernel is loaded.
        name, hash: its name and the hash of everything that it was made from.

    Example:
        >>> @triton.jit
        ... def fill(x, value, N: tl.constexpr):
        ...     tl.store(x + tl.arange(0, N), value)
        >>> x = np.zeros(4, dtype=np.float32)
        >>> compiled = fill[(1,)](x, 2.5, N=4)
        >>> compiled.name
        'fill'
        >>> compiled.metadata.num_warps
        4
        >>> compiled[(1,)](x, 1.5)
        >>> x
        array([1.5, 1.5, 1.5, 1.5], dtype=float32)
    """

    def __init__(self, native, names=None, source=None):
        self._native = native
        self._source = source
        self._names = names  # for stages that are compiled when they are asked for
        self._all = None
        self._own_name = None
        self._taken = None

    def _described(self):
        # The driver tells of a kernel's registers when it is loaded, and not before.
        if self._all is None or self._all.get("n_regs") == 0:
            self._all = json.loads(self._native.metadata())
        return self._all

    @property
    def asm(self):
        kind = self._described()["target"].partition(":")[0]
        stages = {"cuda": ("ttir", "ttgir", "llir", "ptx", "cubin"),
                  "sim": ("ttir", "ttgir", "llir", "ptx")}
        return _Stages(self._native, stages.get(kind, ("ttir", "plan", "llir", "asm", "obj")))

    @property
    def n_regs(self):
        return self._described().get("n_regs", 0)

    @property
    def n_spills(self):
        return self._described().get("n_spills", 0)

    @property
    def n_max_threads(self):
        return 32 * self._described().get("num_warps", 0) or 1

    @property
    def metadata(self):
        described = self._described()
        target = _Target(described["target"], described["cpu"])
        fields = {"num_warps": 4, "num_stages": 3, "num_ctas": 1, "shared": 0, "tmem_size": 0,
                  "global_scratch_size": 0, "global_scratch_align": 1, "profile_scratch_size": 0,
                  "profile_scratch_align": 1, "cluster_dims": (1, 1, 1), "warp_size": 32,
                  **described["options"]}
        fields.update({name: value for name, value in described.items()
                       if name not in ("options", "remarks", "constants")})
        fields.update(target=target, backend_name=target.backend, arch=target.arch,
                      warp_size=target.warp_size,
                      triton_version=sys.modules[__package__].__version__)
        fields["parameters"] = [types.SimpleNamespace(**p) for p in described["parameters"]]
        return _metadata_type(tuple(fields))(**fields)

    @property
    def packed_metadata(self):
        """What a launch needs of the metadata: warps, CTAs of a cluster, shared memory."""
        metadata = self.metadata
        return (metadata.num_warps, metadata.num_ctas, metadata.shared, *metadata.cluster_dims)

    @property
    def metadata_group(self):
        """Name -> path of the kernel's files in the cache: one, if it is kept."""
        path = os.path.join(_C.cache_path(), f"{self.hash}.tko")
        return {os.path.basename(path): path} if os.path.exists(path) else {}

    @property
    def constants(self):
        """The compile-time values of this variant, by the names of the parameters."""
        kernel = self._names.kernel() if self._names else None
        names = kernel.arg_names if kernel else itertools.count()
        return {name: _value_of(text) for name, text in zip(names, self._described()["constants"])
                if text is not None}

    @property
    def src(self):
        kernel = self._names.kernel() if self._names else None
        if self._source is not None or kernel is None:
            return self._source
        constants = self.constants
        types = {p["name"]: p["type"] for p in self._described()["parameters"]}
        return ASTSource(kernel, {name: types.get(name, "constexpr")
                                  for name in kernel.arg_names}, constants)

    @property
    def kernel(self):
        return self.asm[list(self.asm)[-1]]

    @property
    def module(self):
        return self._native

    @property
    def function(self):
        return self._native

    def result(self):
        """The kernel itself, for programs that may have a `FutureKernel`."""
        return self

    def launch_metadata(self, grid, stream, *args):
        """The `LaunchMetadata` for hooks; None while there are none."""
        if not hooks.are_there():
            return None
        told = LaunchMetadata({"name": self.name, "function": self, "stream": stream})
        kernel = self._names.kernel() if self._names else None
        if kernel is not None and kernel.launch_metadata:
            named = {**self.constants, **dict(zip(kernel.arg_names, args))}
            told.add(kernel.launch_metadata, (grid, self.metadata, named))
        return told

    @property
    def run(self):
        """`run(x, y, z, stream, function, packed_metadata, launch_metadata, enter_hook,
        exit_hook, *args)` launches this variant on a grid and a stream, between the hooks."""
        return self._run

    def _run(self, x, y, z, stream, function, packed_metadata, launch_metadata, enter_hook,
             exit_hook, *args):
        if function is not self._native:
            raise ArgumentError(f"kernel '{self.name}': run() got the function of another kernel")
        launch(function, (x, y, z), stream, launch_metadata, enter_hook, exit_hook,
               self._run_time(args))

    @property
    def remarks(self):
        return [Remark(pass_=r["pass"], **{k: v for k, v in r.items() if k != "pass"})
                for r in self._described()["remarks"]]

    @property
    def name(self):
        """What `@jit(repr=)` says, else the name of the function."""
        name = self._described()["name"]
        kernel = self._names.kernel() if self._names else None
        if kernel is None or kernel._name_of is None:
            return name
        if self._own_name is None:
            source = self.src
            self._own_name = kernel._name_of(types.SimpleNamespace(
                constants=source.constexprs, signature=source.signature, fn=kernel))
        return self._own_name

    @property
    def hash(self):
        return self._described()["hash"]

    def __getitem__(self, grid):
        """`compiled[grid](*args)` runs this variant; `args` are its run-time arguments, or all
        of the kernel's, of which it takes these."""
        dims = (grid,) if isinstance(grid, int) else tuple(grid)

        def launch(*args):
            self._native.launch([int(dim) for dim in dims], self._run_time(args))

        def launch_between_hooks(*args):
            from .runtime import driver

            hooks.around(self.launch_metadata(dims, driver.active.get_current_stream()),
                         launch, args)

        return launch_between_hooks if hooks.are_there() else launch

    def _run_time(self, args):
        """Those of all the arguments of a launch that this variant takes."""
        if self._taken is None:
            names = [parameter["name"] for parameter in self._described()["parameters"]]
            kernel = self._names.kernel() if self._names else None
            positions = {name: i for i, name in enumerate(kernel.arg_names)} if kernel else {}
            self._taken = [positions[name] for name in names if name in positions], len(positions)
        taken, all_of_them = self._taken
        if not len(taken) < len(args) == all_of_them:
            return args
        return tuple([args[i] for i in taken])

    def _init_handles(self):
        """Nothing is to be done: a kernel is loaded when it is launched first, and `function`
        stands for it before. For programs that ask for `n_regs` only after this."""

    def __repr__(self):
        return f"CompiledKernel({self.name}, {self.hash[:12]})"


@functools.lru_cache
def triton_key():
    """What tells this compiler from other versions and builds of it."""
    files = [pathlib.Path(_C.__file__)]
    with open("/proc/self/maps") as maps:
        files += {pathlib.Path(line.split(maxsplit=5)[5].strip()) for line in maps
                  if "/libtritium" in line}
    builds = [(path.stat().st_size, path.stat().st_mtime_ns) for path in files if path.exists()]
    return f"{_C.version()}-{hashlib.sha256(repr(builds).encode()).hexdigest()}"


def make_backend(target):
    """The `triton.backends.compiler.BaseBackend` for a `GPUTarget`."""
    from . import backends

    return backends.make_backend(target)


def compile(src, target=None, options=None, _env_vars=None):
    """Compiles ahead of time.

    Args:
        src: an `ASTSource`, an `IRSource`, or the path of a file with one kernel: tile IR
            (`.ttir`), tile IR with layouts (`.ttgir`, for a GPU), a module in the LLVM and NVVM
            dialects, or LLVM IR or PTX (`.llir`, `.ptx`) as `asm` gives them, with the last
            line.
        target: a `GPUTarget("cuda", 90, 32)` or `GPUTarget("cpu", cpu name, 1)`; None: this
            machine's CPU. TRITON_OVERRIDE_ARCH is another GPU instead of the target's.
        options: a dict of launch options (num_warps, ...). `debug` means what it means to Triton:
            `device_asserts`, which does not wait for launches. For checked hints and errors of
            the launch that fails there are `@jit(debug=True)` and TRITON_DEBUG.

    Returns a `CompiledKernel`. Raises `CompilationError` for an error in the kernel.

    Example:
        >>> @triton.jit
        ... def fill(x, value, N: tl.constexpr):
        ...     tl.store(x + tl.arange(0, N), value)
        >>> signature = {"x": "*fp32", "value": "fp32", "N": "constexpr"}
        >>> source = triton.ASTSource(fill, signature, {"N": 8})
        >>> target = triton.compiler.GPUTarget("cuda", 90, 32)
        >>> ".target sm_90" in triton.compile(source, target=target).asm["ptx"]
        True
    """
    native_target = None
    if target is not None:
        if target.backend not in ("cpu", "cuda"):
            raise ArgumentError(f"no back end {target.backend!r}; there are: cpu, cuda")
        native_target = _native_target(target)
    options = dict(options or {})
    if options.pop("debug", None):
        options.setdefault("device_asserts", True)
    if isinstance(src, ASTSource):
        native = _C.specialize(src.fn._handle(), list(src._parameters()), options,
                                native_target)
        compiled = CompiledKernel(native, src.fn._names, src)
    else:
        source = src if isinstance(src, IRSource) else IRSource(src)
        compiled = CompiledKernel(_C.compile_ttir(source.src, str(source.path), options,
                                                  native_target), None, source)
    hooks.listen(compiled)
    return compiled


def _native_target(target):
    """A target's name, of a GPU the one that TRITON_OVERRIDE_ARCH says instead."""
    from . import knobs

    if target.backend == "cpu":
        return str(target.arch)
    chosen = knobs.runtime.override_arch
    digits = (chosen or "").removeprefix("sm").removeprefix("_")
    if chosen and not digits.rstrip("a").isdigit():
        raise ArgumentError(f"TRITON_OVERRIDE_ARCH is {chosen!r}, and must be a GPU as sm80")
    return f"cuda:{digits.rstrip('a') if chosen else target.arch}"
