"""Arrays for benchmarks, of types that NumPy has and of bf16, which stands in uint16."""

import numpy as np

import tritium as triton
import tritium.language as tl

STORED = {"fp32": np.float32, "fp16": np.float16, "bf16": np.uint16, "int8": np.int8,
          "int32": np.int32}
rng = np.random.default_rng(0)


def empty(shape, dtype="fp32"):
    """An array that begins with a line of the caches, as vendors' own do."""
    itemsize = np.dtype(STORED[dtype]).itemsize
    count = int(np.prod(shape))
    raw = np.empty(count * itemsize + 64, np.uint8)
    begin = -raw.ctypes.data % 64
    return raw[begin:begin + count * itemsize].view(STORED[dtype]).reshape(shape)


def normal(shape, dtype="fp32"):
    """Normally distributed numbers; int8 has 40 times as large ones."""
    values = rng.standard_normal(shape, dtype=np.float32)
    out = empty(shape, dtype)
    if dtype == "bf16":
        bits = values.view(np.uint32)
        out[...] = (bits + 0x7fff + (bits >> 16 & 1)) >> 16
    else:
        out[...] = np.clip(40 * values, -127, 127) if dtype == "int8" else values
    return out


def given(array, dtype):
    """What a launch takes for the array."""
    return triton.reinterpret(array, tl.bfloat16) if dtype == "bf16" else array


def asTorch(torch, array, dtype):
    """A tensor of PyTorch in the array's memory."""
    if dtype == "bf16":
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def widened(array, dtype):
    """The array in fp64."""
    if dtype == "bf16":
        array = (array.astype(np.uint32) << 16).view(np.float32)
    return array.astype(np.float64)
