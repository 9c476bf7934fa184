"""Triton's modules at Triton's addresses, and what is said of names that are not there."""

import importlib
import importlib.util
import inspect
import os
import pathlib
import subprocess
import sys

import pytest

import tritium as triton
import tritium.language as tl
from tritium import _addresses

ROOT = pathlib.Path(__file__).parents[2]

# What programs import, by the module that they import it from.
NAMES = {
    "tritium.language.core": "constexpr dtype tensor static_range load get_int_dtype "
                             "CONSTEXPR_0 _unwrap_if_constexpr _constexpr_to_value "
                             "_experimental_descriptor_load _experimental_descriptor_store "
                             "_experimental_make_tensor_descriptor",
    "tritium.language.standard": "_log2 _sum_combine _elementwise_max sum max zeros_like topk "
                                 "_argmax_combine_tie_break_left sort_impl cdiv",
    "tritium.language.random": "philox rand N_ROUNDS_DEFAULT uint32_to_uniform_float",
    "tritium.language.math": "exp rsqrt tanh pow",
    "tritium.language.libdevice": "tanh pow",
    "tritium.language.extra": "libdevice cuda",
    "tritium.language.extra.libdevice": "tanh pow float_as_int",
    "tritium.language.extra.cuda": "libdevice smid globaltimer gdc_wait",
    "tritium.language.extra.cuda.libdevice": "exp2 rsqrt",
    "tritium.language.target_info": "current_target is_cuda cuda_capability_geq is_hip",
    "tritium.runtime": "Autotuner Heuristics Config JITFunction KernelInterface driver",
    "tritium.runtime.jit": "JITFunction KernelInterface TensorWrapper MockTensor reinterpret T",
    "tritium.runtime.autotuner": "Autotuner Heuristics Config autotune OutOfResources PTXASError",
    "tritium.runtime.cache": "FileCacheManager CacheManager get_cache_manager default_cache_dir "
                             "default_dump_dir triton_key",
    "tritium.runtime.errors": "OutOfResources PTXASError AutotunerError InterpreterError",
    "tritium.runtime.interpreter": "InterpretedFunction",
    "tritium.runtime.driver": "driver active set_active",
    "tritium.runtime._allocation": "set_allocator set_profile_allocator NullAllocator _allocator",
    "tritium.runtime._async_compile": "AsyncCompileMode FutureKernel",
    "tritium.compiler": "ASTSource IRSource CompiledKernel make_backend compile GPUTarget",
    "tritium.compiler.compiler": "ASTSource CompiledKernel triton_key",
    "tritium.compiler.errors": "CompilationError CompileTimeAssertionFailure "
                               "UnsupportedLanguageConstruct",
    "tritium.backends": "backends",
    "tritium.backends.compiler": "GPUTarget BaseBackend",
    "tritium.backends.nvidia.compiler": "CUDAOptions CUDABackend",
    "tritium.backends.nvidia.driver": "CUDADriver libcuda_dirs",
    "tritium.tools.tensor_descriptor": "TensorDescriptor",
    "tritium.tools.experimental_descriptor": "create_1d_tma_descriptor create_2d_tma_descriptor "
                                             "TmaDescKernelParam",
    "tritium.tools.mxfp": "MXFP4Tensor MXScaleTensor",
}


@pytest.mark.parametrize("module", NAMES)
def test_names_that_programs_import(module):
    found = importlib.import_module(module)
    missing = [name for name in NAMES[module].split() if not hasattr(found, name)]
    assert missing == []


@pytest.mark.parametrize("address,home", _addresses.HOMES.items())
def test_an_address_is_the_module_itself(address, home):
    """So a program that replaces a function there replaces it everywhere."""
    module = importlib.import_module(f"tritium.{address}")
    assert module is importlib.import_module(f"tritium.{home}")
    parent, _, last = f"tritium.{address}".rpartition(".")
    assert getattr(importlib.import_module(parent), last) is module


def test_device_library():
    libdevice = tl.extra.libdevice
    assert len(libdevice.__all__) == 198
    counts = {name: list(inspect.signature(getattr(libdevice, name)).parameters)
              for name in libdevice.__all__}
    assert counts["tanh"] == ["arg0"] and counts["fma_rz"] == ["arg0", "arg1", "arg2"]
    assert counts["norm4d"] == ["arg0", "arg1", "arg2", "arg3"] and len(counts["pow"]) == 2
    with pytest.raises(RuntimeError, match="tl.extra.libdevice.tanh can only be called inside"):
        libdevice.tanh(1.0)
    assert tl.math.pow is libdevice.pow and tl.math.exp is tl.exp


def test_version():
    from packaging.version import Version

    assert Version(triton.__version__) >= Version("3.6.0")
    assert tuple(int(part) for part in triton.__version__.split(".")[:2]) == (3, 6)
    assert triton.__version__.endswith(f"+tritium.{triton._C.version()}")


