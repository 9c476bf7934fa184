//===- LocalGather.cpp - elements of shared memory that indices name ------===//

#include "LocalMemory.h"

using namespace mlir;

namespace tritium::ttg {

/// Each register from where its index says, inside of the source's extent whatever the index.
LogicalResult LocalMemoryLowering::lowerLocalGather(LocalGatherOp op) {
  MemDescType memory = op.getSrc().getType();
  Type element = memory.getElementType(), bits = intType(8 * tt::scalarBytes(element));
  const TileLayout &tile = layout(op);
  SmallVector<Value, 4> thread = coordinatesOfThread(tile);
  Registers result;
  for (auto [r, index] : llvm::enumerate(get(op.getIndex()))) {
    Value place = i32(0);
    for (auto [d, extent] : llvm::enumerate(memory.getShape())) {
      Value at = coordinate(tile, thread, r, d);
      if (d == op.getAxis()) {
        // Without a sign, what is below zero is beyond the end.
        Value last = constant(index.getType(), extent - 1);
        at = select(cmp(LLVM::ICmpPredicate::ult, index, last), index, last);
        at = trunc(at, 32);
      }
      place = add(mul(place, i32(extent)), at);
    }
    if (Value inside = isInside(tile, thread, r))
      place = select(inside, place, i32(0));
    Value word = b.create<LLVM::LoadOp>(loc, bits, gep(scalar(op.getSrc()), bits, place));
    result.push_back(fromMemory(word, element));
  }
  set(op, std::move(result));
  return success();
}

} // namespace tritium::ttg
