"""The `jit` decorator and what it makes."""

import ast
import functools
import hashlib
import inspect
import textwrap
import types
import typing
import warnings

from . import _C
from . import language as tl
from . import _async_compile, explanation, simulation
from ._hooks import LaunchMetadata, hooks
from ._scope import Names
from ._wrapper import TensorWrapper, reinterpret
from .errors import ArgumentError, CompilationError, TritonError

__all__ = ["jit", "JITFunction", "KernelInterface", "KernelParam", "ConstexprFunction",
           "constexpr_function", "MockTensor", "TensorWrapper", "reinterpret"]


T = typing.TypeVar("T")


class KernelInterface(typing.Generic[T]):
    """Anything that `kernel[grid](...)` works on: a class that derives from it defines `run`.

    Example:
        >>> class Traced(triton.KernelInterface):
        ...     def run(self, *args, grid, warmup, **kwargs):
        ...         return grid, args
        >>> Traced()[(2, 3)]("x", "y")
        ((2, 3), ('x', 'y'))
    """

    def warmup(self, *args, grid, **kwargs):
        """Compiles for these arguments and runs nothing."""
        return self.run(*args, grid=grid, warmup=True, **kwargs)

    def run(self, *args, grid, warmup, **kwargs):
        raise NotImplementedError(f"{type(self).__name__} has no run()")

    def __getitem__(self, grid):
        return _GridCall(self, grid)


class _GridCall:
    """`kernel[grid]` of a kernel that is written in Python (autotuned, with heuristics)."""

    def __init__(self, kernel, grid):
        self.kernel = kernel
        self.grid = grid

    def __call__(self, *args, **kwargs):
        return self.kernel.run(*args, grid=self.grid, warmup=False, **kwargs)

    def simulate(self, *args, **kwargs):
        """`kernel.simulate(grid, *args, **kwargs)`."""
        return self.kernel.simulate(self.grid, *args, **kwargs)

    def explain(self, *args, **kwargs):
        """`kernel.explain(grid, *args, **kwargs)`."""
        return self.kernel.explain(self.grid, *args, **kwargs)


class KernelParam:
    """A parameter of a kernel.

    Attributes:
        num: its position, from 0.
        name: its name.
        is_constexpr: whether it is annotated `tl.constexpr`.
        is_const: whether it is annotated as a pointer that is not stored through.
        annotation: the annotation as text, or "".
        default: its default value, or `inspect.Parameter.empty`.
        do_not_specialize: whether its value is not specialised on.
        do_not_specialize_on_alignment: whether its alignment is not specialised on.
    """

    def __init__(self, num, parameter, do_not_specialize, do_not_specialize_on_alignment):
        self.num = num
        self.name = parameter.name
        annotation = parameter.annotation
        self.is_constexpr = annotation is tl.constexpr or (
            isinstance(annotation, str) and annotation.rpartition(".")[2] == "constexpr")
        if annotation is inspect.Parameter.empty:
            self.annotation = ""
        else:
            self.annotation = annotation if isinstance(annotation, str) else getattr(
                annotation, "__name__", str(annotation))
        self.default = parameter.default
        self.do_not_specialize = do_not_specialize
        self.do_not_specialize_on_alignment = do_not_specialize_on_alignment

    @property
    def has_default(self):
        return self.default is not inspect.Parameter.empty

    @property
    def is_const(self):
        return not self.is_constexpr and "const" in self.annotation

    def __repr__(self):
        return f"KernelParam({self.num}, {self.name!r})"


def _read_source(function):
    """(file, first line, column offset, dedented text) of a function's definition."""
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError) as error:
        raise TritonError(
            f"cannot find the source text of kernel '{function.__name__}'. Kernels are compiled "
            "from their text: define them in a file or in a notebook's cell, not by exec() or "
            "at the interactive prompt") from error
    text = "".join(lines)
    dedented = textwrap.dedent(text)
    offset = len(lines[0]) - len(lines[0].lstrip()) if dedented != text else 0
    return inspect.getsourcefile(function) or "<unknown>", first, offset, dedented


