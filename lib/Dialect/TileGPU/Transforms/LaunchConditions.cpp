//===- LaunchConditions.cpp - tritongpu-launch-conditions -----------------===//
//
//   %left = arith.subi %num_pid_m, %first_pid_m
//   %size = arith.minsi %left, %c8
//   %pid_n = arith.divsi %in_group, %size
//   %cols = (%pid_n * 128 + arange) % %N            // of unknown sign, so no vectors
//
// becomes
//
//   tt.func ... attributes {tt.conditions = [array<i64: ...>]}
//   %size = arith.minsi %left, %c8 {tt.positive}
//
// The list is the scalar in postfix order (ScalarStep), two numbers a step. A launch computes
// the bounds that it has over all programs, and takes code that was compiled without this
// pass if it may be less than one. Only divisors without which some access would be narrower
// are marked, and only those that follow from arguments and the grid.
//
// It runs on tiles without layouts.
//
//===----------------------------------------------------------------------===//

#include "AccessWidth.h"

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

/// The steps that compute a scalar.
class Expression {
public:
  /// False if it follows from more than arguments, the grid and indices of loops.
  bool add(Value value) {
    auto type = dyn_cast<IntegerType>(value.getType());
    if (!type || type.getWidth() < 8 || type.getWidth() > 64 || steps.size() >= kMaxSteps)
      return false;
    if (APInt constant; matchPattern(value, m_ConstantInt(&constant)))
      return push(ScalarStep::Constant, value, constant.getSExtValue());
    if (auto argument = dyn_cast<BlockArgument>(value))
      return addArgument(argument);
    using Step = ScalarStep;
    return llvm::TypeSwitch<Operation *, bool>(value.getDefiningOp())
        .Case([&](tt::GetProgramIdOp op) { return push(Step::ProgramId, value, op.getAxis()); })
        .Case([&](tt::GetNumProgramsOp op) { return push(Step::NumPrograms, value, op.getAxis()); })
        .Case([&](arith::AddIOp op) { return addBinary(op, Step::Sum); })
        .Case([&](arith::SubIOp op) { return addBinary(op, Step::Difference); })
        .Case([&](arith::MulIOp op) { return addBinary(op, Step::Product); })
        .Case([&](arith::DivSIOp op) { return addBinary(op, Step::Quotient); })
        .Case([&](arith::RemSIOp op) { return addBinary(op, Step::Remainder); })
        .Case([&](arith::MinSIOp op) { return addBinary(op, Step::Minimum); })
        .Case([&](arith::MaxSIOp op) { return addBinary(op, Step::Maximum); })
        .Case([&](arith::ExtSIOp op) { return add(op.getIn()); })
        .Default([](Operation *) { return false; });
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
  bool push(ScalarStep::Kind kind, Value result, int64_t value = 0) {
    auto bits = static_cast<uint8_t>(result.getType().getIntOrFloatBitWidth());
    steps.push_back({kind, bits, value});
    return true;
  }

  bool addBinary(Operation *op, ScalarStep::Kind kind) {
    return add(op->getOperand(0)) && add(op->getOperand(1)) && push(kind, op->getResult(0));
  }

  bool addArgument(BlockArgument argument) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (isa<tt::FuncOp>(parent))
      return push(ScalarStep::Argument, argument, argument.getArgNumber());
    auto loop = dyn_cast<scf::ForOp>(parent);
    return loop && argument == loop.getInductionVar() && add(loop.getLowerBound()) &&
           add(loop.getUpperBound()) && add(loop.getStep()) &&
           push(ScalarStep::LoopIndex, argument);
  }

  std::vector<ScalarStep> steps;
};

class Conditions {
public:
  explicit Conditions(tt::FuncOp func) : func(func) {}

  void run() {
    func.walk([&](Operation *op) {
      if (isa<tt::LoadOp, tt::StoreOp>(op) && tt::isTile(op->getOperand(0).getType()))
        accesses.push_back(op);
      if (auto quotient = dyn_cast<arith::DivSIOp>(op))
        addCandidate(quotient.getRhs());
    });
    if (accesses.empty() || candidates.empty())
      return;
    SmallVector<int64_t> before = widths();
    for (Value divisor : candidates)
      mark(divisor, true);
    SmallVector<int64_t> best = widths();
    SmallVector<Attribute> conditions;
    for (Value divisor : candidates) {
      mark(divisor, false);
      if (before == best || widths() == best)
        continue;
      mark(divisor, true);
      Expression steps;
      steps.add(divisor);
      conditions.push_back(DenseI64ArrayAttr::get(func.getContext(), steps.numbers()));
    }
    if (!conditions.empty())
      func->setAttr(kConditions, ArrayAttr::get(func.getContext(), conditions));
  }

private:
  void addCandidate(Value divisor) {
    while (auto splat = divisor.getDefiningOp<tt::SplatOp>())
      divisor = splat.getSrc();
    APInt constant;
    if (!matchPattern(divisor, m_ConstantInt(&constant)) && Expression().add(divisor))
      candidates.insert(divisor);
  }

  void mark(Value value, bool isPositive) {
    auto unit = UnitAttr::get(func.getContext());
    if (Operation *op = value.getDefiningOp()) {
      if (isPositive)
        op->setAttr(kPositive, unit);
      else
        op->removeAttr(kPositive);
      return;
    }
    auto argument = cast<BlockArgument>(value);
    if (argument.getOwner()->getParentOp() != func)
      return;
    if (isPositive)
      func.setArgAttr(argument.getArgNumber(), kPositive, unit);
    else
      func.removeArgAttr(argument.getArgNumber(), kPositive);
  }

  SmallVector<int64_t> widths() {
    AxisInfoAnalysis axes(func);
    SmallVector<int64_t> list;
    for (Operation *access : accesses)
      list.push_back(widthOf(access, axes, Cut::AtBound));
    return list;
  }

  tt::FuncOp func;
  SmallVector<Operation *> accesses;
  llvm::SmallSetVector<Value, 4> candidates;
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
