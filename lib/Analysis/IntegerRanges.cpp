//===- IntegerRanges.cpp - what values integers can have ------------------===//
//
// Each rule gives nothing where its premise fails: the value can then be anything that its
// type holds.
//
//===----------------------------------------------------------------------===//

#include "tritium/Analysis/IntegerRanges.h"

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;

namespace tritium {

namespace {
using Result = std::optional<IntegerRange>;

/// Deeper expressions can be anything.
constexpr int kMaxDepth = 200;
constexpr int64_t kMaxPrograms = 2147483647, kMaxProgramsYZ = 65535;

unsigned widthOf(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  return element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
}

Result ofConstant(Value value) {
  APInt scalar;
  if (matchPattern(value, m_ConstantInt(&scalar)) && scalar.getBitWidth() <= 64)
    return IntegerRange{scalar.getSExtValue(), scalar.getSExtValue()};
  DenseIntElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || elements.empty() || widthOf(value) > 64)
    return std::nullopt;
  if (elements.isSplat()) {
    int64_t only = elements.getSplatValue<APInt>().getSExtValue();
    return IntegerRange{only, only};
  }
  IntegerRange range{INT64_MAX, INT64_MIN};
  for (const APInt &element : elements) {
    range.low = std::min(range.low, element.getSExtValue());
    range.high = std::max(range.high, element.getSExtValue());
  }
  return range;
}

/// What both say; `a` where they contradict each other, which no program with a meaning does.
IntegerRange both(IntegerRange a, IntegerRange b) {
  IntegerRange range{std::max(a.low, b.low), std::min(a.high, b.high)};
  return range.low <= range.high ? range : a;
}

/// What `assume(value >= bound)` and the like say in the entry block: a program in which it
/// does not hold has no meaning.
IntegerRange assumed(Value value, IntegerRange range) {
  using P = arith::CmpIPredicate;
  for (Operation *user : value.getUsers()) {
    auto compare = dyn_cast<arith::CmpIOp>(user);
    APInt number;
    if (!compare || compare.getLhs() != value ||
        !matchPattern(compare.getRhs(), m_ConstantInt(&number)) || number.getBitWidth() > 64 ||
        llvm::none_of(compare->getUsers(), [](Operation *assume) {
          return isa<tt::AssumeOp>(assume) && isa<tt::FuncOp>(assume->getParentOp());
        }))
      continue;
    int64_t bound = number.getSExtValue();
    P p = compare.getPredicate();
    if (p == P::sge || (p == P::sgt && bound < INT64_MAX))
      range = both(range, {p == P::sgt ? bound + 1 : bound, INT64_MAX});
    else if (p == P::sle || (p == P::slt && bound > INT64_MIN))
      range = both(range, {INT64_MIN, p == P::slt ? bound - 1 : bound});
    else if (p == P::eq)
      range = both(range, {bound, bound});
  }
  return range;
}

/// A launch makes sure that it is at least 1 (ttg-launch-conditions).
bool isPositiveAtLaunch(Value value) {
  if (Operation *op = value.getDefiningOp())
    return op->hasAttr(kPositive);
  auto argument = cast<BlockArgument>(value);
  auto func = dyn_cast<tt::FuncOp>(argument.getOwner()->getParentOp());
  return func && func.getArgAttr(argument.getArgNumber(), kPositive);
}

/// Division of numbers that are not negative is the same, signed or not.
bool isNonNegative(IntegerRange x) { return x.low >= 0; }

/// The rules for arith: `bits` is the width of the result, and `operand` gives bounds.
Result ofArithmetic(Operation *op, unsigned bits, bool isUnwrapped,
                    llvm::function_ref<IntegerRange(unsigned)> operand) {
  // What does not wrap is what it would be in more bits, as far as that fits.
  auto arithmetic = [&](MaybeRange (*rule)(IntegerRange, IntegerRange, unsigned)) -> Result {
    IntegerRange x = operand(0), y = operand(1);
    if (!isUnwrapped)
      return rule(x, y, bits);
    Result exact = rule(x, y, 64);
    return exact ? Result(both(IntegerRange::ofWidth(bits), *exact)) : std::nullopt;
  };
  // Signed rules serve unsigned operations on numbers that are not negative.
  auto nonNegative = [&](auto rule) -> Result {
    IntegerRange x = operand(0), y = operand(1);
    return isNonNegative(x) && isNonNegative(y) ? Result(rule(x, y)) : std::nullopt;
  };
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<arith::ExtSIOp>(
          [&](auto op) { return widthOf(op.getIn()) == 1 ? Result() : Result(operand(0)); })
      .Case<arith::ExtUIOp>([&](auto op) -> Result {
        unsigned from = widthOf(op.getIn());
        IntegerRange x = operand(0);
        if (from > 1 && isNonNegative(x))
          return x;
        return from < 64 ? Result(IntegerRange{0, (int64_t(1) << from) - 1}) : Result();
      })
      .Case<arith::TruncIOp, arith::IndexCastOp>(
          [&](auto) { return range::fitting(operand(0), bits); })
      .Case<arith::AddIOp>([&](auto) { return arithmetic(range::sum); })
      .Case<arith::SubIOp>([&](auto) { return arithmetic(range::difference); })
      .Case<arith::MulIOp>([&](auto) { return arithmetic(range::product); })
      .Case<arith::ShLIOp>([&](auto) -> Result {
        IntegerRange x = operand(0), y = operand(1);
        if (y.low != y.high || y.low < 0 || y.low >= std::min(bits, 63u))
          return std::nullopt;
        int64_t factor = int64_t(1) << y.low;
        return range::product(x, {factor, factor}, bits);
      })
      .Case<arith::ShRSIOp, arith::ShRUIOp>([&](auto op) -> Result {
        // Without the sign: of numbers that are not negative. Otherwise towards minus infinity.
        IntegerRange x = operand(0), y = operand(1);
        if (y.low < 0 || y.high >= std::min(bits, 63u) ||
            (isa<arith::ShRUIOp>(op) && !isNonNegative(x)))
          return std::nullopt;
        return IntegerRange{x.low >> (x.low < 0 ? y.low : y.high),
                            x.high >> (x.high < 0 ? y.high : y.low)};
      })
      .Case<arith::DivSIOp>([&](auto) { return range::quotient(operand(0), operand(1)); })
      .Case<arith::DivUIOp>(
          [&](auto) { return nonNegative([](auto x, auto y) { return range::quotient(x, y); }); })
      .Case<arith::RemSIOp>([&](auto) { return range::remainder(operand(0), operand(1)); })
      .Case<arith::RemUIOp>(
          [&](auto) { return nonNegative([](auto x, auto y) { return range::remainder(x, y); }); })
      .Case<arith::AndIOp>([&](auto) -> Result {
        IntegerRange x = operand(0), y = operand(1);
        if (bits == 1 || (x.low < 0 && y.low < 0))
          return std::nullopt;
        int64_t most = x.low < 0 ? y.high : y.low < 0 ? x.high : std::min(x.high, y.high);
        return IntegerRange{0, most};
      })
      .Case<arith::MinSIOp>([&](auto) { return range::minimum(operand(0), operand(1)); })
      .Case<arith::MaxSIOp>([&](auto) { return range::maximum(operand(0), operand(1)); })
      .Case<arith::MinUIOp>([&](auto) { return nonNegative(range::minimum); })
      .Case<arith::MaxUIOp>([&](auto) { return nonNegative(range::maximum); })
      .Case<arith::SelectOp>([&](auto) {
        IntegerRange x = operand(1), y = operand(2);
        return IntegerRange{std::min(x.low, y.low), std::max(x.high, y.high)};
      })
      .Default([](Operation *) { return std::nullopt; });
}
} // namespace

