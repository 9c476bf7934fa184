//===- LaunchSteps.cpp - numbers that a launch can compute ----------------===//

#include "tritium/Analysis/LaunchSteps.h"

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tritium {

constexpr size_t kMaxSteps = 200;

bool keepsNumbers(Operation *op) {
  return isa<tt::DataMovement>(op) ||
         (isa<tt::BitcastOp>(op) && op->getOperand(0).getType() == op->getResult(0).getType());
}

bool LaunchSteps::add(Value value) {
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
      .Case([&](ttg::ProgramIdOp op) { return push(Step::ProgramId, bits, op.getAxis()); })
      .Case([&](tt::GetNumProgramsOp op) { return push(Step::NumPrograms, bits, op.getAxis()); })
      .Case([&](tt::ProgramShareOp op) { return addShare(op, value); })
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
      .Case([&](arith::TruncIOp op) { // what is cut off has to be nothing
        return add(op.getIn()) && push(Step::Constant, bits) && push(Step::Sum, bits);
      })
      .Default([&](Operation *op) { return keepsNumbers(op) && add(op->getOperand(0)); });
}

void LaunchSteps::apply(ScalarStep::Kind kind, int64_t constant, unsigned bits) {
  push(ScalarStep::Constant, 64, constant);
  push(kind, bits);
}

bool LaunchSteps::isUniform() const {
  return llvm::none_of(steps, [](const ScalarStep &step) {
    return step.kind == ScalarStep::ProgramId || step.kind == ScalarStep::LoopIndex;
  });
}

SmallVector<int64_t> LaunchSteps::numbersOf(ArrayRef<ScalarStep> steps) {
  SmallVector<int64_t> list;
  for (const ScalarStep &step : steps) {
    list.push_back(step.kind | step.bits << 8);
    list.push_back(step.value);
  }
  return list;
}

bool LaunchSteps::push(ScalarStep::Kind kind, unsigned bits, int64_t value) {
  steps.push_back({kind, static_cast<uint8_t>(std::min(bits, maxBits)), value});
  return true;
}

bool LaunchSteps::addInterval(int64_t low, int64_t high) {
  push(ScalarStep::Constant, 64, low);
  push(ScalarStep::Constant, 64, high + 1);
  push(ScalarStep::Constant, 64, 1);
  return push(ScalarStep::LoopIndex, 64);
}

/// Of its rounds: from 0 to all.
bool LaunchSteps::addShare(tt::ProgramShareOp op, Value value) {
  if (value != op.getFrom() && value != op.getTo())
    return false;
  return push(ScalarStep::Constant, 64, 0) && add(op.getRounds()) &&
         push(ScalarStep::Constant, 64, 1) && push(ScalarStep::Sum, 64) &&
         push(ScalarStep::Constant, 64, 1) && push(ScalarStep::LoopIndex, 32);
}

bool LaunchSteps::addBinary(Operation *op, ScalarStep::Kind kind) {
  unsigned bits = getElementTypeOrSelf(op->getResult(0)).getIntOrFloatBitWidth();
  return add(op->getOperand(0)) && add(op->getOperand(1)) && push(kind, bits);
}

bool LaunchSteps::addArgument(BlockArgument argument) {
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
bool LaunchSteps::addCarried(scf::ForOp loop, BlockArgument argument, unsigned bits) {
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
bool LaunchSteps::addRounds(scf::ForOp loop) {
  using Step = ScalarStep;
  auto op = [&](Step::Kind kind) { return push(kind, 64); };
  auto number = [&](int64_t value) { return push(Step::Constant, 64, value); };
  return number(0) && add(loop.getUpperBound()) && add(loop.getLowerBound()) &&
         op(Step::Difference) && add(loop.getStep()) && op(Step::Sum) && number(1) &&
         op(Step::Difference) && add(loop.getStep()) && op(Step::Quotient) && number(0) &&
         op(Step::Maximum) && number(1) && op(Step::Sum) && number(1) && op(Step::LoopIndex);
}

} // namespace tritium
