//===- DoubleMathExp.cpp - exp, log and their kin in f64 ----------------===//
//
// exp(x) = 2^n * exp(r) with n = round(x / log 2), |r| <= log(2)/2, by a polynomial.
// log(x) = e * log 2 + log(1 + f), 1 + f in [sqrt(1/2), sqrt(2)), by the series of atanh in
// s = f / (2 + f): log(1 + f) = f - f^2/2 + s (f^2/2 + s^2 P(s^2)). tanh and erf are odd
// polynomials near zero; beyond, what they lack to 1 is an exponential that needs less
// accuracy. Coefficients: utils/fit_double_polynomials.py.
//
//===----------------------------------------------------------------------===//

#include "DoubleEmitter.h"
#include "tritium/Conversion/Math/DoubleMath.h"

using namespace mlir;
using namespace tritium::cpu;

namespace {

constexpr double kLog2E = 0x1.71547652b82fep0, kLog2ELow = 0x1.777d0ffda0d24p-56;
constexpr double kLn2 = 0x1.62e42fefa39efp-1, kLn2Rest = 0x1.abc9e3b39803fp-56;
// The high part has few bits, so that an exponent times it is exact.
constexpr double kLn2High = 0x1.62e42feep-1, kLn2Low = 0x1.a39ef35793c76p-33;
constexpr double kTanhCut = 1, kErfCut = 1.4;

constexpr double kExp[] = {0x1p-1,
                           0x1.5555555555557p-3,
                           0x1.5555555555556p-5,
                           0x1.111111110ff84p-7,
                           0x1.6c16c16c1621p-10,
                           0x1.a01a01aca18acp-13,
                           0x1.a01a01a7428a4p-16,
                           0x1.71ddffeb0f024p-19,
                           0x1.27e4da17a0fbp-22,
                           0x1.af5299b025f69p-26,
                           0x1.1f75b0f172291p-29};
constexpr double kExp2[] = {0x1.62e42fefa39efp-1,  0x1.ebfbdff82c58fp-3,  0x1.c6b08d704a0cp-5,
                            0x1.3b2ab6fba4e7bp-7,  0x1.5d87fe78a6732p-10, 0x1.430912f86aa1bp-13,
                            0x1.ffcbfc5889b06p-17, 0x1.62c02246b8f28p-20, 0x1.b5253d4281b83p-24,
                            0x1.e4cf0093663ep-28,  0x1.e8ca8b7f9e346p-32, 0x1.c4baaf38220e6p-36,
                            0x1.821cd2d4a544cp-40};
constexpr double kLog[] = {0x1.5555555555555p-1, 0x1.9999999999a38p-2, 0x1.2492492476ab7p-2,
                           0x1.c71c720194031p-3, 0x1.745cf8ebf8684p-3, 0x1.3b1c3a932e9abp-3,
                           0x1.0fbe0a1147e42p-3, 0x1.0c095171c73e2p-3};
constexpr double kTanh[] = {
    -0x1.5555555555555p-2,  0x1.11111111110b9p-3,  -0x1.ba1ba1ba1453ep-5,  0x1.664f4880d2a47p-6,
    -0x1.226e3519865dcp-7,  0x1.d6d3c538d0b65p-9,  -0x1.7da2bdc3da66fp-10, 0x1.3551ae34bc413p-11,
    -0x1.f5211730db378p-13, 0x1.94981e5b925bcp-14, -0x1.42090e21028adp-15, 0x1.ea19b737b9741p-17,
    -0x1.4eb911d80b75cp-18, 0x1.7238a09eb6b77p-20, -0x1.1ab979b638694p-22, 0x1.b028f6b5ef8cap-26};
constexpr double kErfSmall[] = {
    0x1.06eba8214db69p-3,  -0x1.812746b0379e7p-2,  0x1.ce2f21a042be1p-4,  -0x1.b82ce31288b2fp-6,
    0x1.565bcd0e69fe3p-8,  -0x1.c02db40030145p-11, 0x1.f9a326f796bb8p-14, -0x1.f4d25c0d5d70ap-17,
    0x1.b9e6c6bb7ff53p-20, -0x1.5f7408d6debd4p-23, 0x1.fcc2c36b19ffcp-27, -0x1.51c4df9b565d1p-30,
    0x1.9db17d5e4deefp-34, -0x1.d2d1528e21396p-38, 0x1.d8c6925e579a5p-42, -0x1.845dfeb65edabp-46,
    0x1.7aef1da94eddep-51};
constexpr double kErfLarge[] = {
    -0x1.8571084b50dd4p+1,  -0x1.aa60924e70562p+1,  -0x1.c4dfc6e862951p-1,  -0x1.d099b2d402c44p-6,
    0x1.b5071a0461d4p-8,    -0x1.6cbad6384fce8p-10, 0x1.e3e3b6544da87p-13,  -0x1.457119809e3p-16,
    -0x1.5bc6a1e28e845p-18, 0x1.bb244b32ac7a7p-19,  -0x1.1978a26ca2eebp-20, 0x1.e186a4479e2a9p-23,
    -0x1.970cece3c4589p-26, -0x1.8ff41e9ef05dap-28, 0x1.2fd7a75a914f8p-28,  -0x1.bdbc69d2c2ee4p-30,
    0x1.e5aaecb4e7bf1p-32,  -0x1.a9e56aa6e1736p-34, 0x1.32b5029033df3p-36,  -0x1.6a3fb39efcdf6p-39,
    0x1.5a180cdaddef3p-42,  -0x1.050162a13086cp-45, 0x1.2af6222baff84p-49,  -0x1.e851bc3e0555fp-54,
    0x1.fa1d20b23f7b2p-59,  -0x1.f3d0b82aaf069p-65};

/// fraction * 2^n with one rounding, whatever the result: subnormal, zero, infinite.
Value scale(DoubleEmitter &e, Value fraction, Value n) {
  // Half of the exponent at a time: the first product is exact.
  Value half = e.sra(n, 1);
  return e.mul(e.mul(fraction, e.powerOfTwo(half)), e.powerOfTwo(e.isub(n, half)));
}

/// exp of |x| < 2^20; beyond f64's range it overflows or vanishes at its bounds.
Value exponential(DoubleEmitter &e, Value x) {
  x = e.atLeast(e.atMost(x, 710), -746);
  VectorEmitter::Rounded n = e.roundProduct(x, kLog2E);
  Value r = e.mulAdd(n.value, e.number(-kLn2), x);
  r = e.mulAdd(n.value, e.number(-kLn2Rest), r);
  Value p = e.mulAdd(e.polynomial(r, kExp), e.mul(r, r), r);
  return scale(e, e.add(p, e.number(1)), n.integer);
}

/// Of a positive finite x.
struct Logarithm {
  Value exponent; ///< e, as a float
  Value f, half;  ///< f and f^2/2
  Value rest;     ///< s (f^2/2 + s^2 P(s^2))
};

Logarithm reduce(DoubleEmitter &e, Value x) {
  Value subnormal = e.isBelow(x, 0x1p-1022);
  Value bits = e.bits(e.select(subnormal, e.mul(x, e.number(0x1p54)), x));
  Value exponent = e.sra(e.isub(bits, e.integer(0x3fe6a09e667f3bcd)), 52); // sqrt(1/2)
  Value f = e.sub(e.asF64(e.isub(bits, e.shl(exponent, 52))), e.number(1));
  exponent = e.b.create<arith::SIToFPOp>(e.loc, f.getType(), exponent);
  exponent = e.add(exponent, e.select(subnormal, e.number(-54), e.number(0)));
  Value s = e.divide(f, e.add(f, e.number(2)));
  Value z = e.mul(s, s);
  Value half = e.mul(e.mul(f, e.number(0.5)), f);
  return {exponent, f, half, e.mul(s, e.mulAdd(z, e.polynomial(z, kLog), half))};
}

/// `finite` is the result for positive finite x.
Value withSpecialLogarithms(DoubleEmitter &e, Value x, Value finite) {
  using FP = VectorEmitter::FP;
  // Infinity and NaN are their own logarithms.
  Value ordinary = e.cmp(FP::OLT, x, e.number(INFINITY));
  Value result = e.select(ordinary, finite, x);
  result = e.select(e.isBelow(x, 0), e.number(NAN), result);
  return e.select(e.cmp(FP::OEQ, x, e.number(0)), e.number(-INFINITY), result);
}

} // namespace

