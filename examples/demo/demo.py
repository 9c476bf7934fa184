"""Runs the example kernels at several sizes, checks them against NumPy, and prints speed.

    make demo

Columns: the largest error against NumPy in fp64 (relative to the largest value), the speed
of Tritium and of NumPy on the same arrays (NumPy's matmul is OpenBLAS on the same number of
threads), their ratio, and the time that the first launch took to compile. Plots and tables
go to build/demo.
"""

import os
import pathlib
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
THREADS = int(os.environ.setdefault("TRITIUM_NUM_THREADS", str(len(os.sched_getaffinity(0)))))
os.environ["OPENBLAS_NUM_THREADS"] = str(THREADS)
# OpenBLAS takes CPUs that it does not know for old ones.
os.environ["OPENBLAS_CORETYPE"] = (
    "SkylakeX" if "avx512f" in pathlib.Path("/proc/cpuinfo").read_text() else "Haswell")
os.environ.setdefault("MPLBACKEND", "Agg")
# An empty cache, so that the compile times are those of a first use.
cache = tempfile.TemporaryDirectory(prefix="tritium-demo-")
os.environ["TRITON_CACHE_DIR"] = cache.name
sys.path.insert(0, str(ROOT / "examples"))

import numpy as np

import tritium as triton
from attention import attention, attention_numpy
from dropout import dropout, dropout_numpy
from layer_norm import layer_norm, layer_norm_numpy
from matmul import multiply
from softmax import softmax, softmax_grid_stride, softmax_numpy
from vector_add import add

OUTPUT = ROOT / "build" / "demo"
MEASURE_SECONDS = 0.2
rng = np.random.default_rng(2)


def normal(*shape):
    return rng.standard_normal(shape, dtype=np.float32)


