//===- OverlapDots.cpp - ttg-overlap-dots ---------------------------------===//
//
// Says what happens while a dot multiplies, so that tensor cores wait neither for shared memory
// nor behind a barrier. Of what stands in front of a dot
//
//   ttg.async_copy_global_to_local        {ttg.overlap = #ttg.overlap<products>}
//   ttg.async_commit_group                {ttg.overlap = #ttg.overlap<products>}
//   %b = ttg.local_load ..                {ttg.overlap = #ttg.overlap<steps>}
//   %d = tt.dot %a, %b, %c
//
// the dot loads its operands by steps of k, and asynchronous copies start one by one among its
// products. So do, before a dot whose operands are in registers already, the wait and the barrier
// for the next iteration's buffer and the loads from it:
//
//   ttg.async_wait {num = 1}              {ttg.overlap = #ttg.overlap<products>}
//   ttg.barrier                           {ttg.overlap = #ttg.overlap<products>}
//   %a1 = ttg.local_load ..               {ttg.overlap = #ttg.overlap<products>}
//   %d = tt.dot %a0, %b0, %c              {ttg.interleave = #ttg.interleave<..>}
//
// It runs behind the pass that places barriers: nothing is moved over one.
//
//===----------------------------------------------------------------------===//

#include "tritium/Dialect/TileGPU/IR/Overlap.h"
#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"
#include "tritium/Target/GPU/Strategy.h"

using namespace mlir;

namespace tritium::ttg {

#define GEN_PASS_DEF_OVERLAPDOTS
#include "tritium/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {
/// Words of registers that a lane needs around a dot: results, operands of this step and the
/// next, addresses that the loop copies from.
unsigned wordsInFlight(tt::DotOp op) {
  auto registersOf = [](Value tile) {
    return layoutOf(cast<RankedTensorType>(tile.getType())).registers();
  };
  auto words = [&](Value tile) -> unsigned {
    return llvm::divideCeil(registersOf(tile) * tt::scalarBits(tt::elementType(tile.getType())),
                            32);
  };
  unsigned total = words(op.getC()) + 2 * (words(op.getA()) + words(op.getB()));
  for (auto copy : op->getBlock()->getOps<AsyncCopyGlobalToLocalOp>())
    total += 2 * llvm::divideCeil(registersOf(copy.getPtr()) *
                                      tt::scalarBytes(copy.getDst().getType().getElementType()),
                                  16);
  return total;
}

class DotOverlapper {
public:
  explicit DotOverlapper(Block &block) : block(block) {}

  void run() {
    for (Operation &op : block) {
      if (isa<AsyncCopyGlobalToLocalOp, AsyncCommitGroupOp>(op)) {
        if (dotBehind(&op))
          mark(&op, Overlap::Products);
      } else if (auto load = dyn_cast<LocalLoadOp>(op)) {
        if (canLoadBySteps(load))
          mark(load, Overlap::Steps);
        else if (isForLater(load) && isOnTensorCores(dotBehind(load)))
          mark(load, Overlap::Products);
      } else if (auto barrier = dyn_cast<BarrierOp>(op)) {
        waitInDot(barrier);
      }
    }
    for (auto dot : block.getOps<tt::DotOp>())
      if (isOnTensorCores(dot) && overlapped.contains(dot))
        interleave(dot);
  }

private:
  void mark(Operation *op, Overlap how) {
    op->setAttr(kOverlap, OverlapAttr::get(op->getContext(), how));
    overlapped.insert(dotBehind(op));
  }

  /// A barrier in the midst of a product keeps no tensor core waiting, if only what is for later
  /// comes after it, and its operands are there.
  void waitInDot(BarrierOp barrier) {
    auto wait = dyn_cast_or_null<AsyncWaitOp>(barrier->getPrevNode());
    tt::DotOp dot = dotBehind(barrier);
    if (!wait || !dot || !isOnTensorCores(dot))
      return;
    for (Operation *next = barrier->getNextNode(); next != dot; next = next->getNextNode()) {
      if (isa<AsyncCopyGlobalToLocalOp, AsyncCommitGroupOp>(next))
        return;
      if (auto load = dyn_cast<LocalLoadOp>(next); load && !isForLater(load))
        return;
    }
    for (Value operand : {dot.getA(), dot.getB()})
      if (auto load = operand.getDefiningOp<LocalLoadOp>(); load && canLoadBySteps(load))
        return;
    mark(barrier, Overlap::Products);
    wait->setAttr(kOverlap, barrier->getAttr(kOverlap));
    waits.insert(dot);
  }

  /// What is for later, all at once: products are fastest undisturbed. If that takes more
  /// registers than there are, along the first half, a barrier after a quarter.
  void interleave(tt::DotOp dot) {
    unsigned dots = 1;
    for (tt::DotOp next = dotBehind(dot); next; next = dotBehind(next))
      ++dots;
    bool isTight = wordsInFlight(dot) > strategy::kMostWordsAroundDot;
    dot->setAttr(kInterleave, InterleaveAttr::get(dot.getContext(), dots,
                                                  /*from=*/isTight && waits.contains(dot) ? 4 : 0,
                                                  /*within=*/isTight ? 2 : 8));
  }

  Block &block;
  llvm::DenseSet<Operation *> overlapped, waits;
};

struct OverlapDotsPass : impl::OverlapDotsBase<OverlapDotsPass> {
  void runOnOperation() override {
    if (!getAnalysis<LayoutsHold>())
      return signalPassFailure();
    llvm::SetVector<Block *> blocks;
    getOperation().walk([&](tt::DotOp dot) { blocks.insert(dot->getBlock()); });
    for (Block *block : blocks)
      DotOverlapper(*block).run();
  }
};
} // namespace

} // namespace tritium::ttg
