//===- TileConversion.h - how tiles change layouts and combine --*- C++ -*-===//
//
// What a conversion between two layouts of registers, and reductions and scans, ask of the machine:
// whether lanes have what they need, shuffles within a warp suffice, or elements go through shared
// memory.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LAYOUT_TILECONVERSION_H
#define TRITIUM_LAYOUT_TILECONVERSION_H

#include "tritium/Layout/Shuffle.h"
#include "tritium/Layout/TileLayout.h"

namespace tritium {

/// A tile whose extents are multiples of powers of two, in panels of such extents, each of
/// which both layouts hold in the same way: an extent of 96 is three panels of 32.
struct Panels {
  TileLayout from, to;             ///< of one panel
  std::vector<Coordinates> starts; ///< of each panel, the last dimension fastest
};
/// Nothing if a layout has padding, or panels would be too small.
std::optional<Panels> panelsOf(const TileLayout &from, const TileLayout &to, unsigned elementBits);

/// Where each of the panels begins that it takes to cover a tile, the last dimension fastest.
std::vector<Coordinates> panelStarts(llvm::ArrayRef<int64_t> extents,
                                     llvm::ArrayRef<int64_t> panel);
/// Whether `tile` has a register, be it for padding, for each place of all panels. Extents of the
/// panel are powers of two.
bool coversPanels(const TileLayout &tile, llvm::ArrayRef<int64_t> panel);
/// What `tile`, which covers the panels, holds of one, in registers of their own.
TileLayout layoutOfPanel(const TileLayout &tile, llvm::ArrayRef<int64_t> panel);

/// The layout of each part of a tile, of extents `part`, powers of two that divide the tile's, and
/// at multiples of them. Nothing if a thread does not hold as much of each in registers of its own.
std::optional<TileLayout> layoutOfPart(const TileLayout &tile, llvm::ArrayRef<int64_t> part);

/// How a tile changes its layout.
struct TileConversion {
  enum Kind { Registers, Shuffles, Shared } kind;
  ShufflePlan shuffles;         ///< for every panel
  std::optional<Panels> panels; ///< through shared memory without them: in row-major order
};
/// Registers are renamed if that is enough. Shuffles need no barrier and no memory, but a word
/// costs a shuffle and selects where shared memory writes and reads it once: they are taken
/// while they are not more work than that.
TileConversion planConversion(const TileLayout &from, const TileLayout &to, unsigned elementBits);

/// What a reduction does with each bit of lanes and warps.
struct ReductionPlan {
  llvm::SmallVector<unsigned> laneBits; ///< along the axis
  llvm::SmallVector<unsigned> warpBits;
  bool isSeparable = true; ///< every bit lies along the axis or along the rest
};
ReductionPlan planReduction(const TileLayout &src, unsigned axis);

/// The bits of registers, lanes and warps in the order in which a scan along an axis combines what
/// they tell apart.
struct ScanPlan {
  struct Bit {
    llvm::StringRef input;
    unsigned number;
  };
  llvm::SmallVector<Bit> bits; ///< each bit of the coordinate within the core
  int64_t extent = 1;          ///< along the axis
  /// Each bit along the axis is one bit of a coordinate, lanes ascend, and warps follow behind.
  bool isPossible = true;

  /// Elements along the axis, a power of two, that one warp holds; all if no other has more.
  int64_t part() const;
};
ScanPlan planScan(const TileLayout &src, unsigned axis);

} // namespace tritium

#endif // TRITIUM_LAYOUT_TILECONVERSION_H
