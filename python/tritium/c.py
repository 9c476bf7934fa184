"""Kernels in Triton-C: C with tiles, macros, and lists of values to tune over.

    import tritium

    add = tritium.c.kernel('''
    __global__ void add(float *x, float *y, float *out, int n) {
      int i[SIZE] = get_program_id(0) * SIZE + 0 ... SIZE;
      bool inside[SIZE] = i < n;
      *?(inside)(out + i) = *?(inside)(x + i) + *?(inside)(y + i);
    }''', defines={"SIZE": [256, 1024, 4096]})
    add(x, y, out, n, grid=lambda opt: (-(-n // opt.SIZE),))
"""

import os
import re
import sys
import warnings

from . import _C
from . import language as tl
from . import simulation
from ._arguments import _SIGNATURES
from .errors import ArgumentError, GridError, OptionError

__all__ = ["kernel", "config", "read", "Kernel", "Options"]

_TYPE_NAMES = {
    "i1": "bool", "i8": "char", "i16": "short", "i32": "int", "i64": "long",
    "u8": "unsigned char", "u16": "unsigned short", "u32": "unsigned int", "u64": "unsigned long",
    "fp16": "half", "bf16": "bfloat16", "fp32": "float", "fp64": "double",
}
_INTEGER = re.compile(r"\s*[+-]?\s*(0[xX][0-9a-fA-F]+|[0-9]+)[uUlL]{0,3}\s*")


def _type_name(value):
    """C's name of an element type of NumPy, torch or tl; None if `value` is none."""
    numpy = sys.modules.get("numpy")
    if isinstance(value, tl.dtype):
        signature = value.signature
    elif numpy is not None and (isinstance(value, numpy.dtype) or (
            isinstance(value, type) and issubclass(value, numpy.generic))):
        signature = _SIGNATURES.get(numpy.dtype(value).name)
    elif str(type(value)) == "<class 'torch.dtype'>":
        signature = _SIGNATURES.get(str(value).rpartition(".")[2])
    else:
        return None
    if signature not in _TYPE_NAMES:
        raise ArgumentError(f"Triton-C has no type for {value}")
    return _TYPE_NAMES[signature]


def _text(name, value):
    """A macro's text for a host value."""
    if isinstance(value, tl.constexpr):
        value = value.value
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        return "1" if value else "0"
    if isinstance(value, (str, int)):
        return str(value)
    if isinstance(value, float):
        return repr(float(value))
    type_name = _type_name(value)
    if type_name is not None:
        return type_name
    if value is None or isinstance(value, (tuple, list, dict, set, type)):
        raise ArgumentError(f"macro '{name}' cannot be {value!r}; give text, a number, a bool, an "
                            "element type, or a list of these to tune over")
    return str(value)


def _definitions(defines):
    """[(name, [texts])] of a dict of host values."""
    return [(str(name), [_text(name, item) for item in value] if isinstance(value, list)
             else [_text(name, value)]) for name, value in (defines or {}).items()]


def _integer_or_text(text):
    if not _INTEGER.fullmatch(text):
        return text
    digits = text.replace(" ", "").rstrip("uUlL")
    sign = -1 if digits.startswith("-") else 1
    digits = digits.lstrip("+-")
    octal = len(digits) > 1 and digits[0] == "0" and digits.isdigit()
    return sign * int(digits, 8 if octal else 0)


class Options:
    """The options that a launch chose: `opt.TM`, `opt["TM"]` and `opt.d("TM")` are the value
    of the macro TM, an int where its text is one. `opt.num_warps` is there, too."""

    def __init__(self, lookup, names):
        self._lookup = lookup
        self._names = names

    def _get(self, name, error):
        text = self._lookup(name)
        if text is None:
            raise error(f"the grid asks for '{name}', which no option defines; there are: "
                        + ", ".join(self._names))
        return _integer_or_text(text)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self._get(name, _MissingOption)

    def __getitem__(self, name):
        return self._get(name, OptionError)

    def d(self, name):
        """The value of a macro."""
        return self._get(name, OptionError)

    D = d

    def __repr__(self):
        values = {name: self._lookup(name) for name in self._names}
        return "Options(" + ", ".join(f"{k}={v}" for k, v in values.items()) + ")"


class _MissingOption(OptionError, AttributeError):
    __str__ = OptionError.__str__


