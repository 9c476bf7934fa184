//===- TileConditions.cpp - what scalars tell of all of a tile ------------===//
//
// The largest and the least element are computed in 64 bits from scalars as they are. That is
// what the tile holds if no operation on the way there wraps. Where ranges do not prove it, "the
// bounds fit" becomes part of the condition:
//
//   offsets = start + range(0, 128)                   i32
//   start + 127 <= 2^31 - 1  and  start >= -2^31  and  start + 127 < n
//
//===----------------------------------------------------------------------===//

#include "tritium/Analysis/TileConditions.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tritium {

using P = arith::CmpIPredicate;

/// Of deeper expressions nothing is known.
constexpr int kMaxDepth = 16;

//===----------------------------------------------------------------------===//
// Terms
//===----------------------------------------------------------------------===//

unsigned TileConditions::append(Term term) {
  code.terms.push_back(term);
  return code.terms.size() - 1;
}

unsigned TileConditions::number(int64_t constant) {
  return append({Term::Constant, {}, constant, {}, {}});
}

unsigned TileConditions::scalar(Value value, Term::Kind kind) {
  return append({kind, {}, 0, value, {}});
}

unsigned TileConditions::binary(Term::Kind kind, unsigned a, unsigned b) {
  return append({kind, {a, b, 0}, 0, {}, {}});
}

unsigned TileConditions::compare(P predicate, unsigned a, unsigned b) {
  return append({Term::Compare, {a, b, 0}, 0, {}, predicate});
}

