//===- Hypotheses.h - what an analysis may take for granted -----*- C++ -*-===//
//
// Facts that the IR does not show. Who asks with a hypothesis answers for it: a launch checks
// it (tt.conditions), code is guarded by it, or the question was only what it would bring.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_ANALYSIS_HYPOTHESES_H
#define TRITIUM_ANALYSIS_HYPOTHESES_H

#include "mlir/IR/Value.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace tritium {

struct Hypotheses {
  llvm::DenseSet<mlir::Value> positive;           ///< scalars that are at least 1
  llvm::DenseMap<mlir::Value, int64_t> multiples; ///< powers of two that divide them
  llvm::DenseSet<mlir::Value> unwrapped; ///< sums, differences, products that fit their width
};

} // namespace tritium

#endif // TRITIUM_ANALYSIS_HYPOTHESES_H
