"""The same kernels as code for several CPUs, against NumPy: those of x86 where this machine has
their instructions, those of AArch64 by qemu, as a CPU of the first version of the architecture, and
as one with all that qemu knows."""

import importlib.util
import json
import math
import pathlib
import platform
import re
import shutil
import struct
import subprocess

import ml_dtypes
import numpy as np
import pytest

import cpu_kernels
import tritium

HERE = pathlib.Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"
COMMAND = pathlib.Path(tritium.__file__).absolute().parents[2] / "bin" / "tritium"
COMPILER = "aarch64-linux-gnu-gcc"
# What code is compiled for, and what qemu runs it as.
CPUS = {"x86-64": "", "haswell": "", "skylake-avx512": "", "icelake-server": "", "znver4": "",
        "sapphirerapids": "", "aarch64": "cortex-a57", "neoverse-v1": "max"}
TYPES = {"float64": "fp64", "float32": "fp32", "float16": "fp16", "bfloat16": "bf16",
         "float8_e4m3fn": "fp8e4nv", "float8_e5m2": "fp8e5", "int8": "i8", "uint8": "u8",
         "int16": "i16", "int32": "i32", "uint32": "u32", "int64": "i64"}

def call(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def runner(tmp_path_factory):
    if not (shutil.which("qemu-aarch64") and shutil.which(COMPILER)):
        pytest.skip("there is no qemu-aarch64, or no compiler for AArch64")
    path = tmp_path_factory.mktemp("aarch64") / "run_object"
    call(COMPILER, "-O1", HERE / "run_object.c", "-o", path, "-ldl", "-lpthread")
    return path


@pytest.fixture(params=CPUS)
def run(request, tmp_path, monkeypatch):
    """run(file, kernel, grid, *arguments, **constants): runs a kernel, whose arrays are changed."""
    if not CPUS[request.param]:
        monkeypatch.setenv("TRITIUM_CPU", request.param)
        return runHere
    runner = request.getfixturevalue("runner")

    def launch(file, kernel, grid, *arguments, **constants):
        emulate(runner, tmp_path, request.param, file, kernel, grid, arguments, constants,
                CPUS[request.param])
    return launch


def runHere(file, kernel, grid, *arguments, **constants):
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    try:
        getattr(module, kernel)[grid](*arguments, **constants)
    except tritium.errors.OptionError as error:
        if "this machine lacks" not in str(error):
            raise
        pytest.skip(str(error))


def emulate(runner, folder, cpu, file, kernel, grid, arguments, constants, emulated):
    """Runs a kernel, compiled for `cpu`, on the CPU `emulated` of qemu."""
    def compiled(*more):
        kinds = [f"*{TYPES[a.dtype.name]}" if isinstance(a, np.ndarray) else
                 "fp32" if isinstance(a, float) else "i32" for a in arguments]
        given = [x for name, value in constants.items()
                 for x in ("--constexpr", f"{name}={value!r}")]
        return call(COMMAND, "compile", file, "--kernel", kernel, "--signature", ",".join(kinds),
                    *given, "--target", f"cpu:{cpu}", *more)

    about = json.loads(compiled("--emit", "json"))
    compiled("--emit", "obj", "-o", folder / "kernel.o")
    call(COMPILER, "-shared", folder / "kernel.o", "-lm", "-o", folder / "kernel.so")
    numbers = [about["scratch_bytes"], *grid, *(1,) * (3 - len(grid)), len(arguments)]
    for a in arguments:
        if isinstance(a, np.ndarray):
            numbers += [1, a.nbytes]
        else:
            packed = struct.pack("<f", a) if isinstance(a, float) else struct.pack("<i", a)
            numbers += [0, int.from_bytes(packed, "little")]
    arrays = [a for a in arguments if isinstance(a, np.ndarray)]
    (folder / "in").write_bytes(struct.pack(f"<{len(numbers)}q", *numbers)
                                + b"".join(a.tobytes() for a in arrays))
    call("qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", "-cpu", emulated, runner,
         folder / "kernel.so", about["entry"], folder / "in", folder / "out")
    results = (folder / "out").read_bytes()
    for a in arrays:
        a[...] = np.frombuffer(results[:a.nbytes], a.dtype).reshape(a.shape)
        results = results[a.nbytes:]
    assert not results


@pytest.fixture
def rng():
    return np.random.default_rng(11)


def normal(rng, *shape, dtype=np.float32):
    return rng.standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16, np.int8, np.int64])
def test_add(run, rng, dtype):
    x, y = (normal(rng, 781, dtype=np.float32) * 9 for _ in range(2))
    x, y, out = x.astype(dtype), y.astype(dtype), np.zeros(781, dtype)
    run(HERE / "cpu_kernels.py", "add", (4,), x, y, out, 781, N=256)
    np.testing.assert_array_equal(out, x + y)


