//===- BoxOfLoad.h - a load of a tile as one of a box -----------*- C++ -*-===//

#ifndef TRITIUM_LIB_DIALECT_TILENVGPU_TRANSFORMS_BOXOFLOAD_H
#define TRITIUM_LIB_DIALECT_TILENVGPU_TRANSFORMS_BOXOFLOAD_H

#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"

namespace tritium::ttng {

/// What a kernel may write.
class Writes {
public:
  Writes(tt::FuncOp func, bool mayAlias);

  /// May be what `pointer` leads to, even if arguments do not overlap.
  bool mayReach(mlir::Value pointer) const;
  bool empty() const { return pointers.empty(); }

private:
  bool mayAlias, isUnknown = false;
  llvm::SmallVector<mlir::Value> pointers;
};

/// A load that has become one of a box: `trans` where neighbours in memory are neighbours along the
/// tile's first dimension, otherwise null.
struct BoxOfLoad {
  LoadBoxOp copy;
  tt::TransOp trans;
};

/// Makes `load` one of a box (kAsyncCopy), to be copied into memory of `layout`, if it is one; else
/// it stays, and a remark says why. Whatever is built for it stands in front of it.
BoxOfLoad makeBox(tt::LoadOp load, mlir::Attribute layout, const Writes &writes);

} // namespace tritium::ttng

#endif // TRITIUM_LIB_DIALECT_TILENVGPU_TRANSFORMS_BOXOFLOAD_H
