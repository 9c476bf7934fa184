//===- BoxOfTile.cpp - an access as one of a box of a tensor --------------===//

#include "BoxOfTile.h"
#include "UsedElements.h"

#include "tritium/Support/EmitRemark.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tritium::ttng {

namespace {
constexpr size_t kMostDimensions = 5;
constexpr int64_t kMostExtent = 256;
/// Of a dimension that no mask bounds. Indices are of 32 bits.
constexpr int64_t kNoBound = std::numeric_limits<int32_t>::max();

Type pointeeOf(Value pointer) { return cast<tt::PointerType>(pointer.getType()).getPointeeType(); }
} // namespace

/// The launches that the code is for break what a copy by TMA needs there.
bool BoxOfTile::isRefused() {
  auto kernel = access->getParentOfType<tt::FuncOp>();
  auto refused = kernel->getAttrOfType<ArrayAttr>(ttg::kRefusedCopies);
  return refused &&
         llvm::is_contained(refused.getAsValueRange<StringAttr>(), placeText(access->getLoc()));
}

std::string BoxOfTile::find() {
  if (isRefused())
    return "this code is for launches that break what the copy needs";
  std::optional<AffinePointers> pointers = reader.pointers(access.getAccessed());
  if (!pointers)
    return "its addresses do not count up by rows and columns of one array";
  base = pointers->base;
  if (std::string reason = findAxes(pointers->offsets); !reason.empty())
    return reason;
  if (std::string reason = findBounds(); !reason.empty())
    return reason;
  if (std::string reason = findEnds(pointers->offsets.where); !reason.empty())
    return reason;
  if (!splitOrigin(pointers->offsets.origin))
    return "where it begins is not known in 64 bits";
  if (leading.size() + axes.size() > kMostDimensions)
    return "it would need a tensor of more than 5 dimensions";
  return buildOffsets();
}

BoxOfTile::Operands BoxOfTile::build() {
  OpBuilder b(access);
  Location loc = access.getLoc();
  Operands result{base, {}, {}, offsets};
  for (const Axis *axis : inOrder()) {
    result.shape.push_back(axis->size.value_or(Polynomial(kNoBound)).build(b, loc));
    result.strides.push_back(axis->stride.build(b, loc));
  }
  if (!start.isZero())
    result.base = b.create<tt::AddPtrOp>(loc, base.getType(), base, start.build(b, loc));
  return result;
}

static uint64_t divisorOf(const AxisInfoAnalysis &info, Value scalar) {
  return uint64_t(info.get(scalar).divisibility[0]);
}

/// So many elements are known to be chunks of 16 bytes.
bool BoxOfTile::areChunks(const Polynomial &elements, const AxisInfoAnalysis &info) const {
  return llvm::all_of(elements.getTerms(), [&](const Polynomial::Term &term) {
    uint64_t bytes = uint64_t(term.factor) * tt::scalarBytes(pointeeOf(base));
    for (Value scalar : term.scalars) {
      uint64_t known = std::max<uint64_t>(divisorOf(info, scalar), reader.divisorOf(scalar));
      bytes *= known & -known;
    }
    return bytes % kChunkBytes == 0;
  });
}

bool BoxOfTile::isAligned(const AxisInfoAnalysis &info) const {
  return divisorOf(info, base) % kChunkBytes == 0 && areChunks(start, info) &&
         llvm::all_of(inOrder(), [&](const Axis *axis) {
           return axis == &axes[fastest] || areChunks(axis->stride, info);
         });
}

bool BoxOfTile::beginsAtChunk(const AxisInfoAnalysis &info) const {
  return areChunks(axes[fastest].start, info);
}

bool BoxOfTile::endsAtChunk(const AxisInfoAnalysis &info) const {
  const std::optional<Polynomial> &size = axes[fastest].size;
  return !size || areChunks(*size, info);
}

bool BoxOfTile::mayBeginInFront() const {
  return llvm::any_of(inOrder(), [](const Axis *axis) { return axis->isLeftOpen; });
}

/// It is less than 0 where numbers that are not are small.
static bool takesAway(const Polynomial &number) {
  return llvm::any_of(number.getTerms(), [](const auto &term) { return term.factor < 0; });
}

bool BoxOfTile::countsDown() const {
  return llvm::any_of(inOrder(),
                      [](const Axis *axis) { return !axis->isLeftOpen && takesAway(axis->start); });
}

bool BoxOfTile::isStored() { return isa<tt::StoreOp>(access.getOperation()); }

bool BoxOfTile::isApartFrom(const BoxOfTile &other) const {
  if (axes.size() != 2 || other.axes.size() != 2)
    return false;
  const Axis &row = axes[fastest], &theirs = other.axes[fastest];
  const Polynomial &pitch = axes[1 - fastest].stride;
  // Rows end before the next one begins, so that each place is one element.
  bool isOneTensor = base == other.base && leading == other.leading && fastest == other.fastest &&
                     pitch == other.axes[1 - fastest].stride && row.size && theirs.size &&
                     (pitch - *row.size).number().value_or(-1) >= 0;
  if (!isOneTensor)
    return false;
  // From here to where they begin, and from the first column that they may have to mine.
  Polynomial distance = other.origin() - origin();
  Polynomial rows = distance.quotient(pitch), columns = distance - rows * pitch;
  Polynomial shift = columns - (theirs.start - row.start);
  std::optional<int64_t> down = rows.number(), across = columns.number();
  if (!down || !across || shift.number().value_or(-1) < 0 ||
      (*row.size - *theirs.size - shift).number().value_or(-1) < 0)
    return false;
  auto areApart = [&](int64_t distance, unsigned d) {
    return distance >= shape[d] || distance <= -other.shape[d];
  };
  return areApart(*down, 1 - fastest) || areApart(*across, fastest);
}

