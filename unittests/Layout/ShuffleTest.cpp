// Plans of shuffles carried out on 32 lanes, for random layouts and for those of kernels.

#include "tritium/Layout/Shuffle.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <bit>
#include <random>
#include <set>

using namespace tritium;

namespace {
using Bases = llvm::SmallVector<uint64_t, 8>;

LinearLayout layout(Bases registers, Bases lanes, Bases warps, unsigned bits) {
  return LinearLayout({{kRegister, registers}, {kLane, lanes}, {kWarp, warps}}, {bits});
}

uint64_t chosen(llvm::ArrayRef<ShufflePlan::Choice> choices, unsigned lane, unsigned warp) {
  uint64_t registers = 0;
  for (const ShufflePlan::Choice &choice : choices)
    if ((std::popcount(lane & choice.lanes) + std::popcount(warp & choice.warps)) % 2)
      registers ^= choice.registers;
  return registers;
}

/// Every lane of every warp gets the elements of `to`; words are moved as a whole.
void execute(const ShufflePlan &plan, const LinearLayout &from, const LinearLayout &to) {
  unsigned registers = 1u << to.inputBits(kRegister), warps = 1u << to.inputBits(kWarp);
  unsigned perWord = 1u << plan.packedTo.size();
  auto inWord = [](llvm::ArrayRef<uint64_t> packed, unsigned e) {
    uint64_t sum = 0;
    for (unsigned i = 0; i < packed.size(); ++i)
      sum ^= e >> i & 1 ? packed[i] : 0;
    return sum;
  };
  std::set<uint64_t> words;
  for (unsigned r = 0; r < registers; ++r)
    words.insert(plan.firstOf(r));
  ASSERT_EQ(words.size(), plan.words());
  for (unsigned warp = 0; warp < warps; ++warp)
    for (unsigned lane = 0; lane < 32; ++lane)
      for (uint64_t first : words) {
        uint64_t round = first ^ chosen(plan.after, lane, warp);
        uint64_t place = plan.reads.apply({round, lane, warp});
        unsigned source = place >> plan.reads.dimBits()[0];
        uint64_t offered = plan.sourceRegister(round) ^ chosen(plan.before, source, warp);
        for (unsigned e = 0; e < perWord; ++e) {
          uint64_t read = from.apply({offered ^ inWord(plan.packedFrom, e), source, warp});
          ASSERT_EQ(read, to.apply({first ^ inWord(plan.packedTo, e), lane, warp}))
              << from.toString() << " -> " << to.toString() << " lane " << lane << " register "
              << first << "." << e;
        }
      }
}

std::optional<ShufflePlan> check(const LinearLayout &from, const LinearLayout &to, unsigned bits) {
  auto plan = planShuffles(from, to, bits);
  if (plan)
    execute(*plan, from, to);
  return plan;
}

/// Register and lane bits in any order, XORed into each other.
void mix(std::mt19937 &rng, Bases &bases, unsigned times) {
  std::shuffle(bases.begin(), bases.end(), rng);
  for (unsigned i = 0; i < times; ++i) {
    unsigned a = rng() % bases.size(), b = rng() % bases.size();
    if (a != b)
      bases[a] ^= bases[b];
  }
}

/// A tile of a warp's registers and lanes and two warp bits, with some lane bits making copies:
/// of nothing, or of an other element than the lane's own.
LinearLayout random(std::mt19937 &rng, unsigned inWarp, unsigned copies, unsigned times) {
  Bases bases;
  for (unsigned i = 0; i < inWarp; ++i)
    bases.push_back(uint64_t(1) << i);
  mix(rng, bases, times);
  Bases lanes(bases.begin(), bases.begin() + (5 - copies));
  Bases registers(bases.begin() + (5 - copies), bases.end());
  for (unsigned i = 0; i < copies; ++i) {
    uint64_t copy = rng() % 2 && !lanes.empty() ? lanes[rng() % lanes.size()] : 0;
    lanes.insert(lanes.begin() + rng() % (lanes.size() + 1), copy);
  }
  Bases warps{uint64_t(1) << inWarp, uint64_t(2) << inWarp};
  for (uint64_t &warp : warps)
    if (rng() % 4 == 0)
      warp ^= rng() % (uint64_t(1) << inWarp);
  return layout(registers, lanes, warps, inWarp + 2);
}
} // namespace

