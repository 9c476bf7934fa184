"""Tritium's CPU back end against hand-written and vendors' code, in one process.

    make bench            everything, about two minutes
    bench/cpu.py NAME...  some of: add softmax matmul attention compile tune launch

Everything runs on one thread unless the row says otherwise. Candidates and baselines run by
turns, and the best time of each counts, so that noise of the machine hits both. What runs on
one thread is measured in that thread's time on its CPU: waiting for other processes does not
count. Prints a table in Markdown and writes it, with the numbers as JSON, to build/bench.
"""

import ctypes
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "build" / "bench"
CPUINFO = pathlib.Path("/proc/cpuinfo").read_text()
os.environ["TRITIUM_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"
# OpenBLAS takes CPUs that it does not know for old ones.
os.environ["OPENBLAS_CORETYPE"] = "SkylakeX" if "avx512f" in CPUINFO else "Haswell"
cache = tempfile.TemporaryDirectory(prefix="tritium-bench-")
os.environ["TRITON_CACHE_DIR"] = cache.name
sys.path[:0] = [str(ROOT / "examples")]

import ml_dtypes
import numpy as np

import tritium as triton
import tritium.language as tl
from attention import attention, attention_kernel
from matmul import matmul, multiply
from softmax import softmax, softmax_kernel, softmax_numpy
from vector_add import add, add_kernel

rng = np.random.default_rng(0)


def normal(*shape):
    return rng.standard_normal(shape, dtype=np.float32)


def best(*functions, seconds=1.5, clock=time.thread_time):
    """The shortest time of each function; they take turns."""
    for function in functions:
        function()
    times = [[] for _ in functions]
    end = time.perf_counter() + seconds * len(functions)
    while time.perf_counter() < end or len(times[0]) < 5:
        for function, list_ in zip(functions, times):
            start = clock()
            function()
            list_.append(clock() - start)
    return [min(list_) for list_ in times]


class Baselines:
    """The C baselines and Debian's OpenBLAS."""

    def __init__(self):
        self.c = self.build("baselines", "-ffast-math", "-fveclib=libmvec", "-lmvec", "-lm")
        self.c.softmax.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_int64] * 2
        peak = self.build("peak", "-ffp-contract=fast", "-mprefer-vector-width=512")
        self.fmaChains = peak.fmaChains
        self.fmaChains.restype = ctypes.c_double
        self.fmaChains.argtypes = [ctypes.c_int64, ctypes.c_void_p]
        self.blas = ctypes.CDLL("libopenblas.so.0")
        self.blas.openblas_get_corename.restype = ctypes.c_char_p
        self.blas.openblas_set_num_threads(1)

    @staticmethod
    def build(name, *options):
        library = OUTPUT / f"{name}.so"
        subprocess.run(["clang-19", "-O3", "-march=native", "-shared", "-fPIC",
                        ROOT / "bench" / f"{name}.c", "-o", library, *options], check=True)
        return ctypes.CDLL(str(library))

    def sgemm(self, a, b, c):
        M, K = a.shape
        N = b.shape[1]
        one, zero = ctypes.c_float(1), ctypes.c_float(0)
        self.blas.cblas_sgemm(101, 111, 111, M, N, K, one, a.ctypes.data_as(ctypes.c_void_p), K,
                              b.ctypes.data_as(ctypes.c_void_p), N, zero,
                              c.ctypes.data_as(ctypes.c_void_p), N)

    def peak(self):
        """fp32 operations a second of one core."""
        sink = (ctypes.c_float * 1)()
        times = []
        for _ in range(20):
            start = time.thread_time()
            operations = self.fmaChains(1_000_000, ctypes.addressof(sink))
            times.append(time.thread_time() - start)
        return operations / min(times)


rows = []


def row(work, ours, baseline, ratio, goal, better="more"):
    """One line of the table; `ratio` meets the goal if it is not worse."""
    met = ratio >= goal if better == "more" else ratio <= goal
    rows.append({"work": work, "tritium": ours, "baseline": baseline, "ratio": ratio, "goal": goal,
                 "better": better, "met": bool(met)})
    sign = ">=" if better == "more" else "<="
    print(f"| {work} | {ours} | {baseline} | {ratio:.2f} | {sign} {goal} | "
          f"{'yes' if met else 'NO'} |", flush=True)


