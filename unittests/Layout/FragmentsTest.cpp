// ldmatrix executed by hand on memory that holds the offset of every byte.

#include "tritium/Layout/Fragments.h"
#include "tritium/Layout/Swizzle.h"

#include "gtest/gtest.h"

using namespace tritium;

namespace {
/// Operand fragments of mma.sync over a tile of 2^outer x 2^inner, `inner` contiguous.
/// `kFast`: k is the contiguous dimension.
LinearLayout fragment(unsigned outer, unsigned inner, bool kFast, unsigned perWord) {
  // Dimension 0 is the contiguous one.
  unsigned k = kFast ? 0 : 1, other = 1 - k;
  unsigned bits[2] = {inner, outer}, used[2] = {0, 0}, shift[2] = {0, inner};
  LinearLayout::Input reg{kRegister, {}}, lane{kLane, {}};
  auto add = [&](LinearLayout::Input &input, unsigned dim, unsigned count) {
    for (unsigned i = 0; i < count; ++i)
      input.bases.push_back(uint64_t(1) << (shift[dim] + used[dim]++));
  };
  add(reg, k, perWord);
  add(lane, k, 2);
  add(lane, other, 3);
  add(reg, k, 1);
  add(reg, other, bits[other] - used[other]);
  add(reg, k, bits[k] - used[k]);
  return LinearLayout({reg, lane}, {inner, outer});
}

void checkLoads(const LinearLayout &bytes, unsigned elementBytes, bool transposed,
                uint64_t late = 0) {
  auto load = planMatrixLoad(bytes, elementBytes, late);
  ASSERT_TRUE(load);
  EXPECT_EQ(load->transposed, transposed);
  unsigned instructions = 1u << load->addresses.inputBits(kRegister);
  for (unsigned i = 0; i < instructions; ++i)
    for (unsigned j = 0; j < load->matrices; ++j) {
      auto rowAddress = [&](unsigned row) {
        return load->addresses.applyPart(kLane, 8 * j + row) ^
               load->addresses.applyPart(kRegister, i);
      };
      for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned e = 0; e < load->elementsPerWord; ++e) {
          uint64_t got = transposed ? rowAddress(2 * (lane % 4) + e) + 2 * (lane / 4)
                                    : rowAddress(lane / 4) + 4 * (lane % 4) + e * elementBytes;
          unsigned reg = load->registerOf(i, j, e);
          EXPECT_EQ(got, bytes.applyPart(kRegister, reg) ^ bytes.applyPart(kLane, lane));
        }
    }
}
} // namespace

TEST(Fragments, PlainAndTransposed) {
  for (bool kFast : {true, false})
    for (unsigned maxPhase : {1u, 8u}) {
      SCOPED_TRACE(testing::Message() << kFast << " " << maxPhase);
      LinearLayout tile = fragment(5, 6, kFast, 1);
      LinearLayout offsets = swizzledOffsets({6, 5}, {0, 1}, 8, 1, maxPhase);
      checkLoads(inBytes(offsets.compose(tile), 2), 2, !kFast);
    }
}

TEST(Fragments, OtherWidths) {
  LinearLayout words = fragment(4, 5, true, 0);
  checkLoads(inBytes(swizzledOffsets({5, 4}, {0, 1}, 4, 1, 8).compose(words), 4), 4, false);
  LinearLayout quarters = fragment(4, 6, true, 2);
  checkLoads(inBytes(swizzledOffsets({6, 4}, {0, 1}, 16, 2, 4).compose(quarters), 1), 1, false);
  // Bytes cannot be transposed.
  EXPECT_FALSE(planMatrixLoad(fragment(6, 5, false, 2), 1));
}

TEST(Fragments, FewRegisters) {
  LinearLayout tile = fragment(3, 4, true, 1);
  auto load = planMatrixLoad(inBytes(tile, 2), 2);
  ASSERT_TRUE(load);
  EXPECT_EQ(load->matrices, 2u);
  checkLoads(inBytes(tile, 2), 2, false);
}

TEST(Fragments, LateRegistersComeLast) {
  // 32 x 64: bits 4 and 5 of the register's number are those of k from 16 on, if k lies inside;
  // bits 2 and 3 then choose among the rows.
  for (bool kFast : {true, false}) {
    LinearLayout tile = inBytes(fragment(5, 6, kFast, 1), 2);
    unsigned bits = tile.inputBits(kRegister), inK = kFast ? 2 : 1;
    uint64_t late = ((1u << inK) - 1) << (bits - inK);
    checkLoads(tile, 2, !kFast, late);
    auto load = planMatrixLoad(tile, 2, late);
    ASSERT_TRUE(load);
    EXPECT_EQ(load->matrices, 4u);
    // The first half of the instructions reads what lies before the last of k.
    for (unsigned i = 0; i < load->instructions(); ++i)
      for (unsigned j = 0; j < 4; ++j)
        EXPECT_EQ(load->registerOf(i, j, 0) >> (bits - 1), 2 * i / load->instructions());
  }
  // A selector that is not late goes before one that is.
  LinearLayout tile = inBytes(fragment(5, 6, true, 1), 2);
  auto load = planMatrixLoad(tile, 2, 1u << 1);
  ASSERT_TRUE(load);
  EXPECT_EQ(load->registerOf(load->instructions() / 2, 0, 0), 2u);
  checkLoads(tile, 2, false, 1u << 1);
}

TEST(Fragments, RowsOfABlockedLayoutAreNot) {
  LinearLayout blocked({{kRegister, {1, 2, 4}}, {kLane, {8, 16, 32, 64, 128}}}, {8});
  EXPECT_FALSE(planMatrixLoad(inBytes(blocked, 2), 2));
}
