//===- Overlap.cpp - what happens while a dot multiplies ------------------===//

#include "tritium/Dialect/TileGPU/IR/Overlap.h"

using namespace mlir;

namespace tritium::ttg {

tt::DotOp dotBehind(Operation *op) {
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode()) {
    if (auto dot = dyn_cast<tt::DotOp>(next))
      return dot;
    if (isa<LocalLoadOp, AsyncCopyGlobalToLocalOp, AsyncCommitGroupOp>(next))
      continue;
    if ((next->getNumRegions() && !isa<SkipMaskedOp>(next)) || !isMemoryEffectFree(next))
      return {};
  }
  return {};
}

bool isOnTensorCores(tt::DotOp dot) {
  return isa<MmaEncodingAttr>(dot.getC().getType().getEncoding());
}

bool canLoadBySteps(LocalLoadOp load) {
  if (!load->hasOneUse() || !tt::isTile(load.getType()))
    return false;
  tt::DotOp dot = dotBehind(load);
  MemDescType memory = load.getSrc().getType();
  return dot && *load->user_begin() == dot && dot.getC() != load.getResult() && memory.isOnePanel();
}

bool isForLater(LocalLoadOp load) {
  tt::DotOp dot = dotBehind(load);
  MemDescType memory = load.getSrc().getType();
  return dot && tt::isTile(load.getType()) && memory.isOnePanel() &&
         llvm::all_of(load->getUsers(), [&](Operation *user) {
           Operation *here = dot->getBlock()->findAncestorOpInBlock(*user);
           return here && dot->isBeforeInBlock(here);
         });
}

/// Copies that a dot leaves to those behind it find them.
static LogicalResult checkInterleave(tt::DotOp dot) {
  auto interleave = dot->getAttrOfType<InterleaveAttr>(kInterleave);
  unsigned dots = 1;
  for (tt::DotOp next = dotBehind(dot); next; next = dotBehind(next))
    ++dots;
  if (!dot->hasAttr(kInterleave) || (interleave && interleave.getDots() <= dots))
    return success();
  return dot.emitError() << kInterleave << " must be for this dot and those that follow in a row, "
                         << dots << " in all, found " << dot->getAttr(kInterleave)
                         << "; leave that to ttg-overlap-dots";
}

static LogicalResult checkOne(Operation *op) {
  if (auto dot = dyn_cast<tt::DotOp>(op))
    return checkInterleave(dot);
  auto refuse = [&](const char *what) -> LogicalResult {
    return op->emitError() << "'" << op->getName() << "' cannot overlap a dot (" << kOverlap
                           << "): " << what << "; leave that to ttg-overlap-dots";
  };
  auto overlap = op->getAttrOfType<OverlapAttr>(kOverlap);
  if (!overlap)
    return op->hasAttr(kOverlap) ? refuse("it is not said how") : success();
  if (auto load = dyn_cast<LocalLoadOp>(op)) {
    bool fits = overlap.getValue() == Overlap::Steps
                    ? canLoadBySteps(load)
                    : isForLater(load) && isOnTensorCores(dotBehind(load));
    return fits ? success() : refuse("no dot behind it reads it by steps, or for later");
  }
  if (overlap.getValue() != Overlap::Products)
    return refuse("only loads go by steps of k");
  if (isa<AsyncCopyGlobalToLocalOp, AsyncCommitGroupOp>(op))
    return dotBehind(op) ? success() : refuse("no dot follows before a barrier or a write");
  if (!isa<AsyncWaitOp, BarrierOp>(op))
    return refuse("it is neither a copy nor a load, nor what a load waits for");
  // Up to the dot only what waits for it, too.
  Operation *next = op->getNextNode();
  for (; next && !isa<tt::DotOp>(next); next = next->getNextNode())
    if (auto how = next->getAttrOfType<OverlapAttr>(kOverlap);
        !isMemoryEffectFree(next) && (!isa<AsyncWaitOp, BarrierOp, LocalLoadOp>(next) || !how ||
                                      how.getValue() != Overlap::Products))
      return refuse("what stands between it and the dot has to wait for it");
  if (!next || !isOnTensorCores(cast<tt::DotOp>(next)))
    return refuse("no dot on tensor cores follows");
  return success();
}

LogicalResult checkOverlap(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    return succeeded(checkOne(op)) ? WalkResult::advance() : WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

} // namespace tritium::ttg
