"""Loops, hints and debugging."""

import enum

from ._builtin import builtin, builtin_class

__all__ = ["range", "static_range", "condition", "multiple_of", "max_contiguous",
           "max_constancy", "assume", "debug_barrier", "static_print", "static_assert",
           "device_print", "device_assert", "expect_zero", "PropagateNan"]


class _InKernel:
    def __init__(self, *_args, **_kwargs):
        raise RuntimeError(f"tl.{type(self).__name__} can only be used inside a kernel")


@builtin_class
class range(_InKernel):
    """`for i in tl.range(start, end, step, ...)`: a loop with hints for the compiler.

    Bounds are ints; a negative step must be constexpr. `num_stages`, `loop_unroll_factor`,
    `disallow_acc_multi_buffer`, `flatten`, `warp_specialize`, `disable_licm` are hints.
    """


@builtin_class
class static_range(_InKernel):
    """`for i in tl.static_range(start, end, step)`: unrolled; the bounds are constexpr."""


@builtin_class
class condition(_InKernel):
    """`while tl.condition(c, disable_licm=False)`: a loop with hints."""


@builtin_class
class PropagateNan(enum.Enum):
    """What `minimum` and `maximum` do with a NaN: NONE: it loses; ALL: it wins."""

    NONE = 0
    ALL = 0xFFFF


@builtin
def multiple_of(input, values):
    """`input`, of which the compiler may assume that along each dimension the first element of
    each aligned run that counts up is a multiple of `values` (a constexpr int, or one for each
    dimension). A run is as long as the kernel shows or `max_contiguous` says; where neither does,
    every element is a multiple. Of pointers: bytes. Checked in the interpreter, and with debug
    on."""


@builtin
def max_contiguous(input, values):
    """`input`, of which the compiler may assume that along each dimension every aligned run of
    `values` elements counts up by one, pointers by one element. Checked as `multiple_of` is."""


@builtin
def max_constancy(input, values):
    """`input`, of which the compiler may assume that along each dimension every aligned run of
    `values` elements is one value. Checked as `multiple_of` is."""


@builtin
def assume(cond):
    """Tells the compiler that a scalar condition holds. Checked as `multiple_of` is."""


@builtin
def debug_barrier():
    """All threads of a program wait for each other; without effect on a CPU."""


@builtin
def static_print(*values, sep=" ", end="\n", file=None, flush=False):
    """Prints while the kernel is compiled."""


@builtin
def static_assert(cond, msg=""):
    """Fails the compilation with CompileTimeAssertionFailure unless a constexpr holds."""


@builtin
def device_print(prefix, *args, hex=False):
    """Prints values while the kernel runs, one line an element: program, index, prefix, value.

    Args:
        prefix: a string literal.
        args: scalars or tiles.
        hex: prints in base 16.
    """


@builtin
def device_assert(cond, msg="", mask=None):
    """Fails the launch if `cond` is false in any lane (where `mask` holds). Checked only with
    TRITON_DEBUG=1 or `debug=True`; then the launch raises DeviceAssertionError."""


@builtin
def expect_zero(x, mask):
    """`x`, which is 0 where `mask` holds; checked with debug on."""
