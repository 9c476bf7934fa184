"""What a GPU can do at most, for `triton.testing`."""

import contextlib
import shutil
import subprocess
import time

from .errors import CUDAError

# FLOPs (or integer operations) of a multiprocessor in a clock cycle, a multiplication and an
# addition counted as two: dense products on tensor cores, by compute capability. Where two rates
# differ by what is accumulated in (GeForce), the greater one. NVIDIA's architecture white papers.
_TENSOR_CORE = {
    70: {"fp16": 1024},
    75: {"fp16": 1024, "int8": 2048},
    80: {"fp16": 2048, "bf16": 2048, "tf32": 1024, "int8": 4096},
    86: {"fp16": 1024, "bf16": 1024, "tf32": 512, "int8": 2048},
    87: {"fp16": 2048, "bf16": 2048, "tf32": 1024, "int8": 4096},
    89: {"fp16": 1024, "bf16": 1024, "tf32": 512, "int8": 2048, "fp8": 2048},
    90: {"fp16": 4096, "bf16": 4096, "tf32": 2048, "int8": 8192, "fp8": 8192},
}
# The same without tensor cores (CUDA C++ Programming Guide, throughput of arithmetic).
_SIMD = {
    70: {"fp32": 128, "fp16": 256, "int32": 128},
    75: {"fp32": 128, "fp16": 256, "int32": 128},
    80: {"fp32": 128, "fp16": 512, "bf16": 256, "int32": 128},
    86: {"fp32": 256, "fp16": 256, "bf16": 256, "int32": 128},
    87: {"fp32": 256, "fp16": 512, "bf16": 256, "int32": 128},
    89: {"fp32": 256, "fp16": 256, "bf16": 256, "int32": 128},
    90: {"fp32": 256, "fp16": 512, "bf16": 512, "int32": 128},
}
_ALIASES = {"float16": "fp16", "bfloat16": "bf16", "float32": "fp32", "int16": "fp16",
            "float8_e4m3fn": "fp8", "float8_e5m2": "fp8", "fp8e4nv": "fp8", "fp8e5": "fp8",
            "uint8": "int8", "uint32": "int32"}


def _properties(function, device):
    """The properties of a GPU; CUDAError if kernels run on a CPU."""
    from .runtime.driver import active

    if active.get_current_target().backend != "cuda":
        raise CUDAError(f"{function} is a question to a GPU, and kernels run on a CPU")
    return active.utils.get_device_properties(
        active.get_current_device() if device is None else device)


def _tflops(function, table, dtype, clock_rate, device):
    found = _properties(function, device)
    name = str(dtype).rpartition(".")[2]
    name = _ALIASES.get(name, name)
    if table is _TENSOR_CORE and name == "fp32":
        name = "tf32"  # what tensor cores make of it
    rates = table.get(found["capability"])
    if rates is None:
        raise ValueError(f"{function} does not know GPUs of compute capability "
                         f"{found['capability'] / 10}")
    if name not in rates:
        raise ValueError(f"{function}: such a GPU has no rate for {dtype}; it has for "
                         f"{', '.join(rates)}")
    return found["multiprocessor_count"] * clock_rate * rates[name] * 1e-9


def get_max_tensorcore_tflops(dtype, clock_rate, device=None):
    """The 10^12 operations a second of dense products on tensor cores.

    Args:
        dtype: of the operands; fp32 is multiplied as tf32.
        clock_rate: of the multiprocessors, in kHz.
        device: the number of the GPU; None: the current one.
    """
    return _tflops("get_max_tensorcore_tflops", _TENSOR_CORE, dtype, clock_rate, device)


def get_max_simd_tflops(dtype, clock_rate, device=None):
    """The same of arithmetic without tensor cores."""
    return _tflops("get_max_simd_tflops", _SIMD, dtype, clock_rate, device)


def get_dram_gbps(device=None):
    """The 10^9 bytes a second that a GPU's memory can be read at."""
    found = _properties("get_dram_gbps", device)
    return _gbps(found["mem_clock_rate"], found["mem_bus_width"])


def _gbps(clock_rate, bus_width):
    """Of a clock in kHz, at each cycle of which two words are transferred, and bits of a word."""
    return 2 * clock_rate * 1e3 * bus_width / 8 * 1e-9


def peak_seconds(device, work):
    """The seconds that a GPU needs at least; None where its rates are not known.

    Args:
        device: its description in a profile: `arch`, `num_sms`, `clock_rate`, `memory_clock_rate`
            (in kHz) and `bus_width` (in bits).
        work: dict of `flops8`, `flops16`, `flops32` (on tensor cores, 32 as tf32) and `bytes`.
    """
    rates = _TENSOR_CORE.get(int(device["arch"])) if str(device["arch"]).isdigit() else None
    if rates is None or "bus_width" not in device:
        return None
    rate_of = {"flops8": rates.get("fp8", rates.get("int8")), "flops16": rates["fp16"],
               "flops32": rates.get("tf32")}
    cycles = sum(work[name] / rate for name, rate in rate_of.items() if rate and name in work)
    arithmetic = cycles / (device["num_sms"] * device["clock_rate"] * 1e3)
    memory = work.get("bytes", 0) / (_gbps(device["memory_clock_rate"], device["bus_width"]) * 1e9)
    return max(arithmetic, memory) or None


def _smi(*arguments):
    program = shutil.which("nvidia-smi")
    if program is None:
        raise CUDAError("nvidia-smi is not in PATH: the clocks of a GPU are asked and set by it")
    ran = subprocess.run([program, "-i", "0", *arguments], capture_output=True, text=True)
    if ran.returncode:
        raise CUDAError(f"nvidia-smi {' '.join(arguments)} failed: "
                        f"{(ran.stderr or ran.stdout).strip()}")
    return ran.stdout


def nvsmi(attrs):
    """What nvidia-smi says of GPU 0: an int for each of the attributes, "clocks.current.sm" and
    the like (`nvidia-smi --help-query-gpu`)."""
    answer = _smi(f"--query-gpu={','.join(attrs)}", "--format=csv,noheader,nounits")
    return [int(word) for word in answer.replace("\n", "").split(",")]


@contextlib.contextmanager
def set_gpu_clock(ref_sm_clock=1350, ref_mem_clock=1215):
    """A context in which GPU 0 runs at these clocks, in MHz; its value is (tensor TFLOPS of
    fp16, GB/s). Setting clocks needs rights that few users have. CUDAError if the GPU does not
    come within 10 MHz of them."""
    try:
        _smi("-pm", "1")
        _smi(f"--lock-gpu-clocks={ref_sm_clock},{ref_sm_clock}")
        _smi(f"--lock-memory-clocks={ref_mem_clock},{ref_mem_clock}")
        time.sleep(0.1)  # clocks follow a little later
        sm, memory = nvsmi(["clocks.current.sm", "clocks.current.memory"])
        if abs(sm - ref_sm_clock) > 10 or abs(memory - ref_mem_clock) > 10:
            raise CUDAError(f"GPU 0 runs at {sm} and {memory} MHz, not at {ref_sm_clock} and "
                            f"{ref_mem_clock} MHz (multiprocessors, memory)")
        width = _properties("set_gpu_clock", 0)["mem_bus_width"]
        yield (get_max_tensorcore_tflops("fp16", sm * 1e3, 0), _gbps(memory * 1e3, width))
    finally:
        if shutil.which("nvidia-smi"):
            for option in ("-pm", "-rgc", "-rmc"):
                with contextlib.suppress(CUDAError):
                    _smi(option, *(["0"] if option == "-pm" else []))