bool IntegerRanges::cannotCrossSignedEnd(Value value) {
  IntegerRange all = IntegerRange::ofWidth(widthOf(value)), range = get(value);
  return range.low > all.low || range.high < all.high;
}

bool IntegerRanges::cannotCrossUnsignedEnd(Value value) {
  IntegerRange range = get(value);
  return range.low >= 0 || range.high < -1;
}

IntegerRange IntegerRanges::get(Value value, int depth) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  IntegerRange all = IntegerRange::ofWidth(widthOf(value));
  // While it is evaluated it can be anything: what a loop carries may lead back to it.
  known[value] = all;
  IntegerRange range = all;
  if (depth < kMaxDepth)
    range = evaluate(value, depth + 1).value_or(all);
  range = assumed(value, range);
  if (isPositiveAtLaunch(value) || hypotheses.positive.contains(value))
    range = both(range, {1, INT64_MAX});
  return known[value] = range;
}

bool IntegerRanges::isUnwrapped(Operation *op) const {
  auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op);
  return (flags && flags.hasNoSignedWrap()) || hypotheses.unwrapped.contains(op->getResult(0));
}

/// What a loop carries and moves by some amount each time: at most trips times the amount away
/// from where it starts. Premise: that fits its width, so that no move on the way wraps.
Result IntegerRanges::ofCarried(scf::ForOp loop, unsigned number, int depth) {
  BlockArgument carried = loop.getRegionIterArg(number);
  Operation *move = loop.getYieldedValues()[number].getDefiningOp();
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp>(move))
    return std::nullopt;
  bool isLeft = move->getOperand(0) == carried;
  if (!isLeft && (isa<arith::SubIOp>(move) || move->getOperand(1) != carried))
    return std::nullopt;
  IntegerRange lower = get(loop.getLowerBound(), depth), upper = get(loop.getUpperBound(), depth),
               step = get(loop.getStep(), depth);
  Result length = range::difference(upper, lower, 64);
  if (step.low <= 0 || !length)
    return std::nullopt;
  int64_t trips = length->high <= 0 ? 0 : (length->high - 1) / step.low + 1;
  Result moved = range::product(get(move->getOperand(isLeft ? 1 : 0), depth), {0, trips}, 64);
  if (!moved)
    return std::nullopt;
  IntegerRange init = get(loop.getInitArgs()[number], depth);
  unsigned bits = widthOf(carried);
  return isa<arith::SubIOp>(move) ? range::difference(init, *moved, bits)
                                  : range::sum(init, *moved, bits);
}

