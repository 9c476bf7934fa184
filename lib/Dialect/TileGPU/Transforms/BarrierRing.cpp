//===- BarrierRing.cpp - barriers in memory, one a buffer -----------------===//

#include "BarrierRing.h"

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"
#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tritium::ttg {

static Value constant(OpBuilder &b, Location loc, int64_t value) {
  return b.create<arith::ConstantOp>(loc, b.getI32IntegerAttr(value));
}

Value ringAt(OpBuilder &b, Location loc, Value ring, Value slot) {
  return b.create<MemDescIndexOp>(loc, ring, slot, std::nullopt);
}

Value allocateRing(OpBuilder &b, Location loc, int64_t buffers, Type element) {
  auto rows = swizzledLayout(b.getContext(), {1}, {0}, tt::scalarBytes(element));
  return b.create<LocalAllocOp>(loc, MemDescType::get(b.getContext(), {buffers, 1}, element, rows,
                                                      MemorySpace::Shared, /*isMutable=*/true));
}

Value makeBarrierRing(OpBuilder &b, Location loc, int64_t buffers, int32_t arrivals) {
  Value barriers = allocateRing(b, loc, buffers, b.getI64Type());
  for (int64_t i = 0; i < buffers; ++i)
    b.create<ttng::MBarrierInitOp>(loc, ringAt(b, loc, barriers, constant(b, loc, i)), arrivals);
  return barriers;
}

void endBarrierRing(OpBuilder &b, Location loc, Value barriers) {
  int64_t buffers = cast<MemDescType>(barriers.getType()).getNumBuffers();
  for (int64_t i = 0; i < buffers; ++i)
    b.create<ttng::MBarrierInvalidateOp>(loc, ringAt(b, loc, barriers, constant(b, loc, i)));
}

void advanceInRing(OpBuilder &b, Location loc, int64_t buffers, Value &slot, Value &phase) {
  if (buffers == 1) {
    phase = b.create<arith::XOrIOp>(loc, phase, constant(b, loc, 1));
    return;
  }
  Value next = b.create<arith::AddIOp>(loc, slot, constant(b, loc, 1));
  Value wraps =
      b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, next, constant(b, loc, buffers));
  slot = b.create<arith::SelectOp>(loc, wraps, constant(b, loc, 0), next);
  Value other = b.create<arith::XOrIOp>(loc, phase, constant(b, loc, 1));
  phase = b.create<arith::SelectOp>(loc, wraps, other, phase);
}

} // namespace tritium::ttg
