//===- LayoutPlan.h - homes and demands of the tiles of a kernel *- C++ -*-===//

#ifndef TRITIUM_LIB_DIALECT_TILEGPU_TRANSFORMS_LAYOUTPLAN_H
#define TRITIUM_LIB_DIALECT_TILEGPU_TRANSFORMS_LAYOUTPLAN_H

#include "LayoutPropagation.h"

#include "llvm/ADT/MapVector.h"

namespace tritium::ttg {

/// The two walks of LayoutPropagation.h: what is known before anything is rewritten.
class LayoutPlan {
public:
  LayoutPlan(tt::FuncOp func, int warps, AnchorRule anchors);

  /// The layouts in which the results of `op` are computed; the first is what the others
  /// that are asked for are converted from.
  llvm::SmallVector<mlir::Attribute, 2> computedIn(mlir::Operation *op) const;
  mlir::Attribute settledLayout(mlir::Operation *op) const;
  /// The layout of operand `index` when `op` is computed in `layout`; null for scalars.
  mlir::Attribute operandLayout(mlir::Operation *op, unsigned index, mlir::Attribute layout) const;
  /// All layouts in which `value` is used.
  llvm::ArrayRef<mlir::Attribute> demandsOf(mlir::Value value) const;
  /// The one layout of a tile that control flow carries.
  mlir::Attribute carriedIn(mlir::Value value) const;
  mlir::Attribute defaultFor(mlir::Type tile) const;

private:
  /// Where a value is at home; `strength` is the size of the largest tile that it is
  /// computed from.
  struct Home {
    mlir::Attribute layout;
    int64_t strength = 0;
    bool operator==(const Home &) const = default;
  };

  void settleBlock(mlir::Block &block);
  void settle(mlir::Operation *op);
  Home transfer(mlir::Operation *op) const;
  Home homeOf(mlir::Value value) const;
  bool raise(mlir::Value value, Home home);
  bool isAtHome(mlir::Value value) const;
  mlir::Attribute layoutOfSources(tt::Combining op) const;

  void askBlock(mlir::Block &block);
  void ask(mlir::Operation *op);
  void demand(mlir::Value value, mlir::Attribute layout);
  /// A value that control flow carries, in the layout that `representative` has.
  void demandLike(mlir::Value value, mlir::Value representative);

  mlir::MLIRContext *context;
  int warps;
  llvm::DenseMap<mlir::Operation *, AnchorLayouts> anchorLayouts;
  llvm::SmallPtrSet<mlir::Operation *, 8> smallLoads; ///< in the layout that is asked of them
  llvm::DenseMap<mlir::Value, Home> homes;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Attribute, 2>> demands;
  bool changed = false, unusedTakeDefault = false;
};

/// A tile made of scalars and constants.
bool isSource(mlir::Operation *op);

} // namespace tritium::ttg

#endif // TRITIUM_LIB_DIALECT_TILEGPU_TRANSFORMS_LAYOUTPLAN_H
