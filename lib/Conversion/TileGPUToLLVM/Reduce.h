//===- Reduce.h - reductions -----------------------------------*- C++ -*-===//

#ifndef TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_REDUCE_H
#define TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_REDUCE_H

#include "LoweringContext.h"

namespace tritium::ttg {

/// Of a reduction, one for each operand, by the place of the result.
using Partials = std::map<Coordinates, Registers>;

/// Reduce.cpp.
class ReduceLowering : public LoweringContext {
public:
  explicit ReduceLowering(const LoweringContext &context) : LoweringContext(context) {}

  /// Of a tt.reduce or a ttg.warp_reduce.
  mlir::LogicalResult lowerReduction(mlir::Operation *op);
  mlir::LogicalResult checkReduction(mlir::Operation *op);
  /// The region of a reduction for two lists of partial results.
  Registers combine(mlir::Region &region, mlir::ValueRange x, mlir::ValueRange y);
  mlir::LogicalResult addToPartial(mlir::Operation *op, Partials &partials, unsigned reg,
                                   llvm::ArrayRef<Value> x, Value inside);
  mlir::LogicalResult reduceRegisters(mlir::Operation *op, Partials &partials,
                                      llvm::ArrayRef<unsigned> registers);
  /// What lanes have found is combined, and is the result.
  mlir::LogicalResult reduceLanes(mlir::Operation *op, Partials &partials);
};

} // namespace tritium::ttg

#endif // TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_REDUCE_H
