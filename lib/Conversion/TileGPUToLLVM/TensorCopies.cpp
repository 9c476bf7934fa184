//===- TensorCopies.cpp - copies of boxes by TMA --------------------------===//
//
// The first thread of the group starts the copy of each box, and none other does anything. Boxes
// are described by tensor maps, the kernel's hidden parameters (TensorMaps.cpp); coordinates
// begin with the last dimension.
//
//===----------------------------------------------------------------------===//

#include "TensorCopies.h"
#include "Families.h"

#include "tritium/Dialect/TileNVGPU/IR/Boxes.h"
#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"

using namespace mlir;

namespace tritium::ttg {

namespace {
class TensorCopyLowering : public LoweringContext {
public:
  TensorCopyLowering(const LoweringContext &context, TensorMaps maps)
      : LoweringContext(context), maps(std::move(maps)) {}

  LogicalResult lowerLoad(ttng::TMALoadOp op);
  LogicalResult lowerStore(ttng::TMAStoreOp op);
  LogicalResult lowerCommit();
  LogicalResult lowerWait(ttng::TMAStoreWaitOp op);
  LogicalResult lowerPrefetch(ttng::PrefetchRunOp op);

private:
  Value sharedAddress(Value memory) {
    return b.create<LLVM::PtrToIntOp>(loc, b.getI32Type(), scalar(memory));
  }
  /// Calls `emit` for each box of a copy, with the operands that all have in common: $0 the
  /// predicate, $1 the map, $2 the box's address in shared memory, from $3 on its coordinates.
  /// By each warp, of rows of its own, or by one thread.
  void forEachBox(
      Operation *op, Value memory, OperandRange offsets, bool byWarp,
      llvm::function_ref<void(SmallVector<Value>, std::string constraints, std::string coordinates)>
          emit);

