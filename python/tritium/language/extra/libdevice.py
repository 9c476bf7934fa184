"""`tl.extra.libdevice`: the functions of CUDA's device library, by its names.

    from triton.language.extra import libdevice

    libdevice.tanh(x)

Each takes tiles or scalars, which are broadcast to one shape. They mean what NVIDIA's documentation
of libdevice says, without its prefix `__nv_`, and are the same on every back end. Constants take
the types of the other arguments; where several choices of types are offered, arguments are promoted
as operators do. Integers of the other sign count as the same. Anything else is an error, which
lists the choices.
"""

import inspect
import re

from .._builtin import Builtin

# A line is a call, what it gives, and what the function is. `*` stands for each of the four
# directions of rounding, which `{to}` names.
_FUNCTIONS = """
clz(1) = int32 31 | The number of zeros before the highest 1 of an int.
popc(7) = int32 3 | The number of ones in an int.
brev(1) = int32 -2147483648 | The bits of an int in reverse order.
ffs(8) = int32 4 | The place of the lowest 1 of an int, counted from 1; 0 for 0.
byte_perm(1, 2, 4) = int32 16843010 | Four of the 8 bytes of x and y, by s's hex digits.
mulhi(2147483647, 4) = int32 1 | The upper half of the product of two ints.
mul24(3, 5) = int32 15 | The product of the lower 24 bits of two ints.
hadd(3, 6) = int32 4 | (x + y) / 2 of ints, rounded down, without overflow.
rhadd(3, 6) = int32 5 | (x + y + 1) / 2 of ints, rounded down, without overflow.
sad(3, 5, 10) = int32 12 | |x - y| + z of ints, z unsigned.
abs(-1.5) = float32 1.5 | |x|.
floor(-1.5) = float32 -2.0 | The largest integral value not above x.
ceil(-1.5) = float32 -1.0 | The smallest integral value not below x.
trunc(-1.5) = float32 -1.0 | x without its fraction.
rint(2.5) = float32 2.0 | The nearest integral value, ties to even.
nearbyint(3.5) = float32 4.0 | The nearest integral value, ties to even.
round(2.5) = float32 3.0 | The nearest integral value, ties away from zero.
llrint(2.5) = int64 2 | The nearest int64, ties to even.
llround(2.5) = int64 3 | The nearest int64, ties away from zero.
sqrt(2.0) = float32 1.41421 | The square root; NaN below 0.
rsqrt(4.0) = float32 0.5 | 1 / sqrt(x).
rsqrt_rn(4.0) = float32 0.5 | 1 / sqrt(x), correctly rounded.
cbrt(27.0) = float32 3.0 | The cube root.
rcbrt(8.0) = float32 0.5 | 1 over the cube root.
sin(0.5) = float32 0.479426 | The sine of an angle in radians.
cos(0.5) = float32 0.877583 | The cosine of an angle in radians.
tan(0.5) = float32 0.546302 | The tangent of an angle in radians.
sinpi(0.5) = float32 1.0 | sin(pi x).
cospi(1.0) = float32 -1.0 | cos(pi x).
asin(0.5) = float32 0.523599 | The arc sine, in radians; NaN outside of [-1, 1].
acos(0.5) = float32 1.0472 | The arc cosine, in radians; NaN outside of [-1, 1].
atan(1.0) = float32 0.785398 | The arc tangent, in radians.
atan2(1.0, -1.0) = float32 2.35619 | The angle of the point (x = arg1, y = arg0), in radians.
sinh(1.0) = float32 1.1752 | The hyperbolic sine.
cosh(1.0) = float32 1.54308 | The hyperbolic cosine.
tanh(0.5) = float32 0.462117 | The hyperbolic tangent.
asinh(1.0) = float32 0.881374 | The inverse of the hyperbolic sine.
acosh(2.0) = float32 1.31696 | The inverse of the hyperbolic cosine; NaN below 1.
atanh(0.5) = float32 0.549306 | The inverse of the hyperbolic tangent; NaN outside of [-1, 1].
exp(1.0) = float32 2.71828 | e to the power x.
exp2(0.5) = float32 1.41421 | 2 to the power x.
exp10(2.0) = float32 100.0 | 10 to the power x.
expm1(1.0) = float32 1.71828 | exp(x) - 1, precise for small x.
log(2.0) = float32 0.693147 | The natural logarithm.
log2(8.0) = float32 3.0 | The logarithm to base 2.
log10(1000.0) = float32 3.0 | The logarithm to base 10.
log1p(1.0) = float32 0.693147 | log(1 + x), precise for small x.
logb(10.0) = float32 3.0 | The exponent of x as a float: log2|x| rounded down.
ilogb(10.0) = int32 3 | The exponent of x as an int32.
pow(2.0, 0.5) = float32 1.41421 | x to the power y, also to an int32 y.
hypot(3.0, 4.0) = float32 5.0 | sqrt(x^2 + y^2), without overflow.
rhypot(3.0, 4.0) = float32 0.2 | 1 / sqrt(x^2 + y^2).
norm3d(2.0, 3.0, 6.0) = float32 7.0 | sqrt(x^2 + y^2 + z^2).
rnorm3d(2.0, 3.0, 6.0) = float32 0.142857 | 1 / sqrt(x^2 + y^2 + z^2).
norm4d(1.0, 1.0, 1.0, 1.0) = float32 2.0 | sqrt(x^2 + y^2 + z^2 + t^2).
rnorm4d(1.0, 1.0, 1.0, 1.0) = float32 0.5 | 1 / sqrt(x^2 + y^2 + z^2 + t^2).
fmod(7.5, 2.0) = float32 1.5 | The rest of x / y, with the sign of x.
remainder(7.5, 2.0) = float32 -0.5 | x - n y, n being the int nearest to x / y.
fdim(5.0, 2.0) = float32 3.0 | x - y where x is greater, else 0.
fma(2.0, 3.0, 1.0) = float32 7.0 | x y + z with one rounding.
copysign(2.0, -1.0) = float32 -2.0 | |x| with the sign of y.
nextafter(1.0, 2.0) = float32 1.0 | The next float after x on the way to y.
ldexp(1.5, 3) = float32 12.0 | x times 2 to the power of an int32.
scalbn(1.5, 3) = float32 12.0 | x times 2 to the power of an int32.
saturatef(1.5) = float32 1.0 | x limited to [0, 1]; 0 for NaN.
erf(0.5) = float32 0.5205 | The error function.
erfc(0.5) = float32 0.4795 | 1 - erf(x).
erfcx(0.5) = float32 0.61569 | exp(x^2) erfc(x).
erfinv(0.5) = float32 0.476936 | The inverse of erf.
erfcinv(0.5) = float32 0.476936 | The inverse of erfc.
normcdf(1.0) = float32 0.841345 | The distribution function of the standard normal distribution.
normcdfinv(0.841345) = float32 1.0 | The inverse of normcdf.
lgamma(5.0) = float32 3.17805 | The logarithm of |gamma(x)|.
tgamma(5.0) = float32 24.0 | The gamma function.
j0(1.0) = float32 0.765198 | The Bessel function of the first kind of order 0.
j1(1.0) = float32 0.440051 | The Bessel function of the first kind of order 1.
jn(2, 1.0) = float32 0.114903 | The Bessel function of the first kind of an int32 order.
y0(1.0) = float32 0.088257 | The Bessel function of the second kind of order 0.
y1(1.0) = float32 -0.781213 | The Bessel function of the second kind of order 1.
yn(2, 1.0) = float32 -1.65068 | The Bessel function of the second kind of an int32 order.
cyl_bessel_i0(1.0) = float32 1.26607 | The modified Bessel function of the first kind of order 0.
cyl_bessel_i1(1.0) = float32 0.565159 | The modified Bessel function of the first kind of order 1.
isnan(1.0) = int32 0 | 1 for NaN, else 0.
isinf(1.0) = int32 0 | 1 for infinities, else 0.
finitef(1.0) = int32 1 | 1 for what is neither infinite nor NaN, else 0.
isfinited(1.0) = int32 1 | 1 for what is neither infinite nor NaN, else 0.
signbit(-1.0) = int32 1 | Not 0 where the sign is negative, also of -0 and NaN.
fast_sinf(0.5) = float32 0.479426 | sin.
fast_cosf(0.5) = float32 0.877583 | cos.
fast_tanf(0.5) = float32 0.546302 | sin(x) / cos(x).
fast_expf(1.0) = float32 2.71828 | exp.
fast_exp10f(2.0) = float32 100.0 | exp10.
fast_logf(2.0) = float32 0.693147 | log.
fast_log2f(8.0) = float32 3.0 | log2.
fast_log10f(1000.0) = float32 3.0 | log10.
fast_powf(2.0, 0.5) = float32 1.41421 | exp2(y log2(x)).
fast_tanhf(0.5) = float32 0.462117 | tanh.
fast_dividef(3.0, 2.0) = float32 1.5 | x / y.
add_*(1.0, 2.0) = float32 3.0 | x + y, rounded {to}.
sub_*(1.0, 2.0) = float32 -1.0 | x - y, rounded {to}.
mul_*(1.5, 2.0) = float32 3.0 | x y, rounded {to}.
div_*(3.0, 2.0) = float32 1.5 | x / y, rounded {to}.
rcp_*(4.0) = float32 0.25 | 1 / x, rounded {to}.
sqrt_*(9.0) = float32 3.0 | The square root, rounded {to}.
fma_*(2.0, 3.0, 1.0) = float32 7.0 | x y + z, rounded once, {to}.
rcp64h(4.0) = float64 0.25 | About 1 / x: what the upper half of a float64 tells of it.
double2float_*(0.5) = float32 0.5 | A float64 as a float32, rounded {to}.
double2int_*(2.0) = int32 2 | A float64 as an int32, rounded {to}, saturating; 0 for NaN.
double2uint_*(2.0) = int32 2 | A float64 as a uint32 in an int32, rounded {to}, saturating.
double2ll_*(2.0) = int64 2 | A float64 as an int64, rounded {to}, saturating.
double2ull_*(2.0) = int64 2 | A float64 as a uint64 in an int64, rounded {to}, saturating.
float2int_*(2.0) = int32 2 | A float32 as an int32, rounded {to}, saturating; 0 for NaN.
float2uint_*(2.0) = int32 2 | A float32 as a uint32 in an int32, rounded {to}, saturating.
float2ll_*(2.0) = int64 2 | A float32 as an int64, rounded {to}, saturating.
float2ull_*(2.0) = int64 2 | A float32 as a uint64 in an int64, rounded {to}, saturating.
int2float_*(2) = float32 2.0 | An int32 as a float32, rounded {to}.
uint2float_*(2) = float32 2.0 | A uint32 as a float32, rounded {to}.
ll2float_*(2) = float32 2.0 | An int64 as a float32, rounded {to}.
ull2float_*(2) = float32 2.0 | A uint64 as a float32, rounded {to}.
ll2double_*(2) = float64 2.0 | An int64 as a float64, rounded {to}.
ull2double_*(2) = float64 2.0 | A uint64 as a float64, rounded {to}.
int2double_rn(2) = float64 2.0 | An int32 as a float64.
uint2double_rn(2) = float64 2.0 | A uint32 as a float64.
float_as_int(1.0) = int32 1065353216 | The bits of a float32 as an int32.
float_as_uint(1.0) = int32 1065353216 | The bits of a float32, in an int32.
int_as_float(1065353216) = float32 1.0 | The bits of an int32 as a float32.
uint_as_float(1065353216) = float32 1.0 | The bits of a uint32 as a float32.
double_as_longlong(2.0) = int64 4611686018427387904 | The bits of a float64 as an int64.
longlong_as_double(4611686018427387904) = float64 2.0 | The bits of an int64 as a float64.
hiloint2double(1073741824, 0) = float64 2.0 | A float64 of the halves of its bits, upper first.
double2hiint(2.0) = int32 1073741824 | The upper half of the bits of a float64.
double2loint(2.0) = int32 0 | The lower half of the bits of a float64.
"""
_DIRECTIONS = {"rn": "to the nearest, ties to even", "rz": "towards zero", "rd": "down", "ru": "up"}
_LINE = re.compile(r"(\w+\*?)\((.*?)\) = (\w+ \S+) \| (.*)")
_DOC = """`__nv_{name}`: {what}

    Example:
        >>> tl.extra.libdevice.{name}({arguments})
        {result}
    """


def _function(name, arguments, result, what):
    def stub(*_args):
        pass

    stub.__signature__ = inspect.Signature([
        inspect.Parameter(f"arg{i}", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        for i in range(arguments.count(",") + 1)])
    stub.__name__ = stub.__qualname__ = name
    stub.__module__ = __name__
    stub.__doc__ = _DOC.format(name=name, arguments=arguments, result=result, what=what)
    return Builtin(stub, f"triton.language.extra.libdevice.{name}")


def _functions():
    for name, arguments, result, what in _LINE.findall(_FUNCTIONS):
        directions = _DIRECTIONS if name.endswith("*") else {"": ""}
        for direction, to in directions.items():
            full = name.removesuffix("*") + direction
            yield full, _function(full, arguments, result, what.format(to=to))


_made = dict(_functions())
globals().update(_made)
__all__ = sorted(_made)
