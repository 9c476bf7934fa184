//===- TileGPUAttrs.cpp - layouts as attributes ---------------------------===//

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tritium;
using namespace tritium::ttg;

namespace {
ParseResult parseIntList(AsmParser &parser, SmallVector<int32_t> &list) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&] { return parser.parseInteger(list.emplace_back()); });
}

void printIntList(AsmPrinter &printer, ArrayRef<int32_t> list) {
  printer << '[';
  llvm::interleaveComma(list, printer.getStream());
  printer << ']';
}

bool powersOfTwo(ArrayRef<int32_t> list) {
  return llvm::all_of(list, [](int32_t v) { return v > 0 && llvm::isPowerOf2_32(v); });
}

int64_t productOf(ArrayRef<int32_t> list) {
  int64_t result = 1;
  for (int32_t v : list)
    result *= v;
  return result;
}

std::string listText(ArrayRef<int32_t> list) {
  std::string result;
  llvm::raw_string_ostream out(result);
  out << '[';
  llvm::interleaveComma(list, out);
  out << ']';
  return result;
}
} // namespace

#include "tritium/Dialect/TileGPU/IR/TileGPUEnums.cpp.inc"
#include "tritium/Dialect/TileGPU/IR/TileGPUInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "tritium/Dialect/TileGPU/IR/TileGPUAttrs.cpp.inc"

void TileGPUDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tritium/Dialect/TileGPU/IR/TileGPUAttrs.cpp.inc"
      >();
}

using Emit = llvm::function_ref<InFlightDiagnostic()>;

LogicalResult BlockedEncodingAttr::verify(Emit emit, ArrayRef<int32_t> sizes,
                                          ArrayRef<int32_t> threads, ArrayRef<int32_t> warps,
                                          ArrayRef<int32_t> order) {
  size_t rank = order.size();
  if (rank == 0 || sizes.size() != rank || threads.size() != rank || warps.size() != rank)
    return emit() << "(blocked_c1) the four lists must have one length, found " << sizes.size()
                  << ", " << threads.size() << ", " << warps.size() << " and " << rank;
  if (!powersOfTwo(sizes) || !powersOfTwo(threads) || !powersOfTwo(warps) ||
      productOf(threads) != kLanesPerWarp)
    return emit() << "(blocked_c2) sizes must be powers of two and threadsPerWarp must have "
                  << kLanesPerWarp << " lanes, found " << listText(sizes) << ", "
                  << listText(threads) << ", " << listText(warps);
  SmallVector<int32_t> sorted(order);
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int32_t>(0, rank)))
    return emit() << "(blocked_c3) order must be a permutation of 0 .. " << rank - 1 << ", found "
                  << listText(order);
  return success();
}

LogicalResult SliceEncodingAttr::verify(Emit emit, uint32_t dim, Attribute parent) {
  if (!llvm::isa_and_nonnull<ThreadLayout>(parent) || rankOf(parent) < 2 || dim >= rankOf(parent))
    return emit() << "(slice_c1) parent must be a layout of registers of rank >= 2 that has "
                     "dimension "
                  << dim << ", found " << parent;
  return success();
}

LogicalResult TargetAttr::verify(Emit emit, uint32_t compute, bool /*specific*/) {
  if (compute < 75)
    return emit() << "(target_c1) compute must be at least 75, for 7.5, found " << compute;
  return success();
}

LogicalResult MmaEncodingAttr::verify(Emit emit, uint32_t version, ArrayRef<int32_t> warps) {
  if (version != 2 && version != 3)
    return emit() << "(mma_c1) version must be 2 or 3, found " << version;
  if ((warps.size() != 2 && warps.size() != 3) || !powersOfTwo(warps))
    return emit() << "(mma_c2) warpsPerCTA must be two or three powers of two, found "
                  << listText(warps);
  if (version == 3 && (warps.size() != 2 || warps[0] < 4))
    return emit() << "(mma_c2) warpsPerCTA of version 3 must be two numbers, the first at least 4, "
                     "found "
                  << listText(warps);
  return success();
}

