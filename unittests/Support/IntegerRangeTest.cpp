//===- IntegerRangeTest.cpp -----------------------------------------------===//

#include "tritium/Support/IntegerRange.h"

#include "gtest/gtest.h"

using namespace tritium;

namespace {

constexpr int64_t kMax = INT32_MAX;

MaybeRange indexOf(IntegerRange lower, IntegerRange upper, IntegerRange step) {
  return range::loopIndex(lower, upper, step, 32);
}

TEST(IntegerRange, LoopIndex) {
  EXPECT_EQ(indexOf({0, 0}, {5, 10}, {1, 1}), (IntegerRange{0, 9}));
  // Of known numbers: 2, 5, 8, and what a tile of 4096 from the last one on does not cross.
  EXPECT_EQ(indexOf({2, 2}, {5, 10}, {3, 3}), (IntegerRange{2, 8}));
  EXPECT_EQ(indexOf({-4, -4}, {0, 10}, {3, 3}), (IntegerRange{-4, 8}));
  EXPECT_EQ(indexOf({0, 0}, {0, kMax}, {4096, 4096}), (IntegerRange{0, kMax - 4095}));
  // Where it begins, or by how much it goes on, is not known.
  EXPECT_EQ(indexOf({0, 1}, {0, kMax}, {4096, 4096}), (IntegerRange{0, kMax - 1}));
  EXPECT_EQ(indexOf({0, 0}, {0, kMax}, {4096, 8192}), (IntegerRange{0, kMax - 1}));
  // No round at all; a step that may be none.
  EXPECT_EQ(indexOf({7, 7}, {0, 3}, {2, 2}), (IntegerRange{7, 7}));
  EXPECT_EQ(indexOf({0, 0}, {0, 3}, {0, 2}), std::nullopt);
}

} // namespace
