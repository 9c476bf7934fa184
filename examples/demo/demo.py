"""Runs the example kernels at several sizes, checks them against NumPy, and prints speed.

    make demo

Columns: the largest error against NumPy in fp64 (relative to the largest value), the speed
of Tritium and of NumPy on the same arrays (NumPy's matmul is OpenBLAS on the same number of
threads, in fp32 also for bf16 and int8), their ratio, and the time that the first launch took to
compile. The two run by turns; speeds are medians, and the ratio is the median of the turns' with
their quartiles. Plots and tables go to build/demo, with the machine that they are of; other
processes that computed meanwhile are named, because the numbers are then not those of this code.
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

import ml_dtypes
import numpy as np
from turns import BUSY, Others, cpuName, faster, spread, turns

import tritium as triton
from attention import attention, attention_numpy
from dropout import dropout, dropout_numpy
from layer_norm import layer_norm, layer_norm_numpy
from matmul import multiply
from softmax import softmax, softmax_grid_stride, softmax_numpy
from vector_add import add

OUTPUT = ROOT / "build" / "demo"
MEASURE_SECONDS = 0.5
SETTLE_SECONDS = 0.05
MACHINE = f"{cpuName()}, {THREADS} threads"
rng = np.random.default_rng(2)


def normal(*shape):
    return rng.standard_normal(shape, dtype=np.float32)


def inTurns(*functions):
    """Wall-clock seconds of each function's calls."""
    return turns(*functions, seconds=MEASURE_SECONDS, clock=time.perf_counter,
                 settle=SETTLE_SECONDS)


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
    # NumPy multiplies the same numbers in fp32.
    n, tiles = 1024, {"BM": 128, "BN": 128, "BK": 64}
    a32, b32 = (np.clip(np.round(32 * normal(n, n)), -127, 127) for _ in range(2))
    for name, dtype, sums in (("bf16", ml_dtypes.bfloat16, np.float32),
                              ("int8", np.int8, np.int32)):
        a, b, out = a32.astype(dtype), b32.astype(dtype), np.empty((n, n), sums)
        yield Case(f"matmul {name}", f"{n}x{n}x{n}", lambda: multiply(a, b, c=out, **tiles),
                   lambda: a32 @ b32, lambda: a32.astype(np.float64) @ b32,
                   0 if name == "int8" else 2e-6, gigaflops=2e-9 * n ** 3)
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
    times = inTurns(case.run, case.numpy)
    ours, numpys = (spread(list_).median for list_ in times)
    return (f"{case.kernel:<21}{case.size:>15}  {error:8.1e}  {case.work / ours:9.1f} "
            f"{case.work / numpys:9.1f} {case.unit:<8}{faster(*times):.2f}x".ljust(96)
            + f"{max(first - ours, 0) * 1e3:9.1f}{'' if right else '   WRONG'}"), right


def whileMeasuring(others):
    used = others.cpus()
    return (f"other processes used {used:.1f} CPUs"
            f"{': too busy to believe the speeds' if used > BUSY else ''}")


def plot(name, unit, xs, make, x_names, log=False, numpy="NumPy"):
    """Speed over size, Tritium's and NumPy's, by triton.testing.perf_report.

    `make(x)` answers the work of one call at a size, in units of 1e9, and the two functions.
    """
    others, speeds = Others(), {}
    for x in xs:
        work, *functions = make(x)
        speeds[x] = [spread(work / seconds for seconds in times) for times in inTurns(*functions)]
    caption = (f"{x_names[0]}\n{MACHINE}; medians of alternate runs, band: quartiles\n"
               f"{whileMeasuring(others)}")

    @triton.testing.perf_report(triton.testing.Benchmark(
        x_names=x_names, x_vals=xs, x_log=log, line_arg="provider", line_vals=[0, 1],
        line_names=["Tritium", numpy], plot_name=name, xlabel=caption, ylabel=unit, args={}))
    def point(provider, **size):
        return tuple(speeds[size[x_names[0]]][provider])

    point.run(save_path=str(OUTPUT))


def plots():
    """Speed over size for three kernels."""
    def vectorAdd(size):
        x, y, out = normal(size), normal(size), np.empty(size, np.float32)
        return 12e-9 * size, lambda: add(x, y, out), lambda: np.add(x, y, out=out)

    def rowSoftmax(columns):
        x, out = normal(1024, columns), np.empty((1024, columns), np.float32)
        return 8e-9 * x.size, lambda: softmax(x, out), lambda: softmax_numpy(x)

    def square(n):
        a, b, out = normal(n, n), normal(n, n), np.empty((n, n), np.float32)
        return 2e-9 * n ** 3, lambda: multiply(a, b, c=out), lambda: np.matmul(a, b, out=out)

    plot("vector-add", "GB/s", [2 ** i for i in range(12, 25, 2)], vectorAdd, ["size"], log=True)
    plot("softmax-1024-rows", "GB/s", [128 * i for i in range(1, 34, 4)], rowSoftmax, ["columns"])
    plot("matmul", "GFLOP/s", [128 * i for i in (1, 2, 3, 4, 6, 8)], square, ["M", "N", "K"],
         numpy="NumPy (OpenBLAS)")


def main():
    OUTPUT.mkdir(parents=True, exist_ok=True)
    begin, others = time.monotonic(), Others()
    header = (f"{'kernel':<21}{'size':>15}  {'error':>8}  {'Tritium':>9} {'NumPy':>9} "
              f"{'':<8}{'ratio (quartiles)'}".ljust(96) + f"{'compile ms':>10}")
    machine = f"{MACHINE}; fp32 where no type is named"
    print(machine)
    print(header)
    rows, wrong = [machine, header], 0
    for case in cases():
        row, right = measure(case)
        print(row, flush=True)
        rows.append(row)
        wrong += not right
    rows.append(whileMeasuring(others))
    print(rows[-1])
    (OUTPUT / "demo.txt").write_text("\n".join(rows) + "\n")
    print("plots ...", flush=True)
    plots()
    print(f"plots and this table: {OUTPUT} ({time.monotonic() - begin:.0f} s)")
    if wrong:
        print(f"{wrong} results are WRONG: the error is above the bound for the kernel")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
