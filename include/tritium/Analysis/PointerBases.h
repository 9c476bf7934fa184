//===- PointerBases.h - which arguments a pointer comes from ----*- C++ -*-===//

#ifndef TRITIUM_ANALYSIS_POINTERBASES_H
#define TRITIUM_ANALYSIS_POINTERBASES_H

#include "mlir/IR/Value.h"

namespace tritium {

/// Whether two pointers, or tiles of them, may come from one argument. Where memory reached from
/// different arguments does not overlap, what they lead to is apart otherwise.
bool mayShareBase(mlir::Value a, mlir::Value b);

} // namespace tritium

#endif // TRITIUM_ANALYSIS_POINTERBASES_H
