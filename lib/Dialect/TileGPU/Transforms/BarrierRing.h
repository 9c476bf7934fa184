//===- BarrierRing.h - barriers in memory, one a buffer ---------*- C++ -*-===//

#ifndef TRITIUM_LIB_DIALECT_TILEGPU_TRANSFORMS_BARRIERRING_H
#define TRITIUM_LIB_DIALECT_TILEGPU_TRANSFORMS_BARRIERRING_H

#include "mlir/IR/Builders.h"

namespace tritium::ttg {

/// The buffer, or barrier, of number `slot`.
mlir::Value ringAt(mlir::OpBuilder &b, mlir::Location loc, mlir::Value ring, mlir::Value slot);

/// `buffers` barriers in shared memory, of each phase of which `arrivals` come.
mlir::Value makeBarrierRing(mlir::OpBuilder &b, mlir::Location loc, int64_t buffers,
                            int32_t arrivals);
/// Ends them: their memory is ordinary again.
void endBarrierRing(mlir::OpBuilder &b, mlir::Location loc, mlir::Value barriers);

/// The next of `buffers` slots; at the first one the next phase begins.
void advanceInRing(mlir::OpBuilder &b, mlir::Location loc, int64_t buffers, mlir::Value &slot,
                   mlir::Value &phase);

/// Memory of shape [buffers, 1] of such elements.
mlir::Value allocateRing(mlir::OpBuilder &b, mlir::Location loc, int64_t buffers,
                         mlir::Type element);

} // namespace tritium::ttg

#endif // TRITIUM_LIB_DIALECT_TILEGPU_TRANSFORMS_BARRIERRING_H
