//===- Indexing.cpp - x[i], x[a:b:c], x[rows], x[...] = v on tiles --------===//
//
// NumPy's rules, on values: x[...] = v makes a new tile and binds the name to it.
//
//   x[i]           one place of a dimension, which disappears
//   x[a:b:c]       known places of a dimension
//   x[rows]        places that a tile of integers holds; its dimensions stand in place of the one
//   x[rows, cols]  pairs of them, of one shape after broadcasting
//
// Dimensions that an integer or a tile indexes together are merged into one first, so that
// everything is a gather along one dimension. An assignment asks of every place of the tile
// whether, and from where, it is written; of several writes to one place the last one counts.
//
//===----------------------------------------------------------------------===//

#include "tritium/Frontend/Sema/Indexing.h"

#include "BuiltinSupport.h"
#include "Rearrange.h"
#include "tritium/Frontend/Sema/Build.h"
#include "tritium/Frontend/Sema/DTypes.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <functional>
#include <numeric>

using namespace tritium;
using namespace tritium::sema;

std::optional<SliceBounds> sema::sliceBounds(Sema &sema, const Slice &slice, int64_t length) {
  auto step = slice.step && !slice.step->isNone()
                  ? constantInt(sema, *slice.step, "the step of a slice")
                  : 1;
  if (!step)
    return std::nullopt;
  if (*step == 0)
    return sema.error("the step of a slice must not be 0");
  int64_t low = *step > 0 ? 0 : -1, high = *step > 0 ? length : length - 1;
  auto part = [&](const std::shared_ptr<const Value> &value,
                  int64_t otherwise) -> std::optional<int64_t> {
    if (!value || value->isNone())
      return otherwise;
    auto i = constantInt(sema, *value, "a bound of a slice");
    if (!i)
      return std::nullopt;
    return *i < 0 ? std::max(*i + length, low) : std::min(*i, high);
  };
  auto begin = part(slice.begin, *step > 0 ? low : high);
  auto end = begin ? part(slice.end, *step > 0 ? high : low) : std::nullopt;
  if (!end)
    return std::nullopt;
  uint64_t distance = *step > 0 ? *end - *begin : *begin - *end;
  uint64_t stride = *step > 0 ? uint64_t(*step) : -uint64_t(*step);
  bool isEmpty = *step > 0 ? *end <= *begin : *end >= *begin;
  return SliceBounds{*begin, *step, isEmpty ? 0 : int64_t((distance - 1) / stride + 1)};
}

namespace {

/// What a subscript says of one dimension.
struct Part {
  enum Kind : uint8_t { All, Range, Index } kind = All;
  int64_t extent;
  SliceBounds slice{}; ///< of a Range
  Value index;         ///< of an Index: an int or a tensor of integers, counted from the front
};

/// A dimension, or neighbours that are indexed together.
struct Run {
  size_t first, size;
  llvm::SmallVector<int64_t> shape; ///< what stands in their place
};

/// A subscript of a tile.
struct Subscript {
  llvm::SmallVector<Part> parts;     ///< one for each dimension of the tile
  llvm::SmallVector<Run> runs;       ///< of all parts, in order
  llvm::SmallVector<size_t> newAxes; ///< dimensions of the result that None adds

  llvm::SmallVector<int64_t> shape() const;
};

/// Builds IR at Sema's position; the operands agree, so nothing is reported.
struct Builder {
  Sema &sema;

  Value binary(BinaryOp op, const Value &a, const Value &b) const {
    return *sema.binary(op, a, b, /*mayOverflow=*/true);
  }
  Value compare(CompareOp op, const Value &a, const Value &b) const {
    return *sema.compare(op, a, b);
  }
  Tensor where(const Value &condition, const Value &x, const Value &y) const;
  Tensor along(const Value &vector, size_t axis, size_t rank) const;
  Tensor positions(int64_t extent) const { return build::range(sema, 0, int32_t(extent)); }
  Tensor withRun(const Tensor &x, size_t first, size_t size, llvm::ArrayRef<int64_t> shape) const;
  Value inRange(const Value &index, int64_t extent) const;
  Value places(const Subscript &subscript, const Run &run, bool isChecked) const;
};

} // namespace

/// The shape of x[...], without the dimensions that None adds.
llvm::SmallVector<int64_t> Subscript::shape() const {
  llvm::SmallVector<int64_t> result;
  for (const Run &run : runs)
    result.append(run.shape);
  return result;
}