@pytest.mark.parametrize("rows, columns", [(3, 781), (9, 1024), (1, 1)])
def test_softmax(run, rng, rows, columns):
    x, out = normal(rng, rows, columns), np.zeros((rows, columns), np.float32)
    run(EXAMPLES / "softmax.py", "softmax_kernel", (rows,), out, x, columns, columns, columns,
        BLOCK_SIZE=(columns + 15) // 16 * 16)
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    np.testing.assert_allclose(out, e / e.sum(1, keepdims=True), rtol=3e-6)


@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16, np.float16])
@pytest.mark.parametrize("M, N, K", [(65, 47, 33), (64, 64, 64), (1, 3, 130)])
def test_matmul(run, rng, dtype, M, N, K):
    a, b = normal(rng, M, K, dtype=dtype), normal(rng, K, N, dtype=dtype)
    c = np.zeros((M, N), np.float32)
    run(EXAMPLES / "matmul.py", "matmul", (-(-M // 32) * -(-N // 32), 1), a, b, c, M, N, K, BM=32,
        BN=32, BK=32)
    wide = a.astype(np.float64), b.astype(np.float64)
    np.testing.assert_allclose(c, wide[0] @ wide[1], rtol=0, atol=4e-5 * math.sqrt(K))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("M, N, K", [(33, 70, 65), (64, 64, 128)])
def test_matmul_of_integers(run, rng, M, N, K, dtype):
    info = np.iinfo(dtype)
    a, b = (rng.integers(info.min, info.max, shape, dtype, endpoint=True)
            for shape in ((M, K), (K, N)))
    c = np.zeros((M, N), np.int32)
    run(HERE / "cpu_kernels.py", "integers", (-(-M // 32), -(-N // 32)), a, b, c, M, N, K,
        BM=32, BN=32, BK=64)
    np.testing.assert_array_equal(c, a.astype(np.int32) @ b.astype(np.int32))


@pytest.mark.parametrize("causal, dtype, tolerance", [
    (False, np.float32, 2e-6), (True, np.float32, 2e-6), (True, ml_dtypes.bfloat16, 2e-2)])
def test_attention(run, rng, causal, dtype, tolerance):
    heads, n, d = 2, 77, 32
    q, k, v = (normal(rng, heads, n, d, dtype=dtype) for _ in range(3))
    out = np.zeros_like(q)
    run(EXAMPLES / "attention.py", "attention_kernel", (-(-n // 32), heads), q, k, v, out, 0.25, n,
        D=d, BM=32, BN=32, CAUSAL=causal)
    scores = 0.25 * (q.astype(np.float64) @ k.astype(np.float64).transpose(0, 2, 1))
    if causal:
        scores = np.where(np.tri(n, dtype=bool), scores, -np.inf)
    e = np.exp(scores - scores.max(-1, keepdims=True))
    np.testing.assert_allclose(out.astype(np.float64),
                               e / e.sum(-1, keepdims=True) @ v.astype(np.float64), rtol=0,
                               atol=tolerance)


@pytest.mark.parametrize("M, N", [(7, 61), (16, 64), (1, 1)])
def test_reductions(run, rng, M, N):
    x, sums, tops = normal(rng, M, N), np.zeros(M, np.float32), np.zeros(M, np.float32)
    places = np.zeros(M, np.int32)
    run(HERE / "cpu_kernels.py", "reductions", (-(-M // 4),), x, sums, tops, places, M, N, BM=4,
        BN=64)
    np.testing.assert_allclose(sums, x.sum(1, dtype=np.float64), rtol=0, atol=1e-5)
    np.testing.assert_array_equal(tops, x.max(1))
    np.testing.assert_array_equal(places, x.argmax(1))


@pytest.mark.parametrize("N", [16, 144, 781])
def test_extremes_of_computed_numbers(run, rng, N):
    """NaNs do not count unless there is nothing else."""
    x = normal(rng, 16, N)
    x[rng.random(x.shape) < 0.5] = np.nan
    x[3], x[5], x[7, 3], x[8, 2] = np.nan, -np.inf, np.inf, -np.inf
    tops, lows = np.zeros(16, np.float32), np.zeros(16, np.float32)
    run(HERE / "cpu_kernels.py", "extremes", (4,), x, tops, lows, M=4, N=N)
    np.testing.assert_array_equal(tops, np.fmax.reduce(2 * x, 1))
    np.testing.assert_array_equal(lows, np.fmin.reduce(2 * x, 1))


def test_scans(run, rng):
    x = rng.integers(-9, 9, (3, 781)).astype(np.float32)
    out, back = np.zeros_like(x), np.zeros_like(x)
    run(HERE / "cpu_kernels.py", "scans", (3,), x, out, back, 781, N=1024)
    np.testing.assert_array_equal(out, x.cumsum(1))
    np.testing.assert_array_equal(back, x[:, ::-1].cumsum(1)[:, ::-1])


CASTS = [("float32", "float16"), ("float16", "float32"), ("float32", "bfloat16"),
         ("bfloat16", "float32"), ("float64", "bfloat16"), ("float64", "float16"),
         ("float32", "float8_e4m3fn"), ("float8_e4m3fn", "float32"), ("float32", "float8_e5m2"),
         ("float8_e5m2", "float16"), ("int32", "float16"), ("uint32", "float32"),
         ("int8", "int64"), ("int64", "int16"), ("float32", "int32")]


@pytest.mark.parametrize("source, to", CASTS)
def test_casts(run, rng, source, to):
    source, to = np.dtype(source), np.dtype(to)
    if source.kind in "iu":
        info = np.iinfo(source)
        x = rng.integers(info.min, info.max, 333, source, endpoint=True)
    else:
        x = (normal(rng, 333) * np.exp2(rng.uniform(-9, 6, 333))).astype(source)
        if to.kind == "f" or to.name.startswith(("bf", "float8")):
            x[:4] = 0., -0., 1e-5, np.nan
    if to.name == "float16" and source.kind == "i":
        x = x % 60000
    out = np.zeros(333, to)
    run(HERE / "cpu_kernels.py", "cast", (3,), x, out, 333, N=128)
    np.testing.assert_array_equal(out.astype(np.float64), x.astype(to).astype(np.float64))


def test_atomics(run, rng):
    x = rng.integers(0, 1000, 1000, dtype=np.int32)
    counts, total = np.zeros(16, np.int32), np.zeros(1, np.float32)
    top, lock, plain = (np.zeros(1, np.int32) for _ in range(3))
    run(HERE / "cpu_kernels.py", "atomics", (32,), x, counts, total, top, lock, plain, 1000,
        N=32)
    np.testing.assert_array_equal(counts, np.bincount(x % 16, minlength=16))
    assert (total[0], top[0], lock[0], plain[0]) == (x.sum(), x.max(), 0, 32)


@pytest.mark.parametrize("kind", ["fp16", "bf16", "fp32", "fp64"])
def test_exclusive_stores_are_looked_at(kind, tmp_path):
    """On the first AArch64 a store that another thread came before fails and says so."""
    call(COMMAND, "compile", HERE / "cpu_kernels.py", "--kernel", "atomics", "--signature",
         f"*i32,*i32,*{kind},*i32,*i32,*i32,i32,32", "--target", "cpu:aarch64", "--emit", "asm",
         "-o", tmp_path / "kernel.s")
    stores = re.findall(r"\bstl?xr[bh]?\s+(w\w+)", (tmp_path / "kernel.s").read_text())
    assert len(stores) >= 5 and "wzr" not in stores


@pytest.mark.parametrize("dtype, tolerance", [(np.float32, 3e-7), (np.float64, 1e-15)])
def test_functions(run, rng, dtype, tolerance):
    x, n = normal(rng, 131, dtype=dtype) * 5, 131
    out = np.zeros((8, n), dtype)
    run(HERE / "cpu_kernels.py", "functions", (1,), x, out, n, N=256)
    wide = x.astype(np.float64)
    exact = [np.exp(wide), np.log(np.abs(wide)), np.sin(wide), np.cos(wide),
             np.vectorize(math.erf)(wide), np.sqrt(np.abs(wide)), np.exp2(wide), np.floor(wide)]
    for ours, theirs in zip(out, exact):
        np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=0)


def test_rearranged(run, rng):
    x, index = normal(rng, 32, 32), rng.integers(0, 1024, 32, dtype=np.int32)
    done = np.zeros_like(x), np.zeros_like(x), np.zeros(32, np.float32)
    run(HERE / "cpu_kernels.py", "rearranged", (1,), x, index, *done, N=32)
    for ours, theirs in zip(done, (np.sort(x), x.T, x.ravel()[index])):
        np.testing.assert_array_equal(ours, theirs)


def test_code_is_of_its_version():
    """The CPU of the first version traps at later instructions, so tests on it show that code for
    it has none. Code for the other one has some."""
    def text(cpu):
        return call(COMMAND, "compile", HERE / "cpu_kernels.py", "--kernel", "atomics",
                    "--signature", "*i32,*i32,*fp32,*i32,*i32,*i32,i32", "--constexpr", "N=32",
                    "--target", f"cpu:{cpu}")
    assert "ldadd" in text("neoverse-v1") and "ldadd" not in text("aarch64")


@pytest.mark.parametrize("cpu, lacked", [("neoverse-v1", "aarch64"), ("aarch64", "aarch64"),
                                         ("arrowlake-s", "avxvnniint16")])
def test_a_cpu_that_has_more_than_this_machine(monkeypatch, cpu, lacked):
    """An error before it is run, whatever the code uses of it."""
    if platform.machine() != "x86_64":
        pytest.skip("for a machine of x86")
    monkeypatch.setenv("TRITIUM_CPU", cpu)
    x, out = np.ones(8, np.float32), np.zeros(8, np.float32)
    with pytest.raises(tritium.errors.OptionError) as caught:
        cpu_kernels.add[(1,)](x, x, out, 8, N=8)
    assert f"compiled for the CPU '{cpu}', whose instructions (" in str(caught.value)
    assert lacked in str(caught.value) and "leave TRITIUM_CPU unset" in str(caught.value)
    monkeypatch.delenv("TRITIUM_CPU")
    cpu_kernels.add[(1,)](x, x, out, 8, N=8)
    assert (out == 2).all()
