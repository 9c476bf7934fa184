//===- Differential.cpp - a kernel on the CPU and in the interpreter ------===//

#include "Differential.h"

#include "../../../runtime/backends/cpu/ObjectLoader.h"

#include "tritium/Interpreter/Interpreter.h"
#include "tritium/Pipeline/Compiler.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace tritium {

TestArgument TestArgument::floats(size_t n, double tolerance, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> uniform(-2, 2);
  TestArgument argument;
  argument.bytes.resize(n * 4);
  for (size_t i = 0; i < n; ++i) {
    float v = uniform(engine);
    std::memcpy(&argument.bytes[4 * i], &v, 4);
  }
  argument.compare = Float32;
  argument.tolerance = tolerance;
  return argument;
}

TestArgument TestArgument::ints(size_t n, unsigned bytes, int64_t low, int64_t high,
                                unsigned seed) {
  std::mt19937_64 engine(seed);
  std::uniform_int_distribution<int64_t> uniform(low, high - 1);
  TestArgument argument;
  argument.bytes.resize(n * bytes);
  for (size_t i = 0; i < n; ++i) {
    int64_t v = uniform(engine);
    std::memcpy(&argument.bytes[bytes * i], &v, bytes);
  }
  return argument;
}

static bool close(double x, double y, double tolerance) {
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) && std::isnan(y);
  return x == y || std::abs(x - y) <= tolerance * std::max(1.0, std::abs(y));
}

template <typename T>
static void compareFloats(const TestArgument &cpu, const TestArgument &reference, size_t number) {
  size_t wrong = 0;
  for (size_t i = 0; i < cpu.bytes.size() / sizeof(T); ++i) {
    T x, y;
    std::memcpy(&x, &cpu.bytes[i * sizeof(T)], sizeof(T));
    std::memcpy(&y, &reference.bytes[i * sizeof(T)], sizeof(T));
    if (!close(x, y, cpu.tolerance) && ++wrong <= 4)
      ADD_FAILURE() << "argument " << number << ", element " << i << ": " << x << " on the CPU, "
                    << y << " in the interpreter";
  }
  EXPECT_EQ(wrong, 0u);
}

static void compare(const TestArgument &cpu, const TestArgument &reference, size_t number) {
  if (cpu.compare == TestArgument::Float32)
    return compareFloats<float>(cpu, reference, number);
  if (cpu.compare == TestArgument::Float64)
    return compareFloats<double>(cpu, reference, number);
  EXPECT_EQ(cpu.bytes, reference.bytes) << "argument " << number;
}

/// 64-byte aligned, and a page of slack that no access may reach.
static std::vector<uint64_t> slots(std::vector<TestArgument> &arguments) {
  std::vector<uint64_t> result;
  for (TestArgument &argument : arguments)
    result.push_back(argument.bytes.empty() ? argument.bits
                                            : reinterpret_cast<uint64_t>(argument.bytes.data()));
  return result;
}

void runBoth(const std::string &ttir, std::vector<TestArgument> arguments,
             std::array<uint32_t, 3> grid, bool mayAlias) {
  for (const char *cpu : {"native", "haswell"}) {
    SCOPED_TRACE(cpu);
    CompileOptions options;
    options.target = Target::cpu(cpu);
    options.mayAlias = mayAlias;
    options.keepStages = {"llir"};
    CompileError error;
    auto kernel = compileTileIR(ttir, "ttir", options, error);
    ASSERT_TRUE(kernel) << error.rendered;
    std::string message;
    auto loaded = runtime::loadObject(kernel->stages["obj"], kernel->metadata.entry, message);
    ASSERT_TRUE(loaded) << message;

    std::vector<TestArgument> onCPU = arguments, inInterpreter = arguments;
    void *scratch = std::aligned_alloc(64, (kernel->metadata.scratchBytes + 127) / 64 * 64);
    std::vector<uint64_t> cpuSlots = slots(onCPU);
    TritiumHostCalls host = {};
    loaded->entry(cpuSlots.data(), scratch, 0, int64_t(grid[0]) * grid[1] * grid[2], grid.data(),
                  &host);
    std::free(scratch);

    InterpreterOptions interpreterOptions;
    for (TestArgument &argument : inInterpreter)
      if (!argument.bytes.empty())
        interpreterOptions.buffers.push_back(
            {reinterpret_cast<uint64_t>(argument.bytes.data()), argument.bytes.size(), true});
    std::string failure =
        interpret(kernel->stages["ttir"], slots(inInterpreter), grid.data(), interpreterOptions);
    ASSERT_EQ(failure, "");
    for (size_t i = 0; i < arguments.size(); ++i)
      if (!arguments[i].bytes.empty())
        compare(onCPU[i], inInterpreter[i], i);
    if (::testing::Test::HasFailure() && std::getenv("TRITIUM_TEST_SHOW"))
      fprintf(stderr, "%s\n", kernel->stages["llir"].c_str());
  }
}

} // namespace tritium
