"""`triton.runtime.driver.active`: the device that kernels run on, a CPU or a GPU.

It is the GPU where one of the libraries that make CUDA arrays is in use (torch with CUDA,
CuPy), unless TRITIUM_BACKEND or TRITON_INTERPRET says that kernels run on the host.
"""

import os
import sys
import types

from .. import _C, knobs
from ..compiler import GPUTarget

__all__ = ["active", "CPUDriver", "CUDADriver"]


class CPUDriver:
    """The host's cores as a device."""

    def get_current_target(self):
        """A GPUTarget with the backend "cpu" and LLVM's name of this machine's CPU."""
        return GPUTarget("cpu", _C.host_cpu(), 1)

    def get_current_device(self):
        return 0

    def set_current_device(self, device):
        if device != 0:
            raise ValueError(f"the CPU back end has one device, 0; got {device}")

    def get_current_stream(self, device=0):
        """0: launches run in order and have finished when they return."""
        return 0

    def get_benchmarker(self):
        from ..testing import do_bench

        return do_bench

    def get_empty_cache_for_benchmark(self):
        """A buffer larger than the second-level caches."""
        return bytearray(16 << 20)

    def clear_cache(self, cache):
        """Overwrites `cache`, which evicts what the caches held."""
        cache[:] = bytes(len(cache))


class CUDADriver:
    """The GPU whose context is current in this thread.

    Attributes:
        utils: `get_device_properties(device)` answers a dict: name, capability,
            driver_version, multiprocessor_count, warpSize, max_threads, max_num_regs and
            max_shared_mem (of a CTA).
    """

    def __init__(self):
        self.utils = types.SimpleNamespace(get_device_properties=_C.cuda_properties)

    def get_current_target(self):
        """A GPUTarget with the backend "cuda" and the compute capability, 90 for 9.0."""
        return GPUTarget("cuda", _C.cuda_properties(self.get_current_device())["capability"], 32)

    def get_current_device(self):
        torch = sys.modules.get("torch")
        return torch.cuda.current_device() if torch else _C.cuda_current_device()

    def set_current_device(self, device):
        if "torch" in sys.modules:
            sys.modules["torch"].cuda.set_device(device)
        else:
            sys.modules["cupy"].cuda.Device(device).use()

    def get_current_stream(self, device=None):
        """The address of torch's or CuPy's current stream."""
        if "torch" in sys.modules:
            return sys.modules["torch"].cuda.current_stream(device).cuda_stream
        return int(sys.modules["cupy"].cuda.get_current_stream().ptr)

    def get_active_torch_device(self):
        return sys.modules["torch"].device("cuda", self.get_current_device())

    def get_device_interface(self):
        return sys.modules["torch"].cuda

    def get_benchmarker(self):
        from ..testing import do_bench

        return do_bench

    def get_empty_cache_for_benchmark(self):
        """A buffer larger than the second-level cache."""
        torch = sys.modules.get("torch")
        if torch:
            return torch.empty(256 << 20, dtype=torch.int8, device="cuda")
        return sys.modules["cupy"].empty(256 << 20, dtype="int8")

    def clear_cache(self, cache):
        """Overwrites `cache`, which evicts what the cache held."""
        cache.zero_() if hasattr(cache, "zero_") else cache.fill(0)


def _uses_cuda():
    if (knobs.runtime.backend or "cuda") != "cuda" or knobs.runtime.interpret:
        return False
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "cuda"):
        return torch.cuda.is_available()
    return "cupy" in sys.modules


class _Active:
    """The driver of now: which it is may change with the environment and with imports."""

    _cpu = CPUDriver()
    _cuda = CUDADriver()

    def __getattr__(self, name):
        return getattr(self._cuda if _uses_cuda() else self._cpu, name)


active = _Active()
