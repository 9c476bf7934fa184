//===- PlaceBarriers.cpp - ttg-place-barriers -----------------------------===//
//
//   %m = ttg.local_alloc init(%x : ..) {offset = 0 : i32} : ..
//   %y = ttg.local_load %m
//
// becomes
//
//   %m = ttg.local_alloc init(%x : ..) {offset = 0 : i32} : ..
//   ttg.barrier {hazard = "read after write, shared memory [0, 512)"}
//   %y = ttg.local_load %m
//
// A barrier stands in front of each access that must wait for other threads (Hazards.h): right
// in front, as late as can be, or right behind the wait for asynchronous copies, if nothing
// else happens between. What has been done before a loop is waited for in front of it, once.
//
//===----------------------------------------------------------------------===//

#include "tritium/Analysis/Hazards.h"
#include "tritium/Analysis/SharedLiveness.h"
#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace tritium::ttg {

#define GEN_PASS_DEF_PLACEBARRIERS
#include "tritium/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {
/// The operation that the barrier for `op` stands in front of.
Operation *placeFor(Operation *op) {
  Operation *before = op->getPrevNode();
  while (before && isMemoryEffectFree(before) && before->getNumRegions() == 0)
    before = before->getPrevNode();
  return isa_and_nonnull<AsyncWaitOp>(before) ? before->getNextNode() : op;
}

/// The outermost loop around `op` that has nothing to do with `before`; null if there is none.
Operation *loopBehind(Operation *before, Operation *op) {
  Operation *loop = nullptr;
  for (Operation *parent = op->getParentOp(); !parent->isAncestor(before);
       parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface>(parent))
      loop = parent;
  return loop;
}

void placeBarrier(Operation *place, const Hazard &hazard) {
  OpBuilder b(place);
  b.create<BarrierOp>(hazard.second->getLoc(), b.getStringAttr(hazard.describe()));
}

/// What `hazard` is about had been done where its first operation stands, and not only at a wait
/// for it.
bool isThereAtOnce(const Hazard &hazard) {
  return !isa<AsyncReader, AsyncCopyGlobalToLocalOp, AsyncWaitOp>(hazard.first);
}

/// Places barriers in front of `loops`, one each. Whether there were any: then others may be needed
/// no more, or elsewhere.
bool placeInFrontOfLoops(tt::FuncOp func, bool mayAlias,
                         llvm::SmallPtrSetImpl<Operation *> &loops) {
  bool placed = false;
  for (const Hazard &hazard : findHazards(func, mayAlias)) {
    if (!hazard.isSettledByBarrier() || !isThereAtOnce(hazard))
      continue;
    Operation *loop = loopBehind(hazard.first, hazard.second);
    if (!loop || !loops.insert(loop).second)
      continue;
    placeBarrier(loop, hazard);
    placed = true;
  }
  return placed;
}

struct PlaceBarriersPass : impl::PlaceBarriersBase<PlaceBarriersPass> {
  using PlaceBarriersBase::PlaceBarriersBase;

  void runOnOperation() override {
    if (!getAnalysis<LayoutsHold>())
      return signalPassFailure();
    for (auto func : getOperation().getOps<tt::FuncOp>()) {
      if (func.isExternal())
        continue;
      if (failed(checkPlaces(func)))
        return signalPassFailure();
      llvm::SmallPtrSet<Operation *, 4> loops;
      while (placeInFrontOfLoops(func, mayAlias, loops)) {
      }
      for (const Hazard &hazard : findHazards(func, mayAlias))
        if (hazard.isSettledByBarrier())
          placeBarrier(placeFor(hazard.second), hazard);
      // What no barrier settles.
      if (failed(checkHazards(func, mayAlias)))
        return signalPassFailure();
    }
  }
};
} // namespace

} // namespace tritium::ttg
