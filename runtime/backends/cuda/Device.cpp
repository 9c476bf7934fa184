//===- Device.cpp - GPUs and their limits ---------------------------------===//

#include "Device.h"
#include "Signature.h"

#include <algorithm>
#include <memory>
#include <vector>

using namespace tritium;
using namespace tritium::runtime;
using namespace tritium::runtime::cuda;

int cuda::deviceCount() {
  std::string reason;
  const DriverAPI *api = driver(reason);
  int count = 0;
  return api && api->cuDeviceGetCount(&count) == Success ? count : 0;
}

int cuda::currentDevice() {
  std::string reason;
  const DriverAPI *api = driver(reason);
  Context current = nullptr;
  DeviceHandle handle = 0;
  if (!api || api->cuCtxGetCurrent(&current) != Success || !current ||
      api->cuCtxGetDevice(&handle) != Success)
    return 0;
  return handle;
}

static std::unique_ptr<Device> open(const DriverAPI &api, int ordinal, std::string &reason) {
  int count = 0;
  Result result = api.cuDeviceGetCount(&count);
  if (result == Success && ordinal >= count) {
    reason = "there is no CUDA device " + std::to_string(ordinal) + "; there are " +
             std::to_string(count);
    return nullptr;
  }
  auto found = std::make_unique<Device>();
  found->api = &api;
  found->ordinal = ordinal;
  DeviceHandle handle = 0;
  char name[128] = "";
  if (result == Success)
    result = api.cuDeviceGet(&handle, ordinal);
  if (result == Success)
    result = api.cuDeviceGetName(name, sizeof name, handle);
  if (result == Success)
    result = api.cuDriverGetVersion(&found->driverVersion);
  if (result == Success)
    result = api.cuDevicePrimaryCtxRetain(&found->context, handle);
  found->name = name;
  auto attribute = [&](DeviceAttribute which) {
    int value = 0;
    if (result == Success)
      result = api.cuDeviceGetAttribute(&value, which, handle);
    return static_cast<unsigned>(value);
  };
  found->setCapability(10 * attribute(DeviceAttribute::CapabilityMajor) +
                       attribute(DeviceAttribute::CapabilityMinor));
  found->maxThreads = attribute(DeviceAttribute::MaxThreadsPerBlock);
  found->maxRegisters = attribute(DeviceAttribute::MaxRegistersPerBlock);
  found->maxSharedBytes = attribute(DeviceAttribute::MaxSharedPerBlockOptin);
  found->maxGrid = {attribute(DeviceAttribute::MaxGridX), attribute(DeviceAttribute::MaxGridY),
                    attribute(DeviceAttribute::MaxGridZ)};
  found->multiprocessors = attribute(DeviceAttribute::MultiprocessorCount);
  found->warpSize = attribute(DeviceAttribute::WarpSize);
  if (result == Success)
    return found;
  reason =
      "the CUDA device " + std::to_string(ordinal) + " cannot be used: " + describe(api, result);
  return nullptr;
}

Device *cuda::device(int ordinal, const std::string &kernel, CompileError &error) {
  // A launch asks each time: the common case takes no lock.
  static std::array<std::atomic<Device *>, 64> opened = {};
  static std::mutex mutex;
  bool isKnown = ordinal >= 0 && static_cast<size_t>(ordinal) < opened.size();
  if (isKnown)
    if (Device *found = opened[static_cast<size_t>(ordinal)].load(std::memory_order_acquire))
      return found;
  std::string reason = "there is no CUDA device " + std::to_string(ordinal);
  if (isKnown) {
    std::lock_guard lock(mutex);
    auto &slot = opened[static_cast<size_t>(ordinal)];
    if (Device *found = slot.load(std::memory_order_acquire))
      return found;
    if (const DriverAPI *api = driver(reason))
      if (auto made = open(*api, ordinal, reason)) {
        slot.store(made.get(), std::memory_order_release);
        return made.release();
      }
  }
  if (!kernel.empty())
    reason = "kernel '" + kernel + "' is to run on a GPU, but " + reason;
  error = launchError("CUDAError", reason);
  return nullptr;
}

void Device::refine(CompileOptions &options) const {
  unsigned newest = newestPTX(driverVersion);
  if (newest < kUsualPTXVersion)
    options.extra.try_emplace("ptx_version", Constant{static_cast<Constant::Int>(newest)});
}

std::string Device::identity() const { return name + '\0' + std::to_string(driverVersion); }

AssertRecord *Device::assertRecord(Address &address) {
  std::lock_guard lock(mutex);
  constexpr unsigned portableAndMapped = 3;
  if (!record) {
    void *memory = nullptr;
    if (api->cuMemHostAlloc(&memory, sizeof(AssertRecord), portableAndMapped) != Success ||
        api->cuMemHostGetDevicePointer(&recordAddress, memory, 0) != Success)
      return nullptr;
    record = new (memory) AssertRecord();
  }
  address = recordAddress;
  return record;
}

std::string Device::recentKernels() const {
  std::vector<std::string> names;
  unsigned end = next.load(std::memory_order_relaxed);
  for (unsigned back = 1; back <= recent.size() && back <= end; ++back)
    if (const char *name = recent[(end - back) % recent.size()].load(std::memory_order_relaxed))
      if (std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "'" : ", '") + name + "'";
  return text;
}

/// Whether an error comes from a kernel that ran before and leaves the context unusable.
static bool isAsynchronous(Result result) {
  switch (result) {
  case 214: // ECC
  case 220: // NVLink
  case 700: // illegal address
  case 702: // timeout
  case 710: // assert
  case 714: // hardware stack
  case 715: // illegal instruction
  case 716: // misaligned address
  case 717: // invalid address space
  case 718: // invalid program counter
  case 719: // launch failed
    return true;
  default:
    return false;
  }
}

CompileError cuda::driverError(const Device &device, Result result, const std::string &what) {
  std::string message = what + ": " + describe(*device.api, result);
  if (isAsynchronous(result))
    if (std::string kernels = device.recentKernels(); !kernels.empty())
      message += "; an earlier launch on device " + std::to_string(device.ordinal) +
                 " failed: the latest kernels are " + kernels +
                 "; TRITON_DEBUG=1 waits for each kernel and names the one that fails";
  return launchError(result == OutOfMemory ? "OutOfMemory" : "CUDAError", message);
}
