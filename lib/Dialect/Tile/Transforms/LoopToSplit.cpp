//===- LoopToSplit.cpp - the loop that parts of a program share -----------===//

#include "LoopToSplit.h"

#include "tritium/Analysis/WaitLoops.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tritium::tt {

namespace {
/// The dot or addition that adds to `sum`, which nothing else reads.
Value addedTo(Value sum) {
  if (!sum.hasOneUse())
    return {};
  OpOperand &use = *sum.use_begin();
  Operation *op = use.getOwner();
  if (auto dot = dyn_cast<DotOp>(op))
    return use.get() == dot.getC() && use.getOperandNumber() == 2 ? dot.getResult() : Value();
  bool isLeft = use.getOperandNumber() == 0;
  if (isa<arith::AddFOp, arith::AddIOp>(op) || (isLeft && isa<arith::SubFOp, arith::SubIOp>(op)))
    return op->getResult(0);
  return {};
}

bool isSum(BlockArgument argument, Value yielded) {
  if (isa<PointerType>(elementType(argument.getType())))
    return false;
  Value sum = argument;
  do {
    sum = addedTo(sum);
  } while (sum && sum != yielded && sum.getDefiningOp()->getBlock() == argument.getOwner());
  // What is yielded may not be read in the loop either.
  return sum && sum == yielded && sum.hasOneUse();
}

/// The amounts that lead from `argument` to what is yielded; nothing if they are not the same in
/// each iteration.
std::optional<SmallVector<Move>> movesOf(scf::ForOp loop, BlockArgument argument, Value yielded) {
  if (!isa<IntegerType>(argument.getType()))
    return std::nullopt;
  SmallVector<Move> moves;
  while (yielded != argument) {
    Operation *op = yielded.getDefiningOp();
    if (!op || op->getBlock() != argument.getOwner() || !isa<arith::AddIOp, arith::SubIOp>(op))
      return std::nullopt;
    Value left = op->getOperand(0), right = op->getOperand(1);
    if (isa<arith::AddIOp>(op) && loop.isDefinedOutsideOfLoop(left))
      std::swap(left, right);
    if (!loop.isDefinedOutsideOfLoop(right))
      return std::nullopt;
    moves.push_back({right, isa<arith::SubIOp>(op)});
    yielded = left;
  }
  return moves;
}

/// Why parts cannot each do what stands in front of the loop, or share out what stands in it; empty
/// if they can.
StringRef obstacleToParts(Operation *op) {
  if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() && !waitsForOthers(op))
    return "";
  auto load = dyn_cast<LoadOp>(op);
  if (waitsForOthers(op) || (load && load.getCache() == CacheModifier::CV))
    return "what stands in front of its loop, or in it, waits for other programs, whose parts may "
           "not have begun";
  auto isRead = [](const MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Read>(effect.getEffect());
  };
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects = getEffectsRecursively(op);
  if (isa<AssumeOp>(op) || (effects && llvm::all_of(*effects, isRead)))
    return "";
  return "what stands in front of its loop, or in it, writes to memory, which each part would do";
}

/// Why a part would not be taken for its program; empty if it is.
StringRef obstacleToNumbers(Operation *op) {
  if (isa<PrintOp, AssertOp, CheckHintOp>(op))
    return "it prints or asserts, and says of which program";
  auto assembly = dyn_cast<InlineAsmOp>(op);
  return assembly && assembly.getText().contains("ctaid")
             ? "its assembly reads the number of its CTA"
             : "";
}

/// The loop of a kernel that is to be split, or `reason` why there is none.
scf::ForOp findLoop(FuncOp kernel, std::string &reason) {
  SmallVector<scf::ForOp> loops(kernel.getBody().front().getOps<scf::ForOp>());
  SmallVector<scf::ForOp> ofDots;
  llvm::copy_if(loops, std::back_inserter(ofDots),
                [](scf::ForOp loop) { return !loop.getBody()->getOps<DotOp>().empty(); });
  SmallVector<scf::ForOp> &candidates = ofDots.empty() ? loops : ofDots;
  if (candidates.size() == 1)
    return candidates.front();
  reason = candidates.empty() ? "it has no loop outside of all branches and other loops"
                              : "it has several loops, one after the other";
  return {};
}
} // namespace

std::string findLoopToSplit(FuncOp kernel, LoopToSplit &found) {
  std::string reason;
  scf::ForOp loop = found.loop = findLoop(kernel, reason);
  if (!loop)
    return reason;
  APInt lower, step;
  if (!isa<IntegerType>(loop.getInductionVar().getType()) ||
      !matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) || lower.isNegative() ||
      !matchPattern(loop.getStep(), m_ConstantInt(&step)) || !step.isStrictlyPositive())
    return "its loop does not begin at a constant that is at least 0, or has no constant step";
  found.lower = lower.getSExtValue();
  found.step = step.getSExtValue();
  for (auto [argument, yielded, init] :
       llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues(), loop.getInitArgs())) {
    found.carried.push_back({init, movesOf(loop, argument, yielded)});
    if (!found.carried.back().moves && !isSum(argument, yielded))
      return "from one iteration to the next its loop carries what is neither a sum that nothing "
             "else in the loop reads nor a number that moves by the same amount";
  }
  if (llvm::all_of(found.carried, [](const Carried &each) { return each.moves.has_value(); }))
    return "its loop adds nothing up";
  StringRef obstacle;
  auto look = [&](Operation *op, auto obstacleOf) {
    op->walk([&](Operation *inner) {
      obstacle = obstacleOf(inner);
      return obstacle.empty() ? WalkResult::advance() : WalkResult::interrupt();
    });
    return obstacle.empty();
  };
  for (Operation &op : kernel.getBody().front())
    if (!look(&op, obstacleToNumbers))
      return obstacle.str();
  for (Operation &op : kernel.getBody().front())
    if (!look(&op, obstacleToParts) || &op == loop)
      break;
  return obstacle.str();
}

} // namespace tritium::tt
