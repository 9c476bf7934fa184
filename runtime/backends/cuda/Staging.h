//===- Staging.h - host arrays for one launch on a GPU ----------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_BACKENDS_CUDA_STAGING_H
#define TRITIUM_RUNTIME_BACKENDS_CUDA_STAGING_H

#include "Device.h"

#include <vector>

namespace tritium::runtime::cuda {

/// Copies of host memory on a GPU, for the time of one launch. Arrays that overlap share
/// their copy, and an address keeps its alignment (up to 256 bytes). Only for checking
/// kernels on host data: every launch copies everything there and back.
class Staging {
public:
  explicit Staging(Device &device) : device(device) {}
  ~Staging();
  Staging(const Staging &) = delete;
  Staging &operator=(const Staging &) = delete;

  /// Memory that an argument reaches: [begin, end).
  void add(uint64_t begin, uint64_t end, bool isWritten);
  /// Allocates and copies in. `kernel` is for errors.
  bool copyIn(const std::string &kernel, CompileError &error);
  /// The GPU's address for the host's `address`, which was added.
  uint64_t translate(uint64_t address) const;
  /// Waits for the launch and copies back what may be written.
  bool copyOut(const std::string &kernel, CompileError &error);
  /// Copies nothing back, as the launch goes on and nobody waits for it.
  void abandon();

private:
  struct Range {
    uint64_t begin, end;
    bool isWritten;
    Address allocation = 0, copy = 0;
  };
  Device &device;
  std::vector<Range> ranges;
};

} // namespace tritium::runtime::cuda

#endif // TRITIUM_RUNTIME_BACKENDS_CUDA_STAGING_H
