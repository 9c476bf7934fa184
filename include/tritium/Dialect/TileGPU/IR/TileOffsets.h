//===- TileOffsets.h - where elements lie in memory ------------*- C++ -*-===//

#ifndef TRITIUM_DIALECT_TILEGPU_IR_TILEOFFSETS_H
#define TRITIUM_DIALECT_TILEGPU_IR_TILEOFFSETS_H

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

namespace tritium::ttg {

/// From the coordinates of a tile's elements in memory to their offsets from its first, in
/// elements: in a panel as its linear map says, and panels one after another, the dimension along
/// which neighbours lie slowest; or, of a layout without panels, in the order of its dimensions.
class TileOffsets {
public:
  TileOffsets() = default;
  explicit TileOffsets(MemDescType memory);

  int64_t operator()(llvm::ArrayRef<int64_t> place) const;

private:
  llvm::SmallVector<int64_t, 4> shape, panel; ///< no panel: elements lie in order
  llvm::SmallVector<int32_t, 4> slowestFirst; ///< dimensions, by which panels or elements count
  LinearLayout inPanel;
  int64_t elements = 1; ///< of a panel
};

/// Whether the tile's elements lie in panels of which none is there in part.
bool isWholePanels(MemDescType memory);
/// Whether threads hold an element of `tile`, be it padding, for each place of the panels of
/// `memory`, in registers of their own for each; or of each such part of the tile.
bool coversPanels(mlir::RankedTensorType tile, MemDescType memory);

} // namespace tritium::ttg

#endif // TRITIUM_DIALECT_TILEGPU_IR_TILEOFFSETS_H
