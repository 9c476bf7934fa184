"""Times launches that follow each other on a stream, and in a CUDA graph, beside a copy by PyTorch.

    IMPL=tritium|triton python bench/gpu/sequences.py [add] [softmax] [layernorm] [matmul]

Prints a JSON line for each kernel and size: microseconds of one launch of bursts of 4 ms, by turns
in one process, medians of nine bursts, each behind a rest and a sleep of the GPU while which all of
it is queued; of as many launches in a graph; and of one launch alone. Of Tritium also what they are
where launches do not overlap (`launch_pdl=False`). The best number of warps of each counts.
"""

import os
import statistics
import sys

import torch

from kernels import add_kernel, layernorm_kernel, mm_kernel, out, softmax_kernel, triton
from timing import bench, queued

MODES = {"": {}}
if os.environ.get("IMPL") == "tritium":
    MODES["apart"] = {"launch_pdl": False}


def times(fns, rounds=9):
    """Microseconds of each function: in bursts, in a graph, alone."""
    counts = {k: max(2, min(150, round(4 / bench(f, rep=3, warm=3)))) for k, f in fns.items()}
    bursts, graphs = {k: [] for k in fns}, {}

    def several(key):
        for _ in range(counts[key]):
            fns[key]()

    for _ in range(rounds):
        for k in fns:
            bursts[k] += [ms / counts[k] for ms in queued(lambda k=k: several(k), 1, 0.02)]
    for k in fns:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            several(k)
        graphs[k] = bench(graph.replay, rep=5) / counts[k]
    return {k: [round(ms * 1e3, 2) for ms in (statistics.median(bursts[k]), graphs[k],
                                              bench(fns[k], rep=15))] for k in fns}


def compare(bench_name, shape, launch, others, warps, check):
    """`launch(**options)`; the best of `warps` by bursts of each mode."""
    fns = dict(others)
    for mode, options in MODES.items():
        for count in warps:
            options = dict(options, num_warps=count) if count else dict(options)
            launch(**options)
            check()
            fns[mode, count] = lambda options=options: launch(**options)
    found = times(fns)
    record = {k: found[k] for k in others}
    for mode in MODES:
        best = min((k for k in fns if k[0] == mode and k not in others), key=lambda k: found[k][0])
        record[f"{mode or 'kernel'}"] = found[best] + [best[1]]
    out(bench=bench_name, shape=shape, **record)


def near(a, b, bound):
    def check():
        error = (a.float() - b()).abs().max().item()
        assert error < bound, error
        a.zero_()
    return check


def t_add():
    for n in (1 << 16, 1 << 20, 1 << 22, 1 << 24, 1 << 26):
        x, y = torch.randn(n, device="cuda"), torch.randn(n, device="cuda")
        o = torch.empty_like(x)
        compare("add", n, lambda x=x, y=y, o=o, n=n, **options: add_kernel[(n // 1024,)](
            x, y, o, n, BLOCK=1024, **options),
            {"torch": lambda x=x, y=y, o=o: torch.add(x, y, out=o)}, (4,),
            near(o, lambda x=x, y=y: x + y, 1e-5))


def t_softmax():
    for rows, n, dtype in ((4096, 781, torch.float32), (4096, 781, torch.bfloat16),
                           (16384, 1024, torch.float32), (65536, 781, torch.float32),
                           (16384, 4096, torch.float16), (4096, 16384, torch.float32),
                           (65536, 128, torch.float32)):
        x = torch.randn(rows, n, device="cuda", dtype=dtype)
        y = torch.empty_like(x)
        block = triton.next_power_of_2(n)
        compare(f"softmax {dtype}", [rows, n],
                lambda x=x, y=y, n=n, block=block, rows=rows, **options: softmax_kernel[(rows,)](
                    y, x, n, n, n, BLOCK=block, **options),
                {"copy": lambda x=x, y=y: y.copy_(x)}, (1, 4) if n < 2048 else (4, 8, 16),
                near(y, lambda x=x: torch.softmax(x.float(), 1), 1e-2))


def t_layernorm():
    for rows, n in ((4096, 1024), (8192, 4096), (8192, 8192), (4096, 16384)):
        x = torch.randn(rows, n, device="cuda", dtype=torch.float16)
        y, w, b = torch.empty_like(x), torch.randn_like(x[0]), torch.randn_like(x[0])
        want = torch.nn.functional.layer_norm(x.float(), (n,), w.float(), b.float())
        compare("layernorm", [rows, n],
                lambda x=x, y=y, w=w, b=b, n=n, rows=rows, **options: layernorm_kernel[(rows,)](
                    x, y, w, b, n, n, 1e-5, BLOCK=n, **options),
                {"copy": lambda x=x, y=y: y.copy_(x)}, (4, 8, 16),
                near(y, lambda want=want: want, 3e-2))


def t_matmul():
    for n in (512, 1024, 2048):
        a = torch.randn(n, n, device="cuda", dtype=torch.float16)
        b, c = torch.randn_like(a), torch.empty_like(a)
        want = (a @ b).float()

        def launch(a=a, b=b, c=c, n=n, **options):
            tiles = lambda meta: (triton.cdiv(n, meta["BM"]) * triton.cdiv(n, meta["BN"]),)
            mm_kernel[tiles](a, b, c, n, n, n, n, 1, n, 1, n, 1, PROMOTED=False, **options)

        compare("matmul", n, launch,
                {"cublas": lambda a=a, b=b, c=c: torch.matmul(a, b, out=c)}, (None,),
                near(c, lambda want=want: want, 1.0))


if __name__ == "__main__":
    for name in ("add", "softmax", "layernorm", "matmul"):
        if len(sys.argv) == 1 or name in sys.argv[1:]:
            globals()[f"t_{name}"]()
