//===- Canonicalize.cpp - tt-canonicalize ---------------------------------===//
//
// MLIR's canonicalizer, but for what it makes of maxima and minima in which a number wins over
// none. The folders of arith.maxnumf and arith.minnumf have a NaN win over another constant, and
// over the infinity that bounds nothing:
//
//   maxnumf %x, -inf  =  %x           though it is -inf where %x is NaN
//
// Folders are asked before any pattern, as soon as an operand is a constant: when a loop of one
// iteration becomes its body, say. So infinities and NaNs are not constants meanwhile, but casts of
// nothing that carry them. Behind it,
//
//   maxnumf %x, NaN   ->  %x
//   maxnumf %x, -inf  ->  select (isnan %x), -inf, %x
//
// so that no later folder meets them.
//
//===----------------------------------------------------------------------===//

#include "tritium/Dialect/Tile/IR/Tile.h"
#include "tritium/Dialect/Tile/Transforms/Passes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FoldInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tritium::tt {

#define GEN_PASS_DEF_CANONICALIZE
#include "tritium/Dialect/Tile/Transforms/Passes.h.inc"

namespace {
constexpr llvm::StringLiteral kHidden = "tt.hidden_constant";

bool takesNumber(Operation *op) { return isa<arith::MaxNumFOp, arith::MinNumFOp>(op); }

/// Where the canonicalizer puts constants: in front of all else in the function, or in a region
/// that keeps its own.
Region *regionOfConstants(Operation *op,
                          DialectInterfaceCollection<DialectFoldInterface> &dialects) {
  Region *region = op->getParentRegion();
  for (Operation *parent = region->getParentOp();
       !parent->hasTrait<OpTrait::IsIsolatedFromAbove>() && parent->getBlock();
       region = parent->getParentRegion(), parent = region->getParentOp())
    if (const DialectFoldInterface *dialect = dialects.getInterfaceFor(parent);
        dialect && dialect->shouldMaterializeInto(region))
      break;
  return region;
}

/// One cast for each such constant and region.
void hideConstants(Operation *root) {
  DialectInterfaceCollection<DialectFoldInterface> dialects(root->getContext());
  llvm::DenseMap<std::tuple<Region *, Type, Attribute>, Value> hidden;
  root->walk([&](arith::ConstantOp op) {
    APFloat constant(0.0f);
    if (!matchPattern(op.getResult(), m_ConstantFloat(&constant)) || constant.isFinite())
      return;
    Region *region = regionOfConstants(op, dialects);
    Value &cast = hidden[{region, op.getType(), op.getValue()}];
    if (!cast) {
      OpBuilder b(&region->front(), region->front().begin());
      auto made = b.create<UnrealizedConversionCastOp>(op.getLoc(), op.getType(), ValueRange());
      made->setAttr(kHidden, op.getValue());
      cast = made.getResult(0);
    }
    op.replaceAllUsesWith(cast);
    op.erase();
  });
}

void showConstants(Operation *root) {
  root->walk([](UnrealizedConversionCastOp cast) {
    auto value = cast->getAttrOfType<TypedAttr>(kHidden);
    if (!value)
      return;
    OpBuilder b(cast);
    cast.getResult(0).replaceAllUsesWith(b.create<arith::ConstantOp>(cast.getLoc(), value));
    cast.erase();
  });
}

/// A maximum or minimum of `x` and a constant that is none, or an infinity that bounds nothing;
/// null if it is another.
Value withConstant(Operation *op, Value x, Value other) {
  APFloat constant(0.0f);
  if (!matchPattern(other, m_ConstantFloat(&constant)))
    return {};
  if (constant.isNaN())
    return x;
  if (!constant.isInfinity() || constant.isNegative() != isa<arith::MaxNumFOp>(op))
    return {};
  OpBuilder b(op);
  Value isNaN = b.create<arith::CmpFOp>(op->getLoc(), arith::CmpFPredicate::UNO, x, x);
  return b.create<arith::SelectOp>(op->getLoc(), isNaN, other, x);
}

void spellOut(Operation *root) {
  root->walk([](Operation *op) {
    if (!takesNumber(op))
      return;
    Value x = op->getOperand(0), y = op->getOperand(1), known = withConstant(op, x, y);
    if (!known)
      known = withConstant(op, y, x);
    if (!known)
      return;
    op->getResult(0).replaceAllUsesWith(known);
    op->erase();
  });
}

struct CanonicalizePass : impl::CanonicalizeBase<CanonicalizePass> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet all(context);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(all);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      op.getCanonicalizationPatterns(all, context);
    // The high half of a product, computed in twice its width, is a product there on all targets;
    // as an operation with two results it would be one that none of them has.
    const std::string left[] = {"(anonymous namespace)::TruncIShrUIMulIToMulSIExtended",
                                "(anonymous namespace)::TruncIShrUIMulIToMulUIExtended"};
    patterns = FrozenRewritePatternSet(std::move(all), left);
    return success();
  }

  void runOnOperation() override {
    // Control flow is structured, so there are no blocks to merge.
    GreedyRewriteConfig config;
    config.enableRegionSimplification = GreedySimplifyRegionLevel::Disabled;
    WalkResult uses = getOperation()->walk([](Operation *op) {
      return takesNumber(op) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (uses.wasInterrupted())
      hideConstants(getOperation());
    // What does not converge is as right as what does.
    (void)applyPatternsAndFoldGreedily(getOperation(), patterns, config);
    if (uses.wasInterrupted()) {
      showConstants(getOperation());
      spellOut(getOperation());
    }
  }

  FrozenRewritePatternSet patterns;
};
} // namespace

} // namespace tritium::tt
