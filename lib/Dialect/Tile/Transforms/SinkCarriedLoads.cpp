//===- SinkCarriedLoads.cpp - tt-sink-carried-loads -----------------------===//
//
// A loop that is pre-fetched by hand loads the tile of the next iteration and carries it:
//
//   %a0 = tt.load %p0
//   scf.for ... iter_args(%a = %a0, %o = 0) {
//     ... use of %a ...
//     %o1 = arith.addi %o, %step
//     %p1 = tt.addptr %p0, splat(%o1)
//     %a1 = tt.load %p1, splat(%more), %zero
//     scf.yield %a1, %o1
//   }
//
// The tile then crosses iterations in memory. When to load, and how far ahead, is for the
// target to decide, so the plain loop is restored: it carries the scalars that the load's
// operands are made of, and loads at the top.
//
//   scf.for ... iter_args(%o = 0, %m = true) {
//     %a = tt.load addptr(%p0, splat(%o)), splat(%m), %zero
//     ... use of %a ...
//     scf.yield %o1, %more
//   }
//
// %m goes where %more says no more than that another iteration follows. The load of the
// first iteration and that of the body must be one expression of invariant values and
// scalars; nothing may write between the place where a load stood and the end of the
// iteration. The load behind the last iteration disappears.
//
//===----------------------------------------------------------------------===//

#include "tritium/Dialect/Tile/Transforms/Passes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tritium::tt {

#define GEN_PASS_DEF_SINKCARRIEDLOADS
#include "tritium/Dialect/Tile/Transforms/Passes.h.inc"

namespace {
constexpr unsigned kMaxOperations = 64; ///< in the operands of one load

std::optional<APInt> constantOf(Value value) {
  APInt result;
  if (value && matchPattern(value, m_ConstantInt(&result)))
    return result;
  return std::nullopt;
}

/// `value` as base + constant, base - iv + constant, or iv + constant, of one loop.
struct Linear {
  Value plus; ///< null: none
  bool hasMinusIV = false;
  int64_t constant = 0;
};

/// An extension keeps the number.
Value withoutExtension(Value value) {
  while (auto extension = value.getDefiningOp<arith::ExtSIOp>())
    value = extension.getIn();
  return value;
}

std::optional<Linear> linear(Value value, scf::ForOp loop, unsigned depth = 0) {
  value = withoutExtension(value);
  if (auto known = constantOf(value))
    return Linear{{}, false, known->getSExtValue()};
  Operation *op = value.getDefiningOp();
  if (depth == 4 || !op || !isa<arith::AddIOp, arith::SubIOp>(op))
    return Linear{value, false, 0};
  if (auto amount = constantOf(op->getOperand(1))) {
    auto base = linear(op->getOperand(0), loop, depth + 1);
    if (!base || amount->getSignificantBits() > 31)
      return std::nullopt;
    base->constant += (isa<arith::SubIOp>(op) ? -1 : 1) * amount->getSExtValue();
    return base;
  }
  if (isa<arith::SubIOp>(op) && withoutExtension(op->getOperand(1)) == loop.getInductionVar()) {
    auto base = linear(op->getOperand(0), loop, depth + 1);
    if (!base || base->hasMinusIV || base->plus == loop.getInductionVar())
      return std::nullopt;
    base->hasMinusIV = true;
    return base;
  }
  return Linear{value, false, 0};
}

/// Whether `condition` holds in every iteration that another one follows:
/// iv + step < upper. With lower >= 0 none of the accepted forms wraps then.
bool holdsBeforeAnother(Value condition, scf::ForOp loop) {
  if (auto known = constantOf(condition))
    return !known->isZero();
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  auto lower = constantOf(loop.getLowerBound()), step = constantOf(loop.getStep());
  if (!compare || !lower || lower->isNegative() || !step || !step->isStrictlyPositive() ||
      step->getSignificantBits() > 31)
    return false;
  auto a = linear(compare.getLhs(), loop), b = linear(compare.getRhs(), loop);
  if (!a || !b)
    return false;
  int64_t slack = 0; // the comparison says a - b + slack > 0
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::sgt:
    break;
  case arith::CmpIPredicate::sge:
    slack = 1;
    break;
  case arith::CmpIPredicate::slt:
    std::swap(a, b);
    break;
  case arith::CmpIPredicate::sle:
    std::swap(a, b);
    slack = 1;
    break;
  default:
    return false;
  }
  // What is known to be positive: upper - iv - step.
  auto upper = linear(loop.getUpperBound(), loop);
  if (!upper || upper->hasMinusIV || upper->constant != 0)
    return false;
  int64_t stepSize = step->getSExtValue();
  int64_t difference = a->constant - b->constant + slack;
  bool isCountdown = a->plus == upper->plus && a->hasMinusIV && !b->plus && !b->hasMinusIV &&
                     a->constant <= 0 && b->constant >= 0;
  bool isCountUp = a->plus == upper->plus && !a->hasMinusIV && !b->hasMinusIV &&
                   b->plus == loop.getInductionVar() && a->constant <= 0 && b->constant >= 0 &&
                   b->constant <= stepSize;
  return (isCountdown || isCountUp) && difference >= -stepSize;
}

