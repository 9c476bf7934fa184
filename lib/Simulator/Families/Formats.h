//===- Formats.h - small floating-point formats -----------------*- C++ -*-===//
//
// A double holds every value of every format here; encode rounds one to a format once.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_SIMULATOR_FORMATS_H
#define TRITIUM_SIMULATOR_FORMATS_H

#include <bit>
#include <cmath>
#include <cstdint>

namespace tritium::sim {

enum class Round : uint8_t { Nearest, Zero, Down, Up, NearestAway };

struct Format {
  unsigned exponentBits, mantissaBits;
  uint32_t nan;
  bool hasInfinity = true;
};
inline constexpr Format halfFormat{5, 10, 0x7fff}, brainFormat{8, 7, 0x7fff},
    tensorFormat{8, 10, 0x3ffff}, singleFormat{8, 23, 0x7fffffff}, e5m2Format{5, 2, 0x7f},
    e4m3Format{4, 3, 0x7f, false};

/// The value's bits, rounded once. Overflow: infinity or, by the mode, the largest finite
/// value; finite: always that.
uint32_t encode(const Format &format, double value, Round round = Round::Nearest,
                bool finite = false);
double decode(const Format &format, uint32_t bits);

/// a + b so that a later rounding to fewer bits is that of the exact sum (round to odd).
inline double addToOdd(double a, double b) {
  double sum = a + b;
  double back = sum - a, error = (a - (sum - back)) + (b - back);
  if (error != 0 && std::isfinite(sum) && !(std::bit_cast<uint64_t>(sum) & 1)) {
    bool away = (error > 0) == (sum > 0);
    sum = std::bit_cast<double>(std::bit_cast<uint64_t>(sum) + (away ? 1 : -1));
  }
  return sum;
}

} // namespace tritium::sim

#endif // TRITIUM_SIMULATOR_FORMATS_H
