//===- BoundArgumentTest.cpp - which memory a launch may reach ------------===//

#include "BoundArgument.h"

#include "gtest/gtest.h"

using namespace tritium::runtime;

namespace {

BoundArgument view(uint64_t begin, uint64_t end, uint64_t allocationBegin, uint64_t allocationEnd) {
  BoundArgument argument;
  argument.slot = argument.begin = begin;
  argument.end = end;
  argument.allocationBegin = allocationBegin;
  argument.allocationEnd = allocationEnd;
  return argument;
}

using Reach = std::pair<uint64_t, uint64_t>;

TEST(BoundArgumentTest, AnArrayAloneIsReachedByItself) {
  BoundArgument arguments[] = {view(110, 120, 100, 200), view(300, 310, 300, 310), {}};
  EXPECT_EQ(reachOf(arguments, 0), Reach(110, 120));
  EXPECT_EQ(reachOf(arguments, 1), Reach(300, 310));
}

TEST(BoundArgumentTest, ViewsAreReachedWithWhatLiesBetween) {
  BoundArgument arguments[] = {view(150, 160, 100, 200), view(110, 120, 100, 200),
                               view(155, 170, 100, 200)};
  for (size_t i = 0; i < 3; ++i)
    EXPECT_EQ(reachOf(arguments, i), Reach(110, 170));
}

TEST(BoundArgumentTest, TheRestOfAnAllocationIsNotTouched) {
  // It may be pages that nobody may read.
  BoundArgument arguments[] = {view(110, 120, 100, 200), view(110, 120, 100, 200)};
  EXPECT_EQ(reachOf(arguments, 0), Reach(110, 120));
}

TEST(BoundArgumentTest, AnAddressWithoutExtentReachesNothingElse) {
  BoundArgument unknown = view(0, UINT64_MAX, 0, UINT64_MAX);
  BoundArgument arguments[] = {view(110, 120, 100, 200), unknown};
  EXPECT_EQ(reachOf(arguments, 0), Reach(110, 120));
}

} // namespace
