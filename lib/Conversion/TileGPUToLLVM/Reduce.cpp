//===- Reduce.cpp - reductions --------------------------------------------===//
//
// In two steps, each only as far as the axis reaches: registers of a lane; lanes of a warp, by
// shuffles along the bits that lie on the axis. All lanes then hold the result, which is what the
// layout of it says. Warps that lie along the axis keep what they have (ttg.warp_reduce), or
// there are none: ttg-plan-exchanges has seen to it.
//
//===----------------------------------------------------------------------===//

#include "Reduce.h"

#include "Families.h"

#include "tritium/Analysis/CombineCalls.h"

using namespace mlir;

namespace tritium::ttg {

static unsigned axisOf(Operation *op) { return cast<tt::Combining>(op).getAxis(); }

Registers CombineLowering::combine(Region &region, ValueRange x, ValueRange y) {
  Block &body = region.front();
  for (auto [arg, value] : llvm::zip(
           body.getArguments(), llvm::concat<Value>(SmallVector<Value>(x), SmallVector<Value>(y))))
    set(arg, {value});
  for (Operation &op : body.without_terminator())
    if (failed(lower(&op)))
      return {};
  Registers result;
  for (Value value : body.getTerminator()->getOperands())
    result.push_back(scalar(value));
  return result;
}

Registers CombineLowering::elements(tt::Combining op, ArrayRef<Value> thread, unsigned reg) {
  Value inside;
  if (isCombinedByCalls(op))
    inside = isInside(layout(op.getSrcs()[0]), thread, reg);
  Registers x;
  for (Value operand : op.getSrcs())
    x.push_back(inside ? select(inside, get(operand)[reg], get(operand)[0]) : get(operand)[reg]);
  return x;
}

/// Adds registers to what there is of the place that they lie at.
LogicalResult ReduceLowering::addToPartial(Operation *op, Partials &partials, unsigned reg,
                                           ArrayRef<Value> x, Value inside) {
  Coordinates key = layout(op->getOperand(0)).offset(reg);
  key.erase(key.begin() + axisOf(op));
  auto [it, isNew] = partials.try_emplace(key, x);
  if (isNew)
    return success();
  Registers sum = combine(op->getRegion(0), it->second, x);
  if (sum.empty())
    return failure();
  if (inside)
    for (auto [a, z] : llvm::zip(sum, it->second))
      a = select(inside, a, z);
  it->second = sum;
  return success();
}

LogicalResult ReduceLowering::reduceRegisters(Operation *op, Partials &partials,
                                              ArrayRef<unsigned> registers) {
  const TileLayout &src = layout(op->getOperand(0));
  SmallVector<Value, 4> thread(threadCoordinates(op->getOperand(0)));
  unsigned axis = axisOf(op);
  for (unsigned r : registers) {
    Registers x = elements(cast<tt::Combining>(op), thread, r);
    Value inside;
    if (src.mayBePadding(r, axis))
      inside =
          cmp(LLVM::ICmpPredicate::slt, coordinate(src, thread, r, axis), i32(src.extents()[axis]));
    if (failed(addToPartial(op, partials, r, x, inside)))
      return failure();
  }
  return success();
}

LogicalResult ReduceLowering::reduceLanes(Operation *op, Partials &partials) {
  ReductionPlan plan = planReduction(layout(op->getOperand(0)), axisOf(op));
  for (unsigned bit : plan.laneBits)
    for (auto &[key, x] : partials) {
      Registers other;
      for (Value v : x)
        other.push_back(shuffleXor(v, 1 << bit));
      x = combine(op->getRegion(0), x, other);
    }
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    Registers registers;
    if (!tt::isTile(result.getType())) {
      set(result, {partials.begin()->second[i]});
      continue;
    }
    const TileLayout &dst = layout(result);
    for (unsigned r = 0; r < dst.registers(); ++r) {
      Coordinates key = dst.offset(r);
      if (isa<WarpReduceOp>(op))
        key.erase(key.begin() + axisOf(op));
      auto it = partials.find(key);
      if (it == partials.end())
        return op->emitError() << "a bug in the compiler: the layout of the result of a "
                                  "reduction does not fit its operand's";
      registers.push_back(it->second[i]);
    }
    set(result, std::move(registers));
  }
  return success();
}

LogicalResult ReduceLowering::checkReduction(Operation *op) {
  ReductionPlan plan = planReduction(layout(op->getOperand(0)), axisOf(op));
  if (plan.isSeparable && (isa<WarpReduceOp>(op) || plan.warpBits.empty()))
    return success();
  return op->emitError() << "a reduction across warps goes through shared memory; run "
                            "ttg-plan-exchanges first";
}

LogicalResult ReduceLowering::lowerReduction(Operation *op) {
  unsigned registers = layout(op->getOperand(0)).registers();
  Partials partials;
  if (failed(checkReduction(op)) ||
      failed(reduceRegisters(op, partials, llvm::to_vector(llvm::seq(0u, registers)))))
    return failure();
  return reduceLanes(op, partials);
}

void populateReducePatterns(LoweringPatterns &patterns, const LoweringContext &context) {
  auto family = std::make_shared<ReduceLowering>(context);
  patterns.add<tt::ReduceOp, WarpReduceOp>(
      [=](Operation *op) { return family->lowerReduction(op); });
}

} // namespace tritium::ttg
