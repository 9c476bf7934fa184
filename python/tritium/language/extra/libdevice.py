"""`tl.extra.libdevice`: the functions of CUDA's device library, by its names.

    from triton.language.extra import libdevice

    libdevice.tanh(x)

Each takes tiles or scalars, which are broadcast to one shape. They mean what NVIDIA's documentation
of libdevice says, without its prefix `__nv_`, and are the same on every back end.
"""

import inspect

from .._builtin import Builtin

_DIRECTIONS = ("rn", "rz", "rd", "ru")  # to nearest, to zero, down, up

# Functions by how many arguments they take. `*` stands for each of the four directions of rounding.
_FUNCTIONS = {
    1: """
        clz popc brev abs floor rcp64h rsqrt ceil trunc exp2 saturatef rcp_* sqrt_* sqrt
        double2float_* double2int_* double2uint_* int2double_rn uint2double_rn float2int_*
        float2uint_* int2float_* uint2float_* double2loint double2hiint float2ll_* float2ull_*
        double2ll_* double2ull_* ll2float_* ull2float_* ll2double_* ull2double_* int_as_float
        float_as_int uint_as_float float_as_uint longlong_as_double double_as_longlong fast_sinf
        fast_cosf fast_log2f fast_logf fast_expf fast_tanhf fast_tanf fast_exp10f fast_log10f ffs
        rint llrint nearbyint isnan signbit finitef isinf rsqrt_rn sin cos sinpi cospi tan log2
        exp exp10 cosh sinh tanh atan asin acos log log10 log1p acosh asinh atanh expm1 cbrt
        rcbrt j0 j1 y0 y1 cyl_bessel_i0 cyl_bessel_i1 erf erfinv erfc erfcx erfcinv normcdfinv
        normcdf lgamma tgamma round llround ilogb logb isfinited
        """,
    2: """
        mulhi mul24 fast_dividef div_* add_* mul_* sub_* hiloint2double fast_powf hadd rhadd
        copysign nextafter atan2 hypot rhypot yn jn ldexp scalbn fmod remainder pow fdim
        """,
    3: "byte_perm sad fma_* norm3d rnorm3d fma",
    4: "norm4d rnorm4d",
}


def _function(name, count):
    def stub(*_args):
        pass

    stub.__signature__ = inspect.Signature([
        inspect.Parameter(f"arg{i}", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        for i in range(count)])
    stub.__name__ = stub.__qualname__ = name
    stub.__module__ = __name__
    stub.__doc__ = f"`__nv_{name}` of CUDA's device library, and its form for other types."
    return Builtin(stub, f"triton.language.extra.libdevice.{name}")


def _names():
    for count, text in _FUNCTIONS.items():
        for name in text.split():
            if name.endswith("*"):
                yield from ((name[:-1] + direction, count) for direction in _DIRECTIONS)
            else:
                yield name, count


_made = {name: _function(name, count) for name, count in _names()}
globals().update(_made)
__all__ = sorted(_made)
