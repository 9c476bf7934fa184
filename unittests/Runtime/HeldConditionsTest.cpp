//===- HeldConditionsTest.cpp - whether launches keep conditions ----------===//

#include "HeldConditions.h"

#include <gtest/gtest.h>

#include <random>

using namespace tritium;
using namespace tritium::runtime;

namespace {
using Step = ScalarStep;

/// Argument 2 less argument 1 and the program's number is at least 1.
std::vector<LaunchCondition> differences() {
  return {{{Step::Argument, 32, 2},
           {Step::Argument, 32, 1},
           {Step::Difference, 32, 0},
           {Step::ProgramId, 32, 1},
           {Step::Difference, 32, 0}}};
}

TEST(HeldConditions, SameAnswersAgain) {
  std::vector<LaunchCondition> list = differences();
  HeldConditions conditions;
  conditions.watch(list);
  std::mt19937 random(5);
  int held = 0;
  for (int i = 0; i < 4000; ++i) {
    // Few numbers, so that answers are found, replaced and found again.
    uint64_t slots[] = {random(), random() % 3, random() % 4};
    uint32_t grid[3] = {1 + uint32_t(random() % 2), 1 + uint32_t(random() % 2), 1};
    bool holds = int64_t(slots[2]) - int64_t(slots[1]) - int64_t(grid[1] - 1) >= 1;
    EXPECT_EQ(conditions.broken(slots, grid).none(), holds)
        << slots[1] << " " << slots[2] << " " << grid[1];
    held += holds;
  }
  EXPECT_GT(held, 500);
  EXPECT_LT(held, 3500);
}

TEST(HeldConditions, SaysWhich) {
  std::vector<LaunchCondition> list = {
      {{Step::Argument, 32, 0}}, {{Step::Argument, 32, 1}}, {{Step::Argument, 32, 2}}};
  HeldConditions conditions;
  conditions.watch(list);
  uint32_t grid[3] = {1, 1, 1};
  uint64_t slots[] = {0, 1, uint64_t(-1)};
  for (int again : {0, 1}) {
    llvm::SmallBitVector broken = conditions.broken(slots, grid);
    EXPECT_TRUE(broken[0] && !broken[1] && broken[2]) << again;
  }
}

TEST(HeldConditions, NoneHold) {
  HeldConditions conditions;
  uint32_t grid[3] = {1, 1, 1};
  EXPECT_TRUE(conditions.broken({}, grid).none());
}

TEST(HeldConditions, ArgumentThatIsMissing) {
  std::vector<LaunchCondition> list = differences();
  HeldConditions conditions;
  conditions.watch(list);
  uint32_t grid[3] = {1, 1, 1};
  uint64_t slots[] = {1, 2};
  EXPECT_TRUE(conditions.broken(slots, grid).any());
}
} // namespace
