// Bank conflicts counted, for pairs of layouts that kernels have.

#include "tritium/Layout/Swizzle.h"

#include "tritium/Layout/Fragments.h"

#include "gtest/gtest.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <random>
#include <set>

using namespace tritium;

namespace {
using Bases = llvm::SmallVector<uint64_t, 8>;

/// Columns in the low bits: a tile of 2^rows x 2^cols.
struct Shape {
  unsigned rows, cols;
  Bases columnsFrom(unsigned i) const { return range(i, cols); }
  Bases rowsFrom(unsigned i) const { return range(cols + i, cols + rows); }
  static Bases range(unsigned begin, unsigned end) {
    Bases bases;
    for (unsigned i = begin; i < end; ++i)
      bases.push_back(uint64_t(1) << i);
    return bases;
  }
};

Bases join(Bases a, const Bases &b) {
  a.append(b.begin(), b.end());
  return a;
}

/// `vector` bits of registers, then five of lanes, then registers.
LinearLayout blocked(Bases order, unsigned vector, unsigned total) {
  LinearLayout::Input reg{kRegister, {}}, lane{kLane, {}};
  for (auto [i, base] : llvm::enumerate(order))
    (i >= vector && i < vector + 5 ? lane : reg).bases.push_back(base);
  return LinearLayout({reg, lane}, {total});
}

LinearLayout byRows(Shape s, unsigned bytes) {
  unsigned vector = std::min(bytes == 1 ? 4u : bytes == 2 ? 3u : 2u, s.cols);
  return blocked(join(s.columnsFrom(0), s.rowsFrom(0)), vector, s.rows + s.cols);
}
LinearLayout byColumns(Shape s, unsigned bytes) {
  unsigned vector = std::min(bytes == 1 ? 4u : bytes == 2 ? 3u : 2u, s.rows);
  return blocked(join(s.rowsFrom(0), s.columnsFrom(0)), vector, s.rows + s.cols);
}
/// The highest two bits of registers go to warps.
LinearLayout byWarps(const LinearLayout &layout) {
  LinearLayout::Input reg{kRegister, {}}, lane{kLane, {}}, warp{kWarp, {}};
  llvm::ArrayRef<uint64_t> registers = layout.bases(kRegister), lanes = layout.bases(kLane);
  reg.bases.append(registers.begin(), registers.end() - 2);
  lane.bases.append(lanes.begin(), lanes.end());
  warp.bases.append(registers.end() - 2, registers.end());
  return LinearLayout({reg, lane, warp}, llvm::SmallVector<unsigned, 4>(layout.dimBits()));
}

LinearLayout accumulator(Shape s) {
  Bases reg{s.columnsFrom(0)[0], s.rowsFrom(0)[3]};
  reg = join(join(reg, s.columnsFrom(3)), s.rowsFrom(4));
  Bases lane{s.columnsFrom(0)[1], s.columnsFrom(0)[2], s.rowsFrom(0)[0], s.rowsFrom(0)[1],
             s.rowsFrom(0)[2]};
  return LinearLayout({{kRegister, reg}, {kLane, lane}}, {s.rows + s.cols});
}
} // namespace

TEST(Swizzle, PairsAreFreeOfConflicts) {
  struct Case {
    Shape shape;
    unsigned bytes;
  };
  for (auto [shape, bytes] :
       {Case{{5, 5}, 2}, Case{{5, 5}, 1}, Case{{6, 5}, 2}, Case{{6, 6}, 2}, Case{{6, 6}, 4},
        Case{{7, 6}, 2}, Case{{5, 7}, 1}, Case{{5, 5}, 4}, Case{{6, 5}, 8}}) {
    std::vector<LinearLayout> layouts{byRows(shape, bytes), byColumns(shape, bytes),
                                      accumulator(shape)};
    for (unsigned i : {0, 1, 2})
      layouts.push_back(byWarps(layouts[i]));
    for (const LinearLayout &a : layouts)
      for (const LinearLayout &b : layouts) {
        SCOPED_TRACE(a.toString() + " -> " + b.toString() + " bytes " + std::to_string(bytes));
        LinearLayout offsets = conflictFreeOffsets(a, b, bytes);
        EXPECT_TRUE(offsets.isOneToOne());
        for (const LinearLayout *side : {&a, &b}) {
          LinearLayout access = offsets.compose(*side);
          unsigned vector = std::min(16u, bytes << runBits(access));
          EXPECT_EQ(bankConflicts(access, bytes, vector), 0u) << access.toString();
        }
      }
  }
}