@pytest.mark.parametrize("path", _addresses.ABSENT)
def test_what_is_not_there(path):
    """The reason is told wherever the name is looked for, and asking whether it is there is no
    error. A name that has come to be there has to leave the table."""
    parent, _, name = f"tritium.{path}".rpartition(".")
    reason = _addresses.ABSENT[path]
    if path in _addresses._EMPTY or path == "runtime.interpreter":
        parent, name = f"tritium.{path}", "nothing_is_named_so"
    outer = importlib.import_module(parent)
    assert not hasattr(outer, name)
    for statement in (f"from {parent} import {name}", f"import {parent}.{name}",
                      f"import {parent}.{name}.something"):
        with pytest.raises(ImportError) as caught:
            exec(statement)
        assert reason in str(caught.value)
    with pytest.raises(AttributeError) as caught:
        getattr(outer, name)
    assert str(caught.value) == f"module '{outer.__name__}' has no '{name}': {reason}"
    assert importlib.util.find_spec(f"{parent}.{name}") is None


def test_names_of_nobody():
    with pytest.raises(ImportError, match="cannot import name 'foo'"):
        from tritium.language import foo  # noqa: F401
    with pytest.raises(AttributeError, match="module 'tritium.language' has no 'foo'$"):
        tl.foo
    with pytest.raises(ModuleNotFoundError, match="No module named 'tritium.foo'") as caught:
        import tritium.foo  # noqa: F401
    assert caught.value.name == "tritium.foo"


SCRIPT = """
import importlib.util
import sys

import numpy as np
import triton
import triton.language as tl
from triton.language import core
from triton.language.extra import libdevice
from triton.language.extra.cuda import libdevice as cuda_libdevice
from triton.language.standard import _log2
from triton.runtime.jit import JITFunction
try:
    from triton.experimental import gluon
except ImportError as error:
    print(error)
print(importlib.util.find_spec("triton.experimental.gluon"
                               if importlib.util.find_spec("triton.experimental") else
                               "triton.experimental"))
print(importlib.util.find_spec("triton.runtime.jit") is not None)
assert libdevice is cuda_libdevice and core is tl


@triton.jit
def kernel(out, N: core.constexpr):
    i = core.arange(0, N)
    tl.store(out + i, libdevice.tanh(i.to(tl.float32)) + _log2(N))


out = np.zeros(8, np.float32)
kernel[(1,)](out, 8)
assert np.allclose(out, np.tanh(np.arange(8)) + 3) and isinstance(kernel, JITFunction)
print("ran")
"""


def test_script(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = subprocess.run([sys.executable, "-m", "tritium", "run", script], capture_output=True,
                          text=True, timeout=100, env={**os.environ, "TRITIUM_BACKEND": "cpu"})
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        f"no 'experimental' in 'tritium': {_addresses.ABSENT['experimental']}", "None", "True",
        "ran"]


IN_PLACE = """
import os
import sys
import types
import tritium

{before}
tritium.install_as_triton()
tritium.install_as_triton()
import triton.language as tl
assert sys.modules["triton"] is tritium and tl is tritium.language
print(len([f for f in sys.meta_path if type(f).__name__ == "_Alias"]),
      os.environ["TORCHINDUCTOR_COMPILE_THREADS"])
"""


# How torch's compiler tells what is Triton's, and what it writes into its programs.
NAMED_AS_TRITON = """
import tritium

tritium.install_as_triton()
import triton
import triton.language as tl
from triton.language.extra import libdevice

for thing in (tl.constexpr, tl.where, tl.sum, libdevice.tanh, triton.cdiv, triton.Config):
    home = __import__(thing.__module__, fromlist=["*"])
    assert thing.__module__.partition(".")[0] == "triton", thing
    assert getattr(home, thing.__name__) is thing, thing
assert libdevice.__name__ == "triton.language.extra.libdevice"
"""


def run_in_place(before=""):
    return subprocess.run([sys.executable, "-c", IN_PLACE.format(before=before)], text=True,
                          capture_output=True, timeout=100,
                          env={**os.environ, "TORCHINDUCTOR_COMPILE_THREADS": "8"})


def test_install_as_triton():
    done = run_in_place()
    assert done.stdout == "1 1\n", done.stderr


def test_what_is_installed_has_names_of_triton():
    done = subprocess.run([sys.executable, "-W", "error", "-c", NAMED_AS_TRITON], text=True,
                          capture_output=True, timeout=100)
    assert done.returncode == 0, done.stderr


def test_install_as_triton_too_late():
    done = run_in_place("sys.modules['triton'] = types.ModuleType('triton')")
    assert done.returncode and "install_as_triton() comes too late: triton is imported already" in (
        done.stderr)


def test_page():
    """docs/scripts.md lists every address, and every name that is not there."""
    rows = (ROOT / "docs" / "scripts.md").read_text().splitlines()
    expected = [f"| `{address}` | `{home}` |" for address, home in _addresses.HOMES.items()]
    expected += [f"| `{path}` | {reason} |" for path, reason in _addresses.ABSENT.items()]
    assert [row for row in rows if row.startswith("| `")] == expected
