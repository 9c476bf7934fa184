"""`triton.runtime.driver.active`: the device that kernels run on, a CPU."""

from .. import _C
from ..compiler import GPUTarget

__all__ = ["active", "CPUDriver"]


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


active = CPUDriver()
