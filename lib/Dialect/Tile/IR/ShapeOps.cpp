//===- ShapeOps.cpp - verifiers and folds of shape operations -------------===//

#include "tritium/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tritium::tt;

namespace {
RankedTensorType tileType(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Shape operations on a uniform constant only change its shape.
OpFoldResult foldUniform(Attribute src, Type resultType) {
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(src))
    return splat.resizeSplat(cast<ShapedType>(resultType));
  return {};
}

/// op(splat(x)) -> splat(x) of the result's shape.
template <typename Op> struct ShapeOfSplat : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    auto splat = op.getSrc().template getDefiningOp<SplatOp>();
    if (!splat)
      return failure();
    rewriter.replaceOpWithNewOp<SplatOp>(op, op.getType(), splat.getSrc());
    return success();
  }
};
} // namespace

LogicalResult MakeRangeOp::verify() {
  auto type = tileType(getResult());
  if (type.getRank() != 1 || !type.getElementType().isInteger(32))
    return emitOpError() << "(make_range_c1) the result must be a 1-D tile of i32, found " << type;
  int64_t start = static_cast<int32_t>(getStart()), end = static_cast<int32_t>(getEnd());
  if (end <= start)
    return emitOpError() << "(make_range_c2) end must be greater than start, found [" << start
                         << ", " << end << ")";
  if (type.getDimSize(0) != end - start)
    return emitOpError() << "(make_range_c3) the extent must be " << (end - start) << ", found "
                         << type.getDimSize(0);
  return success();
}

OpFoldResult MakeRangeOp::fold(FoldAdaptor) {
  if (tileType(getResult()).getDimSize(0) != 1)
    return {};
  return SplatElementsAttr::get(tileType(getResult()), APInt(32, getStart(), /*isSigned=*/true));
}

LogicalResult SplatOp::verify() {
  if (tileType(getResult()).getElementType() != getSrc().getType())
    return emitOpError() << "(splat_c1) the result must hold " << getSrc().getType() << ", found "
                         << getType();
  return success();
}

SmallVector<int64_t> SplatOp::getSourceDims() {
  return SmallVector<int64_t>(tileType(getResult()).getRank(), kRepeats);
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  if (isa_and_nonnull<IntegerAttr, FloatAttr>(adaptor.getSrc()))
    return SplatElementsAttr::get(tileType(getResult()), adaptor.getSrc());
  return {};
}

LogicalResult BroadcastOp::verify() {
  auto src = tileType(getSrc()), dst = tileType(getResult());
  if (src.getRank() != dst.getRank() || src.getElementType() != dst.getElementType())
    return emitOpError() << "(broadcast_c1) rank and element type must stay, found " << src
                         << " -> " << dst;
  for (auto [d, s, r] : llvm::enumerate(src.getShape(), dst.getShape()))
    if (s != r && s != 1)
      return emitOpError() << "(broadcast_c2) dimension " << d << " has extent " << s
                           << ", which does not broadcast to " << r;
  return success();
}

SmallVector<int64_t> BroadcastOp::getSourceDims() {
  SmallVector<int64_t> dims;
  for (auto [d, from, to] : llvm::enumerate(tileType(getSrc()).getShape(), getType().getShape()))
    dims.push_back(from == to ? int64_t(d) : kRepeats);
  return dims;
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  return foldUniform(adaptor.getSrc(), getType());
}

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *ctx) {
  patterns.add<ShapeOfSplat<BroadcastOp>>(ctx);
  patterns.add(+[](BroadcastOp op, PatternRewriter &rewriter) {
    auto inner = op.getSrc().getDefiningOp<BroadcastOp>();
    if (!inner)
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.getSrcMutable().assign(inner.getSrc()); });
    return success();
  });
}

LogicalResult ExpandDimsOp::verify() {
  auto src = tileType(getSrc()), dst = tileType(getResult());
  int64_t axis = static_cast<int32_t>(getAxis());
  if (axis < 0 || axis > src.getRank())
    return emitOpError() << "(expand_dims_c1) axis must be in [0, " << src.getRank() << "], found "
                         << axis;
  SmallVector<int64_t> shape(src.getShape());
  shape.insert(shape.begin() + axis, 1);
  if (dst.getShape() != ArrayRef(shape) || dst.getElementType() != src.getElementType())
    return emitOpError() << "(expand_dims_c2) the result must be "
                         << RankedTensorType::get(shape, src.getElementType()) << ", found " << dst;
  return success();
}

SmallVector<int64_t> ExpandDimsOp::getSourceDims() {
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, tileType(getSrc()).getRank()));
  dims.insert(dims.begin() + getAxis(), kRepeats);
  return dims;
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) {
  return foldUniform(adaptor.getSrc(), getType());
}

void ExpandDimsOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *ctx) {
  patterns.add<ShapeOfSplat<ExpandDimsOp>>(ctx);
}

