//===- DotRotation.cpp - dots that go on into the next iteration ----------===//

#include "DotRotation.h"

#include "tritium/Dialect/TileGPU/IR/Mma.h"
#include "tritium/Target/GPU/GPUModel.h"
#include "tritium/Target/GPU/Strategy.h"

using namespace mlir;

namespace tritium::ttg {

/// The dots of warp groups of a loop, if they stand right in its body and there are no others.
static SmallVector<tt::DotOp> dotsOf(scf::ForOp loop) {
  SmallVector<tt::DotOp> dots;
  WalkResult result = loop.getBody()->walk([&](Operation *op) {
    auto dot = dyn_cast<tt::DotOp>(op);
    bool isOther =
        isa<AsyncReader>(op) || (dot && (dot->getParentOp() != loop || !isOfWarpGroups(dot)));
    if (dot)
      dots.push_back(dot);
    return isOther ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted() ? SmallVector<tt::DotOp>() : dots;
}

/// Operations of the body that depend on `value` in the same iteration.
static void addDependent(Value value, Block *body, llvm::SmallPtrSetImpl<Operation *> &found) {
  for (Operation *user : value.getUsers()) {
    Operation *op = body->findAncestorOpInBlock(*user);
    if (op->hasTrait<OpTrait::IsTerminator>() || !found.insert(op).second)
      continue;
    for (Value result : op->getResults())
      addDependent(result, body, found);
  }
}

std::optional<DotRotation> DotRotation::find(scf::ForOp loop) {
  SmallVector<tt::DotOp> dots = dotsOf(loop);
  if (dots.size() != 2)
    return std::nullopt;
  DotRotation found{dots[0], dots[1], 0, {}};
  Block *body = loop.getBody();
  if (!found.second->hasOneUse() || *found.second->user_begin() != body->getTerminator())
    return std::nullopt;
  found.carried = found.second->getUses().begin()->getOperandNumber();
  addDependent(loop.getRegionIterArg(found.carried), body, found.behind);
  llvm::SmallPtrSet<Operation *, 16> ofFirst;
  addDependent(found.first.getResult(), body, ofFirst);
  Value left = found.second.getA();
  bool isLeftOfFirst = left.getDefiningOp() && ofFirst.contains(left.getDefiningOp()) &&
                       !found.behind.contains(left.getDefiningOp());
  bool isRightBehind = found.second.getB().getDefiningOp() &&
                       found.behind.contains(found.second.getB().getDefiningOp());
  auto encoding = cast<RankedTensorType>(behindConversions(left).getType()).getEncoding();
  if (!found.behind.contains(found.second) || found.behind.contains(found.first) ||
      !isLeftOfFirst || isRightBehind || !isOfWarpGroups(encoding) ||
      !llvm::all_of(found.behind, [](Operation *op) { return isMemoryEffectFree(op); }))
    return std::nullopt;
  return found;
}

int64_t DotRotation::words() {
  return wordsOf(first.getType()) + wordsOf(second.getType()) + wordsOf(second.getA().getType());
}

int64_t DotRotation::mostWords() {
  return registersOfThread(first->getParentOfType<ModuleOp>()) * strategy::kMostRotatedPercent /
         100;
}

} // namespace tritium::ttg
