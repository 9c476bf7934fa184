//===- Streaming.cpp - stores past the caches -----------------------------===//
//
// A store that misses the cache fetches its line first, and throws another one out. For an
// output larger than the caches both are waste; a streaming store goes to memory past them.
// How large an output is, the launch knows. So the lowering tells what one program would
// store that way (ParameterInfo::streamedBytes), and does it in the version of the kernel
// that CompileOptions::streamStores asks for:
//
//   store %v, %p   ->   if (%p is aligned) { store %v, %p nontemporal } else { store %v, %p }
//   return         ->   sfence; return
//
// Only whole registers without a mask are streamed. Other threads may see streamed elements
// late; at the end of a launch they must see them, hence the fence. Kernels with atomics,
// through which threads may meet earlier, do not stream, nor do those with matrix products,
// whose results are a small part of their traffic.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "tritium/Analysis/PointerBases.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tritium::cpu {

constexpr int64_t kLine = 64; ///< bytes of a line of the cache
/// A row of fewer lines does not make up for what is stored one by one around them.
constexpr int64_t kLeastLines = 32;
constexpr unsigned kLeastBytes = 4; ///< of an element, for the same reason

/// Whether `value` changes from one round of the loop around `body` to the next.
static bool variesIn(Value value, Block &body, llvm::SmallPtrSetImpl<Operation *> &seen) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == &body;
  Operation *op = value.getDefiningOp();
  if (!body.getParentOp()->isProperAncestor(op) || !seen.insert(op).second)
    return false;
  return op->getNumRegions() > 0 || llvm::any_of(op->getOperands(), [&](Value operand) {
           return variesIn(operand, body, seen);
         });
}

/// A loop that stores to the same place each time is better off with it in the cache. One
/// that walks along a row under a mask has a rest to store in each row: an ordinary store
/// holds up the streamed ones behind it until it has its line.
static bool suitsItsLoops(tt::StoreOp store) {
  if (store.getMask() && store->getParentOfType<scf::ForOp>())
    return false;
  for (Operation *parent = store->getParentOp(); !isa<tt::FuncOp>(parent);
       parent = parent->getParentOp()) {
    if (isa<scf::IfOp>(parent))
      continue;
    auto loop = dyn_cast<scf::ForOp>(parent);
    llvm::SmallPtrSet<Operation *, 16> seen;
    if (!loop || !variesIn(store.getPtr(), *loop.getBody(), seen))
      return false;
  }
  return true;
}

void Lowering::findStreamedStores() {
  if (!target.isX86 || hasDot || options.mayAlias || metadata.hasIndirectPointers ||
      kernel
          .walk([](Operation *op) {
            return isa<tt::AtomicRMWOp, tt::AtomicCASOp>(op) ? WalkResult::interrupt()
                                                             : WalkResult::advance();
          })
          .wasInterrupted())
    return;
  kernel.walk([&](tt::StoreOp store) {
    auto type = dyn_cast<RankedTensorType>(store.getPtr().getType());
    auto base = dyn_cast_or_null<BlockArgument>(basesOf(store.getPtr()).only());
    if (!type || !base || tt::scalarBytes(pointeeOf(store.getPtr())) < kLeastBytes ||
        metadata.parameters[base.getArgNumber()].isRead || !suitsItsLoops(store) ||
        store.getEvict() == tt::EvictionPolicy::LAST)
      return;
    uint64_t &total = metadata.parameters[base.getArgNumber()].streamedBytes;
    uint64_t bytes =
        static_cast<uint64_t>(type.getNumElements()) * tt::scalarBytes(pointeeOf(store.getPtr()));
    total =
        store->getParentOfType<scf::ForOp>() ? kUnknownBytes : llvm::SaturatingAdd(total, bytes);
    if (options.streamStores)
      streamedStores.insert(store);
  });
}

/// Emits the innermost loop of a phase around its streamed stores; false: there are none.
/// A line that is partly streamed and partly stored goes to memory twice, with a fetch in
/// between, so only whole lines are streamed, and none but the bytes around them touched:
///
///   | one by one | registers ... | lines ... | one by one |
///                ^ a multiple of the line's size
bool Lowering::emitStreamedRow(PhaseState &state, unsigned level, const Index &index) {
  int64_t dim = state.step->lanesDim, extent = state.step->shape[dim];
  if (streamedStores.empty() || !state.isPlain || level + 1 != state.loopOrder.size())
    return false;
  tt::StoreOp streamed;
  for (const Root &root : state.step->roots) {
    auto store = root.kind == Root::Store ? cast<tt::StoreOp>(root.op) : tt::StoreOp();
    if (!store || (store.getMask() && !assumedMasks.count(store.getMask())))
      return false;
    if (!streamed && streamedStores.contains(store))
      streamed = store;
  }
  if (!streamed)
    return false;
  Type pointee = pointeeOf(streamed.getPtr());
  int64_t bytes = tt::scalarBytes(pointee), line = kLine / bytes;
  if (extent < kLeastLines * line || state.width % line)
    return false;
  Index first = index;
  first.dims[dim] = {DimIndex::Lanes, i64(0)};
  first.width = first.valid = state.width;
  Chunk ptr = evaluate(streamed.getPtr(), first);
  if (!isUnitStride(ptr, pointee))
    return false;

  Value address = b.create<LLVM::PtrToIntOp>(loc, b.getI64Type(), scalarAddress(ptr));
  Value toLine = b.create<arith::AndIOp>(loc, sub(i64(0), address), i64(kLine - 1));
  Value from = b.create<arith::DivUIOp>(loc, toLine, i64(bytes));
  auto emit = [&](Value lower, Value upper, int64_t width) {
    loop(lower, upper, width, {}, [&](Value i, ValueRange) -> SmallVector<Value> {
      Index next = index;
      next.dims[dim] = {width == 1 ? DimIndex::Scalar : DimIndex::Lanes, i};
      next.width = next.valid = width;
      isStreaming = width != 1;
      emitLevel(state, level + 1, next);
      isStreaming = false;
      return {};
    });
  };
  emit(i64(0), from, 1);
  for (int64_t width = state.width; width >= line; width = width > line ? line : 0) {
    Value whole = b.create<arith::AndIOp>(loc, sub(i64(extent), from), i64(-width));
    Value end = add(from, whole);
    emit(from, end, width);
    from = end;
  }
  emit(from, i64(extent), 1);
  return true;
}

void Lowering::storePastCache(Value address, Value value, unsigned bytes) {
  Value number = b.create<LLVM::PtrToIntOp>(loc, b.getI64Type(), address);
  Value rest = b.create<arith::AndIOp>(loc, number, i64(kLine - 1));
  Value isAligned = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, rest, i64(0));
  auto branch = b.create<scf::IfOp>(loc, isAligned, /*else=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  storeInOrder(value, address, kLine, /*isStreamed=*/true);
  b.setInsertionPointToStart(branch.elseBlock());
  storeInOrder(value, address, bytes, /*isStreamed=*/false);
}

void Lowering::emitStreamFence() {
  if (!streamedStores.empty())
    b.create<LLVM::CallIntrinsicOp>(loc, TypeRange(), b.getStringAttr("llvm.x86.sse.sfence"),
                                    ValueRange());
}

} // namespace tritium::cpu
