//===- PlaceFences.cpp - ttng-place-fences --------------------------------===//
//
//   ttg.async_wait {num = 1}
//   %d = ttng.warp_group_dot %a, %b, %c
//
// becomes, for ttg-place-barriers to put its barrier behind the fence,
//
//   ttg.async_wait {num = 1}
//   ttng.fence_async_proxy
//   %d = ttng.warp_group_dot %a, %b, %c
//
// A fence is for what the thread that runs it has written. So it stands in front of the barrier,
// right behind the last write: the earlier it is, the less it waits for.
//
//===----------------------------------------------------------------------===//

#include "tritium/Analysis/Hazards.h"
#include "tritium/Analysis/SharedLiveness.h"
#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Dialect/TileNVGPU/Transforms/Passes.h"

using namespace mlir;

namespace tritium::ttng {

#define GEN_PASS_DEF_PLACEFENCES
#include "tritium/Dialect/TileNVGPU/Transforms/Passes.h.inc"

namespace {
struct PlaceFencesPass : impl::PlaceFencesBase<PlaceFencesPass> {
  using PlaceFencesBase::PlaceFencesBase;

  void runOnOperation() override {
    if (!getAnalysis<ttg::LayoutsHold>())
      return signalPassFailure();
    for (auto func : getOperation().getOps<tt::FuncOp>()) {
      if (func.isExternal())
        continue;
      if (failed(ttg::checkPlaces(func)))
        return signalPassFailure();
      while (placeSome(func))
        ;
    }
  }

private:
  /// Whether fences were missing. One behind a write may be enough for several readers.
  bool placeSome(tt::FuncOp func) {
    llvm::SmallPtrSet<Operation *, 4> fenced;
    for (const ttg::Hazard &hazard : ttg::findHazards(func, mayAlias))
      if (hazard.kind == ttg::Hazard::NotFenced && fenced.insert(hazard.first).second) {
        OpBuilder b(&getContext());
        b.setInsertionPointAfter(hazard.first);
        b.create<FenceAsyncProxyOp>(hazard.first->getLoc());
      }
    return !fenced.empty();
  }
};
} // namespace

} // namespace tritium::ttng
