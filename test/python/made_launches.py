"""Launches of explain_launches.py as Python makes them, on arrays of torch, which a GPU runs, or of
NumPy."""

import importlib.util
import sys

import numpy as np
from explaining import ROOT, explained

import tritium
from tritium.tools.tensor_descriptor import TensorDescriptor

sys.path[:0] = [str(ROOT / folder) for folder in ("test/integration", "examples")]

TYPES = {"fp16": "float16", "fp32": "float32", "i8": "int8", "u8": "uint8", "i32": "int32",
         "i64": "int64", "fp8e5": "float8_e5m2", "fp8e4nv": "float8_e4m3fn"}


def number(text):
    """A number; else the text."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return {"True": True, "False": False}.get(text, text)


def pairs(text):
    return dict(item.split("=", 1) for item in text.split())


def parts(text):
    """Those between commas that are in no brackets."""
    depth, made = 0, [""]
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            made.append("")
        else:
            made[-1] += letter
    return made


def numpy_array(kind, shape, fill):
    import ml_dtypes

    name = TYPES[kind]
    dtype = np.dtype(getattr(ml_dtypes, name) if name.startswith("float8") else name)
    random = np.random.default_rng(0)
    if fill == "iota":
        return np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    if fill.isdigit():
        return np.full(shape, int(fill), dtype)
    if fill == "random" and dtype.kind in "iu":
        return random.integers(0, 100, shape).astype(dtype)
    return (random.random(shape, np.float32) * 2 - 1).astype(dtype)


def torch_array(kind, shape, fill):
    import torch

    dtype = getattr(torch, TYPES[kind])
    if fill == "iota":
        return torch.arange(*shape, device="cuda").to(dtype)
    if fill.isdigit():
        return torch.full(shape, int(fill), device="cuda", dtype=dtype)
    if fill == "random" and not dtype.is_floating_point:
        return torch.randint(0, 100, shape, device="cuda").to(dtype)
    return (torch.rand(shape, device="cuda") * 2 - 1).to(dtype)


class MadeLaunch:
    """A row as a launch from Python; texts as the command takes them.

    Attributes:
        kernel: a `JITFunction`, or a kernel of Triton-C.
        types: of the arguments, by name, as the row's signature has them.
        arguments, constants, options: by name.
        grid: a tuple.
    """

    def __init__(self, row, array):
        """`array`: torch_array or numpy_array."""
        self.row = row
        self.constants, self.options = ({name: number(text) for name, text in pairs(each).items()}
                                        for each in (row.constants, row.options))
        names, self.kernel = self.read()
        given = pairs(row.arguments)
        names = [name for name in names if name in given]
        self.types = dict(zip(names, row.signature.split(","), strict=True))
        self.numbers = dict(self.constants)
        self.reached = []
        self.numbers |= {name: number(given[name]) for name in names
                         if self.types[name][0] not in "*@"}
        self.arguments = {name: self.argument(name, given[name], array) for name in names}
        # What the signature does not promise is not to be found out, either.
        free = [name for name in names if self.types[name][0] != "@" and
                not self.types[name].endswith(":16") and self.types[name] != "fp32"]
        if free and not row.is_triton_c:
            self.kernel = tritium.jit(self.kernel.fn, do_not_specialize=free)
        self.grid = tuple(int(self.value(extent)) for extent in parts(row.grid))

    def read(self):
        """Names of the parameters, and the kernel."""
        file, name = self.row.file, self.row.kernel.split()[1]
        if self.row.is_triton_c:
            kernel = tritium.c.kernel(str(file), defines=self.constants,
                                      num_warps=self.options.get("num_warps", 4), name=name)
            return [each for each, _ in kernel.parameters], kernel
        spec = importlib.util.spec_from_file_location(file.stem, file)
        module = sys.modules.setdefault(file.stem, importlib.util.module_from_spec(spec))
        if name not in vars(module):
            spec.loader.exec_module(module)
        kernel = getattr(module, name)
        while not isinstance(kernel, tritium.JITFunction):  # what tunes it
            kernel = kernel.fn
        return kernel.arg_names, kernel

    def value(self, text):
        known = {"cdiv": lambda a, b: -(-a // b), **self.numbers}
        return eval(text.replace("/", "//"), {}, known)  # noqa: S307: our own table

    def argument(self, name, text, array):
        kind = self.types[name].split(":")[0]
        default = "random" if kind[1:].startswith("fp") else "0"
        if kind[0] == "*":
            count, _, fill = text.partition(":")
            if fill.startswith("addresses:"):
                return self.addresses(int(self.value(count)), *fill.split(":")[1:], array)
            fill = {"ones": "1", "zeros": "0", "": default}.get(fill, fill)
            return array(kind[1:], (int(self.value(count)),), fill)
        if kind[0] == "@":
            shape, block, *fill = text.split(":")
            extents, block = ([int(self.value(each)) for each in parts(text)]
                              for text in (shape, block))
            made = array(kind[1:], tuple(extents), fill[0] if fill else default)
            return TensorDescriptor.from_tensor(made, block)
        return self.numbers[name]

    def addresses(self, count, kind, numbers, array):
        """An array of addresses of others, which live as long as the launch."""
        others = [array(kind, (int(self.value(numbers)),), "random") for _ in range(count)]
        self.reached += others
        made = array("i64", (count,), "0")
        for i, other in enumerate(others):
            made[i] = other.ctypes.data if isinstance(other, np.ndarray) else other.data_ptr()
        return made

    def __call__(self):
        if self.row.is_triton_c:
            return self.kernel(*self.arguments.values(), grid=self.grid)
        return self.kernel[self.grid](**self.arguments, **self.constants, **self.options)


def model_of(row, *options, target=None):
    """What `tritium explain` says of the time of a row's launch. Options are those of the command:
    of rows that Python launches --gpu alone."""
    if not row.is_of_python:
        return explained(*row.arguments_of_the_command(target), "--keep-options",
                         *options)["model"]
    launch = MadeLaunch(row, numpy_array)
    given = dict(zip(options[::2], options[1::2], strict=True))
    made = launch.kernel.explain(launch.grid, **launch.arguments, **launch.constants,
                                 **launch.options, target=target or row.target, keep_options=True,
                                 gpu=given.pop("--gpu", None))
    assert not given
    return made.json["model"]