def bench_add(_):
    n = 100_000_000
    x, y, ours, theirs = normal(n), normal(n), np.empty(n, np.float32), np.empty(n, np.float32)
    t, numpy = best(lambda: add(x, y, ours), lambda: np.add(x, y, out=theirs), seconds=3)
    assert np.array_equal(ours, theirs)
    row("vector add fp32, 100 M, against numpy.add(out=)", f"{12e-9 * n / t:.1f} GB/s",
        f"{12e-9 * n / numpy:.1f} GB/s", numpy / t, 1.0)
    if len(os.sched_getaffinity(0)) < 2:
        return

    def with_two():
        triton.set_num_threads(2)
        add(x, y, ours)
        triton.set_num_threads(1)

    one, two = best(lambda: add(x, y, ours), with_two, seconds=3, clock=time.perf_counter)
    row("vector add fp32, 100 M, 2 threads against 1", f"{12e-9 * n / two:.1f} GB/s",
        f"{12e-9 * n / one:.1f} GB/s", one / two, 1.0)


def bench_softmax(baselines):
    for n_rows, n_cols in ((4096, 1024), (4096, 4096)):
        x, ours = normal(n_rows, n_cols), np.empty((n_rows, n_cols), np.float32)
        theirs = np.empty_like(ours)
        pointers = theirs.ctypes.data, x.ctypes.data
        t, c, numpy = best(lambda: softmax(x, ours),
                           lambda: baselines.c.softmax(*pointers, n_rows, n_cols),
                           lambda: softmax_numpy(x))
        assert np.allclose(ours, theirs, atol=1e-6)
        speed = [f"{8e-9 * x.size / s:.1f} GB/s" for s in (t, c, numpy)]
        work = f"softmax fp32 {n_rows}x{n_cols}"
        row(f"{work}, against C with libmvec", speed[0], speed[1], c / t, 0.9)
        row(f"{work}, against NumPy", speed[0], speed[2], numpy / t, 4.0)


def bench_matmul(baselines):
    n = 1024
    a, b = normal(n, n), normal(n, n)
    a16, b16 = a.astype(ml_dtypes.bfloat16), b.astype(ml_dtypes.bfloat16)
    ours, theirs, ours16 = np.empty_like(a), np.empty_like(a), np.empty_like(a)
    t, t16, blas = best(lambda: multiply(a, b, c=ours), lambda: multiply(a16, b16, c=ours16),
                        lambda: baselines.sgemm(a, b, theirs))
    assert np.allclose(ours, theirs, atol=1e-3)
    assert np.allclose(ours16, a16.astype(np.float32) @ b16.astype(np.float32), atol=1e-3)
    work = 2e-9 * n ** 3
    core = baselines.blas.openblas_get_corename().decode()
    row("matmul fp32 1024^3, tiles 64x64x32, against OpenBLAS", f"{work / t:.1f} GFLOP/s",
        f"{work / blas:.1f} GFLOP/s ({core})", blas / t, 0.75)
    row("matmul bf16 1024^3, against the same fp32 number", f"{work / t16:.1f} GFLOP/s",
        f"{work / blas:.1f} GFLOP/s ({core})", blas / t16, 0.75)


def bench_attention(baselines):
    heads, N, D = 8, 1024, 64
    q, k, v = normal(heads, N, D), normal(heads, N, D), normal(heads, N, D)
    o = np.empty_like(q)
    peaks = [baselines.peak()]
    t, = best(lambda: attention(q, k, v, causal=False, o=o), seconds=4)
    peaks.append(baselines.peak())
    speed = 4.0 * heads * N * N * D / t
    row(f"attention forward fp32, N={N}, D={D}, against the FMA peak",
        f"{speed * 1e-9:.1f} GFLOP/s", f"{max(peaks) * 1e-9:.1f} GFLOP/s", speed / max(peaks), 0.5)


def first_launch(kernel, launch, repeats=7):
    """Milliseconds from source to a finished first launch, with nothing cached."""
    times = []
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as empty:
            os.environ["TRITON_CACHE_DIR"] = empty
            fresh = triton.jit(kernel.fn)
            start = time.thread_time()
            launch(fresh)
            times.append(time.thread_time() - start)
    os.environ["TRITON_CACHE_DIR"] = cache.name
    return statistics.median(times) * 1e3


def bench_compile(_):
    x = np.zeros(1 << 16, np.float32)

    def matmul_of(tile):
        return lambda kernel: kernel[(1,)](x, x.copy(), x.copy(), 64, 64, 64,
                                           BM=tile, BN=tile, BK=32)
    cases = [
        ("add", add_kernel, lambda k: k[(1,)](x, x, x.copy(), 16, BLOCK_SIZE=1024), 8),
        ("softmax", softmax_kernel,
         lambda k: k[(1,)](x.copy(), x, 64, 64, 64, BLOCK_SIZE=1024), 16),
        ("matmul", matmul, matmul_of(64), 22),
        ("attention", attention_kernel,
         lambda k: k[(1, 1)](x, x, x, x.copy(), 0.1, 64, D=64, BM=64, BN=64, CAUSAL=True), 55)]
    for name, kernel, launch, goal in cases:
        first_launch(kernel, launch, 2)
        took = first_launch(kernel, launch)
        row(f"compile {name}, source to first result, ms", f"{took:.1f}", f"{goal}", took / goal,
            1.0, "less")
    small, large = (first_launch(matmul, matmul_of(tile)) for tile in (64, 256))
    row("compile matmul, tiles of 256x256 against 64x64, ms", f"{large:.1f}", f"{small:.1f}",
        large / small, 1.3, "less")


