//===- Memory.h - a GPU's memory, from the host -----------------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_CUDA_MEMORY_H
#define TRITIUM_RUNTIME_CUDA_MEMORY_H

#include "Device.h"

#include <optional>

namespace tritium::runtime::cuda {

/// Copies on the default stream, and waits. False if the driver refuses.
bool copyToHost(const Device &device, void *to, Address from, size_t bytes);
bool copyToDevice(const Device &device, Address to, const void *from, size_t bytes);
/// Waits for everything that is queued on the device. None: the wait was ended from outside.
std::optional<Result> synchronize(const Device &device);

} // namespace tritium::runtime::cuda

#endif // TRITIUM_RUNTIME_CUDA_MEMORY_H
