//===- BoxOfLoad.cpp - a load as one of a box of a tensor -----------------===//

#include "BoxOfLoad.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tritium::ttng {

namespace {
constexpr size_t kMostDimensions = 5;
constexpr int64_t kMostExtent = 256;
/// Of a dimension that no mask bounds. Indices are of 32 bits.
constexpr int64_t kNoBound = std::numeric_limits<int32_t>::max();
} // namespace

std::string BoxOfLoad::find() {
  if (load.getIsVolatile() || load.getCache() != tt::CacheModifier::NONE)
    return "it is volatile, or says how it is cached";
  if (Value other = load.getOther();
      other && !matchPattern(other, m_Zero()) && !matchPattern(other, m_PosZeroFloat()))
    return "what lies outside of its mask is not zero";
  std::optional<AffinePointers> pointers = reader.pointers(load.getPtr());
  if (!pointers)
    return "its addresses do not count up by rows and columns of one array";
  base = pointers->base;
  if (std::string reason = findAxes(pointers->offsets); !reason.empty())
    return reason;
  if (std::string reason = findBounds(); !reason.empty())
    return reason;
  if (!splitOrigin(pointers->offsets.origin))
    return "where it begins is not known in 64 bits";
  if (leading.size() + axes.size() > kMostDimensions)
    return "it would need a tensor of more than 5 dimensions";
  return buildOffsets();
}

LoadBoxOp BoxOfLoad::build() {
  OpBuilder b(load);
  Location loc = load.getLoc();
  SmallVector<Value> sizes, strides;
  for (const Axis *axis : inOrder()) {
    sizes.push_back(axis->size.value_or(Polynomial(kNoBound)).build(b, loc));
    strides.push_back(axis->stride.build(b, loc));
  }
  Value from = base;
  if (!start.isZero())
    from = b.create<tt::AddPtrOp>(loc, from.getType(), from, start.build(b, loc));
  auto type = cast<RankedTensorType>(load.getType());
  if (isTransposed())
    type = RankedTensorType::get({shape[1], shape[0]}, type.getElementType(),
                                 ttg::transposedLayout(type.getEncoding(), {1, 0}));
  return b.create<LoadBoxOp>(loc, type, from, sizes, strides, offsets);
}

/// Dimensions of the tensor, the fastest last.
SmallVector<const BoxOfLoad::Axis *> BoxOfLoad::inOrder() const {
  SmallVector<const Axis *> result;
  for (const Axis &axis : leading)
    result.push_back(&axis);
  result.push_back(&axes[1 - fastest]);
  result.push_back(&axes[fastest]);
  return result;
}

bool BoxOfLoad::isKnownAtLaunch(const Polynomial &number) const {
  return number.hasTerms() &&
         number.filtered([&](const auto &term) { return !reader.isKnownAtLaunch(term); }).isZero();
}

std::string BoxOfLoad::findAxes(const AffineTile &tile) {
  if (tile.steps.size() != 2)
    return "it is no tile of two dimensions";
  for (auto [d, step] : llvm::enumerate(tile.steps)) {
    if (shape[d] > kMostExtent)
      return "a box has at most 256 rows, found " + std::to_string(shape[d]);
    if (!isKnownAtLaunch(step) || step.getTerms().size() != 1)
      return "what lies from one row to the next is not known at a launch";
    axes.push_back({Polynomial(0), step});
  }
  for (int d : {1, 0})
    if (axes[d].stride.number() == 1) {
      fastest = d;
      return "";
    }
  return "neighbours of a row are not known to be neighbours in memory; a stride that is 1 "
         "should be a constant, or an argument that is specialised";
}

std::string BoxOfLoad::findBounds() {
  if (!load.getMask())
    return "";
  auto conditions = reader.conditions(load.getMask());
  if (!conditions)
    return "its mask does not only compare rows and columns with bounds";
  for (const AffineTile &condition : *conditions)
    if (!addBound(condition))
      return "its mask compares rows or columns with what a launch does not know";
  return "";
}

