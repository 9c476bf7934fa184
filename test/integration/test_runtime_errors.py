"""Accesses out of bounds, assertions, damaged caches, processes that compile at once."""

import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl


@triton.jit
def reach(x_ptr, out_ptr, first, N: tl.constexpr):
    offs = tl.program_id(0) * N + tl.arange(0, N)
    x = tl.load(x_ptr + first + offs)  # LOAD
    tl.store(out_ptr + offs, x)  # STORE


def line_of(marker):
    text = pathlib.Path(__file__).read_text().splitlines()
    return next(number for number, line in enumerate(text, 1) if line.endswith("# " + marker))


@pytest.mark.parametrize("first,program,lane", [(1, 3, 15), (-1, 0, 0), (40, 1, 8)])
def test_load_out_of_bounds(monkeypatch, first, program, lane):
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    x, out = np.zeros(64, np.float32), np.zeros(64, np.float32)
    with pytest.raises(Exception) as caught:
        reach[(4,)](x, out, first, N=16)
    message = str(caught.value)
    assert f"{pathlib.Path(__file__).name}:{line_of('LOAD')}" in message, message
    assert re.search(rf"program\D*{program}\b", message), message
    assert re.search(rf"(lane|element)\D*{lane}\b", message), message


def test_store_out_of_bounds(monkeypatch):
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    x, out = np.zeros(64, np.float32), np.zeros(60, np.float32)
    with pytest.raises(Exception) as caught:
        reach[(4,)](x, out, 0, N=16)
    assert f"{pathlib.Path(__file__).name}:{line_of('STORE')}" in str(caught.value)


@triton.jit
def asserting(x_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.device_assert(x < 5, "x must be below five")
    tl.store(x_ptr + tl.arange(0, N), x + 1)


@pytest.mark.parametrize("backend", ("interpret", "cpu"))
def test_device_assert(monkeypatch, backend):
    monkeypatch.setenv("TRITIUM_BACKEND", backend)
    x = np.arange(5, dtype=np.int32)
    asserting[(1,)](x, N=5, debug=True)
    with pytest.raises(Exception, match="x must be below five"):
        asserting[(1,)](x, N=5, debug=True)
    # What stands behind the assertion does not run.
    assert x.tolist() == [1, 2, 3, 4, 5]


def test_device_assert_is_off_by_default(monkeypatch):
    monkeypatch.setenv("TRITIUM_BACKEND", "cpu")
    monkeypatch.delenv("TRITON_DEBUG", raising=False)
    x = np.arange(10, dtype=np.int32)
    asserting[(1,)](x, N=10)
    assert x[9] == 10


@triton.jit
def printing(x_ptr, N: tl.constexpr):
    tl.static_print("the tile has", N, "elements")
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.device_print("x is", x)


@pytest.mark.parametrize("backend", ("interpret", "cpu"))
def test_prints(tmp_path, backend):
    script = tmp_path / "script.py"
    script.write_text(f"""
import sys
sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
import numpy as np
from test_runtime_errors import printing
printing[(1,)](np.array([7, 11, 13], np.int32), N=3)
""")
    result = run(script, tmp_path, TRITIUM_BACKEND=backend)
    assert result.returncode == 0, result.stderr
    output = result.stdout + result.stderr
    assert "the tile has 3 elements" in output
    assert output.count("x is") == 3
    for value in ("7", "11", "13"):
        assert re.search(rf"x is.*\b{value}\b", output)


SCRIPT = """
import numpy as np
import tritium as triton
import tritium.language as tl

@triton.jit
def kernel(x_ptr, N: tl.constexpr):
    offs = tl.arange(0, N)
    tl.store(x_ptr + offs, tl.exp(offs * 0.5) + tl.sum(offs.to(tl.float32), axis=0))

x = np.zeros(100, np.float32)
kernel[(1,)](x, N=100)
offs = np.arange(100)
assert np.allclose(x, np.exp(offs * 0.5) + offs.sum(), rtol=1e-6), x
print("right")
"""


def run(script, cache, **environment):
    return subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "TRITON_CACHE_DIR": str(cache), **environment})


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "kernel_script.py"
    path.write_text(SCRIPT)
    return path


def files_in(cache):
    return [path for path in pathlib.Path(cache).rglob("*") if path.is_file()]


