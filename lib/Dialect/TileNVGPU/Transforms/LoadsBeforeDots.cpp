//===- LoadsBeforeDots.cpp - small tiles come before operands -------------===//

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

/// Adds `op` and what it needs of what stands behind `dot`, in order; false if that is more than
/// the place of a buffer.
bool collect(Operation *op, WarpGroupDotOp dot, llvm::SetVector<Operation *> &needed) {
  for (Value operand : op->getOperands()) {
    Operation *def = operand.getDefiningOp();
    if (!def || def->getBlock() != dot->getBlock() || def->isBeforeInBlock(dot))
      continue;
    if (def == dot || !isPure(def) || def->getNumRegions() || !collect(def, dot, needed))
      return false;
  }
  needed.insert(op);
  return true;
}
} // namespace

void loadBefore(WarpGroupDotOp dot) {
  Block *block = dot->getBlock();
  int64_t words = 0;
  for (auto other : block->getOps<WarpGroupDotOp>())
    words += ttg::wordsOf(other.getType());
  int64_t most = ttg::registersOfThread(dot->getParentOfType<ModuleOp>()) *
                 strategy::kMostLoadedPercent / 100;
  SmallVector<ttg::LocalLoadOp> loads;
  for (Operation *op = dot->getNextNode(); op && isPlain(op); op = op->getNextNode())
    if (auto load = dyn_cast<ttg::LocalLoadOp>(op))
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
