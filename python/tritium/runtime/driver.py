"""`triton.runtime.driver.active`: the device that kernels run on, a CPU or a GPU.

It is the GPU where one of the libraries that make CUDA arrays is in use (torch with CUDA,
CuPy), unless TRITIUM_BACKEND or TRITON_INTERPRET says that kernels run on the host.
"""

import os
import platform
import sys
import types

from .. import _C, knobs
from ..compiler import GPUTarget

__all__ = ["active", "set_active", "reset_active", "libcuda_dirs", "CPUDriver", "CUDADriver"]

_HOST_MEMORY_BYTES = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _vector_registers():
    """How many vector registers a core's programs have."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return 32
    with open("/proc/cpuinfo") as info:
        return 32 if "avx512f" in info.read() else 16


def _host_properties(device=0):
    if device not in (0, None):
        raise ValueError(f"the CPU back end has one device, 0; got {device}")
    return {"name": _C.host_cpu(), "multiprocessor_count": _C.num_threads(), "warpSize": 1,
            "max_threads": 1, "max_num_regs": _vector_registers(),
            "max_shared_mem": _HOST_MEMORY_BYTES}


class CPUDriver:
    """The host's cores as a device.

    Attributes:
        utils: `get_device_properties(0)` answers a dict: name; multiprocessor_count, the threads
            of a launch, each of which runs one program at a time (max_threads and warpSize are
            1); max_num_regs, the vector registers of a core; max_shared_mem, the machine's memory,
            as nothing less limits the scratch memory of a program.
    """

    def __init__(self):
        self.utils = types.SimpleNamespace(get_device_properties=_host_properties)

    @staticmethod
    def is_active():
        """Whether kernels run on the host."""
        return not _uses_cuda()

    def get_active_torch_device(self):
        """torch's name of the CPU; torch must be there."""
        return __import__("torch").device("cpu")

    def get_device_interface(self):
        """torch.cpu; torch must be there."""
        return __import__("torch").cpu

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

    @staticmethod
    def is_active():
        """Whether kernels run on a GPU."""
        return _uses_cuda()

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


def libcuda_dirs():
    """The folders that have the CUDA driver's library, as the linker's cache says: a list, empty
    without one."""
    import subprocess  # which takes 6 ms to import, and few come here

    try:
        listed = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True).stdout
    except FileNotFoundError:
        return []
    paths = [line.split()[-1] for line in listed.splitlines() if "libcuda.so.1" in line]
    return list(dict.fromkeys(os.path.dirname(path) for path in paths))


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
    _set = None

    def __getattr__(self, name):
        return getattr(self._set or (self._cuda if _uses_cuda() else self._cpu), name)


active = _Active()
driver = sys.modules[__name__]  # Triton's module has an object of this name, with the same names


def set_active(driver):
    """`active` answers as `driver` does from now on. Where kernels run is not changed: that is
    where their arrays are."""
    _Active._set = driver


def reset_active():
    """Takes `set_active` back."""
    _Active._set = None
