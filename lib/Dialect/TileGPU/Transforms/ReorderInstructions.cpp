//===- ReorderInstructions.cpp - ttg-reorder-instructions -----------===//
//
//   %rows = arith.addi %range, %splat : tensor<128xi64>        // common to load and store
//   %x = scf.for ... { ... tt.dot ... }
//   %p = tt.addptr %out, ... %rows ...
//   tt.store %p, %x
//
// becomes
//
//   %x = scf.for ... { ... tt.dot ... }
//   %rows = arith.addi %range, %splat : tensor<128xi64>
//   %p = tt.addptr %out, ... %rows ...
//   tt.store %p, %x
//
// Addresses and masks that are used only behind a loop are computed behind it, so that they
// take no registers while it runs, which are needed for its accumulators. They come in front
// of it by CSE and when layouts are chosen. Only cheap functions of scalars move: what they
// are made of is smaller than they are. It is the last pass, so that nothing hoists them again.
//
//===----------------------------------------------------------------------===//

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"

using namespace mlir;

namespace tritium::ttg {

#define GEN_PASS_DEF_REORDERINSTRUCTIONS
#include "tritium/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {
bool isLoop(Operation *op) { return isa<scf::ForOp, scf::WhileOp>(op); }

/// A cheap operation on indices, pointers or conditions.
bool isAddressing(Operation *op) {
  auto movement = dyn_cast<tt::DataMovement>(op);
  if (movement
          ? movement.changesThreads()
          : !isa<tt::MakeRangeOp, tt::AddPtrOp, arith::ConstantOp, arith::AddIOp, arith::SubIOp,
                 arith::MulIOp, arith::ExtSIOp, arith::TruncIOp, arith::CmpIOp, arith::AndIOp>(op))
    return false;
  return tt::isTile(op->getResult(0).getType()) &&
         !isa<FloatType>(tt::elementType(op->getResult(0).getType()));
}

/// The first operation of `op`'s block that uses it; null if an operation elsewhere does.
Operation *firstUser(Operation *op) {
  Operation *first = nullptr;
  for (Operation *user : op->getUsers()) {
    Operation *here = op->getBlock()->findAncestorOpInBlock(*user);
    if (!here)
      return nullptr;
    if (!first || here->isBeforeInBlock(first))
      first = here;
  }
  return first;
}

/// Moves operations behind the loops that they stand in front of without need. From the end,
/// so that what an operation uses follows it.
void sinkAddresses(Block &block) {
  SmallVector<Operation *> operations;
  bool hasLoop = false;
  for (Operation &op : block) {
    operations.push_back(&op);
    hasLoop |= isLoop(&op);
  }
  if (!hasLoop)
    return;
  Operation *lastLoop = nullptr; ///< the one behind `op` that is next to it
  for (Operation *op : llvm::reverse(operations)) {
    if (isLoop(op))
      lastLoop = op;
    if (!lastLoop || !isAddressing(op))
      continue;
    Operation *user = firstUser(op);
    if (user && lastLoop->isBeforeInBlock(user))
      op->moveBefore(user);
  }
}

struct ReorderInstructionsPass : impl::ReorderInstructionsBase<ReorderInstructionsPass> {
  void runOnOperation() override {
    getOperation().walk<WalkOrder::PreOrder>([](Block *block) { sinkAddresses(*block); });
  }
};
} // namespace

} // namespace tritium::ttg
