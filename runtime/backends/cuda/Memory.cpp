//===- Memory.cpp - a GPU's memory, from the host -------------------------===//

#include "Clock.h"
#include "Interrupt.h"
#include "Wait.h"

#include <algorithm>

using namespace tritium;
using namespace tritium::runtime;
using namespace tritium::runtime::cuda;

bool Device::reaches(uint64_t address) const {
  CurrentContext current(*this);
  Address mapped = 0;
  return api->cuPointerGetAttribute(&mapped, PointerAttribute::DevicePointer, address) == Success &&
         mapped == address;
}

uint64_t Device::allocate(llvm::ArrayRef<uint8_t> bytes, const std::string &what,
                          CompileError &error) {
  CurrentContext current(*this);
  Address copy = 0;
  Result result = api->cuMemAlloc(&copy, std::max<size_t>(bytes.size(), 1));
  if (result == Success && copyToDevice(copy, bytes.data(), bytes.size()))
    return copy;
  if (result == Success) {
    api->cuMemFree(copy);
    result = 1;
  }
  error = driverError(*this, result, what);
  return 0;
}

void Device::free(uint64_t address) {
  CurrentContext current(*this);
  api->cuMemFree(address);
}

bool Device::copyToHost(void *to, uint64_t from, size_t bytes) const {
  CurrentContext current(*this);
  return api->cuMemcpyDtoHAsync(to, from, bytes, nullptr) == Success &&
         api->cuStreamSynchronize(nullptr) == Success;
}

bool Device::copyToDevice(uint64_t to, const void *from, size_t bytes) const {
  CurrentContext current(*this);
  return api->cuMemcpyHtoDAsync(to, from, bytes, nullptr) == Success &&
         api->cuStreamSynchronize(nullptr) == Success;
}

bool Device::finish(const std::string &kernel, CompileError &error) const {
  std::optional<Result> result = waitFor(*this, [api = api] { return api->cuCtxSynchronize(); });
  if (!result)
    error = interruptedError(kernel);
  else if (*result != Success)
    error = driverError(*this, *result,
                        kernel.empty() ? "waiting for the GPU failed"
                                       : "kernel '" + kernel + "' failed");
  return result == Success;
}

std::unique_ptr<DeviceClock> Device::clock() const { return std::make_unique<Clock>(*this); }
