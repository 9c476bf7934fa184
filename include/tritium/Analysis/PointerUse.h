//===- PointerUse.h - what a kernel does through its pointers ---*- C++ -*-===//

#ifndef TRITIUM_ANALYSIS_POINTERUSE_H
#define TRITIUM_ANALYSIS_POINTERUSE_H

#include "tritium/Dialect/Tile/IR/Tile.h"

#include "llvm/ADT/BitVector.h"

namespace tritium {

struct PointerUse {
  llvm::BitVector read, written; ///< arguments that may be read, written through
  /// A pointer that comes from memory or from an integer is accessed.
  bool indirect = false;
  bool indirectlyWritten = false; ///< memory may be written through one of these
};

/// Follows pointers from the arguments of a function, through structured control flow,
/// to every access. Calls must have been inlined.
PointerUse findPointerUse(tt::FuncOp func);

} // namespace tritium

#endif // TRITIUM_ANALYSIS_POINTERUSE_H
