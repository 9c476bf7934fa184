//===- TileGPUPipeline.cpp - the passes from ttir to ttgir ----------------===//

#include "tritium/Dialect/Tile/Transforms/Passes.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"
#include "tritium/Dialect/TileNVGPU/Transforms/Passes.h"
#include "tritium/Pipeline/Passes.h"
#include "tritium/Target/GPU/GPUModel.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tritium {

/// How many programs a CTA has, or CTAs a program, and so for how many warps layouts are.
static void shareCTAs(OpPassManager &pm, const GPUPipelineOptions &options) {
  if (options.packPrograms && (options.persistent || options.alwaysPersistent))
    pm.addPass(ttg::createPackPrograms());
  if (!gpuModel(options.capability, options.isSpecific).hasTensorCopies)
    return;
  ttg::SpreadProgramsOptions spread;
  spread.warps = options.numWarps;
  spread.ctas = options.numCTAs;
  spread.persistent = options.alwaysPersistent;
  spread.mayAlias = options.mayAlias;
  pm.addPass(ttg::createSpreadPrograms(spread));
}

/// Before anything is decided for the loop as it was, or for the grid.
static void splitPrograms(OpPassManager &pm, const GPUPipelineOptions &options) {
  // Shares are those of CTAs that loop over programs.
  if (options.streamK && (options.persistent || options.alwaysPersistent)) {
    pm.addPass(tt::createStreamK());
  } else if (options.splitK > 1) {
    tt::SplitKOptions split;
    split.parts = options.splitK;
    split.warps = options.numWarps;
    pm.addPass(tt::createSplitK(split));
  } else {
    return;
  }
  pm.addPass(tt::createCanonicalize());
  pm.addPass(createCSEPass());
}

/// All that is decided before tiles have layouts.
static void addPassesOnTiles(OpPassManager &pm, const GPUPipelineOptions &options) {
  splitPrograms(pm, options);
  // Where dots go on by themselves, a branch between them costs nothing.
  if (gpuModel(options.capability, options.isSpecific).hasWarpGroupDots)
    pm.addPass(tt::createJoinLoops());
  pm.addPass(tt::createUnrollLoops());
  // Masks that are decided in some of the iterations are none.
  pm.addPass(tt::createFoldRanges());
  // Before reductions are taken apart, and before there are versions.
  pm.addPass(tt::createRoughExponentials());
  pm.addPass(tt::createLoadRunsOnce());
  // Before anything is computed twice.
  if (options.fpFusion)
    pm.addPass(tt::createFuseMultiplyAdds());
  // Before there are layouts, while an offset is still one tile.
  if (options.launchConditions)
    pm.addPass(ttg::createLaunchConditions());
  pm.addPass(tt::createNarrowOffsets());
  shareCTAs(pm, options);
  ttg::VersionTailsOptions version;
  version.warps = options.numWarps;
  pm.addPass(ttg::createVersionTails(version));
}

void buildTileGPUPipeline(OpPassManager &pm, const GPUPipelineOptions &options) {
  addPassesOnTiles(pm, options);
  ttg::ConvertTileToTileGPUOptions convert;
  convert.warps = options.numWarps;
  convert.capability = options.capability;
  convert.isSpecific = options.isSpecific;
  pm.addPass(ttg::createConvertTileToTileGPU(convert));
  pm.addPass(ttg::createCoalesce());
  pm.addPass(ttg::createAccelerateMatmul());
  // After all passes that choose layouts.
  pm.addPass(ttg::createRemoveLayoutConversions());
  pm.addPass(tt::createCanonicalize());
  pm.addPass(createCSEPass());
  pm.addPass(createLoopInvariantCodeMotionPass());
  ttg::OptimizeThreadLocalityOptions locality;
  locality.fpFusion = options.fpFusion;
  pm.addPass(ttg::createOptimizeThreadLocality(locality));
  pm.addPass(ttg::createHoistDots());
  // What a loop loads is in place, and addresses that do not change are out of it.
  ttg::ScheduleLoopsOptions schedule;
  schedule.stages = options.numStages;
  schedule.mostStages = options.mostStages;
  schedule.mayAlias = options.mayAlias;
  pm.addPass(ttg::createScheduleLoops(schedule));
  if (options.tensorCopies) {
    ttng::LoadBoxesOptions boxes;
    boxes.mayAlias = options.mayAlias;
    boxes.specialize = options.specializeWarps;
    boxes.inFront = options.operandsInFront;
    pm.addPass(ttng::createLoadBoxes(boxes));
  }
  // Before the kernel loops over programs itself.
  pm.addPass(ttg::createOrderPrograms());
  // What is copied by TMA is known, and its buffers can belong to the loop over programs.
  if (options.persistent || options.alwaysPersistent) {
    ttg::PersistProgramsOptions persist;
    persist.always = options.alwaysPersistent;
    persist.specialize = options.specializeWarps;
    persist.takePrograms = options.takePrograms;
    pm.addPass(ttg::createPersistPrograms(persist));
  }
  ttg::SpecializeWarpsOptions specialize;
  specialize.mode = options.specializeWarps;
  pm.addPass(ttg::createSpecializeWarps(specialize));
  pm.addPass(ttg::createExpandPipeline());
  pm.addPass(ttg::createOptimizeDotOperands());
  pm.addPass(ttg::createRotateDots());
  ttng::WarpGroupDotsOptions dots;
  dots.keepOperands = options.keepOperands;
  dots.storeEarly = options.storeEarly;
  pm.addPass(ttng::createWarpGroupDots(dots));
  pm.addPass(ttng::createTurnAhead());
  pm.addPass(ttg::createPrefetch());
  // Conversions that the pipeline has not taken.
  pm.addPass(ttg::createReduceDataDuplication());
  // Layouts are those of the end now, and a maximum that the kernel takes beside its place is one.
  pm.addPass(ttg::createFindPlaces());
  pm.addPass(tt::createCanonicalize());
  pm.addPass(createCSEPass());
  pm.addPass(ttg::createReorderInstructions());
  pm.addPass(ttg::createBeginLoads());
  buildTileGPUThreadsPipeline(pm, options);
}

void buildTileGPUThreadsPipeline(OpPassManager &pm, const GPUPipelineOptions &options) {
  // Counts the tiles that a kernel computes with, not what its warps hand to each other.
  pm.addPass(ttg::createChooseOccupancy());
  pm.addPass(ttg::createPlanExchanges());
  // All memory that a program uses is known.
  if (options.tensorCopies && !options.mayAlias)
    pm.addPass(ttng::createStoreBoxes());
  // Nothing behind this asks how a loop over programs counts.
  pm.addPass(ttg::createTakePrograms());
  pm.addPass(ttg::createPrefetchNextPrograms());
  pm.addPass(ttg::createAllocateSharedMemory());
  ttng::PlaceFencesOptions fences;
  fences.mayAlias = options.mayAlias;
  pm.addPass(ttng::createPlaceFences(fences));
  // Nothing that accesses memory moves behind this.
  ttg::PlaceBarriersOptions barriers;
  barriers.mayAlias = options.mayAlias;
  pm.addPass(ttg::createPlaceBarriers(barriers));
  pm.addPass(ttg::createOverlapDots());
  pm.addPass(ttg::createSkipOnes());
  // What it groups is one operation from here on, which no pass needs to look into.
  pm.addPass(ttg::createSkipMaskedRegisters());
  if (options.overlapLaunches != "as-written") {
    ttg::OverlapLaunchesOptions overlap;
    overlap.apart = options.overlapLaunches == "never";
    pm.addPass(ttg::createOverlapLaunches(overlap));
  }
}

} // namespace tritium
