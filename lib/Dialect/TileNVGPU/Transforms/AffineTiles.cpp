//===- AffineTiles.cpp - tiles that count up along their dimensions -------===//

#include "AffineTiles.h"

#include "tritium/Support/EmitRemark.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tritium::ttng {

namespace {
bool isInteger(Value value) {
  Type type = getElementTypeOrSelf(value);
  return type.isIntOrIndex() && type.getIntOrFloatBitWidth() > 1;
}

/// A tile, or a scalar of no dimensions, that holds one number.
AffineTile repeated(Polynomial number, size_t rank) {
  return {std::move(number), SmallVector<Polynomial, 4>(rank), {}};
}

size_t rankOf(Value value) { return tt::shapeOf(value.getType()).size(); }

bool isConstant(const AffineTile &tile) {
  return llvm::all_of(tile.steps, [](const Polynomial &step) { return step.isZero(); });
}

template <typename Combine>
AffineTile combined(const AffineTile &a, const AffineTile &b, Combine combine) {
  AffineTile result{combine(a.origin, b.origin), {}, a.where};
  for (auto [x, y] : llvm::zip(a.steps, b.steps))
    result.steps.push_back(combine(x, y));
  llvm::append_range(result.where, b.where);
  return result;
}

/// `factor` is constant.
AffineTile scaled(const AffineTile &tile, const AffineTile &factor) {
  return combined(tile, factor,
                  [&](const Polynomial &x, const Polynomial &) { return x * factor.origin; });
}
} // namespace

AffineTile AffineTile::operator-(const AffineTile &other) const {
  return combined(*this, other, [](const Polynomial &x, const Polynomial &y) { return x - y; });
}

std::optional<size_t> AffineTile::onlyDim() const {
  std::optional<size_t> found;
  for (auto [d, step] : llvm::enumerate(steps)) {
    if (step.isZero())
      continue;
    if (found)
      return std::nullopt;
    found = d;
  }
  return found;
}

//===----------------------------------------------------------------------===//
// What a launch sees to
//===----------------------------------------------------------------------===//

bool AffineReader::isKnownAtLaunch(Value scalar) {
  LaunchSteps steps;
  return steps.add(scalar) && steps.isUniform();
}

void AffineReader::add(LaunchSteps steps, std::optional<int64_t> least) {
  if (least)
    steps.apply(ScalarStep::Sum, 1);
  else
    steps.raiseToOne();
  required.push_back({steps.get(), /*isUnwrapped=*/!least});
}

bool AffineReader::require(Value number, std::optional<int64_t> least) {
  LaunchSteps steps;
  if (!steps.add(number))
    return false;
  add(std::move(steps), least);
  return true;
}

bool AffineReader::requireIndex(Value number, std::optional<int64_t> least, int64_t more) {
  LaunchSteps steps(/*maxBits=*/32);
  if (!steps.add(number))
    return false;
  steps.apply(ScalarStep::Sum, more, /*bits=*/32);
  steps.apply(ScalarStep::Difference, more);
  add(std::move(steps), least);
  return true;
}

bool AffineReader::Required::isPartOf(const Required &other) const {
  const LaunchCondition &whole = other.condition;
  if (!isUnwrapped || condition.size() >= whole.size())
    return false;
  // The last two steps only say that the number is of no interest.
  return std::search(whole.begin(), whole.end(), condition.begin(), condition.end() - 2) !=
         whole.end();
}

void AffineReader::addConditions(Location access) {
  MLIRContext *context = func.getContext();
  NamedAttrList places(func->getAttrOfType<DictionaryAttr>(ttg::kCopyConditions));
  // Without a place nobody could say which copy to do without.
  std::string place = placeText(access);
  auto known = place.empty() ? func->getAttr(ttg::kConditions) : places.get(place);
  SmallVector<Attribute> all;
  if (known)
    llvm::append_range(all, cast<ArrayAttr>(known));
  for (const Required &one : required) {
    if (llvm::any_of(required, [&](const Required &other) { return one.isPartOf(other); }))
      continue;
    auto attribute = DenseI64ArrayAttr::get(context, LaunchSteps::numbersOf(one.condition));
    if (!llvm::is_contained(all, attribute))
      all.push_back(attribute);
  }
  if (all.empty())
    return;
  auto list = ArrayAttr::get(context, all);
  if (place.empty())
    return func->setAttr(ttg::kConditions, list);
  places.set(place, list);
  func->setAttr(ttg::kCopyConditions, places.getDictionary(context));
}