TEST(Swizzle, MatricesAreFreeOfConflicts) {
  // Halves of an accumulator to rows and to columns, 16 bytes a lane on both sides.
  for (Shape shape : {Shape{4, 4}, Shape{6, 6}, Shape{5, 7}}) {
    LinearLayout from = accumulator(shape);
    for (const LinearLayout &to : {byRows(shape, 2), byColumns(shape, 2)}) {
      SCOPED_TRACE(to.toString());
      LinearLayout offsets = conflictFreeOffsets(from, to, 2, /*storesMatrices=*/true);
      EXPECT_TRUE(offsets.isOneToOne());
      unsigned bytes = 2u << (shape.rows + shape.cols);
      for (bool isStored : {true, false}) {
        const LinearLayout *side = isStored ? &from : &to;
        SharedAccess access = accessOf(offsets.compose(*side), 2, isStored);
        EXPECT_EQ(access.instructions, bytes / 512);
        EXPECT_EQ(access.wavefronts, bytes / 128);
      }
      EXPECT_EQ(bankConflicts(offsets.compose(to), 2, 16), 0u);
      // Nothing but a pair of neighbours is common, so that stmatrix it is.
      if (shape.rows > 4)
        continue;
      auto matrices = planMatrixLoad(inBytes(offsets.compose(from), 2), 2);
      ASSERT_TRUE(matrices);
      ASSERT_EQ(matrices->matrices, 4u);
      for (unsigned matrix = 0; matrix < 4; ++matrix) {
        std::set<uint64_t> banks;
        for (unsigned row = 0; row < 8; ++row)
          banks.insert((matrices->addresses.applyPart(kLane, 8 * matrix + row)) % 128 / 16);
        EXPECT_EQ(banks.size(), 8u);
      }
    }
  }
}

TEST(Swizzle, CostsAreThoseCounted) {
  std::mt19937 rng(1);
  for (int round = 0; round < 500; ++round) {
    Bases bases{1, 2, 4, 8, 16, 32, 64, 128, 256};
    for (unsigned i = 0; i < 6; ++i)
      if (unsigned a = rng() % 9, b = rng() % 9; a != b)
        bases[a] ^= bases[b];
    if (round % 2)
      std::shuffle(bases.begin(), bases.end(), rng);
    LinearLayout::Input reg{kRegister, Bases(bases.begin(), bases.begin() + 4)},
        lane{kLane, Bases(bases.begin() + 4, bases.end())};
    if (round % 3 == 0)
      lane.bases[rng() % 5] = 0;
    LinearLayout map({reg, lane}, {9});
    unsigned bytes = 1u << rng() % 4;
    unsigned vector = std::min(16u, bytes << runBits(map));
    SharedAccess access = accessOf(map, bytes, false);
    unsigned instructions = 16 * bytes / vector;
    EXPECT_EQ(access.instructions, instructions);
    EXPECT_EQ(access.wavefronts,
              instructions * std::max(1u, vector / 4) * (1 + bankConflicts(map, bytes, vector)))
        << map.toString() << " " << bytes;
  }
}

TEST(Swizzle, CommonNeighboursStayTogether) {
  Shape shape{5, 5};
  LinearLayout a = byRows(shape, 4);
  LinearLayout same = conflictFreeOffsets(a, a, 4);
  EXPECT_GE(runBits(same.compose(a)), 2u);
}

TEST(Swizzle, CountsConflicts) {
  // A column of 32-bit elements in rows of 32: all lanes in one bank.
  LinearLayout column({{kLane, {32, 64, 128, 256, 512}}}, {10});
  EXPECT_EQ(bankConflicts(column, 4, 4), 31u);
  LinearLayout row({{kLane, {1, 2, 4, 8, 16}}}, {10});
  EXPECT_EQ(bankConflicts(row, 4, 4), 0u);
}

TEST(Swizzle, RowsOf128BytesForTensorCores) {
  // 64 halves a row: the eight rows of an 8x8 matrix lie in different banks.
  LinearLayout offsets = swizzledOffsets({6, 6}, {1, 0}, 8, 1, 8);
  EXPECT_TRUE(offsets.isOneToOne());
  std::set<uint64_t> groups;
  for (uint64_t row = 0; row < 8; ++row)
    groups.insert(offsets.applyPart(kElement, row | (3 * 8) << 6) * 2 % 128 / 16);
  EXPECT_EQ(groups.size(), 8u);
}