LogicalResult DotOperandEncodingAttr::verify(Emit emit, uint32_t opIdx, Attribute parent,
                                             uint32_t kWidth) {
  auto result = llvm::dyn_cast_or_null<DotLayout>(parent);
  if (opIdx > 1 || !result || rankOf(parent) < 2)
    return emit() << "(dot_op_c1) opIdx must be 0 or 1 and parent a mma or blocked layout of rank "
                     "2 or 3, found "
                  << opIdx << " and " << parent;
  if (llvm::SmallVector<int32_t> allowed = result.getKWidths();
      !llvm::is_contained(allowed, int32_t(kWidth)))
    return emit() << "(dot_op_c2) kWidth must be one of " << listText(allowed) << ", found "
                  << kWidth;
  return success();
}

LogicalResult SharedEncodingAttr::verify(Emit emit, uint32_t vec, uint32_t perPhase,
                                         uint32_t maxPhase, ArrayRef<int32_t> order) {
  for (uint32_t size : {vec, perPhase, maxPhase})
    if (!llvm::isPowerOf2_32(size))
      return emit() << "(shared_c1) vec, perPhase and maxPhase must be powers of two, found " << vec
                    << ", " << perPhase << " and " << maxPhase;
  SmallVector<int32_t> sorted(order);
  llvm::sort(sorted);
  if (order.empty() || !llvm::equal(sorted, llvm::seq<int32_t>(0, order.size())))
    return emit() << "(shared_c2) order must be a permutation, found " << listText(order);
  return success();
}

LogicalResult LinearEncodingAttr::verify(Emit emit, ArrayRef<int32_t> registers,
                                         ArrayRef<int32_t> lanes, ArrayRef<int32_t> warps,
                                         ArrayRef<int32_t> shape) {
  size_t rank = shape.size();
  bool inside = rank > 0 && powersOfTwo(shape);
  for (ArrayRef<int32_t> bases : {registers, lanes, warps}) {
    inside &= rank > 0 && bases.size() % rank == 0;
    for (size_t i = 0; inside && i < bases.size(); ++i)
      inside &= bases[i] >= 0 && bases[i] < shape[i % rank];
  }
  if (!inside)
    return emit() << "(linear_c1) bases must have one coordinate a dimension, each inside of shape "
                  << listText(shape);
  if (lanes.size() != 5 * rank)
    return emit() << "(linear_c2) there must be 5 lane bits, found " << lanes.size() / rank;
  return success();
}

LogicalResult SharedLinearEncodingAttr::verify(Emit emit, ArrayRef<int32_t> offsets,
                                               ArrayRef<int32_t> shape) {
  if (shape.empty() || !powersOfTwo(shape))
    return emit() << "(shared_linear_c1) extents of the panel must be powers of two, found "
                  << listText(shape);
  unsigned bits = llvm::Log2_64(productOf(shape));
  Span span;
  bool isInside = offsets.size() == bits;
  for (int32_t offset : offsets)
    isInside &= offset > 0 && offset < int64_t(1) << bits && span.insert(offset);
  if (!isInside)
    return emit() << "(shared_linear_c2) there must be " << bits
                  << " offsets, independent of each other and less than " << (int64_t(1) << bits)
                  << ", found " << listText(offsets);
  return success();
}

LogicalResult ScheduleAttr::verify(Emit emit, int32_t stage, int32_t order) {
  if (stage < 0 || order < 0)
    return emit() << "(schedule_c1) stage and order must not be negative, found " << stage
                  << " and " << order;
  return success();
}

LogicalResult InterleaveAttr::verify(Emit emit, uint32_t dots, uint32_t, uint32_t within) {
  if (dots == 0 || within == 0)
    return emit() << "(interleave_c1) dots and within must be positive, found " << dots << " and "
                  << within;
  return success();
}

//===----------------------------------------------------------------------===//
// Memory layouts
//===----------------------------------------------------------------------===//

