//===- ProgramCounters.h - which counter a launch may use -------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_BACKENDS_CUDA_PROGRAMCOUNTERS_H
#define TRITIUM_RUNTIME_BACKENDS_CUDA_PROGRAMCOUNTERS_H

#include "DriverAPI.h"

#include <mutex>
#include <unordered_map>

namespace tritium::runtime::cuda {

/// Numbers of the counters that kernels take programs from (LaunchABI.h), of one GPU: one for each
/// stream, since launches on a stream come one after the other.
class ProgramCounters {
public:
  /// Of a launch on `stream`, or kNoProgramCounter: where the launch is captured into a graph, of
  /// which several instances may run at once, and beyond as many streams as there are counters.
  /// Called with the GPU's context being current.
  uint32_t of(const DriverAPI &api, Stream stream);

private:
  std::mutex mutex;
  /// By the stream's number, which no other stream of the process gets later. Guarded by `mutex`.
  std::unordered_map<unsigned long long, uint32_t> counters;
};

} // namespace tritium::runtime::cuda

#endif // TRITIUM_RUNTIME_BACKENDS_CUDA_PROGRAMCOUNTERS_H
