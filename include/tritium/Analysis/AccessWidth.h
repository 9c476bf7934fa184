//===- AccessWidth.h - how much of an access moves at once ------*- C++ -*-===//

#ifndef TRITIUM_ANALYSIS_ACCESSWIDTH_H
#define TRITIUM_ANALYSIS_ACCESSWIDTH_H

#include "tritium/Analysis/MaskRuns.h"
#include "tritium/Layout/TileLayout.h"

namespace tritium::ttg {

/// Of an instruction that accesses memory.
constexpr int64_t kMaxVectorBytes = 16;

/// Bytes of what a pointer, or each of a tile of them, leads to.
int64_t pointeeBytes(mlir::Value ptr);

/// Where in a vector the bound of a mask may be.
enum class Crossing { Never, AtEnd, Anywhere };

/// Neighbours along `dim` that move together. Their mask is constant or, where a bound may cross
/// them, as `runs` says.
struct AccessRuns {
  MaskRuns runs;
  unsigned dim = 0;
};

/// How elements behind a tile of pointers in `layout` move. The mask may be null.
AccessRuns accessRuns(mlir::Value ptr, mlir::Value mask, const TileLayout &layout,
                      const AxisInfoAnalysis &axes, Crossing crossing);

/// Elements of a load or store of tiles that may move together, whatever the layout.
int64_t widthOf(mlir::Operation *access, const AxisInfoAnalysis &axes, Crossing crossing);

} // namespace tritium::ttg

#endif // TRITIUM_ANALYSIS_ACCESSWIDTH_H