/// Whether the result is the number that its operands make, because it does not wrap or because
/// only the number modulo 2^64 counts.
bool AffineReader::mayTrust(Operation *op, bool isExact) {
  bool isWide = getElementTypeOrSelf(op->getResult(0)).isInteger(64);
  auto flags = cast<arith::ArithIntegerOverflowFlagsInterface>(op);
  return (isWide && !isExact) || flags.hasNoSignedWrap() || require(op->getResult(0), {});
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

Polynomial AffineReader::scalar(Value value, bool isExact) {
  if (APInt number; matchPattern(value, m_ConstantInt(&number)))
    return Polynomial(number.getSExtValue());
  if (auto argument = dyn_cast<BlockArgument>(value))
    return carried(argument, isExact).value_or(Polynomial(value));
  Operation *op = value.getDefiningOp();
  if (auto extended = dyn_cast<arith::ExtSIOp>(op))
    return scalar(extended.getIn(), isExact);
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op) || !mayTrust(op, isExact))
    return Polynomial(value);
  Polynomial x = scalar(op->getOperand(0), isExact), y = scalar(op->getOperand(1), isExact);
  return isa<arith::AddIOp>(op) ? x + y : isa<arith::SubIOp>(op) ? x - y : x * y;
}

/// What a loop moves by the same amount in each of its rounds, by its index:
/// init + amount * (index - lower) / step.
std::optional<Polynomial> AffineReader::carried(BlockArgument argument, bool isExact) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || argument == loop.getInductionVar() || !isInteger(argument))
    return std::nullopt;
  unsigned number = argument.getArgNumber() - 1;
  auto move = loop.getYieldedValues()[number].getDefiningOp<arith::AddIOp>();
  if (!move || (move.getLhs() != argument && move.getRhs() != argument))
    return std::nullopt;
  Value amount = move.getLhs() == argument ? move.getRhs() : move.getLhs();
  APInt step;
  if (!loop.isDefinedOutsideOfLoop(amount) || !matchPattern(loop.getStep(), m_ConstantInt(&step)))
    return std::nullopt;
  bool isWide = argument.getType().isInteger(64);
  if ((!isWide || isExact) && !require(argument, {}))
    return std::nullopt;
  Polynomial rounds = Polynomial(loop.getInductionVar()) - scalar(loop.getLowerBound(), true);
  Polynomial way = scalar(amount, isExact) * rounds;
  if (!way.isMultipleOf(step.getSExtValue()))
    return std::nullopt;
  return scalar(loop.getInitArgs()[number], isExact) +
         way.quotient(Polynomial(step.getSExtValue()));
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Elements of `source` in other places.
std::optional<AffineTile> AffineReader::moved(Operation *op, const AffineTile &source) {
  auto movement = cast<tt::DataMovement>(op);
  if (!movement.isAlongDims())
    return std::nullopt;
  auto move = [&](const AffineTile &tile) {
    AffineTile result{tile.origin, {}, {}};
    for (int64_t d : movement.getSourceDims())
      result.steps.push_back(d == tt::kRepeats ? Polynomial() : tile.steps[d]);
    return result;
  };
  AffineTile result = move(source);
  for (const AffineTile &condition : source.where)
    result.where.push_back(move(condition));
  return result;
}

