"""Tritium's CPU back end against hand-written and vendors' code.

    make bench                     everything, behind what matrix.py measures
    bench/cpu.py [--busy] NAME...  some of: add softmax scan sort matmul attention pieces
                                   compile tune launch

Everything runs on one thread unless the row says otherwise. Candidates and baselines run by turns
in one process; a ratio is the median of the turns' ratios, with their quartiles. What runs on one
thread is measured in that thread's time on its CPU, so waiting for other processes does not count,
but caches and memory are shared with them all the same: while others compute, nothing is measured
(--busy: it is, and the rows say so). Baselines in C are built by gcc and clang in several ways; the
fastest counts, and is named. Prints a table in Markdown and writes it, with the numbers as JSON, to
build/bench. Exit status: 1 where a goal is missed, 2 on a busy machine.
"""

import argparse
import ctypes
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "build" / "bench"
os.environ["TRITIUM_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"
# OpenBLAS takes CPUs that it does not know for old ones.
FEATURES = set(pathlib.Path("/proc/cpuinfo").read_text().split())
os.environ["OPENBLAS_CORETYPE"] = "SkylakeX" if "avx512f" in FEATURES else "Haswell"
cache = tempfile.TemporaryDirectory(prefix="tritium-bench-")
os.environ["TRITON_CACHE_DIR"] = cache.name
sys.path[:0] = [str(ROOT / "examples"), str(ROOT / "examples" / "demo")]

import first_launch
import ml_dtypes
import numpy as np
from baselines import Baselines
from turns import BUSY, Others, cpuName, faster, spread, turns

import tritium as triton
import tritium.language as tl
from attention import attention
from matmul import matmul, multiply
from softmax import softmax, softmax_numpy
from vector_add import add

CPUS = len(os.sched_getaffinity(0))
rng = np.random.default_rng(0)
rows = []


def normal(*shape):
    return rng.standard_normal(shape, dtype=np.float32)


def inTurns(*functions, seconds=1.5, clock=time.thread_time):
    return turns(*functions, seconds=seconds, clock=clock)


def rate(work, times, unit):
    """The median speed, of `work` in units."""
    return f"{work / spread(times).median:.1f} {unit}"


def row(work, ours, baseline, ratio=None, goal=None, better="more"):
    """One line of the table; the median of `ratio` meets the goal if it is not worse."""
    met = (None if ratio is None else
           bool(ratio.median >= goal if better == "more" else ratio.median <= goal))
    rows.append({"work": work, "tritium": ours, "baseline": baseline, "ratio": ratio, "goal": goal,
                 "better": better, "met": met})
    print(text(rows[-1]), flush=True)


def text(r):
    ratio = f"{r['ratio']:.2f}" if r["ratio"] else ""
    goal = f"{'>=' if r['better'] == 'more' else '<='} {r['goal']}" if r["ratio"] else ""
    met = {None: "", True: "yes", False: "NO"}[r["met"]]
    return f"| {r['work']} | {r['tritium']} | {r['baseline']} | {ratio} | {goal} | {met} |"


HEAD = ("| work | Tritium | baseline | ratio (quartiles) | goal | met |\n"
        "|---|---|---|---|---|---|")


def benchAdd(baselines):
    n = 100_000_000
    x, y, ours, theirs = normal(n), normal(n), np.empty(n, np.float32), np.empty(n, np.float32)
    pointers = theirs.ctypes.data, x.ctypes.data, y.ctypes.data
    compiler, inC = baselines.fastest(lambda library: library.add(*pointers, n))
    t, c, numpy = inTurns(lambda: add(x, y, ours), inC, lambda: np.add(x, y, out=theirs),
                          seconds=3)
    assert np.array_equal(ours, theirs)
    work = 12e-9 * n
    row("vector add fp32, 100 M, against numpy.add(out=)", rate(work, t, "GB/s"),
        rate(work, numpy, "GB/s"), faster(t, numpy), 1.0)
    row(f"vector add fp32, 100 M, against C ({compiler})", rate(work, t, "GB/s"),
        rate(work, c, "GB/s"), faster(t, c), 1.0)
    if CPUS < 2:
        return

    def withTwo():
        triton.set_num_threads(2)
        add(x, y, ours)
        triton.set_num_threads(1)

    one, two = inTurns(lambda: add(x, y, ours), withTwo, seconds=3, clock=time.perf_counter)
    row("vector add fp32, 100 M, 2 threads against 1", rate(work, two, "GB/s"),
        rate(work, one, "GB/s"), faster(two, one), 1.0)


def benchSoftmax(baselines):
    for n_rows, n_cols in ((4096, 1024), (4096, 4096)):
        x, ours = normal(n_rows, n_cols), np.empty((n_rows, n_cols), np.float32)
        theirs = np.empty_like(ours)
        pointers = theirs.ctypes.data, x.ctypes.data
        compiler, inC = baselines.fastest(
            lambda library: library.softmax(*pointers, n_rows, n_cols))
        t, c, numpy = inTurns(lambda: softmax(x, ours), inC, lambda: softmax_numpy(x))
        assert np.allclose(ours, theirs, atol=1e-6)
        work, name = 8e-9 * x.size, f"softmax fp32 {n_rows}x{n_cols}"
        row(f"{name}, against C with libmvec ({compiler})", rate(work, t, "GB/s"),
            rate(work, c, "GB/s"), faster(t, c), 1.2 if "avx512f" in FEATURES else 0.9)
        row(f"{name}, against NumPy", rate(work, t, "GB/s"), rate(work, numpy, "GB/s"),
            faster(t, numpy), 4.0)


@triton.jit
def running_sums(x_ptr, out_ptr, ROWS: tl.constexpr, N: tl.constexpr, REVERSE: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    at = rows[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out_ptr + at, tl.cumsum(tl.load(x_ptr + at), 1, REVERSE))


def benchScan(_):
    rows, n = 16384, 1024
    x = normal(rows, n)
    out, copied = np.empty_like(x), np.empty_like(x)

    def sums(each, reverse=False):
        return lambda: running_sums[(rows // each,)](x, out, each, n, reverse)

    sums(1)()
    assert np.allclose(out, np.cumsum(x, 1, np.float64), atol=1e-3)
    one, some, reverse, copy = inTurns(sums(1), sums(8), sums(1, True),
                                       lambda: np.copyto(copied, x), seconds=3)
    work = 8e-9 * x.size
    for name, t, goal in (("a row a program", one, 0.9), ("8 rows a program", some, 0.9),
                          ("a row a program, from the end", reverse, 0.4)):
        row(f"cumsum fp32 {rows}x{n}, {name}, against a copy", rate(work, t, "GB/s"),
            rate(work, copy, "GB/s"), faster(t, copy), goal)


@triton.jit
def sorted_rows(x_ptr, out_ptr, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out_ptr + at, tl.sort(tl.load(x_ptr + at)))


def benchSort(_):
    rows, n = 2048, 1024
    x, out = normal(rows, n), np.empty((rows, n), np.float32)
    sorted_rows[(rows,)](x, out, n)
    assert np.array_equal(out, np.sort(x, 1))
    t, numpy = inTurns(lambda: sorted_rows[(rows,)](x, out, n), lambda: np.sort(x, 1))
    row(f"sort fp32 {rows}x{n}, against NumPy", rate(1e-6 * x.size, t, "M/s"),
        rate(1e-6 * x.size, numpy, "M/s"), faster(t, numpy), 0.5)


def benchMatmul(baselines):
    n = 1024
    a, b = normal(n, n), normal(n, n)
    a16, b16 = a.astype(ml_dtypes.bfloat16), b.astype(ml_dtypes.bfloat16)
    ours, theirs, ours16 = np.empty_like(a), np.empty_like(a), np.empty_like(a)
    t, t16, blas = inTurns(lambda: multiply(a, b, c=ours), lambda: multiply(a16, b16, c=ours16),
                           lambda: baselines.sgemm(a, b, theirs))
    assert np.allclose(ours, theirs, atol=1e-3)
    assert np.allclose(ours16, a16.astype(np.float32) @ b16.astype(np.float32), atol=1e-3)
    work = 2e-9 * n ** 3
    baseline = f"{rate(work, blas, 'GFLOP/s')} ({baselines.core()})"
    row("matmul fp32 1024^3, tiles 64x64x32, against OpenBLAS", rate(work, t, "GFLOP/s"), baseline,
        faster(t, blas), 0.75)
    row("matmul bf16 1024^3, against the same fp32 number", rate(work, t16, "GFLOP/s"), baseline,
        faster(t16, blas), 0.75)


def benchAttention(baselines):
    heads, N, D = 8, 1024, 64
    q, k, v = normal(heads, N, D), normal(heads, N, D), normal(heads, N, D)
    o, sink = np.empty_like(q), (ctypes.c_float * 1)()
    _, chains = baselines.fastest(
        lambda library: library.fmaChains(1_000_000, ctypes.addressof(sink)))
    t, peak = inTurns(lambda: attention(q, k, v, causal=False, o=o), chains, seconds=2)
    work, operations = 4.0 * heads * N * N * D, chains()
    # Each turn's share of the peak: work and operations differ, so the times alone do not say it.
    ratio = spread((work / a) / (operations / b) for a, b in zip(t, peak))
    row(f"attention forward fp32, N={N}, D={D}, against the FMA peak",
        rate(work * 1e-9, t, "GFLOP/s"), rate(operations * 1e-9, peak, "GFLOP/s"), ratio, 0.5)


def benchPieces(_):
    """The compiler's own pieces, by a program in C++."""
    subprocess.run(["ninja", "-C", ROOT / "build", "bench-pieces"], check=True,
                   stdout=subprocess.DEVNULL)
    done = subprocess.run([ROOT / "build" / "bin" / "bench-pieces"], check=True,
                          capture_output=True, text=True)
    for piece in map(json.loads, done.stdout.splitlines()):
        ours, unit = spread(piece["ours"]), piece["unit"]
        if "theirs" not in piece:
            row(piece["name"], f"{ours:.2f} {unit}", "3 ms", spread(x / 3 for x in piece["ours"]),
                1.0, "less")
            continue
        isProduct = piece["name"].startswith("product")
        against = "multiply-adds on registers" if isProduct else "libm in f64"
        theirs = spread(piece["theirs"])
        row(f"{piece['name']}, against {against}", f"{ours.median:.2f} {unit}",
            f"{theirs.median:.2f} {unit}", faster(piece["theirs"], piece["ours"]),
            0.5 if isProduct else 1.0)


def benchCompile(_):
    goals = {"add": 8, "softmax": 16, "matmul": 22, "attention": 55}
    for name, goal in goals.items():
        first_launch.here(name)
        cold, whole = zip(*(first_launch.apart(name) for _ in range(7)))
        warm = [first_launch.here(name) for _ in range(7)]
        row(f"compile {name}, source to first result, warm", f"{spread(warm):.1f} ms",
            f"{goal} ms", spread(ms / goal for ms in warm), 1.0, "less")
        row("the same, the first of a new process", f"{spread(cold):.1f} ms",
            f"whole process {spread(whole):.0f} ms")
    pairs = [[first_launch.here(name) for name in ("matmul", "matmul of 256x256")]
             for _ in range(7)]
    small, large = (spread(list_) for list_ in zip(*pairs))
    row("compile matmul, tiles of 256x256 against 64x64", f"{large.median:.1f} ms",
        f"{small.median:.1f} ms", spread(b / a for a, b in pairs), 1.3, "less")


def benchTune(_):
    """24 configurations of a matmul: compiled by the tuner, and one after the other."""
    a, b, c = normal(256, 256), normal(256, 256), np.empty((256, 256), np.float32)
    tiles = [(m, n, k) for m in (16, 32, 64, 96) for n in (32, 64, 128) for k in (16, 32)]
    configs = [triton.Config({"BM": m, "BN": n, "BK": k}) for m, n, k in tiles]

    def grid(meta):
        return (triton.cdiv(256, meta["BM"]) * triton.cdiv(256, meta["BN"]),)

    os.environ |= {"TRITON_ALWAYS_COMPILE": "1", "TRITIUM_TUNING": "always"}
    together, apart = [], []
    for _ in range(5):
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
    row(f"compile 24 matmul configurations, {CPUS} CPUs", f"{spread(together).median:.2f} s",
        f"{spread(apart).median:.2f} s one by one", faster(together, apart), 1.6)


@triton.jit
def nothing_kernel(a_ptr, b_ptr, c_ptr, n, scale):
    pass


def nothing(a, b, c, n, scale):
    pass


def benchLaunch(_):
    a, b, c, calls = normal(16), normal(16), normal(16), 5000
    launcher = nothing_kernel[(1,)]

    def subscripted(*arguments):
        nothing_kernel[(1,)](*arguments)

    def repeated(function):
        def run():
            for _ in range(calls):
                function(a, b, c, 16, 0.5)
        return run

    kernel, empty, whole = inTurns(*map(repeated, (launcher, nothing, subscripted)),
                                   clock=time.perf_counter)
    over = [(x - y) / calls * 1e6 for x, y in zip(kernel, empty)]
    row("launch from Python, 5 arguments, grid 1, over an empty call",
        f"{spread(over).median:.2f} us", "1.5 us", spread(us / 1.5 for us in over), 1.0, "less")
    subscript = spread((x - y) / calls * 1e6 for x, y in zip(whole, empty))
    row("the same, with the grid's subscript in the call", f"{subscript.median:.2f} us", "")


BENCHES = {"add": benchAdd, "softmax": benchSoftmax, "scan": benchScan,
           "sort": benchSort, "matmul": benchMatmul, "attention": benchAttention,
           "pieces": benchPieces, "compile": benchCompile, "tune": benchTune,
           "launch": benchLaunch}


def othersNow():
    others = Others()
    time.sleep(2)
    return others.cpus()


def parsed():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--busy", action="store_true",
                        help="measure beside other processes all the same")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in BENCHES]:
        parser.error(f"no such benchmark: {' '.join(unknown)}; there are: {' '.join(BENCHES)}")
    return options


def main():
    options = parsed()
    others = othersNow()
    if others > BUSY and not options.busy:
        print(f"other processes use {others:.2f} of {CPUS} CPUs: numbers would not be those of "
              f"this code. Wait until the machine is idle, or run with --busy.")
        return 2
    OUTPUT.mkdir(parents=True, exist_ok=True)
    baselines = Baselines(ROOT, OUTPUT)
    print(HEAD)
    for name in options.names or BENCHES:
        others, first = Others(), len(rows)
        BENCHES[name](baselines)
        used = others.cpus()
        for each in rows[first:]:
            each["others"] = round(used, 2)
    most = max(each["others"] for each in rows)
    about = (f"{cpuName()}, {CPUS} CPUs; NumPy {np.__version__}; other processes used up to "
             f"{most:.2f} CPUs meanwhile{': TOO BUSY to believe' if most > BUSY else ''}")
    print(f"\n{about}")
    (OUTPUT / "cpu.md").write_text("\n".join([HEAD, *map(text, rows), "", about, ""]))
    (OUTPUT / "cpu.json").write_text(json.dumps(
        {"cpu": cpuName(), "cpus": CPUS, "others": most, "rows": rows}, indent=1) + "\n")
    if most > BUSY:
        return 2
    return 1 if any(each["met"] is False for each in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
