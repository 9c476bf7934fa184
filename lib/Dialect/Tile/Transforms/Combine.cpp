//===- Combine.cpp - tt-combine -------------------------------------------===//
//
// Three rewrites that the canonicaliser does not make, because they need more than one
// operation's own facts:
//
//   addf(dot(a, b, 0), x)                 ->  dot(a, b, x)
//   select(m, load(p, m, other), x)       ->  load(p, m, x)
//   op(splat(x), splat(y))                ->  splat(op(x, y)), op element-wise
//
// The first changes where x enters the sum of products, as accumulation orders are
// unspecified for dot; it is what lets a loop keep its accumulator in registers.
// The second needs x to exist where the load stands. A load is never moved.
//
//===----------------------------------------------------------------------===//

#include "tritium/Dialect/Tile/Transforms/Passes.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tritium::tt {

#define GEN_PASS_DEF_COMBINE
#include "tritium/Dialect/Tile/Transforms/Passes.h.inc"

namespace {
/// addf/addi(dot(a, b, 0), x) -> dot(a, b, x).
template <typename AddOp> struct AccumulateInDot : OpRewritePattern<AddOp> {
  using OpRewritePattern<AddOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(AddOp op, PatternRewriter &rewriter) const override {
    for (auto [product, addend] :
         {std::pair(op.getLhs(), op.getRhs()), std::pair(op.getRhs(), op.getLhs())}) {
      auto dot = product.template getDefiningOp<DotOp>();
      if (!dot || !dot->hasOneUse() || dot->getBlock() != op->getBlock() ||
          !(matchPattern(dot.getC(), m_AnyZeroFloat()) || matchPattern(dot.getC(), m_Zero())))
        continue;
      auto sum = cast<DotOp>(rewriter.clone(*dot));
      rewriter.modifyOpInPlace(sum, [&, addend = addend] { sum.getCMutable().assign(addend); });
      rewriter.replaceOp(op, sum);
      return success();
    }
    return failure();
  }
};

/// select(m, load(p, m, other), x) -> load(p, m, x).
struct SelectIntoLoad : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::SelectOp op, PatternRewriter &rewriter) const override {
    auto load = op.getTrueValue().getDefiningOp<LoadOp>();
    if (!load || !load->hasOneUse() || load.getMask() != op.getCondition() ||
        !DominanceInfo().properlyDominates(op.getFalseValue(), load))
      return failure();
    rewriter.modifyOpInPlace(load, [&] { load.getOtherMutable().assign(op.getFalseValue()); });
    rewriter.replaceOp(op, load);
    return success();
  }
};

/// The scalar that a uniform tile repeats, as a value where `rewriter` stands.
Value uniformScalar(Value tile, PatternRewriter &rewriter) {
  if (auto splat = tile.getDefiningOp<SplatOp>())
    return splat.getSrc();
  SplatElementsAttr elements;
  if (matchPattern(tile, m_Constant(&elements)))
    return rewriter.create<arith::ConstantOp>(tile.getLoc(),
                                              cast<TypedAttr>(elements.getSplatValue<Attribute>()));
  return {};
}

bool isUniform(Value tile) {
  SplatElementsAttr elements;
  return tile.getDefiningOp<SplatOp>() || matchPattern(tile, m_Constant(&elements));
}

bool hasHint(Operation *op) {
  return llvm::any_of(op->getDiscardableAttrs(), [](NamedAttribute attr) {
    return attr.getName().getValue().starts_with("tt.");
  });
}

/// op(splat(x), splat(y)) -> splat(op(x, y)). Hints describe the tile: it stays.
struct UniformElementwise : RewritePattern {
  UniformElementwise(MLIRContext *ctx) : RewritePattern(MatchAnyOpTypeTag(), 1, ctx) {}
  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isElementwise(op) || op->getNumResults() != 1 || op->getNumOperands() == 0 ||
        op->getNumRegions() != 0 || hasHint(op) || !isTile(op->getResult(0).getType()) ||
        !isMemoryEffectFree(op) || !llvm::all_of(op->getOperands(), isUniform) ||
        llvm::none_of(op->getOperands(),
                      [](Value v) { return v.getDefiningOp<SplatOp>() != nullptr; }))
      return failure();
    SmallVector<Value> scalars;
    for (Value operand : op->getOperands())
      scalars.push_back(uniformScalar(operand, rewriter));
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    OperationState state(op->getLoc(), op->getName(), scalars, type.getElementType(),
                         op->getAttrs());
    Operation *scalar = rewriter.create(state);
    rewriter.replaceOpWithNewOp<SplatOp>(op, type, scalar->getResult(0));
    return success();
  }
};

struct CombinePass : impl::CombineBase<CombinePass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<AccumulateInDot<arith::AddFOp>, AccumulateInDot<arith::AddIOp>, SelectIntoLoad,
                 UniformElementwise>(&getContext());
    GreedyRewriteConfig config;
    config.enableRegionSimplification = GreedySimplifyRegionLevel::Disabled;
    // Failure means that rounds are used up before nothing changes: a chain of operations on
    // constants folds by one of them a round. What has been rewritten is right, as it is where the
    // canonicaliser comes to the same end.
    (void)applyPatternsAndFoldGreedily(getOperation(), std::move(patterns), config);
  }
};
} // namespace

} // namespace tritium::tt
