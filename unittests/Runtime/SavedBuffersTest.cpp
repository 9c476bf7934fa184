//===- SavedBuffersTest.cpp - memory that trial runs may change -----------===//

#include "SavedBuffers.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <numeric>

using namespace tritium::runtime;
using BeforeRun = SavedBuffers::BeforeRun;

namespace {

class SavedBuffersTest : public testing::Test {
protected:
  SavedBuffersTest() { std::iota(memory.begin(), memory.end(), 1); }
  void add(size_t begin, size_t end, BeforeRun action) {
    uint64_t base = reinterpret_cast<uint64_t>(memory.data());
    buffers.add(base + begin, base + end, action);
  }
  std::vector<uint8_t> memory = std::vector<uint8_t>(40);
  SavedBuffers buffers;
};

TEST_F(SavedBuffersTest, Actions) {
  add(0, 10, BeforeRun::Nothing);
  add(10, 20, BeforeRun::Restore);
  add(20, 30, BeforeRun::Zero);
  std::vector<uint8_t> before = memory;
  ASSERT_TRUE(buffers.save());
  std::fill(memory.begin(), memory.end(), 99);
  buffers.beforeRun();
  for (size_t i = 0; i < memory.size(); ++i)
    EXPECT_EQ(memory[i], i < 10 || i >= 30 ? 99 : i < 20 ? before[i] : 0) << i;
  buffers.restore();
  for (size_t i = 0; i < memory.size(); ++i)
    EXPECT_EQ(memory[i], i < 30 ? before[i] : 99) << i;
}

TEST_F(SavedBuffersTest, OverlapTakesTheStrictest) {
  add(0, 10, BeforeRun::Nothing);
  add(20, 30, BeforeRun::Nothing);
  add(5, 25, BeforeRun::Restore);
  std::vector<uint8_t> before = memory;
  ASSERT_TRUE(buffers.save());
  std::fill(memory.begin(), memory.end(), 99);
  buffers.beforeRun();
  EXPECT_TRUE(std::equal(memory.begin(), memory.begin() + 30, before.begin()));
  EXPECT_EQ(memory[30], 99);
}

TEST_F(SavedBuffersTest, ZeroInsideOfRestored) {
  add(10, 12, BeforeRun::Zero);
  add(0, 20, BeforeRun::Restore);
  std::vector<uint8_t> before = memory;
  ASSERT_TRUE(buffers.save());
  std::fill(memory.begin(), memory.end(), 99);
  buffers.beforeRun();
  EXPECT_EQ(memory[9], before[9]);
  EXPECT_EQ(memory[10], 0);
  EXPECT_EQ(memory[12], before[12]);
  buffers.restore();
  EXPECT_TRUE(std::equal(memory.begin(), memory.begin() + 20, before.begin()));
}

TEST_F(SavedBuffersTest, EmptyRangesAndNoMemory) {
  add(5, 5, BeforeRun::Restore);
  EXPECT_TRUE(buffers.save());
  buffers.add(4096, uint64_t(1) << 62, BeforeRun::Nothing);
  EXPECT_FALSE(buffers.save());
}

} // namespace
