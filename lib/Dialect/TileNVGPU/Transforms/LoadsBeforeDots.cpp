//===- LoadsBeforeDots.cpp - factors are loaded before dots ----------------===//

#include "LoadsBeforeDots.h"

#include "tritium/Dialect/TileGPU/IR/Mma.h"
#include "tritium/Target/GPU/Strategy.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tritium::ttng {

namespace {
/// Neither writes nor waits for who does.
bool isPlain(Operation *op) {
  return isMemoryEffectFree(op) ||
         isa<ttg::LocalLoadOp, tt::LoadOp, WarpGroupDotOp, WarpGroupDotWaitOp>(op);
}

/// Adds the load, and the indices of its buffer that stand behind `dot`, in order; false if it
/// needs more of what stands there.
bool collect(Operation *op, WarpGroupDotOp dot, llvm::SetVector<Operation *> &needed) {
  if (needed.contains(op))
    return true;
  for (Value operand : op->getOperands()) {
    Operation *def = operand.getDefiningOp();
    if (!def || def->getBlock() != dot->getBlock() || def->isBeforeInBlock(dot))
      continue;
    if (!isa<ttg::MemDescIndexOp, ttg::MemDescTransOp>(def) || !collect(def, dot, needed))
      return false;
  }
  needed.insert(op);
  return true;
}

/// Of a thread, of the group that the dot is of.
int64_t registersFor(WarpGroupDotOp dot) {
  int64_t registers = ttg::registersOfThread(dot->getParentOfType<ModuleOp>());
  auto groups = dot->getParentOfType<ttg::WarpGroupsOp>();
  int32_t given = groups ? groups.getRegisters()[groups.groupOf(dot)] : 0;
  return given ? std::min<int64_t>(registers, given) : registers;
}

/// One number for each row or column of a result at most.
bool areFactors(ttg::LocalLoadOp load, WarpGroupDotOp dot) {
  auto tile = dyn_cast<RankedTensorType>(load.getType());
  auto result = cast<RankedTensorType>(dot.getType());
  return tile && tile.getNumElements() <= std::max(result.getDimSize(0), result.getDimSize(1));
}
} // namespace

void loadBefore(WarpGroupDotOp dot) {
  if (!isa<ttg::MemDescType>(dot.getA().getType()))
    return;
  int64_t words = 0, most = registersFor(dot) * strategy::kMostLoadedPercent / 100;
  for (auto other : dot->getBlock()->getOps<WarpGroupDotOp>())
    words += ttg::wordsOf(other.getType());
  SmallVector<ttg::LocalLoadOp> loads;
  for (Operation *op = dot->getNextNode(); op && isPlain(op); op = op->getNextNode())
    if (auto load = dyn_cast<ttg::LocalLoadOp>(op); load && areFactors(load, dot))
      loads.push_back(load);
  for (ttg::LocalLoadOp load : loads) {
    llvm::SetVector<Operation *> needed;
    int64_t loaded = ttg::wordsOf(load.getType());
    if (words + loaded > most || !collect(load, dot, needed))
      continue;
    words += loaded;
    for (Operation *op : needed)
      op->moveBefore(dot);
  }
}

} // namespace tritium::ttng
