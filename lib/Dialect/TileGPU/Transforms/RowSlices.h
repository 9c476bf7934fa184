//===- RowSlices.h - a program whose CTAs have a slice of its row each --*- C++ -*-===//

#ifndef TRITIUM_LIB_DIALECT_TILEGPU_TRANSFORMS_ROWSLICES_H
#define TRITIUM_LIB_DIALECT_TILEGPU_TRANSFORMS_ROWSLICES_H

#include "tritium/Dialect/Tile/IR/Tile.h"

namespace tritium::ttg {

/// What keeps the CTAs of a cluster from having a slice of the row each.
struct RowObstacle {
  mlir::Operation *op = nullptr; ///< null: nothing does
  std::string why;               ///< "this .."
};

/// Of a kernel without layouts, whose tiles have the row along each dimension of `extent`.
RowObstacle findObstacle(tt::FuncOp kernel, int64_t extent);

/// An access that may come too early on one CTA for what the program has accessed before, on
/// another one; null: there is none. `mayAlias`: through different arguments, too.
mlir::Operation *findUnordered(tt::FuncOp kernel, int64_t extent, bool mayAlias);

/// Leaves to each of `ctas` CTAs its slice of the rows of `extent`. Nothing keeps it from that.
void sliceRows(tt::FuncOp kernel, int64_t extent, int ctas);

} // namespace tritium::ttg

#endif // TRITIUM_LIB_DIALECT_TILEGPU_TRANSFORMS_ROWSLICES_H
