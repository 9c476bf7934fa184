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
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"
#include "tritium/Support/LaunchCondition.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tritium::ttg {

#define GEN_PASS_DEF_LAUNCHCONDITIONS
#include "tritium/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {
constexpr size_t kMaxSteps = 64;

bool isArithmetic(Operation *op) { return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op); }
/// The same numbers, in another shape or with a hint.
bool isShape(Operation *op) {
  return isa<tt::DataMovement>(op) ||
         (isa<tt::BitcastOp>(op) && op->getOperand(0).getType() == op->getResult(0).getType());
}

/// The steps that compute a number, or the bounds of a tile of them.
class Expression {
public:
  /// `maxBits`: results of more bits are computed, and have to fit, in so many.
  explicit Expression(unsigned maxBits = 64) : maxBits(maxBits) {}

  /// False if it follows from more than arguments, the grid and indices of loops.
  bool add(Value value) {
    auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(value));
    if (!type || type.getWidth() < 8 || type.getWidth() > 64 || steps.size() >= kMaxSteps)
      return false;
    if (APInt constant; matchPattern(value, m_ConstantInt(&constant)))
      return push(ScalarStep::Constant, type.getWidth(), constant.getSExtValue());
    if (auto argument = dyn_cast<BlockArgument>(value))
      return addArgument(argument);
    using Step = ScalarStep;
    Operation *op = value.getDefiningOp();
    unsigned bits = type.getWidth();
    return llvm::TypeSwitch<Operation *, bool>(op)
        .Case([&](tt::GetProgramIdOp op) { return push(Step::ProgramId, bits, op.getAxis()); })
        .Case([&](tt::GetNumProgramsOp op) { return push(Step::NumPrograms, bits, op.getAxis()); })
        .Case([&](tt::MakeRangeOp op) {
          return addInterval(int32_t(op.getStart()), int64_t(int32_t(op.getEnd())) - 1);
        })
        .Case([&](arith::AddIOp op) { return addBinary(op, Step::Sum); })
        .Case([&](arith::SubIOp op) { return addBinary(op, Step::Difference); })
        .Case([&](arith::MulIOp op) { return addBinary(op, Step::Product); })
        .Case([&](arith::DivSIOp op) { return addBinary(op, Step::Quotient); })
        .Case([&](arith::RemSIOp op) { return addBinary(op, Step::Remainder); })
        .Case([&](arith::MinSIOp op) { return addBinary(op, Step::Minimum); })
        .Case([&](arith::MaxSIOp op) { return addBinary(op, Step::Maximum); })
        .Case([&](arith::ExtSIOp op) { return add(op.getIn()); })
        .Default([&](Operation *op) { return isShape(op) && add(op->getOperand(0)); });
  }

  /// The larger of the number and 1: it is at least 1 if no step wraps.
  void raiseToOne() {
    push(ScalarStep::Constant, 64, 1);
    push(ScalarStep::Maximum, 64);
  }

  SmallVector<int64_t> numbers() const {
    SmallVector<int64_t> list;
    for (const ScalarStep &step : steps) {
      list.push_back(step.kind | step.bits << 8);
      list.push_back(step.value);
    }
    return list;
  }

private:
  bool push(ScalarStep::Kind kind, unsigned bits, int64_t value = 0) {
    steps.push_back({kind, static_cast<uint8_t>(std::min(bits, maxBits)), value});
    return true;
  }

  bool addInterval(int64_t low, int64_t high) {
    push(ScalarStep::Constant, 64, low);
    push(ScalarStep::Constant, 64, high + 1);
    push(ScalarStep::Constant, 64, 1);
    return push(ScalarStep::LoopIndex, 64);
  }

  bool addBinary(Operation *op, ScalarStep::Kind kind) {
    unsigned bits = getElementTypeOrSelf(op->getResult(0)).getIntOrFloatBitWidth();
    return add(op->getOperand(0)) && add(op->getOperand(1)) && push(kind, bits);
  }

  bool addArgument(BlockArgument argument) {
    Operation *parent = argument.getOwner()->getParentOp();
    unsigned bits = getElementTypeOrSelf(argument).getIntOrFloatBitWidth();
    if (isa<tt::FuncOp>(parent)) {
      // Read at its own width, whatever it has to fit.
      steps.push_back({ScalarStep::Argument, static_cast<uint8_t>(bits), argument.getArgNumber()});
      return bits <= maxBits || (push(ScalarStep::Constant, bits) && push(ScalarStep::Sum, bits));
    }
    auto loop = dyn_cast<scf::ForOp>(parent);
    if (!loop)
      return false;
    if (argument != loop.getInductionVar())
      return addCarried(loop, argument, bits);
    return add(loop.getLowerBound()) && add(loop.getUpperBound()) && add(loop.getStep()) &&
           push(ScalarStep::LoopIndex, bits);
  }

  /// What a loop moves by the same amount in each of its rounds: init + amount * [0, rounds].
  bool addCarried(scf::ForOp loop, BlockArgument argument, unsigned bits) {
    unsigned number = argument.getArgNumber() - 1;
    auto move = loop.getYieldedValues()[number].getDefiningOp<arith::AddIOp>();
    if (!move || (move.getLhs() != argument && move.getRhs() != argument))
      return false;
    Value amount = move.getLhs() == argument ? move.getRhs() : move.getLhs();
    if (!loop.isDefinedOutsideOfLoop(amount))
      return false;
    using Step = ScalarStep;
    return add(loop.getInitArgs()[number]) && add(amount) && addRounds(loop) &&
           push(Step::Product, bits) && push(Step::Sum, bits);
  }

  /// From 0 to max(0, (upper - lower + step - 1) / step), in 64 bits.
  bool addRounds(scf::ForOp loop) {
    using Step = ScalarStep;
    auto op = [&](Step::Kind kind) { return push(kind, 64); };
    auto number = [&](int64_t value) { return push(Step::Constant, 64, value); };
    return number(0) && add(loop.getUpperBound()) && add(loop.getLowerBound()) &&
           op(Step::Difference) && add(loop.getStep()) && op(Step::Sum) && number(1) &&
           op(Step::Difference) && add(loop.getStep()) && op(Step::Quotient) && number(0) &&
           op(Step::Maximum) && number(1) && op(Step::Sum) && number(1) && op(Step::LoopIndex);
  }

  unsigned maxBits;
  std::vector<ScalarStep> steps;
};

/// The sums, differences and products that `root`, a dividend, say, is made of at its width.
void collectArithmetic(Value root, llvm::SetVector<Operation *> &found) {
  SmallVector<Value> worklist{root};
  llvm::SmallPtrSet<Value, 16> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || !seen.insert(value).second || !(isArithmetic(op) || isShape(op)))
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
        return fits(side) || (side.getDefiningOp() && Expression(32).add(side));
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
      Expression steps(32);
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
        !Expression().add(value) || llvm::is_contained(candidates, Candidate{value, isDivisor}))
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
    Expression steps;
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

  void addCondition(const Expression &steps) {
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
