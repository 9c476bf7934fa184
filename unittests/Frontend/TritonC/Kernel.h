//===- Kernel.h - a Triton-C kernel, run on every back end ------*- C++ -*-===//
//
// A test gives a kernel's text and its arguments. The kernel runs in the interpreter and
// on the CPU, where every array ends at a page that may not be touched, and both must
// leave the same in memory.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_UNITTESTS_FRONTEND_TRITONC_KERNEL_H
#define TRITIUM_UNITTESTS_FRONTEND_TRITONC_KERNEL_H

#include "tritium/Pipeline/Compiler.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tritium::testing {

using Half = _Float16;
using Defines = std::vector<std::pair<std::string, std::string>>;

frontend::FunctionSource sourceOf(const std::string &text, const Defines &defines = {},
                                  const std::string &name = "");

/// What a test compares the kernel with: an array that the kernel may change, or a scalar.
struct KernelArgument {
  std::vector<uint8_t> bytes; ///< of an array
  std::function<void(const std::vector<uint8_t> &)> update;
  bool isArray = false, isKnown = false;
  int64_t integer = 0;
  double floating = 0;
  double tolerance = 0; ///< relative; compares elements of `elementBytes` as floats
  unsigned elementBytes = 0;
};

class Kernel {
public:
  explicit Kernel(std::string text, Defines defines = {}, std::string name = "");

  /// The next argument: an array, which receives what the kernel leaves. `tolerance`:
  /// relative difference of floats between back ends.
  template <typename T> Kernel &array(std::vector<T> &data, double tolerance = 0) {
    KernelArgument argument;
    argument.isArray = true;
    argument.bytes.resize(data.size() * sizeof(T));
    std::memcpy(argument.bytes.data(), data.data(), argument.bytes.size());
    argument.update = [&data](const std::vector<uint8_t> &bytes) {
      std::memcpy(data.data(), bytes.data(), bytes.size());
    };
    argument.tolerance = tolerance;
    argument.elementBytes = sizeof(T);
    arguments.push_back(std::move(argument));
    return *this;
  }
  Kernel &scalar(int64_t value) {
    arguments.emplace_back().integer = value;
    arguments.back().floating = static_cast<double>(value);
    return *this;
  }
  Kernel &real(double value) {
    arguments.emplace_back().floating = value;
    return *this;
  }
  /// A scalar that is part of the specialisation.
  Kernel &known(int64_t value) {
    scalar(value).arguments.back().isKnown = true;
    return *this;
  }
  Kernel &debug() {
    isDebug = true;
    return *this;
  }
  /// Programs wait for each other, which the interpreter's would do for ever.
  Kernel &onCPUOnly() {
    isInterpreted = false;
    return *this;
  }
  /// Programs run on so many threads of the CPU.
  Kernel &threads(unsigned count) {
    threadCount = count;
    return *this;
  }

  /// Compiles and runs. Failures are reported as failures of the test.
  void run(uint32_t x = 1, uint32_t y = 1, uint32_t z = 1);
  /// Compiles only.
  std::unique_ptr<CompiledKernel> compile(CompileError &error, const Target &target = {});
  /// What the failed assertions of run() said.
  const std::string &assertions() const { return asserted; }

private:
  frontend::FunctionSource source;
  std::vector<KernelArgument> arguments;
  bool isDebug = false, isInterpreted = true;
  unsigned threadCount = 1;
  std::string asserted;

  std::vector<ArgumentSpec> specialise(const KernelSignature &signature) const;
  void interpretOn(std::vector<std::vector<uint8_t>> &arrays, std::array<uint32_t, 3> grid);
  void runOnCPU(std::vector<std::vector<uint8_t>> &arrays, std::array<uint32_t, 3> grid);
};

/// The rendered errors of compiling a kernel whose run-time arguments have their declared
/// types; empty if it compiles.
std::string errorsOf(const std::string &text, const Defines &defines = {}, bool debug = false);
/// Its tile IR after the tile pipeline, without locations; empty after an error, which is
/// reported.
std::string tileIROf(const std::string &text, const Defines &defines = {}, bool debug = false);
std::string withoutLocations(const std::string &ir);

/// Numbers in [low, high), reproducible.
template <typename T> std::vector<T> randoms(size_t count, double low, double high, uint64_t seed) {
  std::vector<T> values(count);
  uint64_t state = seed * 0x9E3779B97F4A7C15ull + 1;
  for (T &value : values) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    double unit = static_cast<double>(state >> 33) / static_cast<double>(1ull << 31);
    value = static_cast<T>(low + unit * (high - low));
  }
  return values;
}

} // namespace tritium::testing

#endif // TRITIUM_UNITTESTS_FRONTEND_TRITONC_KERNEL_H
