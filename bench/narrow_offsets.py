"""What tt-narrow-offsets saves: registers, and instructions of the simulated GPU, with the pass
and without.

    bench/narrow_offsets.py [--arch 90] [NAME...]

Registers are those of ptxas (TRITON_PTXAS_PATH, PATH, /usr/local/cuda/bin), instructions those of
warps in PTX. Prints a table in Markdown.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = ROOT / "build" / "bin"
PASS = "tt-narrow-offsets"
PTXAS = (os.environ.get("TRITON_PTXAS_PATH") or shutil.which("ptxas")
         or "/usr/local/cuda/bin/ptxas")

OWN = '''
import tritium as triton
import tritium.language as tl


@triton.jit
def transpose(x, y, PITCH: tl.constexpr):
    i = tl.program_id(1) * 64 + tl.arange(0, 64)
    j = tl.program_id(0) * 64 + tl.arange(0, 64)
    t = tl.load(x + i[:, None] * PITCH + j[None, :])
    tl.store(y + j[:, None] * PITCH + i[None, :], tl.trans(t))


@triton.jit
def look_up(table, index, y, D: tl.constexpr):
    i = tl.program_id(1) * 64 + tl.arange(0, 64)
    d = tl.arange(0, D)
    row = tl.load(index + i) & 255
    tl.store(y + i[:, None] * D + d[None, :], tl.load(table + row[:, None] * D + d[None, :]))


@triton.jit
def column_sums(x, y, ROWS: tl.constexpr, COLS: tl.constexpr):
    j = tl.program_id(1) * 128 + tl.arange(0, 128)
    s = tl.zeros([128], tl.float32)
    for r in range(0, ROWS, 16):
        i = r + tl.arange(0, 16)
        s += tl.sum(tl.load(x + i[:, None] * COLS + j[None, :]), 0)
    tl.store(y + j, s)


@triton.jit
def product(a, b, c, N: tl.constexpr, K: tl.constexpr):
    m = tl.program_id(1) * 64 + tl.arange(0, 64)
    n = tl.program_id(2) * 64 + tl.arange(0, 64)
    k = tl.arange(0, 32)
    acc = tl.zeros((64, 64), tl.float32)
    for t in range(0, K, 32):
        acc = tl.dot(tl.load(a + m[:, None] * K + t + k[None, :]),
                     tl.load(b + (t + k)[:, None] * N + n[None, :]), acc)
    tl.store(c + m[:, None] * N + n[None, :], acc)
'''
# file (none: the text above), kernel, signature, constants, grid, arguments of tritium sim
CASES = {
    "vector add": ("vector_add", "add_kernel", "*fp32:16,*fp32:16,*fp32:16,i32:16",
                   ["BLOCK_SIZE=1024"], "4", ["f32[4096]=1"] * 3 + ["i32:4096"]),
    "softmax": ("softmax", "softmax_kernel", "*fp32:16,*fp32:16,i32:16,i32:16,i32:16",
                ["BLOCK_SIZE=1024"], "4",
                ["f32[4096]=1"] * 2 + ["i32:1024", "i32:1024", "i32:1024"]),
    "matmul": ("matmul", "matmul", "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16",
               ["BM=64", "BN=64", "BK=32"], "4",
               ["u16[16384]=1"] * 3 + ["i32:128"] * 3),
    "matmul, constant pitches": (None, "product", "*fp16:16,*fp16:16,*fp32:16",
                                 ["N=128", "K=128"], "1,2,2",
                                 ["u16[16384]=1"] * 2 + ["f32[16384]=0"]),
    "attention": ("attention", "attention_kernel",
                  "*fp16:16,*fp16:16,*fp16:16,*fp16:16,fp32,i32:16",
                  ["D=64", "BM=64", "BN=64", "CAUSAL=True"], "2,1",
                  ["u16[8192]=1"] * 4 + ["f32:0.125", "i32:128"]),
    "transpose": (None, "transpose", "*fp32:16,*fp32:16", ["PITCH=256"], "4,4",
                  ["f32[65536]=1"] * 2),
    "look-up": (None, "look_up", "*fp32:16,*i32:16,*fp32:16", ["D=64"], "1,4",
                ["f32[16384]=1", "i32[256]=iota", "f32[16384]=0"]),
    "column sums": (None, "column_sums", "*fp32:16,*fp32:16", ["ROWS=512", "COLS=256"], "1,2",
                    ["f32[131072]=1", "f32[256]=0"]),
}


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout, done.stderr


def passes(arch):
    """The pipeline of GPU kernels as text, from ttir to the LLVM dialect."""
    text = run(BIN / "tritium-opt", "--dump-pass-pipeline",
               f"-tritium-ttgir=compute-capability={arch}",
               "-convert-ttg-to-llvm", "/dev/null")[1]
    return next(line.strip() for line in text.splitlines() if "builtin.module(" in line)


def measure(folder, name, arch, pipeline):
    """Registers and warp instructions."""
    source, kernel, signature, constants, grid, arguments = CASES[name]
    path = ROOT / "examples" / f"{source}.py" if source else folder / "own.py"
    ttir, lowered, ptx = folder / "x.ttir", folder / "x.mlir", folder / "x.ptx"
    options = [word for constant in constants for word in ("--constexpr", constant)]
    run(BIN / "tritium", "compile", path, "--kernel", kernel, "--signature", signature, *options,
        "--target", f"cuda:{arch}", "--emit", "ttir", "-o", ttir)
    run(BIN / "tritium-opt", ttir, f"--pass-pipeline={pipeline}", "-o", lowered)
    run(BIN / "tritium", "compile", "--from", lowered, "--target", f"cuda:{arch}", "--emit", "ptx",
        "-o", ptx)
    target = re.search(r"\.target (\w+)", ptx.read_text()).group(1)
    report = run(PTXAS, "-v", f"-arch={target}", ptx, "-o", "/dev/null")[1]
    shared = re.search(r"ttg\.shared\"? = (\d+)", lowered.read_text())
    counters, _ = run(BIN / "tritium", "sim", ptx, "--grid", grid, "--block", "128", "--shared",
                      shared.group(1) if shared else 0,
                      *[word for argument in arguments for word in ("--arg", argument)],
                      "--json", "-")
    return (int(re.search(r"Used (\d+) registers", report).group(1)),
            json.loads(counters)["total"]["warp_instructions"])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arch", default="90")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    whole = passes(options.arch)
    without = re.sub(rf"{PASS}(\{{[^}}]*\}})?,", "", whole)
    assert without != whole
    print("| kernel | registers, without | with | instructions, without | with |")
    print("|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="tritium-bench-") as name:
        folder = pathlib.Path(name)
        (folder / "own.py").write_text(OWN)
        for name in options.names or CASES:
            before, after = (measure(folder, name, options.arch, pipeline)
                             for pipeline in (without, whole))
            print(f"| {name} | {before[0]} | {after[0]} | {before[1]} | {after[1]} |", flush=True)


if __name__ == "__main__":
    main()
