//===- KernelFolder.h - a fixture with a kernel file ------------*- C++ -*-===//

#ifndef TRITIUM_UNITTESTS_RUNTIME_CAPI_KERNELFOLDER_H
#define TRITIUM_UNITTESTS_RUNTIME_CAPI_KERNELFOLDER_H

#include "tritium/tritium.hpp"

#include "gtest/gtest.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

/// Tests that share a folder with a file of kernels, and a cache in it.
class KernelFolder : public testing::Test {
protected:
  static void makeFolder(const char *file, const char *kernels) {
    char pattern[] = "/tmp/tritium-test-XXXXXX";
    folder = mkdtemp(pattern);
    setenv("TRITON_CACHE_DIR", (folder + "/cache").c_str(), 1);
    std::ofstream(folder + "/" + file) << kernels;
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(folder); }

  /// The kind and message of the error that `call` throws.
  template <typename Call> std::string errorOf(Call call) {
    try {
      call();
    } catch (const tritium::Error &error) {
      return error.kind + ": " + error.what();
    }
    return "no error";
  }

  static inline std::string folder;
};

#endif // TRITIUM_UNITTESTS_RUNTIME_CAPI_KERNELFOLDER_H
