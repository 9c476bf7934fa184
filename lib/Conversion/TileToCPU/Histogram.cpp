//===- Histogram.cpp - elements that are counted --------------------------===//
//
// One element after the other, in the buffer of the result, which is zero before. Two neighbours
// may be one number, so that registers of them cannot be counted at once. What falls into no bin
// is counted behind the last one, which takes less time than a branch around it.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;

namespace tritium::cpu {

void Lowering::emitCount(tt::HistogramOp op, const Index &index) {
  const Buffer &counts = *plan.home(op);
  Type i32 = b.getI32Type();
  Value bin = asValue(evaluate(op.getSrc(), index), i32, {});
  bin = b.create<arith::MinUIOp>(loc, bin, constant(i32, op.getType().getNumElements()));
  bin = b.create<arith::ExtUIOp>(loc, b.getI64Type(), bin);
  Value address = elementAddress(counts, bin);
  Value count = b.create<LLVM::LoadOp>(loc, i32, address);
  count = b.create<arith::AddIOp>(loc, count, constant(i32, 1));
  b.create<LLVM::StoreOp>(loc, count, address);
}

} // namespace tritium::cpu
