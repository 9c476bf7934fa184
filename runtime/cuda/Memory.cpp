//===- Memory.cpp - a GPU's memory, from the host -------------------------===//

#include "Memory.h"
#include "Wait.h"

using namespace tritium::runtime;
using namespace tritium::runtime::cuda;

bool cuda::copyToHost(const Device &device, void *to, Address from, size_t bytes) {
  CurrentContext current(device);
  return device.api->cuMemcpyDtoHAsync(to, from, bytes, nullptr) == Success &&
         device.api->cuStreamSynchronize(nullptr) == Success;
}

bool cuda::copyToDevice(const Device &device, Address to, const void *from, size_t bytes) {
  CurrentContext current(device);
  return device.api->cuMemcpyHtoDAsync(to, from, bytes, nullptr) == Success &&
         device.api->cuStreamSynchronize(nullptr) == Success;
}

std::optional<Result> cuda::synchronize(const Device &device) {
  return waitFor(device, [api = device.api] { return api->cuCtxSynchronize(); });
}
