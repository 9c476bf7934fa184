//===- VectorMathLog.cpp - log, log2 --------------------------------------===//
//
// x = 2^e * (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)); the logarithm of 1 + f by a
// polynomial. Coefficients: utils/fit_polynomials.py.
//
//===----------------------------------------------------------------------===//

#include "VectorEmitter.h"
#include "tritium/Conversion/Math/VectorMath.h"

using namespace mlir;
using namespace tritium::cpu;

namespace {

// e * high is exact. Both are positive: e = -infinity must not meet +infinity.
constexpr double kLn2High = 0x1.62e4p-1, kLn2Low = 0x1.7f7d1cf79abcap-20;
constexpr double kSqrt2 = 0x1.6a09e667f3bcdp0;

constexpr float kLog[] = {0x1.555548p-2,  -0x1.000006p-2, 0x1.99a476p-3,
                          -0x1.555c44p-3, 0x1.233ba2p-3,  -0x1.fc28cap-4,
                          0x1.e6c00cp-4,  -0x1.de01e2p-4, 0x1.14734p-4};
constexpr float kLog2[] = {0x1.c551dap-2, -0x1.715476p-1, 0x1.ec7022p-2, -0x1.7156c6p-2,
                           0x1.278bbp-2,  -0x1.eb6c08p-3, 0x1.a21cf2p-3, -0x1.818b8ap-3,
                           0x1.7eb34p-3,  -0x1.dcc08p-4};

struct Split {
  Value exponent; ///< e, as a float
  Value fraction; ///< f
};

/// For zero, e is -infinity; for +infinity, +infinity; for NaN and below zero, f is NaN.
Split splitAVX512(VectorEmitter &e, Value x) {
  Value exponent = e.intrinsic16("llvm.x86.avx512.mask.getexp.ps.512", {x, x},
                                 [&](SmallVectorImpl<Value> &arguments) {
                                   arguments.push_back(e.scalarI16(-1));
                                   arguments.push_back(e.scalarI32(4));
                                 });
  // 1 + f in [1, 2), NaN if x is negative.
  Value mantissa = e.intrinsic16("llvm.x86.avx512.mask.getmant.ps.512", {x, x},
                                 [&](SmallVectorImpl<Value> &arguments) {
                                   arguments.insert(arguments.begin() + 1, e.scalarI32(8));
                                   arguments.push_back(e.scalarI16(-1));
                                   arguments.push_back(e.scalarI32(4));
                                 });
  Value high = e.cmp(VectorEmitter::FP::OGT, mantissa, e.f32(kSqrt2, x));
  Value one = e.f32(1, x);
  exponent = e.select(high, e.add(exponent, one), exponent);
  mantissa = e.select(high, e.mul(mantissa, e.f32(0.5, x)), mantissa);
  return {exponent, e.sub(mantissa, one)};
}

/// For positive finite x.
Split splitInteger(VectorEmitter &e, Value x) {
  Value subnormal = e.cmp(VectorEmitter::FP::OLT, x, e.f32(0x1p-126, x));
  Value bits = e.bits(e.select(subnormal, e.mul(x, e.f32(0x1p23, x)), x));
  Value exponent = e.sra(e.isub(bits, e.i32(0x3f3504f3, x)), 23); // sqrt(1/2)
  Value mantissa = e.asF32(e.isub(bits, e.shl(exponent, 23)));
  exponent = e.add(e.toF32(exponent), e.select(subnormal, e.f32(-23, x), e.f32(0, x)));
  return {exponent, e.sub(mantissa, e.f32(1, x))};
}

Value logarithm(VectorEmitter &e, Value x,
                llvm::function_ref<Value(Value exponent, Value fraction)> body) {
  if (e.isAVX512Shape(x)) {
    Split split = splitAVX512(e, x);
    return body(split.exponent, split.fraction);
  }
  Split split = splitInteger(e, x);
  Value result = body(split.exponent, split.fraction);
  Value zero = e.f32(0, x);
  Value infinity = e.f32(INFINITY, x);
  Value other = e.select(e.cmp(VectorEmitter::FP::OLT, x, zero), e.f32(NAN, x), x);
  other = e.select(e.cmp(VectorEmitter::FP::OEQ, x, zero), e.f32(-INFINITY, x), other);
  // Bits of positive finite floats, less one, are below those of infinity, less one.
  Value ordinary = e.cmp(VectorEmitter::IP::ult, e.isub(e.bits(x), e.i32(1, x)),
                         e.isub(e.bits(infinity), e.i32(1, x)));
  return e.select(ordinary, result, other);
}

} // namespace

Value VectorMath::log(Value x) {
  if (getElementTypeOrSelf(x).isF64())
    return callLibm("log", x);
  VectorEmitter e(b, loc, target);
  return logarithm(e, x, [&](Value n, Value f) {
    Value z = e.mul(f, f);
    Value y = e.mul(e.mul(f, z), e.polynomial(f, kLog));
    y = e.mulAdd(n, e.f32(kLn2Low, x), y);
    y = e.mulAdd(z, e.f32(-0.5, x), y);
    return e.mulAdd(n, e.f32(kLn2High, x), e.add(f, y));
  });
}

Value VectorMath::log2(Value x) {
  if (getElementTypeOrSelf(x).isF64())
    return callLibm("log2", x);
  VectorEmitter e(b, loc, target);
  return logarithm(
      e, x, [&](Value n, Value f) { return e.add(n, e.mulAdd(f, e.polynomial(f, kLog2), f)); });
}
