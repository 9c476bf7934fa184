"""`tl.target_info`: what a kernel is compiled for; on the host, what kernels run on."""

from ._builtin import Builtin

__all__ = ["current_target", "is_cuda", "cuda_capability_geq", "is_hip", "is_hip_cdna3",
           "is_hip_cdna4", "is_hip_gfx1250"]


def _target_info(function):
    return Builtin(function, f"triton.language.target_info.{function.__name__}",
                   on_host=function)


@_target_info
def current_target():
    """The GPU, a `triton.compiler.GPUTarget`, with `backend`, `arch` and `warp_size`; in a kernel
    that is interpreted or compiled for a CPU, None.

    Example:
        >>> tl.target_info.current_target() is None
        True
    """
    from ..runtime.driver import active

    return active.get_current_target()


@_target_info
def is_cuda():
    """Whether it is one of NVIDIA's GPUs; a constexpr.

    Example:
        >>> tl.target_info.is_cuda()
        False
    """
    return current_target().backend == "cuda"


@_target_info
def cuda_capability_geq(major, minor=0):
    """Whether it is one of NVIDIA's GPUs of at least this compute capability; a constexpr.

    Args:
        major, minor: constexpr ints, 9 and 0 for Hopper.

    Example:
        >>> tl.target_info.cuda_capability_geq(9)
        False
    """
    target = current_target()
    return target.backend == "cuda" and target.arch >= major * 10 + minor


_NEVER = """False: there is no back end for AMD's GPUs.

    Example:
        >>> tl.target_info.{}()
        False
    """


def _never(name):
    def function():
        return False

    function.__name__ = function.__qualname__ = name
    function.__module__ = __name__
    function.__doc__ = _NEVER.format(name)
    return _target_info(function)


is_hip = _never("is_hip")
is_hip_cdna3 = _never("is_hip_cdna3")
is_hip_cdna4 = _never("is_hip_cdna4")
is_hip_gfx1250 = _never("is_hip_gfx1250")
