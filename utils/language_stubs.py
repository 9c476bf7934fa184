"""The stubs of the Python package, which editors and type checkers read: `stubs()`.

Names and signatures are those of the modules. Types come from the names of parameters, which mean
the same in all functions of the language. Modules of the host that are plain Python need no stubs.
"""

import importlib
import inspect
import sys
import types as python_types

import tritium as triton
import tritium.language as tl
import tritium.language.standard
from tritium.language._builtin import Builtin

# The package has lists of names by these names.
_control, _descriptor, _extern, _memory, _reduction, _shape, types = (
    importlib.import_module(f"tritium.language.{name}") for name in
    ("_control", "_descriptor", "_extern", "_memory", "_reduction", "_shape", "types"))

_INT = ("axis dim start end num_bins k pack n_rounds size_g major minor bitwidth address_space "
        "c0 c1 c2 c3 k0 k1 seed")
_BOOL = ("keep_dims return_indices return_indices_tie_break_left tie_break_left reverse descending "
         "hex volatile can_reorder bitcast allow_tf32 fast_math lhs_k_pack rhs_k_pack is_pure "
         "sanitize_overflow ieee_rounding const flush disable_licm disallow_acc_multi_buffer "
         "flatten warp_specialize signed")
_STR = ("cache_modifier eviction_policy padding_option sem scope input_precision lhs_format "
        "rhs_format msg prefix sep asm constraints fp_downcast_rounding lib_name lib_path")
_SEQUENCE = "strides offsets block_shape order boundary_check"
_CALLABLE = "combine_fn scalar_fn"
PARAMETERS = {
    **dict.fromkeys(_INT.split(), "_Value"), **dict.fromkeys(_BOOL.split(), "_Bool"),
    **dict.fromkeys(_STR.split(), "_Str"), **dict.fromkeys(_SEQUENCE.split(), "Sequence[Any]"),
    **dict.fromkeys(_CALLABLE.split(), "Callable[..., Any]"),
    "dtype": "_DType", "out_dtype": "_DType", "desc": "tensor_descriptor", "element_ty": "dtype",
    "propagate_nan": "PropagateNan", "max_num_imprecise_acc": "_Value",
}
# Of a parameter that means something else in one function, and results that are no tile.
EXCEPTIONS = {("static_print", "end"): "_Str", ("inline_asm_elementwise", "dtype"): "Any",
              ("expand_dims", "axis"): "Any", ("dtype", "name"): "str",
              ("argmax", "axis"): "_Value", ("load", "other"): "_Value"}
ANY = ("axis", "args", "values", "shape", "dims", "input", "file", "arg_type_symbol_dict", "x", "y",
       "value")
_FOUR, _TWO = "Tuple[tensor, tensor, tensor, tensor]", "Tuple[tensor, tensor]"
RESULTS = {
    **dict.fromkeys("philox philox_impl randint4x rand4x randn4x".split(), _FOUR),
    **dict.fromkeys("broadcast split swizzle2d pair_uniform_to_normal".split(), _TWO),
    **dict.fromkeys("store store_tensor_descriptor assume debug_barrier static_print static_assert "
                    "device_print device_assert gdc_wait gdc_launch_dependents scatter".split(),
                    "None"),
    **dict.fromkeys("is_cuda cuda_capability_geq is_hip is_hip_cdna3 is_hip_cdna4 is_hip_gfx1250 "
                    "is_const is_ptr is_block".split(), "bool"),
    **dict.fromkeys("num_threads num_warps get_int_max_value get_int_min_value".split(), "int"),
    # What depends on the arguments: numbers or tiles, one or several, a pointer to a block.
    **dict.fromkeys("max min reduce associative_scan map_elementwise inline_asm_elementwise cdiv "
                    "advance make_block_ptr current_target must_use_result".split(), "Any"),
    "make_tensor_descriptor": "tensor_descriptor", "str_to_ty": "dtype", "get_int_dtype": "dtype",
}
ARITHMETIC = ("add sub mul truediv floordiv mod pow lshift rshift and or xor radd rsub rmul "
              "rtruediv rfloordiv rmod rpow rlshift rrshift rand ror rxor").split()
COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")
HEAD = """from collections.abc import Callable, Iterator, Sequence
from typing import Any, Tuple, Union
"""
# Python's names that the language has, too, as the stubs need them.
ALIASES = """
_Bool = Union[bool, constexpr]
_Str = Union[str, constexpr]
_ElementType = dtype
_DType = Union[dtype, constexpr]
_Value = Union[tensor, constexpr, int, float, bool]
"""
OVERRIDE = "  # type: ignore[override]"
# Objects whose attributes their classes do not show.
EXAMPLES = {tl.dtype: tl.int32, tl.pointer_type: tl.pointer_type(tl.int8),
            tl.block_type: tl.block_type(tl.int8, [1]), tl.tuple_type: tl.tuple_type([tl.int8]),
            tl.constexpr_type: tl.constexpr_type(1), triton.JITFunction: tl.standard.sort_impl,
            sys.modules["tritium.jit"].KernelParam: tl.standard.sort_impl.params[0],
            triton.MockTensor: triton.MockTensor(tl.int8)}
JIT = """
@overload
def jit(fn: Callable[..., Any], *, {0}) -> JITFunction: ...
@overload
def jit(fn: None = None, *, {0}) -> Callable[[Callable[..., Any]], JITFunction]: ...
"""


def _default(value):
    """A default value, if a stub can say it."""
    if isinstance(value, tl.PropagateNan):
        return f"PropagateNan.{value.name}"
    if isinstance(value, (bool, int, float, str, type(None))) or value == ():
        return repr(value)
    if isinstance(value, tl.dtype):
        return value._full_name
    return "..."


def _annotation(function, parameter, is_host):
    if is_host:
        return "Any"
    known = EXCEPTIONS.get((function, parameter.name)) or PARAMETERS.get(parameter.name)
    if not known:
        known = "Any" if parameter.name in ANY else "_Value"
    return f"Union[{known}, None]" if parameter.default is None and known != "Any" else known


def _parameters(name, function, is_host):
    parts, is_behind_star, last = [], False, None
    for parameter in inspect.signature(function).parameters.values():
        star = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        if parts and last is parameter.POSITIONAL_ONLY and parameter.kind is not last:
            parts.append("/")
        last = parameter.kind
        if parameter.kind is parameter.KEYWORD_ONLY and not is_behind_star:
            parts.append("*")
        is_behind_star |= parameter.kind in (parameter.VAR_POSITIONAL, parameter.KEYWORD_ONLY)
        text = star + parameter.name
        if not star and (parameter.name == "self" or name == "item"):
            parts.append("self")
            continue
        text += f": {'Any' if star else _annotation(name, parameter, is_host)}"
        if parameter.default is not parameter.empty:
            text += f" = {_default(parameter.default)}"
        parts.append(text)
    return ", ".join(parts)


def function_stub(name, function, is_host=False, indent="", result=None):
    """`def name(...) -> ...: ...`"""
    if result is None:
        result = "Any" if is_host else RESULTS.get(name, "tensor")
    return f"{indent}def {name}({_parameters(name, function, is_host)}) -> {result}: ...\n"


def _operators(result):
    """The operators of a class whose values kernels compute with."""
    text = "".join(f"    def __{name}__(self, other: Any) -> {result}: ...\n"
                   for name in ARITHMETIC)
    for name in COMPARISONS:
        ignored = OVERRIDE if name in ("eq", "ne") else ""
        text += f"    def __{name}__(self, other: Any) -> {result}: ...{ignored}\n"
    for name in ("neg", "invert"):
        text += f"    def __{name}__(self) -> {result}: ...\n"
    return text


def _attributes(**kinds):
    """Attributes that values have in kernels."""
    return "".join(f"    @property\n    def {name}(self) -> {kind}: ...\n"
                   for name, kind in kinds.items())


