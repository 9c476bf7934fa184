//===- Elementwise.h - one operation on one element ------------*- C++ -*-===//

#ifndef TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_ELEMENTWISE_H
#define TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_ELEMENTWISE_H

#include "LoweringContext.h"

namespace tritium::cpu {
class VectorMath;
}

namespace tritium::ttg {

/// Elementwise.cpp, Compare.cpp, and Math.cpp for what is more than one instruction.
class ElementwiseLowering : public LoweringContext {
public:
  explicit ElementwiseLowering(const LoweringContext &context) : LoweringContext(context) {}

  mlir::LogicalResult lowerElementwise(mlir::Operation *op);
  /// What all registers of an element-wise operation share is emitted; its registers are not.
  mlir::LogicalResult prepareElementwise(mlir::Operation *op);
  mlir::LogicalResult emitElementwise(mlir::Operation *op, llvm::ArrayRef<unsigned> registers);
  /// One element. Null, with a diagnostic, if the operation cannot be lowered.
  Value emitScalar(mlir::Operation *op, mlir::ValueRange operands);
  /// Divisors are no longer at hand.
  void forgetReciprocals() { reciprocals.clear(); }

private:
  mlir::LogicalResult lowerMove(tt::AddPtrOp op);
  /// A comparison of indices that are constants apart (Compare.cpp); false if it is none.
  bool lowerApart(mlir::arith::CmpIOp op);
  void lowerProducts(mlir::arith::MulFOp op);
  Value emitCast(mlir::Operation *op, Value x);
  bool canCastPairs(mlir::Operation *op);
  std::pair<Value, Value> emitCastPair(mlir::Operation *op, Value low, Value high);
  /// To codes of 8 bits, and from them.
  std::pair<Value, Value> emitEncodedPair(mlir::Type to, Value low, Value high);
  std::pair<Value, Value> emitDecodedPair(mlir::Type from, mlir::Type to, Value low, Value high);
  Value emitIntDivision(mlir::Operation *op, Value x, Value y);
  Value emitShift(mlir::Operation *op, Value x, Value y);
  Value emitCompare(mlir::Operation *op, Value x, Value y);
  Value emitFloatDivision(Value x, Value y, bool isExact);
  /// x / y = (x * scale) * inverse, for a divisor of the divisions at hand; no scale is 1.
  struct Reciprocal {
    Value scale, inverse;
    Value isScaled; ///< for some lane of the warp, the scale is not 1
  };
  void shareReciprocals(llvm::ArrayRef<Value> divisors, unsigned elements, bool areNormal);
  /// Quotients of a divisor that has a shared reciprocal.
  llvm::SmallVector<Value> divideAll(llvm::ArrayRef<Value> dividends, const Reciprocal &by);
  Value emitMath(mlir::Operation *op, mlir::ValueRange operands);
  Value emitMathF32(mlir::Operation *op, llvm::ArrayRef<Value> operands);
  Value lowerBuilt(mlir::ValueRange operands, llvm::function_ref<Value()> emit);
  Value polynomial(Value x, Value (cpu::VectorMath::*function)(Value));
  /// Null if the operation is none of those that polynomials compute.
  Value polynomialF64(mlir::Operation *op, Value x);
  Value emitFloat8(Value x, Type element, bool encodes);
  Value emitRemainder(Value x, Value y);
  Value emitExp(Value x, bool isRough);
  Value emitExp2(Value x);
  /// Of the divisions at hand, by divisor.
  llvm::DenseMap<Value, Reciprocal> reciprocals;
};

} // namespace tritium::ttg

#endif // TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_ELEMENTWISE_H
