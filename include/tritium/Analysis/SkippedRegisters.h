//===- SkippedRegisters.h - registers that a mask rules out -----*- C++ -*-===//
//
// A row of 3000 elements in a tile of 4096, eight warps, vectors of eight, skipped from 2048 on:
//
//   register     warp 0   1   2   3   4   5   6   7
//   0..7         inside for all
//   8..15        in   in  in  cut  out out out out
//
// The second line is a part. Warps 4 to 7 do not compute it: what they would is known without
// memory, since a load under the mask gives `other` there.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_ANALYSIS_SKIPPEDREGISTERS_H
#define TRITIUM_ANALYSIS_SKIPPEDREGISTERS_H

#include "tritium/Analysis/AxisInfo.h"
#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

namespace tritium::ttg {

struct MaskedPart {
  /// Registers with the same coordinates but along the axis, in order of that: where the mask lets
  /// nothing in, they have the same value, and it lets the first of them in if any.
  llvm::SmallVector<llvm::SmallVector<unsigned, 8>, 2> rows;

  llvm::SmallVector<unsigned, 16> registers() const;
};

/// A thread's registers as `op` divides them.
struct MaskedParts {
  llvm::SmallVector<unsigned, 16> always; ///< in front of all parts; may be none
  llvm::SmallVector<MaskedPart, 2> parts;
};
MaskedParts maskedParts(SkipMaskedOp op);

/// The operands whose values make the result of `op` where `mask` lets nothing in: of a load under
/// it `other`, of a choice by it what is chosen where it is false, of another element-wise
/// operation all. Nothing if the result is not known there. A load without `other` gives zeros.
std::optional<llvm::SmallVector<mlir::Value, 3>> fillOperands(mlir::Operation *op,
                                                              mlir::Value mask);

/// One value for all that lie in a row along `axis`, whatever the mask.
bool isUniformAlong(mlir::Value tile, unsigned axis, const AxisInfoAnalysis &axes);

/// The value in a body that `value` is, if it is computed element by element under a mask whose
/// parts are skipped as those of `like` are; else null.
mlir::Value skippedAs(mlir::Value value, SkipMaskedOp like);

/// Others than operations that skip the same registers read the result.
bool isReadElsewhere(mlir::OpResult result);

/// Fails, with a message, if registers are skipped that could hold something else than what is
/// known without them.
mlir::LogicalResult checkSkippedRegisters(tt::FuncOp kernel, const AxisInfoAnalysis &axes);

} // namespace tritium::ttg

#endif // TRITIUM_ANALYSIS_SKIPPEDREGISTERS_H
