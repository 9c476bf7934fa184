"""Where Triton's names are: its modules at other addresses, and what it has that is not here.

Programs import a name from the module that Triton keeps it in, or kept it in some versions ago.
Such an address stands for the module here that has the names: the same module, so that a program
that replaces a function there replaces it everywhere.
"""

import importlib
import sys
import types

# Address -> the module that it stands for, both without "tritium.".
HOMES = {
    "language.core": "language",
    "language.libdevice": "language.extra.libdevice",
    "language.extra.cuda.libdevice": "language.extra.libdevice",
    "runtime.jit": "jit",
    "runtime.autotuner": "tune",
    "runtime.errors": "errors",
    "runtime._allocation": "_allocation",
    "runtime._async_compile": "_async_compile",
    "compiler.compiler": "compiler",
    "compiler.errors": "errors",
    "backends.compiler": "backends",
    "backends.driver": "runtime.driver",
    "backends.nvidia": "backends",
    "backends.nvidia.compiler": "backends",
    "backends.nvidia.driver": "runtime.driver",
}

_GLUON = ("Gluon is not there; write the kernel in triton.language, whose compiler chooses "
          "layouts itself")
_BUILDERS = ("the front end is no Python code that could be called or extended; write a kernel "
             "function, @triton.jit, or one of compile-time values, @triton.constexpr_function")
_OTHER_DEVICES = ("there is no back end for such devices; triton.language.extra.libdevice has the "
                  "same functions on every back end")
_CUSTOM_FLOAT8 = "x.to(dtype) converts between all element types, tl.float8e4b15 too"
_INSIDE = ("a kernel has no marks inside; kernel.simulate() counts what it does line by line")
_LAUNCHERS = ("kernels are launched by the compiled extension alone; kernel[grid](...), or the C "
              "interface of docs/ahead.md")

# What Triton has at these addresses (and below them), and why it is not here or what to use.
ABSENT = {
    "experimental": _GLUON,
    "profiler.language": _INSIDE, "profiler.mode": _INSIDE,
    "profiler.specs": "triton.testing.get_max_tensorcore_tflops, get_dram_gbps",
    "ops": "Triton's own versions since 3.0 have no triton.ops; examples/ has such kernels",
    "_C.libtriton": _BUILDERS,
    "_utils": "it is internal to Triton",
    "_internal_testing": "it is internal to Triton's tests",
    "compiler.code_generator": _BUILDERS + "; triton.compile(...).asm['ttir'] is its result",
    "compiler.AttrsDescriptor": "it left Triton with 3.3; ASTSource takes a dict, position -> "
                                "[['tt.divisibility', 16]]",
    "compiler.LazyDict": "CompiledKernel.asm is the mapping of a kernel's stages",
    "runtime.interpreter": "the interpreter is part of the compiler, and no Python code that could "
                           "be changed; TRITON_INTERPRET=1 has kernels interpreted",
    "runtime.jit.DependenciesFinder": "JITFunction.cache_key tells a kernel from others; the "
                                      "compiler itself follows what it uses",
    "runtime.jit.mangle_type": "signatures are spelt as in ASTSource: '*fp32', 'i32', 'constexpr'",
    "runtime.driver.GPUDriver": _LAUNCHERS,
    "runtime.driver.DriverBase": _LAUNCHERS,
    "language.builtin": _BUILDERS,
    "language.base_type": _BUILDERS,
    "language.base_value": _BUILDERS,
    "language.semantic": _BUILDERS,
    "language.extra.hip": _OTHER_DEVICES,
    "language.extra.intel": _OTHER_DEVICES,
    "language.extra.cpu": _OTHER_DEVICES,
    "language.extra.ascend": _OTHER_DEVICES,
    "language.extra.cann": _OTHER_DEVICES,
    "language.extra.mlu": _OTHER_DEVICES,
    "language.extra.xpu": _OTHER_DEVICES,
    "language.extra.cuda.convert_custom_float8_sm70": _CUSTOM_FLOAT8,
    "language.extra.cuda.convert_custom_float8_sm80": _CUSTOM_FLOAT8,
    "backends.amd": _OTHER_DEVICES,
    "backends.ascend": _OTHER_DEVICES,
    "backends.intel": _OTHER_DEVICES,
    "backends.mlu": _OTHER_DEVICES,
    "tools.compile": "`tritium compile --help`: kernels compiled ahead, with a C header",
    "tools.link": "the headers of `tritium compile` check whether a launch fits; call the one "
                  "that does",
    "tools.build_extern": "libraries of device code cannot be linked",
    "tools.triton_to_gluon_translator": _GLUON,
}
# Modules that can be imported although nothing of theirs is here.
_EMPTY = ("language.semantic",)


def own_path(module):
    """The path under tritium of a module of this package, which may be named as Triton's
    (_alias.py); None of another module."""
    first, _, rest = module.__name__.partition(".")
    path = f"tritium.{rest}" if rest else "tritium"
    return path if first in ("tritium", "triton") and sys.modules.get(path) is module else None


def _reason(module, name):
    """Why `module` of this package has no `name` that Triton's has; None if that has none."""
    own = module.partition(".")[2]
    addresses = [own, *(address for address, home in HOMES.items() if home == own)]
    for address in addresses:
        path = f"{address}.{name}".lstrip(".")
        while path:
            if path in ABSENT:
                return ABSENT[path]
            path = path.rpartition(".")[0]
    return None


def explain(module, name):
    """The text of the error where `module` has no `name`."""
    reason = _reason(module, name)
    text = f"module '{module}' has no '{name}'"
    return f"{text}: {reason}" if reason else text


def asks_only():
    """Whether the caller, a finder, was called by importlib.util.find_spec, which asks for a module
    and does not import it."""
    frame = sys._getframe(2)
    while frame is not None and frame.f_globals.get("__name__") == "importlib._bootstrap":
        frame = frame.f_back
    return frame is not None and frame.f_globals.get("__name__") == "importlib.util"


class _Refusal:
    """Says why there is no such module, after all others have been asked for it."""

    def find_spec(self, name, path=None, target=None):
        parent, _, last = name.rpartition(".")
        if parent.partition(".")[0] != "tritium":
            return None
        reason = _reason(parent, last)
        if reason is None or asks_only():
            return None
        # With a name the import system would drop this error, and its text, where the module was
        # looked for on behalf of `from parent import last`.
        raise ModuleNotFoundError(f"no '{last}' in '{parent}': {reason}")


def _missing(module):
    def getter(name):
        raise AttributeError(explain(module.__name__, name))

    return getter


def _prepare(module):
    """Has `module` say why it has no name that Triton's has."""
    module.__dict__.setdefault("__getattr__", _missing(module))
    # `from module import name` asks the finders for a name that is not there.
    module.__dict__.setdefault("__path__", [])


def _place(address, module):
    sys.modules[f"tritium.{address}"] = module
    parent, _, last = address.rpartition(".")
    setattr(sys.modules[f"tritium.{parent}"], last, module)
    _prepare(module)


def install():
    """Has the addresses answered from now on."""
    for address in _EMPTY:
        _place(address, types.ModuleType(f"tritium.{address}", ABSENT[address]))
    for address, home in HOMES.items():
        _place(address, importlib.import_module(f"tritium.{home}"))
    for address in ABSENT:
        for path in (f"tritium.{address}", f"tritium.{address}".rpartition(".")[0]):
            if path in sys.modules:
                _prepare(sys.modules[path])
    sys.meta_path.append(_Refusal())