def seconds(function):
    """The median time of one call."""
    function()
    times = []
    end = time.perf_counter() + MEASURE_SECONDS
    while time.perf_counter() < end or len(times) < 3:
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return sorted(times)[len(times) // 2]


class Case:
    """One kernel at one size: what runs, what it is compared with, how much work it is."""

    def __init__(self, kernel, size, run, numpy, exact, tolerance, gigabytes=0, gigaflops=0):
        self.kernel, self.size, self.run, self.numpy = kernel, size, run, numpy
        self.exact, self.tolerance = exact, tolerance
        self.work = gigabytes or gigaflops
        self.unit = "GB/s" if gigabytes else "GFLOP/s"


def cases():
    for n in (98432, 1 << 20, 10_000_019):
        x, y, out = normal(n), normal(n), np.empty(n, np.float32)
        yield Case("vector add", f"{n:,}", lambda: add(x, y, out),
                   lambda: np.add(x, y, out=out), lambda: x + y, 0, gigabytes=12e-9 * n)
    for rows, cols in ((1823, 781), (4096, 1024), (1024, 8191)):
        x, out = normal(rows, cols), np.empty((rows, cols), np.float32)
        yield Case("softmax", f"{rows}x{cols}", lambda: softmax(x, out),
                   lambda: softmax_numpy(x), lambda: softmax_numpy(x.astype(np.float64)), 1e-6,
                   gigabytes=8e-9 * x.size)
    x = normal(1823, 781)
    yield Case("softmax, grid stride", "1823x781", lambda: softmax_grid_stride(x),
               lambda: softmax_numpy(x), lambda: softmax_numpy(x.astype(np.float64)), 1e-6,
               gigabytes=8e-9 * x.size)
    for rows, cols in ((1151, 781), (4096, 1024), (1024, 8191)):
        x, weight, bias = normal(rows, cols), normal(cols), normal(cols)
        out = np.empty_like(x)
        yield Case("layer norm", f"{rows}x{cols}", lambda: layer_norm(x, weight, bias, y=out)[0],
                   lambda: layer_norm_numpy(x, weight, bias),
                   lambda: layer_norm_numpy(x.astype(np.float64), weight, bias), 2e-6,
                   gigabytes=8e-9 * x.size)
    for M, N, K in ((256, 256, 256), (1000, 333, 517), (1024, 1024, 1024)):
        a, b, out = normal(M, K), normal(K, N), np.empty((M, N), np.float32)
        yield Case("matmul", f"{M}x{N}x{K}", lambda: multiply(a, b, c=out),
                   lambda: np.matmul(a, b, out=out),
                   lambda: a.astype(np.float64) @ b.astype(np.float64), 2e-6,
                   gigaflops=2e-9 * M * N * K)

        def leaky(c):
            return np.where(c >= 0, c, 0.01 * c)

        yield Case("matmul + leaky ReLU", f"{M}x{N}x{K}",
                   lambda: multiply(a, b, "leaky_relu", c=out), lambda: leaky(a @ b),
                   lambda: leaky(a.astype(np.float64) @ b.astype(np.float64)), 2e-6,
                   gigaflops=2e-9 * M * N * K)
    for n in (98432, 1 << 22):
        x, out = normal(n), np.empty(n, np.float32)
        yield Case("dropout", f"{n:,}", lambda: dropout(x, 0.25, 7, out),
                   lambda: np.where(rng.random(n, np.float32) > 0.25, x / 0.75, 0),
                   lambda: dropout_numpy(x.astype(np.float64), 0.25, 7), 2e-7, gigabytes=8e-9 * n)
    for heads, N, D in ((8, 256, 64), (4, 1000, 80), (4, 1024, 64)):
        q, k, v = normal(heads, N, D), normal(heads, N, D), normal(heads, N, D)
        out = np.empty_like(q)
        yield Case("attention, causal", f"{heads}x{N}x{D}", lambda: attention(q, k, v, o=out),
                   lambda: attention_numpy(q, k, v),
                   lambda: attention_numpy(*(z.astype(np.float64) for z in (q, k, v))), 4e-6,
                   gigaflops=2e-9 * heads * N * N * D)


def measure(case):
    """Runs one case; returns the cells of its row and whether the result was right."""
    start = time.perf_counter()
    result = case.run()
    first = time.perf_counter() - start
    exact = case.exact()
    error = float(np.max(np.abs(result - exact)) / np.max(np.abs(exact)))
    right = bool(error <= case.tolerance)  # False for NaN too.
    ours, numpys = seconds(case.run), seconds(case.numpy)
    return (f"{case.kernel:<21}{case.size:>15}  {error:8.1e}  {case.work / ours:9.1f} "
            f"{case.work / numpys:9.1f} {case.unit:<8}{numpys / ours:7.2f}x "
            f"{max(first - ours, 0) * 1e3:9.1f}{'' if right else '   WRONG'}"), right


def plots():
    """Speed over size for three kernels, by triton.testing.perf_report."""
    lines = {"line_arg": "provider", "line_vals": ["tritium", "numpy"],
             "line_names": ["Tritium", "NumPy"]}
    quick = {"warmup": 5, "rep": 40, "return_mode": "median"}

    @triton.testing.perf_report(triton.testing.Benchmark(
        x_names=["size"], x_vals=[2 ** i for i in range(12, 25, 2)], x_log=True,
        plot_name="vector-add", ylabel="GB/s", args={}, **lines))
    def vectorAdd(size, provider):
        x, y, out = normal(size), normal(size), np.empty(size, np.float32)
        run = (lambda: add(x, y, out)) if provider == "tritium" else (lambda: np.add(x, y, out=out))
        return 12e-6 * size / triton.testing.do_bench(run, **quick)

    @triton.testing.perf_report(triton.testing.Benchmark(
        x_names=["columns"], x_vals=[128 * i for i in range(1, 34, 4)],
        plot_name="softmax-1024-rows", ylabel="GB/s", args={}, **lines))
    def rowSoftmax(columns, provider):
        x, out = normal(1024, columns), np.empty((1024, columns), np.float32)
        run = (lambda: softmax(x, out)) if provider == "tritium" else (lambda: softmax_numpy(x))
        return 8e-6 * x.size / triton.testing.do_bench(run, **quick)

    @triton.testing.perf_report(triton.testing.Benchmark(
        x_names=["M", "N", "K"], x_vals=[128 * i for i in (1, 2, 3, 4, 6, 8)],
        plot_name="matmul", ylabel="GFLOP/s", args={},
        **{**lines, "line_names": ["Tritium", "NumPy (OpenBLAS)"]}))
    def square(M, N, K, provider):
        a, b, out = normal(M, K), normal(K, N), np.empty((M, N), np.float32)
        run = ((lambda: multiply(a, b, c=out)) if provider == "tritium"
               else (lambda: np.matmul(a, b, out=out)))
        return 2e-6 * M * N * K / triton.testing.do_bench(run, **quick)

    for benchmark in (vectorAdd, rowSoftmax, square):
        benchmark.run(save_path=str(OUTPUT))


def main():
    OUTPUT.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    header = (f"{'kernel':<21}{'size':>15}  {'error':>8}  {'Tritium':>9} {'NumPy':>9} "
              f"{'':<8}{'ratio':>8} {'compile ms':>10}")
    print(f"{THREADS} threads, fp32")
    print(header)
    rows, wrong = [header], 0
    for case in cases():
        row, right = measure(case)
        print(row, flush=True)
        rows.append(row)
        wrong += not right
    (OUTPUT / "demo.txt").write_text("\n".join(rows) + "\n")
    print("plots ...", flush=True)
    plots()
    print(f"plots and this table: {OUTPUT} ({time.monotonic() - begin:.0f} s)")
    if wrong:
        print(f"{wrong} results are WRONG: the error is above the bound for the kernel")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