std::optional<AffineTile> AffineReader::integers(Value tile, bool isExact) {
  if (!tt::isTile(tile.getType()))
    return isInteger(tile) ? std::optional(repeated(scalar(tile, isExact), 0)) : std::nullopt;
  if (APInt number; matchPattern(tile, m_ConstantInt(&number)))
    return repeated(Polynomial(number.getSExtValue()), rankOf(tile));
  Operation *op = tile.getDefiningOp();
  if (!op || !isInteger(tile))
    return std::nullopt;
  if (auto range = dyn_cast<tt::MakeRangeOp>(op)) {
    AffineTile result = repeated(Polynomial(int32_t(range.getStart())), 1);
    if (tt::shapeOf(tile.getType())[0] > 1)
      result.steps[0] = Polynomial(1);
    return result;
  }
  if (auto rest = dyn_cast<arith::RemSIOp>(op))
    return ofRemainder(rest);
  if (isa<arith::ExtSIOp>(op) || isa<tt::DataMovement>(op)) {
    std::optional<AffineTile> source = integers(op->getOperand(0), isExact);
    return source && isa<tt::DataMovement>(op) ? moved(op, *source) : source;
  }
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op) || !mayTrust(op, isExact))
    return std::nullopt;
  auto x = integers(op->getOperand(0), isExact), y = integers(op->getOperand(1), isExact);
  if (!x || !y)
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return combined(*x, *y, [](const Polynomial &a, const Polynomial &b) { return a + b; });
  if (isa<arith::SubIOp>(op))
    return *x - *y;
  if (isConstant(*x))
    return scaled(*y, *x);
  return isConstant(*y) ? std::optional(scaled(*x, *y)) : std::nullopt;
}

std::optional<AffineTile> AffineReader::ofRemainder(arith::RemSIOp op) {
  if (remainders == Remainders::Refused)
    return std::nullopt;
  auto counted = integers(op.getLhs(), /*isExact=*/true);
  auto bound = integers(op.getRhs(), /*isExact=*/true);
  std::optional<size_t> dim = counted ? counted->onlyDim() : std::nullopt;
  if (!bound || !isConstant(*bound) || !dim || counted->steps[*dim].number() != 1 ||
      !counted->where.empty() || !bound->where.empty())
    return std::nullopt;
  if (remainders == Remainders::Whole)
    return ofWholeRemainder(op, *counted, bound->origin, tt::shapeOf(op.getType())[*dim]);
  // What is at least 0, and less than n, is its own remainder.
  if (!require(op.getLhs(), 0))
    return std::nullopt;
  counted->where = {*counted - *bound};
  return counted;
}

/// (start + r) % n is start % n + r where n and start are multiples of r's extent.
std::optional<AffineTile> AffineReader::ofWholeRemainder(arith::RemSIOp op, AffineTile counted,
                                                         const Polynomial &bound, int64_t extent) {
  LaunchSteps rest;
  if (!counted.origin.isMultipleOf(extent) || !require(op.getLhs(), 0) || !rest.add(op.getRhs()))
    return std::nullopt;
  // At least 1 just if the remainder is 0.
  rest.apply(ScalarStep::Remainder, extent);
  rest.apply(ScalarStep::Product, -1);
  rest.apply(ScalarStep::Sum, 1);
  required.push_back({rest.get()});
  LaunchSteps positive;
  positive.add(op.getRhs());
  required.push_back({positive.get()});

  OpBuilder b(op);
  auto build = [&](const Polynomial &number) -> Value {
    Value wide = number.build(b, op.getLoc());
    Type type = tt::elementType(op.getType());
    return type.isInteger(64) ? wide : b.create<arith::TruncIOp>(op.getLoc(), type, wide);
  };
  Value start = build(counted.origin), n = build(bound);
  Value rem = b.create<arith::RemSIOp>(op.getLoc(), start, n);
  divisors[rem] = extent;
  counted.origin = Polynomial(rem);
  return counted;
}

