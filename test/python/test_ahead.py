"""Code compiled ahead: what its metadata and its C header say of launches, and running it so."""

import ctypes
import json
import os
import pathlib
import re
import subprocess

import numpy as np
import pytest

import tritium

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(tritium.__file__).absolute().parents[2]
COMMAND = BUILD / "bin" / "tritium"
PAGE = (ROOT / "docs" / "ahead.md").read_text()
CUDA = pathlib.Path("/usr/local/cuda/include/cuda.h")

KERNELS = """
import triton
import triton.language as tl

@triton.jit
def grouped(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
            GROUP: tl.constexpr):
    pid = tl.program_id(0)
    rows = tl.cdiv(M, BM)
    width = GROUP * tl.cdiv(N, BN)
    first = pid // width * GROUP
    size = min(rows - first, GROUP)
    pid_m = first + (pid % width) % size
    pid_n = (pid % width) // size
    offs_m = (pid_m * BM + tl.arange(0, BM)) % M
    offs_n = (pid_n * BN + tl.arange(0, BN)) % N
    offs_k = tl.arange(0, BK)
    a = a_ptr + offs_m[:, None] * K + offs_k[None, :]
    b = b_ptr + offs_k[:, None] * N + offs_n[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(tl.load(a), tl.load(b), acc)
        a += BK
        b += BK * N
    m, n = pid_m * BM + tl.arange(0, BM), pid_n * BN + tl.arange(0, BN)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc, mask=(m < M)[:, None] & (n < N)[None, :])

@triton.jit
def mixed(out_ptr, x_ptr, half, single, double, byte, flag, wide, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, i < n).to(tl.float64)
    y = x * double + single + half.to(tl.float64) + byte + wide.to(tl.float64)
    tl.store(out_ptr + i, tl.where(flag, y, -y), i < n)

@triton.jit
def speaks(x_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.device_print("x is", x)
    tl.device_assert(x < 5, "x is too large")
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "kernels.py").write_text(KERNELS)
    return tmp_path


def compile_kernel(folder, kernel, signature, *more):
    done = subprocess.run([COMMAND, "compile", folder / "kernels.py", "--kernel", kernel,
                           "--signature", signature, *map(str, more)],
                          capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return done.stdout


def build(folder, source, *objects, compiler=("cc", "-std=c99", "-pedantic")):
    """Compiles a source that includes headers, without a warning."""
    path = folder / ("main.cpp" if "++" in compiler[0] else "main.c")
    # A name of its own: a library of the same name would not be loaded again.
    library = folder / f"main{len(list(folder.glob('*.so')))}.so"
    path.write_text(source)
    done = subprocess.run([*compiler, "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-O1",
                           path, *objects, "-lm", "-o", library],
                          capture_output=True, text=True, timeout=100, cwd=folder)
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(library)


def exported(kernel, parameters, what="launch"):
    """A function of the library that hands its arguments on to the header's."""
    names = re.findall(r"(\w+)(?:,|$)", parameters)
    parameters += ", uint32_t gx, uint32_t gy, uint32_t gz"
    return (f'#include "{kernel}.h"\nint run({parameters});\nint run({parameters}) {{\n'
            f"  return {kernel}_{what}({', '.join(names)}, gx, gy, gz);\n}}\n")


def pointer(array):
    return ctypes.c_void_p(array.ctypes.data)


TILES = ("--constexpr", "BM=16", "--constexpr", "BN=32", "--constexpr", "BK=16", "--constexpr",
         "GROUP=2")


