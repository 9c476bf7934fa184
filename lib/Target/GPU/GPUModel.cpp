//===- GPUModel.cpp - what an architecture of GPUs has --------------------===//

#include "tritium/Target/GPU/GPUModel.h"

#include <iterator>

namespace tritium {

const GPUModel &gpuModel(unsigned capability, bool isSpecific) {
  static constexpr GPUModel models[] = {
      {.capability = 90,
       .multiprocessors = 132,
       .sharedBytes = 232448,
       .multipliesFloat8 = true,
       .hasWholeDoubleSteps = true,
       .hasMatrixStores = true,
       .convertsFloat8 = true,
       .addsBFloat16 = true,
       .hasTensorCopies = true},
      {.capability = 89,
       .multiprocessors = 128,
       .warps = 48,
       .sharedBytes = 101376,
       .multipliesFloat8 = true,
       .convertsFloat8 = true},
      {.capability = 86, .multiprocessors = 84, .warps = 48, .sharedBytes = 101376},
      {.capability = 80, .multiprocessors = 108, .sharedBytes = 166912},
      {.capability = 75,
       .multiprocessors = 72,
       .warps = 32,
       .sharedBytes = 65536,
       .multipliesOtherFloats = false,
       .hasWholeSteps = false,
       .hasAsyncCopies = false,
       .hasWarpReductions = false,
       .hasL2Prefetch = false,
       .castsPairs = false}};
  static constexpr GPUModel specific90 = [] {
    GPUModel model = models[0];
    model.hasWarpGroupDots = true;
    return model;
  }();
  if (isSpecific && capability == specific90.capability)
    return specific90;
  for (const GPUModel &model : models)
    if (capability >= model.capability)
      return model;
  return *std::prev(std::end(models));
}

} // namespace tritium
