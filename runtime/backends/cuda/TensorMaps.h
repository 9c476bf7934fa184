//===- TensorMaps.h - tensor maps of launches on GPUs -----------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_BACKENDS_CUDA_TENSORMAPS_H
#define TRITIUM_RUNTIME_BACKENDS_CUDA_TENSORMAPS_H

#include "Device.h"

#include "llvm/ADT/ArrayRef.h"

namespace tritium::runtime::cuda {

/// A tensor map as the driver makes it and kernels take it.
struct alignas(kTensorMapAlignment) TensorMap {
  std::array<uint8_t, kTensorMapBytes> bytes;
};

/// The maps of a kernel's launches, the latest of each parameter.
class TensorMaps {
public:
  explicit TensorMaps(const KernelMetadata &metadata)
      : metadata(metadata), perParameter(metadata.tensorMaps.size()) {}

  /// Fills `maps`, one for each of the kernel's. False with `error` if there is none.
  bool get(const Device &device, llvm::ArrayRef<uint64_t> slots, const uint32_t grid[3],
           llvm::MutableArrayRef<TensorMap> maps, CompileError &error);

private:
  struct Known {
    TensorMapValues values;
    TensorMap map;
  };
  /// Buffers that a host uses in turn.
  struct Latest {
    std::array<Known, 8> known;
    size_t count = 0; ///< ever made
  };
  bool encode(const Device &device, const TensorMapParameter &parameter,
              const TensorMapValues &values, TensorMap &map, CompileError &error) const;

  const KernelMetadata &metadata;
  std::mutex mutex;
  std::vector<Latest> perParameter; ///< guarded by `mutex`
};

} // namespace tritium::runtime::cuda

#endif // TRITIUM_RUNTIME_BACKENDS_CUDA_TENSORMAPS_H
