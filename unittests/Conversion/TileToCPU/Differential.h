//===- Differential.h - a kernel on the CPU and in the interpreter -*- C++ -*-===//

#ifndef TRITIUM_UNITTESTS_CONVERSION_TILETOCPU_DIFFERENTIAL_H
#define TRITIUM_UNITTESTS_CONVERSION_TILETOCPU_DIFFERENTIAL_H

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tritium {

/// One run-time argument: a buffer, or a scalar's bits.
struct TestArgument {
  std::vector<uint8_t> bytes; ///< empty: a scalar
  uint64_t bits = 0;
  enum Compare { Exact, Float32, Float64, Float16, BFloat16 } compare = Exact;
  double tolerance = 0; ///< relative, with the same absolute floor

  static TestArgument scalar(uint64_t bits) { return {{}, bits, Exact, 0}; }
  /// n floats in [-2, 2), reproducible.
  static TestArgument floats(size_t n, double tolerance = 0, unsigned seed = 1);
  /// n integers of `bytes` bytes in [low, high).
  static TestArgument ints(size_t n, unsigned bytes, int64_t low, int64_t high, unsigned seed = 1);
};

/// Compiles `ttir` for a CPU, runs it there and in the interpreter on copies of the
/// same arguments, and reports every difference as a test failure. `cpus` empty: the
/// host and an AVX2 CPU.
void runBoth(const std::string &ttir, std::vector<TestArgument> arguments,
             std::array<uint32_t, 3> grid = {1, 1, 1}, bool mayAlias = false);

} // namespace tritium

#endif // TRITIUM_UNITTESTS_CONVERSION_TILETOCPU_DIFFERENTIAL_H