/// Where the tile begins, behind the base, but for leading indices.
Polynomial BoxOfTile::origin() const {
  Polynomial result = start;
  for (const Axis &axis : axes)
    result = result + axis.start * axis.stride;
  return result;
}

SmallVector<unsigned, 2> BoxOfTile::slowestFirst() const {
  if (axes.size() == 1)
    return {fastest};
  return {1 - fastest, fastest};
}

/// Dimensions of the tensor, the fastest last.
SmallVector<const BoxOfTile::Axis *> BoxOfTile::inOrder() const {
  SmallVector<const Axis *> result;
  for (const Axis &axis : leading)
    result.push_back(&axis);
  for (unsigned d : slowestFirst())
    result.push_back(&axes[d]);
  return result;
}

bool BoxOfTile::isKnownAtLaunch(const Polynomial &number) const {
  return number.hasTerms() &&
         number.filtered([&](const auto &term) { return !reader.isKnownAtLaunch(term); }).isZero();
}

std::string BoxOfTile::findAxes(const AffineTile &tile) {
  if (tile.steps.size() != 1 && tile.steps.size() != 2)
    return "it is no tile of one or two dimensions";
  for (auto [d, step] : llvm::enumerate(tile.steps)) {
    if (shape[d] > kMostExtent)
      return "a box has at most 256 rows, found " + std::to_string(shape[d]);
    if (!isKnownAtLaunch(step) || step.getTerms().size() != 1)
      return "what lies from one row to the next is not known at a launch";
    axes.push_back({Polynomial(0), step});
  }
  for (unsigned d = axes.size(); d-- > 0;)
    if (axes[d].stride.number() == 1) {
      fastest = d;
      return "";
    }
  return "neighbours of a row are not known to be neighbours in memory; a stride that is 1 "
         "should be a constant, or an argument that is specialised";
}

std::string BoxOfTile::findBounds() {
  if (!access.getMask())
    return "";
  auto conditions = reader.conditions(access.getMask());
  if (!conditions)
    return "its mask does not only compare rows and columns with bounds";
  for (const AffineTile &condition : *conditions)
    if (!addBound(condition))
      return "its mask compares rows or columns with what a launch does not know";
  return "";
}

std::string BoxOfTile::findEnds(ArrayRef<AffineTile> where) {
  for (const AffineTile &condition : where) {
    bool isMasked = access.getMask() && reader.implies(access.getMask(), condition);
    if (isMasked)
      continue;
    // Zeros are as good as what is there. Of stores, remainders are none (StoreBoxes.cpp).
    if (!isUsedOnlyWhere(access->getResult(0), condition, reader))
      return "its rows begin anew behind an end, and the kernel uses those";
    if (!addBound(condition))
      return "its rows begin anew behind an end that its mask or the launch does not know";
  }
  return "";
}

/// Takes in that `condition` is less than 0.
bool BoxOfTile::addBound(const AffineTile &condition) {
  std::optional<size_t> dim = condition.onlyDim();
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
bool BoxOfTile::splitOrigin(Polynomial origin) {
  for (auto [axis, known] : llvm::zip(axes, bounds)) {
    if (!known.isAny())
      continue;
    // Indices count from where the mask begins.
    Polynomial first = known.begin.value_or(Polynomial(0));
    axis.start = known.moving - first;
    axis.isLeftOpen = known.begin && (!isStored() || takesAway(axis.start));
    if (known.end)
      axis.size = *known.end - first;
    origin = origin - axis.start * axis.stride;
  }
  for (unsigned d : slowestFirst()) {
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
bool BoxOfTile::isPlain(const Polynomial::Term &term) {
  return llvm::none_of(term.scalars, [&](Value x) { return reader.isKnownAtLaunch(x); });
}

/// An index, and how far it is to the next.
void BoxOfTile::addLeading(const Polynomial::Term &term) {
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

std::string BoxOfTile::buildOffsets() {
  OpBuilder b(access);
  for (const Axis *axis : inOrder()) {
    if (!axis->start.hasTerms())
      return "where it begins is not known in 64 bits";
    Value index = axis->start.build(b, access.getLoc());
    std::optional<int64_t> least;
    if (!axis->isLeftOpen)
      least = 0;
    std::optional<int64_t> number = axis->start.number();
    bool isFine =
        number && *number >= least.value_or(INT32_MIN) && *number <= INT32_MAX - kMostExtent;
    if (!isFine && !reader.requireIndex(index, least, kMostExtent))
      return "where it begins follows from more than arguments, the grid and indices of loops";
    offsets.push_back(b.create<arith::TruncIOp>(access.getLoc(), b.getI32Type(), index));
  }
  return "";
}

} // namespace tritium::ttng