static int64_t product(llvm::ArrayRef<int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
}

Tensor Builder::where(const Value &condition, const Value &x, const Value &y) const {
  return sema.callLibrary("where", {{condition, x, y}, {}})->get<Tensor>();
}

/// A vector as a dimension of a tile of that rank.
Tensor Builder::along(const Value &vector, size_t axis, size_t rank) const {
  Tensor result = vector.get<Tensor>();
  for (size_t d = 0; d < rank; ++d)
    if (d != axis)
      result = sema.expandDims(result, static_cast<int>(d));
  return result;
}

/// The tile with `shape` in place of `size` dimensions, of as many elements.
Tensor Builder::withRun(const Tensor &x, size_t first, size_t size,
                        llvm::ArrayRef<int64_t> shape) const {
  llvm::SmallVector<int64_t> whole(x.shape());
  if (llvm::ArrayRef(whole).slice(first, size) == shape)
    return x;
  whole.erase(whole.begin() + first, whole.begin() + first + size);
  whole.insert(whole.begin() + first, shape.begin(), shape.end());
  return whole.empty() ? sema.item(x) : *sema.reshape(x, whole);
}

Value Builder::inRange(const Value &index, int64_t extent) const {
  return binary(BinaryOp::BitAnd, compare(CompareOp::Ge, index, makeInt(0)),
                compare(CompareOp::Lt, index, makeInt(extent)));
}

/// The places that a run of indices names in its merged dimension, as a vector. `isChecked`: -1
/// where an index is out of range.
Value Builder::places(const Subscript &subscript, const Run &run, bool isChecked) const {
  Value linear = makeInt(0), valid;
  for (const Part &part : llvm::ArrayRef(subscript.parts).slice(run.first, run.size)) {
    linear = binary(BinaryOp::Add, binary(BinaryOp::Mul, linear, makeInt(part.extent)), part.index);
    if (!isChecked || !part.index.is<Tensor>())
      continue;
    Value isValid = inRange(part.index, part.extent);
    valid = valid.isNone() ? isValid : binary(BinaryOp::BitAnd, valid, isValid);
  }
  if (!valid.isNone())
    linear = where(valid, linear, makeInt(-1));
  int64_t count = product(run.shape);
  Tensor places = *sema.toTensor(linear);
  if (run.shape.empty())
    return *sema.broadcastTo(places, {1});
  return *sema.reshape(*sema.broadcastTo(places, run.shape), {count});
}

//===----------------------------------------------------------------------===//
// Reading the subscript
//===----------------------------------------------------------------------===//

/// An index counted from the front. Where the kernel is debugged, the launch stops if it is not
/// within the dimension.
static Result normalized(Sema &sema, const Value &index, int64_t extent, size_t dimension) {
  std::string where = "dimension " + std::to_string(dimension) + ", which has " +
                      std::to_string(extent) + " elements";
  if (auto known = asInt(index); known && !asBool(index)) {
    if (*known < -extent || *known >= extent)
      return sema.error("subscript " + describe(index) + " is out of range for " + where);
    return makeInt(*known < 0 ? *known + extent : *known);
  }
  auto *tensor = index.getIf<Tensor>();
  if (tensor && isBool(tensor->dtype) && !tensor->isScalar())
    return sema.error("a tile cannot be subscripted with a tile of booleans, found " +
                      describe(index) + ": the shape would not be known; choose with tl.where");
  if (!tensor || !isInteger(tensor->dtype) || isBool(tensor->dtype))
    return sema.error("a tile is subscripted with integers, tiles of integers, slices, None and "
                      "'...', found " +
                      describe(index));
  DTypeKind wide = tensor->dtype.bits() < 32 || tensor->dtype.kind == DTypeKind::Int32
                       ? DTypeKind::Int32
                       : DTypeKind::Int64;
  Builder b{sema};
  Value place = *sema.cast(*tensor, {wide});
  Value isNegative = b.compare(CompareOp::Lt, place, makeInt(0));
  place = b.where(isNegative, b.binary(BinaryOp::Add, place, makeInt(extent)), place);
  if (sema.options().debug &&
      !sema.callLibrary(
          "device_assert",
          {{b.inRange(place, extent), makeString("a subscript is out of range for " + where)}, {}}))
    return std::nullopt;
  return place;
}

