//===- WaitLoops.cpp - loops that wait for memory to change ---------------===//
//
//   while tl.atomic_cas(lock, 0, 1) == 1: pass
//
// From the condition backwards through the loop: through values, what the loop carries, and what
// the regions in it yield.
//
//===----------------------------------------------------------------------===//

#include "tritium/Analysis/WaitLoops.h"

#include "tritium/Dialect/Tile/IR/Tile.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tritium {

bool waitsForMemory(scf::WhileOp loop) {
  SmallVector<Value> worklist{loop.getConditionOp().getCondition()};
  llvm::DenseSet<Value> seen;
  auto add = [&](ValueRange values) { worklist.append(values.begin(), values.end()); };
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      unsigned number = argument.getArgNumber();
      if (argument.getOwner() == loop.getBeforeBody())
        worklist.push_back(loop.getYieldOp().getOperand(number));
      else if (argument.getOwner() == loop.getAfterBody())
        worklist.push_back(loop.getConditionOp().getArgs()[number]);
      else if (Operation *parent = argument.getOwner()->getParentOp(); loop->isAncestor(parent))
        add(parent->getOperands());
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (op == loop || !loop->isAncestor(op))
      continue;
    if (op->getNumRegions() == 0 && hasEffect<MemoryEffects::Read>(op))
      return true;
    add(op->getOperands());
    // What regions yield, and what decides how often they run.
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (!block.empty())
          add(block.back().getOperands());
  }
  return false;
}

bool waitsForOthers(Operation *op) {
  auto loop = dyn_cast<scf::WhileOp>(op);
  auto load = dyn_cast<tt::LoadOp>(op);
  return (loop && waitsForMemory(loop)) || (load && load.getIsVolatile());
}

} // namespace tritium