/// A pointer, or tile of pointers, as a base that is moved by scalars, the last one first.
struct Moved {
  Value base;
  SmallVector<OpFoldResult> offsets; ///< a scalar, or an IntegerAttr
};

Moved stripUniformOffsets(Value pointer) {
  Moved result{pointer, {}};
  while (auto move = result.base.getDefiningOp<AddPtrOp>()) {
    Value offset = move.getOffset();
    SplatElementsAttr elements;
    if (auto splat = offset.getDefiningOp<SplatOp>())
      result.offsets.push_back(splat.getSrc());
    else if (matchPattern(offset, m_Constant(&elements)))
      result.offsets.push_back(elements.getSplatValue<Attribute>());
    else if (!isTile(offset.getType()))
      result.offsets.push_back(offset);
    else
      break;
    result.base = move.getPtr();
  }
  return result;
}

/// One carried load: how its operands in the body follow from invariant values and from
/// scalars that are to be carried.
class Sinking {
public:
  Sinking(scf::ForOp loop, unsigned index)
      : loop(loop), index(index), prologue(loop.getInitArgs()[index].getDefiningOp<LoadOp>()),
        ahead(loop.getYieldedValues()[index].getDefiningOp<LoadOp>()) {}

  bool isPossible();
  /// Carries the scalars and loads at the top of the body. Returns the loop, a new one.
  scf::ForOp apply(RewriterBase &rewriter);

private:
  bool carry(Value first, Value next);
  bool match(Value first, Value next);
  bool matchPointer();
  bool matchMask();
  bool isWriteFree(Operation *from, Operation *to);
  Value sum(OpBuilder &b, ArrayRef<OpFoldResult> offsets);
  Value rebuild(OpBuilder &b, Value next);

  scf::ForOp loop;
  unsigned index;
  LoadOp prologue, ahead;
  Moved firstPointer, nextPointer;
  bool dropsMask = false; ///< the mask says that another iteration follows
  /// The scalars to carry: in the first iteration, and in the next one.
  SmallVector<std::pair<Value, Value>> carried;
  unsigned operations = 0;
  DenseMap<Value, Value> built; ///< a body's value -> the same for this iteration
};

bool Sinking::carry(Value first, Value next) {
  if (isTile(next.getType()) || first.getType() != next.getType())
    return false;
  for (auto [other, same] : carried)
    if (same == next)
      return other == first;
  carried.push_back({first, next});
  return true;
}

/// `first` and `next` are one expression but for scalars.
bool Sinking::match(Value first, Value next) {
  if (++operations > kMaxOperations)
    return false;
  Attribute a, b;
  if (first == next)
    return loop.isDefinedOutsideOfLoop(next);
  if ((matchPattern(first, m_Constant(&a)) && matchPattern(next, m_Constant(&b)) && a == b))
    return true;
  if (!isTile(next.getType()))
    return carry(first, next);
  Operation *outside = first.getDefiningOp(), *inside = next.getDefiningOp();
  if (!outside || !inside || inside->getBlock() != loop.getBody() ||
      outside->getName() != inside->getName() || inside->getNumRegions() != 0 || !isPure(inside) ||
      inside->getNumResults() != 1 || outside->getResultTypes() != inside->getResultTypes() ||
      outside->getAttrDictionary() != inside->getAttrDictionary() ||
      outside->getNumOperands() != inside->getNumOperands())
    return false;
  for (auto [x, y] : llvm::zip(outside->getOperands(), inside->getOperands()))
    if (!match(x, y))
      return false;
  return true;
}

bool Sinking::matchPointer() {
  firstPointer = stripUniformOffsets(prologue.getPtr());
  nextPointer = stripUniformOffsets(ahead.getPtr());
  return match(firstPointer.base, nextPointer.base);
}

/// The first load may have no mask where the body's has a condition for all elements.
bool Sinking::matchMask() {
  Value first = prologue.getMask(), next = ahead.getMask();
  if (!next || first)
    return bool(first) == bool(next) && (!next || match(first, next));
  Value condition = next;
  if (auto splat = next.getDefiningOp<SplatOp>())
    condition = splat.getSrc();
  if (isTile(condition.getType()))
    return false;
  dropsMask = holdsBeforeAnother(condition, loop);
  if (dropsMask)
    return true;
  OpBuilder b(loop);
  return carry(b.create<arith::ConstantOp>(loop.getLoc(), b.getBoolAttr(true)), condition);
}

