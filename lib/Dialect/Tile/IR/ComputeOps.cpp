//===- ComputeOps.cpp - dot, reductions, scans, assertions ----------------===//

#include "tritium/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

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

LogicalResult HistogramOp::verify() {
  auto isOfCounts = [](RankedTensorType type) {
    return type.getRank() == 1 && type.getElementType().isInteger(32);
  };
  RankedTensorType src = getSrc().getType(), result = getType();
  if (!isOfCounts(src) || !isOfCounts(result))
    return emitOpError() << "(histogram_c1) operand and result must be 1-D tiles of i32, found "
                         << src << " -> " << result;
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

/// Operands of one shape, and an axis of it.
static LogicalResult verifyAxis(Combining op, const char *constraint) {
  if (op.getSrcs().empty())
    return op->emitOpError() << "(" << constraint << ") needs an operand";
  auto first = cast<RankedTensorType>(op.getSrcs()[0].getType());
  int64_t axis = static_cast<int32_t>(op.getAxis());
  if (axis < 0 || axis >= first.getRank())
    return op->emitOpError() << "(" << constraint << ") axis must be in [0, " << first.getRank()
                             << "), found " << axis;
  for (Value src : op.getSrcs())
    if (shapeOf(src.getType()) != first.getShape())
      return op->emitOpError() << "(" << constraint << ") operands must have one shape, found "
                               << first << " and " << src.getType();
  return success();
}

LogicalResult ReduceOp::verify() {
  if (failed(verifyAxis(*this, "reduce_c1")))
    return failure();
  SmallVector<int64_t> shape(shapeOf(getSrcs()[0].getType()));
  shape.erase(shape.begin() + getAxis());
  for (auto [src, result] : llvm::zip(getSrcs(), getResults())) {
    // The layout of a result, where tiles have one, follows from the operand's; it is not
    // this dialect's matter.
    Type element = elementType(src.getType());
    Type expected = shape.empty() ? element : RankedTensorType::get(shape, element);
    if (withoutEncoding(result.getType()) != expected)
      return emitOpError() << "(reduce_c2) the result must be " << expected << ", found "
                           << result.getType();
  }
  return success();
}

LogicalResult ReduceOp::verifyRegions() {
  return cast<Combining>(getOperation()).verifyRegion("reduce_c3");
}

LogicalResult ScanOp::verify() {
  if (failed(verifyAxis(*this, "scan_c1")))
    return failure();
  if (getSrcs().getTypes() != getResultTypes())
    return emitOpError() << "(scan_c2) the results must be (" << getSrcs().getTypes()
                         << "), found (" << getResultTypes() << ")";
  return success();
}

LogicalResult ScanOp::verifyRegions() {
  return cast<Combining>(getOperation()).verifyRegion("scan_c3");
}

LogicalResult ScanOp::fold(FoldAdaptor, SmallVectorImpl<OpFoldResult> &results) {
  if (shapeOf(getSrcs()[0].getType())[getAxis()] != 1)
    return failure();
  results.append(getSrcs().begin(), getSrcs().end());
  return success();
}

//===----------------------------------------------------------------------===//
// What combines
//===----------------------------------------------------------------------===//

Operation *Combining::getCombiner() {
  Block &body = getCombineOp().front();
  if (getSrcs().size() != 1 || !llvm::hasNItems(body, 2))
    return nullptr;
  Operation *op = &body.front();
  bool usesBoth = op->getNumOperands() == 2 && op->getNumResults() == 1 &&
                  op->getOperand(0) != op->getOperand(1) &&
                  llvm::all_of(op->getOperands(),
                               [&](Value v) { return llvm::is_contained(body.getArguments(), v); });
  return usesBoth && body.getTerminator()->getOperand(0) == op->getResult(0) ? op : nullptr;
}

LogicalResult Combining::verifyRegion(StringRef constraint) {
  SmallVector<Type> elements, both;
  for (Value src : getSrcs())
    elements.push_back(elementType(src.getType()));
  both.append(elements);
  both.append(elements);
  Block &body = getCombineOp().front();
  if (TypeRange(body.getArgumentTypes()) == TypeRange(both) && !body.empty() &&
      isa<ReduceReturnOp, ScanReturnOp>(body.back()) &&
      TypeRange(body.back().getOperandTypes()) == TypeRange(elements))
    return success();
  return getOperation()->emitOpError() << "(" << constraint << ") the region must take (" << both
                                       << ") and return (" << elements << ")";
}

TypedAttr tritium::tt::neutralElement(Operation *op, Type type) {
  Builder b(op->getContext());
  auto number = [&](double value) -> TypedAttr { return b.getFloatAttr(type, value); };
  auto integer = [&](APInt value) -> TypedAttr { return b.getIntegerAttr(type, value); };
  unsigned bits = scalarBits(type);
  return llvm::TypeSwitch<Operation *, TypedAttr>(op)
      // Of zeros, only -0 leaves -0 as it is.
      .Case([&](arith::AddFOp) { return number(-0.0); })
      .Case([&](arith::MulFOp) { return number(1); })
      // These return the other operand of NaN.
      .Case<arith::MaxNumFOp, arith::MinNumFOp>([&](auto) { return number(NAN); })
      .Case([&](arith::MaximumFOp) { return number(-INFINITY); })
      .Case([&](arith::MinimumFOp) { return number(INFINITY); })
      .Case<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp>(
          [&](auto) { return integer(APInt::getZero(bits)); })
      .Case([&](arith::MulIOp) { return integer(APInt(bits, 1)); })
      .Case<arith::AndIOp, arith::MinUIOp>([&](auto) { return integer(APInt::getAllOnes(bits)); })
      .Case([&](arith::MaxSIOp) { return integer(APInt::getSignedMinValue(bits)); })
      .Case([&](arith::MinSIOp) { return integer(APInt::getSignedMaxValue(bits)); })
      .Default([](Operation *) { return TypedAttr(); });
}
