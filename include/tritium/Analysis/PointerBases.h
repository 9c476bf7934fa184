//===- PointerBases.h - which arguments a pointer comes from ----*- C++ -*-===//

#ifndef TRITIUM_ANALYSIS_POINTERBASES_H
#define TRITIUM_ANALYSIS_POINTERBASES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SetVector.h"

namespace tritium {

struct PointerBases {
  llvm::SmallSetVector<mlir::Value, 4> arguments; ///< of the function; it may come from each
  bool elsewhere = false; ///< it may also come from memory, from an integer, ..

  /// The one argument that it comes from; null if that is not known.
  mlir::Value only() const {
    return elsewhere || arguments.size() != 1 ? mlir::Value() : arguments.front();
  }
};

/// Follows a pointer, or a tile of them, back through arithmetic and structured control flow.
/// Calls must have been inlined.
PointerBases basesOf(mlir::Value pointer);

/// Whether two pointers, or tiles of them, may come from one argument. Where memory reached from
/// different arguments does not overlap, what they lead to is apart otherwise.
bool mayShareBase(mlir::Value a, mlir::Value b);

} // namespace tritium

#endif // TRITIUM_ANALYSIS_POINTERBASES_H
