//===- VectorMathExp.cpp - exp, exp2, tanh, erf ---------------------------===//
//
// exp(x) = 2^n * exp(r) with n = round(x / log 2) and |r| <= log(2)/2, exp(r) by a
// polynomial. tanh and erf are odd polynomials near zero; beyond, what they lack to 1 is an
// exponential that needs little relative accuracy. Both sides are computed and one is
// selected. Coefficients: utils/fit_polynomials.py.
//
//===----------------------------------------------------------------------===//

#include "VectorEmitter.h"
#include "tritium/Conversion/Math/VectorMath.h"

using namespace mlir;
using namespace tritium::cpu;

namespace {

constexpr double kLog2E = 0x1.71547652b82fep0;
// The high part has few bits, so that n times it is exact.
constexpr double kLn2High = 0x1.62e4p-1, kLn2Low = 0x1.7f7d1cf79abcap-20;

constexpr float kExp[] = {0x1.fffffcp-2, 0x1.55548cp-3, 0x1.5558b8p-5, 0x1.123e5ap-7,
                          0x1.6a4da2p-10};
constexpr float kExp2[] = {0x1.62e43p-1,  0x1.ebfbdcp-3,  0x1.c6af72p-5,
                           0x1.3b2ddap-7, 0x1.5f0f72p-10, 0x1.417a12p-13};
constexpr double kTanhCut = 0.6;
constexpr float kTanhSmall[] = {-0x1.55553ep-2, 0x1.1109bep-3, -0x1.b89abap-5, 0x1.54c3c2p-6,
                                -0x1.828776p-8};
constexpr float kTanhLarge[] = {0x1.fffff8p+0, -0x1.fffd6ap+0, 0x1.ffb65cp+0, -0x1.fc094ep+0,
                                0x1.e1e984p+0, -0x1.7b9e52p+0, 0x1.57360ep-1};
constexpr double kErfCut = 0.92;
constexpr float kErfSmall[] = {0x1.06eba8p-3, -0x1.81274p-2,   0x1.ce2d64p-4, -0x1.b80116p-6,
                               0x1.5449ap-8,  -0x1.a601e2p-11, 0x1.4f3baep-14};
constexpr float kErfLarge[] = {-0x1.9a5bd2p-13, -0x1.20af5ap+0, -0x1.463cbep-1, -0x1.a9b442p-4,
                               0x1.6c2a9ep-6,   -0x1.8ee1b6p-9, 0x1.9ae966p-13};

/// A float times a power of two that is still to be applied.
struct Scaled {
  Value fraction; ///< in [0.7, 1.5]
  VectorEmitter::Rounded exponent;
};

/// exp of finite |x| < 1000; of what is less, anything.
Scaled expReduced(VectorEmitter &e, Value x) {
  VectorEmitter::Rounded n = e.roundProduct(x, kLog2E);
  Value r = e.mulAdd(n.value, e.f32(-kLn2High, x), x);
  r = e.mulAdd(n.value, e.f32(-kLn2Low, x), r);
  Value p = e.polynomial(r, kExp);
  p = e.mulAdd(p, e.mul(r, r), r);
  return {e.add(p, e.f32(1, x)), n};
}

/// With one correct rounding, whatever the result: subnormal, zero, infinite.
Value scale(VectorEmitter &e, Scaled s) {
  if (e.isAVX512Shape(s.fraction))
    return e.intrinsic16("llvm.x86.avx512.mask.scalef.ps.512",
                         {s.fraction, s.exponent.value, s.fraction},
                         [&](SmallVectorImpl<Value> &arguments) {
                           arguments.push_back(e.scalarI16(-1));
                           arguments.push_back(e.scalarI32(4)); // current rounding mode
                         });
  // Half of the exponent at a time: the first product is exact.
  auto powerOfTwo = [&](Value n) { return e.asF32(e.shl(e.iadd(n, e.i32(127, n)), 23)); };
  Value half = e.sra(s.exponent.integer, 1);
  Value first = e.mul(s.fraction, powerOfTwo(half));
  return e.mul(first, powerOfTwo(e.isub(s.exponent.integer, half)));
}

/// The scaled power of x, which is zero below `least`. Intel's cores take a hundred times as long
/// for AVX512's instruction where it rounds to zero what is not, and for products where the result
/// is subnormal. So zero is scaled, or x is cut off where it makes a product of 2^-200.
Value powerAbove(VectorEmitter &e, double least, double cut, Value x,
                 llvm::function_ref<Scaled(Value)> power) {
  if (!e.isAVX512Shape(x))
    return scale(e, power(e.atLeast(x, cut)));
  Scaled s = power(x);
  Value isZero = e.cmp(VectorEmitter::FP::OLT, x, e.f32(least, x));
  s.fraction = e.select(isZero, e.f32(0, x), s.fraction);
  return scale(e, s);
}

/// For results that are normal. NaN does not survive.
Value scaleNormal(VectorEmitter &e, Scaled s) {
  return e.asF32(e.iadd(e.bits(s.fraction), e.shl(s.exponent.integer, 23)));
}

} // namespace

Value VectorMath::exp(Value x) {
  if (getElementTypeOrSelf(x).isF64())
    return callLibm("exp", x);
  VectorEmitter e(b, loc, target);
  return powerAbove(e, -104, -139, e.atMost(x, 89), [&](Value y) { return expReduced(e, y); });
}

Value VectorMath::exp2(Value x) {
  if (getElementTypeOrSelf(x).isF64())
    return callLibm("exp2", x);
  VectorEmitter e(b, loc, target);
  return powerAbove(e, -150, -200, e.atMost(x, 129), [&](Value y) -> Scaled {
    VectorEmitter::Rounded n = e.roundProduct(y, 1);
    Value r = e.sub(y, n.value);
    return {e.mulAdd(e.polynomial(r, kExp2), r, e.f32(1, y)), n};
  });
}

Value VectorMath::tanh(Value x) {
  if (getElementTypeOrSelf(x).isF64())
    return callLibm("tanh", x);
  VectorEmitter e(b, loc, target);
  Value t = e.abs(x);
  Value z = e.mul(t, t);
  Value small = e.mulAdd(e.mul(t, z), e.polynomial(z, kTanhSmall), t);
  Value u = scaleNormal(e, expReduced(e, e.mul(e.atMost(t, 10), e.f32(-2, x))));
  Value one = e.f32(1, x);
  Value large = e.sub(one, e.mul(u, e.polynomial(u, kTanhLarge)));
  // NaN is not above the cut and so takes the polynomial.
  Value above = e.cmp(VectorEmitter::FP::OGE, t, e.f32(kTanhCut, x));
  return e.withSign(e.select(above, large, small), x);
}

Value VectorMath::erf(Value x) {
  if (getElementTypeOrSelf(x).isF64())
    return callLibm("erf", x);
  VectorEmitter e(b, loc, target);
  Value t = e.abs(x);
  Value small = e.mulAdd(e.polynomial(e.mul(t, t), kErfSmall), t, t);
  Value complement = scaleNormal(e, expReduced(e, e.polynomial(e.atMost(t, 4), kErfLarge)));
  Value large = e.sub(e.f32(1, x), complement);
  Value above = e.cmp(VectorEmitter::FP::OGE, t, e.f32(kErfCut, x));
  return e.withSign(e.select(above, large, small), x);
}
