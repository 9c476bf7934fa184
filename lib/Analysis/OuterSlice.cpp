//===- OuterSlice.cpp - what an inner loop needs of the outer one ---------===//

#include "tritium/Analysis/OuterSlice.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tritium {

std::optional<SmallVector<Operation *>> outerSlice(scf::ForOp inner, ArrayRef<Operation *> ahead) {
  auto outer = dyn_cast<scf::ForOp>(inner->getParentOp());
  if (!outer)
    return std::nullopt;
  SmallVector<Value> worklist{inner.getLowerBound(), inner.getUpperBound(), inner.getStep()};
  for (Operation *op : ahead)
    for (Value operand : op->getOperands()) {
      auto argument = dyn_cast<BlockArgument>(operand);
      bool isOwn = argument && argument.getOwner() == inner.getBody();
      if (isOwn && argument != inner.getInductionVar())
        worklist.push_back(inner.getInitArgs()[argument.getArgNumber() - 1]);
      else if (!isOwn && inner.isDefinedOutsideOfLoop(operand))
        worklist.push_back(operand);
    }
  llvm::SmallSetVector<Operation *, 32> needed;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (value == outer.getInductionVar() || outer.isDefinedOutsideOfLoop(value))
      continue;
    Operation *op = value.getDefiningOp();
    if (!op || op->getParentOp() != outer || op->getNumRegions() || !isMemoryEffectFree(op))
      return std::nullopt;
    if (needed.insert(op))
      llvm::append_range(worklist, op->getOperands());
  }
  SmallVector<Operation *> slice = needed.takeVector();
  llvm::sort(slice, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return slice;
}

} // namespace tritium
