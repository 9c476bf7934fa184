//===- IntegerRange.cpp - arithmetic of bounds ----------------------------===//

#include "tritium/Support/IntegerRange.h"

#include <algorithm>

namespace tritium {

namespace {
using Wide = __int128;

MaybeRange bounded(Wide low, Wide high, unsigned bits) {
  IntegerRange all = IntegerRange::ofWidth(bits);
  if (low < all.low || high > all.high)
    return std::nullopt;
  return IntegerRange{int64_t(low), int64_t(high)};
}
} // namespace

IntegerRange IntegerRange::ofWidth(unsigned bits) {
  if (bits >= 64)
    return {INT64_MIN, INT64_MAX};
  // One bit is false or true, however it is extended.
  if (bits == 1)
    return {-1, 1};
  return {-(int64_t(1) << (bits - 1)), (int64_t(1) << (bits - 1)) - 1};
}

MaybeRange range::fitting(IntegerRange x, unsigned bits) { return bounded(x.low, x.high, bits); }

MaybeRange range::sum(IntegerRange x, IntegerRange y, unsigned bits) {
  return bounded(Wide(x.low) + y.low, Wide(x.high) + y.high, bits);
}

MaybeRange range::difference(IntegerRange x, IntegerRange y, unsigned bits) {
  return bounded(Wide(x.low) - y.high, Wide(x.high) - y.low, bits);
}

MaybeRange range::product(IntegerRange x, IntegerRange y, unsigned bits) {
  Wide corners[] = {Wide(x.low) * y.low, Wide(x.low) * y.high, Wide(x.high) * y.low,
                    Wide(x.high) * y.high};
  return bounded(*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4),
                 bits);
}

MaybeRange range::quotient(IntegerRange x, IntegerRange y) {
  if (y.low < 0 || y.high == 0)
    return std::nullopt;
  int64_t least = std::max<int64_t>(1, y.low);
  int64_t low = x.low < 0 ? x.low / least : x.low / y.high;
  int64_t high = x.high < 0 ? x.high / y.high : x.high / least;
  if (y.low == 0)
    return IntegerRange{std::min<int64_t>(low, 0), std::max<int64_t>(high, 0)};
  return IntegerRange{low, high};
}

MaybeRange range::remainder(IntegerRange x, IntegerRange y) {
  // At most what was there, with its sign; by zero, all of it.
  if (y.low <= 0)
    return IntegerRange{std::min<int64_t>(x.low, 0), std::max<int64_t>(x.high, 0)};
  // Nothing is taken off what is smaller.
  if (x.low >= 0 && x.high < y.low)
    return x;
  if (x.low == x.high && y.low == y.high)
    return IntegerRange{x.low % y.low, x.low % y.low};
  return IntegerRange{x.low >= 0 ? 0 : std::max(x.low, 1 - y.high),
                      x.high <= 0 ? 0 : std::min(x.high, y.high - 1)};
}

IntegerRange range::minimum(IntegerRange x, IntegerRange y) {
  return {std::min(x.low, y.low), std::min(x.high, y.high)};
}

IntegerRange range::maximum(IntegerRange x, IntegerRange y) {
  return {std::max(x.low, y.low), std::max(x.high, y.high)};
}

MaybeRange range::loopIndex(IntegerRange lower, IntegerRange upper, IntegerRange step,
                            unsigned bits) {
  if (step.low <= 0)
    return std::nullopt;
  return bounded(lower.low, std::max<Wide>(lower.low, Wide(upper.high) - 1), bits);
}

} // namespace tritium
