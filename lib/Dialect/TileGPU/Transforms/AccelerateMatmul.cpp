//===- AccelerateMatmul.cpp - tritongpu-accelerate-matmul -----------------===//
//
// Gives dots that a tensor core can do the layouts of its instruction:
//
//   f16, bf16              m16n8k16   accumulating in f32
//   f32, if tf32 will do   m16n8k8
//   i8                     m16n8k32
//
// Warps share the tile so that together they read the least: m x n warps with the smallest
// M / m + N / n, and m alone if the product feeds another dot, so that a row stays with
// one warp. All other dots keep the blocked layout and are multiplied out.
//
//===----------------------------------------------------------------------===//

#include "tritium/Dialect/TileGPU/Transforms/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"

using namespace mlir;

namespace tritium::ttg {

#define GEN_PASS_DEF_ACCELERATEMATMUL
#include "tritium/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {
/// K of the instruction; 0 if there is none for these operands.
int64_t instructionK(tt::DotOp dot, int capability) {
  Type element = dot.getA().getType().getElementType();
  Type sum = dot.getC().getType().getElementType();
  if (element != dot.getB().getType().getElementType() || capability < 80)
    return 0;
  if (element.isF16() || element.isBF16())
    return sum.isF32() || sum.isF16() ? 16 : 0;
  if (element.isF32() && dot.getInputPrecision() == tt::InputPrecision::TF32)
    return 8;
  return element.isInteger(8) ? 32 : 0;
}

bool feedsDot(tt::DotOp dot) {
  SetVector<Operation *> slice;
  ForwardSliceOptions options;
  getForwardSlice(dot.getOperation(), &slice, options);
  return llvm::any_of(slice, [&](Operation *op) {
    return isa<tt::DotOp>(op) && op != dot && op->getBlock() == dot->getBlock();
  });
}

SmallVector<int32_t> shareWarps(tt::DotOp dot, int warps) {
  RankedTensorType c = dot.getC().getType();
  int64_t rank = c.getRank(), m = c.getDimSize(rank - 2), n = c.getDimSize(rank - 1);
  SmallVector<int32_t> best(rank, 1);
  if (rank == 3) {
    best[0] = std::min<int64_t>(warps, llvm::bit_floor<uint64_t>(c.getDimSize(0)));
    warps /= best[0];
  }
  bool alongM = feedsDot(dot);
  double least = -1;
  for (int alongN = 1; alongN <= warps; alongN *= 2) {
    int along = warps / alongN;
    if (alongM && alongN > 1)
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

void accelerate(tt::DotOp dot, int warps) {
  OpBuilder builder(dot);
  MLIRContext *context = dot.getContext();
  auto inLayout = [&](Value tile, Attribute layout) -> Value {
    auto type = cast<RankedTensorType>(tile.getType());
    return builder.create<ConvertLayoutOp>(
        dot.getLoc(), RankedTensorType::get(type.getShape(), type.getElementType(), layout), tile);
  };
  auto mma = MmaEncodingAttr::get(context, 2, shareWarps(dot, warps));
  uint32_t perWord = 32 / tt::scalarBits(dot.getA().getType().getElementType());
  auto a = inLayout(dot.getA(), DotOperandEncodingAttr::get(context, 0, mma, perWord));
  auto b = inLayout(dot.getB(), DotOperandEncodingAttr::get(context, 1, mma, perWord));
  auto c = inLayout(dot.getC(), mma);
  auto fresh =
      builder.create<tt::DotOp>(dot.getLoc(), c.getType(), a, b, c, dot.getInputPrecision(),
                                dot.getMaxNumImpreciseAcc(), dot.getIsUnsigned());
  fresh->setDiscardableAttrs(dot->getDiscardableAttrDictionary());
  Type old = dot.getType();
  dot.replaceAllUsesWith(builder.create<ConvertLayoutOp>(dot.getLoc(), old, fresh).getResult());
  dot.erase();
}

struct AccelerateMatmulPass : impl::AccelerateMatmulBase<AccelerateMatmulPass> {
  using AccelerateMatmulBase::AccelerateMatmulBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<tt::DotOp> dots;
    module.walk([&](tt::DotOp dot) {
      int64_t k = instructionK(dot, capability);
      RankedTensorType a = dot.getA().getType(), c = dot.getC().getType();
      int64_t rank = c.getRank();
      if (k && a.getDimSize(rank - 1) % k == 0 && c.getDimSize(rank - 2) >= 16 &&
          c.getDimSize(rank - 1) >= 8)
        dots.push_back(dot);
    });
    for (tt::DotOp dot : dots)
      accelerate(dot, numWarps(module));
  }
};
} // namespace

} // namespace tritium::ttg