Value DoubleMath::exp(Value x) {
  DoubleEmitter e(b, loc);
  return exponential(e, x);
}

Value DoubleMath::exp2(Value x) {
  DoubleEmitter e(b, loc);
  x = e.atLeast(e.atMost(x, 1025), -1080);
  VectorEmitter::Rounded n = e.roundProduct(x, 1);
  Value r = e.sub(x, n.value);
  return scale(e, e.mulAdd(e.polynomial(r, kExp2), r, e.number(1)), n.integer);
}

Value DoubleMath::log(Value x) {
  DoubleEmitter e(b, loc);
  Logarithm l = reduce(e, x);
  Value rest = e.mulAdd(l.exponent, e.number(kLn2Low), l.rest);
  Value finite = e.sub(l.f, e.sub(l.half, rest));
  return withSpecialLogarithms(e, x, e.mulAdd(l.exponent, e.number(kLn2High), finite));
}

/// The logarithm of 1 + f as a sum of two, times log2(e) in two.
Value DoubleMath::log2(Value x) {
  DoubleEmitter e(b, loc);
  Logarithm l = reduce(e, x);
  Value high = e.sub(l.f, l.half);
  Value low = e.add(e.sub(e.sub(l.f, high), l.half), l.rest);
  Value product = e.mul(high, e.number(kLog2E));
  Value rest = e.mulAdd(high, e.number(kLog2E), e.negate(product));
  rest = e.add(rest, e.mulAdd(low, e.number(kLog2E), e.mul(high, e.number(kLog2ELow))));
  Value sum = e.add(l.exponent, product);
  rest = e.add(rest, e.add(e.sub(l.exponent, sum), product));
  return withSpecialLogarithms(e, x, e.add(sum, rest));
}

