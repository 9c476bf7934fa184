"""The documentation of the language says what the compiler does: its names, its signatures, and
what its examples give."""

import ast
import inspect
import pathlib
import re
import sys

import pytest

import tritium as triton
import tritium.language as tl
import tritium.language.standard
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "utils"))

import language_reference
from docstring_examples import on, run_in_kernels, run_on_host, steps

from tritium.language._builtin import Builtin

# Of the compiler's table: what users do not write by a name of `tl`.
OF_PYTHON = ("builtins.", "str.", "dict.", "math.", "slice", "scope.")
HERE = {"next_power_of_2": triton, "_unwrap_if_constexpr": tl, "get_int_dtype": tl,
        "extern_elementwise": tl}
# What library functions in the kernel language are made of.
PARTS = {"_argmax_combine", "_argmin_combine", "_exp", "_tanh"}
CLASSES = {"range", "static_range", "condition"}  # the walker of the syntax tree has them

# Names of the host without an example, and why.
WITHOUT_EXAMPLE = {
    **dict.fromkeys(["Autotuner", "Heuristics", "TensorWrapper", "FutureKernel", "testing.Mark"],
                    "made by a function that has one"),
    **dict.fromkeys(["InterpreterError", "CUDAError", "PTXASError", "AutotunerError",
                     "DeadlockError", "SimulatorError", "InternalError"],
                    "another error; TritonError's example shows what they have"),
    **dict.fromkeys([f"testing.{name}" for name in (
        "do_bench_cudagraph", "do_bench_proton", "do_bench_cudagraph_proton", "get_dram_gbps",
        "get_max_simd_tflops", "get_max_tensorcore_tflops", "nvsmi", "set_gpu_clock",
        "cuda_memcheck")], "needs a GPU"),
    **dict.fromkeys(["tools.mxfp.MXFP4Tensor", "tools.mxfp.MXScaleTensor"], "needs torch"),
    **dict.fromkeys([f"tools.experimental_descriptor.{name}" for name in (
        "TmaDescKernelParam", "create_2d_tma_descriptor")],
        "create_1d_tma_descriptor has one"),
    **dict.fromkeys([f"tools.ragged_tma.{name}" for name in (
        "to_ragged_indices", "load_ragged", "store_ragged", "atomic_add_ragged")],
        "the example of create_ragged_descriptor loads"),
    "install_as_triton": "holds for the rest of the process; test_addresses.py runs it",
}
TYPED = '''
import tritium as triton
import tritium.language as tl
from tritium.language.extra import libdevice

@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    a = libdevice.tanh(tl.load(x + i, mask=mask, other=0.0))
    for k in tl.range(0, 4, num_stages=2):
        with tl.scope("add"):
            a += tl.load(y + i, mask) * k
    tl.store(out + i, a.to(tl.float32).sum(0), mask)

add[(triton.cdiv(10, 4),)](1, 2, 3, 4, BLOCK=4)

def wrong(p: tl.tensor) -> None:
    tl.load(p, maks=True)  # wrong
    tl.arange("a", 3)  # wrong
    tl.no_such_name(p)  # wrong
    p.cumsum(axes=0)  # wrong
'''


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
        elif parameter.kind is parameter.VAR_KEYWORD:
            text = "**" + text
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
    assert len(builtins_of_host()) > 330
    assert not set(builtins_of_host()) - set(table())


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
    for name in ("extern", "extern_elementwise"):
        found[name] = getattr(tl, name).__doc__
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


def host_documented():
    """Functions and classes of the host: name -> docstring."""
    found = {}
    for _, _, modules in language_reference.HOST.values():
        for module in modules:
            for name, value in language_reference.public(module).items():
                found[f"{module.__name__}.{name}"] = value.__doc__
    return found


def test_everything_of_the_host_has_an_example():
    names = host_documented()
    without = {name.removeprefix("tritium.") for name, doc in names.items() if not steps(doc)}
    assert without == set(WITHOUT_EXAMPLE)


def test_examples_of_the_host_run(tmp_path):
    examples = {name: doc for name, doc in host_documented().items()
                if steps(doc) and name != "tritium.must_use_result"}
    assert len(examples) > 30
    assert not "\n".join(run_on_host(examples, tmp_path))


