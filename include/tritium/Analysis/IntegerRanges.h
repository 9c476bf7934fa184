//===- IntegerRanges.h - what values integers can have ----------*- C++ -*-===//
//
// Bounds of a signed integer, of all elements of a tile together. Known are constants,
// aranges, the limits of grids, indices of loops, and what arithmetic makes of these as long
// as it does not wrap; an argument can be anything.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_ANALYSIS_INTEGERRANGES_H
#define TRITIUM_ANALYSIS_INTEGERRANGES_H

#include "tritium/Dialect/Tile/IR/Tile.h"
#include "tritium/Support/IntegerRange.h"

#include "llvm/ADT/DenseMap.h"

namespace tritium {

/// Evaluates on demand and remembers; changes of the function are not seen.
class IntegerRanges {
public:
  IntegerRange get(mlir::Value value) { return get(value, 0); }

private:
  IntegerRange get(mlir::Value value, int depth);
  std::optional<IntegerRange> evaluate(mlir::Value value, int depth);

  llvm::DenseMap<mlir::Value, IntegerRange> known;
};

} // namespace tritium

#endif // TRITIUM_ANALYSIS_INTEGERRANGES_H
