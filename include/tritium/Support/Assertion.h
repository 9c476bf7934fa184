//===- Assertion.h - what a failed assertion says ---------------*- C++ -*-===//

#ifndef TRITIUM_SUPPORT_ASSERTION_H
#define TRITIUM_SUPPORT_ASSERTION_H

#include <cstdint>
#include <string>
#include <vector>

namespace tritium {

/// A device_assert, or the check of a hint.
struct AssertSite {
  enum Kind : int { Signed, Unsigned, Float, Pointer, NoValue = -1 };

  std::string message, file;
  int line = 0;
  /// Of the value that a failure reports; `message` then ends in what has it: "element", "the
  /// value".
  int kind = NoValue;
  std::vector<int64_t> shape; ///< of the tile that has the element; empty: no tile

  bool operator==(const AssertSite &) const = default;
};

struct FailedAssertion {
  uint32_t pid[3] = {};
  uint32_t element = 0; ///< of the tile, in row-major order
  uint64_t value = 0;   ///< of AssertSite::kind; the bits of a double for a float
};

/// "assertion failed in program (0, 1, 0): message", or, with a value, "message (3, 5) of
/// program (0, 1, 0) is 21".
std::string failureText(const AssertSite &site, const FailedAssertion &failure);

} // namespace tritium

#endif // TRITIUM_SUPPORT_ASSERTION_H