Result IntegerRanges::ofArgument(BlockArgument argument, int depth) {
  auto loop = dyn_cast_or_null<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop)
    return std::nullopt;
  if (argument != loop.getInductionVar())
    return ofCarried(loop, argument.getArgNumber() - 1, depth);
  IntegerRange lower = get(loop.getLowerBound(), depth), step = get(loop.getStep(), depth);
  Result index = range::loopIndex(lower, get(loop.getUpperBound(), depth), step, widthOf(argument));
  // Of known numbers the last one is known, which may be far from the end of the integers.
  if (index && lower.low == lower.high && step.low == step.high && lower.low >= 0)
    index->high -= (index->high - lower.low) % step.low;
  return index;
}

Result IntegerRanges::evaluate(Value value, int depth) {
  unsigned bits = widthOf(value);
  if (auto argument = dyn_cast<BlockArgument>(value))
    return ofArgument(argument, depth);
  if (Result constant = ofConstant(value))
    return constant;
  Operation *op = value.getDefiningOp();
  if (Value source = ttg::movedFrom(value))
    return get(source, depth);
  auto operand = [&](unsigned i) { return get(op->getOperand(i), depth); };
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](tt::MakeRangeOp op) {
        return IntegerRange{int32_t(op.getStart()), int64_t(int32_t(op.getEnd())) - 1};
      })
      .Case([&](tt::HistogramOp op) {
        return IntegerRange{0, op.getSrc().getType().getNumElements()};
      })
      .Case<tt::GetProgramIdOp, ttg::ProgramIdOp>([&](auto op) {
        return IntegerRange{0, (op.getAxis() == 0 ? kMaxPrograms : kMaxProgramsYZ) - 1};
      })
      .Case([&](ttg::CTAIdOp) { return IntegerRange{0, kMaxPrograms - 1}; })
      .Case([&](ttg::NumCTAsOp) { return IntegerRange{1, kMaxPrograms}; })
      .Case([&](tt::GetNumProgramsOp op) {
        return IntegerRange{1, op.getAxis() == 0 ? kMaxPrograms : kMaxProgramsYZ};
      })
      .Case([&](tt::ProgramShareOp op) {
        if (value == op.getFrom() || value == op.getTo())
          return IntegerRange{0, std::max<int64_t>(0, operand(0).high)};
        return IntegerRange{value == op.getParts(), std::numeric_limits<int32_t>::max()};
      })
      .Case([&](tt::BitcastOp op) -> Result { // the same number with a hint
        return op.getSrc().getType() == op.getType() ? Result(operand(0)) : std::nullopt;
      })
      .Case([&](scf::ForOp loop) {
        // Also what it starts from, where there is no round.
        return ofCarried(loop, cast<OpResult>(value).getResultNumber(), depth);
      })
      .Case([&](scf::IfOp branch) -> Result {
        unsigned i = cast<OpResult>(value).getResultNumber();
        IntegerRange x = get(branch.thenYield().getOperand(i), depth),
                     y = get(branch.elseYield().getOperand(i), depth);
        return IntegerRange{std::min(x.low, y.low), std::max(x.high, y.high)};
      })
      .Default([&](Operation *op) { return ofArithmetic(op, bits, isUnwrapped(op), operand); });
}

} // namespace tritium
