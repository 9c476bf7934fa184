//===- Disjoint.h - accesses that never meet --------------------*- C++ -*-===//

#ifndef TRITIUM_ANALYSIS_DISJOINT_H
#define TRITIUM_ANALYSIS_DISJOINT_H

#include "mlir/IR/Operation.h"

namespace tritium {

/// Whether two accesses of global memory, whose first operands are pointers, are known to reach
/// different memory. `earlier`: `first` ran in an earlier iteration of the loop around both,
/// where its pointer had another value.
bool neverMeet(mlir::Operation *second, mlir::Operation *first, bool earlier);

} // namespace tritium

#endif // TRITIUM_ANALYSIS_DISJOINT_H