std::optional<AffinePointers> AffineReader::pointers(Value tile) {
  if (auto argument = dyn_cast<BlockArgument>(tile)) {
    if (argument.getOwner()->getParentOp() != func || tt::isTile(tile.getType()))
      return std::nullopt;
    return AffinePointers{tile, repeated(Polynomial(0), 0)};
  }
  Operation *op = tile.getDefiningOp();
  if (auto moves = dyn_cast<tt::AddPtrOp>(op)) {
    auto from = pointers(moves.getPtr());
    auto by = from ? integers(moves.getOffset(), /*isExact=*/false) : std::nullopt;
    if (!by)
      return std::nullopt;
    from->offsets = combined(from->offsets, *by,
                             [](const Polynomial &a, const Polynomial &b) { return a + b; });
    return from;
  }
  if (!isa<tt::DataMovement>(op))
    return std::nullopt;
  auto from = pointers(op->getOperand(0));
  auto offsets = from ? moved(op, from->offsets) : std::nullopt;
  return offsets ? std::optional(AffinePointers{from->base, *offsets}) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

std::optional<std::vector<AffineTile>> AffineReader::conditions(Value mask) {
  Operation *op = mask.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (matchPattern(mask, m_One()))
    return std::vector<AffineTile>();
  if (isa<arith::AndIOp>(op)) {
    auto x = conditions(op->getOperand(0)), y = conditions(op->getOperand(1));
    if (!x || !y)
      return std::nullopt;
    x->insert(x->end(), y->begin(), y->end());
    return x;
  }
  if (isa<tt::DataMovement>(op)) {
    auto source = conditions(op->getOperand(0));
    if (!source)
      return std::nullopt;
    std::vector<AffineTile> result;
    for (const AffineTile &condition : *source) {
      auto tile = moved(op, condition);
      if (!tile)
        return std::nullopt;
      result.push_back(*tile);
    }
    return result;
  }
  auto comparison = dyn_cast<arith::CmpIOp>(op);
  auto tile = comparison ? ofComparison(comparison) : std::nullopt;
  return tile ? std::optional(std::vector<AffineTile>{*tile}) : std::nullopt;
}

bool AffineReader::implies(Value mask, const AffineTile &condition) {
  if (auto both = mask.getDefiningOp<arith::AndIOp>())
    return implies(both.getLhs(), condition) || implies(both.getRhs(), condition);
  size_t before = required.size();
  auto known = conditions(mask);
  if (known && llvm::is_contained(*known, condition))
    return true;
  // What launches need not see to.
  required.resize(before);
  return false;
}

/// Of min(max(x, 0), extent) where r is compared with it, in [0, extent): x.
std::optional<AffineTile> AffineReader::withoutClamp(const AffineTile &counted, Value bound) {
  auto splat = bound.getDefiningOp<tt::SplatOp>();
  auto narrow = splat ? splat.getSrc().getDefiningOp<arith::TruncIOp>() : arith::TruncIOp();
  auto below = narrow ? narrow.getIn().getDefiningOp<arith::MinSIOp>() : arith::MinSIOp();
  auto above = below ? below.getLhs().getDefiningOp<arith::MaxSIOp>() : arith::MaxSIOp();
  APInt extent;
  std::optional<size_t> dim = counted.onlyDim();
  if (!above || !matchPattern(above.getRhs(), m_Zero()) || !dim ||
      !matchPattern(below.getRhs(), m_ConstantInt(&extent)) || !counted.origin.isZero() ||
      counted.steps[*dim].number() != 1)
    return std::nullopt;
  auto shape = tt::shapeOf(bound.getType());
  if (extent.getSExtValue() < shape[*dim] || !extent.isSignedIntN(32))
    return std::nullopt;
  return repeated(scalar(above.getLhs(), /*isExact=*/true), shape.size());
}

std::optional<AffineTile> AffineReader::ofComparison(arith::CmpIOp op) {
  using Predicate = arith::CmpIPredicate;
  Value small = op.getLhs(), large = op.getRhs();
  Predicate predicate = op.getPredicate();
  if (predicate == Predicate::sgt || predicate == Predicate::sge)
    std::swap(small, large);
  bool isStrict = predicate == Predicate::slt || predicate == Predicate::sgt;
  if ((!isStrict && predicate != Predicate::sle && predicate != Predicate::sge) ||
      !tt::isTile(small.getType()))
    return std::nullopt;
  auto x = integers(small, /*isExact=*/true), y = integers(large, /*isExact=*/true);
  if ((x && !x->where.empty()) || (y && !y->where.empty()))
    return std::nullopt;
  if (x && !isConstant(*x))
    if (auto plain = withoutClamp(*x, large))
      y = plain;
  if (y && !isConstant(*y))
    if (auto plain = withoutClamp(*y, small))
      x = plain;
  if (!x || !y)
    return std::nullopt;
  AffineTile difference = *x - *y;
  if (!isStrict)
    difference.origin = difference.origin - Polynomial(1);
  return difference;
}

} // namespace tritium::ttng
