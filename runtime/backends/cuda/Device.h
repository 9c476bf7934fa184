//===- Device.h - GPUs and their limits -------------------------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_BACKENDS_CUDA_DEVICE_H
#define TRITIUM_RUNTIME_BACKENDS_CUDA_DEVICE_H

#include "AssertRecord.h"
#include "Backend.h"
#include "DriverAPI.h"
#include "PartialSums.h"
#include "ProgramCounters.h"
#include "tritium/Kernel/CompileError.h"
#include "tritium/Kernel/CompiledKernel.h"

#include <array>
#include <atomic>
#include <mutex>

namespace tritium::runtime::cuda {

/// One GPU.
struct Device final : DeviceMemory {
  const DriverAPI *api;
  int ordinal;
  std::string name;
  Context context; ///< the primary one, which CUDA's runtime library uses, too
  int driverVersion;
  unsigned maxThreads, maxRegisters, maxSharedBytes; ///< of a CTA
  std::array<uint32_t, 3> maxGrid;
  unsigned multiprocessors, warpSize;
  ProgramCounters programCounters;
  PartialSums partialSums;

  void setCapability(unsigned capability) { machine = Target(kCUDA, capability); }
  /// An older driver takes only older PTX.
  void refine(CompileOptions &options) const override;
  std::string identity() const override;
  const char *errorKind() const override { return "CUDAError"; }
  /// Whether the host's `address` is in pinned memory.
  bool reaches(uint64_t address) const override;
  uint64_t allocate(llvm::ArrayRef<uint8_t> bytes, const std::string &what,
                    CompileError &error) override;
  void free(uint64_t address) override;
  bool copyToHost(void *to, uint64_t from, size_t bytes) const override;
  bool copyToDevice(uint64_t to, const void *from, size_t bytes) const override;
  bool finish(const std::string &kernel, CompileError &error) const override;
  std::unique_ptr<DeviceClock> clock() const override;

  /// The record and its address on the GPU. Null if there is no such memory.
  AssertRecord *assertRecord(Address &address);

  /// The kernels that were launched last, to name them when an error comes to light. They
  /// are names of kernels that live as long as the process.
  void noteLaunch(const char *kernel) {
    recent[next.fetch_add(1, std::memory_order_relaxed) % recent.size()].store(
        kernel, std::memory_order_relaxed);
  }
  /// "'softmax', 'add'", the newest first.
  std::string recentKernels() const;

private:
  std::array<std::atomic<const char *>, 4> recent = {};
  std::atomic<unsigned> next{0};
  std::mutex mutex;
  AssertRecord *record = nullptr;
  Address recordAddress = 0;
};

/// The number of GPUs; 0 where there is no driver.
int deviceCount();
/// A GPU by its number. Null with `error`, which names `kernel`, if that is not empty.
Device *device(int ordinal, const std::string &kernel, CompileError &error);
/// The number of the GPU whose context is current in this thread; 0 if none is.
int currentDevice();

/// Makes a device's context current while it lives.
class CurrentContext {
public:
  explicit CurrentContext(const Device &device) : api(*device.api) {
    api.cuCtxGetCurrent(&before);
    if (before != device.context) [[unlikely]]
      changed = api.cuCtxSetCurrent(device.context) == Success;
  }
  ~CurrentContext() {
    // A thread that had none keeps the new one, as with CUDA's runtime library.
    if (changed && before)
      api.cuCtxSetCurrent(before);
  }
  CurrentContext(const CurrentContext &) = delete;
  CurrentContext &operator=(const CurrentContext &) = delete;

private:
  const DriverAPI &api;
  Context before = nullptr;
  bool changed = false;
};

/// An error of the driver. `what`: what was being done, with the kernel's name in it.
CompileError driverError(const Device &device, Result result, const std::string &what);

} // namespace tritium::runtime::cuda

#endif // TRITIUM_RUNTIME_BACKENDS_CUDA_DEVICE_H
