//===- IntegerRange.h - arithmetic of bounds --------------------*- C++ -*-===//
//
// Bounds of a signed integer, and what operations of `bits` bits make of them: nothing if the
// result may wrap or is not known.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_SUPPORT_INTEGERRANGE_H
#define TRITIUM_SUPPORT_INTEGERRANGE_H

#include <cstdint>
#include <optional>

namespace tritium {

struct IntegerRange {
  int64_t low, high; ///< both are possible

  bool operator==(const IntegerRange &) const = default;
  bool isWithin(IntegerRange other) const { return low >= other.low && high <= other.high; }
  /// All values of a type of that many bits.
  static IntegerRange ofWidth(unsigned bits);
};

using MaybeRange = std::optional<IntegerRange>;

namespace range {
/// `x`, if it fits.
MaybeRange fitting(IntegerRange x, unsigned bits);
MaybeRange sum(IntegerRange x, IntegerRange y, unsigned bits);
MaybeRange difference(IntegerRange x, IntegerRange y, unsigned bits);
MaybeRange product(IntegerRange x, IntegerRange y, unsigned bits);
/// Rounded towards zero. By zero, the quotient is zero.
MaybeRange quotient(IntegerRange x, IntegerRange y);
/// With the sign of x.
MaybeRange remainder(IntegerRange x, IntegerRange y);
IntegerRange minimum(IntegerRange x, IntegerRange y);
IntegerRange maximum(IntegerRange x, IntegerRange y);
/// The index of a loop; nothing if it might count down.
MaybeRange loopIndex(IntegerRange lower, IntegerRange upper, IntegerRange step, unsigned bits);
} // namespace range

} // namespace tritium

#endif // TRITIUM_SUPPORT_INTEGERRANGE_H
