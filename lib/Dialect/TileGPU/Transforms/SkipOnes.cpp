//===- SkipOnes.cpp - ttg-skip-ones ---------------------------------------===//
//
// The sums of attention are multiplied in each iteration by
//
//   %next = max %maximum, %scores
//   %factor = exp (%maximum - %next)
//
// which is one in all rows where no score was greater than all before: the further a loop has
// gone, the more often. A warp looks at its factors, and branches around the products where all of
// them are one:
//
//   %r = arith.mulf %sums, %factors {ttg.skip_ones}
//
// Products are as many instructions of a thread as it has sums; a warp looks at a factor for each
// of its rows.
//
// For sums that dots of warp groups have made, none of which is under way: a branch beside dots in
// flight would have the assembler wait for them.
//
//===----------------------------------------------------------------------===//

#include "tritium/Dialect/TileGPU/IR/SkipOnes.h"

#include "tritium/Analysis/Shares.h"
#include "tritium/Dialect/TileGPU/IR/TileGPU.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"
#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"
#include "tritium/Target/GPU/Strategy.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace tritium::ttg {

#define GEN_PASS_DEF_SKIPONES
#include "tritium/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {
/// Of how many registers `tile` repeats each along rows or columns; all of them, if none.
unsigned distinctRegisters(Value tile) {
  if (tile.getDefiningOp<tt::SplatOp>())
    return 1;
  auto broadcast = tile.getDefiningOp<tt::BroadcastOp>();
  return layoutOf(cast<RankedTensorType>((broadcast ? broadcast.getSrc() : tile).getType()))
      .registers();
}

/// Shares, as often as rows or columns have elements.
bool areShares(Value tile) {
  if (Operation *op = tile.getDefiningOp();
      isa_and_nonnull<tt::BroadcastOp, tt::ExpandDimsOp, tt::SplatOp, ConvertLayoutOp>(op))
    return areShares(op->getOperand(0));
  return isShare(tile);
}

/// A dot has made `tile`, and none has begun between that and `user`.
bool isSumOfDots(Value tile, Operation *user) {
  auto wait = tile.getDefiningOp<ttng::WarpGroupDotWaitOp>();
  if (!wait || wait.getPendings() != 0 || wait->getBlock() != user->getBlock())
    return false;
  for (Operation *op = wait; op != user; op = op->getNextNode())
    if (op->walk([](ttng::WarpGroupDotOp) { return WalkResult::interrupt(); }).wasInterrupted())
      return false;
  return true;
}

struct SkipOnesPass : impl::SkipOnesBase<SkipOnesPass> {
  void runOnOperation() override {
    getOperation()->walk([](arith::MulFOp op) {
      auto type = dyn_cast<RankedTensorType>(op.getType());
      if (!type || !type.getElementType().isF32() || !op->getParentOfType<LoopLikeOpInterface>())
        return;
      unsigned products = layoutOf(type).registers();
      for (auto [sums, factors] :
           {std::pair(op.getLhs(), op.getRhs()), std::pair(op.getRhs(), op.getLhs())})
        if (products >= strategy::kLeastProductsSkipped * distinctRegisters(factors) &&
            isSumOfDots(sums, op) && areShares(factors)) {
          op->setOperands({sums, factors});
          op->setAttr(kSkipOnes, UnitAttr::get(op.getContext()));
          return;
        }
    });
  }
};
} // namespace

} // namespace tritium::ttg