class config:
    """One configuration to try: macros, and the number of warps.

    Args:
        defines: a dict, macro -> value; these replace the kernel's of the same name.
        num_warps: the option of the launch; None: as the kernel says.

    Example:
        >>> triton.config({"SIZE": 64}, num_warps=8).num_warps
        8
    """

    def __init__(self, defines=None, num_warps=None):
        self.defines = dict(defines or {})
        self.num_warps = num_warps

    def __repr__(self):
        return f"config(defines={self.defines}, num_warps={self.num_warps})"


class _Source(str):
    """A file's text that knows where it is from, and the kernels that were asked for."""

    file = None
    kernel_names = ()


def read(path, kernel_names=()):
    """The text of a file for `kernel`. The first of `kernel_names` is the kernel that it
    makes; the whole file is kept, so that its macros and helpers are there.

    Example:
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "one.tc"
        >>> count = path.write_text("__global__ void one(int *x) { *x = 1; }")
        >>> one = triton.kernel(triton.read(path))
        >>> x = np.zeros(1, dtype=np.int32)
        >>> compiled = one(x, grid=(1,))
        >>> x
        array([1], dtype=int32)
    """
    with open(path, encoding="utf-8") as file:
        source = _Source(file.read())
    source.file = os.fspath(path)
    source.kernel_names = tuple(kernel_names)
    return source


def _is_path(source):
    return isinstance(source, os.PathLike) or not (
        isinstance(source, _Source) or any(c in source for c in "\n{;"))


class Kernel:
    """A Triton-C kernel with its definitions. See `kernel`.

    Attributes:
        name: the kernel's name.
        parameters: (name, type) of its parameters, in order.
        choices: what the lists make: a label for each combination, "TM=64, num_warps=4".
        best: the label of the last launch's choice.
        timings: label -> [least, 20 % quantile, 80 % quantile] in ms, of the last tuning.
        dropped: label -> why the choice could not be used, of the last tuning.
        source: where the last choice came from: "measured", "recorded" (on disk), "first"
            (TRITIUM_TUNING, the interpreter, a grid with a zero), None (there is one choice).
    """

    def __init__(self, source, defines=None, num_warps=4, name=None, include_paths=(),
                 configs=(), key=(), constants=None):
        if not isinstance(source, (str, os.PathLike)):
            raise ArgumentError(f"a kernel's source is text or a path, not a "
                                f"{type(source).__qualname__}")
        is_path = _is_path(source)
        file = os.fspath(source) if is_path else getattr(source, "file", None) or "<text>"
        if name is None and getattr(source, "kernel_names", ()):
            name = source.kernel_names[0]
        self.defines = dict(defines or {})
        warps = list(num_warps) if isinstance(num_warps, (list, tuple)) else [num_warps]
        for count in warps:
            if isinstance(count, bool) or not isinstance(count, int):
                raise OptionError(f"num_warps must be an int or a list of ints, not {count!r}")
        sets = [(_definitions(c.defines), c.num_warps or 0) for c in configs]
        self._names = [*dict.fromkeys([*self.defines, *(n for c in configs for n in c.defines)]),
                       "num_warps"]
        self._program = _C.Program(None if is_path else str(source), file, name,
                                   _definitions(self.defines),
                                   [os.fspath(path) for path in include_paths], warps, sets,
                                   list(key))
        self.name = self.__name__ = self._program.name()
        self.parameters = self._program.parameters()
        self.choices = self._program.choices()
        self.best, self.timings, self.dropped, self.source = None, {}, {}, None
        for table, content in (constants or {}).items():
            self.fill(table, content)

    def fill(self, table, content):
        """Gives a table in constant memory (`char __constant__* NAME = calloc(n)`) its
        content, an array or bytes, for the launches that follow."""
        data = content.tobytes() if hasattr(content, "tobytes") else bytes(content)
        self._program.fill_table(table, data)

    def _dims(self, grid):
        dims = [grid] if isinstance(grid, int) else grid
        if not isinstance(dims, (tuple, list)) or not 1 <= len(dims) <= 3:
            raise GridError(f"kernel '{self.name}': the grid {grid!r} must be one to three ints")
        result = []
        for dim in dims:
            try:
                result.append(dim.__index__())
            except (AttributeError, TypeError):
                raise GridError(f"kernel '{self.name}': the grid {grid!r} is not made of "
                                "ints") from None
            if not 0 <= result[-1] < 2 ** 31:
                raise GridError(f"kernel '{self.name}': the grid {grid!r} must have dimensions "
                                "from 0 to 2147483647")
        return result

    def _grid(self, grid):
        """The function that computes the grid from the chosen options."""
        if callable(grid):
            return lambda chosen: self._dims(grid(Options(chosen.text, self._names)))
        fixed = self._dims(grid)
        return lambda chosen: fixed

    def __call__(self, *args, grid, device=None, **options):
        """Runs the kernel on every point of `grid`, a tuple of one to three ints or a function
        of the chosen options that returns one.

        Args:
            args: one for each parameter: numbers, arrays; for pointers also an address
                (`array.ctypes.data`, `tensor.data_ptr()`), 0 or None.
            device: taken, without effect.
            options: options of a launch, such as num_warps or debug.

        Returns the `CompiledKernel` that ran.
        """
        choice, compiled, tuning, warning = self._program.launch(args, options, self._grid(grid))
        self.best = self.choices[choice]
        if warning:
            warnings.warn(warning, stacklevel=2)
        if tuning is not None:
            self.source, timings, note = tuning
            known = dict(zip(self.choices, timings))
            self.timings = {c: t for c, t in known.items() if isinstance(t, list)}
            self.dropped = {c: t for c, t in known.items() if isinstance(t, str)}
            if note:
                warnings.warn(f"tuning of kernel '{self.name}': {note}", stacklevel=2)
        return compiled

    def simulate(self, *args, grid, **options):
        """Runs the kernel on a simulated GPU: a call, with the keywords `arch`, `checks`, `seed`
        and `step_limit` of `tritium.JITFunction.simulate` besides, and what that returns and
        raises. Of several choices it takes the one that was made for these arguments, or else
        the first: nothing is measured. `best` is that choice afterwards."""
        own = simulation.native_options(**simulation.take_options(options))
        choice, text, encoded = self._program.simulate(args, options, self._grid(grid), *own)
        self.best = self.choices[choice]
        return simulation.Simulation(text, encoded)

    def option(self, name):
        """The value of a macro, or of num_warps, under the last launch's choice."""
        choice = self.choices.index(self.best) if self.best is not None else 0
        text = self._program.value(choice, name)
        if text is None:
            raise OptionError(f"kernel '{self.name}' has no option '{name}'")
        return _integer_or_text(text)

    def __repr__(self):
        return f"tritium.c.Kernel({self.name})"