def _names_of(function, chosen, parameters, option):
    """The set of parameter names that a list of names and positions stands for."""
    names = set()
    for item in chosen or ():
        if isinstance(item, int) and -len(parameters) <= item < len(parameters):
            names.add(list(parameters)[item])
        elif item in parameters:
            names.add(item)
        else:  # does no harm, and lists that several kernels share have some
            warnings.warn(f"kernel '{function.__name__}': {option} names {item!r}, which is no "
                          f"parameter of it; they are: {', '.join(parameters)}", stacklevel=5)
    return names


class JITFunction(_C.KernelBase, KernelInterface):
    """A kernel, or a function that kernels call.

    `kernel[grid](*args, **kwargs)` runs it on every point of `grid` and returns when all
    have finished. `grid` is a tuple of one to three positive ints, an int, or a function of
    the dict of arguments that returns one. Keywords are parameters by name or options of the
    launch (`num_warps`, `num_stages`, ..., without effect on a CPU; `debug`).

    Arguments: arrays in host memory (NumPy with ml_dtypes, anything with
    `__array_interface__` or DLPack, torch CPU tensors) become pointers to their first
    element; ints become i32, i64 or u64, floats fp32, bools i1; None, strings, dtypes and
    tuples are compile-time values. An int that is 1, and whether 16 divides an int or an
    address, is known to the compiler, which makes a variant of the kernel for each such case.

    Returns the `CompiledKernel` that ran. Raises `ArgumentError` (a TypeError) for a missing,
    superfluous or unfit argument, `OptionError` (a KeyError) for an unknown keyword,
    `GridError` (a ValueError) for a bad grid, `CompilationError` for an error in the kernel.

    Attributes:
        fn: the Python function.
        src: its source text.
        module: the name of the module that defines it.
        signature: its `inspect.Signature`.
        arg_names: names of the parameters.
        params: the parameters, as `KernelParam`s.

    Example:
        >>> @triton.jit
        ... def scale(x, factor, N: tl.constexpr = 4):
        ...     i = tl.arange(0, N)
        ...     tl.store(x + i, tl.load(x + i) * factor)
        >>> x = np.ones(4, dtype=np.float32)
        >>> compiled = scale[(1,)](x, factor=3)
        >>> x
        array([3., 3., 3., 3.], dtype=float32)
        >>> scale.arg_names
        ['x', 'factor', 'N']
    """

    def __init__(self, fn, version=None, do_not_specialize=None,
                 do_not_specialize_on_alignment=None, debug=None, noinline=None, repr=None,
                 launch_metadata=None):
        self.fn = fn
        self.__name__ = fn.__name__
        self.__qualname__ = fn.__qualname__
        self.__doc__ = fn.__doc__
        self.__module__ = fn.__module__
        self.__wrapped__ = fn
        self.module = fn.__module__
        self.version = version
        self.debug = debug
        self.noinline = bool(noinline)
        self.launch_metadata = launch_metadata
        self._name_of = repr
        self.pre_run_hooks = []
        self.signature = inspect.signature(fn)
        parameters = self.signature.parameters
        frozen = _names_of(fn, do_not_specialize, parameters, "do_not_specialize")
        unaligned = _names_of(fn, do_not_specialize_on_alignment, parameters,
                              "do_not_specialize_on_alignment")
        self.params = [KernelParam(i, p, p.name in frozen, p.name in unaligned)
                       for i, p in enumerate(parameters.values())]
        for param in self.params:
            if param.is_constexpr and (param.do_not_specialize
                                       or param.do_not_specialize_on_alignment):
                raise ArgumentError(f"kernel '{fn.__name__}': parameter '{param.name}' is a "
                                    "constexpr and is always specialised on")
        self.arg_names = [param.name for param in self.params]
        self.constexprs = [param.num for param in self.params if param.is_constexpr]
        self._defaults = {param.name: param.default for param in self.params
                          if param.has_default}
        self._text = _read_source(fn)
        self._names = Names(self)

    @property
    def src(self):
        text = self._text[3]
        return text[text.index("def "):] if "def " in text else text

    @src.setter
    def src(self, value):
        raise AttributeError(f"kernel '{self.__name__}': its text cannot be assigned; "
                             "_unsafe_update_src(text) has the next launch compile another one")

    @property
    def raw_src(self):
        return self.src

    def _unsafe_update_src(self, text):
        """Has launches compile another text from now on: that of a function with the same
        parameters, whose lines count from the same one. Kernels that call this one and are
        compiled already stay as they are."""
        try:
            defined = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
        except SyntaxError as error:
            raise CompilationError(f"kernel '{self.__name__}': the new text is not Python: "
                                   f"{error}") from error
        names = [[arg.arg for arg in (*f.args.posonlyargs, *f.args.args, *f.args.kwonlyargs)]
                 for f in defined]
        if len(names) != 1 or names[0] != self.arg_names or defined[0].name != self.__name__:
            raise ArgumentError(f"kernel '{self.__name__}': the new text must define one function "
                                f"of this name with the parameters {', '.join(self.arg_names)}")
        file, line, offset, old = self._text
        # Decorators are not part of `src`; they keep the lines where they are.
        above = old[:old.index("def ")] if "def " in old else ""
        self._text = (file, line, offset, above + text[text.index("def "):])
        self._forget()

    @property
    def starting_line_number(self):
        return self._text[1]

    @property
    def cache_key(self):
        """A hash of the kernel's own text and place."""
        return hashlib.sha256(repr(self._text).encode()).hexdigest()

    def _kernel_source(self, names):
        file, line, offset, text = self._text
        return (self.fn.__name__, file, line, offset, text, self.noinline, self.fn,
                names.function(self.fn))

    def _prepare(self):
        """What the native side needs to make the kernel."""
        frozen = tuple(p.name for p in self.params if p.do_not_specialize)
        unaligned = tuple(p.name for p in self.params if p.do_not_specialize_on_alignment)
        debug = 0 if self.debug is None else (1 if self.debug else -1)
        return self._kernel_source(self._names), frozen, unaligned, debug

    def add_pre_run_hook(self, hook):
        """`hook(*args, **kwargs)` is called before each launch."""
        self.pre_run_hooks.append(hook)
        self.__class__ = _HookedFunction

    def run(self, *args, grid, warmup=False, **kwargs):
        """`kernel[grid](*args, **kwargs)`; with `warmup`, compiles only: under an
        `AsyncCompileMode` in its executor, and the result is a `FutureKernel`."""
        for hook in self.pre_run_hooks:
            hook(*args, **kwargs)
        if warmup:
            named = dict(zip(self.arg_names, args)) | kwargs if len(args) <= len(
                self.params) else kwargs
            for param in self.params:
                if param.name in named and not param.is_constexpr:
                    named[param.name] = MockTensor.wrap_dtype(named[param.name])
            compile = functools.partial(self._compile_and_tell, args[len(self.params):], named)
            mode = _async_compile.active_mode.get()
            return compile() if mode is None else mode.submit(compile)
        if hooks.are_there():
            return self._launch_between_hooks(grid, args, kwargs)
        return _C.KernelBase.__getitem__(self, grid)(*args, **kwargs)

    def _compile_and_tell(self, args, kwargs):
        compiled = self._compile(*args, **kwargs)
        hooks.meet(self, compiled, is_warmup=True)
        return compiled

    def _launch_between_hooks(self, grid, args, kwargs):
        from .runtime import driver

        compiled = self._compile(*args, **kwargs)
        if not hooks.meet(self, compiled, is_warmup=False):
            return None
        named = {**self._defaults, **dict(zip(self.arg_names, args)),
                 **{name: value for name, value in kwargs.items() if name in self.arg_names}}
        dims = grid(named) if callable(grid) else grid
        told = LaunchMetadata({"name": compiled.name, "function": compiled,
                               "stream": driver.active.get_current_stream()})
        if self.launch_metadata:
            told.add(self.launch_metadata, (dims, compiled.metadata, named))
        launch = hooks.loading(compiled, _C.KernelBase.__getitem__(self, dims))
        return hooks.around(told, launch, args, kwargs)

    def simulate(self, grid, /, *args, **kwargs):
        """Runs the kernel on a simulated GPU, where every access is checked and counted.

        The arrays change as by `kernel[grid](*args, **kwargs)`. Keywords of its own, unless the
        kernel has a parameter of that name:

        Args:
            arch: "sm_75", "sm_80" (which is also the default), "sm_86", "sm_89" or "sm_90".
            checks: "races", "undefined" or both in a list; None or True: all; False: neither.
                Accesses, barriers and lanes are always checked.
            seed: not 0: warps and programs take turns at random, by this seed, so that a race
                changes results.
            step_limit: warp instructions before the launch is given up; 0: 2000000000.

        Returns a `tritium.simulation.Simulation` with counters of the kernel and of each source
        line. Raises `SimulatorError` for a fault that the checks find, `OptionError` for an
        unknown architecture or check, and what a launch raises.
        """
        own = simulation.take_options(kwargs, self.arg_names)
        return simulation.run(self._candidate(grid, args, kwargs), **own)

    def explain(self, grid, /, *args, **kwargs):
        """Says what became of each line of the kernel, what it costs, and what would help.

        The launch is counted on a simulated GPU; the arrays, which are on the host, are as before
        afterwards. Keywords of its own, unless the kernel has a parameter of that name:

        Args:
            target: "cuda:90" (which is also the default) and other compute capabilities, "cpu" or
                LLVM's name of a CPU; None: where the launch would run. What is not a GPU's, and
                arrays on a GPU, are explained without counts.
            keep_options: True: no other options and promises are tried.
            gpu: "H100" or "H200", whose time is estimated, also of code for older GPUs; None: the
                newest of the target.

        Returns a `tritium.explanation.Explanation`. Raises what a launch raises.
        """
        own = explanation.take_options(kwargs, self.arg_names)
        named = {**self._defaults, **dict(zip(self.arg_names, args)), **kwargs}

        def grid_for(constants):
            dims = grid({**named, **constants})
            return [dims] if isinstance(dims, int) else list(dims)

        return explanation.run(self._candidate(grid, args, kwargs),
                               grid_for if callable(grid) else None, **own)

    def warmup(self, *args, grid=None, **kwargs):
        """Compiles for these arguments and runs nothing. A dtype stands for an array of it."""
        return self.run(*args, grid=grid, warmup=True, **kwargs)

    def __call__(self, *args, **kwargs):
        raise RuntimeError(f"'{self.__name__}' is a kernel: launch it as "
                           f"{self.__name__}[grid](...), or call it from another kernel")

    def __repr__(self):
        return f"JITFunction({self.__module__}:{self.__qualname__})"


