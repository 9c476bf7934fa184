//===- Shares.cpp - factors from zero to one ------------------------------===//
//
// By what running sums of a softmax are multiplied when a greater maximum comes:
//
//   %next = max %maximum, %more
//   %factor = exp (%maximum - %next)
//
//===----------------------------------------------------------------------===//

#include "tritium/Analysis/Shares.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

/// `value` is the greater of `number` and another, whichever way a branch goes; or a constant where
/// that is minus infinity, which `number` is then, too, or none.
static bool isGreaterOf(Value value, Value number) {
  if (auto select = value.getDefiningOp<arith::SelectOp>()) {
    auto compared = select.getCondition().getDefiningOp<arith::CmpFOp>();
    APFloat bound(0.0f), constant(0.0f);
    return compared && compared.getPredicate() == arith::CmpFPredicate::OEQ &&
           compared.getLhs() == select.getFalseValue() &&
           matchPattern(compared.getRhs(), m_ConstantFloat(&bound)) && bound.isInfinity() &&
           bound.isNegative() && matchPattern(select.getTrueValue(), m_ConstantFloat(&constant)) &&
           isGreaterOf(select.getFalseValue(), number);
  }
  if (auto branch = value.getDefiningOp<scf::IfOp>()) {
    unsigned i = cast<OpResult>(value).getResultNumber();
    return isGreaterOf(branch.thenYield()->getOperand(i), number) &&
           isGreaterOf(branch.elseYield()->getOperand(i), number);
  }
  Operation *greater = value.getDefiningOp();
  return isa_and_nonnull<arith::MaxNumFOp, arith::MaximumFOp>(greater) &&
         llvm::is_contained(greater->getOperands(), number);
}

bool tritium::isShare(Value factor) {
  Operation *exponential = factor.getDefiningOp();
  if (!isa_and_nonnull<math::ExpOp, math::Exp2Op>(exponential))
    return false;
  Value exponent = exponential->getOperand(0);
  APFloat constant(0.0f);
  if (auto scaled = exponent.getDefiningOp<arith::MulFOp>();
      scaled && matchPattern(scaled.getRhs(), m_ConstantFloat(&constant)) && !constant.isNegative())
    exponent = scaled.getLhs();
  auto difference = exponent.getDefiningOp<arith::SubFOp>();
  return difference && isGreaterOf(difference.getRhs(), difference.getLhs());
}