TEST(Shuffle, RandomPairsWithinAWarp) {
  std::mt19937 rng(1);
  for (int round = 0; round < 3000; ++round) {
    unsigned inWarp = 5 + rng() % 4, times = rng() % 3 * 4;
    unsigned bits = 8u << rng() % 4;
    LinearLayout from = random(rng, inWarp, 0, times), to = random(rng, inWarp, 0, times);
    ASSERT_TRUE(check(from, to, bits)) << from.toString() << " -> " << to.toString();
    if (testing::Test::HasFatalFailure())
      return;
  }
}

TEST(Shuffle, RandomPairsWithCopies) {
  std::mt19937 rng(2);
  for (int round = 0; round < 3000; ++round) {
    unsigned inWarp = 3 + rng() % 4, times = rng() % 3 * 4;
    auto copies = [&] { return std::max<int>(rng() % 4, 5 - int(inWarp)); };
    LinearLayout from = random(rng, inWarp, copies(), times),
                 to = random(rng, inWarp, copies(), times);
    ASSERT_TRUE(check(from, to, 8u << rng() % 4)) << from.toString() << " -> " << to.toString();
    if (testing::Test::HasFatalFailure())
      return;
  }
}

TEST(Shuffle, NotAcrossWarps) {
  LinearLayout from = layout({1}, {2, 4, 8, 16, 32}, {64}, 7);
  EXPECT_FALSE(planShuffles(from, layout({64}, {2, 4, 8, 16, 32}, {1}, 7), 32));
  EXPECT_FALSE(planShuffles(from, layout({1}, {2, 4, 8, 16, 64}, {32}, 7), 32));
  // Unless every warp has a copy.
  LinearLayout copies = layout({1}, {2, 4, 8, 16, 32}, {0}, 6);
  EXPECT_TRUE(check(copies, layout({32}, {1, 2, 4, 8, 16}, {0}, 6), 32));
  // A warp that wants half of the lanes' elements wants two registers of each.
  EXPECT_FALSE(planShuffles(copies, layout({}, {1, 2, 4, 8, 16}, {32}, 6), 32));
}

TEST(Shuffle, CostsOfTranspositions) {
  // 32x32, a row a lane, becomes a column a lane.
  LinearLayout rows = layout({1, 2, 4, 8, 16}, {32, 64, 128, 256, 512}, {}, 10);
  LinearLayout columns = layout({32, 64, 128, 256, 512}, {1, 2, 4, 8, 16}, {}, 10);
  auto plan = check(rows, columns, 32);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->shuffles(), 31u);
  EXPECT_EQ(plan->selects(), 32u * 10);
  // One bit changes places: half of the registers move, in words of two halves.
  LinearLayout one = layout({1, 2, 32, 8}, {4, 16, 64, 128, 256}, {}, 9);
  LinearLayout other = layout({1, 2, 4, 8}, {32, 16, 64, 128, 256}, {}, 9);
  plan = check(one, other, 32);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->shuffles(), 8u);
  EXPECT_EQ(plan->selects(), 32u);
  plan = check(one, other, 16);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->words(), 8u);
  EXPECT_EQ(plan->shuffles(), 4u);
  // Lanes change places only: no selects.
  plan = check(one, layout({1, 2, 32, 8}, {16, 4, 64, 128, 256}, {}, 9), 32);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->shuffles(), 16u);
  EXPECT_EQ(plan->selects(), 0u);
}

TEST(Shuffle, AResultOfTensorCoresBecomesAnOperand) {
  // Two columns of eight rows each, as 16-bit elements: nothing moves; as 8-bit elements, four
  // columns of a lane come from two lanes.
  LinearLayout result = layout({1, 512, 8, 16}, {2, 4, 64, 128, 256}, {}, 10);
  LinearLayout operand = layout({1, 512, 2, 16}, {4, 8, 64, 128, 256}, {}, 10);
  auto plan = check(result, operand, 8);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->words(), 4u);
  EXPECT_LE(plan->shuffles(), 4u);
  auto same = check(result, result, 16);
  ASSERT_TRUE(same);
  EXPECT_EQ(same->shuffles(), 0u);
  EXPECT_EQ(same->selects(), 0u);
}
