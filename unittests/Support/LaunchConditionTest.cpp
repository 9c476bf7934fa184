//===- LaunchConditionTest.cpp - what launches look at --------------------===//

#include "tritium/Support/LaunchCondition.h"

#include "gtest/gtest.h"

#include <random>

using namespace tritium;

namespace {
using Step = ScalarStep;

ScalarStep constant(int64_t value) { return {Step::Constant, 32, value}; }
ScalarStep argument(int64_t number) { return {Step::Argument, 32, number}; }
ScalarStep op(Step::Kind kind) { return {kind, 32, 0}; }
const ScalarStep kProgram = {Step::ProgramId, 32, 0};

/// cdiv(argument, block)
std::vector<ScalarStep> tiles(int64_t number, int64_t block) {
  return {argument(number), constant(block - 1), op(Step::Sum), constant(block),
          op(Step::Quotient)};
}

/// min(cdiv(M, 64) - pid / (8 * cdiv(N, 64)) * 8, 8)
LaunchCondition groupSize() {
  LaunchCondition steps = tiles(0, 64);
  steps.push_back(kProgram);
  steps.push_back(constant(8));
  for (const ScalarStep &step : tiles(1, 64))
    steps.push_back(step);
  for (ScalarStep step : {op(Step::Product), op(Step::Quotient), constant(8), op(Step::Product),
                          op(Step::Difference), constant(8), op(Step::Minimum)})
    steps.push_back(step);
  return steps;
}

/// The least size of a group, by going through all programs.
int64_t leastGroupSize(int64_t m, int64_t n, uint32_t programs) {
  int64_t least = INT64_MAX, rows = (m + 63) / 64, width = 8 * ((n + 63) / 64);
  for (int64_t pid = 0; pid < programs; ++pid)
    least = std::min({least, rows - (width ? pid / width : 0) * 8, int64_t(8)});
  return least;
}

TEST(LaunchCondition, GroupSizes) {
  std::mt19937 random(3);
  int held = 0, broken = 0;
  for (int i = 0; i < 3000; ++i) {
    int64_t m = random() % 4000, n = 1 + random() % 1000;
    auto exact = uint32_t((m + 63) / 64 * ((n + 63) / 64));
    uint32_t grid[3] = {i % 3 ? std::max(1u, exact) : exact + 1 + uint32_t(random() % 200), 1, 1};
    uint64_t slots[] = {uint64_t(m), uint64_t(n)};
    MaybeRange bounds = boundsOf(groupSize(), slots, grid);
    ASSERT_TRUE(bounds) << m << " " << n;
    EXPECT_EQ(bounds->low, leastGroupSize(m, n, grid[0])) << m << " " << n << " " << grid[0];
    ++(bounds->low >= 1 ? held : broken);
  }
  EXPECT_GT(held, 1000);
  EXPECT_GT(broken, 300);
}

// Where arithmetic would wrap, and where a divisor may be negative, nothing is known.
TEST(LaunchCondition, Unknown) {
  uint32_t grid[3] = {10, 1, 1};
  auto known = [&](uint64_t m, uint64_t n) {
    uint64_t slots[] = {m, n};
    return boundsOf(groupSize(), slots, grid).has_value();
  };
  EXPECT_TRUE(known(1000, 1000));
  EXPECT_FALSE(known(INT32_MAX, 1000));
  EXPECT_FALSE(known(1000, INT32_MAX - 10));
  EXPECT_FALSE(known(1000, uint64_t(-1000)));
  // Of a slot only the bits of the type count.
  EXPECT_TRUE(known(1000 | uint64_t(7) << 32, 1000));
}

// A persistent kernel's index of tiles: from pid, below the argument, by 4.
TEST(LaunchCondition, Loop) {
  uint32_t grid[3] = {4, 1, 1};
  uint64_t slots[] = {100};
  LaunchCondition index = {kProgram, argument(0), constant(4), op(Step::LoopIndex)};
  EXPECT_EQ(boundsOf(index, slots, grid), (IntegerRange{0, 99}));
  index[2] = constant(-4);
  EXPECT_FALSE(boundsOf(index, slots, grid));
}

// What a damaged cache may hold.
TEST(LaunchCondition, Senseless) {
  uint32_t grid[3] = {4, 1, 1};
  uint64_t slots[] = {100};
  auto isKnown = [&](std::vector<ScalarStep> steps) {
    return boundsOf(steps, slots, grid).has_value();
  };
  EXPECT_TRUE(isKnown({argument(0)}));
  EXPECT_FALSE(isKnown({}));
  EXPECT_FALSE(isKnown({argument(1)}));
  EXPECT_FALSE(isKnown({argument(-1)}));
  EXPECT_FALSE(isKnown({{Step::Argument, 0, 0}}));
  EXPECT_FALSE(isKnown({{Step::ProgramId, 32, 3}}));
  EXPECT_FALSE(isKnown({op(Step::Sum)}));
  EXPECT_FALSE(isKnown({constant(1), op(Step::Sum)}));
  EXPECT_FALSE(isKnown({constant(1), constant(1), op(Step::LoopIndex)}));
  EXPECT_FALSE(isKnown({constant(1), constant(1)}));
  EXPECT_FALSE(isKnown({constant(1), constant(1), {200, 32, 0}}));
  EXPECT_FALSE(isKnown(std::vector<ScalarStep>(1000, constant(1))));
}

/// Bounds hold of every choice of operands, and are reached where they are exact.
TEST(IntegerRange, Operations) {
  auto check = [](auto bound, auto compute, bool isExact) {
    for (int a = -4; a <= 4; ++a)
      for (int b = a; b <= 4; ++b)
        for (int c = -4; c <= 4; ++c)
          for (int d = c; d <= 4; ++d) {
            MaybeRange result = bound(IntegerRange{a, b}, IntegerRange{c, d});
            int64_t low = INT64_MAX, high = INT64_MIN;
            for (int x = a; x <= b; ++x)
              for (int y = c; y <= d; ++y) {
                low = std::min<int64_t>(low, compute(x, y));
                high = std::max<int64_t>(high, compute(x, y));
              }
            if (!result)
              continue;
            EXPECT_TRUE((IntegerRange{low, high}.isWithin(*result)))
                << a << " " << b << " " << c << " " << d;
            if (isExact)
              EXPECT_EQ(*result, (IntegerRange{low, high}))
                  << a << " " << b << " " << c << " " << d;
          }
  };
  auto wide = [](auto f) { return [f](IntegerRange x, IntegerRange y) { return f(x, y, 32); }; };
  auto maybe = [](auto f) {
    return [f](IntegerRange x, IntegerRange y) { return MaybeRange(f(x, y)); };
  };
  check(wide(range::sum), [](int x, int y) { return x + y; }, true);
  check(wide(range::difference), [](int x, int y) { return x - y; }, true);
  check(wide(range::product), [](int x, int y) { return x * y; }, true);
  check(range::quotient, [](int x, int y) { return y ? x / y : 0; }, true);
  check(range::remainder, [](int x, int y) { return y ? x % y : x; }, false);
  check(maybe(range::minimum), [](int x, int y) { return std::min(x, y); }, true);
  check(maybe(range::maximum), [](int x, int y) { return std::max(x, y); }, true);
  EXPECT_FALSE(range::sum({100, 100}, {20, 28}, 8));
  EXPECT_TRUE(range::sum({100, 100}, {20, 27}, 8));
}

} // namespace
