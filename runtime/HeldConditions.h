//===- HeldConditions.h - whether launches keep conditions ------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_HELDCONDITIONS_H
#define TRITIUM_RUNTIME_HELDCONDITIONS_H

#include "tritium/Support/LaunchCondition.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallVector.h"

#include <array>
#include <mutex>

namespace tritium::runtime {

/// Evaluates the conditions of a kernel. They read few arguments, mostly the same extents again, so
/// that the answers to the last launches are kept.
class HeldConditions {
public:
  /// `conditions` outlive this.
  void watch(llvm::ArrayRef<LaunchCondition> conditions);

  /// Those that do not hold, by their numbers. `slots`: all arguments.
  llvm::SmallBitVector broken(llvm::ArrayRef<uint64_t> slots, const uint32_t grid[3]) const;

private:
  struct Answer {
    llvm::SmallVector<uint64_t, 12> numbers; ///< the grid, and the arguments that are read
    llvm::SmallBitVector broken;
  };

  llvm::SmallBitVector evaluate(llvm::ArrayRef<uint64_t> slots, const uint32_t grid[3]) const;

  llvm::ArrayRef<LaunchCondition> conditions;
  llvm::SmallVector<size_t, 12> arguments; ///< that they read
  mutable std::mutex mutex;                ///< guards the answers
  mutable std::array<Answer, 4> answers;
  mutable size_t oldest = 0;
};

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_HELDCONDITIONS_H
