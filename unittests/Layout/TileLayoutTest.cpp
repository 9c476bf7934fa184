// Layouts of any extents: every element is held, padding is where it is said to be.

#include "tritium/Layout/TileLayout.h"

#include "gtest/gtest.h"

#include <map>

using namespace tritium;

namespace {
/// One dimension: `size` neighbours a lane, 32 lanes, `warps` warps.
TileLayout line(int64_t extent, int64_t size, int64_t warps) {
  CoreBuilder core({extent}, {size * 32 * warps});
  core.add(kRegister, 0, size).add(kLane, 0, 32).add(kWarp, 0, warps);
  return TileLayout(core.finish({0}), {extent});
}

void checkCovers(const TileLayout &layout) {
  int64_t elements = 1;
  for (int64_t extent : layout.extents())
    elements *= extent;
  std::map<Coordinates, int> seen;
  for (unsigned w = 0; w < layout.warps(); ++w)
    for (unsigned l = 0; l < layout.lanes(); ++l)
      for (unsigned r = 0; r < layout.registers(); ++r) {
        Coordinates at = layout.at(r, l, w);
        bool inside = true;
        for (unsigned d = 0; d < layout.rank(); ++d) {
          if (at[d] >= layout.extents()[d]) {
            inside = false;
            EXPECT_TRUE(layout.mayBePadding(r, d));
          }
        }
        if (inside)
          ++seen[at];
        else
          EXPECT_NE(r, 0u) << "the first register is never padding";
      }
  EXPECT_EQ(int64_t(seen.size()), elements);
  // A copy of one is a copy of all.
  for (auto &[at, count] : seen)
    EXPECT_EQ(count, seen.begin()->second);
}
} // namespace

TEST(TileLayout, EveryExtentIsCovered) {
  for (int64_t extent : {1, 2, 3, 5, 31, 32, 33, 48, 96, 128, 300, 781, 1000, 1024})
    for (int64_t size : {1, 4})
      for (int64_t warps : {1, 4}) {
        SCOPED_TRACE(testing::Message() << extent << " by " << size << "x32x" << warps);
        checkCovers(line(extent, size, warps));
      }
}

TEST(TileLayout, RepeatsWasteLessThanAPowerOfTwo) {
  EXPECT_EQ(line(781, 1, 4).registers(), 7u);
  EXPECT_EQ(line(3000, 8, 4).registers(), 24u);
  EXPECT_EQ(line(96, 1, 1).registers(), 3u);
  EXPECT_FALSE(line(96, 1, 1).hasPadding());
  EXPECT_TRUE(line(781, 1, 4).hasPadding());
}

TEST(TileLayout, VectorsAreNeighbours) {
  TileLayout layout = line(1024, 4, 2);
  EXPECT_EQ(layout.contiguous(0), 4u);
  for (auto &group : layout.vectors(0, 4))
    for (unsigned i = 0; i < 4; ++i)
      for (unsigned lane : {0u, 5u, 31u}) {
        EXPECT_EQ(layout.at(group[i], lane, 1)[0], layout.at(group[0], lane, 1)[0] + i);
        EXPECT_EQ(layout.at(group[0], lane, 1)[0] % 4, 0);
      }
  // A width that does not divide the extent would reach into the padding.
  EXPECT_EQ(line(781, 4, 1).contiguous(0), 1u);
  EXPECT_EQ(line(3000, 8, 4).contiguous(0), 8u);
  EXPECT_EQ(line(3004, 8, 4).contiguous(0), 4u);
}

TEST(TileLayout, LanesBeyondTheTileHoldCopies) {
  TileLayout layout = line(16, 1, 2);
  EXPECT_EQ(layout.registers(), 1u);
  EXPECT_EQ(layout.core().freeMask(kLane), 16u);
  EXPECT_EQ(layout.core().freeMask(kWarp), 1u);
  checkCovers(layout);
}

TEST(TileLayout, TwoDimensionsWithARemainder) {
  CoreBuilder core({5, 48}, {4, 32});
  core.add(kRegister, 1, 4).add(kLane, 1, 8).add(kLane, 0, 4);
  TileLayout layout(core.finish({1, 0}), {5, 48});
  checkCovers(layout);
}
