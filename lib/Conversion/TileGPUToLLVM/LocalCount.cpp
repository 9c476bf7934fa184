//===- LocalCount.cpp - elements that are counted in shared memory --------===//
//
// One red.shared.add of 1 an element. What is added must be a constant: then ptxas has, from
// compute capability 8.0 on, an instruction (ATOMS.POPC.INC) that adds as many as lanes of a warp
// name one element at once, so that a tile of equal numbers takes no longer than another one.
//
//===----------------------------------------------------------------------===//

#include "LocalMemory.h"

using namespace mlir;

namespace tritium::ttg {

LogicalResult LocalMemoryLowering::lowerLocalCount(LocalCountOp op) {
  Value base = scalar(op.getMemory()), bins = i32(op.getMemory().getType().getShape()[0]);
  const TileLayout &tile = layout(op.getIndex());
  Value first = isFirstCopy(tile);
  for (auto [r, index] : llvm::enumerate(get(op.getIndex()))) {
    Value counts = cmp(LLVM::ICmpPredicate::ult, index, bins);
    counts = both(both(first, isInside(tile, threadCoordinates(op.getIndex()), r)), counts);
    Value address = gep(base, b.getI32Type(), index);
    assembly({}, "@$1 red.shared.add.u32 [$0], 1;", "r,b,~{memory}",
             {b.create<LLVM::PtrToIntOp>(loc, b.getI32Type(), address), counts});
  }
  return success();
}

} // namespace tritium::ttg
