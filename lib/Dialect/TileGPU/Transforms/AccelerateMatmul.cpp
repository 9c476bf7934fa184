//===- AccelerateMatmul.cpp - ttg-accelerate-matmul -----------------===//
//
// Gives dots that a tensor core can do the layouts of its instructions (Mma.h). Warps share
// the tile so that together they read the least: m x n warps with the smallest M / m + N / n,
// and m alone, as far as it goes, where one product feeds another, so that a row stays with
// one warp.
//
// Where four warps can multiply what lies in shared memory (wgmma), they do: each such group has
// rows of the result in multiples of 64, and if there are no more of these, columns. Where operands
// lie is decided behind the pipeliner (ttng-warp-group-dots). A remark says what keeps a dot from
// it.
//
// All other dots, such as exact ones of f32 and those of small tiles, are multiplied out.
// Their lanes take blocks of the result that are as square as may be, since each step of k
// reads a row and a column of a block.
//
// Partial sums of a program that is shared out (tt-split-k) are stored as dots leave them: lanes
// have few neighbours then, but whole sectors, and nothing goes through shared memory first.
//
// 8-bit floats for which there is no instruction are first converted to f16, which holds all
// of them exactly.
//
//===----------------------------------------------------------------------===//

#include "tritium/Dialect/Tile/Transforms/Passes.h"
#include "tritium/Dialect/TileGPU/IR/Mma.h"
#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"
#include "tritium/Support/EmitRemark.h"

#include "mlir/Analysis/SliceAnalysis.h"

using namespace mlir;

