//===- Reduce.cpp - reductions --------------------------------------------===//
//
// In two steps, each only as far as the axis reaches: registers of a lane; lanes of a warp, by
// shuffles along the bits that lie on the axis. All lanes then hold the result, which is what the
// layout of it says. Warps that lie along the axis keep what they have (ttg.warp_reduce), or
// there are none: ttg-plan-exchanges has seen to it.
//
// Of several rows, lanes that differ in a bit share the work: each gives away its part of one half
// of the rows and combines the other half, so that there are half as many for the next bit. At last
// each row is in some lanes, and all others fetch it from there:
//
//   lane 0    a b c d     a b                a
//        1    a b c d     a b                  b
//        2    a b c d  ->     c d  ->            c       ->  a b c d in all of them
//        3    a b c d         c d                  d
//
// Each row is combined in the same order as if all lanes did it: along one bit after the other.
//
// Integers of 32 bits have an instruction for all lanes of a warp.
//
//===----------------------------------------------------------------------===//

#include "Reduce.h"

#include "Families.h"

#include "tritium/Analysis/CombineCalls.h"

using namespace mlir;

namespace tritium::ttg {

static unsigned axisOf(Operation *op) { return cast<tt::Combining>(op).getAxis(); }

Value ReduceLowering::fusedSum(Operation *op, Value x, Value y) {
  Type type = x.getType();
  if (!options.fpFusion || !(type.isF32() || type.isF64()) ||
      !isa_and_nonnull<arith::AddFOp>(cast<tt::Combining>(op).getCombiner()))
    return {};
  for (auto [term, sum] : {std::pair(x, y), std::pair(y, x)})
    if (auto product = term.getDefiningOp<LLVM::FMulOp>();
        product && product->getBlock() == b.getInsertionBlock())
      return intrinsic("llvm.fma", type, {product.getLhs(), product.getRhs(), sum});
  return {};
}

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
  // Of a thread's own only: two lanes that add up each other's must find the same.
  Registers sum;
  if (Value fused = fusedSum(op, it->second[0], x[0]))
    sum = {fused};
  else
    sum = combine(op->getRegion(0), it->second, x);
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

/// For how many of `bits` bits lanes should give away a half of their rows. A shuffle is counted as
/// three instructions, as a conversion of layouts counts it (docs/gpu-memory.md).
static unsigned sharedBitsThatPay(size_t rows, unsigned bits) {
  auto costOf = [&](unsigned shared) {
    size_t left = rows >> shared, halved = rows - left, combined = halved + (bits - shared) * left;
    size_t fetched = shared ? rows : 0;
    return 3 * (combined + fetched) + combined + 2 * halved + fetched;
  };
  unsigned best = 0;
  for (unsigned shared = 1; shared <= bits && rows % (size_t(1) << shared) == 0; ++shared)
    if (costOf(shared) < costOf(best))
      best = shared;
  return best;
}

/// The rows that lanes have after they gave away a half of them for each of the first bits along
/// the axis become those of all lanes.
void ReduceLowering::fetchRows(MutableArrayRef<Registers> all, ArrayRef<Registers> rows,
                               ArrayRef<unsigned> laneBits, unsigned shared) {
  unsigned others = kLanesPerWarp - 1;
  for (unsigned bit : laneBits)
    others &= ~(1u << bit);
  Value own = others && shared ? iand(lane, i32(others)) : Value();
  for (auto [number, x] : llvm::enumerate(all)) {
    x = rows[number % rows.size()];
    if (shared == 0)
      continue;
    unsigned holder = 0;
    for (auto [step, bit] : llvm::enumerate(laneBits.take_front(shared)))
      holder |= (number / (all.size() >> (step + 1)) & 1) << bit;
    for (Value &v : x)
      v = shuffleIndex(v, !own ? i32(holder) : holder ? ior(own, i32(holder)) : own);
  }
}

Registers ReduceLowering::combineWithLane(Operation *op, ArrayRef<Value> x, ArrayRef<Value> given,
                                          unsigned bit) {
  Registers other;
  for (Value v : given)
    other.push_back(shuffleXor(v, 1 << bit));
  return combine(op->getRegion(0), x, other);
}

/// The instruction that combines one value of each lane of a warp as `op` does.
static std::optional<NVVM::ReduxKind> reductionOfWarp(tt::Combining op, const GPUModel &gpu) {
  Operation *combiner = op.getCombiner();
  if (!gpu.hasWarpReductions || !combiner ||
      !tt::elementType(op.getSrcs()[0].getType()).isInteger(32))
    return std::nullopt;
  using Kind = std::optional<NVVM::ReduxKind>;
  return llvm::TypeSwitch<Operation *, Kind>(combiner)
      .Case([](arith::AddIOp) { return NVVM::ReduxKind::ADD; })
      .Case([](arith::AndIOp) { return NVVM::ReduxKind::AND; })
      .Case([](arith::OrIOp) { return NVVM::ReduxKind::OR; })
      .Case([](arith::XOrIOp) { return NVVM::ReduxKind::XOR; })
      .Case([](arith::MinSIOp) { return NVVM::ReduxKind::MIN; })
      .Case([](arith::MaxSIOp) { return NVVM::ReduxKind::MAX; })
      .Case([](arith::MinUIOp) { return NVVM::ReduxKind::UMIN; })
      .Case([](arith::MaxUIOp) { return NVVM::ReduxKind::UMAX; })
      .Default([](Operation *) { return std::nullopt; });
}

/// Each of the rows becomes what all lanes that differ in `laneBits` have of it.
LogicalResult ReduceLowering::combineLanes(Operation *op, MutableArrayRef<Registers> all,
                                           ArrayRef<unsigned> laneBits) {
  if (laneBits.size() == llvm::Log2_32(kLanesPerWarp))
    if (auto kind = reductionOfWarp(cast<tt::Combining>(op), gpu)) {
      for (Registers &x : all)
        x = {b.create<NVVM::ReduxOp>(loc, x[0].getType(), x[0], *kind, i32(-1))};
      return success();
    }
  SmallVector<Registers> rows(all.begin(), all.end());
  unsigned shared = sharedBitsThatPay(rows.size(), laneBits.size());
  for (unsigned bit : laneBits.take_front(shared)) {
    size_t half = rows.size() / 2;
    Value isUpper = cmp(LLVM::ICmpPredicate::ne, iand(lane, i32(1 << bit)), i32(0));
    for (size_t i = 0; i < half; ++i) {
      Registers kept, given;
      for (auto [low, high] : llvm::zip_equal(rows[i], rows[i + half])) {
        kept.push_back(select(isUpper, high, low));
        given.push_back(select(isUpper, low, high));
      }
      rows[i] = combineWithLane(op, kept, given, bit);
      if (rows[i].empty())
        return failure();
    }
    rows.resize(half);
  }
  for (unsigned bit : laneBits.drop_front(shared))
    for (Registers &x : rows)
      if (x = combineWithLane(op, x, x, bit); x.empty())
        return failure();
  fetchRows(all, rows, laneBits, shared);
  return success();
}

LogicalResult ReduceLowering::reduceLanes(Operation *op, Partials &partials) {
  ReductionPlan plan = planReduction(layout(op->getOperand(0)), axisOf(op));
  SmallVector<Registers> rows;
  for (auto &[key, x] : partials)
    rows.push_back(x);
  if (failed(combineLanes(op, rows, plan.laneBits)))
    return failure();
  for (auto [partial, row] : llvm::zip_equal(partials, rows))
    partial.second = row;
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