@pytest.mark.parametrize("compiler", [("cc", "-std=c99", "-pedantic"), ("c++", "-std=c++11")])
def test_cpu_object_with_scratch(folder, compiler):
    compile_kernel(folder, "grouped", "*fp32,*fp32,*fp32:16,i32,i32:16,i32:16", *TILES,
                   "--emit", "obj", "-o", folder / "grouped.o", "--header", folder / "grouped.h")
    description = json.loads(compile_kernel(folder, "grouped",
                                            "*fp32,*fp32,*fp32:16,i32,i32:16,i32:16", *TILES,
                                            "--emit", "json"))
    assert description["scratch_bytes"] > 0
    header = (folder / "grouped.h").read_text()
    assert f"#define grouped_scratch_bytes {description['scratch_bytes']} " in header
    assert f'#define grouped_symbol "{description["entry"]}"' in header
    rules = description["launch_rules"]
    assert [rule["kind"] for rule in rules[:2]] == ["grid_not_empty", "grid_in_limits"]
    multiples = {rule["parameter"]: rule["divisor"] for rule in rules
                 if rule["kind"] == "multiple"}
    assert multiples == {"c_ptr": 16, "N": 16, "K": 16}
    source = exported("grouped", "const float *a, const float *b, float *c, int m, int n, int k")
    main = build(folder, source.replace("\nint run", '\nextern "C" int run')
                 if "++" in compiler[0] else source, folder / "grouped.o", compiler=compiler)
    rng = np.random.default_rng(0)
    m, n, k = 50, 96, 64
    a, b = rng.standard_normal((m, k), np.float32), rng.standard_normal((k, n), np.float32)
    c = np.zeros((m, n), np.float32)
    grid = (-(-m // 16) * -(-n // 32), 1, 1)
    arguments = [pointer(a), pointer(b), pointer(c), m, n, k]
    assert main.run(*arguments, *grid) == 0
    np.testing.assert_allclose(c, a @ b, rtol=1e-4, atol=1e-4)

    def broken(*arguments):
        number = main.run(*arguments)
        return rules[number - 1]["text"] if number else None

    c[:] = 0
    assert broken(*arguments, 0, 1, 1) == "each dimension of the grid is at least 1"
    assert "the grid is at most" in broken(*arguments, 1 << 31, 1, 1)
    assert broken(*arguments[:3], m, n + 1, k, *grid) == "16 divides N"
    assert broken(*arguments[:2], ctypes.c_void_p(c.ctypes.data + 4), m, n, k, *grid) == (
        "16 divides the address c_ptr")
    assert not c.any()


def test_cpu_arguments_of_every_kind(folder):
    compile_kernel(folder, "mixed", "*fp64,*fp32,fp16,fp32,fp64,i8,i1,u64,i32", "--constexpr",
                   "BLOCK=64", "--emit", "obj", "-o", folder / "mixed.o", "--header",
                   folder / "mixed.h")
    main = build(folder, exported("mixed", "double *out, const float *x, float half, "
                                  "float single, double wide, int8_t byte, uint8_t flag, "
                                  "uint64_t big, int32_t n"), folder / "mixed.o")
    x, out = np.arange(100, dtype=np.float32), np.zeros(100)
    main.run.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_float, ctypes.c_float,
                         ctypes.c_double, ctypes.c_int8, ctypes.c_uint8, ctypes.c_uint64,
                         ctypes.c_int32, *[ctypes.c_uint32] * 3]
    for flag in (0, 1, 2):
        assert main.run(out.ctypes.data, x.ctypes.data, 0.5, 2.25, -1.5, -3, flag, 1 << 63, 100,
                        2, 1, 1) == 0
        expected = x.astype(np.float64) * -1.5 + 2.25 + 0.5 - 3 + 2.0**63
        np.testing.assert_array_equal(out, expected if flag else -expected)


def test_cpu_prints_and_asserts(folder):
    compile_kernel(folder, "speaks", "*i32", "--constexpr", "N=4", "--debug", "--emit", "obj", "-o",
                   folder / "speaks.o", "--header", folder / "speaks.h")
    (folder / "main.c").write_text("""#include "speaks.h"
int main(void) {
  int32_t small[4] = {-1, 2, 3, 4}, large[4] = {1, 2, 3, 5};
  int good = speaks_launch(small, 1, 1, 1), bad = speaks_launch(large, 1, 1, 1);
  printf("%d %d\\n", good, bad);
  return 0;
}
""")
    subprocess.run(["cc", "-std=c99", "-Wall", "-Werror", "-O2", "main.c", "speaks.o", "-lm", "-o",
                    "main"], cwd=folder, check=True, timeout=100)
    done = subprocess.run([folder / "main"], capture_output=True, text=True, timeout=100)
    lines = done.stdout.splitlines()
    assert lines[0] == "pid (0, 0, 0) idx (0) x is: -1" and lines[-1] == "0 -2"
    assert len(lines) == 9
    assert re.search(r"kernels.py:\d+: error: assertion failed in program \(0, 0, 0\): "
                     "x is too large", done.stderr)


SIGNATURE = "*fp16:16,*fp16:16,*fp32:16,i32,i32:16,i32:16"


def test_gpu_grid_within_the_matrix(folder):
    """What the code relies on of the grid is in the check: a program too many breaks a rule."""
    compile_kernel(folder, "grouped", SIGNATURE, *TILES, "--target", "cuda:80", "--emit", "ptx",
                   "-o", folder / "grouped.ptx", "--header", folder / "grouped.h")
    description = json.loads(compile_kernel(folder, "grouped", SIGNATURE, *TILES, "--target",
                                            "cuda:80", "--emit", "json"))
    rules = description["launch_rules"]
    positive = [rule for rule in rules if rule["kind"] == "at_least_one"]
    assert any(rule["text"].startswith("min(") for rule in positive)
    assert all(len(rule["steps"]) % 2 == 0 for rule in positive)
    assert "does_not_wrap" in {rule["kind"] for rule in rules}
    assert [rule["parameters"] for rule in rules if rule["kind"] == "no_overlap"] == [
        ["a_ptr", "c_ptr"], ["b_ptr", "c_ptr"]]
    header = (folder / "grouped.h").read_text()
    assert f"#define grouped_threads {32 * description['num_warps']} " in header
    assert f"#define grouped_shared_bytes {description['shared']} " in header
    assert f'.entry {description["entry"]}(' in (folder / "grouped.ptx").read_text()
    main = build(folder, exported("grouped", "uint64_t a, size_t as, uint64_t b, size_t bs, "
                                  "uint64_t c, size_t cs, int m, int n, int k", "check"))

    def broken(*arguments):
        number = main.run(*(ctypes.c_uint64(x) if i < 6 else x for i, x in enumerate(arguments)))
        return rules[number - 1] if number else None

    m, n, k = 48, 48, 32
    a, b, c = 1 << 32, 2 << 32, 3 << 32
    arguments = (a, 2 * m * k, b, 2 * k * n, c, 4 * m * n, m, n, k)
    assert broken(*arguments, 6, 1, 1) is None
    assert broken(*arguments, 8, 1, 1) is None
    # The scalar is 0, or what divides by it is not known.
    assert broken(*arguments, 9, 1, 1)["kind"] in ("at_least_one", "does_not_wrap")
    assert broken(*arguments, 6, 65536, 1)["kind"] == "grid_in_limits"
    assert broken(a + 2, *arguments[1:], 6, 1, 1)["text"] == "16 divides the address a_ptr"
    assert broken(*arguments[:7], 47, k, 6, 1, 1)["text"] == "16 divides N"
    assert broken(*arguments[:6], 0x7fffffff, n, k, 6, 1, 1)["kind"] in ("at_least_one",
                                                                         "does_not_wrap")
    overlapping = broken(a, 2 * m * k, b, 2 * k * n, b + 16, 4 * m * n, m, n, k, 6, 1, 1)
    assert overlapping["parameters"] == ["b_ptr", "c_ptr"]
    # Reading the same twice is no matter.
    assert broken(a, 2 * m * k, a, 2 * k * n, *arguments[4:], 6, 1, 1) is None
    unknown = ctypes.c_size_t(-1).value
    assert broken(a, unknown, *arguments[2:], 6, 1, 1)["kind"] == "no_overlap"


@pytest.mark.skipif(not CUDA.exists(), reason="no cuda.h")
@pytest.mark.parametrize("target, options", [
    ("cuda:80", ()), ("cuda:90", ("--option", "num_ctas=2", "--option", "launch_pdl=True")),
    ("cuda:90", ("--option", "launch_cooperative_grid=True"))])
def test_gpu_launch_compiles(folder, target, options):
    compile_kernel(folder, "mixed", "*fp64,*fp32,fp16,fp32,fp64,i8,i1,u64,i32", "--constexpr",
                   "BLOCK=64", "--target", target, *options, "--emit", "header", "-o",
                   folder / "mixed.h")
    (folder / "main.c").write_text("""#include <cuda.h>
#include "mixed.h"
CUresult run(CUfunction f, CUstream s, CUdeviceptr out, CUdeviceptr x);
CUresult run(CUfunction f, CUstream s, CUdeviceptr out, CUdeviceptr x) {
  return mixed_launch(f, s, out, 800, x, 400, 0x3c00, 1.5f, 2.5, 1, 1, 5, 100, 2, 1, 1);
}
""")
    subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-isystem", CUDA.parent, "-c",
                    "main.c"], cwd=folder, check=True, timeout=100)


