//===- LaunchRules.h - what a launch of compiled code must hold -*- C++ -*-===//
//
// Our own launcher looks at each launch and takes other code where one of these does not hold.
// Code that is compiled ahead and launched by others cannot: it states them, in its metadata
// and as a check in a C header.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_RUNTIME_AHEAD_LAUNCHRULES_H
#define TRITIUM_RUNTIME_AHEAD_LAUNCHRULES_H

#include "tritium/Kernel/KernelMetadata.h"

namespace tritium::runtime {

struct LaunchRule {
  enum Kind : uint8_t {
    GridIsNotEmpty, ///< each dimension is at least 1
    GridIsInLimits, ///< of the target
    IsMultiple,     ///< `divisor` divides the parameter's value or address
    IsAtLeastOne,   ///< the scalar of `condition`, in every program
    DoesNotWrap,    ///< a number that is computed, likewise: the `condition` of it raised to 1
    DoNotOverlap,   ///< the memory of `parameter` and of `other`
  };
  Kind kind = GridIsNotEmpty;
  std::string text;
  size_t parameter = 0, other = 0; ///< numbers of run-time parameters
  int64_t divisor = 1;
  const LaunchCondition *condition = nullptr; ///< of the metadata
};

/// Along a dimension; and for a CPU, less than 2^62 programs in all.
struct GridLimits {
  uint32_t dimension[3];
};
GridLimits gridLimits(const KernelMetadata &metadata);

/// In the order of their numbers, which count from 1. `mayAlias`: as the code was compiled.
std::vector<LaunchRule> launchRules(const KernelMetadata &metadata, bool mayAlias);

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_AHEAD_LAUNCHRULES_H
