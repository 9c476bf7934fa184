"""The time from a kernel's source to the result of its first launch, with nothing cached.

    bench/first_launch.py NAME      in this process, which has compiled nothing: prints milliseconds

As a module: the kernels, and the same for a process that has compiled already.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "examples")]

import numpy as np

import tritium as triton
from attention import attention_kernel
from matmul import matmul
from softmax import softmax_kernel
from vector_add import add_kernel

x = np.zeros(1 << 16, np.float32)


def matmulOf(tile):
    return lambda kernel: kernel[(1,)](x, x.copy(), x.copy(), 64, 64, 64, BM=tile, BN=tile, BK=32)


KERNELS = {
    "add": (add_kernel, lambda kernel: kernel[(1,)](x, x, x.copy(), 16, BLOCK_SIZE=1024)),
    "softmax": (softmax_kernel,
                lambda kernel: kernel[(1,)](x.copy(), x, 64, 64, 64, BLOCK_SIZE=1024)),
    "matmul": (matmul, matmulOf(64)),
    "matmul of 256x256": (matmul, matmulOf(256)),
    "attention": (attention_kernel,
                  lambda kernel: kernel[(1, 1)](x, x, x, x.copy(), 0.1, 64, D=64, BM=64, BN=64,
                                                CAUSAL=True)),
}


def here(name):
    """Milliseconds of the wall clock in this process."""
    kernel, launch = KERNELS[name]
    before = os.environ.get("TRITON_CACHE_DIR")
    with tempfile.TemporaryDirectory() as empty:
        os.environ["TRITON_CACHE_DIR"] = empty
        fresh = triton.jit(kernel.fn)
        start = time.perf_counter()
        launch(fresh)
        took = time.perf_counter() - start
    if before is not None:
        os.environ["TRITON_CACHE_DIR"] = before
    return took * 1e3


def apart(name):
    """Milliseconds of the wall clock: of the first launch of a new process, and of the process."""
    start = time.perf_counter()
    done = subprocess.run([sys.executable, __file__, name], check=True, capture_output=True,
                          text=True)
    return float(done.stdout), (time.perf_counter() - start) * 1e3


if __name__ == "__main__":
    print(here(sys.argv[1]))
