//===- Ahead.cpp - where the operands of the next product lie -------------===//
//
// Which tiles a product asks for, and which scalars their addresses need at their next values,
// the plan says (PlanAhead.cpp).
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;

namespace tritium::cpu {

/// `value` as it is in this round, computed here if the loop's body has not come to it yet.
Value Lowering::scalarNow(Value value, scf::ForOp loopOp) {
  Operation *op = value.getDefiningOp();
  if (scalars.contains(value) || !op || !loopOp->isProperAncestor(op))
    return scalar(value);
  if (auto constantOp = dyn_cast<arith::ConstantOp>(op))
    return emitConstant(constantOp.getValue());
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(scalarNow(operand, loopOp));
  return emitElementwise(op, operands, 1);
}

/// `value` as it will be in the next round.
Value Lowering::scalarNext(Value value, scf::ForOp loopOp) {
  if (value == loopOp.getInductionVar())
    return b.create<arith::AddIOp>(loc, scalar(value), scalar(loopOp.getStep()));
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument.getOwner() == loopOp.getBody())
    return scalarNow(loopOp.getYieldedValues()[argument.getArgNumber() - 1], loopOp);
  Operation *op = value.getDefiningOp();
  if (!op || !loopOp->isProperAncestor(op))
    return scalar(value);
  if (auto constantOp = dyn_cast<arith::ConstantOp>(op))
    return emitConstant(constantOp.getValue());
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(scalarNext(operand, loopOp));
  return emitElementwise(op, operands, 1);
}

UpcomingTile Lowering::nextTile(const Upcoming &upcoming, scf::ForOp loopOp) {
  SmallVector<std::pair<Value, Value>> next;
  for (Value value : upcoming.moving)
    next.push_back({value, scalarNext(value, loopOp)});
  auto exchange = [&] {
    for (auto &[value, other] : next)
      std::swap(scalars[value], other);
  };
  exchange();
  Value pointers = tt::LoadOp(upcoming.load).getPtr();
  // Buffers are read only at elements of the tile.
  Chunk at[2];
  {
    MemoScope scope(*this);
    for (int64_t row : {0, 1}) {
      Index index;
      index.dims.assign(2, {DimIndex::Scalar, {}});
      index.dims[upcoming.along].index = i64(0);
      index.dims[1 - upcoming.along].index = i64(std::min(row, upcoming.rows - 1));
      at[row] = evaluate(pointers, index);
    }
  }
  exchange();
  assert(at[0].base == at[1].base && "rows of one tile have one base");
  return {scalarAddress(at[0]), sub(at[1].v, at[0].v), upcoming.rows, upcoming.rowBytes};
}

} // namespace tritium::cpu
