//===- Scan.cpp - scans ---------------------------------------------------===//
//
// Along the lanes: each chunk by itself, in as many steps as its width has bits, and with what
// stands in front of it, which a scalar carries from chunk to chunk. What waits for that scalar is
// one operation a chunk. Along another dimension: a loop over it for each chunk of lanes.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;

namespace tritium::cpu {

/// In the step of `half` lanes the half that comes second, of twice as many, takes what the last
/// of the first half has: of 8 lanes, at the last step, from lane 3 to lanes 4 to 7; in reverse
/// from lane 4 to lanes 0 to 3. Lanes that are not `valid` come last, or in reverse first, and
/// nobody takes anything from them.
SmallVector<Value> Lowering::scanLanes(tt::ScanOp op, ValueRange values, int64_t width,
                                       int64_t valid) {
  SmallVector<Value> sums(values);
  for (int64_t half = 1; half < width; half *= 2) {
    SmallVector<int64_t> from(width);
    SmallVector<bool> takes(width);
    for (int64_t lane = 0; lane < width; ++lane) {
      int64_t middle = lane / (2 * half) * (2 * half) + half;
      int64_t source = op.getReverse() ? middle : middle - 1;
      takes[lane] = (lane < middle) == op.getReverse() && source < valid;
      from[lane] = takes[lane] ? source : lane;
    }
    if (!llvm::is_contained(takes, true))
      continue;
    SmallVector<Value> first;
    for (Value sum : sums)
      first.push_back(b.create<vector::ShuffleOp>(loc, sum, sum, from));
    Value mask = b.create<arith::ConstantOp>(
        loc, DenseElementsAttr::get(VectorType::get(width, b.getI1Type()), takes));
    for (auto [sum, both] : llvm::zip(sums, combine(op, first, sums, width)))
      sum = b.create<arith::SelectOp>(loc, mask, both, sum);
  }
  return sums;
}

void Lowering::scan(Accumulators &acc, ValueRange values, const Index &index) {
  auto op = cast<tt::ScanOp>(acc.op);
  int64_t width = index.hasLanes() ? index.width : 1;
  bool alongLanes = index.hasLanes() && index.lanesDim() == op.getAxis();
  if (!alongLanes) {
    acc.values =
        acc.started ? combine(acc.op, acc.values, values, width) : SmallVector<Value>(values);
    return storeCombined(acc.op, acc.values, index);
  }
  SmallVector<Value> sums = scanLanes(op, values, width, index.valid), last, front;
  for (Value sum : sums)
    last.push_back(b.create<vector::ExtractOp>(
        loc, sum, ArrayRef<int64_t>{op.getReverse() ? 0 : index.valid - 1}));
  for (Value value : acc.values)
    front.push_back(splat(value, width));
  storeCombined(acc.op, acc.started ? combine(acc.op, front, sums, width) : sums, index);
  acc.values = acc.started ? combine(acc.op, acc.values, last, 1) : last;
}

} // namespace tritium::cpu