class _HookedFunction(JITFunction):
    """A kernel that has a hook: its launches go through Python."""

    __getitem__ = KernelInterface.__getitem__


hooks.through(JITFunction, KernelInterface.__getitem__)


def jit(fn=None, *, version=None, repr=None, launch_metadata=None, do_not_specialize=None,
        do_not_specialize_on_alignment=None, debug=None, noinline=None):
    """Makes a kernel of a function: `@jit` or `@jit(...)`.

    Args:
        fn: the function. Its text is compiled; it never runs as Python.
        version: kept, without effect.
        repr: a function of a specialisation (with `constants` and `signature`, both dicts by
            parameter) that returns the name which `CompiledKernel.name` is and hooks are told.
        launch_metadata: a function of the grid, the kernel's metadata and the dict of arguments,
            whose dict hooks are told with the rest (`knobs.runtime.launch_enter_hook`).
        do_not_specialize: names or positions of parameters whose values the compiler may not
            know (no special case for 1, none for multiples of 16).
        do_not_specialize_on_alignment: the same for multiples of 16 only.
        debug: whether `device_assert` and hints are checked; None: as TRITON_DEBUG says.
        noinline: taken, and changes nothing, as a remark says: calls are compiled into the
            caller.

    Returns a `JITFunction`. Raises `TritonError` if the function's source text cannot be
    found; warns of an option that names no parameter.

    Example:
        >>> @triton.jit
        ... def add_one(x, out, n, BLOCK: tl.constexpr):
        ...     i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        ...     tl.store(out + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)
        >>> x, out = np.arange(5), np.zeros(5, dtype=np.int64)
        >>> compiled = add_one[(triton.cdiv(5, 4),)](x, out, 5, BLOCK=4)
        >>> out
        array([1, 2, 3, 4, 5])
    """

    def decorate(function):
        if not inspect.isfunction(function):
            raise ArgumentError(f"@jit needs a function, but got {type(function).__qualname__}")
        return JITFunction(function, version=version, repr=repr,
                           launch_metadata=launch_metadata, do_not_specialize=do_not_specialize,
                           do_not_specialize_on_alignment=do_not_specialize_on_alignment,
                           debug=debug, noinline=noinline)

    return decorate if fn is None else decorate(fn)