  TensorMaps maps;
};
} // namespace

void TensorCopyLowering::forEachBox(
    Operation *op, Value memory, OperandRange offsets, bool byWarp,
    llvm::function_ref<void(SmallVector<Value>, std::string, std::string)> emit) {
  ttng::Boxes boxes = *ttng::boxesOf(cast<MemDescType>(memory.getType()));
  size_t firstMap = entry->getNumArguments() - parametersOfGrid() - maps.parameters.size();
  Value map = entry->getArgument(firstMap + maps.ofCopy.lookup(op)), first = sharedAddress(memory);
  Value row, isFirst = byWarp ? equals(lane, 0) : isThreadZero();
  if (byWarp) {
    row = mul(warp, i32(boxes.shape[0] / warps));
    first = add(first, mul(warp, i32(boxes.bytes / warps)));
  }
  for (int64_t i = 0; i < boxes.count; ++i) {
    SmallVector<Value> operands{isFirst, map, add(first, i32(i * boxes.bytes))};
    std::string constraints = "b,l,r", coordinates;
    for (auto [d, offset] : llvm::enumerate(llvm::reverse(offsets))) {
      coordinates += (d ? ", $" : "$") + std::to_string(operands.size());
      constraints += ",r";
      Value x = scalar(offset);
      if (d == 0 && i > 0)
        x = add(x, i32(i * boxes.shape.back()));
      operands.push_back(d == 1 && byWarp ? add(x, row) : x);
    }
    emit(std::move(operands), std::move(constraints), std::move(coordinates));
  }
}

LogicalResult TensorCopyLowering::lowerLoad(ttng::TMALoadOp op) {
  Value barrier = sharedAddress(op.getBarrier());
  std::string rank = std::to_string(op.getOffsets().size());
  forEachBox(op, op.getDst(), op.getOffsets(), /*byWarp=*/false,
             [&](SmallVector<Value> operands, std::string constraints, std::string coordinates) {
               std::string last = std::to_string(operands.size());
               operands.push_back(barrier);
               assembly({},
                        "@$0 cp.async.bulk.tensor." + rank +
                            "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$2], "
                            "[$1, {" +
                            coordinates + "}], [$" + last + "];",
                        constraints + ",r", operands);
             });
  return success();
}

LogicalResult TensorCopyLowering::lowerStore(ttng::TMAStoreOp op) {
  std::string rank = std::to_string(op.getOffsets().size());
  if (op.getByWarp())
    b.create<NVVM::SyncWarpOp>(loc, i32(-1));
  forEachBox(op, op.getSrc(), op.getOffsets(), op.getByWarp(),
             [&](SmallVector<Value> operands, std::string constraints, std::string coordinates) {
               assembly({},
                        "@$0 cp.async.bulk.tensor." + rank +
                            "d.global.shared::cta.tile.bulk_group [$1, {" + coordinates +
                            "}], [$2];",
                        constraints, operands);
             });
  return success();
}

/// Such copies begin and end at multiples of 16 bytes: those inside of what is asked for, so that
/// no address is touched that the elements do not have.
LogicalResult TensorCopyLowering::lowerPrefetch(ttng::PrefetchRunOp op) {
  branchAround(isThreadZero(), {}, [&] {
    Type i64 = b.getI64Type();
    Value first = b.create<LLVM::PtrToIntOp>(loc, i64, scalar(op.getPtr()));
    Value count = b.create<LLVM::SExtOp>(loc, i64, scalar(op.getCount()));
    Value last = add(first, mul(count, constant(i64, pointeeBytes(op.getPtr()))));
    auto down = [&](Value address) { return iand(address, constant(i64, -16)); };
    first = down(add(first, constant(i64, 15)));
    Value bytes = trunc(sub(down(last), first), 32);
    Value some = cmp(LLVM::ICmpPredicate::sgt, bytes, i32(0));
    assembly({}, "@$2 cp.async.bulk.prefetch.L2.global [$0], $1;", "l,r,b", {first, bytes, some});
    return SmallVector<Value>();
  });
  return success();
}

// Groups are a thread's own: those of the others are empty.

LogicalResult TensorCopyLowering::lowerCommit() {
  assembly({}, "cp.async.bulk.commit_group;", "", {});
  return success();
}

LogicalResult TensorCopyLowering::lowerWait(ttng::TMAStoreWaitOp op) {
  assembly({},
           std::string("cp.async.bulk.wait_group") + (op.getReads() ? ".read " : " ") +
               std::to_string(op.getPendings()) + ";",
           "", {});
  if (op.getByWarp())
    b.create<NVVM::SyncWarpOp>(loc, i32(-1));
  return success();
}

void prefetchTensorMaps(LoweringContext &c, size_t count) {
  if (count == 0)
    return;
  Value isFirst = c.isThreadZero();
  for (BlockArgument map : c.entry->getArguments().drop_back(c.parametersOfGrid()).take_back(count))
    c.assembly({}, "@$0 prefetch.tensormap [$1];", "b,l", {isFirst, map});
}

static bool isWaitForAll(Operation *op) {
  auto wait = dyn_cast_or_null<ttng::TMAStoreWaitOp>(op);
  return wait && wait.getPendings() == 0;
}

static bool isCommitted(ttng::TMAStoreOp store) {
  for (Operation *next = store->getNextNode(); next; next = next->getNextNode())
    if (isa<ttng::TMAStoreCommitOp>(next))
      return true;
  return false;
}

/// The warps of its group wait where they end.
static bool isAwaitedByGroup(ttng::TMAStoreOp store) {
  Region *region = store->getParentRegion();
  while (region && !isa<WarpGroupsOp>(region->getParentOp()))
    region = region->getParentRegion();
  return region && isWaitForAll(region->front().getTerminator()->getPrevNode());
}

void waitForStoresAtEnd(tt::FuncOp kernel) {
  bool commits = false, waits = false;
  kernel.walk([&](ttng::TMAStoreOp store) {
    commits |= !isCommitted(store);
    waits |= !isCommitted(store) || !isAwaitedByGroup(store);
  });
  kernel.walk([&](tt::ReturnOp op) {
    Operation *last = op->getPrevNode();
    if (!waits || (isWaitForAll(last) &&
                   (!commits || isa_and_nonnull<ttng::TMAStoreCommitOp>(last->getPrevNode()))))
      return;
    OpBuilder b(op);
    if (commits)
      b.create<ttng::TMAStoreCommitOp>(op.getLoc());
    // A launch ends when all that was written is there; shared memory ends with the program.
    b.create<ttng::TMAStoreWaitOp>(op.getLoc(), 0, /*reads=*/true);
  });
}

void populateTensorCopyPatterns(LoweringPatterns &patterns, const LoweringContext &context,
                                TensorMaps maps) {
  auto family = std::make_shared<TensorCopyLowering>(context, std::move(maps));
  patterns.add<ttng::TMALoadOp>([=](ttng::TMALoadOp op) { return family->lowerLoad(op); });
  patterns.add<ttng::TMAStoreOp>([=](ttng::TMAStoreOp op) { return family->lowerStore(op); });
  patterns.add<ttng::TMAStoreCommitOp>([=](Operation *op) {
    return failed(checkTensorCopies(op)) ? failure() : family->lowerCommit();
  });
  patterns.add<ttng::TMAStoreWaitOp>([=](ttng::TMAStoreWaitOp op) {
    return failed(checkTensorCopies(op)) ? failure() : family->lowerWait(op);
  });
  patterns.add<ttng::PrefetchRunOp>([=](ttng::PrefetchRunOp op) {
    return failed(checkTensorCopies(op)) ? failure() : family->lowerPrefetch(op);
  });
}

} // namespace tritium::ttg
