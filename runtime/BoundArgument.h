//===- BoundArgument.h - a run-time argument, ready to pass -----*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_BOUNDARGUMENT_H
#define TRITIUM_RUNTIME_BOUNDARGUMENT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace tritium::runtime {

/// One run-time argument of a launch, ready to pass.
struct BoundArgument {
  uint64_t slot = 0;
  uint64_t begin = 0, end = 0; ///< pointer: the memory behind it; 0 to UINT64_MAX: unknown
  /// Pointer: what overlap is asked of: the allocation that [begin, end) is part of.
  uint64_t allocationBegin = 0, allocationEnd = 0;
  bool isReadOnly = false;
  uint8_t memory = 0; ///< pointer: a tritium_memory; 0: the host's
  int device = -1;    ///< pointer to memory of a device: its number

  /// Whether a kernel may reach from one argument into the other. Of pointers.
  bool mayMeet(const BoundArgument &other) const {
    return allocationBegin < other.allocationEnd && other.allocationBegin < allocationEnd;
  }
};

/// The memory that a launch may reach from pointer `index`: [first, second). That is its array, and
/// the other arrays of its allocation with what lies between: a kernel may go from one to another.
inline std::pair<uint64_t, uint64_t> reachOf(llvm::ArrayRef<BoundArgument> arguments,
                                             size_t index) {
  const BoundArgument &argument = arguments[index];
  std::pair<uint64_t, uint64_t> reach{argument.begin, argument.end};
  for (const BoundArgument &other : arguments)
    if (argument.mayMeet(other) && other.end != UINT64_MAX) {
      reach.first = std::min(reach.first, other.begin);
      reach.second = std::max(reach.second, other.end);
    }
  return reach;
}

/// What they are passed as.
inline llvm::SmallVector<uint64_t, 24> slotsOf(llvm::ArrayRef<BoundArgument> arguments) {
  llvm::SmallVector<uint64_t, 24> slots;
  for (const BoundArgument &argument : arguments)
    slots.push_back(argument.slot);
  return slots;
}

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_BOUNDARGUMENT_H
