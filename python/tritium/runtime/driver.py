"""`triton.runtime.driver.active`: the device that kernels run on, a CPU or a GPU.

It is the GPU where one of the libraries that make CUDA arrays is in use (torch with CUDA,
CuPy), unless TRITIUM_BACKEND or TRITON_INTERPRET says that kernels run on the host.
"""

import ctypes
import os
import platform
import sys
import types

from .. import _C, knobs
from ..compiler import GPUTarget
from ..errors import CUDAError, TritonError

__all__ = ["active", "set_active", "reset_active", "libcuda_dirs", "CPUDriver", "CUDADriver",
           "Launcher"]

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


_CPP_TYPES = {"i1": "int8_t", "u1": "uint8_t", "f32": "double",
              **{f"{sign}{bits}": f"{'u' * (sign == 'u')}int{bits}_t"
                 for sign in "iu" for bits in (8, 16, 32, 64)},
              **dict.fromkeys(("fp16", "bf16", "fp32", "fp64"), "double")}


def _cpp_type(pointer, type):
    if type.startswith("*"):
        return pointer
    if type not in _CPP_TYPES:
        raise ValueError(f"no type {type!r}; there are: *<type>, {', '.join(_CPP_TYPES)}")
    return _CPP_TYPES[type]


class Launcher:
    """What launches a kernel for programs that do so themselves.

    Args:
        src, metadata: of the `CompiledKernel`; taken, without effect.
    """

    def __init__(self, src, metadata):
        pass

    def __call__(self, x, y, z, stream, function, packed_metadata, launch_metadata, enter_hook,
                 exit_hook, *args):
        """As `CompiledKernel.run`, of which `function` is one's."""
        from ..compiler import launch

        launch(function, (x, y, z), stream, launch_metadata, enter_hook, exit_hook, args)


def _refuse_binary(name, *_):
    raise TritonError(f"load_binary: kernel '{name}' is loaded by its first launch, "
                      "kernel[grid](...); CompiledKernel.function and .module stand for it")


def _unload_module(module):
    raise TritonError("unload_module: a kernel stays loaded while something may launch it")


def _call_driver(function, *arguments):
    """A function of the CUDA driver's interface that the compiled extension does not have."""
    path = knobs.nvidia.libcuda_path
    path = os.path.join(path, "libcuda.so.1") if os.path.isdir(path) else path
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise CUDAError(f"the CUDA driver cannot be loaded: {error}") from error
    status = getattr(library, function)(*arguments)
    if status:
        raise CUDAError(f"{function} of the CUDA driver failed with error {status}")


def _set_printf_fifo_size(size):
    """Bytes of the current device that hold what kernels print until it is shown."""
    _call_driver("cuCtxSetLimit", 1, ctypes.c_size_t(size))  # CU_LIMIT_PRINTF_FIFO_SIZE


# CU_DEVICE_ATTRIBUTE_{CLOCK_RATE, MEMORY_CLOCK_RATE, GLOBAL_MEMORY_BUS_WIDTH}
_ATTRIBUTES = {"sm_clock_rate": 13, "mem_clock_rate": 36, "mem_bus_width": 37}


def _cuda_properties(device=0):
    properties = _C.cuda_properties(device)
    for name, number in _ATTRIBUTES.items():
        value = ctypes.c_int()
        _call_driver("cuDeviceGetAttribute", ctypes.byref(value), number, device)
        properties[name] = value.value
    return properties


class CPUDriver:
    """The host's cores as a device.

    Attributes:
        utils: `get_device_properties(0)` answers a dict: name; multiprocessor_count, the threads
            of a launch, each of which runs one program at a time (max_threads and warpSize are
            1); max_num_regs, the vector registers of a core; max_shared_mem, the machine's memory,
            as nothing less limits the scratch memory of a program. `load_binary` and
            `unload_module` say that launches load kernels. `set_printf_fifo_size` does nothing:
            what kernels print is shown at once.
        launcher_cls: `Launcher`.
    """

    launcher_cls = Launcher

    def __init__(self):
        self.utils = types.SimpleNamespace(
            get_device_properties=_host_properties, load_binary=_refuse_binary,
            unload_module=_unload_module, set_printf_fifo_size=lambda size: None)

    def map_python_to_cpp_type(self, type):
        """The type in C++ of an argument, by its type in a signature: "i32" -> "int32_t"."""
        return _cpp_type("void*", type)

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
            driver_version, multiprocessor_count, warpSize, max_threads, max_num_regs,
            max_shared_mem (of a CTA), sm_clock_rate and mem_clock_rate (in kHz) and
            mem_bus_width (in bits). `set_printf_fifo_size(bytes)`; `load_binary` and
            `unload_module` say that launches load kernels.
        launcher_cls: `Launcher`.
    """

    launcher_cls = Launcher

    def __init__(self):
        self.utils = types.SimpleNamespace(
            get_device_properties=_cuda_properties, load_binary=_refuse_binary,
            unload_module=_unload_module, set_printf_fifo_size=_set_printf_fifo_size)

    def map_python_to_cpp_type(self, type):
        """The type in C++ of an argument, by its type in a signature: "i32" -> "int32_t"."""
        return _cpp_type("CUdeviceptr", type)

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
