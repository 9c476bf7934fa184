"""Functions of f64 on a GPU: the PTX, run by the simulator, against NumPy in 80 bits."""

import pathlib
import subprocess

import numpy as np
import pytest

import tritium as triton
import tritium.language as tl
from tritium.compiler import ASTSource, GPUTarget

TOOL = pathlib.Path(triton.__file__).parents[2] / "bin" / "tritium"
ROWS = 2048


@triton.jit
def unary(x, out, F: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, getattr(tl, F)(tl.load(x + i)))


@triton.jit
def remainder(x, y, out, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i) % tl.load(y + i))


def inputs():
    rng = np.random.default_rng(1)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 5e-324, 1e300, -1e300, 0.5, 710.0,
               -746.0, 1.4, 2.0 ** 30, float.fromhex("0x1.6ac5b262ca1ffp849"), np.pi, 22.0]
    anywhere = rng.integers(0, 2 ** 64, 700, dtype=np.uint64).view(np.float64)
    return np.resize(np.concatenate([special, anywhere, rng.uniform(-30, 30, 700),
                                     rng.uniform(-1, 1, ROWS)]), ROWS)


def run(tmp_path, kernel, arrays, constants):
    names = ["x", "y"][:len(arrays)] + ["out"]
    ptx = triton.compile(ASTSource(kernel, dict.fromkeys(names, "*fp64"), constants | {"B": 256}),
                         GPUTarget("cuda", 80, 32)).asm["ptx"]
    (tmp_path / "k.ptx").write_text(ptx)
    arguments = []
    for name, array in zip(names, arrays):
        array.tofile(tmp_path / name)
        arguments += ["--arg", f"const f64[{ROWS}]=@{tmp_path / name}"]
    arguments += ["--arg", f"f64[{ROWS}]=zero", "--dump", f"{len(arrays)}={tmp_path / 'out'}"]
    subprocess.run([TOOL, "sim", tmp_path / "k.ptx", "--grid", str(ROWS // 256), *arguments],
                   check=True, capture_output=True)
    return np.fromfile(tmp_path / "out")


@pytest.mark.parametrize("name", ["exp", "exp2", "log", "log2", "sin", "cos"])
def test_function(name, tmp_path):
    x = inputs()
    result = run(tmp_path, unary, [x], {"F": name})
    with np.errstate(all="ignore"):
        exact = getattr(np, name)(x.astype(np.longdouble))
        rounded = exact.astype(np.float64)
    same = (result == rounded) | (np.isnan(result) & np.isnan(rounded))
    finite = np.isfinite(rounded)
    assert same[~finite].all(), x[~finite & ~same]
    x, result, exact, rounded = x[finite], result[finite], exact[finite], rounded[finite]
    error = np.abs(result - exact) / np.spacing(np.abs(rounded))
    assert error.max() <= 1.5, x[error.argmax()]


def test_remainder(tmp_path):
    x = inputs()
    y = np.random.default_rng(2).permutation(x)
    result = run(tmp_path, remainder, [x, y], {})
    with np.errstate(all="ignore"):
        expected = np.fmod(x, y)
    np.testing.assert_array_equal(result, expected)
