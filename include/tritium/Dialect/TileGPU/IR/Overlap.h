//===- Overlap.h - what happens while a dot multiplies ----------*- C++ -*-===//

#ifndef TRITIUM_DIALECT_TILEGPU_IR_OVERLAP_H
#define TRITIUM_DIALECT_TILEGPU_IR_OVERLAP_H

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

namespace tritium::ttg {

/// The next dot in the block, if all that `op` does may as well come in its midst: between stand
/// neither a barrier nor a wait, nor writes to memory other than asynchronous copies.
tt::DotOp dotBehind(mlir::Operation *op);

/// Whether the dot that reads the tile can load it, step by step.
bool canLoadBySteps(LocalLoadOp load);
/// Whether all that use the tile stand behind the dot that follows it.
bool isForLater(LocalLoadOp load);

bool isOnTensorCores(tt::DotOp dot);

/// Fails, with a message, if an operation says that it overlaps a dot and cannot.
mlir::LogicalResult checkOverlap(mlir::ModuleOp module);

} // namespace tritium::ttg

#endif // TRITIUM_DIALECT_TILEGPU_IR_OVERLAP_H
