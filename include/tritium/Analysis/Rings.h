//===- Rings.h - buffers that iterations take in turn -----------*- C++ -*-===//
//
// A pipelined loop reads the next buffer of a ring in every iteration, and copies for later ones
// go to others of it (`ttg.memdesc_index` with `ahead`). What the numbers say of memory that is
// still read when later operations, or the next iteration, write to the ring.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_ANALYSIS_RINGS_H
#define TRITIUM_ANALYSIS_RINGS_H

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

namespace tritium::ttg {

/// The buffer of a ring that `memory` is, or is a view of; null if it is none.
MemDescIndexOp bufferOf(mlir::Value memory);

/// Whether no byte belongs to both, in one iteration of the loop that they stand in.
bool areApart(mlir::Value first, mlir::Value second);

/// Whether what `reader`, a dot, reads in `memory` in an iteration of `loop` stays there,
/// unchanged, until the same dot of the next one has begun: it is a buffer of a ring whose copies
/// go to others, or start behind the dot, where the wait for the last one stands.
bool hasBufferToSpare(mlir::Value memory, mlir::scf::ForOp loop, mlir::Operation *reader);

} // namespace tritium::ttg

#endif // TRITIUM_ANALYSIS_RINGS_H
