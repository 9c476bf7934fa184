//===- BoundArgument.h - a run-time argument, ready to pass -----*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_BOUNDARGUMENT_H
#define TRITIUM_RUNTIME_BOUNDARGUMENT_H

#include "llvm/ADT/ArrayRef.h"

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
  int device = -1; ///< pointer to memory of a GPU: its number

  /// Whether a kernel may reach from one argument into the other. Of pointers.
  bool mayMeet(const BoundArgument &other) const {
    return allocationBegin < other.allocationEnd && other.allocationBegin < allocationEnd;
  }
};

/// The memory that a launch may reach from pointer `index`: [first, second). That is its array,
/// or all of its allocation if another array is in there, too.
inline std::pair<uint64_t, uint64_t> reachOf(llvm::ArrayRef<BoundArgument> arguments,
                                             size_t index) {
  const BoundArgument &argument = arguments[index];
  for (size_t i = 0; i < arguments.size(); ++i)
    if (i != index && argument.mayMeet(arguments[i]))
      return {argument.allocationBegin, argument.allocationEnd};
  return {argument.begin, argument.end};
}

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_BOUNDARGUMENT_H