LogicalResult ReshapeOp::verify() {
  auto src = tileType(getSrc()), dst = tileType(getResult());
  if (src.getNumElements() != dst.getNumElements() || src.getElementType() != dst.getElementType())
    return emitOpError() << "(reshape_c1) element type and number of elements must stay, found "
                         << src << " -> " << dst;
  return success();
}

// Where only dimensions of extent 1 come or go, the others are what they were.
SmallVector<int64_t> ReshapeOp::getSourceDims() {
  ArrayRef<int64_t> from = tileType(getSrc()).getShape(), to = getType().getShape();
  auto isLong = [](int64_t extent) { return extent != 1; };
  if (getAllowReorder() ||
      !llvm::equal(llvm::make_filter_range(from, isLong), llvm::make_filter_range(to, isLong)))
    return SmallVector<int64_t>(to.size(), kAnywhere);
  SmallVector<int64_t> dims;
  const int64_t *next = from.begin();
  for (int64_t extent : to) {
    next = isLong(extent) ? std::find_if(next, from.end(), isLong) : next;
    dims.push_back(isLong(extent) ? next++ - from.begin() : kRepeats);
  }
  return dims;
}

bool ReshapeOp::changesThreads() { return true; }

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  return foldUniform(adaptor.getSrc(), getType());
}

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *ctx) {
  patterns.add<ShapeOfSplat<ReshapeOp>>(ctx);
  patterns.add(+[](ReshapeOp op, PatternRewriter &rewriter) {
    auto inner = op.getSrc().getDefiningOp<ReshapeOp>();
    if (!inner || (inner.getAllowReorder() && !op.getAllowReorder()))
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.getSrcMutable().assign(inner.getSrc()); });
    return success();
  });
}

LogicalResult TransOp::verify() {
  auto src = tileType(getSrc()), dst = tileType(getResult());
  SmallVector<int32_t> sorted(getOrder());
  llvm::sort(sorted);
  bool permutation = static_cast<int64_t>(sorted.size()) == src.getRank();
  for (auto [i, d] : llvm::enumerate(sorted))
    permutation &= d == static_cast<int32_t>(i);
  if (!permutation)
    return emitOpError() << "(trans_c1) order must be a permutation of 0 .. " << src.getRank() - 1;
  SmallVector<int64_t> shape;
  for (int32_t d : getOrder())
    shape.push_back(src.getDimSize(d));
  if (dst.getShape() != ArrayRef(shape) || dst.getElementType() != src.getElementType())
    return emitOpError() << "(trans_c2) the result must be "
                         << RankedTensorType::get(shape, src.getElementType()) << ", found " << dst;
  return success();
}

SmallVector<int64_t> TransOp::getSourceDims() { return llvm::to_vector_of<int64_t>(getOrder()); }

OpFoldResult TransOp::fold(FoldAdaptor adaptor) {
  if (llvm::equal(getOrder(), llvm::seq<int32_t>(0, getOrder().size())))
    return getSrc();
  return foldUniform(adaptor.getSrc(), getType());
}

void TransOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *ctx) {
  patterns.add<ShapeOfSplat<TransOp>>(ctx);
  patterns.add(+[](TransOp op, PatternRewriter &rewriter) {
    auto inner = op.getSrc().getDefiningOp<TransOp>();
    if (!inner)
      return failure();
    SmallVector<int32_t> order;
    for (int32_t d : op.getOrder())
      order.push_back(inner.getOrder()[d]);
    rewriter.replaceOpWithNewOp<TransOp>(op, op.getType(), inner.getSrc(), order);
    return success();
  });
}

LogicalResult GatherOp::verify() {
  auto src = tileType(getSrc()), index = tileType(getIndex());
  int64_t axis = static_cast<int32_t>(getAxis());
  if (src.getRank() != index.getRank() || axis < 0 || axis >= src.getRank())
    return emitOpError() << "(gather_c1) source and index must have one rank, and axis be one of "
                            "its dimensions, found "
                         << src << ", " << index << " and axis " << axis;
  for (int64_t d = 0; d < src.getRank(); ++d)
    if (d != axis && src.getDimSize(d) != index.getDimSize(d))
      return emitOpError() << "(gather_c2) extents must agree along all dimensions but " << axis
                           << ", found " << src << " and " << index;
  if (!index.getElementType().isInteger(32) && !index.getElementType().isInteger(64))
    return emitOpError() << "(gather_c3) indices must have 32 or 64 bits, found " << index;
  if (getType().getShape() != index.getShape() ||
      getType().getElementType() != src.getElementType())
    return emitOpError() << "(gather_c4) the result must be "
                         << RankedTensorType::get(index.getShape(), src.getElementType())
                         << ", found " << getType();
  return success();
}

SmallVector<int64_t> GatherOp::getSourceDims() {
  return SmallVector<int64_t>(getType().getRank(), kAnywhere);
}

OpFoldResult GatherOp::fold(FoldAdaptor adaptor) {
  return foldUniform(adaptor.getSrc(), getType());
}

void GatherOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *ctx) {
  patterns.add<ShapeOfSplat<GatherOp>>(ctx);
}
