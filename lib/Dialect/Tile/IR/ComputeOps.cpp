//===- ComputeOps.cpp - dot, reductions, assertions -----------------------===//

#include "tritium/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tritium::tt;

#define GET_OP_CLASSES
#include "tritium/Dialect/Tile/IR/TileOps.cpp.inc"

LogicalResult DotOp::verify() {
  auto a = getA().getType(), b = getB().getType(), c = getC().getType();
  int64_t rank = a.getRank();
  if ((rank != 2 && rank != 3) || b.getRank() != rank || c.getRank() != rank)
    return emitOpError() << "(dot_c1) all operands must have rank 2, or all rank 3, found " << a
                         << ", " << b << " and " << c;
  int64_t m = rank - 2, n = rank - 1;
  if (a.getDimSize(n) != b.getDimSize(m) || a.getDimSize(m) != c.getDimSize(m) ||
      b.getDimSize(n) != c.getDimSize(n) ||
      (rank == 3 && (a.getDimSize(0) != b.getDimSize(0) || a.getDimSize(0) != c.getDimSize(0))))
    return emitOpError() << "(dot_c2) batch, M, N and K must agree, found " << a << " * " << b
                         << " -> " << c;
  Type ea = a.getElementType(), eb = b.getElementType(), ec = c.getElementType();
  auto isF8 = [](Type t) { return isTileFloat(t) && scalarBits(t) == 8; };
  if (ea != eb && !(isF8(ea) && isF8(eb)))
    return emitOpError() << "(dot_c3) operands must have one element type, found " << ea << " and "
                         << eb;
  if (isTileFloat(ea) ? !isTileFloat(ec) : !(ea.isInteger(8) && ec.isInteger(32)))
    return emitOpError() << "(dot_c4) " << ea << " operands do not accumulate in " << ec;
  return success();
}

LogicalResult AssertOp::verify() {
  size_t expected = getShape().empty() ? 1 : 2;
  if (getReport().size() != expected && (!getReport().empty() || !getShape().empty()))
    return emitOpError() << "(assert_c1) a report is a value, or, with a shape, an element's "
                            "number and a value; found "
                         << getReport().size() << " operands and a shape of rank "
                         << getShape().size();
  if (!getReport().empty() && isTile(getCondition().getType()))
    return emitOpError() << "(assert_c2) with a report the condition is a scalar, found "
                         << getCondition().getType();
  return success();
}

LogicalResult CheckHintOp::verify() {
  size_t expected = std::max<size_t>(shapeOf(getX().getType()).size(), 1);
  if (getValues().size() != expected || llvm::any_of(getValues(), [](int64_t v) { return v <= 0; }))
    return emitOpError() << "(check_hint_c1) needs " << expected << " positive values for "
                         << getX().getType() << ", found [" << getValues() << "]";
  if (getKind() != HintKind::CONSTANCY && isTileFloat(elementType(getX().getType())))
    return emitOpError() << "(check_hint_c2) is about integers and pointers, found "
                         << getX().getType();
  return success();
}

void ReduceOp::build(OpBuilder &builder, OperationState &state, ValueRange srcs, int axis) {
  SmallVector<Type> types;
  for (Value src : srcs) {
    auto type = cast<RankedTensorType>(src.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.erase(shape.begin() + axis);
    types.push_back(shape.empty() ? type.getElementType()
                                  : RankedTensorType::get(shape, type.getElementType()));
  }
  build(builder, state, types, srcs, axis);
}

LogicalResult ReduceOp::verify() {
  if (getSrcs().empty())
    return emitOpError() << "(reduce_c1) needs an operand";
  auto first = cast<RankedTensorType>(getSrcs()[0].getType());
  int64_t axis = static_cast<int32_t>(getAxis());
  if (axis < 0 || axis >= first.getRank())
    return emitOpError() << "(reduce_c1) axis must be in [0, " << first.getRank() << "), found "
                         << axis;
  SmallVector<int64_t> shape(first.getShape());
  shape.erase(shape.begin() + axis);
  for (auto [src, result] : llvm::zip(getSrcs(), getResults())) {
    auto type = cast<RankedTensorType>(src.getType());
    if (type.getShape() != first.getShape())
      return emitOpError() << "(reduce_c1) operands must have one shape, found " << first << " and "
                           << type;
    // The layout of a result, where tiles have one, follows from the operand's; it is not
    // this dialect's matter.
    Type expected =
        shape.empty() ? type.getElementType() : RankedTensorType::get(shape, type.getElementType());
    if (withoutEncoding(result.getType()) != expected)
      return emitOpError() << "(reduce_c2) the result must be " << expected << ", found "
                           << result.getType();
  }
  return success();
}

LogicalResult ReduceOp::verifyRegions() {
  SmallVector<Type> elements;
  for (Value src : getSrcs())
    elements.push_back(elementType(src.getType()));
  SmallVector<Type> both(elements);
  both.append(elements);
  Block &body = getCombineOp().front();
  if (TypeRange(body.getArgumentTypes()) != TypeRange(both) ||
      TypeRange(body.getTerminator()->getOperandTypes()) != TypeRange(elements))
    return emitOpError() << "(reduce_c3) the region must take (" << both << ") and return ("
                         << elements << ")";
  return success();
}
