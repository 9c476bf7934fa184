//===- ScratchArenaTest.cpp -----------------------------------------------===//

#include "ScratchArena.h"

#include "gtest/gtest.h"

#include <cstdint>
#include <cstring>
#include <thread>

using namespace tritium::runtime;

namespace {

TEST(ScratchArena, IsAlignedReusedAndGrows) {
  void *small = threadScratch(100);
  ASSERT_TRUE(small);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(small) % 64, 0u);
  EXPECT_EQ(threadScratch(200), small);
  void *large = threadScratch(5 << 20);
  ASSERT_TRUE(large);
  std::memset(large, 1, 5 << 20);
  EXPECT_EQ(threadScratch(64), large);
}

TEST(ScratchArena, IsOneForEachThread) {
  void *mine = threadScratch(64), *other = nullptr;
  std::thread([&] { other = threadScratch(64); }).join();
  EXPECT_NE(mine, other);
}

TEST(ScratchArena, RefusesTheImpossible) { EXPECT_EQ(threadScratch(SIZE_MAX / 2), nullptr); }

} // namespace
