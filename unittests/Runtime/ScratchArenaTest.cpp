//===- ScratchArenaTest.cpp -----------------------------------------------===//

#include "backends/cpu/ScratchArena.h"

#include "gtest/gtest.h"

#include <cstdint>
#include <cstring>
#include <thread>

using namespace tritium::runtime;

namespace {

TEST(ScratchArena, IsAlignedReusedAndGrows) {
  auto place = [](size_t bytes) {
    ThreadScratch scratch(bytes);
    std::memset(scratch.memory(), 1, bytes);
    return reinterpret_cast<uintptr_t>(scratch.memory());
  };
  uintptr_t small = place(100);
  ASSERT_TRUE(small);
  EXPECT_EQ(small % 64, 0u);
  EXPECT_EQ(place(200), small);
  uintptr_t large = place(5 << 20);
  ASSERT_TRUE(large);
  EXPECT_EQ(place(64), large);
}

TEST(ScratchArena, IsOneForEachThread) {
  ThreadScratch mine(64);
  std::thread([&] { EXPECT_NE(ThreadScratch(64).memory(), mine.memory()); }).join();
}

/// A kernel that is launched in the middle of another does not write over its tiles.
TEST(ScratchArena, IsOneForEachNesting) {
  ThreadScratch outer(4096);
  std::memset(outer.memory(), 1, 4096);
  for (size_t bytes : {size_t(64), size_t(5) << 20}) {
    ThreadScratch inner(bytes);
    ASSERT_TRUE(inner.memory());
    std::memset(inner.memory(), 2, bytes);
  }
  for (int i = 0; i < 4096; ++i)
    ASSERT_EQ(static_cast<char *>(outer.memory())[i], 1);
  void *again = outer.memory();
  EXPECT_NE(ThreadScratch(4096).memory(), again);
}

TEST(ScratchArena, RefusesTheImpossible) {
  EXPECT_EQ(ThreadScratch(SIZE_MAX / 2).memory(), nullptr);
  EXPECT_NE(ThreadScratch(64).memory(), nullptr);
}

} // namespace
