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
/// A share of each row, as often as the row has elements.
bool isShareOfRows(Value tile) {
  if (Operation *op = tile.getDefiningOp();
      isa_and_nonnull<tt::BroadcastOp, tt::ExpandDimsOp, tt::SplatOp, ConvertLayoutOp>(op))
    return isShareOfRows(op->getOperand(0));
  return isShare(tile);
}

bool isSumOfDots(Value tile) {
  auto wait = tile.getDefiningOp<ttng::WarpGroupDotWaitOp>();
  return wait && wait.getPendings() == 0;
}

struct SkipOnesPass : impl::SkipOnesBase<SkipOnesPass> {
  void runOnOperation() override {
    getOperation()->walk([](arith::MulFOp op) {
      auto type = dyn_cast<RankedTensorType>(op.getType());
      if (!type || !type.getElementType().isF32() || !op->getParentOfType<LoopLikeOpInterface>() ||
          layoutOf(type).registers() < strategy::kLeastProductsSkipped)
        return;
      for (auto [sums, factors] :
           {std::pair(op.getLhs(), op.getRhs()), std::pair(op.getRhs(), op.getLhs())})
        if (isSumOfDots(sums) && isShareOfRows(factors)) {
          op->setOperands({sums, factors});
          op->setAttr(kSkipOnes, UnitAttr::get(op.getContext()));
          return;
        }
    });
  }
};
} // namespace

} // namespace tritium::ttg