def _tile():
    """`tensor`: what kernels do with a tile."""
    text = "class tensor:\n"
    text += _attributes(dtype="_ElementType", shape="Any", type="Any", numel="int", T="tensor")
    for name, value in vars(tl.tensor).items():
        if isinstance(value, Builtin):
            first = next(iter(inspect.signature(value).parameters))
            text += function_stub(name, value, indent="    ").replace(
                f"({first}: Any", "(self").replace(f"({first}: _Value", "(self")
    text += "    def __getitem__(self, key: Any) -> tensor: ...\n"
    text += "    def __setitem__(self, key: Any, value: Any) -> None: ...\n"
    text += "    def __matmul__(self, other: Any) -> tensor: ...\n"
    text += "    def __bool__(self) -> bool: ...\n"
    return text + _operators("tensor")


def _member(name, value, is_host):
    if isinstance(value, property):
        return f"    @property\n    def {name}(self) -> Any: ...\n"
    if isinstance(value, staticmethod):
        return "    @staticmethod\n" + function_stub(name, value.__func__, True, "    ")
    if inspect.isclass(value):
        return class_stub(name, value, is_host, "    ")
    if isinstance(value, (python_types.FunctionType, Builtin)):
        result = {"__init__": "None", "__hash__": "int", "__bool__": "bool", "__len__": "int",
                  "__index__": "int", "__int__": "int", "__float__": "float", "__repr__": "str",
                  "__str__": "str", "__eq__": "bool"}.get(name)
        if name.startswith("is_"):
            result = "bool"
        plain = is_host or not isinstance(value, Builtin)
        return function_stub(name, value, plain, "    ", result)
    return "" if name.startswith("_") else f"    {name}: Any\n"


def class_stub(name, cls, is_host=False, indent=""):
    """`class name: ...` with its public members, and those of Python's protocols."""
    if cls is tl.tensor:
        return _tile()
    bases = [base.__name__ for base in cls.__bases__
             if base.__module__.startswith("tritium") and not base.__name__.startswith("_")
             and base.__name__ != "KernelBase"]
    if hasattr(cls, "__members__"):
        text = f"class {name}(enum.Enum):\n"
        text += "".join(f"    {member.name} = {member.value!r}\n" for member in cls)
        return "".join(indent + line + "\n" for line in text.splitlines())
    if "Generic" in [base.__name__ for base in cls.__bases__]:
        bases.append("Generic[T]")
    if cls is tl.tuple:
        bases = ["builtins.tuple[Any, ...]"]
    text, is_constexpr = "", cls is tl.constexpr
    operators = {f"__{name}__" for name in (*ARITHMETIC, *COMPARISONS, "neg", "invert")}
    for member, value in vars(cls).items():
        is_protocol = member.startswith("__") and isinstance(value, python_types.FunctionType)
        if (member.startswith("_") and not is_protocol) or (is_constexpr and member in operators):
            continue
        text += _member(member, value, is_host)
    known = set(vars(cls)).union(*(vars(EXAMPLES[base]) for base in cls.__bases__
                                   if base in EXAMPLES))
    attributes = vars(EXAMPLES[cls]) if cls in EXAMPLES else ()
    text += "".join(f"    {attribute}: Any\n" for attribute in attributes
                    if not attribute.startswith("_") and attribute not in known)
    if is_constexpr:
        text += "    value: Any\n" + _operators("constexpr")
    if cls is tl.tensor_descriptor:
        text += _attributes(dtype="_ElementType", shape="Any", strides="Any", block_shape="Any",
                            type="Any", block_type="Any")
    if cls in (tl.range, tl.static_range):  # as `for` takes them in kernels
        text += "    def __iter__(self) -> Iterator[Any]: ...\n"
    if cls is tl.condition:
        text += "    def __bool__(self) -> bool: ...\n"
    text = f"class {name}{'(' + ', '.join(bases) + ')' if bases else ''}:\n" + (text or "    ...\n")
    return "".join(indent + line + "\n" for line in text.splitlines())


def module_stub(module, names, is_host=False):
    """The named members of a module."""
    text, classes = "", {}
    for name in names:
        value = getattr(module, name)
        if inspect.isclass(value) and classes.setdefault(value, name) != name:
            text += f"{name} = {classes[value]}\n"
        elif inspect.ismodule(value):
            text += f"from . import {name} as {name}\n"
        elif inspect.isclass(value):
            text += ("\n" if text else "") + class_stub(name, value, is_host) + "\n"
        elif isinstance(value, tl.dtype):
            text += f"{name}: dtype\n"
        elif isinstance(value, (Builtin, python_types.FunctionType)):
            text += function_stub(name, value, is_host or module is types and not isinstance(
                value, Builtin), result=RESULTS.get(name))
        else:
            text += f"{name}: Any\n"
    return text