static std::optional<Part> partOf(Sema &sema, const Value &index, int64_t extent,
                                  size_t dimension) {
  auto *slice = index.getIf<Slice>();
  if (!slice) {
    auto place = normalized(sema, index, extent, dimension);
    return place ? std::optional(Part{Part::Index, extent, {}, *place}) : std::nullopt;
  }
  for (const auto &bound : {slice->begin, slice->end, slice->step})
    if (bound && bound->is<Tensor>())
      return sema.error("the bounds of a slice of a tile must be known at compile time, found " +
                        describe(*bound) +
                        "; 'x[start + tl.arange(0, N)]' takes N elements from a "
                        "place that is not known");
  auto bounds = sliceBounds(sema, *slice, extent);
  if (!bounds)
    return std::nullopt;
  if (bounds->count == 0)
    return sema.error("this slice of dimension " + std::to_string(dimension) + ", which has " +
                      std::to_string(extent) + " elements, is empty; a tile has at least one");
  bool isAll = bounds->begin == 0 && bounds->step == 1 && bounds->count == extent;
  return Part{isAll ? Part::All : Part::Range, extent, *bounds, {}};
}

/// The common shape of the indices of a run.
static bool broadcastRun(Sema &sema, Subscript &subscript, Run &run) {
  std::optional<Tensor> all;
  for (const Part &part : llvm::ArrayRef(subscript.parts).slice(run.first, run.size)) {
    auto *tensor = part.index.getIf<Tensor>();
    if (!tensor)
      continue;
    auto pair = all ? sema.broadcast(*all, *tensor) : TensorPair{*tensor, *tensor};
    if (!pair)
      return false;
    all = pair->lhs;
  }
  if (all)
    run.shape.assign(all->shape().begin(), all->shape().end());
  return true;
}

static std::optional<Subscript> parse(Sema &sema, const Tensor &x, llvm::ArrayRef<Value> indices) {
  Subscript subscript;
  size_t rank = x.shape().size();
  size_t named = llvm::count_if(indices, [](const Value &index) { return !index.isNone(); });
  if (named > rank)
    return sema.error("too many subscripts: " + std::to_string(named) +
                      " dimensions are named, but the shape is " + describeShape(x.shape()));
  llvm::SmallVector<size_t> before; // each None: how many dimensions are named before it
  bool isAfterIndex = false;
  for (const Value &index : indices) {
    size_t dimension = subscript.parts.size();
    if (index.isNone()) {
      before.push_back(dimension);
      isAfterIndex = false;
      continue;
    }
    auto part = partOf(sema, index, x.shape()[dimension], dimension);
    if (!part)
      return std::nullopt;
    subscript.parts.push_back(*part);
    if (part->kind == Part::Index && isAfterIndex)
      ++subscript.runs.back().size;
    else
      subscript.runs.push_back({dimension, 1, {}});
    isAfterIndex = part->kind == Part::Index;
  }
  for (size_t d = named; d < rank; ++d) {
    subscript.parts.push_back({Part::All, x.shape()[d], {}, {}});
    subscript.runs.push_back({d, 1, {}});
  }
  size_t indexRuns = 0;
  bool hasTile = false;
  for (Run &run : subscript.runs) {
    const Part &part = subscript.parts[run.first];
    if (part.kind != Part::Index) {
      run.shape = {part.kind == Part::All ? part.extent : part.slice.count};
      continue;
    }
    if (!broadcastRun(sema, subscript, run))
      return std::nullopt;
    ++indexRuns;
    hasTile |= !run.shape.empty();
  }
  if (hasTile && indexRuns > 1)
    return sema.error("a tile among the subscripts must stand next to the others that are no "
                      "slices; subscript in two steps, x[...][...], to say which comes first");
  for (auto [i, dimension] : llvm::enumerate(before)) {
    size_t axis = i;
    for (const Run &run : subscript.runs)
      if (run.first < dimension)
        axis += run.shape.size();
    subscript.newAxes.push_back(axis);
  }
  return subscript;
}

//===----------------------------------------------------------------------===//
// x[...]
//===----------------------------------------------------------------------===//

/// The places of a slice, as a vector.
static Value slicePlaces(const Builder &b, const SliceBounds &slice) {
  Value places = b.positions(slice.count);
  if (slice.count > 1 && slice.step != 1)
    places = b.binary(BinaryOp::Mul, places, makeInt(slice.step));
  return slice.begin ? b.binary(BinaryOp::Add, places, makeInt(slice.begin)) : places;
}

