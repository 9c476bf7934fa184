//===- LaunchConditions.cpp - ttg-launch-conditions -----------------===//
//
// Code may rely on what arguments and the grid decide. Each launch looks, and takes code that
// was compiled without this pass if it does not hold. Three kinds of facts are marked:
//
//   %size = arith.minsi %left, %c8 {tt.positive}            at least 1
//   %start = arith.muli %pid_n, %c128 overflow<nsw>         does not wrap
//   %m = arith.cmpi slt, %offset64, %n64 {tt.narrow}        of numbers that fit 32 bits
//
// tt.conditions of the function has, for each, a list of steps in postfix order (ScalarStep),
// two numbers a step, whose value is at least 1 in every program, without that a step wraps,
// where the fact holds. For the last two that is the larger of the number and 1.
//
// Masks are compared in 32 bits wherever a launch can see to it. The others are marked only
// where some access would be narrower without.
//
// It runs on tiles without layouts.
//
//===----------------------------------------------------------------------===//

#include "tritium/Analysis/AccessWidth.h"
#include "tritium/Analysis/LaunchSteps.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tritium::ttg {

#define GEN_PASS_DEF_LAUNCHCONDITIONS
#include "tritium/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {
bool isArithmetic(Operation *op) { return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op); }

/// The sums, differences and products that `root`, a dividend, say, is made of at its width.
void collectArithmetic(Value root, llvm::SetVector<Operation *> &found) {
  SmallVector<Value> worklist{root};
  llvm::SmallPtrSet<Value, 16> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || !seen.insert(value).second || !(isArithmetic(op) || keepsNumbers(op)))
      continue;
    if (isArithmetic(op))
      found.insert(op);
    llvm::append_range(worklist, numbersOf(op));
  }
}

/// A fact that a launch can see to, and for which an access may be wider.
struct Candidate {
  Value value;
  bool isDivisor; ///< it is at least 1; else it does not wrap

  bool operator==(const Candidate &other) const = default;
};

class Conditions {
public:
  explicit Conditions(tt::FuncOp func) : func(func) {}

  void run() {
    narrowMasks();
    widenAccesses();
    if (!conditions.empty())
      func->setAttr(kConditions, ArrayAttr::get(func.getContext(), conditions));
  }

private:
  //===-- Masks ---------------------------------------------------------------===//

  void narrowMasks() {
    IntegerRanges ranges;
    auto fits = [&](Value value) { return ranges.get(value).isWithin(IntegerRange::ofWidth(32)); };
    SmallVector<arith::CmpIOp> comparisons;
    func.walk([&](arith::CmpIOp op) {
      if (tt::isTile(op.getType()) && op.getPredicate() < arith::CmpIPredicate::ult &&
          getElementTypeOrSelf(op.getLhs()).isInteger(64))
        comparisons.push_back(op);
    });
    llvm::SetVector<Value> numbers;
    for (arith::CmpIOp op : comparisons) {
      // All or nothing: the other side would be cut for nothing.
      bool canFit = llvm::all_of(op->getOperands(), [&](Value side) {
        return fits(side) || (side.getDefiningOp() && LaunchSteps(32).add(side));
      });
      bool doFit = fits(op.getLhs()) && fits(op.getRhs());
      if (!canFit || doFit)
        continue;
      op->setAttr(kNarrow, UnitAttr::get(func.getContext()));
      for (Value side : op->getOperands())
        if (!fits(side))
          numbers.insert(side);
    }
    for (Value number : numbers) {
      LaunchSteps steps(32);
      steps.add(number);
      steps.raiseToOne();
      addCondition(steps);
    }
  }

  //===-- Divisors and dividends ----------------------------------------------===//

  void widenAccesses() {
    func.walk([&](Operation *op) {
      auto access = dyn_cast<tt::MemoryAccess>(op);
      if (access && access.isOfTile() && !access.isAtomic())
        accesses.push_back(op);
      if (isa<arith::DivSIOp, arith::RemSIOp>(op)) {
        addCandidate(op->getOperand(0), /*isDivisor=*/false);
        if (isa<arith::DivSIOp>(op))
          addCandidate(op->getOperand(1), /*isDivisor=*/true);
      }
    });
    if (accesses.empty() || candidates.empty())
      return;
    SmallVector<int64_t> before = widthsIf({}), best = widthsIf(candidates);
    if (before == best)
      return;
    SmallVector<Candidate> needed = candidates;
    for (const Candidate &candidate : candidates) {
      SmallVector<Candidate> fewer = needed;
      llvm::erase(fewer, candidate);
      if (widthsIf(fewer) == best)
        needed = std::move(fewer);
    }
    for (const Candidate &candidate : needed)
      mark(candidate);
  }

  void addCandidate(Value value, bool isDivisor) {
    while (auto splat = value.getDefiningOp<tt::SplatOp>())
      value = splat.getSrc();
    llvm::SetVector<Operation *> arithmetic;
    collectArithmetic(value, arithmetic);
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)) || (!isDivisor && arithmetic.empty()) ||
        !LaunchSteps().add(value) || llvm::is_contained(candidates, Candidate{value, isDivisor}))
      return;
    candidates.push_back({value, isDivisor});
  }

  SmallVector<int64_t> widthsIf(ArrayRef<Candidate> assumed) {
    Hypotheses hypotheses;
    for (const Candidate &candidate : assumed) {
      if (candidate.isDivisor) {
        hypotheses.positive.insert(candidate.value);
        continue;
      }
      llvm::SetVector<Operation *> arithmetic;
      collectArithmetic(candidate.value, arithmetic);
      for (Operation *op : arithmetic)
        hypotheses.unwrapped.insert(op->getResult(0));
    }
    AxisInfoAnalysis axes(func, hypotheses);
    SmallVector<int64_t> list;
    for (Operation *access : accesses)
      list.push_back(widthOf(access, axes, Crossing::Anywhere));
    return list;
  }

  void mark(const Candidate &candidate) {
    LaunchSteps steps;
    steps.add(candidate.value);
    if (candidate.isDivisor) {
      markPositive(candidate.value);
    } else {
      steps.raiseToOne();
      llvm::SetVector<Operation *> arithmetic;
      collectArithmetic(candidate.value, arithmetic);
      auto nsw =
          arith::IntegerOverflowFlagsAttr::get(func.getContext(), arith::IntegerOverflowFlags::nsw);
      for (Operation *op : arithmetic)
        op->setAttr(
            cast<arith::ArithIntegerOverflowFlagsInterface>(op).getIntegerOverflowAttrName(), nsw);
    }
    addCondition(steps);
  }

  void markPositive(Value value) {
    auto unit = UnitAttr::get(func.getContext());
    if (Operation *op = value.getDefiningOp())
      return op->setAttr(kPositive, unit);
    auto argument = cast<BlockArgument>(value);
    if (argument.getOwner()->getParentOp() == func)
      func.setArgAttr(argument.getArgNumber(), kPositive, unit);
  }

  void addCondition(const LaunchSteps &steps) {
    conditions.push_back(DenseI64ArrayAttr::get(func.getContext(), steps.numbers()));
  }

  tt::FuncOp func;
  SmallVector<Operation *> accesses;
  SmallVector<Candidate> candidates;
  SmallVector<Attribute> conditions;
};

struct LaunchConditionsPass : impl::LaunchConditionsBase<LaunchConditionsPass> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<tt::FuncOp>())
      if (func.isKernel() && !func.isExternal())
        Conditions(func).run();
  }
};
} // namespace

} // namespace tritium::ttg
