"""Loops, hints and debugging."""

import enum

from ._builtin import builtin, builtin_class

__all__ = ["range", "static_range", "condition", "multiple_of", "max_contiguous",
           "max_constancy", "assume", "debug_barrier", "aggregate_replace", "static_print",
           "static_assert", "device_print", "device_assert", "expect_zero", "must_use_result",
           "PropagateNan", "scope"]


class _InKernel:
    def __init__(self, *_args, **_kwargs):
        raise RuntimeError(f"tl.{type(self).__name__} can only be used inside a kernel")


@builtin_class
class range(_InKernel):
    """`for i in tl.range(start, end, step, ...)`: a loop with hints for the compiler.

    Args:
        arg1, arg2: the start and the end, ints; one alone is the end of a loop from 0.
        step: an int, not 0.
        num_stages: how many rounds of the loop a GPU has under way at once, loads before the
            computation that needs them; else the kernel's option holds, for loads that feed
            `tl.dot`.
        loop_unroll_factor: how many rounds become one; below 2: none.
        warp_specialize: on a GPU with TMA, a warp of its own starts the loop's copies, if all of
            them are by TMA; a remark says why not. The option `warp_specialize` of a launch
            comes before it.
        disallow_acc_multi_buffer, flatten, disable_licm: taken, without effect.

    The options are constexprs.

    Beyond Triton: `break`, `continue` and `return`; a negative step that only the launch knows;
    `i` has a value after the loop, that of its last round.

    Example:
        >>> total = 0
        >>> for i in tl.range(0, 10, 3, num_stages=2):
        ...     total += i
        >>> total
        int32 18
    """

    def __init__(self, arg1, arg2=None, step=None, num_stages=None, loop_unroll_factor=None,
                 disallow_acc_multi_buffer=False, flatten=False, warp_specialize=False,
                 disable_licm=False):
        super().__init__()


@builtin_class
class static_range(_InKernel):
    """`for i in tl.static_range(start, end, step)`: the loop unrolled, with `i` a constexpr.

    Args:
        arg1, arg2, step: as for `tl.range`, but constexpr ints.

    Example:
        >>> parts = ()
        >>> for i in tl.static_range(3):
        ...     parts = parts + (i * i,)
        >>> parts
        0
        1
        4
    """

    def __init__(self, arg1, arg2=None, step=None):
        super().__init__()


@builtin_class
class condition(_InKernel):
    """`while tl.condition(c)`: a loop with hints.

    Args:
        arg1: the condition, a scalar.
        disable_licm: taken, without effect.

    Example:
        >>> n = tl.program_id(0) + 100
        >>> while tl.condition(n > 9):
        ...     n = n // 3
        >>> n
        int32 3
    """

    def __init__(self, arg1, disable_licm=False):
        super().__init__()


@builtin_class
class scope(_InKernel):
    """`with tl.scope("load"):`: a named part of a kernel, which tables of what a kernel does have
    a line for: `tritium profile --clocks scopes SCRIPT`, `tritium profile --target sim:sm_90
    SCRIPT`, `kernel.simulate(...).scopes`,
    `kernel.explain(...).scopes`.

    Args:
        name: a constexpr str, one line of printable ASCII.

    The code is the same as without it, on every target. What belongs to a scope are the lines that
    stand in it, scopes inside of it too; a function that is called there has lines of its own, in
    which it may have scopes.

    Not in Triton, whose Proton has scopes of the host's program alone.

    Example:
        >>> with tl.scope("load"):
        ...     x = tl.load(ints)
        >>> x
        int32 0
        >>> with tl.scope(3):
        ...     pass
        CompilationError: the name of tl.scope is a text
    """

    def __init__(self, name):
        super().__init__()

    def __enter__(self):
        return None

    def __exit__(self, exc_type, exc_value, traceback):
        return None


@builtin_class
class PropagateNan(enum.Enum):
    """What `minimum`, `maximum` and `clamp` do with a NaN: NONE: it loses; ALL: it wins.

    Example:
        >>> tl.maximum(tl.full((2,), float("nan"), tl.float32), 1.0, tl.PropagateNan.ALL)
        float32 [nan, nan]
    """

    NONE = 0
    ALL = 0xFFFF


@builtin
def multiple_of(input, values):
    """`input`, of which the compiler may assume that along each dimension the first element of
    each aligned run that counts up is a multiple of `values`.

    Args:
        input: a tile or scalar of ints or pointers; of pointers, bytes are meant.
        values: a constexpr int, or one for each dimension.

    A run is as long as the kernel shows or `max_contiguous` says; where neither does, every element
    is a multiple. Where that does not hold, compiled code may read and write anything. The
    interpreter checks it, and with debug on so does compiled code.

    Example:
        >>> tl.multiple_of(tl.arange(0, 4) + 16, 16)
        int32 [16, 17, 18, 19]
    """