/// Takes in that `condition` is less than 0.
bool BoxOfLoad::addBound(const AffineTile &condition) {
  std::optional<size_t> dim;
  for (auto [d, step] : llvm::enumerate(condition.steps))
    if (!step.isZero()) {
      if (dim)
        return false;
      dim = d;
    }
  if (!dim || !condition.origin.hasTerms())
    return false;
  auto isFixed = [&](const Polynomial::Term &term) { return reader.isKnownAtLaunch(term); };
  Polynomial fixed = condition.origin.filtered(isFixed);
  std::optional<int64_t> step = condition.steps[*dim].number();
  if (step != 1 && step != -1)
    return false;
  // r + moving + fixed < 0, or -(r + moving) + fixed < 0.
  Polynomial moving = (condition.origin - fixed) * Polynomial(*step);
  Bounds &known = bounds[*dim];
  std::optional<Polynomial> &bound = step == 1 ? known.end : known.begin;
  Polynomial place = step == 1 ? Polynomial(0) - fixed : fixed + Polynomial(1);
  if ((bound && !(*bound == place)) || (known.isAny() && !(known.moving == moving)))
    return false;
  bound = place;
  known.moving = moving;
  return true;
}

/// Where the tile begins is what bounded dimensions say, of others what is a multiple of their
/// strides, and the rest. False if a factor does not fit 64 bits.
bool BoxOfLoad::splitOrigin(Polynomial origin) {
  for (auto [axis, known] : llvm::zip(axes, bounds)) {
    if (!known.isAny())
      continue;
    // Indices count from where the mask begins.
    Polynomial first = known.begin.value_or(Polynomial(0));
    axis.start = known.moving - first;
    axis.isLeftOpen = known.begin.has_value();
    if (known.end)
      axis.size = *known.end - first;
    origin = origin - axis.start * axis.stride;
  }
  for (size_t d : {size_t(1 - fastest), size_t(fastest)}) {
    if (bounds[d].isAny())
      continue;
    Polynomial rows = origin.filtered([&](const Polynomial::Term &term) {
      bool isWhole = !Polynomial(term).quotient(axes[d].stride).isZero();
      return isWhole && !reader.isKnownAtLaunch(term) && (d != fastest || isPlain(term));
    });
    axes[d].start = rows.quotient(axes[d].stride);
    origin = origin - rows;
  }
  for (const Polynomial::Term &term : origin.getTerms())
    if (reader.isKnownAtLaunch(term))
      start = start + Polynomial(term);
    else
      addLeading(term);
  return origin.hasTerms() &&
         llvm::all_of(axes, [](const Axis &axis) { return !axis.size || axis.size->hasTerms(); });
}

/// No number that a launch knows is part of it.
bool BoxOfLoad::isPlain(const Polynomial::Term &term) {
  return llvm::none_of(term.scalars, [&](Value x) { return reader.isKnownAtLaunch(x); });
}

/// An index, and how far it is to the next.
void BoxOfLoad::addLeading(const Polynomial::Term &term) {
  Polynomial stride(term.factor), index(1);
  for (Value scalar : term.scalars)
    if (reader.isKnownAtLaunch(scalar))
      stride = stride * Polynomial(scalar);
    else
      index = index * Polynomial(scalar);
  for (Axis &axis : leading)
    if (axis.stride == stride) {
      axis.start = axis.start + index;
      return;
    }
  leading.push_back({index, stride});
}

std::string BoxOfLoad::buildOffsets() {
  OpBuilder b(load);
  for (const Axis *axis : inOrder()) {
    if (!axis->start.hasTerms())
      return "where it begins is not known in 64 bits";
    Value index = axis->start.build(b, load.getLoc());
    std::optional<int64_t> least;
    if (!axis->isLeftOpen)
      least = 0;
    std::optional<int64_t> number = axis->start.number();
    bool isFine =
        number && *number >= least.value_or(INT32_MIN) && *number <= INT32_MAX - kMostExtent;
    if (!isFine && !reader.requireIndex(index, least, kMostExtent))
      return "where it begins follows from more than arguments, the grid and indices of loops";
    offsets.push_back(b.create<arith::TruncIOp>(load.getLoc(), b.getI32Type(), index));
  }
  return "";
}

} // namespace tritium::ttng
