//===- ElementwiseRules.cpp - axis infos, element by element --------------===//
//
// Arithmetic, comparisons, choices, casts, addresses. Notation: AxisLine.h.
//
//===----------------------------------------------------------------------===//

#include "AxisLine.h"
#include "AxisRules.h"

#include "tritium/Dialect/Tile/IR/Tile.h"

#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;

namespace tritium::axis {

namespace {
/// The operands and the result of an operation, one dimension at a time.
class Rule {
public:
  Rule(Operation *op, Lookup get, IntegerRanges &ranges)
      : op(op), get(get), ranges(ranges), type(op->getResult(0).getType()), info(unknown(type)) {
    // An element-wise result is constant where all operands are. A scalar operand of a
    // tile operation is constant everywhere.
    for (int64_t d = 0; d < info.rank(); ++d) {
      int64_t k = 0;
      for (Value operand : op->getOperands())
        if (tt::isTile(operand.getType()) || !tt::isTile(type))
          k = std::gcd(k, line(operand, d).k);
      info.constancy[d] = lengthOf(k, extentOf(type, d));
    }
  }

  Line line(Value value, int64_t d) const {
    return lineOf(get(value), d, extentOf(value.getType(), d));
  }
  Line x(int64_t d) const { return line(op->getOperand(0), d); }
  Line y(int64_t d) const {
    return factor ? lineOf(*factor, d, extentOf(type, d)) : line(op->getOperand(1), d);
  }
  /// Lets y be a constant instead of the second operand.
  Rule &with(int64_t constant) {
    factor = uniform(type, constant);
    return *this;
  }
  int64_t divisorOfX() const {
    return divisor(get(op->getOperand(0)), op->getOperand(0).getType());
  }
  int64_t divisorOfY() const {
    return factor ? divisor(*factor, type)
                  : divisor(get(op->getOperand(1)), op->getOperand(1).getType());
  }
  std::optional<int64_t> constantY() const {
    return factor ? factor->constant : get(op->getOperand(1)).constant;
  }

  AxisInfo elementwise() { return std::move(info); }
  AxisInfo addition(bool commutes);
  AxisInfo movedPointer();
  AxisInfo product();
  AxisInfo quotient();
  AxisInfo remainder();
  AxisInfo comparison(arith::CmpIPredicate predicate);
  AxisInfo selection(arith::SelectOp select);
  /// Every element is a multiple of `q`.
  AxisInfo multiples(int64_t q) {
    info.divisibility.assign(info.rank(), capped(q));
    return std::move(info);
  }

private:
  unsigned operandBits() const { return integerBits(op->getOperand(0).getType()); }
  void setSum(int64_t d, const Line &a, const Line &b, bool commutes, int64_t unit);
  void raiseConstancy(int64_t d, int64_t run) {
    info.constancy[d] = std::max(info.constancy[d], lengthOf(run, extentOf(type, d)));
  }

