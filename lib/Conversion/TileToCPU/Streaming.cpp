//===- Streaming.cpp - stores past the caches -----------------------------===//
//
// PlanStreams.cpp says which stores. Only whole registers without a mask are streamed:
//
//   store %v, %p   ->   if (%p is aligned) { store %v, %p nontemporal } else { store %v, %p }
//   return         ->   sfence; return
//
// Other threads may see streamed elements late; at the end of a launch they must see them, hence
// the fence.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;

namespace tritium::cpu {

/// Emits the innermost loop of a phase around its streamed stores; false: there are none.
/// A line that is partly streamed and partly stored goes to memory twice, with a fetch in
/// between, so only whole lines are streamed, and none but the bytes around them touched:
///
///   | one by one | registers ... | lines ... | one by one |
///                ^ a multiple of the line's size
bool Lowering::emitStreamedRow(PhaseState &state, unsigned level, const Index &index) {
  auto streamed = cast_or_null<tt::StoreOp>(state.loops.streamed);
  if (!streamed || level + 1 != state.step.loopOrder.size())
    return false;
  int64_t dim = state.step.lanesDim;
  int64_t bytes = tt::scalarBytes(pointeeOf(streamed.getPtr())), line = kCacheLine / bytes;
  Index first = index;
  first.dims[dim] = {DimIndex::Lanes, i64(0)};
  first.width = first.valid = state.loops.width;
  Chunk ptr = evaluate(streamed.getPtr(), first);

  Value address = b.create<LLVM::PtrToIntOp>(loc, b.getI64Type(), scalarAddress(ptr));
  Value toLine = b.create<arith::AndIOp>(loc, sub(i64(0), address), i64(kCacheLine - 1));
  Value from = b.create<arith::DivUIOp>(loc, toLine, i64(bytes));
  // Behind the leading masks nothing is stored.
  Value extent = countLeading(state, index);
  from = minSigned(from, extent);
  leading.masks.insert(state.loops.leadingMasks.begin(), state.loops.leadingMasks.end());
  leading.dim = dim;
  auto emit = [&](Value lower, Value upper, int64_t width) {
    loop(lower, upper, width, {}, [&](Value i, ValueRange) -> SmallVector<Value> {
      Index next = index;
      next.dims[dim] = {width == 1 ? DimIndex::Scalar : DimIndex::Lanes, i};
      next.width = next.valid = width;
      isStreaming = width != 1;
      leading.at = i;
      emitLevel(state, level + 1, next);
      isStreaming = false;
      return {};
    });
  };
  emit(i64(0), from, 1);
  for (int64_t width = state.loops.width; width >= line; width = width > line ? line : 0) {
    Value whole = b.create<arith::AndIOp>(loc, sub(extent, from), i64(-width));
    Value end = add(from, whole);
    emit(from, end, width);
    from = end;
  }
  emit(from, extent, 1);
  leading = {};
  return true;
}

void Lowering::storePastCache(Value address, Value value, unsigned bytes) {
  Value number = b.create<LLVM::PtrToIntOp>(loc, b.getI64Type(), address);
  Value rest = b.create<arith::AndIOp>(loc, number, i64(kCacheLine - 1));
  Value isAligned = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, rest, i64(0));
  auto branch = b.create<scf::IfOp>(loc, isAligned, /*else=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  storeInOrder(value, address, kCacheLine, /*isStreamed=*/true);
  b.setInsertionPointToStart(branch.elseBlock());
  storeInOrder(value, address, bytes, /*isStreamed=*/false);
}

void Lowering::emitStreamFence() {
  if (!plan.streamedStores.empty())
    b.create<LLVM::CallIntrinsicOp>(loc, TypeRange(), b.getStringAttr("llvm.x86.sse.sfence"),
                                    ValueRange());
}

} // namespace tritium::cpu
