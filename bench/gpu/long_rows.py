"""Times softmax and layer norm of rows of 32768 to 131072 columns, a program a row, beside a copy.

    python bench/gpu/long_rows.py [--ctas 0,1,2,4,8] [--warps 4,8,16,32] [--bytes 134217728]
                                  [softmax] [layernorm]

Prints a JSON line for each kernel, type and length: GB/s of the copy, of PyTorch's own kernel, and
of each number of CTAs that a program is a cluster of (`num_ctas`; 0: what the compiler chooses) by
each number of warps of a CTA. What cannot be had, spills, or is wrong says so. Times are medians of
single launches, without what a launch costs the host.
"""

import argparse
import json
import os
import tempfile

os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp(prefix="rows")
import torch

import tritium as triton
import tritium.language as tl
from timing import bench

TYPES = (torch.float16, torch.bfloat16, torch.float32)
COLUMNS = (32768, 65536, 131072)


@triton.jit
def softmax(y, x, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + row * n + c, mask=c < n, other=-float("inf")).to(tl.float32)
    z = tl.exp(v - tl.max(v, axis=0))
    tl.store(y + row * n + c, (z / tl.sum(z, axis=0)).to(y.dtype.element_ty), mask=c < n)


@triton.jit
def layernorm(y, x, w, b, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + row * n + c, mask=c < n, other=0).to(tl.float32)
    mean = tl.sum(v, axis=0) / n
    d = tl.where(c < n, v - mean, 0)
    scale = tl.rsqrt(tl.sum(d * d, axis=0) / n + eps)
    out = (d * scale * tl.load(w + c, mask=c < n).to(tl.float32)
           + tl.load(b + c, mask=c < n).to(tl.float32))
    tl.store(y + row * n + c, out.to(y.dtype.element_ty), mask=c < n)


def tensors(total, columns, dtype):
    count = total // (columns * torch.empty((), dtype=dtype).element_size())
    x = torch.randn(count, columns, device="cuda", dtype=dtype)
    return x, torch.empty_like(x), x.new_ones(columns), x.new_zeros(columns)


def launcher(name, x, y, w, b, options):
    count, columns = x.shape
    block = triton.next_power_of_2(columns)
    if name == "softmax":
        return lambda: softmax[(count,)](y, x, columns, BLOCK=block, **options)
    return lambda: layernorm[(count,)](y, x, w, b, columns, 1e-5, BLOCK=block, **options)


def measure(name, x, y, w, b, ctas, warps):
    """What a choice moves, in GB/s, or why it does not run."""
    options = {"num_warps": warps} | ({"num_ctas": ctas} if ctas else {})
    launch = launcher(name, x, y, w, b, options)
    try:
        kernel = launch()
    except triton.OutOfResources as error:
        return str(error).splitlines()[0][:100]
    wanted = torch.softmax(x.float(), 1) if name == "softmax" else torch.nn.functional.layer_norm(
        x.float(), (x.shape[1],), w.float(), b.float(), 1e-5)
    difference = (y.float() - wanted).abs().max().item() / wanted.abs().max().item()
    rate = round(2 * x.numel() * x.element_size() / bench(launch) / 1e6)
    made = kernel.metadata
    facts = f"{rate} ({made.num_ctas} CTAs of {made.num_warps} warps, {kernel.n_regs} registers"
    facts += f", {kernel.n_spills} spills" if kernel.n_spills else ""
    return facts + (")" if difference < 1e-2 else f", WRONG BY {difference})")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kernels", nargs="*", default=["softmax", "layernorm"])
    parser.add_argument("--ctas", default="0,1,2,4,8")
    parser.add_argument("--warps", default="4,8,16,32")
    parser.add_argument("--bytes", type=int, default=1 << 27)
    options = parser.parse_args()
    ctas, warps = ([int(n) for n in text.split(",")] for text in (options.ctas, options.warps))
    for name in options.kernels:
        for dtype in TYPES:
            for columns in COLUMNS:
                x, y, w, b = tensors(options.bytes, columns, dtype)
                own = {"softmax": lambda: torch.softmax(x, 1),
                       "layernorm": lambda: torch.nn.functional.layer_norm(x, (columns,), w, b)}
                row = {"kernel": name, "dtype": str(dtype), "columns": columns}
                for what, f in (("copy", lambda: y.copy_(x)), ("torch", own[name])):
                    row[what] = round(2 * x.numel() * x.element_size() / bench(f) / 1e6)
                for c in ctas:
                    for n in warps:
                        row[f"ctas={c} warps={n}"] = measure(name, x, y, w, b, c, n)
                print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
