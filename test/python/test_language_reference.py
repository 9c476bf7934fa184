"""The documentation of the language says what the compiler does: its names, its signatures, and
what its examples give."""

import inspect
import re

import pytest

import tritium as triton
import tritium.language as tl
import tritium.language.standard
from docstring_examples import on, run_in_kernels, run_on_host, steps

from tritium.language._builtin import Builtin

# Of the compiler's table: what users do not write by a name of `tl`.
OF_PYTHON = ("builtins.", "str.", "dict.", "math.", "slice")
HERE = {"next_power_of_2": triton, "_unwrap_if_constexpr": tl, "get_int_dtype": tl,
        "extern_elementwise": tl}
# What library functions in the kernel language are made of.
PARTS = {"_argmax_combine", "_argmin_combine", "_tanh"}
CLASSES = {"range", "static_range", "condition"}  # the walker of the syntax tree has them


def place_of(name):
    """The host's object for a name of the compiler's table."""
    if name in HERE:
        return getattr(HERE[name], name)
    head, _, last = name.rpartition(".")
    homes = {"": tl, "libdevice": tl.extra.libdevice, "cuda": tl.extra.cuda,
             "target_info": tl.target_info, "dtype": tl.dtype,
             "tensor_descriptor": tl.tensor_descriptor}
    for home in (homes[head], tl.random, tl.standard, tl.tensor) if not head else (homes[head],):
        if hasattr(home, last):
            return getattr(home, last)
    raise AssertionError(f"the compiler has {name}, the documentation does not")


def table():
    """The compiler's own: name -> (signature, whether it is a method)."""
    return {name: (signature, is_method) for name, signature, _, is_method in triton._C.builtins()
            if not name.startswith(OF_PYTHON) and name not in PARTS}


def builtins_of_host():
    """The library's functions that the host's modules have, by the compiler's names."""
    found = {}
    for module in (tl, tl.random, tl.standard, tl.target_info, tl.extra.cuda, tl.extra.libdevice,
                   tl.tensor, tl.tensor_descriptor, triton):
        for name, value in vars(module).items():
            if isinstance(value, Builtin):
                canonical = re.sub(r"^triton\.(language\.)?(extra\.|standard\.|tensor\.)?", "",
                                   value._library_name)
                found[canonical] = value
    return found


def spelt(function):
    """A signature as the compiler writes it."""
    def default(value):
        if isinstance(value, tl.PropagateNan):
            return f"tl.PropagateNan.{value.name}"
        return repr(value)

    parts, is_behind_star = [], False
    for parameter in inspect.signature(function).parameters.values():
        text = parameter.name
        if parameter.kind is parameter.VAR_POSITIONAL:
            text, is_behind_star = "*" + text, True
        elif parameter.kind is parameter.KEYWORD_ONLY and not is_behind_star:
            parts.append("*")
            is_behind_star = True
        if parameter.default is not parameter.empty:
            text += "=" + default(parameter.default)
        parts.append(text)
    return f"({', '.join(parts)})"


def test_signatures_are_the_compilers():
    compared = 0
    for name, (signature, _) in table().items():
        function = place_of(name)
        if not isinstance(function, Builtin):
            continue  # a class, or a function of the host
        found = spelt(function)
        if name.startswith("tensor_descriptor."):
            found = found.replace("(self", "(desc", 1)
        assert found == signature, name
        compared += 1
    assert compared > 330


def test_no_name_is_the_hosts_alone():
    unknown = set(builtins_of_host()) - set(table())
    assert unknown <= {"tritium.cdiv"}, unknown


def test_methods_are_the_compilers():
    methods = {name for name, (_, is_method) in table().items() if is_method}
    documented = {name for name, value in vars(tl.tensor).items() if isinstance(value, Builtin)}
    assert methods == documented


def test_loops_take_what_is_documented():
    @triton.jit
    def kernel(out):
        total = 0
        for i in tl.range(arg1=0, arg2=4, step=1, num_stages=2, loop_unroll_factor=1,
                          disallow_acc_multi_buffer=False, flatten=False, warp_specialize=False,
                          disable_licm=False):
            total += i
        for j in tl.static_range(arg1=0, arg2=4, step=1):
            total += j
        while tl.condition(arg1=total < 100, disable_licm=False):
            total += 100
        tl.store(out, total)

    assert [list(inspect.signature(loop).parameters) for loop in
            (tl.range, tl.static_range, tl.condition)] == [
        ["arg1", "arg2", "step", "num_stages", "loop_unroll_factor", "disallow_acc_multi_buffer",
         "flatten", "warp_specialize", "disable_licm"],
        ["arg1", "arg2", "step"], ["arg1", "disable_licm"]]
    kernel.warmup(tl.pointer_type(tl.int32), grid=(1,))