@pytest.mark.parametrize("damage", ("truncate", "empty", "noise", "flip", "directory"))
def test_damaged_cache(script, tmp_path, damage):
    cache = tmp_path / "cache"
    assert run(script, cache, TRITIUM_BACKEND="cpu").stdout == "right\n"
    assert files_in(cache), "nothing was cached"
    for path in files_in(cache):
        content = path.read_bytes()
        if damage == "truncate":
            path.write_bytes(content[:len(content) // 2])
        elif damage == "empty":
            path.write_bytes(b"")
        elif damage == "noise":
            path.write_bytes(np.random.default_rng(0).bytes(len(content)))
        elif damage == "flip":
            middle = len(content) // 2
            path.write_bytes(content[:middle] + bytes([content[middle] ^ 255]) +
                             content[middle + 1:])
        else:
            path.unlink()
            path.mkdir()
    result = run(script, cache, TRITIUM_BACKEND="cpu")
    assert result.returncode == 0 and result.stdout == "right\n", result.stderr
    assert run(script, cache, TRITIUM_BACKEND="cpu").stdout == "right\n"


@pytest.mark.parametrize("place", ("/proc/nowhere", "/dev/null/cache", "file"))
def test_cache_that_cannot_be_written(script, tmp_path, place):
    cache = place
    if place == "file":
        cache = tmp_path / "file"
        cache.write_text("not a folder")
    result = run(script, cache, TRITIUM_BACKEND="cpu")
    assert result.returncode == 0 and result.stdout == "right\n", result.stderr


def test_cache_that_is_read_only(script, tmp_path):
    cache = tmp_path / "cache"
    cache.mkdir()
    cache.chmod(0o500)
    result = run(script, cache, TRITIUM_BACKEND="cpu")
    cache.chmod(0o700)
    assert result.returncode == 0 and result.stdout == "right\n", result.stderr


def test_many_processes_compile_at_once(script, tmp_path):
    environment = {**os.environ, "TRITON_CACHE_DIR": str(tmp_path / "cache"),
                   "TRITIUM_BACKEND": "cpu"}
    processes = [subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, env=environment)
                 for _ in range(6)]
    for process in processes:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0 and out == "right\n", err


def test_cached_object_is_used(script, tmp_path):
    cache = tmp_path / "cache"
    run(script, cache, TRITIUM_BACKEND="cpu")
    before = {path: path.stat().st_mtime_ns for path in files_in(cache)}
    assert run(script, cache, TRITIUM_BACKEND="cpu").stdout == "right\n"
    assert {path: path.stat().st_mtime_ns for path in files_in(cache)} == before


FACTOR = 2


@triton.jit
def with_global(x_ptr):
    tl.store(x_ptr, FACTOR * 10)


def test_a_global_that_changes_is_noticed(monkeypatch):
    """The second launch sees the new value, or says that it cannot; never the old one."""
    x = np.zeros(1, np.int32)
    with_global[(1,)](x)
    assert x[0] == 20
    monkeypatch.setitem(globals(), "FACTOR", 3)
    try:
        with_global[(1,)](x)
    except triton.TritonError as error:
        assert "FACTOR" in str(error)
    else:
        assert x[0] == 30


@triton.jit
def combined(x_ptr, y_ptr, out_ptr, N: tl.constexpr, OP: tl.constexpr):
    offs = tl.arange(0, N)
    x, y = tl.load(x_ptr + offs), tl.load(y_ptr + offs)
    if OP == "+":
        z = x + y
    elif OP == "-":
        z = x - y
    elif OP == "*":
        z = x * y
    else:
        z = tl.add(x, y, sanitize_overflow=False)
    tl.store(out_ptr + offs, z)


OVERFLOWS = [("+", np.int32, 2**31 - 1, 1), ("-", np.int32, -2**31, 1), ("*", np.int16, 256, 128),
             ("-", np.uint32, 3, 4), ("*", np.uint32, 2**16, 2**16), ("+", np.uint8, 255, 1),
             ("*", np.int32, -2**31, -1)]


@pytest.mark.parametrize("backend", ("interpret", "cpu", "sim:sm_80"))
@pytest.mark.parametrize("op,dtype,x,y", OVERFLOWS)
def test_overflow(monkeypatch, backend, op, dtype, x, y):
    monkeypatch.setenv("TRITIUM_BACKEND", backend)
    left, right, out = np.ones(8, dtype), np.ones(8, dtype), np.zeros(8, dtype)
    combined[(1,)](left, right, out, N=8, OP=op, debug=True)
    left[5], right[5] = x, y
    combined[(1,)](left, right, out, N=8, OP=op, debug=True, sanitize_overflow=False)
    combined[(1,)](left, right, out, N=8, OP=op)
    if op == "+":
        combined[(1,)](left, right, out, N=8, OP="add", debug=True)
    with pytest.raises(triton.DeviceAssertionError,
                       match=rf"{np.dtype(dtype).name} overflow of '\{op}'"):
        combined[(1,)](left, right, out, N=8, OP=op, debug=True)


@triton.jit
def library_and_combiners(x_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(out_ptr, tl.sum(x) + tl.reduce(x, 0, adds))
    tl.store(out_ptr + 1 + tl.arange(0, N), tl.randint(3, x))


@triton.jit
def adds(a, b):
    return a + b


def test_overflow_in_the_library_and_in_combiners_is_none(monkeypatch):
    monkeypatch.setenv("TRITIUM_BACKEND", "cpu")
    x = np.array([2**31 - 1, 1, 2**31 - 1, 1], np.int32)
    out = np.zeros(5, np.int32)
    library_and_combiners[(1,)](x, out, N=4, debug=True)
    assert out[0] == 0
