"""utils/compile_package.py: what it takes for a kernel, and what it guesses of one."""

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

def hook(args):
    args["source"].block_shape = [args["ROWS"], 32]

@triton.autotune([triton.Config({"ROWS": 16}, pre_hook=hook)], key=[])
@triton.jit
def by_hook(source, out_ptr, ROWS: tl.constexpr):
    at = tl.arange(0, ROWS)[:, None] * 32 + tl.arange(0, 32)[None, :]
    tl.store(out_ptr + at, source.load([0, 0]))

@triton.jit
def by_launch(source, out_ptr, ROWS: tl.constexpr):
    at = tl.arange(0, ROWS)[:, None] * 8 + tl.arange(0, 8)[None, :]
    tl.store(out_ptr + at, source.load([0, 0]))

def launch(x, out):
    block = TensorDescriptor.from_tensor(x, [ROWS, 8])
    by_launch[(1,)](block, out, ROWS=64)

@triton.jit
def template(x, COUNT: tl.constexpr):
    tl.store(x, REPLACED)

def of_a_number(kernel, number):
    import linecache
    text = "@triton.jit" + kernel.src.replace("REPLACED", str(number)).join(["\\n", "\\n"])
    linecache.cache["<made>"] = len(text), None, text.splitlines(True), "<made>"
    exec(compile(text, "<made>", "exec"), globals(), made := {})
    return made["template"] or triton.jit(None)

def use(parts):
    return of_a_number(template, number=len(parts))

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
    assert "6 kernels and 2 functions: 5 kernels compile, 83.3 %" in done.stdout
    kernels = json.loads((tmp_path / "report.json").read_text())["kernels"]
    assert {name: kernel["ok"] for name, kernel in kernels.items()} == {
        "of_others.kernels.gather": True, "of_others.kernels.tuned": True,
        "of_others.kernels.by_hook": True, "of_others.kernels.by_launch": True,
        "of_others.kernels.template <made>": True,
        "of_others.kernels.wrong": False}
    assert "no_such_name" in kernels["of_others.kernels.wrong"]["errors"][0][1]
    assert kernels["of_others.kernels.tuned"]["try"] == 0


def guesses_of(kernel, wrappers=()):
    sys.path.append(str(UTILS))
    try:
        import guess_signatures
    finally:
        sys.path.remove(str(UTILS))
    return list(guess_signatures.tries(kernel, list(wrappers), tritium))


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


def test_what_is_no_pointer():
    """Offsets, of whatever kind, and strides of tensors are told from what has strides."""
    tl = tritium.language

    @tritium.jit
    def search(values, out_strides, K, rows, GROUP_SCALE, DIMS: tl.constexpr):
        end = K - 1
        at = tl.arange(0, 16) * tl.load(out_strides + DIMS - 1)
        at += values + rows // GROUP_SCALE
        middle = tl.where(tl.load(at) > 0, 0, end)
        tl.store(values + middle, 0.0)

    guesses = guesses_of(search)
    assert guesses[0].signature == {
        "values": "*bf16", "out_strides": "*i64", "K": "i32", "rows": "i32", "GROUP_SCALE": "i32",
        "DIMS": "constexpr"}
    assert any(guess.signature["out_strides"] == "*i32" for guess in guesses)


def test_values_that_must_fit_one_another():
    """Some guess has what a reshape needs, and packed integers are integers."""
    tl = tritium.language

    @tritium.jit
    def unpack(words, ROWS: tl.constexpr, COLUMNS: tl.constexpr, BITS: tl.constexpr):
        at = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
        if BITS == 4:
            tl.store(words + at, tl.load(words + at) >> BITS)
        elif BITS == 8:
            tl.store(words + at, tl.load(words + at) * 2)

    constants = [(guess.signature["words"], tuple(guess.constexprs.values()))
                 for guess in guesses_of(unpack)]
    assert any(rows * columns == 1024 != rows * rows for _, (rows, columns, _) in constants)
    assert {"*i64", "*i32", "*bf16"} <= {kind for kind, (_, _, bits) in constants if bits == 4}
