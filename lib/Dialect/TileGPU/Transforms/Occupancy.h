//===- Occupancy.h - programs side by side on a multiprocessor --*- C++ -*-===//

#ifndef TRITIUM_LIB_DIALECT_TILEGPU_TRANSFORMS_OCCUPANCY_H
#define TRITIUM_LIB_DIALECT_TILEGPU_TRANSFORMS_OCCUPANCY_H

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"
#include "tritium/Target/GPU/GPUModel.h"

namespace tritium::ttg {

/// How many programs of a kernel that streams tiles a multiprocessor runs at once: as many as are
/// asked for, or else about as many as registers suffice for, at least 1. 0 for other kernels.
unsigned programsThatStream(tt::FuncOp kernel, const GPUModel &gpu);

} // namespace tritium::ttg

#endif // TRITIUM_LIB_DIALECT_TILEGPU_TRANSFORMS_OCCUPANCY_H
