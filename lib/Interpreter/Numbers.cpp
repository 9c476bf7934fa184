//===- Numbers.cpp - bits of narrow floats --------------------------------===//

#include "Numbers.h"

namespace tritium::interpreter {

namespace {
constexpr uint32_t kF32Quiet = 0x400000;
} // namespace

uint32_t encode(const Format &format, float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  int width = format.mantissa + format.exponentBits;
  uint32_t sign = bits >> 31 << width;
  uint32_t top = ((1u << format.exponentBits) - 1) << format.mantissa;
  if (value != value) {
    if (!format.hasNegativeZero)
      return 1u << width;
    if (!format.hasInfinity)
      return sign | top | ((1u << format.mantissa) - 1);
    uint32_t payload = (bits & 0x7fffff) >> (23 - format.mantissa);
    return sign | top | (payload ? payload : 1u << (format.mantissa - 1));
  }
  float magnitude = std::fabs(value);
  if (std::isinf(magnitude))
    return sign | top;
  if (magnitude < std::ldexp(1.0f, format.minExponent))
    return sign | static_cast<uint32_t>(
                      std::ldexp(double(magnitude), format.mantissa - format.minExponent));
  int exponent = std::ilogb(magnitude) - format.minExponent + 1;
  uint32_t mantissa = (bits & 0x7fffff) >> (23 - format.mantissa);
  // bf16 subnormals are f32 subnormals and took the branch above, so the f32 mantissa
  // field is that of a normal number here.
  return sign | static_cast<uint32_t>(exponent) << format.mantissa | mantissa;
}

float decode(const Format &format, uint32_t bits) {
  int width = format.mantissa + format.exponentBits;
  uint32_t sign = (bits >> width & 1) << 31;
  uint32_t mantissa = bits & ((1u << format.mantissa) - 1);
  uint32_t field = bits >> format.mantissa & ((1u << format.exponentBits) - 1);
  if (!format.hasNegativeZero && bits == 1u << width)
    return std::bit_cast<float>(0x7f800000u | kF32Quiet);
  bool topField = format.hasNegativeZero && field == (1u << format.exponentBits) - 1;
  if (topField && format.hasInfinity)
    return std::bit_cast<float>(sign | 0x7f800000u | mantissa << (23 - format.mantissa));
  if (topField && mantissa == (1u << format.mantissa) - 1)
    return std::bit_cast<float>(sign | 0x7f800000u | kF32Quiet);
  double value = field == 0 ? std::ldexp(double(mantissa), format.minExponent - format.mantissa)
                            : std::ldexp(double(mantissa | 1u << format.mantissa),
                                         format.minExponent - format.mantissa + int(field) - 1);
  return std::bit_cast<float>(std::bit_cast<uint32_t>(static_cast<float>(value)) | sign);
}

} // namespace tritium::interpreter
