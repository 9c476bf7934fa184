//===- Elementwise.cpp - one operation on scalars or vectors --------------===//
//
// The same code serves scalars and vectors. Narrow floats are f32 that their format can
// represent: every operation that may leave the format rounds back into it.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;

namespace tritium::cpu {

static bool isNarrowFloat(Type element) {
  return tt::isTileFloat(element) && tt::scalarBits(element) < 32;
}

Value Lowering::roundTo(Value value, Type element) {
  return isNarrowFloat(element) ? math().round(value, element) : value;
}

Value Lowering::emitConstant(TypedAttr value) {
  if (auto number = dyn_cast<FloatAttr>(value)) {
    Type type = evalType(number.getType());
    APFloat v = number.getValue();
    bool ignored;
    v.convert(cast<FloatType>(type).getFloatSemantics(), APFloat::rmNearestTiesToEven, &ignored);
    return b.create<arith::ConstantOp>(loc, b.getFloatAttr(type, v));
  }
  return b.create<arith::ConstantOp>(loc, value);
}

/// Division never traps: x / 0 is 0, x % 0 is x, and the quotient of the smallest
/// integer and -1 wraps.
Value Lowering::emitIntDivision(Operation *op, Value x, Value y) {
  bool isSigned = isa<arith::DivSIOp, arith::RemSIOp>(op);
  bool isRem = isa<arith::RemSIOp, arith::RemUIOp>(op);
  auto divide = [&](Value n, Value d) -> Value {
    if (isSigned)
      return isRem ? b.create<arith::RemSIOp>(loc, n, d).getResult()
                   : b.create<arith::DivSIOp>(loc, n, d).getResult();
    return isRem ? b.create<arith::RemUIOp>(loc, n, d).getResult()
                 : b.create<arith::DivUIOp>(loc, n, d).getResult();
  };
  APInt known;
  bool isKnown = matchPattern(y, m_ConstantInt(&known));
  DenseElementsAttr elements;
  if (!isKnown && matchPattern(y, m_Constant(&elements)) && elements.isSplat()) {
    known = elements.getSplatValue<APInt>();
    isKnown = true;
  }
  if (!isKnown)
    if (auto broadcast = y.getDefiningOp<vector::BroadcastOp>())
      isKnown = matchPattern(broadcast.getSource(), m_ConstantInt(&known));
  if (isKnown && !known.isZero() && !known.isAllOnes())
    return divide(x, y);
  Type type = x.getType(), element = getElementTypeOrSelf(type);
  int64_t width = isa<VectorType>(type) ? cast<VectorType>(type).getNumElements() : 1;
  Value zero = splat(constant(element, 0), width), one = splat(constant(element, 1), width);
  Value isZero = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, y, zero);
  Value divisor = b.create<arith::SelectOp>(loc, isZero, one, y);
  Value isMinusOne;
  if (isSigned) {
    Value minusOne = splat(constant(element, -1), width);
    isMinusOne = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, y, minusOne);
    divisor = b.create<arith::SelectOp>(loc, isMinusOne, one, divisor);
  }
  Value result = divide(x, divisor);
  if (isRem)
    return b.create<arith::SelectOp>(loc, isZero, x, result);
  if (isSigned)
    result =
        b.create<arith::SelectOp>(loc, isMinusOne, b.create<arith::SubIOp>(loc, zero, x), result);
  return b.create<arith::SelectOp>(loc, isZero, zero, result);
}

Value Lowering::emitBitcast(Type from, Type to, Value x) {
  if (from == to || (isa<tt::PointerType>(from) && isa<tt::PointerType>(to)))
    return x;
  if (isNarrowFloat(from))
    x = encodeStorage(x, from);
  if (isNarrowFloat(to))
    return math().decode(x, to);
  int64_t width = isa<VectorType>(x.getType()) ? cast<VectorType>(x.getType()).getNumElements() : 1;
  Type type = shaped(evalType(to), width);
  return x.getType() == type ? x : b.create<arith::BitcastOp>(loc, type, x);
}

