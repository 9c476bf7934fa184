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
    memory can be read (programmatic dependent launch, from sm_90 on; before, an error). Without
    `launch_pdl=True` a kernel waits before it touches memory, and this does nothing.

    Example:
        >>> tl.extra.cuda.gdc_wait()
    """


@_cuda
def gdc_launch_dependents():
    """Lets the kernels that wait for this one begin; they may not read its memory before their
    `gdc_wait` (programmatic dependent launch, from sm_90 on; before, an error). Without
    `launch_pdl=True` it does nothing.

    Example:
        >>> tl.extra.cuda.gdc_launch_dependents()
    """


@_cuda
def globaltimer():
    """A clock in nanoseconds, int64: the GPU's; the host's on CPUs and in the interpreter; cycles
    in the simulator.

    Example:
        >>> before = tl.extra.cuda.globaltimer()
        >>> tl.extra.cuda.globaltimer() >= before
        int1 True
    """


@_cuda
def smid():
    """The number of the multiprocessor that the program runs on, int32; 0 where there is none.

    Example:
        >>> tl.extra.cuda.smid() >= 0
        int1 True
    """


@_cuda
def num_threads():
    """The threads of a program, a constexpr: 32 for each warp.

    Example:
        >>> tl.extra.cuda.num_threads()
        128
    """


@_cuda
def num_warps():
    """The warps of a program, a constexpr.

    Example:
        >>> tl.extra.cuda.num_warps()
        4
    """
