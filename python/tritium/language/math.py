"""Elementwise arithmetic and math functions; also reachable as `tl.NAME`."""

from ._builtin import Builtin, builtin
from ._control import PropagateNan

__all__ = ["add", "sub", "mul", "minimum", "maximum", "clamp", "cdiv", "abs", "exp", "exp2",
           "log", "log2", "sin", "cos", "erf", "floor", "ceil", "sqrt", "sqrt_rn", "rsqrt",
           "fdiv", "div_rn", "fma", "umulhi", "sigmoid", "softmax"]


_OPERATOR = """x {sign} y, as the operator: operands are promoted to one type and broadcast to one
    shape. Ints wrap.

    Args:
        sanitize_overflow: taken for the checks of Triton's debug builds; ints wrap always.

    Example:
        >>> tl.{name}(tl.arange(0, 3), {y})
        {result}
    """


def _operator(name, sign, y, result):
    def function(x, y, sanitize_overflow=True):
        pass

    function.__name__ = function.__qualname__ = name
    function.__module__ = __name__
    function.__doc__ = _OPERATOR.format(name=name, sign=sign, y=y, result=result)
    return builtin(function)


add = _operator("add", "+", 10, "int32 [10, 11, 12]")
sub = _operator("sub", "-", 0.5, "float32 [-0.5, 0.5, 1.5]")
mul = _operator("mul", "*", 2, "int32 [0, 2, 4]")


@builtin
def minimum(x, y, propagate_nan=PropagateNan.NONE):
    """The smaller of two values, element by element.

    Args:
        x, y: ints or floats, promoted to one type and broadcast to one shape.
        propagate_nan: tl.PropagateNan.NONE: a NaN loses; .ALL: a NaN wins.

    Example:
        >>> tl.minimum(tl.arange(0, 4), 2)
        int32 [0, 1, 2, 2]
    """


@builtin
def maximum(x, y, propagate_nan=PropagateNan.NONE):
    """The larger of two values, element by element; arguments as for `minimum`.

    Example:
        >>> tl.maximum(tl.full((2,), float("nan"), tl.float32), 1.0)
        float32 [1.0, 1.0]
        >>> tl.maximum(tl.arange(0, 4), 2)
        int32 [2, 2, 2, 3]
    """


@builtin
def clamp(x, min, max, propagate_nan=PropagateNan.NONE):
    """A float `x` limited to [min, max]; undefined for min > max.

    Args:
        x, min, max: floats of 16 bits or more, promoted to one type and broadcast to one shape.
        propagate_nan: what is done with a NaN in `x`, as for `minimum`.

    Example:
        >>> tl.clamp(tl.arange(0, 4).to(tl.float32), 1.0, 2.0)
        float32 [1.0, 1.0, 2.0, 2.0]
        >>> tl.clamp(tl.arange(0, 4), 1, 2)
        CompilationError: floats
    """


def _cdiv(x, div):
    """x / div rounded up, for non-negative ints: (x + div - 1) // div. Works on the host, too.

    Example:
        >>> tl.cdiv(tl.arange(0, 4), 2)
        int32 [0, 1, 1, 2]
    """
    return (x + (div - 1)) // div


_cdiv.__name__ = _cdiv.__qualname__ = "cdiv"
cdiv = Builtin(_cdiv, "triton.language.cdiv", on_host=_cdiv)


@builtin
def abs(x):
    """|x|, of the type of `x`: ints (of which the least has no positive counterpart and stays as
    it is), unsigned ints (as they are) and floats.

    Example:
        >>> tl.abs(tl.arange(0, 3) - 1)
        int32 [1, 0, 1]
    """


_UNARY = """{what}

    Args:
        x: a tile, scalar or number, {types}.

    Returns a tile of the shape and type of `x`.{more}

    Example:
        >>> tl.{name}(tl.full((2,), {x}, tl.float32))
        float32 [{result}, {result}]
    """


