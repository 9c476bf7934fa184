//===- VectorMathFormats.cpp - narrow floats in f32 -----------------------===//
//
// f16, bf16 and 8-bit floats by integer arithmetic, except f16 where the CPU converts
// it. LLVM never sees a bf16 or an f8: its conversions become calls into a run-time library
// that is not there, or lose subnormals.
//
//===----------------------------------------------------------------------===//

#include "VectorEmitter.h"
#include "tritium/Conversion/Math/VectorMath.h"

#include <cmath>

using namespace mlir;
using namespace tritium::cpu;

namespace {

/// A binary float format that is narrower than f32 in exponent and mantissa.
struct Format {
  int mantissaBits, bias, width;
  uint32_t largest; ///< the code that finite values that are too large get
  uint32_t nan;
  bool hasNegativeZero = true; ///< else its code is NaN
};
constexpr Format kF16{10, 15, 16, 0x7c00, 0x7e00};
constexpr Format kF8E5M2{2, 15, 8, 0x7c, 0x7e};
constexpr Format kF8E4M3FN{3, 7, 8, 0x7e, 0x7f};
constexpr Format kF8E4M3FNUZ{3, 8, 8, 0x7f, 0x80, false};
constexpr Format kF8E5M2FNUZ{2, 16, 8, 0x7f, 0x80, false};

const Format &formatOf(Type element) {
  if (element.isF16())
    return kF16;
  if (element.isFloat8E4M3FNUZ())
    return kF8E4M3FNUZ;
  if (element.isFloat8E5M2FNUZ())
    return kF8E5M2FNUZ;
  return element.isFloat8E5M2() ? kF8E5M2 : kF8E4M3FN;
}

/// f32 to the code of `format` as i32, rounded to nearest even.
Value encodeNarrow(VectorEmitter &e, Value x, const Format &format) {
  using IP = VectorEmitter::IP;
  int dropped = 23 - format.mantissaBits;
  Value bits = e.bits(x);
  Value magnitude = e.iand(bits, e.i32(0x7fffffff, x));

  // Normal codes: round the bits, move the exponent's origin.
  Value lowest = e.iand(e.shr(magnitude, dropped), e.i32(1, x));
  Value rounded = e.iadd(e.iadd(magnitude, e.i32((1 << (dropped - 1)) - 1, x)), lowest);
  Value normal =
      e.isub(e.shr(rounded, dropped), e.i32((127 - format.bias) << format.mantissaBits, x));
  // Subnormal codes are multiples of one quantum: adding 2^23 quanta rounds to them.
  double magic = std::ldexp(1.0, 23 + 1 - format.bias - format.mantissaBits);
  Value shifted = e.bits(e.add(e.asF32(magnitude), e.f32(magic, x)));
  Value subnormal = e.isub(shifted, e.bits(e.f32(magic, x)));
  Value isSubnormal = e.cmp(IP::slt, magnitude, e.i32((127 - format.bias + 1) << 23, x));

  // No finite value wraps past `largest` as an unsigned number, except to more.
  Value code = e.umin(e.select(isSubnormal, subnormal, normal), e.i32(format.largest, x));
  Value isNaN = e.cmp(IP::sgt, magnitude, e.i32(0x7f800000, x));
  code = e.select(isNaN, e.i32(format.nan, x), code);
  Value sign = e.iand(e.shr(bits, 32 - format.width), e.i32(1 << (format.width - 1), x));
  Value whole = e.ior(code, sign);
  if (format.hasNegativeZero)
    return whole;
  return e.select(e.cmp(IP::eq, code, e.i32(0, x)), code, whole);
}

/// Codes of a format of 8 bits without infinity and negative zero, as i32, to f32.
Value decodeWithoutNegativeZero(VectorEmitter &e, Value codes, const Format &format) {
  Value magnitude = e.shl(e.iand(codes, e.i32(0x7f, codes)), 23 - format.mantissaBits);
  // Multiplication moves the exponent's origin and normalises subnormals.
  Value value = e.bits(e.mul(e.asF32(magnitude), e.f32(std::ldexp(1.0, 127 - format.bias), codes)));
  value = e.asF32(e.ior(value, e.shl(e.iand(codes, e.i32(0x80, codes)), 24)));
  Value isNaN = e.cmp(VectorEmitter::IP::eq, codes, e.i32(format.nan, codes));
  return e.select(isNaN, e.f32(NAN, codes), value);
}

/// The f16 code in the low half of an i32, without the help of the CPU.
Value decodeF16(VectorEmitter &e, Value bits) {
  Value magnitude = e.shl(e.iand(bits, e.i32(0x7fff, bits)), 13);
  // Multiplication moves the exponent's origin and normalises subnormals.
  Value value = e.bits(e.mul(e.asF32(magnitude), e.f32(0x1p112, bits)));
  Value special = e.cmp(VectorEmitter::IP::sge, magnitude, e.i32(0x7c00 << 13, bits));
  value = e.select(special, e.ior(magnitude, e.i32(0x7f800000, bits)), value);
  return e.asF32(e.ior(value, e.shl(e.iand(bits, e.i32(0x8000, bits)), 16)));
}

/// Codes of f16 as i32 to f32.
Value convertF16(VectorEmitter &e, Value bits) {
  if (!e.target.hasF16C)
    return decodeF16(e, bits);
  Value half = e.bitcast(e.trunc(bits, e.b.getI16Type()), e.b.getF16Type());
  return e.b.create<arith::ExtFOp>(e.loc, e.typeLike(e.b.getF32Type(), half), half);
}

/// The bits of f32 rounded to bf16, in the upper half; the lower half is arbitrary.
Value roundBF16(VectorEmitter &e, Value x) {
  Value bits = e.bits(x);
  Value lowest = e.iand(e.shr(bits, 16), e.i32(1, x));
  Value rounded = e.iadd(e.iadd(bits, e.i32(0x7fff, x)), lowest);
  Value isNaN = e.cmp(VectorEmitter::FP::UNO, x, x);
  return e.select(isNaN, e.ior(bits, e.i32(0x400000, x)), rounded);
}

} // namespace