@triton.jit
def nothing_kernel(a_ptr, b_ptr, c_ptr, n, scale):
    pass


def nothing(a, b, c, n, scale):
    pass


def bench_tune(_):
    """24 configurations of a matmul: compiled by the tuner, and one after the other."""
    a, b, c = normal(256, 256), normal(256, 256), np.empty((256, 256), np.float32)
    tiles = [(m, n, k) for m in (16, 32, 64, 96) for n in (32, 64, 128) for k in (16, 32)]
    configs = [triton.Config({"BM": m, "BN": n, "BK": k}) for m, n, k in tiles]
    grid = lambda meta: (triton.cdiv(256, meta["BM"]) * triton.cdiv(256, meta["BN"]),)  # noqa: E731
    os.environ |= {"TRITON_ALWAYS_COMPILE": "1", "TRITIUM_TUNING": "always"}
    together, apart = [], []
    for _ in range(3):
        tuned = triton.autotune(configs, key=[], rep=1)(triton.jit(matmul.fn))
        tuned[grid](a, b, c, 256, 256, 256)
        assert tuned.source == "measured" and not tuned.dropped
        together.append(tuned.compile_time)
        kernel = triton.jit(matmul.fn)
        start = time.perf_counter()
        for config in configs:
            kernel.warmup(a, b, c, 256, 256, 256, grid=(1,), **config.all_kwargs())
        apart.append(time.perf_counter() - start)
    del os.environ["TRITON_ALWAYS_COMPILE"], os.environ["TRITIUM_TUNING"]
    t, one = min(together), min(apart)
    row(f"compile 24 matmul configurations, {len(os.sched_getaffinity(0))} cores", f"{t:.2f} s",
        f"{one:.2f} s one by one", one / t, 1.6)


def bench_launch(_):
    a, b, c = normal(16), normal(16), normal(16)
    launcher = nothing_kernel[(1,)]
    launcher(a, b, c, 16, 0.5)

    def each(function):
        times = []
        for _ in range(30):
            start = time.perf_counter()
            for _ in range(5000):
                function(a, b, c, 16, 0.5)
            times.append((time.perf_counter() - start) / 5000)
        return min(times) * 1e6

    over = each(launcher) - each(nothing)
    row("launch from Python, 5 arguments, grid 1, over an empty call, us", f"{over:.2f}", "1.5",
        over / 1.5, 1.0, "less")

    def subscripted(*arguments):
        nothing_kernel[(1,)](*arguments)
    print(f"(with the grid's subscript in the call: {each(subscripted) - each(nothing):.2f} us)")


BENCHES = {"add": bench_add, "softmax": bench_softmax, "matmul": bench_matmul,
           "attention": bench_attention, "compile": bench_compile, "tune": bench_tune,
           "launch": bench_launch}


def main():
    names = sys.argv[1:] or list(BENCHES)
    if unknown := [name for name in names if name not in BENCHES]:
        sys.exit(f"no such benchmark: {' '.join(unknown)}; there are: {' '.join(BENCHES)}")
    OUTPUT.mkdir(parents=True, exist_ok=True)
    model = next((line.split(":")[1].strip() for line in CPUINFO.splitlines()
                  if line.startswith("model name")), "unknown CPU")
    print(f"{model}; NumPy {np.__version__}\n")
    print("| work | Tritium | baseline | ratio | goal | met |\n|---|---|---|---|---|---|")
    baselines = Baselines()
    for name in names:
        BENCHES[name](baselines)
    table = ["| work | Tritium | baseline | ratio | goal |", "|---|---|---|---|---|"]
    table += [f"| {r['work']} | {r['tritium']} | {r['baseline']} | {r['ratio']:.2f} | "
              f"{'>=' if r['better'] == 'more' else '<='} {r['goal']} |" for r in rows]
    (OUTPUT / "cpu.md").write_text("\n".join(table) + "\n")
    (OUTPUT / "cpu.json").write_text(json.dumps({"cpu": model, "rows": rows}, indent=1) + "\n")
    return 0 if all(r["met"] for r in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
