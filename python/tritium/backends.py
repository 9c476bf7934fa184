"""What code is compiled for, as programs ask for it: `triton.backends`.

The compiler is one library; these classes tell of it what other programs look for. `backends` has
for each name ("nvidia", "cpu") a `Backend`: the class that describes the compiler, and the driver.
"""

import collections
import dataclasses
import hashlib

from . import knobs
from .compiler import GPUTarget, triton_key
from .runtime.driver import CPUDriver, CUDADriver

__all__ = ["backends", "Backend", "BaseBackend", "CPUBackend", "CUDABackend", "CPUOptions",
           "CUDAOptions", "GPUTarget"]

Backend = collections.namedtuple("Backend", ["compiler", "driver"])


@dataclasses.dataclass(frozen=True)
class CPUOptions:
    """The options of a launch with their usual values. Those of a GPU change nothing on a CPU."""

    num_warps: int = 4
    num_stages: int = 3
    num_ctas: int = 1
    warp_size: int = 1
    maxnreg: int = None
    ptx_version: int = None
    ptx_options: str = None
    enable_fp_fusion: bool = dataclasses.field(
        default_factory=lambda: knobs.language.default_fp_fusion)
    enable_reflect_ftz: bool = True
    launch_cooperative_grid: bool = False
    launch_pdl: bool = None
    default_dot_input_precision: str = "ieee"
    allowed_dot_input_precisions: tuple = ("ieee", "tf32", "tf32x3", "bf16x3", "bf16x6")
    debug: bool = False
    arch: str = None

    def hash(self):
        """A hash of all of them."""
        return hashlib.sha256(repr(self).encode()).hexdigest()


@dataclasses.dataclass(frozen=True)
class CUDAOptions(CPUOptions):
    """The options of a launch with their usual values."""

    warp_size: int = 32
    default_dot_input_precision: str = "tf32"


class BaseBackend:
    """The compiler for one target.

    Attributes:
        target: a `GPUTarget`.
        binary_ext: the last of the stages in `CompiledKernel.asm`.
    """

    name = binary_ext = None
    options = CPUOptions

    def __init__(self, target):
        if not self.supports_target(target):
            raise ValueError(f"{type(self).__name__} does not compile for {target}")
        self.target = target

    @classmethod
    def supports_target(cls, target):
        return target.backend == cls.name

    def parse_options(self, options):
        """The options of `options`, a dict, that there are, the others as they usually are."""
        fields = [field.name for field in dataclasses.fields(self.options)]
        return self.options(**{name: value for name, value in options.items()
                               if name in fields and value is not None})

    def hash(self):
        """What tells this compiler and target from others."""
        return f"{triton_key()}-{self.target.backend}-{self.target.arch}"


class CPUBackend(BaseBackend):
    """The compiler for this machine's CPU, or another of its kind."""

    name, binary_ext = "cpu", "obj"


class CUDABackend(BaseBackend):
    """The compiler for NVIDIA's GPUs."""

    name, binary_ext = "cuda", "cubin"
    options = CUDAOptions

    def parse_options(self, options):
        return super().parse_options({"arch": f"sm_{self.target.arch}", **options})


backends = {"nvidia": Backend(CUDABackend, CUDADriver), "cpu": Backend(CPUBackend, CPUDriver)}


def make_backend(target):
    """The `BaseBackend` for a `GPUTarget`."""
    for backend in backends.values():
        if backend.compiler.supports_target(target):
            return backend.compiler(target)
    raise ValueError(f"no back end {target.backend!r}; there are: "
                     + ", ".join(backend.compiler.name for backend in backends.values()))
