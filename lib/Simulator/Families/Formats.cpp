//===- Formats.cpp - small floating-point formats -------------------------===//

#include "Formats.h"

#include <algorithm>

using namespace tritium::sim;

uint32_t tritium::sim::encode(const Format &format, double value, Round round, bool finite) {
  if (value != value)
    return format.nan;
  unsigned m = format.mantissaBits;
  int bias = (1 << (format.exponentBits - 1)) - 1;
  uint32_t sign = std::signbit(value) ? 1u << (format.exponentBits + m) : 0;
  uint32_t infinity = ((1u << format.exponentBits) - 1) << m;
  uint32_t largest = format.hasInfinity ? infinity - 1 : format.nan - 1;
  double magnitude = std::fabs(value);
  auto overflow = [&] {
    bool down =
        round == Round::Zero || (round == Round::Down && !sign) || (round == Round::Up && sign);
    if (finite || down)
      return sign | largest;
    return sign | (format.hasInfinity ? infinity : format.nan);
  };
  if (std::isinf(value))
    return finite ? sign | largest : sign | (format.hasInfinity ? infinity : format.nan);
  if (magnitude == 0)
    return sign;
  int exponent = std::max(int(std::bit_cast<uint64_t>(magnitude) >> 52) - 1023, 1 - bias);
  // In units of the last place: a product by a power of two, less than 2^(m+1).
  double scaled = magnitude * std::bit_cast<double>(uint64_t(int(m) - exponent + 1023) << 52);
  uint32_t whole = uint32_t(scaled);
  double rest = scaled - whole;
  bool up = false;
  switch (round) {
  case Round::Nearest:
    up = rest > 0.5 || (rest == 0.5 && whole % 2 == 1);
    break;
  case Round::NearestAway:
    up = rest >= 0.5;
    break;
  case Round::Zero:
    break;
  case Round::Down:
    up = rest > 0 && sign;
    break;
  case Round::Up:
    up = rest > 0 && !sign;
    break;
  }
  uint64_t units = uint64_t(whole) + up; // at most 2^(m+1)
  int64_t biased = exponent + bias;
  uint64_t bits = units < (uint64_t(1) << m) ? units : (uint64_t(biased - 1) << m) + units;
  if (bits > largest)
    return overflow();
  return sign | uint32_t(bits);
}

double tritium::sim::decode(const Format &format, uint32_t bits) {
  unsigned m = format.mantissaBits;
  int bias = (1 << (format.exponentBits - 1)) - 1;
  uint32_t exponent = bits >> m & ((1u << format.exponentBits) - 1);
  uint32_t mantissa = bits & ((1u << m) - 1);
  bool negative = bits >> (format.exponentBits + m) & 1;
  double value;
  if (format.hasInfinity && exponent == (1u << format.exponentBits) - 1)
    value = mantissa ? NAN : INFINITY;
  else if (!format.hasInfinity && (bits & ((1u << (format.exponentBits + m)) - 1)) == format.nan)
    value = NAN;
  else if (!exponent)
    value = std::scalbn(double(mantissa), 1 - bias - int(m));
  else
    value = std::scalbn(double(mantissa | 1u << m), int(exponent) - bias - int(m));
  return negative ? -value : value;
}
