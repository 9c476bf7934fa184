//===- Numbers.h - element types and their arithmetic formats ---*- C++ -*-===//
//
// Every element of a tile lives in one 64-bit slot:
//   integers and pointers   zero-extended;
//   f32 and narrower floats the bits of an f32 that the narrow type represents exactly;
//   f64                     its bits.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_INTERPRETER_NUMBERS_H
#define TRITIUM_LIB_INTERPRETER_NUMBERS_H

#include <bit>
#include <cmath>
#include <cstdint>

namespace tritium::interpreter {

using Slot = uint64_t;

enum class Kind : uint8_t {
  Integer,
  Pointer,
  F8E5M2,
  F8E4M3FN,
  F8E4M3FNUZ,
  F8E5M2FNUZ,
  F16,
  BF16,
  F32,
  F64
};

struct Element {
  Kind kind = Kind::Integer;
  uint8_t bits = 32;

  bool isFloat() const { return kind >= Kind::F8E5M2; }
  /// A float narrower than f32.
  bool isNarrow() const { return isFloat() && kind < Kind::F32; }
  /// Bytes in memory; i1 has one.
  unsigned bytes() const { return bits < 8 ? 1 : bits / 8; }
  /// The bits of a slot that an integer of this type uses.
  uint64_t mask() const { return bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1; }
};

/// A narrow binary float: `mantissa` stored bits, exponents of normal numbers from
/// `minExponent`, the largest finite value, and which values there are besides numbers. Without
/// infinities NaN has all bits set; without a negative zero NaN has its code.
struct Format {
  int mantissa, minExponent, exponentBits;
  double largest;
  bool hasInfinity, hasNegativeZero = true;
};

inline constexpr Format kF8E5M2{2, -14, 5, 57344.0, true};
inline constexpr Format kF8E4M3FN{3, -6, 4, 448.0, false};
inline constexpr Format kF8E4M3FNUZ{3, -7, 4, 240.0, false, false};
inline constexpr Format kF8E5M2FNUZ{2, -15, 5, 57344.0, false, false};
inline constexpr Format kF16{10, -14, 5, 65504.0, true};
inline constexpr Format kBF16{7, -126, 8, 0x1.fep127, true};

inline const Format &formatOf(Kind kind) {
  switch (kind) {
  case Kind::F8E5M2:
    return kF8E5M2;
  case Kind::F8E4M3FN:
    return kF8E4M3FN;
  case Kind::F8E4M3FNUZ:
    return kF8E4M3FNUZ;
  case Kind::F8E5M2FNUZ:
    return kF8E5M2FNUZ;
  case Kind::F16:
    return kF16;
  default:
    return kBF16;
  }
}

/// The nearest value of `format`, ties to even. Too large: infinity, or the largest
/// finite value where there is no infinity. NaN stays NaN.
inline float roundTo(const Format &format, double x) {
  if (x != x)
    return static_cast<float>(x);
  int exponent = static_cast<int>(std::bit_cast<uint64_t>(x) >> 52 & 0x7ff) - 1023;
  exponent = exponent < format.minExponent ? format.minExponent : exponent;
  exponent = exponent > 128 ? 128 : exponent; // rounds to too large below
  // Adding and subtracting 1.5 * 2^(52 + u) leaves x rounded to a multiple of 2^u.
  uint64_t biased = static_cast<uint64_t>(exponent - format.mantissa + 52 + 1023);
  double magic = std::bit_cast<double>(biased << 52) * 1.5;
  double rounded = std::copysign(x + magic - magic, x);
  if (std::fabs(rounded) > format.largest)
    rounded = std::copysign(format.hasInfinity ? HUGE_VAL : format.largest, x);
  // Positive zero and negative zero add up to the former.
  return static_cast<float>(format.hasNegativeZero ? rounded : rounded + 0.0);
}

/// The bits of `value`, which `format` represents, and back.
uint32_t encode(const Format &format, float value);
float decode(const Format &format, uint32_t bits);

inline Slot slotOf(float value) { return std::bit_cast<uint32_t>(value); }
inline Slot slotOf(double value) { return std::bit_cast<uint64_t>(value); }
template <typename T> T fromSlot(Slot slot);
template <> inline float fromSlot<float>(Slot slot) {
  return std::bit_cast<float>(static_cast<uint32_t>(slot));
}
template <> inline double fromSlot<double>(Slot slot) { return std::bit_cast<double>(slot); }

/// A float element as a double, exactly; a double rounded once to a float element.
inline double readFloat(Element element, Slot slot) {
  return element.kind == Kind::F64 ? fromSlot<double>(slot) : double(fromSlot<float>(slot));
}
inline Slot writeFloat(Element element, double value) {
  if (element.kind == Kind::F64)
    return slotOf(value);
  return slotOf(element.isNarrow() ? roundTo(formatOf(element.kind), value)
                                   : static_cast<float>(value));
}

/// A slot as the bits of its element in memory, and back.
inline uint64_t toBits(Element element, Slot slot) {
  return element.isNarrow() ? encode(formatOf(element.kind), fromSlot<float>(slot)) : slot;
}
inline Slot fromBits(Element element, uint64_t bits) {
  return element.isNarrow() ? slotOf(decode(formatOf(element.kind), uint32_t(bits))) : bits;
}

} // namespace tritium::interpreter

#endif // TRITIUM_LIB_INTERPRETER_NUMBERS_H
