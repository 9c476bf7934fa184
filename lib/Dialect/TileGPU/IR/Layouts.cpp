//===- Layouts.cpp - the linear layouts that attributes stand for ---------===//

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

#include <numeric>

using namespace mlir;

namespace tritium::ttg {

//===----------------------------------------------------------------------===//
// Each name constructs a map
//===----------------------------------------------------------------------===//

namespace {
SmallVector<int32_t> lastFirst(int64_t rank) {
  return llvm::to_vector(llvm::reverse(llvm::seq<int32_t>(0, rank)));
}

int64_t productOf(ArrayRef<int32_t> counts) {
  return std::accumulate(counts.begin(), counts.end(), int64_t(1), std::multiplies<int64_t>());
}

SmallVector<int32_t> permuted(ArrayRef<int32_t> list, ArrayRef<int32_t> order) {
  return llvm::map_to_vector(order, [&](int32_t d) { return list[d]; });
}

/// The counts of a blocked layout, by what they are of.
std::array<std::pair<StringRef, ArrayRef<int32_t>>, 3> countsOf(BlockedEncodingAttr blocked) {
  return {std::pair(kRegister, blocked.getSizePerThread()),
          std::pair(kLane, blocked.getThreadsPerWarp()),
          std::pair(kWarp, blocked.getWarpsPerCTA())};
}

SmallVector<int64_t> coveredBy(BlockedEncodingAttr blocked) {
  SmallVector<int64_t> covered;
  for (auto [size, threads, warps] :
       llvm::zip(blocked.getSizePerThread(), blocked.getThreadsPerWarp(), blocked.getWarpsPerCTA()))
    covered.push_back(int64_t(size) * threads * warps);
  return covered;
}

/// Warps of a mma layout count along N first, then M, then the batch; of warp groups along M first.
/// Along `without` they hold copies.
void addWarps(CoreBuilder &core, MmaEncodingAttr mma, int64_t without = -1) {
  SmallVector<int32_t> order = lastFirst(mma.getTileRank());
  if (mma.getVersion() == 3)
    std::reverse(order.begin(), order.end());
  for (int64_t d : order)
    if (d == without)
      core.addCopies(kWarp, mma.getWarpsPerCTA()[d]);
    else
      core.add(kWarp, d, mma.getWarpsPerCTA()[d]);
}
} // namespace

//===--- blocked ---===//

int64_t BlockedEncodingAttr::getTileRank() const { return getOrder().size(); }
int64_t BlockedEncodingAttr::getNumWarps() const { return productOf(getWarpsPerCTA()); }
SmallVector<int32_t> BlockedEncodingAttr::getFastestFirst() const {
  return SmallVector<int32_t>(getOrder());
}
SmallVector<int32_t> BlockedEncodingAttr::getKWidths() const { return {1}; }

LinearLayout BlockedEncodingAttr::getCore(ArrayRef<int64_t> shape) const {
  CoreBuilder core(shape, coveredBy(*this));
  for (auto [name, counts] : countsOf(*this))
    for (int32_t d : getOrder())
      core.add(name, d, counts[d]);
  return core.finish(getOrder());
}

/// All of K in registers; the rest as in the result, whose lanes and warps along the
/// dimension that K has taken hold copies.
LinearLayout BlockedEncodingAttr::getOperandCore(uint32_t index, uint32_t /*kWidth*/,
                                                 ArrayRef<int64_t> shape) const {
  int64_t k = getTileRank() - (index == 0 ? 1 : 2);
  SmallVector<int64_t> covered = coveredBy(*this);
  covered[k] = shape[k];
  CoreBuilder core(shape, covered);
  for (auto [name, counts] : countsOf(*this))
    for (int32_t d : getOrder()) {
      if (d != k)
        core.add(name, d, counts[d]);
      else if (name != kRegister)
        core.addCopies(name, counts[d]);
    }
  SmallVector<int32_t> order{int32_t(k)};
  for (int32_t d : getOrder())
    if (d != k)
      order.push_back(d);
  return core.finish(order);
}

Attribute BlockedEncodingAttr::transposed(ArrayRef<int32_t> order) const {
  SmallVector<int32_t> position(order.size());
  for (auto [i, d] : llvm::enumerate(order))
    position[d] = i;
  return get(getContext(), permuted(getSizePerThread(), order),
             permuted(getThreadsPerWarp(), order), permuted(getWarpsPerCTA(), order),
             permuted(position, getOrder()));
}

/// One element, one lane and one warp along `dim`.
Attribute BlockedEncodingAttr::expanded(unsigned dim) const {
  auto inserted = [&](ArrayRef<int32_t> list) {
    SmallVector<int32_t> result(list);
    result.insert(result.begin() + dim, 1);
    return result;
  };
  SmallVector<int32_t> order;
  for (int32_t d : getOrder())
    order.push_back(d >= int32_t(dim) ? d + 1 : d);
  order.push_back(dim);
  return get(getContext(), inserted(getSizePerThread()), inserted(getThreadsPerWarp()),
             inserted(getWarpsPerCTA()), order);
}

//===--- slice ---===//

int64_t SliceEncodingAttr::getTileRank() const { return rankOf(getParent()) - 1; }
int64_t SliceEncodingAttr::getNumWarps() const {
  return llvm::cast<ThreadLayout>(getParent()).getNumWarps();
}

SmallVector<int32_t> SliceEncodingAttr::getFastestFirst() const {
  SmallVector<int32_t> order;
  for (int32_t d : orderOf(getParent()))
    if (d != int32_t(getDim()))
      order.push_back(d > int32_t(getDim()) ? d - 1 : d);
  return order;
}

/// Without dimension `dim`, which has extent 1 and so no bits.
LinearLayout SliceEncodingAttr::getCore(ArrayRef<int64_t> shape) const {
  SmallVector<int64_t> parentShape(shape);
  parentShape.insert(parentShape.begin() + getDim(), 1);
  LinearLayout parent = llvm::cast<ThreadLayout>(getParent()).getCore(parentShape);
  SmallVector<unsigned, 4> bits(parent.dimBits());
  bits.erase(bits.begin() + getDim());
  return LinearLayout(SmallVector<LinearLayout::Input, 3>(parent.getInputs()), bits);
}

Attribute SliceEncodingAttr::expanded(unsigned dim) const {
  return dim == getDim() ? getParent() : Attribute();
}

//===--- mma ---===//

int64_t MmaEncodingAttr::getTileRank() const { return getWarpsPerCTA().size(); }
int64_t MmaEncodingAttr::getNumWarps() const { return productOf(getWarpsPerCTA()); }
SmallVector<int32_t> MmaEncodingAttr::getFastestFirst() const { return lastFirst(getTileRank()); }
SmallVector<int32_t> MmaEncodingAttr::getKWidths() const { return {1, 2, 4}; }

/// C of m16n8k*: lane 4 g + t holds (g, 2 t), (g, 2 t + 1), (g + 8, 2 t), (g + 8, 2 t + 1). Columns
/// of a warp group lie side by side, those of an extent that is no power of two in parts without
/// padding.
LinearLayout MmaEncodingAttr::getCore(ArrayRef<int64_t> shape) const {
  int64_t m = getTileRank() - 2, n = m + 1;
  SmallVector<int64_t> covered(getWarpsPerCTA());
  covered[m] *= 16;
  covered[n] *= 8;
  if (getVersion() == 3)
    covered[n] = std::max<int64_t>(covered[n], shape[n] & -shape[n]);
  CoreBuilder core(shape, covered);
  core.add(kRegister, n, 2).add(kLane, n, 4).add(kLane, m, 8).add(kRegister, m, 2);
  if (getVersion() == 3)
    core.add(kRegister, n, covered[n] / (8 * getWarpsPerCTA()[n]));
  addWarps(core, *this);
  return core.finish(getFastestFirst());
}

/// A: lane 4 g + t holds kWidth neighbours from k = kWidth t of the rows g and g + 8, and
/// the same again 4 kWidth further along k. B likewise, with column g.
LinearLayout MmaEncodingAttr::getOperandCore(uint32_t index, uint32_t kWidth,
                                             ArrayRef<int64_t> shape) const {
  bool isA = index == 0;
  int64_t last = getTileRank() - 1, k = isA ? last : last - 1, other = isA ? last - 1 : last;
  SmallVector<int64_t> covered(getWarpsPerCTA());
  covered[k] = 8 * kWidth;
  covered[other] *= isA ? 16 : 8;
  CoreBuilder core(shape, covered);
  core.add(kRegister, k, kWidth).add(kLane, k, 4).add(kLane, other, 8);
  if (isA)
    core.add(kRegister, other, 2);
  core.add(kRegister, k, 2);
  addWarps(core, *this, /*without=*/k);
  SmallVector<int32_t> order = getFastestFirst();
  if (!isA)
    std::swap(order[0], order[1]);
  return core.finish(order);
}

//===--- operand of a dot ---===//

int64_t DotOperandEncodingAttr::getTileRank() const { return rankOf(getParent()); }
int64_t DotOperandEncodingAttr::getNumWarps() const {
  return llvm::cast<ThreadLayout>(getParent()).getNumWarps();
}

SmallVector<int32_t> DotOperandEncodingAttr::getFastestFirst() const {
  SmallVector<int32_t> order = lastFirst(getTileRank());
  if (getOpIdx())
    std::swap(order[0], order[1]);
  return order;
}

LinearLayout DotOperandEncodingAttr::getCore(ArrayRef<int64_t> shape) const {
  return llvm::cast<DotLayout>(getParent()).getOperandCore(getOpIdx(), getKWidth(), shape);
}

//===--- any linear map ---===//

int64_t LinearEncodingAttr::getTileRank() const { return getShape().size(); }
int64_t LinearEncodingAttr::getNumWarps() const {
  return int64_t(1) << getWarps().size() / getTileRank();
}
/// The dimension along which a lane's second element is the neighbour of its first, if there is
/// one.
SmallVector<int32_t> LinearEncodingAttr::getFastestFirst() const {
  SmallVector<int32_t> order = lastFirst(getTileRank());
  if (getRegisters().empty())
    return order;
  ArrayRef<int32_t> second = getRegisters().take_front(getTileRank());
  auto dim = llvm::find(second, 1) - second.begin();
  if (llvm::count(second, 0) + 1 == getTileRank() && dim < getTileRank()) {
    llvm::erase(order, dim);
    order.insert(order.begin(), dim);
  }
  return order;
}

/// A shorter dimension folds the bits beyond it away, a longer one repeats in registers.
LinearLayout LinearEncodingAttr::getCore(ArrayRef<int64_t> shape) const {
  int64_t rank = getTileRank();
  SmallVector<unsigned, 4> bits;
  for (auto [core, extent] : llvm::zip(getShape(), shape)) {
    int64_t size = llvm::isPowerOf2_64(extent)
                       ? extent
                       : std::min<int64_t>(core, llvm::bit_floor<uint64_t>(extent));
    bits.push_back(llvm::Log2_64(size));
  }
  LinearLayout result({}, bits);
  SmallVector<LinearLayout::Input, 3> inputs;
  for (auto [name, list] : {std::pair(kRegister, getRegisters()), std::pair(kLane, getLanes()),
                            std::pair(kWarp, getWarps())}) {
    inputs.push_back({name, {}});
    for (size_t i = 0; i < list.size(); i += rank) {
      SmallVector<int64_t, 4> base;
      for (int64_t d = 0; d < rank; ++d)
        base.push_back(list[i + d] & ((1 << bits[d]) - 1));
      inputs.back().bases.push_back(result.flatten(base));
    }
  }
  for (int64_t d = rank - 1; d >= 0; --d)
    for (unsigned bit = llvm::Log2_32(getShape()[d]); bit < bits[d]; ++bit)
      inputs[0].bases.push_back(uint64_t(1) << (result.shiftOf(d) + bit));
  return LinearLayout(inputs, bits);
}

Attribute LinearEncodingAttr::transposed(ArrayRef<int32_t> order) const {
  auto permutedBases = [&](ArrayRef<int32_t> bases) {
    SmallVector<int32_t> result;
    for (size_t i = 0; i < bases.size(); i += order.size())
      result.append(permuted(bases.slice(i, order.size()), order));
    return result;
  };
  return get(getContext(), permutedBases(getRegisters()), permutedBases(getLanes()),
             permutedBases(getWarps()), permuted(getShape(), order));
}

//===----------------------------------------------------------------------===//
// Asked of any
//===----------------------------------------------------------------------===//

TileLayout layoutOf(Attribute encoding, ArrayRef<int64_t> shape) {
  return TileLayout(llvm::cast<ThreadLayout>(encoding).getCore(shape), shape);
}
TileLayout layoutOf(RankedTensorType type) { return layoutOf(type.getEncoding(), type.getShape()); }

int64_t rankOf(Attribute encoding) { return llvm::cast<ThreadLayout>(encoding).getTileRank(); }

SmallVector<int32_t> orderOf(Attribute encoding) {
  return llvm::cast<ThreadLayout>(encoding).getFastestFirst();
}

bool sameLayout(Attribute a, Attribute b, ArrayRef<int64_t> shape) {
  return a == b || layoutOf(a, shape) == layoutOf(b, shape);
}

//===----------------------------------------------------------------------===//
// Making layouts
//===----------------------------------------------------------------------===//

BlockedEncodingAttr defaultLayout(MLIRContext *context, ArrayRef<int64_t> shape, int warps,
                                  ArrayRef<int32_t> order, int64_t vector) {
  int64_t rank = shape.size();
  SmallVector<int32_t> dims(order);
  if (dims.empty())
    dims = lastFirst(rank);
  // As wide as every lane still gets a vector of its own.
  int64_t elements = 1;
  for (int64_t extent : shape)
    elements *= llvm::bit_floor<uint64_t>(extent);
  int64_t perLane = std::max<int64_t>(1, elements / (int64_t(warps) * kLanesPerWarp));
  SmallVector<int32_t> sizes(rank, 1), threads(rank, 1), warpsPer(rank, 1);
  sizes[dims[0]] = std::min({vector, perLane, int64_t(llvm::bit_floor<uint64_t>(shape[dims[0]]))});
  // Lanes, then warps, fill each dimension before they turn to the next; what is left
  // over stays on the last.
  int64_t lanes = kLanesPerWarp, left = warps;
  for (int32_t d : dims) {
    int64_t room = std::max<int64_t>(1, llvm::bit_floor<uint64_t>(shape[d]) / sizes[d]);
    // A dimension that is not a power of two is covered to its end, or, if there are others,
    // by panels of whole sectors without padding: those can change their layout as powers of
    // two do.
    if (!llvm::isPowerOf2_64(shape[d])) {
      int64_t panel = shape[d] & -shape[d];
      bool isWhole = rank > 1 && panel >= std::max<int64_t>(8, 2 * sizes[d]);
      room = isWhole ? panel / sizes[d] : llvm::PowerOf2Ceil(llvm::divideCeil(shape[d], sizes[d]));
    }
    threads[d] = std::min(lanes, room);
    lanes /= threads[d];
    warpsPer[d] = std::min(left, std::max<int64_t>(1, room / threads[d]));
    left /= warpsPer[d];
  }
  threads[dims.back()] *= lanes;
  warpsPer[dims.back()] *= left;
  return BlockedEncodingAttr::get(context, sizes, threads, warpsPer, dims);
}

LinearLayout offsetsOf(MemDescType type) {
  return type.getLayout().getPanelOffsets(type.getLayout().getPanel(type.getTileShape()));
}

SharedEncodingAttr swizzledLayout(MLIRContext *context, ArrayRef<int64_t> shape,
                                  ArrayRef<int32_t> order, unsigned elementBytes) {
  // Chunks of 16 bytes; rows that share the 128 bytes of all banks share a phase.
  constexpr int64_t chunkBytes = 16, rowBytes = 128;
  int64_t bytes = shape[order[0]] * elementBytes;
  int64_t vec = std::min(chunkBytes, bytes) / elementBytes;
  int64_t chunks = std::max<int64_t>(1, bytes / chunkBytes);
  int64_t perPhase = std::max<int64_t>(1, rowBytes / bytes);
  int64_t maxPhase = std::min(chunks, std::max<int64_t>(1, 8 / perPhase));
  return SharedEncodingAttr::get(context, vec, perPhase, maxPhase, order);
}

LinearEncodingAttr toLinearEncoding(MLIRContext *context, const LinearLayout &core) {
  SmallVector<int32_t> lists[3], shape;
  for (unsigned d = 0; d < core.rank(); ++d)
    shape.push_back(core.extent(d));
  for (auto [list, name] : llvm::zip(lists, ArrayRef<StringRef>{kRegister, kLane, kWarp}))
    for (uint64_t base : core.bases(name))
      for (int64_t x : core.unflatten(base))
        list.push_back(x);
  return LinearEncodingAttr::get(context, lists[0], lists[1], lists[2], shape);
}

Attribute transposedLayout(Attribute encoding, ArrayRef<int32_t> order) {
  return llvm::cast<ThreadLayout>(encoding).transposed(order);
}

Attribute expandedLayout(Attribute encoding, unsigned dim) {
  return llvm::cast<ThreadLayout>(encoding).expanded(dim);
}

Attribute reshapedLayout(Attribute encoding, ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  for (ArrayRef<int64_t> shape : {from, to})
    if (!llvm::all_of(shape, [](int64_t n) { return llvm::isPowerOf2_64(n); }))
      return {};
  LinearLayout core = llvm::cast<ThreadLayout>(encoding).getCore(from);
  // Row-major order: the last dimension is lowest. Flat elements have the first lowest.
  SmallVector<unsigned, 4> bits;
  for (int64_t extent : to)
    bits.push_back(llvm::Log2_64(extent));
  LinearLayout result({}, bits);
  SmallVector<LinearLayout::Input, 3> inputs;
  for (const LinearLayout::Input &input : core.getInputs()) {
    LinearLayout::Input moved{input.name, {}};
    for (uint64_t base : input.bases) {
      uint64_t rowMajor = 0;
      for (auto [x, extent] : llvm::zip(core.unflatten(base), from))
        rowMajor = rowMajor * extent + x;
      SmallVector<int64_t, 4> coordinates(to.size());
      for (size_t d = to.size(); d-- > 0; rowMajor /= to[d])
        coordinates[d] = rowMajor % to[d];
      moved.bases.push_back(result.flatten(coordinates));
    }
    inputs.push_back(std::move(moved));
  }
  return toLinearEncoding(encoding.getContext(), LinearLayout(inputs, bits));
}

namespace {
/// The dimension that the result has more than the source, whose others stand in order.
std::optional<unsigned> insertedDim(ArrayRef<int64_t> sourceDims, size_t sourceRank) {
  if (sourceDims.size() != sourceRank + 1)
    return std::nullopt;
  std::optional<unsigned> inserted;
  for (auto [d, from] : llvm::enumerate(sourceDims)) {
    if (from == tt::kRepeats && !inserted)
      inserted = d;
    else if (from != int64_t(d) - inserted.has_value())
      return std::nullopt;
  }
  return inserted;
}

/// Nothing but copies come along, in the dimensions as they are.
bool repeats(ArrayRef<int64_t> sourceDims, size_t sourceRank) {
  return sourceDims.size() == sourceRank && llvm::all_of(llvm::enumerate(sourceDims), [](auto dim) {
           return dim.value() == int64_t(dim.index()) || dim.value() == tt::kRepeats;
         });
}

/// A permutation; empty if dimensions come or go.
SmallVector<int32_t> orderOf(ArrayRef<int64_t> sourceDims, size_t sourceRank) {
  if (sourceDims.size() != sourceRank || llvm::any_of(sourceDims, [](int64_t d) { return d < 0; }))
    return {};
  return llvm::to_vector_of<int32_t>(sourceDims);
}

SmallVector<int32_t> inverseOf(ArrayRef<int32_t> order) {
  SmallVector<int32_t> inverse(order.size());
  for (auto [i, d] : llvm::enumerate(order))
    inverse[d] = i;
  return inverse;
}
} // namespace

Attribute sourceLayout(tt::DataMovement op, Attribute layout) {
  ArrayRef<int64_t> from = tt::shapeOf(op.getSource().getType());
  // What it keeps is no dimension, but the order of elements.
  if (isa<tt::ReshapeOp>(op))
    return reshapedLayout(layout, tt::shapeOf(op->getResult(0).getType()), from);
  SmallVector<int64_t> dims = op.getSourceDims();
  if (repeats(dims, from.size()))
    return layout;
  if (auto dim = insertedDim(dims, from.size()))
    return SliceEncodingAttr::get(op.getContext(), *dim, layout);
  SmallVector<int32_t> order = orderOf(dims, from.size());
  return order.empty() ? Attribute() : transposedLayout(layout, inverseOf(order));
}

Attribute resultLayout(tt::DataMovement op, Attribute layout) {
  ArrayRef<int64_t> from = tt::shapeOf(op.getSource().getType());
  if (isa<tt::ReshapeOp>(op))
    return reshapedLayout(layout, from, tt::shapeOf(op->getResult(0).getType()));
  SmallVector<int64_t> dims = op.getSourceDims();
  if (repeats(dims, from.size()))
    return layout;
  if (auto dim = insertedDim(dims, from.size()))
    return expandedLayout(layout, *dim);
  SmallVector<int32_t> order = orderOf(dims, from.size());
  return order.empty() ? Attribute() : transposedLayout(layout, order);
}

} // namespace tritium::ttg
