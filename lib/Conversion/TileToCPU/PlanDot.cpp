//===- PlanDot.cpp - where the matrices of a product stand ----------------===//

#include "Planner.h"

#include "tritium/Analysis/PointerBases.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tritium::cpu {

/// Every use of `arg` leads, element by element, to `end` and nowhere else.
static bool onlyLeadsTo(Value arg, OpOperand &end, int depth = 0) {
  constexpr int maxDepth = 8;
  for (OpOperand &use : arg.getUses()) {
    if (&use == &end)
      continue;
    Operation *user = use.getOwner();
    bool elementwise = user->getBlock() == end.getOwner()->getBlock() &&
                       user->getNumResults() == 1 && isVirtual(user->getResult(0)) &&
                       keepsPlaces(user);
    if (!elementwise || depth > maxDepth || !onlyLeadsTo(user->getResult(0), end, depth + 1))
      return false;
  }
  return true;
}

DotForm Planner::formOf(tt::DotOp op) const {
  Type a = tt::elementType(op.getA().getType()), b = tt::elementType(op.getB().getType());
  Type sum = evalType(tt::elementType(op.getType()));
  // All floats of 8 bits are numbers of bf16, and none of those that it takes for zero.
  auto isBF16 = [](Type type) {
    return type.isBF16() || (tt::isTileFloat(type) && tt::scalarBits(type) == 8);
  };
  // A single row would leave half of a block without work.
  bool fillsBlocks = op.getType().getDimSize(op.getType().getRank() - 2) > 1;
  if (sum.isF32() && isBF16(a) && isBF16(b)) {
    if (target.hasBF16Blocks && fillsBlocks)
      return DotForm::BF16Blocks;
    if (target.hasBF16Dot || isOnTiles(op, DotForm::BF16Pairs))
      return DotForm::BF16Pairs;
  }
  if (!sum.isInteger(32) || !a.isInteger(8) || !b.isInteger(8))
    return DotForm::Single;
  if (target.hasByteBlocks && fillsBlocks)
    return op.getIsUnsigned() ? DotForm::UnsignedBlocks : DotForm::SignedBlocks;
  if (target.hasDotProduct)
    return op.getIsUnsigned() ? DotForm::UnsignedDots : DotForm::SignedDots;
  if (target.hasByteDot)
    return op.getIsUnsigned() ? DotForm::UnsignedQuads : DotForm::SignedQuads;
  // Without AVX2, registers of 256 bits have no integers.
  bool hasWords = target.isX86 && (target.vectorBits == 128 || target.hasAVX2);
  return hasWords ? DotForm::WordPairs : DotForm::Single;
}

/// Whether AMX does the product if it is of this form.
bool Planner::isOnTiles(tt::DotOp op, DotForm form) const {
  ArrayRef<int64_t> shape = op.getType().getShape();
  int64_t rank = shape.size(), k = op.getA().getType().getDimSize(rank - 1);
  return isOnTiles(form, shape[rank - 2], shape[rank - 1], k);
}

bool Planner::isOnTiles(DotForm form, int64_t m, int64_t n, int64_t k) const {
  return (groupOf(form) == 2 ? target.hasBF16Tiles : target.hasByteTiles) &&
         form != DotForm::WordPairs && fitsTiles(form, m, n, k);
}

/// What the product reads its operands as.
Type Planner::operandType(tt::DotOp op, DotForm form) const {
  switch (form) {
  case DotForm::Single:
    return evalType(tt::elementType(op.getType()));
  case DotForm::BF16Pairs:
  case DotForm::BF16Blocks:
  case DotForm::HalfParts:
  case DotForm::FloatParts:
    return BFloat16Type::get(op.getContext());
  case DotForm::WordPairs:
    return IntegerType::get(op.getContext(), 16);
  case DotForm::SignedQuads:
  case DotForm::UnsignedQuads:
  case DotForm::SignedDots:
  case DotForm::UnsignedDots:
  case DotForm::SignedBlocks:
  case DotForm::UnsignedBlocks:
    return IntegerType::get(op.getContext(), 8);
  }
  llvm_unreachable("form of a product");
}

