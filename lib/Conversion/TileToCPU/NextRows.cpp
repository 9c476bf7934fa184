//===- NextRows.cpp - asking for rows before they are loaded or stored ----===//
//
// Which rows, and in which phase, the plan says (PlanNextRows.cpp).
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;

namespace tritium::cpu {

/// Where the row begins: of the next program along x one that is loaded.
Value Lowering::addressOf(const NextRow &row) {
  llvm::DenseMap<Value, Value> now = scalars;
  Value id = programIds[0];
  if (!row.isStored())
    programIds[0] = b.create<arith::AddIOp>(loc, id, constant(b.getI32Type(), 1));
  for (Operation *op : row.moving)
    emitScalarOp(Step(Step::Scalar, op));
  MemoScope scope(*this);
  Value pointers = row.pointers();
  Index first;
  first.dims.resize(tt::shapeOf(pointers.getType()).size());
  for (DimIndex &dim : first.dims)
    dim.index = i64(0);
  Value address = scalarAddress(evaluate(pointers, first));
  programIds[0] = id;
  scalars = std::move(now);
  return address;
}

void Lowering::findNextRows(const Step &step) {
  nextRowAddresses.clear();
  for (const NextRow &row : step.nextRows) {
    nextRowAddresses.push_back(addressOf(row));
    if (!row.isStored())
      remark(row.access, "applied",
             "the row of the next program is fetched while this one is computed");
  }
}

void Lowering::fetchNextRows(const Step &step, const Index &index) {
  // Rows that fit beside others in the first cache go there, longer ones to the second.
  constexpr int64_t kNearBytes = 16 * 1024;
  int64_t at = step.lanesDim;
  for (auto [row, address] : llvm::zip(step.nextRows, nextRowAddresses)) {
    int64_t bytes = tt::scalarBytes(pointeeOf(row.pointers()));
    Value chunk = gep(address, mul(index.dims[at].index, bytes));
    bool isNear = !target.fetchesRowsToL2 && step.shape[at] * bytes <= kNearBytes;
    int32_t hint = isNear ? 3 : 2;
    for (int64_t line = 0; line < index.width * bytes; line += kCacheLine)
      b.create<LLVM::Prefetch>(loc, gep(chunk, i64(line)), /*rw=*/row.isStored(), hint,
                               /*cache=*/1);
  }
}

} // namespace tritium::cpu