def kernel(source, device=None, *, defines=None, num_warps=4, name=None, include_paths=(),
           configs=(), key=(), constants=None, autotune_configs=(), autotune_vals=(),
           autotune_key=()):
    """Makes a kernel of Triton-C text or of a file.

    Args:
        source: the text, or the path of a file (a string without line breaks, braces and
            semicolons, or a path object), or what `read` returned.
        device: taken, without effect.
        defines: a dict, macro -> value; the first launch warns of one that neither the text nor
            the grid looks at. A value is text, a number, a bool (1 or 0), an element type of
            NumPy, torch or tl (`half`, `float`, ...), or a list of these. Of lists every
            combination is tried on the first launch with a new key, and the fastest kept
            (as `tritium.autotune` does; the times stay on disk).
        num_warps: the option of the launch, or a list of values to try.
        name: which kernel of the text; None: its first.
        include_paths: where `#include` looks.
        configs (autotune_configs, autotune_vals): a list of `config`s to try.
        key (autotune_key): names of the parameters whose values choose anew. By default
            those that are marked `__retune`, or, if there are none, all integers.
        constants: a dict, constant table -> its content; see `Kernel.fill`.

    Returns a `Kernel`: `k(*args, grid=...)`. Raises `CompilationError` for an error in the
    text, `OptionError` for a value that is no macro's.

    Example:
        >>> double = triton.kernel('''
        ... __global__ void twice(float *x, int n) {
        ...   int i[SIZE] = get_program_id(0) * SIZE + 0 ... SIZE;
        ...   bool inside[SIZE] = i < n;
        ...   float *p[SIZE] = x + i;
        ...   *?(inside)p = 2 * *?(inside)p;
        ... }
        ... ''', defines={"SIZE": 64})
        >>> x = np.ones(3, dtype=np.float32)
        >>> compiled = double(x, 3, grid=(1,))
        >>> x
        array([2., 2., 2.], dtype=float32)
    """
    return Kernel(source, defines, num_warps, name, include_paths,
                  configs or autotune_configs or autotune_vals, key or autotune_key, constants)
