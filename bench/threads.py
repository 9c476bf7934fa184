"""Many cores: how launches and kernels scale over threads of the CPU back end.

    bench/threads.py [THREADS...]    1, 2, 4, 8 .. up to the cores that the process may use

For each number of threads: what a launch of so many programs that do nothing costs over one of a
single program; softmax fp32 4096x4096 and matmul of 2048^3 in fp32 and bf16. Beside each, NumPy's
(OpenBLAS's for the product, on as many threads) and PyTorch's, where Python finds it. Wall-clock
medians by turns in one process, so the machine has to be idle: other processes' use stands in the
last line. Prints a table in Markdown; build/bench/threads.json has the numbers.
"""

import ctypes
import json
import os
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "build" / "bench"
CORES = len(os.sched_getaffinity(0))
os.environ["OPENBLAS_NUM_THREADS"] = str(CORES)
FEATURES = set(pathlib.Path("/proc/cpuinfo").read_text().split())
os.environ["OPENBLAS_CORETYPE"] = "SkylakeX" if "avx512f" in FEATURES else "Haswell"
sys.path[:0] = [str(ROOT / "examples"), str(ROOT / "examples" / "demo")]

import numpy as np
from arrays import asTorch, empty, given, normal
from turns import Others, cpuName, spread, turns

import tritium as triton
import tritium.language as tl
from matmul import multiply
from softmax import softmax, softmax_numpy


@triton.jit
def nothing(x_ptr, n):
    pass


def torchHere(threads):
    try:
        import torch
    except ImportError:
        return None
    torch.set_num_threads(threads)
    return torch


def openBLAS(threads):
    """sgemm on so many threads."""
    try:
        blas = ctypes.CDLL("libopenblas.so.0")
    except OSError:
        return None
    blas.openblas_set_num_threads(threads)
    one, zero = ctypes.c_float(1), ctypes.c_float(0)

    def multiplied(a, b, c):
        (m, k), n = a.shape, b.shape[1]
        at = [x.ctypes.data_as(ctypes.c_void_p) for x in (a, b, c)]
        blas.cblas_sgemm(101, 111, 111, m, n, k, one, at[0], k, at[1], n, zero, at[2], n)
    return multiplied


def launches(threads):
    """Microseconds that a launch of `threads` programs takes over one of a single program."""
    x, calls = normal((16,)), 2000
    whole, single = nothing[(threads,)], nothing[(1,)]

    def repeated(launcher):
        def run():
            for _ in range(calls):
                launcher(x, 16)
        return run

    several, one = turns(repeated(whole), repeated(single), seconds=1, clock=time.perf_counter)
    return spread((a - b) / calls * 1e6 for a, b in zip(several, one))


def speeds(threads, n=2048):
    """Rows of a name, a unit and the spread of speeds of Tritium and each baseline."""
    torch, sgemm = torchHere(threads), openBLAS(threads)
    a, b, c, d = normal((n, n)), normal((n, n)), empty((n, n)), empty((n, n))
    x, y = normal((4096, 4096)), empty((4096, 4096))
    a16, b16 = normal((n, n), "bf16"), normal((n, n), "bf16")
    ours16 = given(a16, "bf16"), given(b16, "bf16")
    tiles = {"BM": 128, "BN": 128, "BK": 64}
    work = {
        "softmax fp32 4096x4096": ("GB/s", 8e-9 * x.size, {
            "Tritium": lambda: softmax(x, y), "NumPy": lambda: softmax_numpy(x)}),
        f"matmul fp32 {n}^3": ("GFLOP/s", 2e-9 * n ** 3, {
            "Tritium": lambda: multiply(a, b, c=c, **tiles)}),
        f"matmul bf16 {n}^3": ("GFLOP/s", 2e-9 * n ** 3, {
            "Tritium": lambda: multiply(*ours16, c=c, **tiles)})}
    if sgemm:
        work[f"matmul fp32 {n}^3"][2]["OpenBLAS"] = lambda: sgemm(a, b, d)
    if torch:
        ta, tb, tx = map(torch.from_numpy, (a, b, x))
        ta16, tb16 = (asTorch(torch, m, "bf16") for m in (a16, b16))
        work["softmax fp32 4096x4096"][2]["PyTorch"] = lambda: torch.softmax(tx, 1)
        work[f"matmul fp32 {n}^3"][2]["PyTorch"] = lambda: torch.mm(ta, tb)
        work[f"matmul bf16 {n}^3"][2]["PyTorch"] = lambda: torch.mm(ta16, tb16)
    for name, (unit, amount, functions) in work.items():
        times = turns(*functions.values(), seconds=2, clock=time.perf_counter, settle=0.05)
        yield name, unit, {who: spread(amount / t for t in each)
                           for who, each in zip(functions, times)}


def main():
    counts = [int(text) for text in sys.argv[1:]] or [
        count for count in (1, 2, 4, 8, 16, 32, 64, 128) if count <= CORES]
    others, rows, first = Others(), [], {}
    print("| threads | work | Tritium | over one thread | beside |\n|---|---|---|---|---|")
    for threads in counts:
        triton.set_num_threads(threads)
        if threads > 1:
            cost = launches(threads)
            rows.append({"threads": threads, "work": "launch", "us": cost})
            print(f"| {threads} | a launch of {threads} programs | {cost:.2f} us | | |", flush=True)
        for name, unit, by in speeds(threads):
            ours = by.pop("Tritium")
            alone = first.setdefault(name, (threads, ours.median))
            gain = f"{ours.median / alone[1]:.2f} of {alone[0]}" if threads > alone[0] else ""
            beside = ", ".join(f"{who} {speed.median:.1f}" for who, speed in by.items())
            rows.append({"threads": threads, "work": name, "unit": unit, "tritium": ours, **by})
            print(f"| {threads} | {name} | {ours:.1f} {unit} | {gain} | {beside} |", flush=True)
    print(f"\n{cpuName()}, {CORES} cores; NumPy {np.__version__}; other processes used "
          f"{others.cpus():.2f} CPUs meanwhile")
    OUTPUT.mkdir(parents=True, exist_ok=True)
    (OUTPUT / "threads.json").write_text(json.dumps(
        {"cpu": cpuName(), "cores": CORES, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
