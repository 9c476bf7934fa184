//===- GPUChoices.cpp - what was chosen for a GPU and can be left ---------===//

#include "GPUChoices.h"

#include "tritium/Dialect/Tile/Transforms/Passes.h"

#include "tritium/Analysis/SharedLiveness.h"
#include "tritium/Dialect/TileGPU/IR/TileGPU.h"
#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"
#include "tritium/Support/EmitRemark.h"

using namespace mlir;

namespace tritium {

bool choseToPersist(ModuleOp module, const GPUPipelineOptions &pipeline) {
  return !pipeline.alwaysPersistent && !pipeline.streamK &&
         llvm::any_of(module.getOps<tt::FuncOp>(),
                      [](tt::FuncOp function) { return function->hasAttr(ttg::kPersistent); });
}

void stopPersisting(ModuleOp module, GPUPipelineOptions &pipeline, const Twine &reason) {
  pipeline.persistent = false;
  remarkApplied((*module.getOps<tt::FuncOp>().begin()).getLoc(), "persistent",
                "a CTA runs one program, not one after the other: " + reason);
}

std::string whyNotShared(ModuleOp module) {
  for (auto function : module.getOps<tt::FuncOp>())
    if (auto reason = function->getAttrOfType<StringAttr>(tt::kStreamK))
      return reason.str();
  return "";
}

void stopSharing(ModuleOp module, GPUPipelineOptions &pipeline, const Twine &reason) {
  pipeline.streamK = false;
  tt::FuncOp function = *module.getOps<tt::FuncOp>().begin();
  remarkMissed(function.getLoc(), "stream-k",
               "stream_k changes nothing: of kernel '" + function.getName() + "', " + reason);
}

bool choseToSpecialize(ModuleOp module, const GPUPipelineOptions &pipeline) {
  return pipeline.specializeWarps != "always" &&
         module.walk([](ttg::WarpGroupsOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

bool keepsOperands(ModuleOp module) {
  auto result = module.walk([](ttng::WarpGroupDotOp dot) {
    auto loop = dot->getParentOfType<scf::ForOp>();
    bool isKept =
        tt::isTile(dot.getA().getType()) && loop && loop.isDefinedOutsideOfLoop(dot.getA());
    return isKept ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

bool storesOperands(ModuleOp module) {
  auto result = module.walk([](ttng::WarpGroupDotOp dot) {
    bool isStored = llvm::any_of(dot.getAsyncReads(), [](Value memory) {
      ttg::LocalAllocOp alloc = ttg::allocationOf(memory);
      return alloc && alloc.getInit();
    });
    return isStored ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

void stopKeepingOperands(ModuleOp module, GPUPipelineOptions &pipeline, const Twine &reason) {
  pipeline.keepOperands = false;
  remarkMissed((*module.getOps<tt::FuncOp>().begin()).getLoc(), "warp-group-dots",
               "what loops multiply in each iteration is read from shared memory: " + reason);
}

void stopSpecializing(ModuleOp module, GPUPipelineOptions &pipeline, const Twine &reason) {
  pipeline.specializeWarps = "never";
  remarkMissed((*module.getOps<tt::FuncOp>().begin()).getLoc(), "warp-specialization",
               "the warps that compute start the loop's copies themselves: " + reason);
}

} // namespace tritium
