//===- CUDATest.h - kernels on a fake GPU, through the C interface -*- C++ -*-===//

#ifndef TRITIUM_UNITTESTS_RUNTIME_BACKENDS_CUDA_CUDATEST_H
#define TRITIUM_UNITTESTS_RUNTIME_BACKENDS_CUDA_CUDATEST_H

#include "FakeDriver.h"

#include "tritium/tritium.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <array>
#include <bit>
#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <vector>

inline tritium_argument number(int64_t value) {
  tritium_argument argument = {};
  argument.kind = TRITIUM_ARG_INT;
  argument.bits = static_cast<uint64_t>(value);
  return argument;
}

inline tritium_argument array(float *data, size_t count, int device) {
  tritium_argument argument = {};
  argument.kind = TRITIUM_ARG_POINTER;
  tritium_dtype_parse("fp32", &argument.type);
  argument.memory = device < 0 ? TRITIUM_HOST_MEMORY : TRITIUM_CUDA_MEMORY;
  argument.device = static_cast<uint8_t>(device < 0 ? 0 : device);
  argument.bits = argument.begin = reinterpret_cast<uint64_t>(data);
  argument.bytes = count * sizeof(float);
  return argument;
}

inline tritium_argument real(double value) {
  tritium_argument argument = {};
  argument.kind = TRITIUM_ARG_FLOAT;
  argument.bits = std::bit_cast<uint64_t>(value);
  return argument;
}

struct Failure {
  tritium_error error = {};
  ~Failure() { tritium_error_clear(&error); }
  std::string message() const { return error.message ? error.message : ""; }
  std::string kind() const { return error.kind ? error.kind : ""; }
};

class CUDA : public testing::Test {
protected:
  static void SetUpTestSuite() {
    setenv("TRITON_LIBCUDA_PATH", TRITIUM_FAKE_DRIVER, 1);
    setenv("TRITON_CACHE_DIR", "", 1);
    setenv("TRITON_HOME", "/nonexistent", 1);
    void *library = dlopen(TRITIUM_FAKE_DRIVER, RTLD_NOW);
    auto find = reinterpret_cast<fake::State *(*)()>(dlsym(library, "fakeDriverState"));
    state = find();
  }

  void SetUp() override {
    int version = state->driverVersion;
    *state = fake::State();
    state->driverVersion = version;
  }
  void TearDown() override { tritium_compiled_release(compiled); }

  void compile(const std::string &text, std::vector<tritium_option> options = {},
               const char *target = "cuda:90") {
    Failure failure;
    tritium_compiled_release(compiled);
    compiled = tritium_compile_ttir(text.c_str(), nullptr, options.data(), options.size(), target,
                                    &failure.error);
    ASSERT_TRUE(compiled) << failure.message();
  }

  /// Launches `scale` on `data` of a device; the error's message.
  std::string launch(std::array<uint32_t, 3> grid = {4, 1, 1}, int device = 0,
                     void *stream = nullptr) {
    tritium_argument arguments[] = {array(data, 16, device), number(16), real(2.5)};
    Failure failure;
    tritium_compiled_launch_on(compiled, arguments, 3, grid.data(), stream, &failure.error);
    kind = failure.kind();
    return failure.message();
  }

  static inline fake::State *state = nullptr;
  tritium_compiled *compiled = nullptr;
  float data[16] = {};
  std::string kind;
};

#endif // TRITIUM_UNITTESTS_RUNTIME_BACKENDS_CUDA_CUDATEST_H