Buffer *Planner::allocateHome(Value value, bool dense) {
  auto type = cast<RankedTensorType>(value.getType());
  bool isBF16 = llvm::any_of(value.getUses(), [&](OpOperand &use) {
    auto dot = dyn_cast<tt::DotOp>(use.getOwner());
    return dot && use.getOperandNumber() < 2 && takesBF16(formOf(dot));
  });
  Type element = isBF16 ? BFloat16Type::get(value.getContext()) : evalType(type.getElementType());
  return allocate(type.getShape(), element, dense);
}

/// The buffer of `value`, and one with elements of type `compute`, its rows padded to registers if
/// need be.
DotPlan::Operand Planner::operandOf(Value value, Type compute, bool wholeRegisters) {
  Buffer *stored = plan.home(value);
  assert(stored && "a product's operand must stand in memory");
  int64_t registerLanes = target.vectorBits / 8 / tt::scalarBytes(compute);
  if (stored->element == compute && (!wholeRegisters || stored->rowStride % registerLanes == 0))
    return {stored, stored};
  auto type = cast<RankedTensorType>(value.getType());
  return {stored, allocate(type.getShape(), compute, /*dense=*/false)};
}

/// The buffer of `value`, a second operand, and one with a row for each group of k, or `slots` of
/// them.
DotPlan::Operand Planner::groupedOperand(Value value, Type compute, DotForm form, int64_t slots) {
  Buffer *stored = plan.home(value);
  assert(stored && "a product's operand must stand in memory");
  SmallVector<int64_t> shape(cast<RankedTensorType>(value.getType()).getShape());
  int64_t group = groupOf(form), &rows = shape[shape.size() - 2];
  rows = llvm::divideCeil(rows, group) + hasStartRow(form);
  shape.back() = llvm::alignTo(shape.back(), target.vectorBits / 32) * group;
  if (slots > 1)
    shape.insert(shape.begin(), slots);
  return {stored, allocate(shape, compute, /*dense=*/false)};
}

/// What a loop carries, if the product goes back into it and `c` is computed from nothing else of
/// it.
static Value yieldedAccumulator(tt::DotOp op) {
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  if (!loop)
    return {};
  for (OpOperand &use : op.getResult().getUses())
    if (auto yield = dyn_cast<scf::YieldOp>(use.getOwner());
        yield && yield->getBlock() == loop.getBody()) {
      Value arg = loop.getRegionIterArgs()[use.getOperandNumber()];
      if (onlyLeadsTo(arg, op.getCMutable()))
        return arg;
    }
  return {};
}

/// Whether the product is added into the memory of `c`, which nothing else reads.
static bool takesOver(tt::DotOp op) {
  Value c = op.getC();
  return c.hasOneUse() && c.getParentBlock() == op->getBlock() && !isVirtual(c);
}

Value carriedAccumulator(Value value, scf::ForOp loop) {
  for (;;) {
    auto op = value.getDefiningOp<tt::DotOp>();
    if (!op || op->getBlock() != loop.getBody())
      return {};
    if (!takesOver(op))
      return yieldedAccumulator(op);
    value = op.getC();
    if (isCarriedBy(value, loop))
      return value;
  }
}

/// The buffer that the product is added into: it holds its third operand behind the phases that
/// are put before `step`, unless that is zero.
Buffer *Planner::accumulatorFor(Step &step, tt::DotOp op) {
  Value c = op.getC();
  if (Buffer *stored = plan.home(c); stored && takesOver(op))
    return stored;
  auto holding = [&](Buffer *buffer) {
    if (!isPositiveZero(c))
      assign(step.before, c, buffer);
    return buffer;
  };
  if (Value arg = yieldedAccumulator(op))
    return holding(plan.home(arg));
  return holding(allocate(op.getType(), /*dense=*/false));
}