Result sema::readElements(Sema &sema, const Tensor &base, llvm::ArrayRef<Value> indices) {
  // A scalar has no dimension to keep: each None adds one, as it stands.
  if (base.isScalar() && llvm::all_of(indices, [](const Value &index) {
        auto *slice = index.getIf<Slice>();
        return index.isNone() || (slice && !slice->begin && !slice->end && !slice->step);
      })) {
    llvm::SmallVector<int64_t> ones(
        llvm::count_if(indices, [](const Value &index) { return index.isNone(); }), 1);
    auto result = sema.broadcastTo(base, ones);
    return result ? Result(Value(*result)) : std::nullopt;
  }
  if (base.isScalar() && base.dtype.isPointer())
    return sema.error("a pointer cannot be subscripted; tl.load(p + i) reads memory");
  auto subscript = parse(sema, base, indices);
  if (!subscript)
    return std::nullopt;
  llvm::SmallVector<int64_t> shape = subscript->shape();
  shape.append(subscript->newAxes.size(), 1);
  if (!sema.checkShape(shape))
    return std::nullopt;
  Builder b{sema};
  Tensor x = base;
  for (const Run &run : llvm::reverse(subscript->runs)) {
    const Part &part = subscript->parts[run.first];
    if (part.kind == Part::All)
      continue;
    Value places = part.kind == Part::Range ? slicePlaces(b, part.slice)
                                            : b.places(*subscript, run, /*isChecked=*/false);
    int64_t extent = product(x.shape().slice(run.first, run.size));
    x = b.withRun(x, run.first, run.size, {extent});
    x = gatherAlong(sema, x, static_cast<int>(run.first),
                    b.along(places, run.first, x.shape().size()));
    x = b.withRun(x, run.first, 1, run.shape);
  }
  for (size_t axis : subscript->newAxes)
    x = sema.expandDims(x, static_cast<int>(axis));
  return Value(x);
}

//===----------------------------------------------------------------------===//
// x[...] = value
//===----------------------------------------------------------------------===//

namespace {
/// For each place of a dimension: whether it is written, and the element that is.
struct Written {
  Value mask, source; ///< vectors
};
} // namespace

static Written writtenBySlice(const Builder &b, const SliceBounds &slice, int64_t extent) {
  Value offset = b.binary(BinaryOp::Sub, b.positions(extent), makeInt(slice.begin));
  if (slice.step < 0)
    offset = b.binary(BinaryOp::Mul, offset, makeInt(-1));
  // A step past the end writes one place.
  Value stride = makeInt(
      std::min(slice.step < 0 ? -Constant::Int(slice.step) : slice.step, Constant::Int(extent)));
  Value place = b.binary(BinaryOp::FloorDiv, offset, stride);
  Value hits = b.compare(CompareOp::Eq, b.binary(BinaryOp::Mul, place, stride), offset);
  Value isWritten = b.binary(BinaryOp::BitAnd, hits, b.inRange(place, slice.count));
  return {isWritten, b.where(isWritten, place, makeInt(0))};
}

/// `places` has -1 for what is written nowhere.
static std::optional<Written> writtenByIndex(const Builder &b, const Value &places,
                                             int64_t extent) {
  int64_t count = places.get<Tensor>().shape().front();
  Value all = b.positions(extent);
  if (count == 1) {
    Value isWritten = b.compare(CompareOp::Eq, all, places);
    return Written{isWritten, b.binary(BinaryOp::Mul, all, makeInt(0))};
  }
  if (count > tt::kMaxTileElements / extent)
    return b.sema.error("this assignment compares " + std::to_string(count) + " indices with " +
                        std::to_string(extent) + " places, which is too many (" +
                        std::to_string(tt::kMaxTileElements) +
                        " at most); write to memory with tl.store");
  Value hits = b.compare(CompareOp::Eq, b.along(places, 0, 2), b.along(all, 1, 2));
  Tensor order = b.along(Value(b.positions(count)), 0, 2);
  Tensor writers = b.where(hits, *b.sema.broadcastTo(order, {count, extent}), makeInt(-1));
  Value last = build::extremum(b.sema, writers, 0, /*isMax=*/true);
  Value isWritten = b.compare(CompareOp::Ge, last, makeInt(0));
  return Written{isWritten, b.where(isWritten, last, makeInt(0))};
}