@pytest.mark.parametrize("line, wanted", [("1 + 1", "3"), ("'a'", "a")])
def test_what_an_example_of_the_host_does_not_give_is_found(line, wanted, tmp_path):
    docstring = f"Example:\n    >>> {line}\n    {wanted}\n"
    difference, = run_on_host({"f": docstring}, tmp_path)
    assert difference.startswith("f:\n")


def test_pages_and_stubs_are_those_of_the_docstrings():
    made = language_reference.files()
    old = [path.name for path, text in made.items()
           if not path.exists() or path.read_text() != text]
    assert not old, "run PYTHONPATH=build/python .venv/bin/python utils/language_reference.py"
    folders = [language_reference.PAGES, ROOT / "python" / "tritium"]
    there = {path for folder, suffix in zip(folders, ("*.md", "*.pyi"))
             for path in folder.rglob(suffix)}
    assert there <= set(made)


def stub_functions(name):
    """The functions of a stub as Python reads it: name -> signature, as the compiler writes it."""
    tree = ast.parse((ROOT / "python" / "tritium" / f"{name}.pyi").read_text())
    owners = {"": tree.body, **{node.name + ".": node.body for node in tree.body
                                if isinstance(node, ast.ClassDef)}}
    return {owner + node.name: stub_signature(node.args) for owner, body in owners.items()
            for node in body if isinstance(node, ast.FunctionDef)}


def stub_signature(arguments):
    plain = [argument.arg for argument in arguments.args]
    defaults = [None] * (len(plain) - len(arguments.defaults)) + list(map(ast.unparse,
                                                                          arguments.defaults))
    if arguments.vararg:
        plain.append("*" + arguments.vararg.arg)
        defaults.append(None)
    elif arguments.kwonlyargs:
        plain.append("*")
        defaults.append(None)
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
        plain.append(argument.arg)
        defaults.append(default and ast.unparse(default))
    if arguments.kwarg:
        plain.append("**" + arguments.kwarg.arg)
        defaults.append(None)
    known = {"PropagateNan.NONE": "tl.PropagateNan.NONE", "float32": "tl.float32"}
    return "(" + ", ".join(name if default is None else f"{name}={known.get(default, default)}"
                           for name, default in zip(plain, defaults)) + ")"


def test_stubs_have_the_compilers_signatures():
    """Read from the files as they are, both ways."""
    of_compiler, seen = table(), set()
    for home, prefix in (("_shape", ""), ("_memory", ""), ("_reduction", ""), ("_control", ""),
                         ("math", ""), ("random", ""), ("target_info", "target_info."),
                         ("extra/cuda", "cuda."), ("extra/libdevice", "libdevice.")):
        for name, signature in stub_functions(f"language/{home}").items():
            canonical = prefix + name
            if "." in name or name in ("uint32_to_uniform_float", "must_use_result"):
                continue
            assert signature == of_compiler[canonical][0], canonical
            seen.add(canonical)
    for name, signature in (stub_functions("language/types")
                            | stub_functions("language/_descriptor")).items():
        owner, _, method = name.partition(".")
        if owner == "tensor" and method in of_compiler:
            found = of_compiler[method][0]
            first = re.match(r"\((\w+)", found)[1]
            assert signature == found.replace(f"({first}", "(self", 1), name
        elif owner == "tensor_descriptor" and name in of_compiler:
            assert signature == of_compiler[name][0].replace("(desc", "(self", 1), name
        seen.add(name)
    # The rest are functions of tl.standard that combine, classes, and what has no stub of its own.
    missing = {name for name in set(of_compiler) - seen if not name.startswith("_")
               and name not in ("to", "item", "logical_and", "logical_or", "next_power_of_2",
                                "extern_elementwise", "constexpr", "dtype", "pointer_type",
                                "block_type", "tuple", "scope")}
    assert not missing


def test_type_checkers_read_the_stubs(tmp_path, monkeypatch):
    api = pytest.importorskip("mypy.api", reason="pip install mypy")
    monkeypatch.setenv("MYPYPATH", str(ROOT / "python"))
    path = tmp_path / "kernels.py"
    path.write_text(TYPED)
    text, _, _ = api.run([str(path), "--follow-imports=silent"])
    found = [line.partition("kernels.py:")[2] for line in text.splitlines()
             if "kernels.py:" in line and "defined in" not in line]
    wrong = [number for number, line in enumerate(TYPED.splitlines(), 1) if "# wrong" in line]
    assert [int(line.split(":")[0]) for line in found] == wrong, text