Value Lowering::emitCast(Operation *op, Value x, int64_t width) {
  Type from = tt::elementType(op->getOperand(0).getType());
  Type to = tt::elementType(op->getResult(0).getType());
  Type type = shaped(evalType(to), width);
  auto generic = [&](Type resultType) {
    OperationState state(loc, op->getName().getStringRef(), {x}, {resultType});
    return b.create(state)->getResult(0);
  };
  if (isa<arith::ExtFOp>(op))
    return x.getType() == type ? x : b.create<arith::ExtFOp>(loc, type, x);
  if (isa<arith::TruncFOp>(op)) {
    if (from.isF64() && isNarrowFloat(to))
      return math().decode(math().encodeF64(x, to), to);
    if (from.isF64())
      return b.create<arith::TruncFOp>(loc, type, x);
    return roundTo(x, to);
  }
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op) && isNarrowFloat(to)) {
    // Through f64, so that 32-bit integers are rounded once.
    x = generic(shaped(b.getF64Type(), width));
    return math().decode(math().encodeF64(x, to), to);
  }
  return generic(type);
}

Value Lowering::emitElementwise(Operation *op, ValueRange operands, int64_t width) {
  Type element = tt::elementType(op->getResult(0).getType());
  Type resultType = shaped(evalType(element), width);

  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
    return emitIntDivision(op, operands[0], operands[1]);
  if (isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op)) {
    // A shift by the width or more gives zero, or the sign.
    int64_t bits = tt::scalarBits(element);
    Value limit = splat(constant(element, bits), width);
    Value inside = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, operands[1], limit);
    Value last = splat(constant(element, bits - 1), width);
    Value amount = b.create<arith::SelectOp>(loc, inside, operands[1], last);
    OperationState state(loc, op->getName().getStringRef(), {operands[0], amount}, {resultType});
    Value shifted = b.create(state)->getResult(0);
    if (isa<arith::ShRSIOp>(op))
      return shifted;
    return b.create<arith::SelectOp>(loc, inside, shifted, zeroOf(element, width));
  }
  if (isa<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp,
          arith::FPToUIOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op))
    return emitCast(op, operands[0], width);
  if (auto bitcast = dyn_cast<tt::BitcastOp>(op))
    return emitBitcast(tt::elementType(bitcast.getSrc().getType()), element, operands[0]);
  if (isa<arith::BitcastOp>(op))
    return emitBitcast(tt::elementType(op->getOperand(0).getType()), element, operands[0]);
  if (isa<tt::IntToPtrOp, tt::PtrToIntOp>(op))
    return operands[0];
  if (isa<tt::MulhiUIOp>(op)) {
    if (tt::scalarBits(element) == 64)
      return b.create<arith::MulUIExtendedOp>(loc, operands[0], operands[1]).getHigh();
    Type wide = shaped(b.getI64Type(), width);
    Value product = b.create<arith::MulIOp>(loc, b.create<arith::ExtUIOp>(loc, wide, operands[0]),
                                            b.create<arith::ExtUIOp>(loc, wide, operands[1]));
    Value shift = splat(i64(tt::scalarBits(element)), width);
    return b.create<arith::TruncIOp>(loc, resultType,
                                     b.create<arith::ShRUIOp>(loc, product, shift));
  }
  if (isa<arith::SelectOp>(op))
    return b.create<arith::SelectOp>(loc, operands[0], operands[1], operands[2]);

  Value x = operands.empty() ? Value() : operands[0];
  Value result;
  if (isa<math::ExpOp>(op))
    result = math().exp(x);
  else if (isa<math::Exp2Op>(op))
    result = math().exp2(x);
  else if (isa<math::LogOp>(op))
    result = math().log(x);
  else if (isa<math::Log2Op>(op))
    result = math().log2(x);
  else if (isa<math::SinOp>(op))
    result = math().sin(x);
  else if (isa<math::CosOp>(op))
    result = math().cos(x);
  else if (isa<math::TanhOp>(op))
    result = math().tanh(x);
  else if (isa<math::ErfOp>(op))
    result = math().erf(x);
  else {
    OperationState state(loc, op->getName().getStringRef(), operands, {resultType});
    state.addAttributes(
        llvm::to_vector(llvm::make_filter_range(op->getAttrs(), [](NamedAttribute a) {
          return !a.getName().strref().starts_with("tt.");
        })));
    result = b.create(state)->getResult(0);
  }
  bool exact = isa<arith::NegFOp, math::AbsFOp, arith::MaxNumFOp, arith::MinNumFOp,
                   arith::MaximumFOp, arith::MinimumFOp, arith::CmpFOp>(op);
  return exact ? result : roundTo(result, element);
}

} // namespace tritium::cpu
