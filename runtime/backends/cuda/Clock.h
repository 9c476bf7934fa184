//===- Clock.h - times on a GPU ---------------------------------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_BACKENDS_CUDA_CLOCK_H
#define TRITIUM_RUNTIME_BACKENDS_CUDA_CLOCK_H

#include "Device.h"

namespace tritium::runtime::cuda {

/// Measures runs on the default stream of a GPU, each with its second-level cache cold.
class Clock final : public DeviceClock {
public:
  explicit Clock(const Device &device);
  ~Clock() override;
  Clock(const Clock &) = delete;
  Clock &operator=(const Clock &) = delete;

  void start() override;
  bool stop(double &seconds, const std::string &kernel, CompileError &error) override;

private:
  const Device &device;
  Event events[2] = {};
  Address cold = 0; ///< memory larger than the cache, if there is so much
};

} // namespace tritium::runtime::cuda

#endif // TRITIUM_RUNTIME_BACKENDS_CUDA_CLOCK_H
