//===- AxisRules.cpp - what one operation does to axis infos --------------===//
//
// Notation, along one dimension: x counts up over aligned runs of c(x) elements, the
// first element of each run is a multiple of q(x), and x is constant over aligned runs
// of k(x). A run of g elements lies within one of c if g divides c, which is why runs
// are combined by gcd. A run over the whole extent is written as 0 while rules compute:
// every length fits into it, and gcd(0, g) is g. Elements at multiples of n are
// multiples of q(x) if c(x) divides n, else of gcd(q, n, c): see divisorAt.
//
// Values are taken modulo 2^width, in which all rules below hold. Where a value is read as a
// number (it is extended, compared, divided, or is the offset of a pointer), a run must not
// cross the end of the integers. It does not if bounds show that (IntegerRanges), nor if it is
// aligned: 2^n elements from a multiple of 2^n on do not, for n below the width. Rules that
// need a sign ask for bounds, too.
//
//===----------------------------------------------------------------------===//

#include "AxisRules.h"

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;

namespace tritium::axis {

int64_t powerOfTwoDivisor(int64_t value) {
  return value == 0 ? kMaxDivisor : std::min(value & -value, kMaxDivisor);
}

int64_t rankOf(Type type) { return std::max<int64_t>(1, tt::shapeOf(type).size()); }
int64_t extentOf(Type type, int64_t d) {
  ArrayRef<int64_t> shape = tt::shapeOf(type);
  return shape.empty() ? 1 : shape[d];
}

AxisInfo unknown(Type type) {
  int64_t rank = rankOf(type);
  return {SmallVector<int64_t>(rank, 1), SmallVector<int64_t>(rank, 1),
          SmallVector<int64_t>(rank, 1), std::nullopt};
}

AxisInfo uniform(Type type, int64_t value) {
  AxisInfo info = unknown(type);
  for (int64_t d = 0; d < info.rank(); ++d) {
    info.divisibility[d] = powerOfTwoDivisor(value);
    info.constancy[d] = extentOf(type, d);
  }
  info.constant = value;
  return info;
}

namespace {
/// A value along one dimension; 0 stands for a run over the whole extent.
struct Line {
  int64_t c, q, k, extent;
};

Line lineOf(const AxisInfo &x, int64_t d, int64_t extent) {
  auto run = [&](int64_t length) { return length >= extent ? 0 : length; };
  return {run(x.contiguity[d]), x.divisibility[d], run(x.constancy[d]), extent};
}
int64_t lengthOf(int64_t run, int64_t extent) { return run == 0 || run >= extent ? extent : run; }
int64_t longer(int64_t a, int64_t b) { return a == 0 || b == 0 ? 0 : std::max(a, b); }

/// What divides the elements at multiples of `n`. `unit`: how far one element is from
/// the next in a run, 1, or the bytes of a pointee.
int64_t divisorAt(const Line &x, int64_t n, int64_t unit = 1) {
  if (n == 0 || n >= x.extent || (x.c != 0 && n % x.c == 0))
    return x.q;
  return std::gcd(x.q, std::gcd(n, x.c) * powerOfTwoDivisor(unit));
}

/// What divides every element.
int64_t divisor(const AxisInfo &x, Type type, int64_t unit = 1) {
  int64_t best = 1;
  for (int64_t d = 0; d < x.rank(); ++d)
    best = std::max(best, divisorAt(lineOf(x, d, extentOf(type, d)), 1, unit));
  return best;
}

int64_t capped(int64_t q) { return std::min(q, kMaxDivisor); }

int64_t pointeeBytes(Type type) {
  auto pointer = dyn_cast<tt::PointerType>(tt::elementType(type));
  return pointer ? tt::scalarBytes(pointer.getPointeeType()) : 1;
}

unsigned integerBits(Type type) {
  Type element = tt::elementType(type);
  return element.isIndex() ? 64 : isa<IntegerType>(element) ? element.getIntOrFloatBitWidth() : 0;
}

/// The longest aligned run that does not cross an end of the integers of that many bits.
int64_t longestAligned(unsigned bits) {
  return bits == 0 ? 1 : int64_t(1) << std::min(bits - 1, 30u);
}

/// `x` as numbers and not modulo 2^width: with runs that do not cross the end.
Line asNumbers(Line x, unsigned bits, bool cannotCross) {
  if (cannotCross || x.c == 1)
    return x;
  int64_t run = std::gcd(std::gcd(x.c, x.q), longestAligned(bits));
  x.q = divisorAt(x, run);
  x.c = run >= x.extent ? 0 : run;
  return x;
}

/// Aligned runs of x that stay between two neighbouring multiples of y: both start at
/// multiples of the length, a power of two, and y is constant meanwhile. Premise: the length
/// divides 2^(bits - 1), so that no run crosses an end of the integers.
int64_t runWithin(const Line &x, const Line &y, unsigned bits) {
  int64_t length = std::gcd(std::gcd(std::gcd(x.c, x.q), y.k), longestAligned(bits));
  return std::gcd(length, divisorAt(y, length));
}

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

/// Reshaping keeps row-major order, so runs along the last dimension stay runs as long
/// as they do not reach over its end.
AxisInfo reshaped(tt::ReshapeOp op, const AxisInfo &x) {
  Type from = op.getSrc().getType(), to = op.getType();
  AxisInfo info = unknown(to);
  int64_t unit = pointeeBytes(to), s = rankOf(from) - 1, t = rankOf(to) - 1;
  info.divisibility.assign(t + 1, divisor(x, from, unit));
  bool isUniform = true;
  for (int64_t d = 0; d <= s; ++d)
    isUniform &= x.constancy[d] >= extentOf(from, d);
  if (isUniform)
    for (int64_t d = 0; d <= t; ++d)
      info.constancy[d] = extentOf(to, d);
  if (op.getAllowReorder() || isUniform)
    return info;
  // Runs must end with both rows, the old and the new.
  int64_t both = std::gcd(extentOf(from, s), extentOf(to, t));
  Line last = lineOf(x, s, extentOf(from, s));
  info.contiguity[t] = std::gcd(last.c, both);
  info.divisibility[t] = std::max(info.divisibility[t], divisorAt(last, info.contiguity[t], unit));
  info.constancy[t] = std::gcd(last.k, both);
  return info;
}

/// Dimensions keep their runs; along others lie copies, or any elements of the source.
AxisInfo moved(tt::DataMovement op, const AxisInfo &x) {
  Type from = op.getSource().getType(), to = op->getResult(0).getType();
  AxisInfo info = unknown(to);
  for (auto [d, source] : llvm::enumerate(op.getSourceDims())) {
    bool keeps = source >= 0;
    info.contiguity[d] = keeps ? x.contiguity[source] : 1;
    info.divisibility[d] = keeps ? x.divisibility[source] : divisor(x, from, pointeeBytes(to));
    info.constancy[d] = keeps ? x.constancy[source] : source == tt::kRepeats ? extentOf(to, d) : 1;
  }
  info.constant = x.constant;
  return info;
}

AxisInfo range(tt::MakeRangeOp op) {
  AxisInfo info = unknown(op.getType());
  info.contiguity[0] = extentOf(op.getType(), 0);
  info.divisibility[0] = powerOfTwoDivisor(int32_t(op.getStart()));
  return info;
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

AxisInfo bitwiseAnd(arith::AndIOp op, Rule rule) {
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

AxisInfo constantInfo(arith::ConstantOp op) {
  APInt value;
  if (matchPattern(op.getOperation(), m_ConstantInt(&value)) && value.getBitWidth() > 1)
    return uniform(op.getType(), value.getSExtValue());
  AxisInfo info = unknown(op.getType());
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements || elements.isSplat())
    for (int64_t d = 0; d < info.rank(); ++d)
      info.constancy[d] = extentOf(op.getType(), d);
  return info;
}
} // namespace

AxisInfo join(const AxisInfo &a, const AxisInfo &b, Type type) {
  AxisInfo info = unknown(type);
  int64_t unit = pointeeBytes(type);
  for (int64_t d = 0; d < info.rank(); ++d) {
    int64_t extent = extentOf(type, d);
    Line x = lineOf(a, d, extent), y = lineOf(b, d, extent);
    int64_t c = std::gcd(x.c, y.c);
    info.contiguity[d] = lengthOf(c, extent);
    info.divisibility[d] = std::gcd(divisorAt(x, c, unit), divisorAt(y, c, unit));
    info.constancy[d] = lengthOf(std::gcd(x.k, y.k), extent);
  }
  if (a.constant == b.constant)
    info.constant = a.constant;
  return info;
}

AxisInfo transfer(Operation *op, Lookup get, IntegerRanges &ranges) {
  Type type = op->getResult(0).getType();
  if (auto constant = foldConstant(op, get))
    return uniform(type, *constant);
  if (Value same = ttg::sameTile(op->getResult(0)))
    return get(same);
  AxisInfo info =
      TypeSwitch<Operation *, AxisInfo>(op)
          .Case([&](arith::ConstantOp op) { return constantInfo(op); })
          .Case([&](tt::MakeRangeOp op) { return range(op); })
          .Case([&](tt::ReshapeOp op) { return reshaped(op, get(op.getSrc())); })
          .Case([&](tt::DataMovement op) { return moved(op, get(op.getSource())); })
          .Case([&](arith::SelectOp op) { return Rule(op, get, ranges).selection(op); })
          .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp,
                arith::IndexCastUIOp>([&](auto op) { return resized(op, get(op.getIn()), ranges); })
          .Case<tt::BitcastOp, tt::IntToPtrOp, tt::PtrToIntOp>(
              [&](auto op) { return repointed(op, get, ranges); })
          .Case([&](tt::LoadOp op) {
            return op.getIsVolatile() ? unknown(type) : Rule(op, get, ranges).elementwise();
          })
          .Default([&](Operation *op) {
            if (!tt::isElementwise(op) || op->getNumOperands() == 0)
              return unknown(type);
            return op->getNumOperands() == 2 ? binary(op, get, ranges)
                                             : Rule(op, get, ranges).elementwise();
          });
  // What divides every element also divides those at the starts of runs.
  int64_t q = divisor(info, type, pointeeBytes(type));
  for (int64_t &other : info.divisibility)
    other = std::max(other, q);
  return info;
}

void applyHint(AxisInfo &info, Type type, StringRef name, Attribute hint) {
  for (int64_t d = 0; d < info.rank(); ++d) {
    int64_t value = 1, extent = extentOf(type, d);
    if (auto single = dyn_cast<IntegerAttr>(hint))
      value = info.rank() == 1 ? single.getInt() : 1;
    else if (auto list = dyn_cast<DenseI32ArrayAttr>(hint))
      value = d < list.size() ? list[d] : 1;
    if (name == "tt.divisibility") {
      info.divisibility[d] = std::max(info.divisibility[d], powerOfTwoDivisor(value));
    } else if (name == "tt.constancy") {
      info.constancy[d] = std::max(info.constancy[d], std::min(value, extent));
    } else if (value > info.contiguity[d]) {
      info.divisibility[d] = divisorAt(lineOf(info, d, extent), value, pointeeBytes(type));
      info.contiguity[d] = std::min(value, extent);
    }
  }
}

} // namespace tritium::axis
