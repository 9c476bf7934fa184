//===- LaunchCondition.h - what compiled code relies on ---------*- C++ -*-===//
//
// Code may rely on what arguments and grid decide: that a scalar of the kernel is at least 1 in
// every program, the size of a group of programs, say, min(num_pid_m - first_pid_m, GROUP_M); or
// that a number, or a tile of them, is computed without wrapping. The launch looks, by computing
// the bounds of the number from a list of steps in postfix order, and takes other code if it may
// be less than 1 or if a step may wrap. Where only the latter matters, the last step takes the
// larger of the number and 1.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_SUPPORT_LAUNCHCONDITION_H
#define TRITIUM_SUPPORT_LAUNCHCONDITION_H

#include "tritium/Support/IntegerRange.h"

#include <span>
#include <vector>

namespace tritium {

struct ScalarStep {
  enum Kind : uint8_t {
    Constant,    ///< `value`
    Argument,    ///< the run-time parameter of number `value`
    ProgramId,   ///< along axis `value`
    NumPrograms, ///< along axis `value`
    // Of what the steps before have left, two and, for an index, three:
    Sum,
    Difference,
    Product,
    Quotient,
    Remainder,
    Minimum,
    Maximum,
    LoopIndex ///< from lower, below upper, by step; also any interval
  };
  uint8_t kind = Constant;
  uint8_t bits = 32; ///< of the result
  int64_t value = 0;

  bool operator==(const ScalarStep &) const = default;
};

/// Must be at least 1, without that a step wraps.
using LaunchCondition = std::vector<ScalarStep>;

/// The bounds of the scalar over all programs of `grid`. `slots`: the arguments, each in the
/// low bits of its slot. Nothing if they are not known, or if the list makes no sense.
MaybeRange boundsOf(std::span<const ScalarStep> steps, std::span<const uint64_t> slots,
                    const uint32_t grid[3]);

} // namespace tritium

#endif // TRITIUM_SUPPORT_LAUNCHCONDITION_H
