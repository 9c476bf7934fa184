"""Kernels that torch's compiler writes for a GPU, compiled where there is none."""

import pathlib
import subprocess
import sys


def test_compile_without_a_gpu():
    script = pathlib.Path(__file__).with_name("without_gpu.py")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr[-3000:]
    rows = [line.split() for line in done.stdout.splitlines()]
    kinds = {name.split("_")[1] for name, _, _ in rows}
    assert kinds == {"poi", "per", "red", "spl"} and all(int(ptx) > 500 for _, ptx, _ in rows)