namespace tritium::ttg {

#define GEN_PASS_DEF_ACCELERATEMATMUL
#include "tritium/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {
/// One dot's result is made into an operand of another, in the same block: attention.
bool isChained(tt::DotOp dot) {
  auto feeds = [](tt::DotOp first, tt::DotOp second) {
    SetVector<Operation *> slice;
    BackwardSliceOptions options;
    options.omitBlockArguments = true;
    options.inclusive = true;
    options.filter = [&](Operation *op) { return op->getBlock() == second->getBlock(); };
    getBackwardSlice(second.getA(), &slice, options);
    getBackwardSlice(second.getB(), &slice, options);
    return slice.contains(first);
  };
  for (auto other : dot->getBlock()->getOps<tt::DotOp>())
    if (other != dot && (feeds(dot, other) || feeds(other, dot)))
      return true;
  return false;
}

SmallVector<int32_t> shareWarps(tt::DotOp dot, int warps) {
  RankedTensorType c = dot.getC().getType();
  int64_t rank = c.getRank(), m = c.getDimSize(rank - 2), n = c.getDimSize(rank - 1);
  SmallVector<int32_t> best(rank, 1);
  if (rank == 3) {
    best[0] = std::min<int64_t>(warps, llvm::bit_floor<uint64_t>(c.getDimSize(0)));
    warps /= best[0];
  }
  bool alongM = isChained(dot);
  double least = -1;
  for (int alongN = 1; alongN <= warps; alongN *= 2) {
    int along = warps / alongN;
    if (alongM && alongN > 1 && along * 16 < m)
      break;
    // Warps beyond the tile hold copies, which is as if they read all of it.
    double cost = double(m) / std::min<int64_t>(along, llvm::divideCeil(m, 16)) +
                  double(n) / std::min<int64_t>(alongN, llvm::divideCeil(n, 8));
    if (least >= 0 && cost >= least)
      continue;
    least = cost;
    best[rank - 2] = along;
    best[rank - 1] = alongN;
  }
  return best;
}

/// Warp groups share the rows, in parts of 64, and then the columns.
MmaEncodingAttr shareWarpGroups(tt::DotOp dot, int warps) {
  constexpr int32_t warpsOfGroup = 4;
  RankedTensorType c = dot.getC().getType();
  auto [alongM, alongN] = *groupsAlong(c.getDimSize(0), c.getDimSize(1), warps);
  return MmaEncodingAttr::get(dot.getContext(), 3, {alongM * warpsOfGroup, alongN});
}

Value inLayout(OpBuilder &builder, Value tile, Attribute layout) {
  auto type = cast<RankedTensorType>(tile.getType());
  return builder.create<ConvertLayoutOp>(
      tile.getLoc(), RankedTensorType::get(type.getShape(), type.getElementType(), layout), tile);
}

/// The same dot with the result in `layout`, operands in those that it needs.
void giveLayouts(tt::DotOp dot, Attribute layout, uint32_t kWidth) {
  OpBuilder builder(dot);
  MLIRContext *context = dot.getContext();
  auto operandLayout = [&](uint32_t i) {
    return DotOperandEncodingAttr::get(context, i, layout, kWidth);
  };
  Value a = inLayout(builder, dot.getA(), operandLayout(0));
  Value b = inLayout(builder, dot.getB(), operandLayout(1));
  Value c = inLayout(builder, dot.getC(), layout);
  auto fresh =
      builder.create<tt::DotOp>(dot.getLoc(), c.getType(), a, b, c, dot.getInputPrecision(),
                                dot.getMaxNumImpreciseAcc(), dot.getIsUnsigned());
  fresh->setDiscardableAttrs(dot->getDiscardableAttrDictionary());
  Type old = dot.getType();
  dot.replaceAllUsesWith(builder.create<ConvertLayoutOp>(dot.getLoc(), old, fresh).getResult());
  dot.erase();
}

/// Blocks of up to 4x4 elements a lane, lanes and warps over what is left, as square as may be.
BlockedEncodingAttr squareLayout(tt::DotOp dot, int warps) {
  RankedTensorType c = dot.getC().getType();
  int64_t rank = c.getRank();
  SmallVector<int32_t> order, sizes(rank, 1), lanes(rank, 1), warpsPer(rank, 1);
  for (int64_t d = rank - 1; d >= 0; --d)
    order.push_back(d);
  SmallVector<int64_t> left;
  for (int64_t extent : c.getShape())
    left.push_back(llvm::PowerOf2Ceil(extent));
  // The larger of the last two dimensions, which are m and n.
  auto takeFrom = [&](SmallVector<int32_t> &counts) {
    int64_t d = left[rank - 1] >= left[rank - 2] ? rank - 1 : rank - 2;
    if (left[d] == 1)
      return false;
    left[d] /= 2;
    counts[d] *= 2;
    return true;
  };
  int64_t threads = int64_t(warps) * kLanesPerWarp, elements = left[rank - 1] * left[rank - 2];
  for (int64_t block = std::min<int64_t>(16, elements / threads); block > 1; block /= 2)
    takeFrom(sizes);
  auto share = [&](SmallVector<int32_t> &counts, int64_t count) {
    for (; count > 1 && takeFrom(counts); count /= 2)
      ;
    // A batch takes what the tile has no room for; without one they hold copies.
    counts[0] *= count;
  };
  share(lanes, kLanesPerWarp);
  share(warpsPer, warps);
  return BlockedEncodingAttr::get(dot.getContext(), sizes, lanes, warpsPer, order);
}

void widenFloat8(tt::DotOp dot) {
  OpBuilder builder(dot);
  for (unsigned i : {0u, 1u}) {
    auto type = cast<RankedTensorType>(dot->getOperand(i).getType());
    auto wide = RankedTensorType::get(type.getShape(), builder.getF16Type(), type.getEncoding());
    dot->setOperand(i, builder.create<arith::ExtFOp>(dot.getLoc(), wide, dot->getOperand(i)));
  }
}

/// Products of 8-bit floats are added to f16 in f32, and rounded once.
tt::DotOp widenSum(tt::DotOp dot) {
  OpBuilder builder(dot);
  Location loc = dot.getLoc();
  RankedTensorType type = dot.getType();
  auto wide = RankedTensorType::get(type.getShape(), builder.getF32Type(), type.getEncoding());
  Value c = builder.create<arith::ExtFOp>(loc, wide, dot.getC());
  auto fresh =
      builder.create<tt::DotOp>(loc, wide, dot.getA(), dot.getB(), c, dot.getInputPrecision(),
                                dot.getMaxNumImpreciseAcc(), dot.getIsUnsigned());
  fresh->setDiscardableAttrs(dot->getDiscardableAttrDictionary());
  dot.replaceAllUsesWith(builder.create<arith::TruncFOp>(loc, type, fresh).getResult());
  dot.erase();
  return fresh;
}

/// The layout of the dot that a tile comes from, through a loop at most; null if there is none.
Attribute layoutOfDot(Value tile) {
  while (auto convert = tile.getDefiningOp<ConvertLayoutOp>())
    tile = convert.getSrc();
  if (auto dot = tile.getDefiningOp<tt::DotOp>())
    return dot.getType().getEncoding();
  auto result = dyn_cast<OpResult>(tile);
  auto loop = result ? dyn_cast<scf::ForOp>(result.getOwner()) : scf::ForOp();
  return loop ? layoutOfDot(loop.getYieldedValues()[result.getResultNumber()]) : Attribute();
}

void storeAsDotsLeaveIt(tt::StoreOp store) {
  Attribute layout = layoutOfDot(store.getValue());
  if (!layout)
    return;
  OpBuilder builder(store);
  for (OpOperand &operand : store->getOpOperands())
    operand.set(inLayout(builder, operand.get(), layout));
}

/// Sums of parts that are added up in place of a dot's own, in the layout that such are stored in.
void loadAsDotsLeaveIt(tt::LoadOp load, ArrayRef<tt::StoreOp> stores) {
  auto type = cast<RankedTensorType>(load.getType());
  auto isOfSameSums = [&](tt::StoreOp store) {
    auto stored = cast<RankedTensorType>(store.getValue().getType());
    return stored.getShape() == type.getShape() &&
           stored.getElementType() == type.getElementType() && layoutOfDot(store.getValue());
  };
  auto store = llvm::find_if(stores, isOfSameSums);
  if (store == stores.end())
    return;
  Attribute layout = layoutOfDot(tt::StoreOp(*store).getValue());
  OpBuilder builder(load);
  Value pointers = inLayout(builder, load.getPtr(), layout);
  Value sums = builder.create<tt::LoadOp>(load.getLoc(), pointers, /*mask=*/Value());
  load.replaceAllUsesWith(inLayout(builder, sums, type.getEncoding()));
  load.erase();
}

/// Of dots that tensor cores do, but not by warp groups; of versions of one, once.
void remarkOnSlowDots(ArrayRef<tt::DotOp> dots, int warps) {
  llvm::SmallSetVector<Location, 4> seen;
  for (tt::DotOp dot : dots)
    if (std::string reason = reasonAgainstWarpGroups(dot, warps);
        mmaFragmentsFor(dot) && !reason.empty() && seen.insert(dot.getLoc()))
      remarkMissed(dot.getLoc(), "accelerate-matmul",
                   "the product runs by mma.sync, which has some 0.6 of the rate of wgmma: " +
                       reason,
                   {{"case", "mma-sync"}});
}

struct AccelerateMatmulPass : impl::AccelerateMatmulBase<AccelerateMatmulPass> {
  using AccelerateMatmulBase::AccelerateMatmulBase;