  Operation *op;
  Lookup get;
  IntegerRanges &ranges;
  Type type;
  AxisInfo info;
  std::optional<AxisInfo> factor;
};

/// `unit`: what one more in `b` adds to the sum.
void Rule::setSum(int64_t d, const Line &a, const Line &b, bool commutes, int64_t unit) {
  int64_t c = std::gcd(a.c, b.k);
  if (commutes)
    c = longer(c, std::gcd(a.k, b.c));
  info.contiguity[d] = lengthOf(c, a.extent);
  info.divisibility[d] =
      std::gcd(divisorAt(a, c, unit), capped(divisorAt(b, c) * powerOfTwoDivisor(unit)));
}

AxisInfo Rule::addition(bool commutes) {
  for (int64_t d = 0; d < info.rank(); ++d)
    setSum(d, x(d), y(d), commutes, 1);
  return std::move(info);
}

/// An offset of fewer than 64 bits is extended with its sign.
AxisInfo Rule::movedPointer() {
  Value offset = op->getOperand(1);
  unsigned bits = integerBits(offset.getType());
  bool cannotCross = bits == 64 || ranges.cannotCrossSignedEnd(offset);
  for (int64_t d = 0; d < info.rank(); ++d)
    setSum(d, x(d), asNumbers(y(d), bits, cannotCross), true, pointeeBytes(type));
  return std::move(info);
}

AxisInfo Rule::product() {
  if (get(op->getOperand(0)).constant == 1)
    return factor ? *factor : get(op->getOperand(1));
  if (constantY() == 1)
    return get(op->getOperand(0));
  return multiples(divisorOfX() * divisorOfY());
}

/// floor(x / y): constant over runs within y.
AxisInfo Rule::quotient() {
  std::optional<int64_t> by = constantY();
  if (by == 1)
    return get(op->getOperand(0));
  for (int64_t d = 0; d < info.rank(); ++d) {
    Line a = x(d);
    int64_t run = runWithin(a, y(d), operandBits());
    raiseConstancy(d, run);
    if (!by || *by <= 0 || powerOfTwoDivisor(*by) != *by)
      continue;
    // Exact for every element, or at the start of a run over which x / y is constant.
    if (a.c == 1)
      info.divisibility[d] = std::max<int64_t>(1, a.q / *by);
    else if (run == *by)
      info.divisibility[d] = std::max<int64_t>(1, divisorAt(a, run) / *by);
  }
  return std::move(info);
}

/// x - floor(x / y) * y: counts up over runs within y.
AxisInfo Rule::remainder() {
  for (int64_t d = 0; d < info.rank(); ++d) {
    Line a = x(d), b = y(d);
    int64_t c = runWithin(a, b, operandBits());
    info.contiguity[d] = lengthOf(c, a.extent);
    info.divisibility[d] = std::gcd(divisorAt(a, c), divisorAt(b, c));
  }
  return std::move(info);
}

/// x < y and its negation do not change over runs of x that start at multiples of what
/// divides y.
AxisInfo Rule::comparison(arith::CmpIPredicate p) {
  using P = arith::CmpIPredicate;
  for (int64_t d = 0; d < info.rank(); ++d) {
    if (p == P::slt || p == P::sge || p == P::ult || p == P::uge)
      raiseConstancy(d, runWithin(x(d), y(d), operandBits()));
    else if (p == P::sgt || p == P::sle || p == P::ugt || p == P::ule)
      raiseConstancy(d, runWithin(y(d), x(d), operandBits()));
  }
  return std::move(info);
}

AxisInfo Rule::selection(arith::SelectOp select) {
  bool choosesTiles = tt::isTile(type) && !tt::isTile(select.getCondition().getType());
  int64_t unit = pointeeBytes(type);
  for (int64_t d = 0; d < info.rank(); ++d) {
    Line a = line(select.getTrueValue(), d), b = line(select.getFalseValue(), d);
    int64_t c = std::gcd(a.c, b.c);
    if (!choosesTiles)
      c = std::gcd(c, line(select.getCondition(), d).k);
    info.contiguity[d] = lengthOf(c, a.extent);
    info.divisibility[d] = std::gcd(divisorAt(a, c, unit), divisorAt(b, c, unit));
  }
  return std::move(info);
}

/// A pointer's runs step by its pointee, so they survive only between pointees of one
/// size.
AxisInfo repointed(Operation *op, Lookup get, IntegerRanges &ranges) {
  Value src = op->getOperand(0);
  int64_t from = pointeeBytes(src.getType()), to = pointeeBytes(op->getResult(0).getType());
  if (from == to)
    return get(src);
  return Rule(op, get, ranges).multiples(divisor(get(src), src.getType(), from));
}

/// `value` in the low `bits`, sign-extended.
int64_t wrapped(uint64_t value, unsigned bits) {
  return static_cast<int64_t>(value << (64 - bits)) >> (64 - bits);
}

/// Narrowing keeps runs modulo 2^width; widening keeps those that do not cross the end.
AxisInfo resized(Operation *op, AxisInfo info, IntegerRanges &ranges) {
  Value from = op->getOperand(0);
  Type type = op->getResult(0).getType();
  unsigned before = integerBits(from.getType()), bits = integerBits(type);
  bool isUnsigned = isa<arith::ExtUIOp, arith::IndexCastUIOp>(op);
  if (bits > before) {
    bool cannotCross =
        isUnsigned ? ranges.cannotCrossUnsignedEnd(from) : ranges.cannotCrossSignedEnd(from);
    for (int64_t d = 0; d < info.rank(); ++d) {
      Line line = asNumbers(lineOf(info, d, extentOf(type, d)), before, cannotCross);
      info.contiguity[d] = lengthOf(line.c, line.extent);
      info.divisibility[d] = line.q;
    }
  }
  if (info.constant && isUnsigned && *info.constant < 0)
    info.constant = std::nullopt;
  if (info.constant)
    info.constant = wrapped(*info.constant, bits);
  return info;
}

AxisInfo bitwiseAnd(arith::AndIOp, Rule rule) {
  // x & (2^n - 1) is a remainder, of negative values too. Constants stand on the right
  // in canonical form.
  std::optional<int64_t> mask = rule.constantY();
  if (mask && *mask > 0 && *mask < kMaxDivisor && ((*mask + 1) & *mask) == 0)
    return rule.with(*mask + 1).remainder();
  return rule.multiples(std::max(rule.divisorOfX(), rule.divisorOfY()));
}

AxisInfo shifted(Operation *op, Rule rule) {
  std::optional<int64_t> by = rule.constantY();
  if (!by || *by < 0 || *by >= 30 || *by >= integerBits(op->getResult(0).getType()))
    return rule.elementwise();
  rule.with(int64_t(1) << *by);
  return isa<arith::ShLIOp>(op) ? rule.product() : rule.quotient();
}

AxisInfo signedDivision(Operation *op, Rule rule, IntegerRanges &ranges) {
  // Where the dividend is not negative, truncation changes at multiples of the divisor.
  bool floors = ranges.get(op->getOperand(0)).low >= 0;
  if (isa<arith::DivSIOp>(op))
    return floors || rule.constantY() == 1 ? rule.quotient() : rule.elementwise();
  return floors ? rule.remainder() : rule.multiples(std::gcd(rule.divisorOfX(), rule.divisorOfY()));
}

AxisInfo binary(Operation *op, Lookup get, IntegerRanges &ranges) {
  Rule rule(op, get, ranges);
  return TypeSwitch<Operation *, AxisInfo>(op)
      .Case([&](arith::AddIOp) { return rule.addition(true); })
      .Case([&](arith::SubIOp) { return rule.addition(false); })
      .Case([&](tt::AddPtrOp) { return rule.movedPointer(); })
      .Case([&](arith::MulIOp) { return rule.product(); })
      .Case<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(
          [&](auto op) { return shifted(op, rule); })
      .Case([&](arith::DivUIOp) { return rule.quotient(); })
      .Case([&](arith::RemUIOp) { return rule.remainder(); })
      .Case<arith::DivSIOp, arith::RemSIOp>(
          [&](auto op) { return signedDivision(op, rule, ranges); })
      .Case([&](arith::FloorDivSIOp op) {
        return ranges.get(op.getRhs()).low >= 0 ? rule.quotient() : rule.elementwise();
      })
      .Case([&](arith::AndIOp op) { return bitwiseAnd(op, rule); })
      .Case<arith::OrIOp, arith::XOrIOp, arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp,
            arith::MaxUIOp>(
          [&](auto) { return rule.multiples(std::gcd(rule.divisorOfX(), rule.divisorOfY())); })
      .Case([&](arith::CmpIOp op) { return rule.comparison(op.getPredicate()); })
      .Default([&](Operation *) { return rule.elementwise(); });
}

} // namespace

/// A sum, difference or product of constants.
std::optional<int64_t> foldConstant(Operation *op, Lookup get) {
  unsigned bits = integerBits(op->getResult(0).getType());
  if (bits < 8 || op->getNumOperands() != 2)
    return std::nullopt;
  std::optional<int64_t> x = get(op->getOperand(0)).constant, y = get(op->getOperand(1)).constant;
  if (!x || !y)
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return wrapped(uint64_t(*x) + uint64_t(*y), bits);
  if (isa<arith::SubIOp>(op))
    return wrapped(uint64_t(*x) - uint64_t(*y), bits);
  if (isa<arith::MulIOp>(op))
    return wrapped(uint64_t(*x) * uint64_t(*y), bits);
  return std::nullopt;
}

AxisInfo transferElementwise(Operation *op, Lookup get, IntegerRanges &ranges) {
  return TypeSwitch<Operation *, AxisInfo>(op)
      .Case([&](arith::SelectOp op) { return Rule(op, get, ranges).selection(op); })
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp,
            arith::IndexCastUIOp>([&](auto op) { return resized(op, get(op.getIn()), ranges); })
      .Case<tt::BitcastOp, tt::IntToPtrOp, tt::PtrToIntOp>(
          [&](auto op) { return repointed(op, get, ranges); })
      .Default([&](Operation *op) {
        return op->getNumOperands() == 2 ? binary(op, get, ranges)
                                         : Rule(op, get, ranges).elementwise();
      });
}

} // namespace tritium::axis
