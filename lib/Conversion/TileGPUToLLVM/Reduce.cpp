//===- Reduce.cpp - reductions --------------------------------------------===//
//
// In two steps, each only as far as the axis reaches: registers of a lane; lanes of a warp, by
// shuffles along the bits that lie on the axis. All lanes then hold the result, which is what the
// layout of it says. Warps that lie along the axis keep what they have (ttg.warp_reduce), or
// there are none: ttg-plan-exchanges has seen to it.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include <map>

using namespace mlir;

namespace tritium::ttg {

LogicalResult Lowering::lowerReduction(Operation *op, unsigned axis, Region &combineOp) {
  OperandRange srcs = op->getOperands();
  unsigned count = srcs.size();
  bool ofWarps = isa<WarpReduceOp>(op);
  const TileLayout &src = layout(srcs[0]);
  ReductionPlan plan = planReduction(src, axis);
  if (!plan.isSeparable || (!ofWarps && !plan.warpBits.empty()))
    return op->emitError() << "a reduction across warps goes through shared memory; run "
                              "ttg-plan-exchanges first";
  auto combined = [&](ArrayRef<Value> x, ArrayRef<Value> y) { return combine(combineOp, x, y); };
  auto selected = [&](Value condition, Registers x, ArrayRef<Value> y) {
    if (condition)
      for (auto [a, z] : llvm::zip(x, y))
        a = select(condition, a, z);
    return x;
  };

  // Registers. The key of a group is where its result lies.
  SmallVector<Value, 4> thread(threadCoordinates(srcs[0]));
  auto keyOf = [&](unsigned r) {
    Coordinates key = src.offset(r);
    key.erase(key.begin() + axis);
    return key;
  };
  Partials groups;
  auto add = [&](const Coordinates &key, ArrayRef<Value> x, Value inside) -> LogicalResult {
    auto [it, isNew] = groups.try_emplace(key, x);
    if (isNew)
      return success();
    Registers sum = combined(it->second, x);
    if (sum.empty())
      return failure();
    it->second = selected(inside, sum, it->second);
    return success();
  };
  SlotSink sink{op, {}, {}};
  sink.take = [&](ArrayRef<unsigned> registers) -> LogicalResult {
    for (unsigned r : registers) {
      Registers x;
      for (Value operand : srcs)
        x.push_back(get(operand)[r]);
      Value inside;
      if (src.mayBePadding(r, axis))
        inside = cmp(LLVM::ICmpPredicate::slt, coordinate(src, thread, r, axis),
                     i32(src.extents()[axis]));
      if (failed(add(keyOf(r), x, inside)))
        return failure();
    }
    return success();
  };
  if (const SlotMask *mask = slots.maskOf(op)) {
    sink.leaveOut = [&](const Slot &slot) -> LogicalResult {
      for (ArrayRef<unsigned> strand : slot.strands) {
        llvm::DenseMap<Value, Value> known;
        Registers x, sum;
        for (Value operand : srcs)
          x.push_back(fillOf(operand, *mask, strand, known));
        // n of the same by doubling.
        for (size_t n = strand.size(); n; n >>= 1) {
          if (n & 1)
            sum = sum.empty() ? x : combined(sum, x);
          if (n > 1)
            x = combined(x, x);
        }
        if (failed(add(keyOf(strand[0]), sum, Value())))
          return failure();
      }
      return success();
    };
    sink.partials = &groups;
    if (failed(emitPostponed(&sink)))
      return failure();
  } else if (failed(sink.take(llvm::to_vector(llvm::seq(0u, src.registers()))))) {
    return failure();
  }

  // Lanes.
  for (unsigned bit : plan.laneBits)
    for (auto &[key, x] : groups) {
      Registers other;
      for (Value v : x)
        other.push_back(shuffleXor(v, 1 << bit));
      x = combined(x, other);
    }

  for (unsigned i = 0; i < count; ++i) {
    Value result = op->getResult(i);
    Registers registers;
    if (!tt::isTile(result.getType())) {
      registers.push_back(groups.begin()->second[i]);
    } else {
      const TileLayout &dst = layout(result);
      for (unsigned r = 0; r < dst.registers(); ++r) {
        Coordinates key = dst.offset(r);
        if (ofWarps)
          key.erase(key.begin() + axis);
        auto it = groups.find(key);
        if (it == groups.end())
          return op->emitError() << "a bug in the compiler: the layout of the result of a "
                                    "reduction does not fit its operand's";
        registers.push_back(it->second[i]);
      }
    }
    set(result, std::move(registers));
  }
  return success();
}

} // namespace tritium::ttg
