"""Times products of fp16 whose grids do not fill a GPU evenly, whole and by parts of programs.

    [IMPL=tritium|triton] python bench/gpu/parts.py [few|waves] [MxNxK ...]

`few` (the default) are grids of fewer programs than multiprocessors and many k, `waves` such of
some more. Prints a JSON line for each: microseconds of one product in CUDA graphs of 20, of cuBLAS
and of the best tiles: whole, with `split_k`, with `stream_k` (Tritium), or with sums by atomics
into zeros, which are converted behind it (Triton). The best are looked for by single launches. A
result is wrong if its error is over 2e-3 of its norm, and then the line says so.
"""

import itertools
import json
import os
import sys
import tempfile

os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp(prefix="parts")
IMPL = os.environ.get("IMPL", "tritium")
import torch

if IMPL == "tritium":
    import tritium as triton
    import tritium.language as tl
else:
    import triton
    import triton.language as tl
from timing import bench

OURS = IMPL == "tritium"
SHAPES = {
    "few": ["64x1024x16384", "256x256x16384", "512x512x8192", "128x512x8192", "1024x1024x8192",
            "256x1024x4096", "128x4096x4096", "16x8192x8192", "512x512x512", "1024x1024x1024"],
    "waves": ["1536x1536x8192", "1664x1664x8192", "1536x1536x4096", "2304x2304x4096",
              "1280x1280x4096", "2560x2560x2560", "3072x3072x3072", "1792x1792x2048"]}
# BM, BN, BK, stages, warps
TILES = [(128, 128, 64, 4, 8), (128, 128, 64, 4, 4), (128, 64, 64, 4, 4), (64, 128, 64, 4, 4),
         (64, 64, 128, 4, 4), (64, 64, 64, 6, 4), (16, 64, 128, 4, 4), (16, 128, 128, 4, 4),
         (128, 256, 64, 3, 8), (32, 64, 128, 4, 4)]
TILES_WITH_COPIES = [(128, 128, 64, 6, 8), (128, 256, 64, 4, 8), (256, 128, 64, 4, 8),
                     (128, 128, 64, 6, 4), (64, 256, 64, 4, 4), (128, 192, 64, 4, 8)]


@triton.jit
def product(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
            PARTS: tl.constexpr):
    columns = tl.cdiv(N, BN)
    rows = tl.cdiv(M, BM)
    pid = tl.program_id(0)
    group = pid // (8 * columns)
    high = min(rows - group * 8, 8)
    m = group * 8 + (pid % (8 * columns)) % high
    n = (pid % (8 * columns)) // high
    rm = m * BM + tl.arange(0, BM)
    rn = n * BN + tl.arange(0, BN)
    rk = tl.program_id(1) * BK + tl.arange(0, BK)
    a = a_ptr + rm[:, None] * K + rk[None, :]
    b = b_ptr + rk[:, None] * N + rn[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, tl.cdiv(K, BK * PARTS)):
        x = tl.load(a, mask=rm[:, None] < M, other=0.0)
        y = tl.load(b, mask=rn[None, :] < N, other=0.0)
        acc = tl.dot(x, y, acc)
        a += BK * PARTS
        b += BK * PARTS * N
    c = c_ptr + rm[:, None] * N + rn[None, :]
    mask = (rm[:, None] < M) & (rn[None, :] < N)
    if PARTS == 1:
        tl.store(c, acc.to(tl.float16), mask=mask)
    else:
        tl.atomic_add(c, acc, mask=mask, sem="relaxed")


def choices(M, N, K, most):
    """By kind, dicts of options for `launcher`."""
    found = {"whole": [], "split": [], "stream": []}
    tiles = [(tile, {}) for tile in TILES]
    if OURS:
        tiles += [(tile, {"warp_specialize": True}) for tile in TILES_WITH_COPIES]
    for ((BM, BN, BK, stages, warps), options), parts in itertools.product(
            tiles, (1, 2, 3, 4, 5, 8, 16, 32)):
        programs = -(-M // BM) * -(-N // BN)
        if BM > max(64, M) or (BM < 64 and M > 64) or K % (BK * parts) or K // BK < 2 * parts:
            continue
        if programs * parts < 24 or (parts > 1 and programs * parts > most):
            continue
        choice = {"tile": (BM, BN, BK), "num_stages": stages, "num_warps": warps, **options}
        found["whole" if parts == 1 else "split"].append({**choice, "parts": parts})
        if OURS and parts == 1:
            found["stream"].append({**choice, "parts": 1, "stream_k": True})
    return found


def launcher(a, b, c, choice):
    options = dict(choice)
    (BM, BN, BK), parts = options.pop("tile"), options.pop("parts")
    M, N, K = *c.shape, a.shape[1]
    programs = -(-M // BM) * -(-N // BN)
    if OURS and parts > 1:
        options["split_k"] = parts
    if OURS or parts == 1:
        return lambda: product[(programs,)](a, b, c, M, N, K, BM, BN, BK, 1, **options)
    sums = torch.empty((M, N), device="cuda", dtype=torch.float32)

    def launch():
        sums.zero_()
        product[(programs, parts)](a, b, sums, M, N, K, BM, BN, BK, parts, **options)
        c.copy_(sums)

    return launch


def graphed(launch, count=20):
    """Microseconds of one of `count` launches in a graph."""
    launch()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(count):
            launch()
    return round(bench(graph.replay, rep=15) / count * 1e3, 2)


def best(a, b, c, wanted, choices, line):
    """The fastest choice in graphs, of the four that are so alone: microseconds, and the choice."""
    times = []
    for choice in choices:
        launch = launcher(a, b, c, choice)
        c.fill_(7)
        try:
            launch()
            torch.cuda.synchronize()
        except Exception as error:  # does not fit, say
            line.setdefault("refused", []).append(f"{choice}: {str(error).splitlines()[0][:80]}")
            continue
        error = ((c.float() - wanted).norm() / wanted.norm()).item()
        if not error < 2e-3:
            line.setdefault("WRONG", []).append(f"{choice}: {error}")
        times.append((bench(launch, rep=7), choice))
    times.sort(key=lambda each: each[0])
    found = [(graphed(launcher(a, b, c, choice)), choice) for _, choice in times[:4]]
    return min(found, key=lambda each: each[0], default=(None, None))


def measure(M, N, K, most):
    torch.manual_seed(0)
    a = torch.randn(M, K, device="cuda", dtype=torch.float16)
    b = torch.randn(K, N, device="cuda", dtype=torch.float16)
    c = torch.empty(M, N, device="cuda", dtype=torch.float16)
    wanted, own = a.float() @ b.float(), torch.empty_like(c)
    line = {"impl": IMPL, "shape": f"{M}x{N}x{K}"}
    line["cublas"] = graphed(lambda: torch.mm(a, b, out=own))
    for kind, some in choices(M, N, K, most).items():
        if some:
            line[kind], line[kind + " by"] = best(a, b, c, wanted, some, line)
    line["cublas again"] = graphed(lambda: torch.mm(a, b, out=own))
    print(json.dumps(line), flush=True)


def main():
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    asked = sys.argv[1:] or ["few"]
    shapes = [shape for word in asked for shape in SHAPES.get(word, [word])]
    multiprocessors = torch.cuda.get_device_properties(0).multi_processor_count
    for shape in shapes:
        M, N, K = map(int, shape.split("x"))
        measure(M, N, K, most=6 * multiprocessors)


if __name__ == "__main__":
    main()
