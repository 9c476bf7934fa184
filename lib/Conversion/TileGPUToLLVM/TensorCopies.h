//===- TensorCopies.h - copies of boxes of tensors -------------*- C++ -*-===//

#ifndef TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_TENSORCOPIES_H
#define TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_TENSORCOPIES_H

#include "LoweringContext.h"

namespace tritium::ttg {

/// Tile IR by hand may have what the GPU does not: TMA, barriers in memory, clusters.
mlir::LogicalResult checkTensorCopies(mlir::Operation *op);

/// The tensor maps that a kernel's copies need, each once.
struct TensorMaps {
  std::vector<TensorMapParameter> parameters;
  std::vector<std::set<std::string>> places;          ///< of the copies that take each
  llvm::DenseMap<mlir::Operation *, unsigned> ofCopy; ///< the number of its map
};

/// Fails, with a message, if a launch could not make the map of a copy, or if the memory of one is
/// not where TMA can access it.
mlir::FailureOr<TensorMaps> planTensorMaps(tt::FuncOp kernel);

/// Programs of a kernel with copies to shared memory do not end before those are over.
mlir::LogicalResult checkNoneIsLeft(tt::FuncOp kernel);

/// Brings the maps, the last `count` parameters of the entry but for the grid, to where copies look
/// for them.
void prefetchTensorMaps(LoweringContext &context, size_t count);

/// What the sources of stores hold is read before the kernel ends and others get their memory.
void waitForStoresAtEnd(tt::FuncOp kernel);

} // namespace tritium::ttg

#endif // TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_TENSORCOPIES_H
