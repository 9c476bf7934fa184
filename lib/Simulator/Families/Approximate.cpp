//===- Approximate.cpp - PTX's approximate functions ----------------------===//

#include "Approximate.h"

#include <bit>
#include <cmath>
#include <cstdint>

using namespace tritium;

static double scale(double x, int exponent) {
  // Powers of two outside double's range are reached in two exact steps.
  while (exponent > 1000)
    x *= 0x1p1000, exponent -= 1000;
  while (exponent < -1000)
    x *= 0x1p-1000, exponent += 1000;
  return x * std::bit_cast<double>(uint64_t(exponent + 1023) << 52);
}

double sim::approximateExp2(double x) {
  if (x != x)
    return x;
  if (x > 2000)
    return INFINITY;
  if (x < -2000)
    return 0;
  int n = int(x + (x < 0 ? -0.5 : 0.5));
  double f = (x - n) * 0.693147180559945309417; // |f| <= 0.35
  double term = 1, sum = 1;
  for (int k = 1; k <= 14; ++k) {
    term = term * f / k;
    sum += term;
  }
  return scale(sum, n);
}

double sim::approximateLog2(double x) {
  uint64_t bits = std::bit_cast<uint64_t>(x);
  int exponent = int(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & ((uint64_t(1) << 52) - 1)) | uint64_t(1023) << 52);
  if (m > 1.41421356237309504880)
    m *= 0.5, ++exponent;
  double s = (m - 1) / (m + 1), square = s * s, power = s, sum = 0;
  for (int k = 1; k <= 29; k += 2) {
    sum += power / k;
    power *= square;
  }
  return exponent + sum * 2 * 1.44269504088896340736;
}

/// sin(x + quarter turns).
static double sine(double x, int quarters) {
  if (!(x - x == 0))
    return NAN;
  double turns = std::floor(x * 0.636619772367581343076 + 0.5);
  // pi / 2 in three parts; the first has few enough bits for exact products.
  double r = ((x - turns * 0x1.921fb5p0) - turns * 0x1.110b4611a6263p-26);
  quarters = int((int64_t(std::fmod(turns, 4.0)) + 4 + quarters) & 3);
  double square = r * r, term = quarters & 1 ? 1 : r, sum = term;
  for (int k = quarters & 1 ? 1 : 2; k <= 17; k += 2) {
    term = -term * square / (k * (k + 1));
    sum += term;
  }
  return quarters & 2 ? -sum : sum;
}
double sim::approximateSin(double x) { return sine(x, 0); }
double sim::approximateCos(double x) { return sine(x, 1); }

double sim::approximateTanh(double x) {
  if (x != x)
    return x;
  if (std::fabs(x) < 1e-3) // where the quotient loses bits
    return x - x * x * x / 3;
  if (std::fabs(x) > 20)
    return x < 0 ? -1 : 1;
  double e = approximateExp2(2 * x * 1.44269504088896340736);
  return (e - 1) / (e + 1);
}