static Value baseOf(tt::DotOp op) { return basesOf(loadedMatrix(op.getB()).load.getPtr()).only(); }

/// Whether what this product of a loop packs has a place where another loop keeps what it packs of
/// the same array in the same way: causal attention has a loop over the keys that all of its
/// queries see, and one over those that a mask hides a part of.
bool Planner::shareKept(DotPlan &dot, tt::DotOp op) {
  auto isAlike = [&](const std::pair<tt::DotOp, DotPlan> &keeper) {
    tt::DotOp other = keeper.first;
    Value b = op.getB(), otherB = other.getB();
    return other->getParentOp() != op->getParentOp() && baseOf(other) == baseOf(op) &&
           dot.form == keeper.second.form && b.getType() == otherB.getType() &&
           op.getIsUnsigned() == other.getIsUnsigned() &&
           turned.contains(b) == turned.contains(otherB) &&
           plan.home(b)->element == plan.home(otherB)->element;
  };
  auto found = llvm::find_if(keeping, isAlike);
  if (found == keeping.end())
    return false;
  dot.kept = found->second.kept;
  dot.keys = found->second.keys;
  dot.b = {plan.home(op.getB()), found->second.b.packed};
  dot.sharesKept = true;
  return true;
}

/// In each round of a loop of several products the same is packed, as a rule, in the rounds of the
/// programs that follow: keys and values of attention. A loop of one product takes several rounds
/// at once instead.
void Planner::keepPackedOfLoop(DotPlan &dot, tt::DotOp op) {
  constexpr int64_t mostBytes = kMostKeptBytes / 4;
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  tt::LoadOp load = loadedMatrix(op.getB()).load;
  if (!loop || !dot.b.readsMemory || dot.form == DotForm::Single ||
      !loop.getInductionVar().getType().isInteger() ||
      llvm::range_size(loop.getBody()->getOps<tt::DotOp>()) < 2)
    return;
  if (stays(load) && shareKept(dot, op))
    return;
  auto shape = cast<RankedTensorType>(op.getB().getType()).getShape();
  keepPacked(dot, op, load, shape[1], shape[0], mostBytes);
}

void Planner::planDot(Step &step, tt::DotOp op) {
  Type operand = operandType(op);
  DotPlan dot;
  dot.form = formOf(op);
  dot.isUnsigned = op.getIsUnsigned();
  dot.onTiles = isOnTiles(op, dot.form);
  plan.usesTiles |= dot.onTiles;
  bool isSingle = dot.form == DotForm::Single;
  dot.a = operandOf(op.getA(), operand, /*wholeRegisters=*/isSingle);
  dot.b.readsMemory = readDirectly.contains(op.getB());
  keepPackedOfLoop(dot, op);
  if (!dot.sharesKept)
    dot.b = isSingle ? operandOf(op.getB(), operand, /*wholeRegisters=*/true)
                     : groupedOperand(op.getB(), operand, dot.form, dot.kept);
  dot.accumulator = accumulatorFor(step, op);
  setHome(op.getResult(), dot.accumulator);
  dot.fromZero = isPositiveZero(op.getC());
  dot.a.readsMemory = readDirectly.contains(op.getA());
  dot.b.readsMemory = readDirectly.contains(op.getB());
  dot.b.isTurned = turned.contains(op.getB());
  auto loopOp = dyn_cast<scf::ForOp>(op->getParentOp());
  // Tiles are fetched ahead by the CPU; asking for them, too, slows AMX down.
  if (loopOp && op.getType().getRank() == 2 && !dot.onTiles)
    for (Value operand : {op.getA(), op.getB()})
      if (auto tile = upcoming(op, operand, loopOp))
        dot.upcoming.push_back(std::move(*tile));
  if (dot.kept && !dot.sharesKept && matchPattern(loopOp.getLowerBound(), m_Zero()))
    keeping.push_back({op, dot});
  step.dot = std::move(dot);
  planPrologue(step, op);
}

} // namespace tritium::cpu
