//===- Alias.cpp - which accesses may meet --------------------------------===//

#include "Lowering.h"

using namespace mlir;

namespace tritium::cpu {

Value Lowering::baseArgument(Value ptr, int depth) const {
  if (depth > 64)
    return {};
  if (auto arg = dyn_cast<BlockArgument>(ptr)) {
    Operation *parent = arg.getOwner()->getParentOp();
    if (isa<tt::FuncOp>(parent))
      return ptr;
    auto loop = dyn_cast<scf::ForOp>(parent);
    if (!loop || arg.getArgNumber() == 0)
      return {};
    // The base stays if every iteration only moves the pointer it was given.
    Value next = loop.getYieldedValues()[arg.getArgNumber() - 1];
    while (auto add = next.getDefiningOp<tt::AddPtrOp>())
      next = add.getPtr();
    if (next != ptr)
      return {};
    return baseArgument(loop.getInitArgs()[arg.getArgNumber() - 1], depth + 1);
  }
  Operation *op = ptr.getDefiningOp();
  if (isa<tt::AddPtrOp, tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp, tt::TransOp, tt::ReshapeOp,
          tt::BitcastOp>(op))
    return baseArgument(op->getOperand(0), depth + 1);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return baseArgument(loop.getRegionIterArgs()[cast<OpResult>(ptr).getResultNumber()], depth + 1);
  if (isa<arith::SelectOp>(op)) {
    Value x = baseArgument(op->getOperand(1), depth + 1);
    return x && x == baseArgument(op->getOperand(2), depth + 1) ? x : Value();
  }
  return {};
}

static Value pointerOf(Operation *op) { return op->getOperand(0); }

bool Lowering::mayConflict(Operation *load, Operation *write) const {
  Value x = pointerOf(load), y = pointerOf(write);
  if (x == y && isa<tt::StoreOp>(write))
    return false;
  Value xBase = baseArgument(x), yBase = baseArgument(y);
  if (xBase && yBase && xBase != yBase)
    return options.mayAlias;
  return true;
}

} // namespace tritium::cpu