def _own_names(module):
    """The public names that a module binds itself or takes from another of the package."""
    return [name for name, value in vars(module).items() if not name.startswith("_")
            and (not inspect.ismodule(value))
            and (isinstance(value, (Builtin, tl.dtype)) or
                 getattr(value, "__module__", "").startswith("tritium"))]


def _language(module, imports, names=None):
    names = names or module.__all__
    body = module_stub(module, names)
    return HEAD + imports + ALIASES + "\n" + body


def _reexported(module, names):
    return "".join(f"from .{module} import {name} as {name}\n" for name in names)


def _jit():
    """`tritium.jit`: what decorates kernels, and what they become."""
    module = sys.modules["tritium.jit"]
    names = [name for name in module.__all__ if name not in ("jit", "TensorWrapper", "reinterpret")]
    options = _parameters("jit", triton.jit, True).partition("*, ")[2]
    return ("from collections.abc import Callable\n"
            "from typing import Any, Generic, TypeVar, overload\n"
            "from ._wrapper import TensorWrapper as TensorWrapper, reinterpret as reinterpret\n\n"
            "T = TypeVar(\"T\")\n\n"
            + module_stub(module, names, is_host=True) + JIT.format(options).lstrip("\n"))


def stubs():
    """The stubs: path below python -> text."""
    scalars = "from .types import constexpr, dtype, float32, tensor\n"
    values = "from ._descriptor import tensor_descriptor\n" + scalars
    outer = values.replace("from .", "from ..")
    language = "tritium/language/"
    made = {
        "_shape": _language(_shape, values),
        "_memory": _language(_memory, values),
        "_reduction": _language(_reduction, values),
        "_control": _language(_control, "import enum\n" + values),
        "math": _language(tl.math, "from ._control import PropagateNan\n" + values),
        "random": _language(tl.random, values, [*tl.random.__all__, "N_ROUNDS_DEFAULT",
                                                "uint32_to_uniform_float"]),
        "target_info": _language(tl.target_info, values),
        "_extern": _language(_extern, values),
        "_descriptor": _language(_descriptor, scalars),
        "extra/cuda": _language(tl.extra.cuda, outer),
        "extra/libdevice": _language(tl.extra.libdevice, outer),
        "extra/__init__": "from . import cuda as cuda, libdevice as libdevice\n",
        "types": (HEAD + "import builtins\nimport enum\n" + ALIASES + "\n" + module_stub(
            types, [*types.__all__, "CONSTEXPR_0", "get_int_dtype"])),
    }
    homes = {name: home for home, module in (
        ("_shape", _shape), ("_memory", _memory), ("_reduction", _reduction),
        ("_control", _control), ("math", tl.math), ("random", tl.random))
        for name in module.__all__}
    made["standard"] = "from typing import Any\n" + "".join(
        f"from .{homes[name]} import {name} as {name}\n" for name in tl.standard.__all__
        if name in homes) + "\nsort_impl: Any\n"
    made["__init__"] = (
        "from . import extra as extra, math as math, random as random, standard as standard, "
        "target_info as target_info\n"
        + "".join(_reexported(home, module.__all__) for home, module in (
            ("_control", _control), ("_memory", _memory), ("random", tl.random),
            ("_reduction", _reduction), ("_shape", _shape), ("math", tl.math), ("types", types),
            ("_descriptor", _descriptor)))
        + _reexported("_extern", ["extern", "extern_elementwise"])
        + _reexported("types", ["CONSTEXPR_0", "get_int_dtype"])
        + "\nTRITON_MAX_TENSOR_NUMEL: int\n")
    made = {f"{language}{name}.pyi": text for name, text in made.items()}
    made["tritium/jit.pyi"] = _jit()
    made["tritium/py.typed"] = ""
    return made