def _unary(name, what, x, result, types="fp32 or fp64; cast narrower types first", more=""):
    def function(x):
        pass

    function.__name__ = function.__qualname__ = name
    function.__module__ = __name__
    function.__doc__ = _UNARY.format(name=name, what=what, types=types, x=x, result=result,
                                     more=more)
    return builtin(function)


_ULP = " Within 1.5 units in the last place for fp32 on a CPU."
exp = _unary("exp", "e to the power x." + _ULP, 1.0, 2.71828)
exp2 = _unary("exp2", "2 to the power x." + _ULP, 0.5, 1.41421)
log = _unary("log", "The natural logarithm; NaN below 0, -inf at 0.", 2.0, 0.693147)
log2 = _unary("log2", "The logarithm to base 2; NaN below 0, -inf at 0.", 8.0, 3.0)
sin = _unary("sin", "The sine of an angle in radians, of any size.", 0.5, 0.479426)
cos = _unary("cos", "The cosine of an angle in radians, of any size.", 0.5, 0.877583)
erf = _unary("erf", "The error function, 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x.",
             0.5, 0.5205)
floor = _unary("floor", "The largest integral value not above x.", -1.5, -2.0)
ceil = _unary("ceil", "The smallest integral value not below x.", -1.5, -1.0)
sqrt = _unary("sqrt", "The square root; NaN below 0.", 2.0, 1.41421)
sqrt_rn = _unary("sqrt_rn", "The square root, correctly rounded.", 9.0, 3.0, "fp32")
rsqrt = _unary("rsqrt", "1 / sqrt(x).", 4.0, 0.5)
sigmoid = _unary("sigmoid", "The logistic function, 1 / (1 + exp(-x)).", 0.0, 0.5)


@builtin
def softmax(x, dim=None, keep_dims=False, ieee_rounding=False):
    """exp(x - max) / sum(exp(x - max)) along a dimension.

    Args:
        x: a tile of floats of 16 bits or more; those of 16 give fp32.
        dim: a constexpr int; None: 0.
        keep_dims: taken; the shape is that of `x` anyway.
        ieee_rounding: asks for correctly rounded quotients.

    Example:
        >>> tl.softmax(tl.zeros((4,), tl.float32))
        float32 [0.25, 0.25, 0.25, 0.25]
    """


@builtin
def fdiv(x, y, ieee_rounding=False):
    """x / y of floats.

    Args:
        x, y: floats of 16 bits or more, promoted to one type and broadcast to one shape.
        ieee_rounding: asks for the correctly rounded quotient.

    Example:
        >>> tl.fdiv(tl.full((2,), 3.0, tl.float32), 2.0)
        float32 [1.5, 1.5]
    """


@builtin
def div_rn(x, y):
    """x / y of fp32, correctly rounded; other types are an error.

    Example:
        >>> tl.div_rn(tl.full((2,), 1.0, tl.float32), 8.0)
        float32 [0.125, 0.125]
        >>> tl.div_rn(tl.full((2,), 1.0, tl.float64), 8.0)
        CompilationError: float32
    """


@builtin
def fma(x, y, z):
    """x * y + z with one rounding.

    Args:
        x, y, z: floats, promoted to one type and broadcast to one shape.

    Example:
        >>> tl.fma(tl.full((2,), 2.0, tl.float32), 3.0, 1.0)
        float32 [7.0, 7.0]
    """


@builtin
def umulhi(x, y):
    """The upper half of the product of two 32- or 64-bit ints, taken as unsigned; other widths are
    an error.

    Example:
        >>> tl.umulhi(tl.full((2,), 1 << 31, tl.uint32), 6)
        uint32 [3, 3]
    """


def __getattr__(name):
    """The functions of the device library, which Triton 2 had here."""
    from .extra import libdevice

    if name in libdevice.__all__:
        return getattr(libdevice, name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