  void runOnOperation() override {
    if (!getAnalysis<LayoutsHold>() || failed(checkNothingSkipped(getOperation())))
      return signalPassFailure();
    ModuleOp module = getOperation();
    int warps = numWarps(module);
    SmallVector<tt::DotOp> dots;
    module.walk([&](tt::DotOp dot) { dots.push_back(dot); });
    if (gpuModel(module).hasWarpGroupDots)
      remarkOnSlowDots(dots, warps);
    for (tt::DotOp dot : dots) {
      std::optional<MmaFragments> fragments = mmaFragmentsFor(dot);
      if (fragments && isForWarpGroups(dot, warps)) {
        if (tt::scalarBits(dot.getA().getType().getElementType()) == 8 &&
            dot.getType().getElementType().isF16())
          dot = widenSum(dot);
        giveLayouts(dot, shareWarpGroups(dot, warps), fragments->kWidth);
        continue;
      }
      if (!fragments && tt::scalarBits(dot.getA().getType().getElementType()) == 8 &&
          tt::isTileFloat(dot.getA().getType().getElementType())) {
        widenFloat8(dot);
        fragments = mmaFragmentsFor(dot);
      }
      if (fragments)
        giveLayouts(dot, MmaEncodingAttr::get(&getContext(), 2, shareWarps(dot, warps)),
                    fragments->kWidth);
      else
        giveLayouts(dot, squareLayout(dot, warps), 1);
    }
    SmallVector<tt::StoreOp> stores;
    SmallVector<tt::LoadOp> loads;
    module.walk([&](Operation *op) {
      if (!op->hasAttr(tt::kPartialSum) || !tt::isTile(op->getOperand(0).getType()))
        return;
      if (auto store = dyn_cast<tt::StoreOp>(op))
        stores.push_back(store);
      else if (auto load = dyn_cast<tt::LoadOp>(op))
        loads.push_back(load);
    });
    llvm::for_each(stores, storeAsDotsLeaveIt);
    for (tt::LoadOp load : loads)
      loadAsDotsLeaveIt(load, stores);
  }
};
} // namespace

} // namespace tritium::ttg
