// The algebra of linear maps, each law checked on every input of random layouts.

#include "tritium/Layout/LinearLayout.h"

#include "gtest/gtest.h"

#include <random>
#include <set>

using namespace tritium;

namespace {
using Bases = llvm::SmallVector<uint64_t, 8>;

/// Register, lane and warp bits that permute the bits of a tile, XORed into each other.
LinearLayout randomInvertible(std::mt19937 &rng, unsigned registers, unsigned lanes, unsigned warps,
                              llvm::SmallVector<unsigned, 4> outputBits) {
  unsigned total = registers + lanes + warps;
  Bases bases;
  for (unsigned i = 0; i < total; ++i)
    bases.push_back(uint64_t(1) << i);
  std::shuffle(bases.begin(), bases.end(), rng);
  for (unsigned i = 0; i < 2 * total; ++i) {
    unsigned a = rng() % total, b = rng() % total;
    if (a != b)
      bases[a] ^= bases[b];
  }
  LinearLayout::Input reg{kRegister, {}}, lane{kLane, {}}, warp{kWarp, {}};
  for (unsigned i = 0; i < total; ++i)
    (i < registers ? reg : i < registers + lanes ? lane : warp).bases.push_back(bases[i]);
  return LinearLayout({reg, lane, warp}, outputBits);
}
} // namespace

TEST(LinearLayout, IsLinear) {
  std::mt19937 rng(1);
  LinearLayout l = randomInvertible(rng, 2, 3, 1, {3, 3});
  for (uint64_t a = 0; a < 4; ++a)
    for (uint64_t b = 0; b < 4; ++b)
      EXPECT_EQ(l.applyPart(kRegister, a ^ b),
                l.applyPart(kRegister, a) ^ l.applyPart(kRegister, b));
  EXPECT_EQ(l.apply({3, 5, 1}),
            l.applyPart(kRegister, 3) ^ l.applyPart(kLane, 5) ^ l.applyPart(kWarp, 1));
}

TEST(LinearLayout, ExampleOfTheHeader) {
  // Dimension 0 is the row. Two columns a lane, then lanes along columns, then rows.
  LinearLayout l = LinearLayout::identity(kRegister, 1, 1, 2) *
                   LinearLayout::identity(kLane, 1, 1, 2) * LinearLayout::identity(kLane, 1, 0, 2) *
                   LinearLayout::identity(kRegister, 1, 0, 2);
  EXPECT_EQ(l.toString(), "register=[(0,1),(2,0)] lane=[(0,2),(1,0)]");
  auto at = l.unflatten(l.apply({3, 3}));
  EXPECT_EQ(at[0], 3);
  EXPECT_EQ(at[1], 3);
}

TEST(LinearLayout, ProductPutsBitsAbove) {
  LinearLayout low = LinearLayout::identity(kLane, 2, 0, 2),
               high = LinearLayout::identity(kLane, 1, 0, 2);
  LinearLayout l = low * high;
  EXPECT_EQ(l.extent(0), 8);
  EXPECT_EQ(l.applyPart(kLane, 7), 7u);
  EXPECT_EQ(*l.divideLeft(low), high);
  EXPECT_FALSE(l.divideLeft(LinearLayout::identity(kLane, 1, 1, 2)));
}

TEST(LinearLayout, ComposeAppliesOneAfterTheOther) {
  std::mt19937 rng(2);
  for (int round = 0; round < 20; ++round) {
    LinearLayout inner = randomInvertible(rng, 2, 2, 2, {2, 2, 2});
    LinearLayout outer = randomInvertible(rng, 2, 2, 2, {4, 2});
    LinearLayout both = outer.compose(inner);
    for (uint64_t r = 0; r < 4; ++r)
      for (uint64_t l = 0; l < 4; ++l)
        for (uint64_t w = 0; w < 4; ++w) {
          auto middle = inner.unflatten(inner.apply({r, l, w}));
          EXPECT_EQ(both.apply({r, l, w}),
                    outer.apply({uint64_t(middle[0]), uint64_t(middle[1]), uint64_t(middle[2])}));
        }
  }
}

TEST(LinearLayout, ConversionsFindTheSameElement) {
  std::mt19937 rng(3);
  for (int round = 0; round < 50; ++round) {
    LinearLayout from = randomInvertible(rng, 2, 3, 1, {3, 3}),
                 to = randomInvertible(rng, 1, 3, 2, {3, 3});
    auto c = from.invertAndCompose(to);
    ASSERT_TRUE(c);
    EXPECT_EQ(from.compose(*c), to);
  }
}

TEST(LinearLayout, ConversionsReadTheFirstCopy) {
  // Lane bit 1 makes copies: nothing is read from there.
  LinearLayout from({{kLane, {1, 0, 2}}}, {2});
  auto c = from.invertAndCompose(LinearLayout::identity(kLane, 2, 0, 1));
  ASSERT_TRUE(c);
  EXPECT_EQ(c->applyPart(kLane, 1), 1u);
  EXPECT_EQ(c->applyPart(kLane, 2), 4u);
  EXPECT_EQ(from.freeMask(kLane), 2u);
  // What nobody holds cannot be read.
  EXPECT_FALSE(LinearLayout({{kLane, {1, 0}}}, {2})
                   .invertAndCompose(LinearLayout::identity(kLane, 2, 0, 1)));
}

TEST(LinearLayout, InverseIsTwoSided) {
  std::mt19937 rng(4);
  LinearLayout l = randomInvertible(rng, 3, 3, 0, {3, 3});
  auto inverse = l.invert();
  ASSERT_TRUE(inverse);
  for (uint64_t x = 0; x < 64; ++x) {
    auto place = inverse->unflatten(inverse->applyPart(kOffset, x));
    EXPECT_EQ(l.apply({uint64_t(place[0]), uint64_t(place[1]), uint64_t(place[2])}), x);
  }
  EXPECT_FALSE(LinearLayout({{kLane, {1, 1}}}, {1}).invert());
}

TEST(LinearLayout, FreeMaskLeavesOneOfEachCopy) {
  std::mt19937 rng(5);
  for (int round = 0; round < 50; ++round) {
    LinearLayout::Input reg{kRegister, {}}, lane{kLane, {}};
    for (int i = 0; i < 2; ++i)
      reg.bases.push_back(rng() % 16);
    for (int i = 0; i < 4; ++i)
      lane.bases.push_back(rng() % 16);
    LinearLayout l({reg, lane}, {4});
    uint64_t freeReg = l.freeMask(kRegister), freeLane = l.freeMask(kLane);
    std::multiset<uint64_t> written;
    std::set<uint64_t> all;
    for (uint64_t r = 0; r < 4; ++r)
      for (uint64_t x = 0; x < 16; ++x) {
        all.insert(l.apply({r, x}));
        if (!(r & freeReg) && !(x & freeLane))
          written.insert(l.apply({r, x}));
      }
    EXPECT_EQ(written.size(), all.size());
    EXPECT_EQ(std::set<uint64_t>(written.begin(), written.end()), all);
  }
}
