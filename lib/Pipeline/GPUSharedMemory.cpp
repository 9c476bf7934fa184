//===- GPUSharedMemory.cpp - a kernel that fits shared memory -------------===//

#include "GPUSharedMemory.h"

#include "GPUChoices.h"
#include "Session.h"

#include "tritium/Analysis/SharedLiveness.h"
#include "tritium/Dialect/TileGPU/IR/TileGPU.h"
#include "tritium/Target/GPU/GPUModel.h"
#include "tritium/Target/GPU/Strategy.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace tritium {

void restore(ModuleOp module, ModuleOp input) {
  OwningOpRef<ModuleOp> again = input.clone();
  module->setAttrs((*again)->getAttrDictionary());
  module.getBodyRegion().takeBody(again->getBodyRegion());
}

namespace {
class Lowering {
public:
  Lowering(Session &session, ModuleOp module, ModuleOp input, GPUPipelineOptions &pipeline)
      : session(session), module(module), input(input), pipeline(pipeline),
        remarks(session.countRemarks()) {
    bool hasLoops = false;
    int most = pipeline.numStages;
    module.walk([&](scf::ForOp loop) {
      hasLoops = true;
      if (auto asked = loop->getAttrOfType<IntegerAttr>("tt.num_stages"))
        most = std::max(most, static_cast<int>(std::min<int64_t>(asked.getInt(), INT_MAX)));
    });
    stages = hasLoops ? most : 1;
  }

  bool run() {
    if (!lower())
      return false;
    if (std::string reason = whyNotShared(module); !reason.empty()) {
      session.dropRemarks(remarks);
      restore(module, input);
      stopSharing(module, pipeline, reason);
      remarks = session.countRemarks();
      if (!lower())
        return false;
    }
    // Operands that lie there as soon as they can lie there for longer.
    if (!fits() && storesOperands(module)) {
      pipeline.storeEarly = false;
      if (!again())
        return false;
    }
    // A warp of its own that copies for the next program gains more than a stage of its loop.
    if (!fits() && choseToPersist(module, pipeline) && choseToSpecialize(module, pipeline) &&
        (!tryFewerStages(/*least=*/2) || !againUnlessFits()))
      return false;
    // Operands in front of loops share no memory with what is stored in the end.
    if (!fits() && choseToSpecialize(module, pipeline)) {
      pipeline.operandsInFront = false;
      if (!again())
        return false;
    }
    return (fits() || !choseToPersist(module, pipeline) || leaveLoop()) &&
           tryFewerStages(/*least=*/1);
  }

private:
  bool lower() {
    return session.runPasses(module, "TileGPUPipeline", [&](OpPassManager &passes) {
      buildTileGPUPipeline(passes, pipeline);
    });
  }

  bool again() {
    session.dropRemarks(remarks);
    restore(module, input);
    return lower();
  }

  bool fits() {
    auto most = static_cast<uint64_t>(gpuModel(pipeline.capability).sharedBytes);
    return llvm::all_of(module.getOps<tt::FuncOp>(), [&](tt::FuncOp function) {
      return ttg::sharedBytesOfCTA(function) <= most;
    });
  }

  bool tryFewerStages(int least) {
    for (int tried = std::min(stages - 1, strategy::kMostTriedStages); tried >= least && !fits();
         --tried) {
      pipeline.mostStages = tried;
      if (!again())
        return false;
    }
    return true;
  }

  /// With all stages, if fewer were not enough.
  bool againUnlessFits() {
    if (fits())
      return true;
    pipeline.mostStages = 0;
    return again();
  }

  /// Buffers that are in use from one program to the next share no memory with what a store needs.
  bool leaveLoop() {
    bool isPacked = llvm::any_of(module.getOps<tt::FuncOp>(), [](tt::FuncOp function) {
      return function->hasAttr(ttg::kProgramsPerCTA);
    });
    session.dropRemarks(remarks);
    restore(module, input);
    stopPersisting(module, pipeline,
                   isPacked ? "what several of them need does not fit shared memory together"
                            : "buffers of the next one's copies and what this one's stores need do "
                              "not fit shared memory together");
    remarks = session.countRemarks();
    return lower();
  }

  Session &session;
  ModuleOp module, input;
  GPUPipelineOptions &pipeline;
  size_t remarks; ///< that there were before
  int stages;     ///< at most
};
} // namespace

bool lowerToTileGPU(Session &session, ModuleOp module, ModuleOp input,
                    GPUPipelineOptions &pipeline) {
  return Lowering(session, module, input, pipeline).run();
}

} // namespace tritium
