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

  // What mma.sync multiplies beside f16 and 8-bit integers.
  bool multipliesOtherFloats = true; ///< bf16, tf32, f64
  bool multipliesFloat8 = false;
  /// wgmma: four warps multiply tiles of shared memory.
  bool hasWarpGroupDots = false;
  // How much one instruction does.
  bool hasWholeSteps = true;        ///< 16 x 8 by 32 bytes along k; or half of k, or of the rows
  bool hasWholeDoubleSteps = false; ///< of f64, 16 x 8 by 8; or 8 x 8 by 4

  bool hasMatrixLoads = true;    ///< ldmatrix
  bool hasMatrixStores = false;  ///< stmatrix
  bool hasAsyncCopies = true;    ///< cp.async
  bool hasWarpReductions = true; ///< redux.sync, of integers
  bool hasL2Prefetch = true;     ///< of what later programs load
  bool castsPairs = true;        ///< f32 to two f16 or bf16 at once
  bool convertsFloat8 = false;   ///< two e4m3 or e5m2 from f32, and to f16, at once
  bool addsBFloat16 = false;     ///< red and atom of bf16
  bool hasTensorCopies = false;  ///< TMA, barriers in memory, clusters
};

/// The model of the newest architecture that is not above `capability`. `isSpecific`: what runs on
/// no other one counts, too (sm_90a).
const GPUModel &gpuModel(unsigned capability, bool isSpecific = false);

} // namespace tritium

#endif // TRITIUM_TARGET_GPU_GPUMODEL_H