@builtin
def max_contiguous(input, values):
    """`input`, of which the compiler may assume that along each dimension every aligned run of
    `values` elements counts up by one, pointers by one element. Checked as `multiple_of` is.

    Args:
        input: a tile of ints or pointers.
        values: a constexpr int, or one for each dimension.

    Example:
        >>> tl.max_contiguous(tl.arange(0, 4) % 16, 4)
        int32 [0, 1, 2, 3]
    """


@builtin
def max_constancy(input, values):
    """`input`, of which the compiler may assume that along each dimension every aligned run of
    `values` elements is one value, bit for bit. Checked as `multiple_of` is.

    Args:
        input: a tile.
        values: a constexpr int, or one for each dimension.

    Example:
        >>> tl.max_constancy(tl.arange(0, 4) // 2, 2)
        int32 [0, 0, 1, 1]
    """


@builtin
def assume(cond):
    """Tells the compiler that a scalar condition holds. Checked as `multiple_of` is.

    Example:
        >>> n = tl.num_programs(0)
        >>> tl.assume(n >= 1)
        >>> n
        int32 1
    """


@builtin
def debug_barrier():
    """All threads of a program wait for each other, and what each has accessed is done for all;
    without effect on a CPU, where a program is one thread. What loads, stores and atomics access
    needs none, as the compiler puts barriers between them; assembly does.

    Example:
        >>> tl.store(ints, 5)
        >>> tl.debug_barrier()
        >>> tl.load(ints)
        int32 5
    """


@builtin
def aggregate_replace(instance, **changes):
    """An object of a class with @triton.aggregate like `instance`, with other values in the fields
    that are named.

    Example:
        >>> tl.aggregate_replace(5, low=1)
        CompilationError: takes an aggregate
    """


@builtin
def static_print(*values, sep=" ", end="\n", file=None, flush=False):
    """Prints while the kernel is compiled, as Python's `print` would: constants as they are, tiles
    by their types. `file` and `flush` are taken and have no effect.

    Example:
        >>> tl.static_print("a block of", tl.arange(0, 4).shape)
    """


@builtin
def static_assert(cond, msg=""):
    """Fails the compilation with CompileTimeAssertionFailure unless a constexpr holds. A condition
    that is not known at compile time is an error; `tl.device_assert` takes it.

    Example:
        >>> tl.static_assert(tl.float32.primitive_bitwidth == 32)
        >>> tl.static_assert(1 > 2, "what was wrong")
        CompileTimeAssertionFailure: static assertion failed: what was wrong
    """


@builtin
def device_print(prefix, *args, hex=False):
    """Prints values while the kernel runs, one line an element: program, index, prefix, value.

    Args:
        prefix: a string literal, ASCII; a colon is put behind it.
        args: scalars or tiles.
        hex: prints in base 16.

    Python's `print` in a kernel does the same.

    Example:
        >>> tl.device_print("x", tl.arange(0, 2))
    """


@builtin
def device_assert(cond, msg="", mask=None):
    """Fails the launch if `cond` is false in any lane (where `mask` holds). Checked only with
    TRITON_DEBUG=1 or `debug=True`; then the launch raises DeviceAssertionError. Python's `assert`
    in a kernel does the same.

    Args:
        cond: a scalar or a tile, cast to int1.
        msg: what the error says.
        mask: int1, broadcast with `cond`.

    Example:
        >>> tl.device_assert(tl.arange(0, 4) >= 0, "an index is negative")
    """


@builtin
def expect_zero(x, mask):
    """`x`, which is 0 where `mask` holds; checked with debug on.

    Example:
        >>> tl.expect_zero(tl.arange(0, 3), tl.arange(0, 3) < 1)
        int32 [0, 1, 2]
    """


def must_use_result(x, is_result_used=True):
    """`x`, a function whose result a program should use. It changes nothing: a call whose result
    is dropped is no error here.

    Args:
        x: a function, or the advice to give, for `@must_use_result("...")`.
        is_result_used: kept with the function.

    Example:
        >>> @tl.must_use_result
        ... def twice(x):
        ...     return 2 * x
        >>> twice(4)
        8
    """
    if isinstance(x, str):
        return lambda function: must_use_result(function, x)
    x._must_use_result = is_result_used
    return x
