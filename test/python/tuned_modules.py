"""Modules with a kernel that is tuned, each of its own."""

import importlib.util
import threading

TEXT = """
import tritium as triton
import tritium.language as tl
SCALE = tl.constexpr(3)

@triton.jit
def helper(x):
    return x * SCALE

@triton.jit
def kernel(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i, helper(tl.load(x + i, mask=i < n)) + {number}, mask=i < n)

tuned = triton.autotune([triton.Config({{"B": b}}) for b in (32, 64, 128)], key=["n"])(kernel)
"""


class Kernels:
    """Modules with one kernel each, none compiled."""

    def __init__(self, folder):
        self.folder = folder
        self.count = 0
        self.lock = threading.Lock()

    def make(self):
        with self.lock:
            self.count += 1
            number = self.count
        path = self.folder / f"module{number}.py"
        path.write_text(TEXT.format(number=number))
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module, number
