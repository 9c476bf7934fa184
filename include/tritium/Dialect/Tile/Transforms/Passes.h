//===- Passes.h - transformations of the tt dialect -------------*- C++ -*-===//

#ifndef TRITIUM_DIALECT_TILE_TRANSFORMS_PASSES_H
#define TRITIUM_DIALECT_TILE_TRANSFORMS_PASSES_H

#include "tritium/Dialect/Tile/IR/Tile.h"

#include "mlir/Pass/Pass.h"

namespace tritium::tt {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tritium/Dialect/Tile/Transforms/Passes.h.inc"

/// Rewrites the carried tiles of one loop; see ScalarizeLoopOffsets.cpp. True if any.
bool scalarizeLoopOffsets(mlir::scf::ForOp loop);

} // namespace tritium::tt

#endif // TRITIUM_DIALECT_TILE_TRANSFORMS_PASSES_H