static SmallVector<unsigned, 4> bitsOf(ArrayRef<int64_t> extents) {
  return llvm::map_to_vector<4>(extents, [](int64_t n) { return unsigned(llvm::Log2_64(n)); });
}

int64_t SharedEncodingAttr::getMemoryRank() const { return getOrder().size(); }

LogicalResult SharedEncodingAttr::checkExtents(Emit emit, ArrayRef<int64_t> shape) const {
  if (getMaxPhase() == 1 || llvm::all_of(shape, llvm::isPowerOf2_64))
    return success();
  return emit() << "(memdesc_c1) extents must be powers of two, or the layout without exchanges "
                   "(maxPhase = 1)";
}

SmallVector<int64_t, 4> SharedEncodingAttr::getPanel(ArrayRef<int64_t> shape) const {
  if (!llvm::all_of(shape, llvm::isPowerOf2_64))
    return {};
  return SmallVector<int64_t, 4>(shape);
}

LinearLayout SharedEncodingAttr::getPanelOffsets(ArrayRef<int64_t> panel) const {
  return swizzledOffsets(bitsOf(panel), getOrder(), getVec(), getPerPhase(), getMaxPhase());
}

SmallVector<int32_t> SharedEncodingAttr::getFastestFirst() const {
  return SmallVector<int32_t>(getOrder());
}

Attribute SharedEncodingAttr::transposed(ArrayRef<int32_t> order) const {
  SmallVector<int32_t> position(order.size()), fastest;
  for (auto [i, d] : llvm::enumerate(order))
    position[d] = i;
  for (int32_t d : getOrder())
    fastest.push_back(position[d]);
  return get(getContext(), getVec(), getPerPhase(), getMaxPhase(), fastest);
}

int64_t SharedLinearEncodingAttr::getMemoryRank() const { return getShape().size(); }

LogicalResult SharedLinearEncodingAttr::checkExtents(Emit emit, ArrayRef<int64_t> shape) const {
  if (!getOffsets().empty() || llvm::all_of(shape, [](int64_t n) { return n == 1; }))
    return success();
  return emit() << "(memdesc_c1) a tile of several panels has panels of two elements at least, so "
                   "that it has neighbours in memory";
}

SmallVector<int64_t, 4> SharedLinearEncodingAttr::getPanel(ArrayRef<int64_t>) const {
  return SmallVector<int64_t, 4>(getShape());
}

LinearLayout SharedLinearEncodingAttr::getPanelOffsets(ArrayRef<int64_t>) const {
  LinearLayout::Input input{kElement, {}};
  llvm::append_range(input.bases, getOffsets());
  return LinearLayout({input}, {unsigned(getOffsets().size())});
}

/// The dimension that the least offset belongs to, whatever its number; the last first of others.
SmallVector<int32_t> SharedLinearEncodingAttr::getFastestFirst() const {
  auto dims = llvm::to_vector(llvm::reverse(llvm::seq<int32_t>(0, getShape().size())));
  if (getOffsets().empty())
    return dims;
  unsigned bit = llvm::min_element(getOffsets()) - getOffsets().begin();
  int32_t dim = 0;
  for (; bit >= llvm::Log2_32(getShape()[dim]); ++dim)
    bit -= llvm::Log2_32(getShape()[dim]);
  llvm::erase(dims, dim);
  dims.insert(dims.begin(), dim);
  return dims;
}

Attribute SharedLinearEncodingAttr::transposed(ArrayRef<int32_t> order) const {
  SmallVector<SmallVector<int32_t>> ofDim;
  ArrayRef<int32_t> left = getOffsets();
  for (int32_t extent : getShape()) {
    unsigned bits = llvm::Log2_32(extent);
    ofDim.emplace_back(left.take_front(bits));
    left = left.drop_front(bits);
  }
  SmallVector<int32_t> offsets, shape;
  for (int32_t d : order) {
    llvm::append_range(offsets, ofDim[d]);
    shape.push_back(getShape()[d]);
  }
  return get(getContext(), offsets, shape);
}