/// The value in the type of the tile and the rank of what it is assigned to, of which it has the
/// extents or 1.
static std::optional<Tensor> assigned(Sema &sema, const Tensor &x, const Subscript &subscript,
                                      const Value &value) {
  auto *constant = value.getIf<Constant>();
  auto tensor = constant ? sema.constant(*constant, x.dtype) : sema.toTensor(value);
  tensor = tensor ? sema.cast(*tensor, x.dtype) : std::nullopt;
  if (!tensor)
    return std::nullopt;
  llvm::SmallVector<int64_t> shape = subscript.shape(), own(tensor->shape());
  for (size_t axis : subscript.newAxes)
    shape.insert(shape.begin() + axis, 1);
  while (own.size() > shape.size() && own.front() == 1)
    own.erase(own.begin());
  own.insert(own.begin(), shape.size() - std::min(shape.size(), own.size()), 1);
  bool fits = own.size() == shape.size() && llvm::all_of(llvm::zip(own, shape), [](auto extents) {
                return std::get<0>(extents) == 1 || std::get<0>(extents) == std::get<1>(extents);
              });
  if (!fits)
    return sema.error("cannot assign " + describe(value) + " to elements of shape " +
                      describeShape(shape));
  for (size_t axis : llvm::reverse(subscript.newAxes))
    own.erase(own.begin() + axis);
  if (tensor->isScalar())
    return own.empty() ? tensor : sema.broadcastTo(*tensor, own);
  return own.empty() ? sema.item(*tensor) : sema.reshape(*tensor, own);
}

Result sema::writeElements(Sema &sema, const Tensor &x, llvm::ArrayRef<Value> indices,
                           const Value &value) {
  if (x.isScalar())
    return sema.error("a scalar has no elements to assign to" +
                      std::string(x.dtype.isPointer() ? "; tl.store writes to memory" : ""));
  auto subscript = parse(sema, x, indices);
  auto elements = subscript ? assigned(sema, x, *subscript, value) : std::nullopt;
  if (!elements)
    return std::nullopt;
  Builder b{sema};
  Tensor from = *elements;
  Value mask;
  size_t rank = x.shape().size();
  size_t at = from.shape().size(); // where the dimensions of the runs that are left end
  for (const Run &run : llvm::reverse(subscript->runs)) {
    at -= run.shape.size();
    const Part &part = subscript->parts[run.first];
    if (part.kind == Part::All)
      continue;
    llvm::ArrayRef<int64_t> extents = x.shape().slice(run.first, run.size);
    int64_t extent = product(extents);
    auto written = part.kind == Part::Range
                       ? std::optional(writtenBySlice(b, part.slice, extent))
                       : writtenByIndex(b, b.places(*subscript, run, /*isChecked=*/true), extent);
    if (!written)
      return std::nullopt;
    // The elements' dimensions of this run become the tile's.
    llvm::SmallVector<int64_t> ones(run.size, 1);
    if (product(from.shape().slice(at, run.shape.size())) == 1) {
      from = from.isScalar() ? *sema.broadcastTo(from, ones)
                             : b.withRun(from, at, run.shape.size(), ones);
    } else {
      llvm::SmallVector<int64_t> whole(from.shape());
      std::copy(run.shape.begin(), run.shape.end(), whole.begin() + at);
      from = b.withRun(*sema.broadcastTo(from, whole), at, run.shape.size(), product(run.shape));
      from = gatherAlong(sema, from, static_cast<int>(at),
                         b.along(written->source, at, from.shape().size()));
      from = b.withRun(from, at, 1, extents);
    }
    Tensor own = b.withRun(written->mask.get<Tensor>(), 0, 1, extents);
    for (size_t d = 0; d < rank; ++d)
      if (d < run.first || d >= run.first + run.size)
        own = sema.expandDims(own, static_cast<int>(d));
    mask = mask.isNone() ? Value(own) : b.binary(BinaryOp::BitAnd, mask, own);
  }
  auto whole = [&](const Tensor &tile) { return *sema.broadcastTo(tile, x.shape()); };
  if (mask.isNone())
    return Value(whole(from));
  return Value(build::select(sema, whole(mask.get<Tensor>()), {whole(from), x}));
}
