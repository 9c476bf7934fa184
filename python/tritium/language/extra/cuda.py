"""`tl.extra.cuda`: what only NVIDIA's GPUs have."""

from .._builtin import Builtin
from . import libdevice

__all__ = ["libdevice", "gdc_wait", "gdc_launch_dependents", "globaltimer", "smid", "num_threads",
           "num_warps"]


def _cuda(function):
    return Builtin(function, f"triton.language.extra.cuda.{function.__name__}")


@_cuda
def gdc_wait():
    """Waits until the kernels that this one was launched to overlap with have finished, and their
    memory can be read (programmatic dependent launch, from sm_90 on)."""


@_cuda
def gdc_launch_dependents():
    """Lets the kernels that wait for this one begin; they may not read its memory before their
    `gdc_wait` (programmatic dependent launch, from sm_90 on)."""


@_cuda
def globaltimer():
    """The GPU's clock in nanoseconds; int64."""


@_cuda
def smid():
    """The number of the multiprocessor that the program runs on; int32."""


@_cuda
def num_threads():
    """The threads of a program, a constexpr."""


@_cuda
def num_warps():
    """The warps of a program, a constexpr."""