def test_triton_c_writes_a_header_for_each_choice(tmp_path):
    source = tmp_path / "scale.tc"
    source.write_text("""void scale(float *x, int n) {
  int i[T] = get_program_id(0) * T + 0 ... T;
  float *p[T] = x + i;
  bool inside[T] = i < n;
  *?(inside)p = *?(inside)p * 2;
}
""")
    done = subprocess.run([COMMAND, "compile", source, "-DT=[32,64]", "--signature", ":16",
                           "--emit", "obj", "-o", tmp_path / "scale.o", "--header",
                           tmp_path / "scale.h"], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    for choice in ("T32", "T64"):
        assert "16 divides the address x" in (tmp_path / f"scale.{choice}.h").read_text()
        main = build(tmp_path, exported(f"scale.{choice}", "float *x, int n").replace(
            f"scale.{choice}_", "scale_"), tmp_path / f"scale.{choice}.o")
        x = np.ones(100, np.float32)
        assert main.run(pointer(x), 100, 4 if choice == "T32" else 2, 1, 1) == 0
        assert (x == 2).all()


def test_page(tmp_path):
    """The example of docs/ahead.md prints what the page says."""
    def only(language):
        (block,) = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.M | re.S)
        return block
    (tmp_path / "softmax.py").write_text(only("python"))
    (tmp_path / "main.c").write_text(only("c"))
    path = f"{COMMAND.parent}:{os.environ['PATH']}"
    done = subprocess.run(["bash", "-e", "-c", only("sh")], cwd=tmp_path, capture_output=True,
                          text=True, env={**os.environ, "PATH": path}, timeout=100)
    assert (done.returncode, done.stdout) == (0, only("text")), done.stderr