def documented():
    """What has a page: name -> docstring."""
    modules = (tl, tl.random, tl.standard, tl.target_info, tl.extra.cuda, tl.extra.libdevice)
    found = {}
    for module in modules:
        for name in module.__all__:
            value = getattr(module, name)
            if callable(value) and not isinstance(value, tl.dtype):
                found.setdefault(f"{module.__name__}.{name}" if module not in (tl, tl.standard)
                                 else name, value.__doc__)
    for owner in (tl.tensor, tl.tensor_descriptor):
        for name, value in vars(owner).items():
            if isinstance(value, Builtin):
                found.setdefault(f"{owner.__name__}.{name}", value.__doc__)
    return found


def test_everything_has_an_example():
    without = [name for name, doc in documented().items() if not steps(doc)]
    assert not without


@pytest.mark.parametrize("backend", ["interpret", "cpu"])
def test_examples_of_kernels(backend, tmp_path, monkeypatch):
    monkeypatch.setenv("TRITIUM_BACKEND", backend)
    examples = on(None, documented())
    assert len(examples) > 350
    assert not "\n".join(run_in_kernels(examples, tmp_path))


def test_examples_for_gpus(tmp_path, monkeypatch):
    monkeypatch.setenv("TRITIUM_BACKEND", "sim:sm_80")
    examples = on("a GPU", documented())
    assert examples
    assert not "\n".join(run_in_kernels(examples, tmp_path))


def test_examples_of_the_host(tmp_path):
    examples = on("the host", documented())
    assert examples
    assert not "\n".join(run_on_host(examples, tmp_path))


@pytest.mark.parametrize("line, wanted, found", [
    ("tl.arange(0, 2)", "int32 [0, 2]", "int32 [0, 1]"),
    ("tl.arange(0, 2)", "int64 [0, 1]", "int32 [0, 1]"),
    ("tl.arange(0, 2)", "int32 [[0, 1]]", "int32 [0, 1]"),
    ("tl.exp(tl.to_tensor(1.0))", "float32 2.719", "float32 2.718"),
    ("(1, 2)", "1", "1\n2"),
    ("tl.float32", "tl.float16", "tl.float32"),
    ("tl.arange(0, 2)", "CompilationError: no such", "no CompilationError"),
    ("tl.arange(2, 0)", "CompilationError: no such", "must be greater"),
    ("tl.arange(2, 0)", "int32 [2]", "must be greater"),
])
def test_what_an_example_does_not_give_is_found(line, wanted, found, tmp_path, monkeypatch):
    monkeypatch.setenv("TRITIUM_BACKEND", "interpret")
    docstring = f"Example:\n    >>> tl.arange(0, 1)\n    int32 [0]\n    >>> {line}\n    {wanted}\n"
    difference, = run_in_kernels({"f": docstring}, tmp_path)
    assert difference.startswith("f") and found in difference


@pytest.mark.parametrize("call", ["tl.condition()", "tl.condition(True, False, 1)",
                                  "tl.condition(True, arg1=True)", "tl.condition(True, unroll=1)"])
def test_conditions_that_do_not_fit(call, tmp_path):
    docstring = f"Example:\n    >>> while {call}:\n    ...     pass\n    CompilationError: {{}}\n"
    rule = "tl.condition(arg1, disable_licm=False)"
    assert not list(run_in_kernels({"f": docstring.format(rule)}, tmp_path))


def test_a_call_that_does_not_fit_tells_the_signature():
    @triton.jit
    def kernel(x):
        tl.minimum(1, 2, propagate=True)

    with pytest.raises(triton.CompilationError, match=re.escape(
            "its signature is tl.minimum(x, y, propagate_nan=tl.PropagateNan.NONE)")):
        kernel.warmup(tl.pointer_type(tl.int32), grid=(1,))
