//===- OuterSlice.cpp - what an inner loop needs of the outer one ---------===//

#include "tritium/Analysis/OuterSlice.h"

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tritium {

/// The same for every iteration of `around`, or every program of that kernel.
static bool isFixed(Value value, Operation *around) {
  Operation *owner = value.getParentBlock()->getParentOp();
  return !around->isAncestor(owner) ||
         (isa<tt::FuncOp>(around) && isa<BlockArgument>(value) && owner == around);
}

std::optional<SmallVector<Operation *>> outerSlice(scf::ForOp inner, ArrayRef<Operation *> ahead) {
  Operation *around = inner->getParentOp();
  auto outer = dyn_cast<scf::ForOp>(around);
  if (!outer && !isa<tt::FuncOp>(around))
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
    if ((outer && value == outer.getInductionVar()) || isFixed(value, around))
      continue;
    Operation *op = value.getDefiningOp();
    if (!op || op->getParentOp() != around || op->getNumRegions() || !isMemoryEffectFree(op))
      return std::nullopt;
    if (needed.insert(op))
      llvm::append_range(worklist, op->getOperands());
  }
  SmallVector<Operation *> slice = needed.takeVector();
  llvm::sort(slice, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return slice;
}

bool mayStartNext(scf::ForOp inner) {
  Operation *around = inner->getParentOp();
  auto outer = dyn_cast<scf::ForOp>(around);
  if (outer && !outer.getInductionVar().getType().isSignlessInteger())
    return false;
  bool arePrograms = !outer || outer->hasAttr(ttg::kPrograms);
  SmallVector<Operation *> ahead;
  for (Operation &op : inner.getBody()->without_terminator()) {
    auto schedule = op.getAttrOfType<ttg::ScheduleAttr>(ttg::kSchedule);
    if (!schedule)
      return false;
    // What is loaded into registers ahead is not loaded for the next program.
    if (schedule.getStage() == 0 && isa<tt::LoadOp>(op) && !op.hasAttr(ttg::kAsyncCopy))
      return false;
    if (schedule.getStage() == 0)
      ahead.push_back(&op);
  }
  auto any = [&](llvm::function_ref<bool(Operation *)> holds) {
    auto stop = [&](Operation *op) {
      return holds(op) ? WalkResult::interrupt() : WalkResult::advance();
    };
    return around->walk(stop).wasInterrupted();
  };
  bool isOnly = !any([&](Operation *op) { // of those with stages
    return op != inner && isa<scf::ForOp>(op) && op->hasAttr(ttg::kStages);
  });
  bool isOrdered = any([&](Operation *op) {
    auto load = dyn_cast<tt::LoadOp>(op);
    auto access = dyn_cast<tt::MemoryAccess>(op);
    bool isAtomic = access && access.isAtomic() && !arePrograms;
    return isa<ttg::BarrierOp>(op) || (load && load.getIsVolatile()) || isAtomic;
  });
  return isOnly && !isOrdered && outerSlice(inner, ahead);
}

} // namespace tritium
