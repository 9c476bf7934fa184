//===- DotUse.h - what operands of dots are made of -------------*- C++ -*-===//

#ifndef TRITIUM_DIALECT_TILE_IR_DOTUSE_H
#define TRITIUM_DIALECT_TILE_IR_DOTUSE_H

#include "mlir/IR/Operation.h"

namespace tritium::tt {

/// Whether something that a dot of the same block needs is computed from what `op` gives.
bool reachesDot(mlir::Operation *op);

} // namespace tritium::tt

#endif // TRITIUM_DIALECT_TILE_IR_DOTUSE_H