Value VectorMath::decode(Value bits, Type element) {
  VectorEmitter e(b, loc, target);
  Value wide = e.zext(bits, b.getI32Type());
  if (element.isBF16())
    return e.asF32(e.shl(wide, 16));
  if (element.isF16())
    return convertF16(e, wide);
  if (element.isFloat8E5M2())
    return convertF16(e, e.shl(wide, 8));
  if (!formatOf(element).hasNegativeZero)
    return decodeWithoutNegativeZero(e, wide, formatOf(element));
  // f8e4m3fn: f16 has the same mantissa further up and an exponent origin 8 higher.
  Value magnitude = e.iand(wide, e.i32(0x7f, wide));
  Value half = e.ior(e.shl(magnitude, 7), e.shl(e.iand(wide, e.i32(0x80, wide)), 8));
  Value value = e.mul(convertF16(e, half), e.f32(256, wide));
  Value isNaN = e.cmp(VectorEmitter::IP::eq, magnitude, e.i32(0x7f, wide));
  return e.select(isNaN, e.f32(NAN, wide), value);
}

Value VectorMath::encode(Value f32, Type element) {
  VectorEmitter e(b, loc, target);
  if (element.isBF16())
    return e.trunc(e.shr(roundBF16(e, f32), 16), b.getI16Type());
  if (element.isF16() && target.hasF16C) {
    Value half = b.create<arith::TruncFOp>(loc, e.typeLike(b.getF16Type(), f32), f32);
    return e.bitcast(half, b.getI16Type());
  }
  const Format &format = formatOf(element);
  return e.trunc(encodeNarrow(e, f32, format), b.getIntegerType(format.width));
}

Value VectorMath::round(Value f32, Type element) {
  VectorEmitter e(b, loc, target);
  if (element.isBF16())
    return e.asF32(e.iand(roundBF16(e, f32), e.i32(0xffff0000, f32)));
  return decode(encode(f32, element), element);
}

Value VectorMath::encodeF64(Value f64, Type element) {
  VectorEmitter e(b, loc, target);
  // First to f32 rounding to odd: truncate, and set the last bit if something was lost. A
  // second rounding to a narrower format then gives what one rounding would.
  Value nearest = e.toF32(f64);
  Value back = e.toF64(nearest);
  Value tooLarge = e.cmp(VectorEmitter::FP::OGT, e.abs(back), e.abs(f64));
  Value inexact = e.cmp(VectorEmitter::FP::UNE, back, f64);
  Value bits = e.bits(nearest);
  bits = e.select(tooLarge, e.isub(bits, e.i32(1, bits)), bits);
  bits = e.select(inexact, e.ior(bits, e.i32(1, bits)), bits);
  return encode(e.asF32(bits), element);
}