bool Sinking::isWriteFree(Operation *from, Operation *to) {
  for (Operation *op = from->getNextNode(); op != to; op = op->getNextNode()) {
    if (!op)
      return false; // not in one block
    auto effects = getEffectsRecursively(op);
    if (!effects || llvm::any_of(*effects, [](const MemoryEffects::EffectInstance &effect) {
          return !isa<MemoryEffects::Read>(effect.getEffect());
        }))
      return false;
  }
  return true;
}

bool Sinking::isPossible() {
  if (!prologue || !ahead || !isTile(ahead.getType()) || ahead->getBlock() != loop.getBody() ||
      !prologue->hasOneUse() || !ahead->hasOneUse() || !loop.getResult(index).use_empty() ||
      prologue.getIsVolatile() || ahead.getIsVolatile())
    return false;
  if (!isWriteFree(prologue, loop) || !isWriteFree(ahead, loop.getBody()->getTerminator()))
    return false;
  if (!matchPointer() || !matchMask())
    return false;
  Value first = prologue.getOther(), next = ahead.getOther();
  if (dropsMask || !next)
    return dropsMask || !first;
  // Without a mask the first load has no `other`.
  return match(first ? first : next, next);
}

/// Offsets of pointers add up in 64 bits without wrapping (see WidenOffsets.cpp).
Value Sinking::sum(OpBuilder &b, ArrayRef<OpFoldResult> offsets) {
  Location loc = ahead.getLoc();
  Value total;
  for (OpFoldResult offset : llvm::reverse(offsets)) {
    Value wide;
    if (auto constant = dyn_cast<Attribute>(offset))
      wide = b.create<arith::ConstantOp>(loc,
                                         b.getI64IntegerAttr(cast<IntegerAttr>(constant).getInt()));
    else
      wide = OffsetWidener().widen(cast<Value>(offset));
    total = total ? b.create<arith::AddIOp>(loc, total, wide) : wide;
  }
  if (!total)
    total = b.create<arith::ConstantOp>(loc, b.getI64IntegerAttr(0));
  return total;
}

/// What `next` is in the iteration that has just begun.
Value Sinking::rebuild(OpBuilder &b, Value next) {
  if (Value value = built.lookup(next))
    return value;
  if (loop.isDefinedOutsideOfLoop(next))
    return next;
  IRMapping operands;
  for (Value operand : next.getDefiningOp()->getOperands())
    operands.map(operand, rebuild(b, operand));
  return built[next] = b.clone(*next.getDefiningOp(), operands)->getResult(0);
}

scf::ForOp Sinking::apply(RewriterBase &rewriter) {
  Location loc = ahead.getLoc();
  bool isMoved = !firstPointer.offsets.empty() || !nextPointer.offsets.empty();
  SmallVector<Value> inits;
  for (auto [first, next] : carried)
    inits.push_back(first);
  rewriter.setInsertionPoint(loop);
  if (isMoved)
    inits.push_back(sum(rewriter, firstPointer.offsets));

  auto yields = [&](OpBuilder &b, Location, ArrayRef<BlockArgument> arguments) {
    SmallVector<Value> next;
    for (auto [pair, argument] : llvm::zip(carried, arguments)) {
      next.push_back(pair.second);
      built[pair.second] = argument;
    }
    if (isMoved)
      next.push_back(sum(b, nextPointer.offsets));

    b.setInsertionPointToStart(loop.getBody());
    Value pointer = rebuild(b, nextPointer.base);
    if (isMoved) {
      Value offset = arguments.back();
      if (isTile(pointer.getType()))
        offset = b.create<SplatOp>(loc, withElement(pointer.getType(), b.getI64Type()), offset);
      pointer = b.create<AddPtrOp>(loc, pointer, offset);
    }
    Value mask = ahead.getMask(), other = ahead.getOther();
    bool hasMask = mask && !dropsMask;
    auto load = b.create<LoadOp>(loc, pointer, hasMask ? rebuild(b, mask) : Value(),
                                 hasMask && other ? rebuild(b, other) : Value(), ahead.getCache(),
                                 ahead.getEvict());
    loop.getRegionIterArg(index).replaceAllUsesWith(load);
    return next;
  };
  auto replaced = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, inits, /*replaceInitOperandUsesInLoop=*/false, yields));
  // Nothing reads the tile's own slot any more; the canonicaliser takes it away.
  Operation *yield = replaced.getBody()->getTerminator();
  yield->setOperand(index, replaced.getRegionIterArg(index));
  rewriter.eraseOp(ahead);
  return replaced;
}

struct SinkCarriedLoadsPass : impl::SinkCarriedLoadsBase<SinkCarriedLoadsPass> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    IRRewriter rewriter(&getContext());
    for (scf::ForOp loop : loops) {
      for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i) {
        Sinking sinking(loop, i);
        if (sinking.isPossible())
          loop = sinking.apply(rewriter);
      }
    }
  }
};
} // namespace

} // namespace tritium::tt
