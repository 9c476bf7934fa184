"""Scripts on a CUDA driver that is none: a library that writes launches down.

The arrays are host memory that says it is on a GPU. What kernels compute is tested on real
GPUs (TRITIUM_TEST_BACKENDS=cuda); here it is how launches reach the driver.
"""

import os
import pathlib
import subprocess
import sys
import textwrap

import pytest

import tritium

BUILD = pathlib.Path(tritium._C.__file__).resolve().parents[2]
DRIVER = BUILD / "lib" / "libFakeCUDADriver.so"

PROLOGUE = '''
import os, sys, types
import numpy as np

class Device:
    def __init__(self, index): self.type, self.index = "cuda", index

class Tensor:
    def __init__(self, size=64, index=0, dtype="torch.float32"):
        self.array = np.zeros(size, np.float32)
        self.dtype, self.index, self.shape = dtype, index, (size,)
        self.is_cuda, self.device = True, Device(index)
    def data_ptr(self): return self.array.ctypes.data
    def get_device(self): return self.index
    def stride(self): return (1,)
    def element_size(self): return 4

torch = types.ModuleType("torch")
torch.Tensor = Tensor
torch.nn = types.SimpleNamespace(Parameter=type("Parameter", (Tensor,), {}))
torch._C = types.ModuleType("torch._C")
streams = {0: 0x100, 1: 0x101}
torch._C._cuda_getCurrentRawStream = lambda device: streams[device]
sys.modules["torch"], sys.modules["torch._C"] = torch, torch._C

import tritium as triton
import tritium.language as tl

@triton.jit
def scale(x, y, n, f, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, i < n) * f, i < n)
'''


def run(tmp_path, script, **environment):
    """What the script prints."""
    if not DRIVER.exists():
        pytest.skip("the fake driver is not built")
    path = tmp_path / "script.py"
    path.write_text(PROLOGUE + textwrap.dedent(script))
    variables = {**os.environ, "TRITON_CACHE_DIR": str(tmp_path / "cache"),
                 "TRITON_LIBCUDA_PATH": str(DRIVER), **environment}
    variables.pop("TRITIUM_BACKEND", None)
    variables.update(environment)
    variables["PYTHONPATH"] = str(BUILD / "python")
    result = subprocess.run([sys.executable, str(path)], text=True, capture_output=True,
                            timeout=200, env=variables)
    assert result.returncode == 0, result.stderr
    return result.stdout
