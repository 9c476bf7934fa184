"""Products of all types, attention and rows on one core, against the best code that there is.

    bench/matrix.py [--seconds S] [--out FILE.json] [--list] [WORDS...]   rows whose names have all
                                                                          of the words

Beside oneDNN (onednn.py), OpenBLAS in NumPy, PyTorch where Python finds it, and C by gcc and clang
(baselines.py), by turns in one process on one thread, in the thread's own time. Of several tiles
the fastest counts, and of several baselines; the ratio is that of turns, its median with the
quartiles. What does not compile here, or has no baseline, says so in its row and leaves the others
alone. Needs Python with NumPy, Tritium (PYTHONPATH may name an unpacked bundle's `python`), and a C
compiler. Prints a table in Markdown. Exit status: 1 where a result is wrong.
"""

import argparse
import json
import os
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FEATURES = set(pathlib.Path("/proc/cpuinfo").read_text().split())
os.environ |= {name: "1" for name in ("TRITIUM_NUM_THREADS", "OPENBLAS_NUM_THREADS",
                                      "OMP_NUM_THREADS", "MKL_NUM_THREADS")}
# OpenBLAS takes CPUs that it does not know for old ones.
os.environ.setdefault("OPENBLAS_CORETYPE", "SkylakeX" if "avx512f" in FEATURES else "Haswell")
sys.path[:0] = [str(ROOT / "examples"), str(ROOT / "examples" / "demo")]

import numpy as np
from arrays import STORED, asTorch, empty, given, normal, rng, widened
from baselines import Baselines
from onednn import OneDNN
from turns import Others, cpuName, faster, spread, turns

import tritium as triton
import tritium.language as tl
from attention import attention_kernel, attention_numpy
from layer_norm import layer_norm_kernel, layer_norm_numpy
from softmax import softmax_kernel, softmax_numpy


@triton.jit
def product(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
            TURNED: tl.constexpr, PRECISION: tl.constexpr):
    """C = A @ B, of matrices whose sizes the tiles divide; x goes along the rows of C."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    sums: tl.constexpr = tl.int32 if a_ptr.dtype.element_ty == tl.int8 else tl.float32
    acc = tl.zeros((BM, BN), sums)
    for k in range(0, K, BK):
        a = tl.load(a_ptr + rows[:, None] * K + (k + depth)[None, :])
        if TURNED:
            b = tl.load(b_ptr + columns[None, :] * K + (k + depth)[:, None])
        else:
            b = tl.load(b_ptr + (k + depth)[:, None] * N + columns[None, :])
        acc = tl.dot(a, b, acc, input_precision=PRECISION)
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], acc.to(c_ptr.dtype.element_ty))


class Row:
    """Something to measure: Tritium's ways and the baselines'.

    `ours`: a function of no arguments for each tile; `theirs` alike, None for what a library does
    not have. All write to one array, which is as warm for each of them. `check` says what is wrong
    with the result, before the baselines run."""

    def __init__(self, name, amount, unit, ours, theirs, check, goal=None):
        self.name, self.amount, self.unit, self.goal, self.check = name, amount, unit, goal, check
        self.ours, self.theirs = ours, {k: v for k, v in theirs.items() if v}


def closeTo(result, expected, tolerance):
    """Checks a result against a function's, which is called once."""
    def check():
        difference = np.abs(result() - expected()).max()
        return None if difference <= tolerance else f"off by {difference:.3g} of {tolerance:.3g}"
    return check


