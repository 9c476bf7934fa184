//===- SumsOfParts.h - sums that parts of a program leave -------*- C++ -*-===//

#ifndef TRITIUM_LIB_DIALECT_TILE_TRANSFORMS_SUMSOFPARTS_H
#define TRITIUM_LIB_DIALECT_TILE_TRANSFORMS_SUMSOFPARTS_H

#include "LoopToSplit.h"

namespace tritium::tt {

/// The sums of a loop whose rounds several parts of a program take, in memory of the launch. A part
/// has a place there, of `bytes()`; those of a program are neighbours, in their order.
class SumsOfParts {
public:
  /// Gives the kernel the arguments for that memory.
  SumsOfParts(FuncOp kernel, LoopToSplit &split);

  int64_t bytes() const { return ofPart; }
  llvm::ArrayRef<mlir::Value> sums() const { return results; }

  /// Stores this part's in its place, an i64, and counts it for its program, one too. Whether all
  /// `parts` of it, an i32, have been counted.
  mlir::Value store(mlir::OpBuilder &b, mlir::Value place, mlir::Value program, mlir::Value parts);
  /// For the next launch.
  void reset(mlir::OpBuilder &b, mlir::Value program);

  /// All parts' sums of one kind together, in their order. The first of `parts`, an i32, has the
  /// place `first`, an i64. `begin` of them are loaded at once, then `more` at a time. `isInPlace`:
  /// what comes of it is held as this part's own sums are, which it may stand for.
  mlir::Value addUp(mlir::OpBuilder &b, size_t kind, mlir::Value first, mlir::Value parts,
                    int64_t begin, int64_t more, bool isInPlace);

private:
  mlir::Value pointersTo(mlir::OpBuilder &b, mlir::Type type, mlir::Value place, int64_t offset);

  mlir::Location loc;
  mlir::BlockArgument partials, arrivals;
  llvm::SmallVector<mlir::Value> results;
  llvm::SmallVector<int64_t> offsets; ///< in a part's place, in bytes
  int64_t ofPart = 0;
};

} // namespace tritium::tt

#endif // TRITIUM_LIB_DIALECT_TILE_TRANSFORMS_SUMSOFPARTS_H
