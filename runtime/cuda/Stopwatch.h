//===- Stopwatch.h - times on a GPU -----------------------------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_CUDA_STOPWATCH_H
#define TRITIUM_RUNTIME_CUDA_STOPWATCH_H

#include "Device.h"

namespace tritium::runtime::cuda {

/// Measures runs on the default stream of a GPU, each with its second-level cache cold.
class Stopwatch {
public:
  explicit Stopwatch(const Device &device);
  ~Stopwatch();
  Stopwatch(const Stopwatch &) = delete;
  Stopwatch &operator=(const Stopwatch &) = delete;

  void start();
  /// Waits for what was queued since start(). Seconds, or a failure in `error`.
  bool stop(double &seconds, const std::string &kernel, CompileError &error);

private:
  const Device &device;
  Event events[2] = {};
  Address cold = 0; ///< memory larger than the cache, if there is so much
};

} // namespace tritium::runtime::cuda

#endif // TRITIUM_RUNTIME_CUDA_STOPWATCH_H