unsigned TileConditions::all(ArrayRef<unsigned> conditions) {
  unsigned result = conditions.front();
  for (unsigned condition : conditions.drop_front())
    result = binary(Term::And, result, condition);
  return result;
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

std::optional<unsigned> TileConditions::allTrue(Value mask) {
  conditions.clear();
  size_t before = code.terms.size();
  if (allTrue(mask, 0))
    return all(conditions);
  code.terms.resize(before);
  return std::nullopt;
}

bool TileConditions::allTrue(Value mask, int depth) {
  if (!isa<RankedTensorType>(mask.getType())) {
    conditions.push_back(scalar(mask, Term::Flag));
    return true;
  }
  Operation *op = mask.getDefiningOp();
  if (!op || depth > kMaxDepth)
    return false;
  if (auto movement = dyn_cast<tt::DataMovement>(op))
    return allTrue(movement.getSource(), depth + 1);
  if (isa<arith::AndIOp>(op))
    return allTrue(op->getOperand(0), depth + 1) && allTrue(op->getOperand(1), depth + 1);
  auto cmp = dyn_cast<arith::CmpIOp>(op);
  if (!cmp || tt::elementType(cmp.getLhs().getType()).isInteger(1))
    return false;
  P predicate = cmp.getPredicate();
  bool less = predicate == P::slt || predicate == P::sle;
  if (!less && predicate != P::sgt && predicate != P::sge)
    return false;
  MaybeExtremes x = extremes(less ? cmp.getLhs() : cmp.getRhs(), depth + 1);
  MaybeExtremes y = extremes(less ? cmp.getRhs() : cmp.getLhs(), depth + 1);
  if (!x || !y)
    return false;
  bool strict = predicate == P::slt || predicate == P::sgt;
  conditions.push_back(compare(strict ? P::slt : P::sle, x->max, y->min));
  return true;
}

/// The remainder of a tile that counts up by one is the tile less a constant, if the whole tile
/// lies between two multiples of the divisor.
std::optional<TileConditions::Straight> TileConditions::staysStraight(Operation *remainder) {
  Value lhs = remainder->getOperand(0), rhs = remainder->getOperand(1);
  auto splat = rhs.getDefiningOp<tt::SplatOp>();
  DenseElementsAttr constant;
  matchPattern(rhs, m_Constant(&constant));
  auto type = dyn_cast<RankedTensorType>(lhs.getType());
  if ((!splat && !(constant && constant.isSplat())) || !type || type.getRank() != 1 ||
      strides.modular(lhs, 0) != 1)
    return std::nullopt;
  conditions.clear();
  size_t before = code.terms.size();
  MaybeExtremes range = extremes(lhs, 0);
  if (!range) {
    code.terms.resize(before);
    return std::nullopt;
  }
  unsigned n =
      splat ? scalar(splat.getSrc()) : number(constant.getSplatValue<APInt>().getSExtValue());
  unsigned zero = number(0), one = number(1);
  unsigned divisor = append({Term::Select, {compare(P::sgt, n, zero), n, one}, 0, {}, {}});
  unsigned first = binary(Term::Remainder, range->min, divisor);
  unsigned less = binary(Term::Sub, range->min, first);
  // Where the least is not negative, neither difference wraps, and no divisor below 1 passes.
  conditions.push_back(compare(P::sge, range->min, zero));
  unsigned length = binary(Term::Sub, range->max, range->min);
  unsigned rest = binary(Term::Sub, n, first);
  conditions.push_back(compare(P::slt, length, rest));
  return Straight{all(conditions), less};
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

void TileConditions::limit(Extremes x, IntegerRange to) {
  conditions.push_back(compare(P::sge, x.min, number(to.low)));
  conditions.push_back(compare(P::sle, x.max, number(to.high)));
}

TileConditions::MaybeExtremes TileConditions::extremes(Value value, int depth) {
  auto both = [](unsigned term) { return Extremes{term, term}; };
  if (!isa<RankedTensorType>(value.getType()))
    return both(scalar(value));
  Operation *op = value.getDefiningOp();
  if (!op || depth > kMaxDepth)
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, MaybeExtremes>(op)
      .Case([&](tt::MakeRangeOp range) -> MaybeExtremes {
        unsigned min = number(static_cast<int32_t>(range.getStart()));
        return Extremes{min, number(static_cast<int32_t>(range.getEnd()) - 1)};
      })
      .Case([&](arith::ConstantOp constant) -> MaybeExtremes {
        auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
        if (!elements || !elements.isSplat())
          return std::nullopt;
        return both(number(elements.getSplatValue<APInt>().getSExtValue()));
      })
      .Case<tt::DataMovement, arith::ExtSIOp>(
          [&](auto) { return extremes(op->getOperand(0), depth + 1); })
      .Case<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::TruncIOp>(
          [&](auto) { return unwrapped(op, depth); })
      .Default([](Operation *) { return std::nullopt; });
}

/// The bounds of a result that may wrap, as if it did not; that it does not is proved, or is a
/// condition.
TileConditions::MaybeExtremes TileConditions::unwrapped(Operation *op, int depth) {
  unsigned bits = tt::elementType(op->getResult(0).getType()).getIntOrFloatBitWidth();
  MaybeRange proved;
  MaybeExtremes result;
  if (isa<arith::TruncIOp>(op)) {
    result = extremes(op->getOperand(0), depth + 1);
    proved = range::fitting(ranges.get(op->getOperand(0)), bits);
  } else if (isa<arith::MulIOp>(op)) {
    result = product(op, depth, proved);
  } else {
    result = sum(op, depth, proved);
  }
  if (result && !proved && bits < 64)
    limit(*result, IntegerRange::ofWidth(bits));
  return result;
}

/// Premise: one factor is a constant.
TileConditions::MaybeExtremes TileConditions::product(Operation *op, int depth,
                                                      MaybeRange &proved) {
  unsigned bits = tt::elementType(op->getResult(0).getType()).getIntOrFloatBitWidth();
  IntegerRange a = ranges.get(op->getOperand(0)), b = ranges.get(op->getOperand(1));
  bool isRight = b.low == b.high;
  IntegerRange by = isRight ? b : a;
  if (by.low != by.high || by.low == INT64_MIN)
    return std::nullopt;
  MaybeExtremes x = extremes(op->getOperand(isRight ? 0 : 1), depth + 1);
  if (!x)
    return std::nullopt;
  proved = range::product(a, b, bits);
  if (!proved && bits == 64 && by.low != 0) {
    int64_t most = INT64_MAX / std::abs(by.low);
    limit(*x, {-most, most});
  }
  auto scaled = [&](unsigned term) {
    return by.low == 1 ? term : binary(Term::Mul, term, number(by.low));
  };
  Extremes result{scaled(x->min), scaled(x->max)};
  if (by.low < 0)
    std::swap(result.min, result.max);
  return result;
}

TileConditions::MaybeExtremes TileConditions::sum(Operation *op, int depth, MaybeRange &proved) {
  unsigned bits = tt::elementType(op->getResult(0).getType()).getIntOrFloatBitWidth();
  MaybeExtremes x = extremes(op->getOperand(0), depth + 1);
  MaybeExtremes y = extremes(op->getOperand(1), depth + 1);
  if (!x || !y)
    return std::nullopt;
  IntegerRange a = ranges.get(op->getOperand(0)), b = ranges.get(op->getOperand(1));
  bool adds = isa<arith::AddIOp>(op);
  proved = adds ? range::sum(a, b, bits) : range::difference(a, b, bits);
  if (!proved && bits == 64)
    for (Extremes part : {*x, *y})
      limit(part, {-(int64_t(1) << 62), (int64_t(1) << 62) - 1});
  if (adds) {
    unsigned min = binary(Term::Add, x->min, y->min);
    return Extremes{min, binary(Term::Add, x->max, y->max)};
  }
  unsigned min = binary(Term::Sub, x->min, y->max);
  return Extremes{min, binary(Term::Sub, x->max, y->min)};
}

} // namespace tritium
