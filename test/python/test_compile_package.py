"""utils/compile_package.py: what it takes for a kernel, and what it guesses of one."""

import importlib.util
import json
import pathlib
import subprocess
import sys

import pytest

import tritium

UTILS = pathlib.Path(__file__).parents[2] / "utils"
PACKAGE = '''
import not_installed_anywhere
import triton
import triton.language as tl

@triton.jit
def twice(x):
    return x + x

@triton.jit
def gather(out_ptr, table, where, n, scale, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    rows = tl.load(where + at, at < n)
    tl.store(out_ptr + at, twice(tl.load(table + rows)) * scale, at < n)

@triton.autotune([triton.Config({"BLOCK": 32}, num_warps=1)], key=[])
@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def tuned(x, n, MODE: tl.constexpr, EVEN: tl.constexpr, BLOCK: tl.constexpr):
    tl.static_assert(EVEN and BLOCK == 32)
    if MODE == "negate":
        tl.store(x + tl.arange(0, BLOCK), -tl.load(x + tl.arange(0, BLOCK)))
    else:
        tl.static_assert(False)

@triton.jit
def wrong(x):
    tl.store(x, no_such_name)
'''


@pytest.fixture
def package(tmp_path):
    folder = tmp_path / "of_others"
    folder.mkdir()
    (folder / "__init__.py").write_text("raise RuntimeError('no such GPU')\n")
    (folder / "kernels.py").write_text(PACKAGE)
    return folder


def test_a_package_is_compiled(package, tmp_path):
    done = subprocess.run([sys.executable, UTILS / "compile_package.py", package, "--report",
                           tmp_path / "report.json"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "not imported: of_others: RuntimeError: no such GPU" in done.stdout
    assert "3 kernels and 1 functions: 2 kernels compile, 66.7 %" in done.stdout
    kernels = json.loads((tmp_path / "report.json").read_text())["kernels"]
    assert {name: kernel["ok"] for name, kernel in kernels.items()} == {
        "of_others.kernels.gather": True, "of_others.kernels.tuned": True,
        "of_others.kernels.wrong": False}
    assert "no_such_name" in kernels["of_others.kernels.wrong"]["errors"][0][1]
    assert kernels["of_others.kernels.tuned"]["try"] == 0


def guesses_of(kernel, wrappers=()):
    spec = importlib.util.spec_from_file_location("guess_signatures", UTILS / "guess_signatures.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return list(module.tries(kernel, list(wrappers), tritium))


def test_what_loads_and_stores_say_of_parameters():
    tl = tritium.language

    @tritium.jit
    def moved(data, order, bias, n, eps, stride_row, FLAG: tl.constexpr, WIDTH: tl.constexpr):
        row = tl.load(order + tl.program_id(0))
        at = data + row * stride_row + tl.arange(0, WIDTH)
        value = tl.load(at, tl.arange(0, WIDTH) < n) + eps
        if FLAG:
            value += tl.load(bias)
        tl.store(at, value)

    first = guesses_of(moved)[0]
    assert first.signature == {
        "data": "*bf16", "order": "*i64", "bias": "*bf16", "n": "i32", "eps": "fp32",
        "stride_row": "i32", "FLAG": "constexpr", "WIDTH": "constexpr"}
    assert first.constexprs == {"FLAG": True, "WIDTH": 64}


def test_guesses_differ():
    @tritium.jit
    def copy(x, y):
        tritium.language.store(y, tritium.language.load(x))

    guesses = [str(guess) for guess in guesses_of(copy)]
    assert len(guesses) > 2 and len(set(guesses)) == len(guesses)
