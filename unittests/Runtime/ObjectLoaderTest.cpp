//===- ObjectLoaderTest.cpp -----------------------------------------------===//

#include "backends/cpu/ObjectLoader.h"

#include "gtest/gtest.h"

#include <cmath>
#include <fstream>
#include <sstream>
#include <thread>

using namespace tritium::runtime;

namespace {

std::string kernels() {
  std::ifstream file(TRITIUM_TEST_KERNELS, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

TEST(ObjectLoader, RunsAnEntry) {
  std::string error;
  auto object = loadObject(kernels(), "addOne", error);
  ASSERT_TRUE(object) << error;
  float x[4] = {1, 2, 3, 4}, out[4] = {};
  uint64_t args[] = {reinterpret_cast<uint64_t>(x), reinterpret_cast<uint64_t>(out)};
  uint32_t grid[] = {4, 1, 1};
  object->entry(args, nullptr, 1, 3, grid, nullptr);
  EXPECT_EQ(out[0], 0);
  EXPECT_EQ(out[1], 3);
  EXPECT_EQ(out[2], 4);
  EXPECT_EQ(out[3], 0);
}

TEST(ObjectLoader, ResolvesImports) {
  std::string error;
  auto object = loadObject(kernels(), "imports", error);
  ASSERT_TRUE(object) << error;
  double out[2] = {5, 2}, scratch[2];
  uint64_t args[] = {reinterpret_cast<uint64_t>(out), sizeof out};
  uint32_t grid[] = {1, 1, 1};
  object->entry(args, scratch, 0, 1, grid, nullptr);
  EXPECT_DOUBLE_EQ(out[0], 25 + std::erf(2.0) + 2);
}

TEST(ObjectLoader, ReportsDamagedObjects) {
  std::string error;
  EXPECT_FALSE(loadObject("not an object", "addOne", error));
  EXPECT_FALSE(error.empty());
  error.clear();
  EXPECT_FALSE(loadObject(kernels(), "noSuchEntry", error));
  EXPECT_NE(error.find("noSuchEntry"), std::string::npos) << error;
}

TEST(ObjectLoader, LoadsAndUnloadsFromManyThreads) {
  std::string bytes = kernels();
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 10; ++i) {
        std::string error;
        auto object = loadObject(bytes, "addOne", error);
        float x = 41, out = 0;
        uint64_t args[] = {reinterpret_cast<uint64_t>(&x), reinterpret_cast<uint64_t>(&out)};
        uint32_t grid[] = {1, 1, 1};
        if (object)
          object->entry(args, nullptr, 0, 1, grid, nullptr);
        good += out == 42;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(good, 40);
}

} // namespace
