//===- SpecializationChoice.cpp - where a warp for copies pays ------------===//

#include "tritium/Dialect/TileGPU/Transforms/SpecializationChoice.h"

#include "DotRotation.h"
#include "WarpSpecializer.h"

#include "tritium/Analysis/LaunchSteps.h"
#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"
#include "tritium/Target/GPU/Strategy.h"

using namespace mlir;

namespace tritium::ttg {

bool areAllBoxes(scf::ForOp loop) {
  return llvm::all_of(*loop.getBody(), [](Operation &op) {
    return !op.hasAttr(kAsyncCopy) || isa<ttng::LoadBoxOp>(op);
  });
}

bool isEven(scf::ForOp loop) {
  return llvm::all_of(ValueRange{loop.getLowerBound(), loop.getUpperBound(), loop.getStep()},
                      [](Value number) {
                        LaunchSteps steps;
                        return steps.add(number) && steps.isUniform();
                      });
}

SmallVector<scf::ForOp> loopsOfBoxes(tt::FuncOp kernel) {
  SmallVector<scf::ForOp> loops;
  kernel.walk([&](scf::ForOp loop) {
    if (loop->hasAttr(kStages) && areAllBoxes(loop))
      loops.push_back(loop);
  });
  return loops;
}

scf::ForOp loopToSpecialize(tt::FuncOp kernel, StringRef mode) {
  scf::ForOp asked, withDots;
  kernel.walk([&](scf::ForOp loop) {
    if (loop->hasAttr(kWarpSpecialize) && !asked)
      asked = loop;
    if (!loop.getOps<tt::DotOp>().empty() && !withDots)
      withDots = loop;
  });
  return !asked && mode == "always" ? withDots : asked;
}

/// By the registers of a thread and by shared memory. Warps are spread over the four parts of a
/// multiprocessor.
static int64_t programsAtOnce(const GPUModel &gpu, int64_t warps, int64_t words, int64_t bytes) {
  constexpr int64_t parts = 4;
  int64_t warpsOfPart = gpu.registers / parts / kLanesPerWarp / llvm::alignTo(words, 8);
  return std::min<int64_t>(warpsOfPart * parts / warps, gpu.sharedBytes / bytes);
}

bool paysToSpecialize(scf::ForOp loop) {
  auto rotation = DotRotation::find(loop);
  int64_t words = rotation ? rotation->words() : 0;
  if (!rotation && loop->getParentOfType<scf::ForOp>())
    for (auto dot : loop.getOps<tt::DotOp>())
      words += layoutOf(dot.getType()).registers();
  if (words == 0)
    return false;
  words += strategy::kWordsBesideDots;
  int64_t bytes = 0;
  for (Operation &op : *loop.getBody())
    if (auto layout = dyn_cast_or_null<MemoryLayout>(op.getAttr(kAsyncCopy)))
      bytes += cast<RankedTensorType>(op.getResult(0).getType()).getNumElements() *
               tt::scalarBytes(tt::elementType(op.getResult(0).getType()));
  auto buffers = loop->getAttrOfType<IntegerAttr>(loop->hasAttr(kBuffers) ? kBuffers : kStages);
  bytes *= buffers.getInt();
  const GPUModel &gpu = gpuModel(loop);
  int64_t before = programsAtOnce(gpu, numWarps(loop), words, bytes);
  if (int64_t most = WarpSpecializer::registers(loop)[0])
    return before == 1 && words <= most;
  return rotation && before && before == programsAtOnce(gpu, numWarps(loop) + 1, words, bytes);
}

bool willSpecialize(tt::FuncOp kernel, StringRef mode) {
  SmallVector<scf::ForOp> loops = loopsOfBoxes(kernel);
  if (mode == "never" || loops.empty() ||
      (!loopToSpecialize(kernel, mode) && !llvm::any_of(loops, paysToSpecialize)))
    return false;
  WarpSpecializer specializer(kernel, loops);
  return succeeded(specializer.read()) && specializer.reasonAgainst().empty();
}

} // namespace tritium::ttg
