"""How fast the simulated GPU is: thread instructions a second on one core, checks on.

    bench/simulator.py [NAME...]     some of: straight add softmax matmul

The time is that of the thread on its CPU, so waiting for other processes does not count; speeds
are medians of several launches with their quartiles. Compiling and parsing are not part of it.
Prints a table in Markdown, and what other processes used meanwhile.
"""

import os
import pathlib
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
cache = tempfile.TemporaryDirectory(prefix="tritium-bench-")
os.environ["TRITON_CACHE_DIR"] = cache.name
sys.path[:0] = [str(ROOT / "examples"), str(ROOT / "examples" / "demo")]

import numpy as np
from turns import BUSY, Others, cpuName, spread

import tritium as triton
import tritium.language as tl
from matmul import matmul as matmul_kernel
from softmax import softmax_kernel
from vector_add import add_kernel

GOAL = 20  # million a second, of straight-line fp32 code


@triton.jit
def straight(x_ptr, a, b, BLOCK: tl.constexpr):
    """Long runs of fp32 arithmetic on registers."""
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs)
    for _ in range(20):
        for _ in tl.static_range(100):
            x = x * a + b
            x = x - a
    tl.store(x_ptr + offs, x)


def floats(*shape, dtype=np.float32):
    return np.random.default_rng(0).standard_normal(shape).astype(dtype)


def straightLine():
    x = floats(16 * 128)
    return lambda: straight.simulate((16,), x, 0.5, 0.25, BLOCK=128)


def add():
    x, y, n = floats(1 << 18), floats(1 << 18), 1 << 18
    out = np.zeros_like(x)
    return lambda: add_kernel.simulate((triton.cdiv(n, 1024),), x, y, out, n, BLOCK_SIZE=1024)


def softmax():
    x = floats(64, 1000)
    out = np.zeros_like(x)
    return lambda: softmax_kernel.simulate((64,), out, x, 1000, 1000, 1000, BLOCK_SIZE=1024)


def matmul():
    a, b = floats(128, 128, dtype=np.float16), floats(128, 128, dtype=np.float16)
    c = np.zeros((128, 128), np.float32)
    return lambda: matmul_kernel.simulate((4,), a, b, c, 128, 128, 128, BM=64, BN=64, BK=32)


ROWS = {"straight": ("straight-line fp32", straightLine), "add": ("vector add", add),
        "softmax": ("softmax of rows of 1000", softmax), "matmul": ("matmul f16", matmul)}


def measure(launch):
    """Thread instructions, and millions of them a second as a Spread."""
    launch()
    speeds = []
    for _ in range(7):
        start = time.thread_time()
        instructions = launch().thread_instructions
        speeds.append(instructions / (time.thread_time() - start) / 1e6)
    return instructions, spread(speeds)


def main():
    names = sys.argv[1:] or list(ROWS)
    if unknown := [name for name in names if name not in ROWS]:
        sys.exit(f"no such row: {' '.join(unknown)}; there are: {' '.join(ROWS)}")
    print("| kernel | thread instructions | million a second (quartiles) |\n|---|---|---|")
    slow, others = False, Others()
    for name in names:
        title, make = ROWS[name]
        instructions, speed = measure(make())
        print(f"| {title} | {instructions} | {speed:.1f} |", flush=True)
        slow |= name == "straight" and speed.median < GOAL
    used = others.cpus()
    print(f"{cpuName()}; other processes used {used:.2f} CPUs meanwhile"
          f"{': TOO BUSY to believe' if used > BUSY else ''}")
    if slow:
        print(f"slower than the goal for straight-line code, {GOAL} million")
    return slow


if __name__ == "__main__":
    sys.exit(main())