class ConstexprFunction:
    """What `constexpr_function` makes.

    Attributes:
        fn: the Python function.
        src: its source text.
    """

    _constexpr_function = True  # what the compiler tells it by

    def __init__(self, fn):
        functools.update_wrapper(self, fn)
        self.fn = fn

    @property
    def src(self):
        text = _read_source(self.fn)[3]
        return text[text.index("def "):]

    def __call__(self, *args, **kwargs):
        plain = [a.value if isinstance(a, tl.constexpr) else a for a in args]
        named = {k: v.value if isinstance(v, tl.constexpr) else v for k, v in kwargs.items()}
        return self.fn(*plain, **named)

    def __get__(self, holder, owner=None):
        return self if holder is None else types.MethodType(self, holder)


def constexpr_function(fn):
    """A function over compile-time values that both the host and kernels may call.

    In a kernel it runs while compiling: all arguments must be compile-time values (they
    arrive as plain Python values) and so must the result.

    Example:
        >>> @triton.constexpr_function
        ... def halves(n):
        ...     return [n >> i for i in range(n.bit_length())]
        >>> @triton.jit
        ... def kernel(out):
        ...     tl.store(out, len(halves(100)))
        >>> out = np.zeros(1, dtype=np.int32)
        >>> compiled = kernel[(1,)](out)
        >>> out
        array([7], dtype=int32)
    """
    return ConstexprFunction(fn)


class MockTensor:
    """Stands for an array in `warmup`: it has an element type and no memory.

    Args:
        dtype: a `tl.dtype` or a torch.dtype.
        shape: kept, without effect.

    Example:
        >>> @triton.jit
        ... def kernel(x):
        ...     tl.store(x, 1)
        >>> compiled = kernel.warmup(triton.MockTensor(tl.float16), grid=(1,))
        >>> compiled.name
        'kernel'
    """

    def __init__(self, dtype, shape=None):
        self.dtype = dtype
        self.shape = shape or [1]

    @staticmethod
    def wrap_dtype(argument):
        """A MockTensor for an element type, `argument` itself for anything else."""
        is_type = isinstance(argument, tl.dtype) or str(type(argument)) == "<class 'torch.dtype'>"
        return MockTensor(argument) if is_type else argument

    @staticmethod
    def data_ptr():
        return 0
