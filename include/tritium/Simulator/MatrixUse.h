//===- MatrixUse.h - what a product of matrices asks for --------*- C++ -*-===//

#ifndef TRITIUM_SIMULATOR_MATRIXUSE_H
#define TRITIUM_SIMULATOR_MATRIXUSE_H

#include "tritium/Simulator/PTX.h"

#include <optional>

namespace tritium::sim {

/// A product of matrices, of one warp; on average of several.
struct MatrixUse {
  double operations = 0;  ///< multiplications and additions
  double slowness = 1;    ///< times that an operation takes as long as one of f16
  double sharedBytes = 0; ///< that the instruction itself reads of shared memory
  bool isOfWarpGroup = false;
};

/// Of mma and wgmma.mma_async; nothing of others.
std::optional<MatrixUse> matrixUseOf(const ptx::Instruction &instruction);

} // namespace tritium::sim

#endif // TRITIUM_SIMULATOR_MATRIXUSE_H
