//===- PlanVersions.cpp - where a phase needs no masks --------------------===//
//
// Masks cost a thin phase time, and a store with a mask is never streamed. So
//
//   - a row goes without its masks as far as they are true, if they compare what counts up along
//     it with a bound (Masks.cpp): most rows are a little shorter than their tile;
//   - other tiles have two versions where a scalar condition proves masks true everywhere, without
//     masks and with them.
//
// Not so where matrix products take most of the time. A phase whose addresses have remainders that
// a scalar condition proves to be differences has two versions, too.
//
//===----------------------------------------------------------------------===//

#include "Planner.h"

using namespace mlir;

namespace tritium::cpu {

constexpr int kMedium = 36; ///< two polynomials and what goes with them

/// `mask` is true for the first so many elements along `dim`, and Lowering::computeMask finds out
/// for how many.
bool Planner::isTrueAtFirst(Value mask, int64_t dim) {
  Operation *op = mask.getDefiningOp();
  if (!op || isStored(mask) || !isVirtual(mask))
    return false;
  auto isSame = [&](Value value) { return facts.strides.modular(value, dim) == 0; };
  if (isa<arith::AndIOp>(op)) {
    Value x = op->getOperand(0), y = op->getOperand(1);
    return isTrueAtFirst(x, dim) ? isSame(y) || isTrueAtFirst(y, dim)
                                 : isSame(x) && isTrueAtFirst(y, dim);
  }
  auto cmp = dyn_cast<arith::CmpIOp>(op);
  if (!cmp)
    return false;
  using P = arith::CmpIPredicate;
  bool isLess = llvm::is_contained({P::slt, P::sle}, cmp.getPredicate());
  if (!isLess && !llvm::is_contained({P::sgt, P::sge}, cmp.getPredicate()))
    return false;
  Value counting = isLess ? cmp.getLhs() : cmp.getRhs(),
        bound = isLess ? cmp.getRhs() : cmp.getLhs();
  return facts.strides.exact(counting, dim) == 1 && isSame(bound);
}

/// Masks that the row `step` goes without as far as they are true.
void Planner::planLeadingMasks(const Step &step, const PhaseSummary &summary, Loops &loops) {
  int64_t dim = step.lanesDim;
  if (!step.isRow() || step.backward || step.reduceDim >= 0 || loops.width == 1 ||
      step.shape[dim] < 2 * loops.width)
    return;
  for (Value mask : summary.masks)
    if (tt::shapeOf(mask.getType()) == ArrayRef(step.shape) && isTrueAtFirst(mask, dim))
      loops.leadingMasks.push_back(mask);
  // One mask, which all that the phase does has.
  loops.endsWithMasks =
      loops.leadingMasks.size() == 1 && llvm::all_of(step.roots, [&](const Root &root) {
        return root.kind == Root::Store &&
               cast<tt::StoreOp>(root.op).getMask() == loops.leadingMasks.front();
      });
}

/// Divides the loops of the only version, or puts one without masks, or without remainders, before
/// it.
void Planner::planVersions(Step &step, const PhaseSummary &summary) {
  Guard guard;
  TileConditions known(facts.ranges, facts.strides, guard.code);
  Loops whole = step.versions.front();
  SmallVector<unsigned> conditions;
  // A row's heavy pass loads it again, and is as well off without a mask.
  if (!hasDot && summary.operations <= (step.isRow() ? kMedium : kThin)) {
    planLeadingMasks(step, summary, step.versions.front());
    for (Value mask : summary.masks)
      if (!llvm::is_contained(step.versions.front().leadingMasks, mask))
        if (std::optional<unsigned> condition = known.allTrue(mask)) {
          whole.wholeMasks.push_back(mask);
          conditions.push_back(*condition);
        }
    whole.leadingMasks = step.versions.front().leadingMasks;
    whole.endsWithMasks = step.versions.front().endsWithMasks;
  }
  for (Operation *remainder : summary.remainders)
    if (auto straight = known.staysStraight(remainder)) {
      whole.straight.push_back({remainder, straight->less});
      conditions.push_back(straight->condition);
    }
  if (conditions.empty())
    return;
  guard.holds = known.all(conditions);
  step.guard = std::move(guard);
  // Elements of wrapped addresses are gathered: one register of them at a time.
  int64_t oneRegister = target.vectorBits / summary.widestBits;
  if (!whole.straight.empty())
    step.versions.front().width = std::min(whole.width, oneRegister);
  step.versions.insert(step.versions.begin(), std::move(whole));
}

} // namespace tritium::cpu
