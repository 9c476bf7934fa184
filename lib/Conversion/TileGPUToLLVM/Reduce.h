//===- Reduce.h - reductions and scans -------------------------*- C++ -*-===//

#ifndef TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_REDUCE_H
#define TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_REDUCE_H

#include "LoweringContext.h"

namespace tritium::ttg {

/// Of a reduction, one for each operand, by the place of the result.
using Partials = std::map<Coordinates, Registers>;

/// Reduce.cpp, and scans in Scan.cpp.
class CombineLowering : public LoweringContext {
public:
  explicit CombineLowering(const LoweringContext &context) : LoweringContext(context) {}

  /// The region of a reduction or a scan for two lists of partial results; empty after an error.
  Registers combine(mlir::Region &region, mlir::ValueRange x, mlir::ValueRange y);
  /// What the operands of `op` have in a register. For functions that branch or loop, padding is
  /// what the first register has, which is an element of the tile.
  Registers elements(tt::Combining op, llvm::ArrayRef<Value> thread, unsigned reg);
};

class ReduceLowering : public CombineLowering {
public:
  explicit ReduceLowering(const LoweringContext &context) : CombineLowering(context) {}

  /// Of a tt.reduce or a ttg.warp_reduce.
  mlir::LogicalResult lowerReduction(mlir::Operation *op);
  mlir::LogicalResult checkReduction(mlir::Operation *op);
  mlir::LogicalResult addToPartial(mlir::Operation *op, Partials &partials, unsigned reg,
                                   llvm::ArrayRef<Value> x, Value inside);
  mlir::LogicalResult reduceRegisters(mlir::Operation *op, Partials &partials,
                                      llvm::ArrayRef<unsigned> registers);
  /// What lanes have found is combined, and is the result.
  mlir::LogicalResult reduceLanes(mlir::Operation *op, Partials &partials);

private:
  /// `x + y` where `op` adds up and one of them is a product, which is not rounded; else null.
  Value fusedSum(mlir::Operation *op, Value x, Value y);
  /// `x` and what the lane that differs in a bit has `given`.
  Registers combineWithLane(mlir::Operation *op, llvm::ArrayRef<Value> x,
                            llvm::ArrayRef<Value> given, unsigned bit);
  mlir::LogicalResult combineLanes(mlir::Operation *op, llvm::MutableArrayRef<Registers> all,
                                   llvm::ArrayRef<unsigned> laneBits);
  void fetchRows(llvm::MutableArrayRef<Registers> all, llvm::ArrayRef<Registers> rows,
                 llvm::ArrayRef<unsigned> laneBits, unsigned shared);
};

} // namespace tritium::ttg

#endif // TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_REDUCE_H
