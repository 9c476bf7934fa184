//===- OverlapLaunches.cpp - ttg-overlap-launches -------------------------===//
//
// Behind a kernel the GPU waits until all that it has written can be read, and only then begins to
// start the CTAs of the next one, of which none has anything to do for a microsecond. A kernel
//
//   %begin = arith.muli ..
//   ttng.mbarrier_init ..
//   tt.grid_dependency wait
//   tt.load ..
//
// that waits by itself before it touches memory can be started as soon as the last CTAs of the one
// in front of it have ended.
//
// It does not let the launch behind it begin earlier than that (`launch_dependents`, which an
// author who says nothing else of the launch may have written): CTAs that wait take room from other
// streams for as long as a kernel runs, and a kernel that waits for one of another stream might
// keep that one out so.
//
//===----------------------------------------------------------------------===//

#include "tritium/Analysis/FirstAccess.h"
#include "tritium/Dialect/TileGPU/IR/TileGPU.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"

using namespace mlir;

namespace tritium::ttg {

#define GEN_PASS_DEF_OVERLAPLAUNCHES
#include "tritium/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {
struct OverlapLaunchesPass : impl::OverlapLaunchesBase<OverlapLaunchesPass> {
  using OverlapLaunchesBase::OverlapLaunchesBase;
  void runOnOperation() override {
    getOperation()->walk([](tt::GridDependencyOp op) { op.erase(); });
    if (apart)
      return;
    for (auto func : getOperation().getOps<tt::FuncOp>())
      if (func.isKernel() && !func.isExternal())
        OpBuilder(firstAccess(func))
            .create<tt::GridDependencyOp>(func.getLoc(), tt::GridDependency::WAIT);
  }
};
} // namespace

} // namespace tritium::ttg
