//===- ConstantContent.cpp - what a constant table holds ------------------===//

#include "ConstantContent.h"
#include "ForkGate.h"

#include "cuda/Memory.h"

#include <algorithm>

using namespace tritium;
using namespace tritium::runtime;

ConstantContent::~ConstantContent() {
  for (auto [ordinal, address] : copies) {
    CompileError error;
    cuda::Device *device = cuda::device(ordinal, "", error);
    if (!device)
      continue;
    cuda::CurrentContext current(*device);
    // Waits for what runs on the device.
    device->api->cuMemFree(address);
  }
}

bool ConstantContent::addressOn(int ordinal, const std::string &kernel, uint64_t &address,
                                CompileError &error) {
  ForkSafeLock lock(mutex);
  if (auto found = copies.find(ordinal); found != copies.end()) {
    address = found->second;
    return true;
  }
  cuda::Device *device = cuda::device(ordinal, kernel, error);
  if (!device)
    return false;
  cuda::CurrentContext current(*device);
  cuda::Address copy = 0;
  cuda::Result result = device->api->cuMemAlloc(&copy, std::max<size_t>(bytes.size(), 1));
  if (result == cuda::Success && !cuda::copyToDevice(*device, copy, bytes.data(), bytes.size())) {
    device->api->cuMemFree(copy);
    result = 1;
  }
  if (result != cuda::Success) {
    error =
        cuda::driverError(*device, result,
                          "kernel '" + kernel + "': a constant table of " +
                              std::to_string(bytes.size()) + " bytes cannot be copied to the GPU");
    return false;
  }
  address = copies[ordinal] = copy;
  return true;
}
