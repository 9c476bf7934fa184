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

static bool hasRemainder(Value value, int depth = 0) {
  Operation *op = value.getDefiningOp();
  if (!op || depth > 16)
    return op != nullptr;
  return isa<arith::RemSIOp, arith::RemUIOp>(op) ||
         llvm::any_of(op->getOperands(), [&](Value v) { return hasRemainder(v, depth + 1); });
}

/// All elements of a tile of pointers are provably different addresses.
static bool isInjective(Value ptr) {
  auto type = dyn_cast<RankedTensorType>(ptr.getType());
  if (!type)
    return true;
  if (hasRemainder(ptr))
    return false;
  SmallVector<std::pair<int64_t, int64_t>> strides; // with the extents
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (type.getDimSize(d) == 1)
      continue;
    std::optional<int64_t> stride = likelyStride(ptr, d);
    if (!stride || *stride == 0)
      return false;
    strides.push_back({std::abs(*stride), type.getDimSize(d)});
  }
  llvm::sort(strides);
  for (size_t i = 1; i < strides.size(); ++i)
    if (strides[i].first < strides[i - 1].first * strides[i - 1].second)
      return false;
  return true;
}

bool Lowering::mayConflict(Operation *load, Operation *write) const {
  Value x = pointerOf(load), y = pointerOf(write);
  // Every element reads and writes an address of its own.
  if (x == y && isa<tt::StoreOp>(write) && isInjective(x))
    return false;
  Value xBase = baseArgument(x), yBase = baseArgument(y);
  if (xBase && yBase && xBase != yBase)
    return options.mayAlias;
  return true;
}

} // namespace tritium::cpu
