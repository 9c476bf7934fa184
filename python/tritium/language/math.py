"""Elementwise arithmetic and math functions; also reachable as `tl.NAME`."""

from ._builtin import Builtin, builtin

__all__ = ["add", "sub", "mul", "minimum", "maximum", "clamp", "cdiv", "abs", "exp", "exp2",
           "log", "log2", "sin", "cos", "erf", "floor", "ceil", "sqrt", "sqrt_rn", "rsqrt",
           "fdiv", "div_rn", "fma", "umulhi", "sigmoid", "softmax"]


@builtin
def add(x, y, sanitize_overflow=True):
    """x + y, as the operator. Ints wrap."""


@builtin
def sub(x, y, sanitize_overflow=True):
    """x - y, as the operator. Ints wrap."""


@builtin
def mul(x, y, sanitize_overflow=True):
    """x * y, as the operator. Ints wrap."""


@builtin
def minimum(x, y, propagate_nan=None):
    """The smaller of two values. `propagate_nan`: tl.PropagateNan.NONE (default: a NaN loses)
    or .ALL (a NaN wins)."""


@builtin
def maximum(x, y, propagate_nan=None):
    """The larger of two values; `propagate_nan` as for `minimum`."""


@builtin
def clamp(x, min, max, propagate_nan=None):
    """A float `x` limited to [min, max]; undefined for min > max."""


def _cdiv(x, div):
    """x / div rounded up, for non-negative ints: (x + div - 1) // div. Works on the host too."""
    return (x + (div - 1)) // div


_cdiv.__name__ = "cdiv"
cdiv = Builtin(_cdiv, "triton.language.cdiv", on_host=_cdiv)


@builtin
def abs(x):
    """|x| of ints and floats."""


def _unary(name, what):
    def function(x):
        pass

    function.__name__ = function.__qualname__ = name
    function.__module__ = __name__
    function.__doc__ = what
    return builtin(function)


_FLOAT = " Takes fp32 or fp64; cast narrower types first."
exp = _unary("exp", "e to the power x, within 1.5 units in the last place for fp32." + _FLOAT)
exp2 = _unary("exp2", "2 to the power x, within 1.5 units in the last place for fp32." + _FLOAT)
log = _unary("log", "The natural logarithm; NaN below 0, -inf at 0." + _FLOAT)
log2 = _unary("log2", "The logarithm to base 2; NaN below 0, -inf at 0." + _FLOAT)
sin = _unary("sin", "The sine of an angle in radians, of any size." + _FLOAT)
cos = _unary("cos", "The cosine of an angle in radians, of any size." + _FLOAT)
erf = _unary("erf", "The error function." + _FLOAT)
floor = _unary("floor", "The largest integral value not above x." + _FLOAT)
ceil = _unary("ceil", "The smallest integral value not below x." + _FLOAT)
sqrt = _unary("sqrt", "The square root; NaN below 0." + _FLOAT)
sqrt_rn = _unary("sqrt_rn", "The square root of fp32, correctly rounded.")
rsqrt = _unary("rsqrt", "1 / sqrt(x)." + _FLOAT)
sigmoid = _unary("sigmoid", "1 / (1 + exp(-x))." + _FLOAT)


@builtin
def softmax(x, dim=None, keep_dims=False, ieee_rounding=False):
    """exp(x - max) / sum(exp(x - max)) along `dim` (default: 0)."""


@builtin
def fdiv(x, y, ieee_rounding=False):
    """x / y of floats; `ieee_rounding` asks for the correctly rounded quotient."""


@builtin
def div_rn(x, y):
    """x / y of fp32, correctly rounded."""


@builtin
def fma(x, y, z):
    """x * y + z with one rounding."""


@builtin
def umulhi(x, y):
    """The upper half of the product of two 32- or 64-bit ints, taken as unsigned."""


def __getattr__(name):
    """The functions of the device library, which Triton 2 had here."""
    from .extra import libdevice

    if name in libdevice.__all__:
        return getattr(libdevice, name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
