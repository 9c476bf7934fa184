//===- SkipMasked.cpp - what a mask may rule out --------------------------===//

#include "tritium/Dialect/TileGPU/IR/SkipMasked.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tritium;
using namespace tritium::ttg;

bool ttg::implies(Value mask, Value of) {
  if (!mask || mask == of)
    return bool(mask);
  if (Value same = sameTile(mask); same && same.getType() == mask.getType())
    return implies(same, of);
  auto both = mask.getDefiningOp<arith::AndIOp>();
  return both && (implies(both.getLhs(), of) || implies(both.getRhs(), of));
}

static bool hasLayoutOf(Value tile, Value mask) {
  auto type = dyn_cast<RankedTensorType>(tile.getType());
  auto like = cast<RankedTensorType>(mask.getType());
  return type && type.getShape() == like.getShape() && type.getEncoding() == like.getEncoding();
}

/// The same, but the layout may have another name.
static bool liesAs(Value tile, Value mask) {
  auto type = dyn_cast<RankedTensorType>(tile.getType());
  auto like = cast<RankedTensorType>(mask.getType());
  return type && type.getShape() == like.getShape() && type.getEncoding() &&
         sameLayout(type.getEncoding(), like.getEncoding(), like.getShape());
}

bool ttg::isElementwiseUnder(Operation *op, Value mask) {
  return op->getNumResults() == 1 && op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         tt::isElementwise(op) && hasLayoutOf(op->getResult(0), mask) &&
         !isa<tt::PointerType>(tt::elementType(op->getResult(0).getType()));
}

bool ttg::reducesAlong(Operation *op, unsigned axis) {
  if (auto reduce = dyn_cast<tt::ReduceOp>(op))
    return reduce.getAxis() == axis;
  auto reduce = dyn_cast<WarpReduceOp>(op);
  return reduce && reduce.getAxis() == axis;
}

void YieldOp::build(OpBuilder &, OperationState &) {}

YieldOp SkipMaskedOp::getYield() { return cast<YieldOp>(getBody().front().getTerminator()); }

Operation *SkipMaskedOp::getLast() {
  Operation *last = getYield()->getPrevNode();
  return last && !isElementwiseUnder(last, getMask()) ? last : nullptr;
}

LogicalResult SkipMaskedOp::verify() {
  auto type = cast<RankedTensorType>(getMask().getType());
  bool fits = type.getEncoding() && getAxis() < type.getRank() && !getFrom().empty();
  int64_t before = -1;
  for (int64_t place : getFrom()) {
    fits = fits && before < place && place < type.getDimSize(getAxis());
    before = place;
  }
  if (fits)
    return success();
  return emitOpError() << "(skip_masked_c1) the mask must have a layout, the axis be one of its "
                          "dimensions, and parts begin at ascending places inside of the extent, "
                          "found "
                       << type << ", axis " << getAxis() << " and [" << getFrom() << "]";
}

LogicalResult SkipMaskedOp::verifyRegions() {
  Block &body = getBody().front();
  for (Operation &op : body.without_terminator()) {
    if (isElementwiseUnder(&op, getMask()))
      continue;
    auto store = dyn_cast<tt::StoreOp>(op);
    bool joins = store ? implies(store.getMask(), getMask()) && liesAs(store.getPtr(), getMask())
                       : reducesAlong(&op, getAxis()) && liesAs(op.getOperand(0), getMask());
    if (!joins || &op != getLast())
      return op.emitOpError()
             << "(skip_masked_c2) cannot stand here: registers that a mask rules out are skipped "
                "by "
                "element-wise operations on tiles of the mask's shape and layout, and at the end "
                "of the body by one reduction along its dimension or one store whose mask is that "
                "mask, or a conjunction with it";
  }
  bool fits = getYield().getValues().getTypes() == getResultTypes();
  llvm::SmallDenseSet<Value> seen;
  for (Value value : getYield().getValues())
    fits &= value.getParentRegion() == &getBody() && seen.insert(value).second;
  if (fits)
    return success();
  return getYield().emitOpError() << "(skip_masked_c3) must yield what the body computes, each "
                                     "once, of the types of the results, found ("
                                  << getYield().getValues().getTypes() << ") for ("
                                  << getResultTypes() << ")";
}
