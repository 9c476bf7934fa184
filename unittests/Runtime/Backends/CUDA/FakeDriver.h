//===- FakeDriver.h - a CUDA driver for tests -------------------*- C++ -*-===//
//
// A library with the driver's functions and two GPUs of no silicon: memory is the host's,
// modules are the bytes that were loaded, and a launch is written down, or done by a
// function that the test gives.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_UNITTESTS_RUNTIME_BACKENDS_CUDA_FAKEDRIVER_H
#define TRITIUM_UNITTESTS_RUNTIME_BACKENDS_CUDA_FAKEDRIVER_H

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace fake {

struct Launch {
  uint32_t grid[3], block[3], sharedBytes;
  void *stream, *context;
  std::string function;
  std::map<int, uint32_t> attributes; ///< id -> first word of the value
  void **parameters;
};

struct State {
  int driverVersion = 13000;
  int deviceCount = 2;
  /// Results that the next call of a function gives, by the function's name.
  std::map<std::string, int> failures;
  std::map<std::string, int> calls;
  int registers = 40, localBytes = 0, staticShared = 0, blocksAtOnce = 1;
  std::function<void(const Launch &)> run;
  std::function<void()> wait; ///< what waits for a stream or a device does
  std::vector<Launch> launches;
  std::string image;          ///< of the module loaded last
  uint64_t recordAddress = 0; ///< what was written to the module's global variable
  int kept = 0;               ///< parameters that each launch leaves in `parameters`
  std::vector<uint64_t> parameters;
  void *stream = nullptr;        ///< of the latest launch
  bool isCapturing = false;      ///< all streams are
  bool isQuick = false;          ///< launches are not written down
  std::map<int, double> costs;   ///< threads of a CTA -> milliseconds of a launch
  double clock = 0;              ///< milliseconds that events record
  size_t allocated = 0;          ///< allocations that live
  std::vector<uint64_t> pinned;  ///< addresses that GPUs reach
  std::map<int, int> attributes; ///< of functions, as set
};

} // namespace fake

extern "C" fake::State *fakeDriverState();

#endif // TRITIUM_UNITTESTS_RUNTIME_BACKENDS_CUDA_FAKEDRIVER_H
