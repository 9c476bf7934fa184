//===- GPUModel.h - what an architecture of GPUs has ------------*- C++ -*-===//
//
// Facts from the vendor's documentation, in one place. Where GPUs of an architecture differ, those
// of the largest: what depends on them is a matter of speed only.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_TARGET_GPU_GPUMODEL_H
#define TRITIUM_TARGET_GPU_GPUMODEL_H

#include <cstdint>

namespace tritium {

struct GPUModel {
  unsigned capability; ///< 80 for compute capability 8.0

  unsigned multiprocessors;
  // Of a multiprocessor:
  unsigned registers = 65536; ///< of 32 bits
  unsigned warps = 64;
  // Of a program:
  int64_t sharedBytes; ///< of shared memory, at most

  bool hasMatrixLoads = true;   ///< ldmatrix
  bool hasMatrixStores = false; ///< stmatrix
  bool hasAsyncCopies = true;   ///< cp.async
  bool hasL2Prefetch = true;    ///< of what later programs load
};

/// The model of the newest architecture that is not above `capability`.
const GPUModel &gpuModel(unsigned capability);

} // namespace tritium

#endif // TRITIUM_TARGET_GPU_GPUMODEL_H