class Bench:
    def __init__(self, output):
        self.onednn = OneDNN.find()
        self.c = Baselines(ROOT, output)
        try:
            import torch
            torch.set_num_threads(1)
            self.torch = torch
        except ImportError:
            self.torch = None
        self.rows = dict(self.all())

    def all(self):
        """(name, function that makes the Row) of each."""
        for n in (1024, 2048):
            for dtype, isTurned, goal in (
                    ("bf16", False, {1024: 1.0, 2048: 1.2}),
                    ("bf16", True, {1024: 0.85, 2048: 1.0}),
                    ("int8", False, {1024: 0.95, 2048: 1.15}), ("int8", True, {}),
                    ("fp16", False, {1024: 2.0, 2048: 2.0}), ("fp16", True, {})):
                yield self.matmul(dtype, n, isTurned, goal=goal.get(n))
            yield self.matmul("fp32", n, goal=0.93)
            yield self.matmul("fp32", n, precision="bf16x3", goal=2.0)
        for n in (512, 4096):
            yield self.matmul("fp32", n, goal=0.93)
        for m in (1, 8, 16):
            for dtype in ("fp32", "bf16", "int8"):
                yield self.skinny(m, dtype)
        for dtype, goal in (("bf16", 1.3), ("fp32", None)):
            for d in (64, 80, 128):
                for causal in (False, True):
                    yield self.attention(dtype, d, causal, None if d == 80 else goal)
        for shape in ((4096, 781), (4096, 1024), (4096, 4096), (1024, 16384), (256, 65536)):
            for dtype in ("fp32", "bf16"):
                yield self.softmax(shape, dtype)
        for shape in ((4096, 781), (4096, 1024), (4096, 4096), (256, 65536)):
            yield self.layerNorm(shape)

    def matmul(self, dtype, n, isTurned=False, precision=None, goal=None):
        name = f"matmul {dtype} {n}^3" + (" B transposed" if isTurned else "")
        name += f" {precision}" if precision else ""
        return name, lambda: self.productRow(name, dtype, (n, n, n), isTurned, precision, goal)

    def productRow(self, name, dtype, sizes, isTurned, precision, goal):
        m, n, k = sizes
        to = "int32" if dtype == "int8" else dtype
        a, b = normal((m, k), dtype), normal((n, k) if isTurned else (k, n), dtype)
        c = empty((m, n), to)
        right = b.T if isTurned else b

        def ours(bm, bn, bk):
            grid = (triton.cdiv(m, bm), triton.cdiv(n, bn))
            kernel = product[grid]
            arguments = [given(x, t) for x, t in ((a, dtype), (b, dtype), (c, to))]
            return lambda: kernel(*arguments, m, n, k, BM=bm, BN=bn, BK=bk, TURNED=isTurned,
                                  PRECISION=precision or "ieee")

        tiles = [(64, 64, 64), (128, 128, 64), (256, 256, 64)]
        if m < 64:
            tiles = [(m, 64, 64), (m, 256, 64), (m, 1024, 32), (m, 4096, 16)]
        theirs = {}
        if self.onednn:
            theirs["oneDNN"] = self.onednn.matmul(a, right, c, dtype, to)
        if dtype == "fp32":
            theirs["OpenBLAS"] = lambda: np.matmul(a, right, out=c)
        if self.torch and not (dtype == "int8" and m < 32):
            x, y = asTorch(self.torch, a, dtype), asTorch(self.torch, b, dtype)
            y, torch = y.T if isTurned else y, self.torch
            theirs["PyTorch"] = (lambda: torch._int_mm(x, y)) if dtype == "int8" else (
                lambda: torch.mm(x, y))
        if not any(theirs.values()):
            x, y, z = normal((m, k)), normal((k, n)), empty((m, n))
            theirs["OpenBLAS in fp32"] = lambda: np.matmul(x, y, out=z)
        return Row(name, 2e-9 * m * n * k, "GFLOP/s",
                   {"x".join(map(str, tile)): ours(*tile) for tile in tiles}, theirs,
                   self.checkedProduct(a, right, c, dtype, precision), goal)

    @staticmethod
    def checkedProduct(a, b, c, dtype, precision):
        """Some rows and columns of the result, against fp64, relative to sum(abs(a * b))."""
        def check():
            rows = rng.integers(0, a.shape[0], 24)
            x, y = widened(a[rows], dtype), widened(b, dtype)
            to = "int32" if dtype == "int8" else dtype
            off = np.abs(widened(c[rows], to) - x @ y)
            bound = {"fp32": 3e-6 if precision else 1e-6, "fp16": 1e-3, "bf16": 8e-3,
                     "int8": 0}[dtype]
            allowed = bound * (np.abs(x) @ np.abs(y)) + 1e-9
            return None if (off <= allowed).all() else f"off by {(off / allowed).max():.3g} bounds"
        return check

    def skinny(self, m, dtype):
        """Against how fast memory is read: B is 32 MB or more."""
        k, n = 4096, 4096
        name = f"matmul {dtype} {m}x{n}x{k}, against reading B"

        def make():
            row = self.productRow(name, dtype, (m, n, k), False, None, 0.9)
            itemsize = np.dtype(STORED[dtype]).itemsize
            row.amount, row.unit = 1e-9 * k * n * itemsize, "GB/s"
            read = normal((k * n * itemsize // 4,))
            self.read = read
            _, call = self.c.fastest(lambda library: library.sum(read.ctypes.data, read.size))
            row.theirs["C's sum"] = call
            return row
        return name, make

    def attention(self, dtype, d, causal, goal):
        name = f"attention {dtype} N=1024, D={d}, {'causal' if causal else 'full'}"
        return name, lambda: self.attentionRow(name, dtype, d, causal, goal)

    def attentionRow(self, name, dtype, d, causal, goal, heads=8, n=1024):
        q, k, v = (normal((heads, n, d), dtype) for _ in range(3))
        o = empty((heads, n, d), dtype)

        def ours(bm, bn):
            kernel = attention_kernel[(triton.cdiv(n, bm), heads)]
            arguments = [given(x, dtype) for x in (q, k, v, o)]
            return lambda: kernel(*arguments, d ** -0.5, n, D=d, BM=bm, BN=bn, CAUSAL=causal)

        theirs = {}
        if self.torch:
            x, y, z = (asTorch(self.torch, t, dtype)[None] for t in (q, k, v))
            attend = self.torch.nn.functional.scaled_dot_product_attention
            theirs["PyTorch"] = lambda: attend(x, y, z, is_causal=causal)
        if self.onednn and not causal:
            theirs["oneDNN, in three steps"] = self.onednn.attention(q, k, v, o, dtype)
        tiles = [(64, 64), (128, 64), (128, 128), (128, 256), (256, 128)]
        work = 4e-9 * heads * n * n * d / (2 if causal else 1)

        def expected():
            return attention_numpy(*(widened(x, dtype).astype(np.float32) for x in (q, k, v)),
                                   causal)
        row = Row(name, work, "GFLOP/s", {f"{bm}x{bn}": ours(bm, bn) for bm, bn in tiles}, theirs,
                  closeTo(lambda: widened(o, dtype), expected, 1e-4 if dtype == "fp32" else 3e-2),
                  goal)
        if dtype == "fp32":
            row.theirs["the FMA peak"] = self.peak(work)
            row.goal = 0.7
        return row

    def peak(self, work):
        """As many fused multiply-adds as `work` GFLOP."""
        sink = np.zeros(1, np.float32)
        self.sink = sink
        operations = next(iter(self.c.variants.values())).fmaChains(1000, sink.ctypes.data)
        steps = int(work * 1e9 / operations * 1000)
        return self.c.fastest(lambda library: library.fmaChains(steps, sink.ctypes.data))[1]

    def softmax(self, shape, dtype):
        name = f"softmax {dtype} {shape[0]}x{shape[1]}"
        return name, lambda: self.softmaxRow(name, shape, dtype)

    def softmaxRow(self, name, shape, dtype):
        rows, columns = shape
        x, y = normal(shape, dtype), empty(shape, dtype)
        kernel, arguments = softmax_kernel[(rows,)], (given(y, dtype), given(x, dtype))
        block = triton.cdiv(columns, 16) * 16
        inC = "softmax" if dtype == "fp32" else "softmaxBF16"
        compiler, call = self.c.fastest(lambda library: getattr(library, inC)(
            y.ctypes.data, x.ctypes.data, rows, columns))
        theirs = {f"C ({compiler})": call}
        if self.onednn:
            theirs["oneDNN"] = self.onednn.softmax(x, y, dtype, dtype)
        if self.torch:
            tensor, torch = asTorch(self.torch, x, dtype), self.torch
            theirs["PyTorch"] = lambda: torch.softmax(tensor, 1)
        goal = {(4096, 1024): 1.5, (4096, 4096): 1.3}.get(shape) if dtype == "fp32" else None
        return Row(name, 2e-9 * x.size * x.itemsize, "GB/s",
                   {"": lambda: kernel(*arguments, columns, columns, columns, BLOCK_SIZE=block)},
                   theirs, closeTo(lambda: widened(y[:64], dtype),
                                   lambda: softmax_numpy(widened(x[:64], dtype)),
                                   1e-6 if dtype == "fp32" else 4e-3), goal)

    def layerNorm(self, shape):
        name = f"layer norm fp32 {shape[0]}x{shape[1]}"
        return name, lambda: self.layerNormRow(name, shape)

    def layerNormRow(self, name, shape):
        rows, columns = shape
        x, y = normal(shape), empty(shape)
        weight, bias = normal((columns,)), normal((columns,))
        mean, deviation = empty((rows,)), empty((rows,))
        kernel, block = layer_norm_kernel[(rows,)], triton.cdiv(columns, 16) * 16
        compiler, call = self.c.fastest(lambda library: library.layerNorm(
            *(t.ctypes.data for t in (y, x, weight, bias)), rows, columns))
        theirs = {f"C ({compiler})": call}
        if self.onednn:
            theirs["oneDNN"] = self.onednn.layerNorm(x, y, weight, bias, "fp32")
        if self.torch:
            tensor, *affine = (asTorch(self.torch, t, "fp32") for t in (x, weight, bias))
            norm = self.torch.nn.functional.layer_norm
            theirs["PyTorch"] = lambda: norm(tensor, (columns,), *affine)
        return Row(name, 8e-9 * x.size, "GB/s",
                   {"": lambda: kernel(x, y, weight, bias, mean, deviation, columns, columns, 1e-5,
                                       BLOCK_SIZE=block)},
                   theirs, closeTo(lambda: y[:64],
                                   lambda: layer_norm_numpy(x[:64], weight, bias), 1e-4), 1.2)


def firstLine(error):
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__


def fastestOf(calls, seconds):
    """The name of the fastest of some calls, and why others do not run."""
    works, failed = {}, {}
    for name, call in calls.items():
        try:
            call()
            works[name] = call
        except Exception as error:  # whatever one of them does, the others are measured
            failed[name] = firstLine(error)
    if len(works) < 2:
        return next(iter(works), None), failed
    times = turns(*works.values(), seconds=seconds, clock=time.thread_time, least=3)
    return min(zip((spread(list_).median for list_ in times), works))[1], failed


def measured(row, seconds):
    """What stands in the table of a Row."""
    best, failed = fastestOf(row.ours, seconds / 5)
    out = {"work": row.name, "unit": row.unit, "tile": best, "failed": failed, "goal": row.goal}
    if best is None:
        return out | {"error": next(iter(failed.values()))}
    row.ours[best]()
    out["wrong"] = row.check()
    times = turns(row.ours[best], *row.theirs.values(), seconds=seconds, clock=time.thread_time)
    speeds = [spread(row.amount / t for t in each) for each in times]
    out |= {"tritium": speeds[0], "times": times,
            "baselines": dict(zip(row.theirs, speeds[1:])),
            "ratios": {name: faster(times[0], each) for name, each in zip(row.theirs, times[1:])}}
    return out


def text(r):
    if "error" in r:
        return f"| {r['work']} | does not run: {r['error']} | | | |"
    best = min(r["ratios"], key=lambda name: r["ratios"][name].median, default=None)
    beside = "; ".join(f"{name} {speed.median:.1f}" for name, speed in r["baselines"].items())
    ratio = f"{r['ratios'][best]:.2f}" if best else ""
    goal = f">= {r['goal']}" if r["goal"] and best else ""
    met = ("" if not goal else "yes" if r["ratios"][best].median >= r["goal"] else "NO")
    wrong = f" WRONG: {r['wrong']}" if r["wrong"] else ""
    tile = f" ({r['tile']})" if r["tile"] else ""
    return (f"| {r['work']} | {r['tritium']:.1f} {r['unit']}{tile}{wrong} | {beside} | {ratio} "
            f"| {goal} {met} |")


HEAD = ("| work | Tritium (quartiles; tile) | beside | ratio to the fastest (quartiles) | goal |\n"
        "|---|---|---|---|---|")


def parsed():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1.0, help="for each function of a row")
    parser.add_argument("--out", type=pathlib.Path,
                        default=ROOT / "build" / "bench" / "matrix.json")
    parser.add_argument("--list", action="store_true", help="names the rows")
    parser.add_argument("words", nargs="*", metavar="WORD")
    return parser.parse_args()


def about(bench, others):
    amx = " ".join(sorted(name for name in FEATURES if name.startswith("amx")))
    blas = os.environ["OPENBLAS_CORETYPE"]
    onednn = f"oneDNN {bench.onednn.version()}" if bench.onednn else "no oneDNN"
    torch = f"PyTorch {bench.torch.__version__}" if bench.torch else "no PyTorch"
    return (f"{cpuName()}{f', {amx}' if amx else ''}; NumPy {np.__version__} (OpenBLAS as {blas}), "
            f"{onednn}, {torch}; other processes used {others.cpus():.2f} CPUs meanwhile")


def main():
    options = parsed()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    bench = Bench(options.out.parent)
    names = [name for name in bench.rows if all(word in name for word in options.words)]
    if options.list:
        print("\n".join(names))
        return 0
    others, rows = Others(), []
    print(HEAD, flush=True)
    for name in names:
        rows.append(measured(bench.rows[name](), options.seconds))
        print(text(rows[-1]), flush=True)
        options.out.write_text(json.dumps({"about": about(bench, others), "rows": rows},
                                          indent=1) + "\n")
    print(f"\n{about(bench, others)}")
    return 1 if any(row.get("wrong") for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