Value DoubleMath::tanh(Value x) {
  DoubleEmitter e(b, loc);
  Value t = e.abs(x), z = e.mul(t, t), one = e.number(1);
  Value small = e.mulAdd(e.mul(t, z), e.polynomial(z, kTanh), t);
  Value u = exponential(e, e.mul(e.atMost(t, 20), e.number(2)));
  Value large = e.sub(one, e.divide(e.number(2), e.add(u, one)));
  // NaN is not above the cut and so takes the polynomial.
  Value above = e.cmp(VectorEmitter::FP::OGE, t, e.number(kTanhCut));
  return e.withSign(e.select(above, large, small), x);
}

Value DoubleMath::erf(Value x) {
  DoubleEmitter e(b, loc);
  Value t = e.abs(x);
  Value small = e.mulAdd(e.polynomial(e.mul(t, t), kErfSmall), t, t);
  Value beyond = e.sub(e.atMost(t, 6), e.number(kErfCut));
  Value large = e.sub(e.number(1), exponential(e, e.polynomial(beyond, kErfLarge)));
  Value above = e.cmp(VectorEmitter::FP::OGE, t, e.number(kErfCut));
  return e.withSign(e.select(above, large, small), x);
}

//===-- The remainder -----------------------------------------------------===//

/// A loop takes away multiples of y, scaled by a power of two so that the quotient has at
/// most 51 bits and every step is exact. It ends after one step where x / y < 2^50.
Value DoubleMath::remainder(Value x, Value y) {
  using FP = VectorEmitter::FP;
  using IP = VectorEmitter::IP;
  DoubleEmitter e(b, loc);
  Value infinity = e.number(INFINITY), zero = e.integer(0);
  auto exponentOf = [&](DoubleEmitter &e, Value v) {
    Value subnormal = e.isBelow(v, 0x1p-1022);
    Value bits = e.bits(e.select(subnormal, e.mul(v, e.number(0x1p54)), v));
    return e.isub(e.shr(bits, 52), e.select(subnormal, e.integer(54), zero));
  };
  Value start = e.abs(x), divisor = e.abs(y);
  Value isPositive = e.cmp(FP::OGT, divisor, e.number(0));
  Value isFinite = e.cmp(FP::OLT, start, infinity);
  Value isValid = e.iand(isPositive, isFinite);
  Value exponent = exponentOf(e, divisor);
  auto loop = b.create<scf::WhileOp>(
      loc, TypeRange(x.getType()), ValueRange(start),
      [&](OpBuilder &inner, Location at, ValueRange args) {
        DoubleEmitter e(inner, at);
        Value more = e.iand(isValid, e.cmp(FP::OGE, args[0], divisor));
        inner.create<scf::ConditionOp>(at, more, args);
      },
      [&](OpBuilder &inner, Location at, ValueRange args) {
        DoubleEmitter e(inner, at);
        Value r = args[0];
        Value k = e.isub(e.isub(exponentOf(e, r), exponent), e.integer(50));
        k = e.select(e.cmp(IP::sgt, k, zero), k, zero);
        // 2^k may be beyond the range.
        Value third = e.shr(e.imul(k, e.integer(21846)), 16);
        Value part = e.powerOfTwo(third);
        Value scaled = e.mul(e.mul(divisor, part), part);
        scaled = e.mul(scaled, e.powerOfTwo(e.isub(k, e.shl(third, 1))));
        Value quotient = inner.create<math::TruncOp>(at, e.divide(r, scaled));
        Value rest = e.mulAdd(e.negate(quotient), scaled, r);
        // The quotient may have been rounded up to the next integer.
        Value next = e.select(e.isBelow(rest, 0), e.add(rest, scaled), rest);
        inner.create<scf::YieldOp>(at, next);
      });
  Value result = e.withSign(loop.getResult(0), x);
  return e.select(isValid, e.select(e.cmp(FP::UNO, divisor, divisor), divisor, result),
                  e.number(NAN));
}
