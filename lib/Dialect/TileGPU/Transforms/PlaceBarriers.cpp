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
// else happens between.
//
//===----------------------------------------------------------------------===//

#include "tritium/Analysis/Hazards.h"
#include "tritium/Analysis/SharedLiveness.h"
#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"

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
      for (const Hazard &hazard : findHazards(func, mayAlias)) {
        if (!hazard.isSettledByBarrier())
          continue;
        OpBuilder b(placeFor(hazard.second));
        b.create<BarrierOp>(hazard.second->getLoc(), b.getStringAttr(hazard.describe()));
      }
      // What no barrier settles.
      if (failed(checkHazards(func, mayAlias)))
        return signalPassFailure();
    }
  }
};
} // namespace

} // namespace tritium::ttg
