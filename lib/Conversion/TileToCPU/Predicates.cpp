//===- Predicates.cpp - is a mask true for the whole tile? ----------------===//
//
// For a mask such as `offsets < n` one scalar comparison, of the largest offset of the
// tile, tells whether every lane is inside. Full tiles then run without masks.
//
// The largest and the least are computed in 64 bits from scalars as they are. That is what
// the tile holds if no operation on the way there wraps. Where ranges do not prove it, "the
// bounds fit" becomes part of the condition:
//
//   offsets = start + range(0, 128)                   i32
//   start + 127 <= 2^31 - 1  and  start >= -2^31  and  start + 127 < n
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tritium::cpu {

using P = arith::CmpIPredicate;

Value Lowering::compare(P predicate, Value x, Value y) {
  return b.create<arith::CmpIOp>(loc, predicate, x, y);
}

Value Lowering::all(ArrayRef<Value> conditions) {
  Value result = conditions.front();
  for (Value condition : conditions.drop_front())
    result = b.create<arith::AndIOp>(loc, result, condition);
  return result;
}

/// The condition that `mask` is true everywhere; null if none is known.
Value Lowering::allTrue(Value mask) {
  Conditions conditions;
  return allTrue(mask, conditions, 0) ? all(conditions) : Value();
}

bool Lowering::allTrue(Value mask, Conditions &conditions, int depth) {
  if (!isa<RankedTensorType>(mask.getType())) {
    conditions.push_back(scalar(mask));
    return true;
  }
  Operation *op = mask.getDefiningOp();
  if (!op || depth > 16 || buffers.contains(mask))
    return false;
  if (isa<tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp, tt::TransOp, tt::ReshapeOp>(op))
    return allTrue(op->getOperand(0), conditions, depth + 1);
  if (isa<arith::AndIOp>(op))
    return allTrue(op->getOperand(0), conditions, depth + 1) &&
           allTrue(op->getOperand(1), conditions, depth + 1);
  auto cmp = dyn_cast<arith::CmpIOp>(op);
  if (!cmp || tt::elementType(cmp.getLhs().getType()).isInteger(1))
    return false;
  P predicate = cmp.getPredicate();
  bool less = predicate == P::slt || predicate == P::sle;
  if (!less && predicate != P::sgt && predicate != P::sge)
    return false;
  Extremes x = extremes(less ? cmp.getLhs() : cmp.getRhs(), conditions, depth + 1);
  Extremes y = extremes(less ? cmp.getRhs() : cmp.getLhs(), conditions, depth + 1);
  if (!x.max || !y.min)
    return false;
  bool strict = predicate == P::slt || predicate == P::sgt;
  conditions.push_back(compare(strict ? P::slt : P::sle, x.max, y.min));
  return true;
}

/// The remainder of a tile that counts up by one is the tile less a constant, if the
/// whole tile lies between two multiples of the divisor. Returns that condition and
/// remembers the constant.
Value Lowering::staysStraight(Operation *remainder) {
  Value lhs = remainder->getOperand(0);
  auto splatOp = remainder->getOperand(1).getDefiningOp<tt::SplatOp>();
  auto type = dyn_cast<RankedTensorType>(lhs.getType());
  if (!splatOp || !type || type.getRank() != 1 || strides.modular(lhs, 0) != 1)
    return {};
  Conditions conditions;
  Extremes range = extremes(lhs, conditions);
  if (!range.min)
    return {};
  Value n = scalarI64(splatOp.getSrc());
  Value zero = i64(0), one = i64(1);
  Value divisor = b.create<arith::SelectOp>(loc, compare(P::sgt, n, zero), n, one);
  Value first = b.create<arith::RemSIOp>(loc, range.min, divisor);
  straightRemainders[remainder] = sub(range.min, first);
  // Where the least is not negative, neither difference wraps, and no divisor below 1 passes.
  conditions.push_back(compare(P::sge, range.min, zero));
  conditions.push_back(compare(P::slt, sub(range.max, range.min), sub(n, first)));
  return all(conditions);
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

Lowering::Extremes Lowering::extremes(Value value, Conditions &conditions, int depth) {
  auto both = [](Value v) { return Extremes{v, v}; };
  if (!isa<RankedTensorType>(value.getType()))
    return both(scalarI64(value));
  Operation *op = value.getDefiningOp();
  if (!op || depth > 16 || (buffers.contains(value)))
    return {};
  return llvm::TypeSwitch<Operation *, Extremes>(op)
      .Case([&](tt::MakeRangeOp range) -> Extremes {
        return {i64(static_cast<int32_t>(range.getStart())),
                i64(static_cast<int32_t>(range.getEnd()) - 1)};
      })
      .Case([&](tt::SplatOp splatOp) { return both(scalarI64(splatOp.getSrc())); })
      .Case([&](arith::ConstantOp constantOp) -> Extremes {
        auto elements = dyn_cast<DenseElementsAttr>(constantOp.getValue());
        if (!elements || !elements.isSplat())
          return {};
        return both(i64(elements.getSplatValue<APInt>().getSExtValue()));
      })
      .Case<tt::BroadcastOp, tt::ExpandDimsOp, tt::TransOp, tt::ReshapeOp, arith::ExtSIOp>(
          [&](auto) { return extremes(op->getOperand(0), conditions, depth + 1); })
      .Case<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::TruncIOp>(
          [&](auto) { return wrappingOp(op, conditions, depth); })
      .Default([](Operation *) { return Extremes(); });
}

/// The bounds of a result that may wrap, as if it did not; that it does not is proved, or is a
/// condition.
Lowering::Extremes Lowering::wrappingOp(Operation *op, Conditions &conditions, int depth) {
  unsigned bits = tt::elementType(op->getResult(0).getType()).getIntOrFloatBitWidth();
  auto limit = [&](Extremes x, IntegerRange to) {
    conditions.push_back(compare(P::sge, x.min, i64(to.low)));
    conditions.push_back(compare(P::sle, x.max, i64(to.high)));
  };
  auto rangeOf = [&](unsigned i) { return ranges.get(op->getOperand(i)); };
  auto operand = [&](unsigned i) { return extremes(op->getOperand(i), conditions, depth + 1); };
  Extremes result;
  MaybeRange proved;
  if (isa<arith::TruncIOp>(op)) {
    result = operand(0);
    proved = range::fitting(rangeOf(0), bits);
  } else if (isa<arith::MulIOp>(op)) {
    // One factor is a constant.
    unsigned constant = rangeOf(1).low == rangeOf(1).high ? 1 : 0;
    IntegerRange by = rangeOf(constant);
    if (by.low != by.high || by.low == INT64_MIN)
      return {};
    Extremes x = operand(1 - constant);
    if (!x.min)
      return {};
    proved = range::product(rangeOf(0), rangeOf(1), bits);
    if (!proved && bits == 64 && by.low != 0) {
      int64_t most = INT64_MAX / std::abs(by.low);
      limit(x, {-most, most});
    }
    result = {mul(x.min, by.low), mul(x.max, by.low)};
    if (by.low < 0)
      std::swap(result.min, result.max);
  } else {
    Extremes x = operand(0), y = operand(1);
    if (!x.min || !y.min)
      return {};
    bool adds = isa<arith::AddIOp>(op);
    proved = adds ? range::sum(rangeOf(0), rangeOf(1), bits)
                  : range::difference(rangeOf(0), rangeOf(1), bits);
    if (!proved && bits == 64)
      for (Extremes part : {x, y})
        limit(part, {-(int64_t(1) << 62), (int64_t(1) << 62) - 1});
    result = adds ? Extremes{add(x.min, y.min), add(x.max, y.max)}
                  : Extremes{sub(x.min, y.max), sub(x.max, y.min)};
  }
  if (!proved && bits < 64 && result.min)
    limit(result, IntegerRange::ofWidth(bits));
  return result;
}

} // namespace tritium::cpu
