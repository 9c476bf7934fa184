//===- OtherAccesses.h - what else a kernel does with memory ----*- C++ -*-===//

#ifndef TRITIUM_LIB_DIALECT_TILENVGPU_TRANSFORMS_OTHERACCESSES_H
#define TRITIUM_LIB_DIALECT_TILENVGPU_TRANSFORMS_OTHERACCESSES_H

#include "tritium/Dialect/Tile/IR/Tile.h"

namespace tritium::ttng {

/// What a kernel does with global memory, but for its stores: those that are no stores by TMA are
/// added.
class OtherAccesses {
public:
  explicit OtherAccesses(tt::FuncOp func) {
    func.getBody().walk([&](mlir::Operation *op) { add(op); });
  }

  /// Something hands on what has been written, or may do anything.
  bool isOrdered() const { return !ordering.empty(); }
  llvm::StringRef whatOrders() const { return ordering; }
  bool empty() const { return pointers.empty(); }
  void addPointer(mlir::Value pointer) { pointers.push_back(pointer); }
  bool mayReach(mlir::Value pointer) const;

private:
  void add(mlir::Operation *op);

  std::string ordering;
  llvm::SmallVector<mlir::Value> pointers;
};

} // namespace tritium::ttng

#endif // TRITIUM_LIB_DIALECT_TILENVGPU_TRANSFORMS_OTHERACCESSES_H
