//===- Predicates.cpp - is a mask true for the whole tile? ----------------===//
//
// For a mask such as `offsets < n` one scalar comparison, of the largest offset of the
// tile, tells whether every lane is inside. Full tiles then run without masks.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tritium::cpu {

Value Lowering::allTrue(Value mask, int depth) {
  if (!isa<RankedTensorType>(mask.getType()))
    return scalar(mask);
  Operation *op = mask.getDefiningOp();
  if (!op || depth > 16 || buffers.contains(mask))
    return {};
  if (auto splatOp = dyn_cast<tt::SplatOp>(op))
    return scalar(splatOp.getSrc());
  if (isa<tt::BroadcastOp, tt::ExpandDimsOp, tt::TransOp, tt::ReshapeOp>(op))
    return allTrue(op->getOperand(0), depth + 1);
  if (isa<arith::AndIOp>(op)) {
    Value x = allTrue(op->getOperand(0), depth + 1);
    Value y = x ? allTrue(op->getOperand(1), depth + 1) : Value();
    return y ? b.create<arith::AndIOp>(loc, x, y).getResult() : Value();
  }
  auto cmp = dyn_cast<arith::CmpIOp>(op);
  if (!cmp || tt::elementType(cmp.getLhs().getType()).isInteger(1))
    return {};
  using P = arith::CmpIPredicate;
  P predicate = cmp.getPredicate();
  bool less = predicate == P::slt || predicate == P::sle;
  if (!less && predicate != P::sgt && predicate != P::sge)
    return {};
  Extremes x = extremes(less ? cmp.getLhs() : cmp.getRhs(), depth + 1);
  Extremes y = extremes(less ? cmp.getRhs() : cmp.getLhs(), depth + 1);
  if (!x.max || !y.min)
    return {};
  bool strict = predicate == P::slt || predicate == P::sgt;
  return b.create<arith::CmpIOp>(loc, strict ? P::slt : P::sle, x.max, y.min);
}

/// The remainder of a tile that counts up by one is the tile less a constant, if the
/// whole tile lies between two multiples of the divisor. Returns that condition and
/// remembers the constant.
Value Lowering::staysStraight(Operation *remainder) {
  Value lhs = remainder->getOperand(0);
  auto splatOp = remainder->getOperand(1).getDefiningOp<tt::SplatOp>();
  auto type = dyn_cast<RankedTensorType>(lhs.getType());
  if (!splatOp || !type || type.getRank() != 1 || likelyStride(lhs, 0) != 1)
    return {};
  Extremes range = extremes(lhs);
  if (!range.min)
    return {};
  Value n = scalar(splatOp.getSrc());
  if (!n.getType().isInteger(64))
    n = b.createOrFold<arith::ExtSIOp>(loc, b.getI64Type(), n);
  Value zero = i64(0), one = i64(1);
  Value positive = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sgt, n, zero);
  Value divisor = b.create<arith::SelectOp>(loc, positive, n, one);
  Value first = b.create<arith::RemSIOp>(loc, range.min, divisor);
  Value last = add(first, sub(range.max, range.min));
  Value inside = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, last, n);
  Value nonNegative = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, range.min, zero);
  straightRemainders[remainder] = sub(range.min, first);
  return b.create<arith::AndIOp>(loc, b.create<arith::AndIOp>(loc, inside, nonNegative), positive);
}

Lowering::Extremes Lowering::extremes(Value value, int depth) {
  auto both = [&](Value v) -> Extremes {
    Value wide =
        v.getType().isInteger(64) ? v : b.createOrFold<arith::ExtSIOp>(loc, b.getI64Type(), v);
    return {wide, wide};
  };
  if (!isa<RankedTensorType>(value.getType()))
    return both(scalar(value));
  Operation *op = value.getDefiningOp();
  if (!op || depth > 16 || (buffers.contains(value)))
    return {};
  auto operand = [&](unsigned i) { return extremes(op->getOperand(i), depth + 1); };
  return llvm::TypeSwitch<Operation *, Extremes>(op)
      .Case([&](tt::MakeRangeOp range) -> Extremes {
        return {i64(static_cast<int32_t>(range.getStart())),
                i64(static_cast<int32_t>(range.getEnd()) - 1)};
      })
      .Case([&](tt::SplatOp splatOp) { return both(scalar(splatOp.getSrc())); })
      .Case([&](arith::ConstantOp constantOp) -> Extremes {
        auto elements = dyn_cast<DenseElementsAttr>(constantOp.getValue());
        if (!elements || !elements.isSplat())
          return {};
        return both(i64(elements.getSplatValue<APInt>().getSExtValue()));
      })
      .Case<tt::BroadcastOp, tt::ExpandDimsOp, tt::TransOp, tt::ReshapeOp, arith::ExtSIOp>(
          [&](auto) { return operand(0); })
      .Case([&](arith::AddIOp) -> Extremes {
        Extremes x = operand(0), y = operand(1);
        if (!x.min || !y.min)
          return {};
        return {add(x.min, y.min), add(x.max, y.max)};
      })
      .Case([&](arith::SubIOp) -> Extremes {
        Extremes x = operand(0), y = operand(1);
        if (!x.min || !y.min)
          return {};
        return {sub(x.min, y.max), sub(x.max, y.min)};
      })
      .Case([&](arith::MulIOp mulOp) -> Extremes {
        for (auto [factor, other] :
             {std::pair(mulOp.getRhs(), 0u), std::pair(mulOp.getLhs(), 1u)}) {
          DenseElementsAttr elements;
          if (!matchPattern(factor, m_Constant(&elements)) || !elements.isSplat())
            continue;
          int64_t c = elements.getSplatValue<APInt>().getSExtValue();
          Extremes x = operand(other);
          if (!x.min)
            return {};
          Extremes scaled{mul(x.min, c), mul(x.max, c)};
          return c < 0 ? Extremes{scaled.max, scaled.min} : scaled;
        }
        return {};
      })
      .Default([](Operation *) { return Extremes(); });
}

} // namespace tritium::cpu
