//===- LayoutPropagation.h - layouts for all tiles of a kernel --*- C++ -*-===//
//
// Operations that touch memory and dots have a layout of their own: they are anchors. All
// other layouts follow from them:
//
//   forward    a value whose elements come from an anchor is at home in the anchor's
//              layout, through element-wise operations, reductions, shapes and loops.
//              Of two homes the one of the larger tile wins.
//   backward   every operation asks for its operands in the layout that it needs. A value
//              without a home (ranges, splats, and what is computed of them) is computed
//              once in each layout that is asked for. A value at home elsewhere is converted
//              behind its definition, so never inside a loop if it is defined outside.
//
// A tile that a loop carries has one layout: its home, or the first that is asked for.
// Existing conversions are looked through.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_DIALECT_TILEGPU_TRANSFORMS_LAYOUTPROPAGATION_H
#define TRITIUM_LIB_DIALECT_TILEGPU_TRANSFORMS_LAYOUTPROPAGATION_H

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

namespace tritium::ttg {

/// The layouts of an anchor.
struct AnchorLayouts {
  llvm::SmallVector<mlir::Attribute, 4> operands; ///< null for scalars
  mlir::Attribute result;                         ///< null without a tile as result
};
using AnchorRule = llvm::function_ref<AnchorLayouts(mlir::Operation *)>;

/// Whether `op` touches memory through tiles, or is a dot.
bool isAnchor(mlir::Operation *op);

/// Rebuilds the body of `func` with layouts that follow from `anchors`. Where nothing asks
/// for a layout, tiles have defaultLayout for `warps`.
void propagateLayouts(tt::FuncOp func, int warps, AnchorRule anchors);

} // namespace tritium::ttg

#endif // TRITIUM_LIB_DIALECT_TILEGPU_TRANSFORMS_LAYOUTPROPAGATION_H
