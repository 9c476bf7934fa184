//===- AxisLine.cpp - axis infos along one dimension ----------------------===//

#include "AxisLine.h"

#include "tritium/Dialect/Tile/IR/Tile.h"

#include <numeric>

using namespace mlir;

namespace tritium::axis {

int64_t powerOfTwoDivisor(int64_t value) {
  return value == 0 ? kMaxDivisor : std::min(value & -value, kMaxDivisor);
}

int64_t rankOf(Type type) { return std::max<int64_t>(1, tt::shapeOf(type).size()); }
int64_t extentOf(Type type, int64_t d) {
  ArrayRef<int64_t> shape = tt::shapeOf(type);
  return shape.empty() ? 1 : shape[d];
}

Line lineOf(const AxisInfo &x, int64_t d, int64_t extent) {
  auto run = [&](int64_t length) { return length >= extent ? 0 : length; };
  return {run(x.contiguity[d]), x.divisibility[d], run(x.constancy[d]), extent};
}
int64_t lengthOf(int64_t run, int64_t extent) { return run == 0 || run >= extent ? extent : run; }
int64_t longer(int64_t a, int64_t b) { return a == 0 || b == 0 ? 0 : std::max(a, b); }

int64_t divisorAt(const Line &x, int64_t n, int64_t unit) {
  if (n == 0 || n >= x.extent || (x.c != 0 && n % x.c == 0))
    return x.q;
  return std::gcd(x.q, std::gcd(n, x.c) * powerOfTwoDivisor(unit));
}

int64_t divisor(const AxisInfo &x, Type type, int64_t unit) {
  int64_t best = 1;
  for (int64_t d = 0; d < x.rank(); ++d)
    best = std::max(best, divisorAt(lineOf(x, d, extentOf(type, d)), 1, unit));
  return best;
}

int64_t capped(int64_t q) { return std::min(q, kMaxDivisor); }

int64_t pointeeBytes(Type type) {
  auto pointer = dyn_cast<tt::PointerType>(tt::elementType(type));
  return pointer ? tt::scalarBytes(pointer.getPointeeType()) : 1;
}

unsigned integerBits(Type type) {
  Type element = tt::elementType(type);
  return element.isIndex() ? 64 : isa<IntegerType>(element) ? element.getIntOrFloatBitWidth() : 0;
}

/// The longest aligned run that does not cross an end of the integers of that many bits.
static int64_t longestAligned(unsigned bits) {
  return bits == 0 ? 1 : int64_t(1) << std::min(bits - 1, 30u);
}

Line asNumbers(Line x, unsigned bits, bool cannotCross) {
  if (cannotCross || x.c == 1)
    return x;
  int64_t run = std::gcd(std::gcd(x.c, x.q), longestAligned(bits));
  x.q = divisorAt(x, run);
  x.c = run >= x.extent ? 0 : run;
  return x;
}

int64_t runWithin(const Line &x, const Line &y, unsigned bits) {
  int64_t length = std::gcd(std::gcd(std::gcd(x.c, x.q), y.k), longestAligned(bits));
  return std::gcd(length, divisorAt(y, length));
}

} // namespace tritium::axis
