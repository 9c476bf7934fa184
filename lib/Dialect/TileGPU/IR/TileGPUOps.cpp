//===- TileGPUOps.cpp - operations of the ttg dialect ---------------------===//

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"
#include "tritium/Dialect/TileGPU/IR/TileOffsets.h"

#include "tritium/Layout/TileConversion.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tritium;
using namespace tritium::ttg;

#include "tritium/Dialect/TileGPU/IR/TileGPUOpInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "tritium/Dialect/TileGPU/IR/TileGPUOps.cpp.inc"

LogicalResult ConvertLayoutOp::verify() {
  auto src = cast<RankedTensorType>(getSrc().getType()), dst = cast<RankedTensorType>(getType());
  if (src.getShape() != dst.getShape() || src.getElementType() != dst.getElementType())
    return emitOpError() << "(convert_layout_c1) shape and element type must stay, found " << src
                         << " -> " << dst;
  for (RankedTensorType type : {src, dst})
    if (!llvm::isa_and_nonnull<ThreadLayout>(type.getEncoding()) ||
        rankOf(type.getEncoding()) != type.getRank())
      return emitOpError() << "(convert_layout_c1) both sides need a layout of registers of their "
                              "rank, found "
                           << type;
  return success();
}

LogicalResult PrefetchL2Op::verify() {
  RankedTensorType ptr = getPtr().getType(), mask = getMask().getType();
  if (ptr.getShape() != mask.getShape() || !isa<tt::PointerType>(ptr.getElementType()) ||
      !mask.getElementType().isInteger(1))
    return emitOpError() << "(prefetch_l2_c1) pointers and mask must be tiles of one shape, found "
                         << ptr << " and " << mask;
  if (getAxis() >= ptr.getRank() || !llvm::isPowerOf2_32(getOneOf()))
    return emitOpError() << "(prefetch_l2_c2) the axis must be below " << ptr.getRank()
                         << " and the number of neighbours a power of two, found " << getAxis()
                         << " and " << getOneOf();
  return success();
}

SmallVector<int64_t> ConvertLayoutOp::getSourceDims() {
  return llvm::to_vector(llvm::seq<int64_t>(0, cast<RankedTensorType>(getType()).getRank()));
}

bool ConvertLayoutOp::changesThreads() { return true; }

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  // Of two conversions the first is not needed.
  if (auto inner = getSrc().getDefiningOp<ConvertLayoutOp>();
      inner && !inner.getMechanism() && !getMechanism()) {
    getSrcMutable().assign(inner.getSrc());
    return getResult();
  }
  return {};
}

bool ttg::isRunForOthers(Operation *atomic) {
  Value result = atomic->getResult(0);
  auto tile = dyn_cast<RankedTensorType>(result.getType());
  return !result.use_empty() &&
         (!tile || layoutOf(tile).core().freeMask(kLane) || layoutOf(tile).core().freeMask(kWarp));
}

Value ttg::sameTile(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto convert = dyn_cast_or_null<ConvertLayoutOp>(op))
    return convert.getSrc();
  if (auto skip = dyn_cast_or_null<SkipMaskedOp>(op))
    return skip.getYield().getValues()[cast<OpResult>(value).getResultNumber()];
  auto load = dyn_cast_or_null<LocalLoadOp>(op);
  if (!load || load.getOffsets())
    return {};
  auto alloc = load.getSrc().getDefiningOp<LocalAllocOp>();
  return alloc ? alloc.getInit() : Value();
}

Value ttg::movedFrom(Value value) {
  if (Value same = sameTile(value))
    return same;
  Operation *op = value.getDefiningOp();
  if (auto movement = dyn_cast_or_null<tt::DataMovement>(op))
    return movement.getSource();
  if (!isa_and_nonnull<LocalLoadOp, LocalGatherOp>(op))
    return {};
  auto alloc = op->getOperand(0).getDefiningOp<LocalAllocOp>();
  return alloc ? alloc.getInit() : Value();
}

Value ttg::behindLayouts(Value value) {
  while (Value same = sameTile(value))
    value = same;
  return value;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

void MemDescIndexOp::build(OpBuilder &builder, OperationState &state, Value src, Value index,
                           std::optional<int> ahead) {
  build(builder, state, cast<MemDescType>(src.getType()).getBuffer(), src, index,
        ahead ? builder.getI32IntegerAttr(*ahead) : IntegerAttr());
}

LogicalResult MemDescIndexOp::verify() {
  MemDescType src = getSrc().getType();
  if (src.getShape().size() != src.getTileShape().size() + 1 || getType() != src.getBuffer())
    return emitOpError() << "(memdesc_index_c1) the result must be one buffer of " << src
                         << ", found " << getType();
  return success();
}

MemDescType MemDescTransOp::transposed(MemDescType type, ArrayRef<int32_t> order) {
  SmallVector<int64_t> shape;
  for (int32_t d : order)
    shape.push_back(type.getShape()[d]);
  return type.withTile(shape, type.getLayout().transposed(order));
}

LogicalResult MemDescTransOp::verify() {
  MemDescType src = getSrc().getType();
  SmallVector<int32_t> sorted(getOrder());
  llvm::sort(sorted);
  if (src.getShape().size() != src.getTileShape().size() ||
      sorted != llvm::to_vector(llvm::seq<int32_t>(0, src.getShape().size())) ||
      getType() != transposed(src, getOrder()))
    return emitOpError() << "(memdesc_trans_c1) the result must be the transposed buffer, found "
                         << src << " -> " << getType();
  // Panels of more dimensions count by the order that they have.
  if (src.getShape().size() > 2 && !src.getLayout().getPanel(src.getShape()).empty() &&
      !src.isOnePanel())
    return emitOpError() << "(memdesc_trans_c2) a tile of more than two dimensions must be one "
                            "panel, found "
                         << src;
  return success();
}

/// Elements lie one after another, the last dimension fastest.
static bool isRowMajor(MemDescType type) {
  auto layout = dyn_cast<SharedEncodingAttr>(type.getEncoding());
  return layout && layout.getMaxPhase() == 1 &&
         type.getShape().size() == type.getTileShape().size() &&
         llvm::equal(llvm::reverse(layout.getOrder()),
                     llvm::seq<int32_t>(0, layout.getOrder().size()));
}

LogicalResult MemDescReshapeOp::verify() {
  MemDescType src = getSrc().getType(), dst = getType();
  if (!isRowMajor(src) || !isRowMajor(dst) || src.getElementType() != dst.getElementType() ||
      src.getTileBytes() != dst.getTileBytes() || src.getSpace() != dst.getSpace() ||
      src.getIsMutable() != dst.getIsMutable())
    return emitOpError() << "(memdesc_reshape_c1) both must have as many elements one after "
                            "another, found "
                         << src << " -> " << dst;
  return success();
}

/// A tile in registers that is moved to or from memory; a scalar is one element.
static LogicalResult verifyMove(Operation *op, StringRef constraint, Type value, MemDescType memory,
                                bool isPart = false) {
  auto tile = dyn_cast<RankedTensorType>(value);
  bool fits = tile ? (isPart || tile.getShape() == memory.getShape()) && tile.getEncoding() &&
                         llvm::isa_and_nonnull<ThreadLayout>(tile.getEncoding())
                   : memory.getShape() == ArrayRef<int64_t>{1};
  if (!fits || tt::elementType(value) != memory.getElementType())
    return op->emitOpError() << "(" << constraint
                             << ") shape and element type must agree and the tile must have a "
                                "layout, found "
                             << value << " and " << memory;
  if (tile && !isPart && !coversPanels(tile, memory))
    return op->emitOpError() << "(" << constraint
                             << ") the tile must have an element for each of the memory's panels, "
                                "found "
                             << value << " and " << memory;
  return success();
}

/// A part of extents `part` begins at multiples of them inside of `whole`.
static bool liesInside(ArrayRef<int64_t> offsets, ArrayRef<int64_t> part, ArrayRef<int64_t> whole) {
  return offsets.size() == part.size() && part.size() == whole.size() &&
         llvm::all_of(llvm::zip(offsets, part, whole), [](auto dimension) {
           auto [offset, extent, of] = dimension;
           return offset >= 0 && offset % extent == 0 && offset + extent <= of;
         });
}

LogicalResult LocalAllocOp::verify() {
  MemDescType type = getType();
  if (type.getIsMutable() == bool(getInit()))
    return emitOpError() << "(local_alloc_c1) memory with a value is not mutable, and without one "
                            "it is, found "
                         << type;
  if (getInit() && failed(verifyMove(*this, "local_alloc_c2", getInit().getType(), type)))
    return failure();
  constexpr uint32_t mostAlignment = 1024; // swizzles repeat after so many bytes
  if (auto alignment = getAlignment();
      alignment && (!llvm::isPowerOf2_32(*alignment) || *alignment < kSharedAlignment ||
                    *alignment > mostAlignment))
    return emitOpError() << "(local_alloc_c4) the alignment must be a power of two from "
                         << kSharedAlignment << " to " << mostAlignment << ", found "
                         << int32_t(*alignment);
  if (auto offset = getOffset(); offset && (int32_t(*offset) < 0 || *offset % getLeastAlignment()))
    return emitOpError() << "(local_alloc_c3) the offset must be a multiple of "
                         << getLeastAlignment() << " and not negative, found " << int32_t(*offset);
  return success();
}

LogicalResult LocalLoadOp::verify() {
  MemDescType src = getSrc().getType();
  if (failed(verifyMove(*this, "local_load_c1", getType(), src, getOffsets().has_value())))
    return failure();
  if (!getOffsets())
    return success();
  if (!src.isOnePanel() || !liesInside(*getOffsets(), tt::shapeOf(getType()), src.getShape()))
    return emitOpError() << "(local_load_c2) a part must lie inside at multiples of its extents, "
                            "in memory of one panel, found "
                         << getType() << " of " << src;
  return success();
}

LogicalResult LocalGatherOp::verify() {
  MemDescType src = getSrc().getType();
  auto index = cast<RankedTensorType>(getIndex().getType()),
       result = cast<RankedTensorType>(getType());
  int64_t axis = static_cast<int32_t>(getAxis());
  bool fits = int64_t(src.getShape().size()) == index.getRank() && axis >= 0 &&
              axis < index.getRank() && result.getShape() == index.getShape() &&
              result.getElementType() == src.getElementType() &&
              (index.getElementType().isInteger(32) || index.getElementType().isInteger(64));
  for (int64_t d = 0; fits && d < index.getRank(); ++d)
    fits = d == axis || src.getShape()[d] == index.getDimSize(d);
  if (!fits)
    return emitOpError() << "(local_gather_c1) rank, extents and elements must be those of a "
                            "tt.gather, and indices have 32 or 64 bits, found "
                         << src << ", " << index << " and " << result;
  for (RankedTensorType tile : {index, result})
    if (!isa_and_nonnull<ThreadLayout>(tile.getEncoding()))
      return emitOpError() << "(local_gather_c2) index and result need a layout, found " << tile;
  if (!sameLayout(index.getEncoding(), result.getEncoding(), index.getShape()))
    return emitOpError() << "(local_gather_c2) index and result must have one layout, found "
                         << index << " and " << result;
  if (!isRowMajor(src))
    return emitOpError() << "(local_gather_c3) elements must lie one after another, the last "
                            "dimension fastest, found "
                         << src;
  return success();
}

static LogicalResult verifyMutable(Operation *op, StringRef constraint, MemDescType memory) {
  if (memory.getIsMutable())
    return success();
  return op->emitOpError() << "(" << constraint << ") the memory must be mutable, found " << memory;
}

LogicalResult LocalStoreOp::verify() {
  if (failed(verifyMutable(*this, "local_store_c2", getDst().getType())))
    return failure();
  MemDescType dst = getDst().getType();
  if (failed(verifyMove(*this, "local_store_c1", getSrc().getType(), dst, bool(getOffsets()))))
    return failure();
  if (!getOffsets())
    return success();
  RankedTensorType src = getSrc().getType();
  ArrayRef<int64_t> part = dst.getShape();
  if (!liesInside(*getOffsets(), part, src.getShape()) || !layoutOfPart(layoutOf(src), part))
    return emitOpError() << "(local_store_c3) a part must lie inside at multiples of its extents, "
                            "and threads must hold elements of each such part alike, found "
                         << dst << " of " << src;
  return success();
}

LogicalResult LocalCountOp::verify() {
  RankedTensorType index = getIndex().getType();
  if (!index.getElementType().isInteger(32) || !isa_and_nonnull<ThreadLayout>(index.getEncoding()))
    return emitOpError() << "(local_count_c1) indices must be i32 and have a layout, found "
                         << index;
  MemDescType memory = getMemory().getType();
  if (failed(verifyMutable(*this, "local_count_c2", memory)))
    return failure();
  if (!isRowMajor(memory) || memory.getShape().size() != 1 ||
      !memory.getElementType().isInteger(32))
    return emitOpError() << "(local_count_c3) the memory must be one dimension of i32, one after "
                            "another, found "
                         << memory;
  return success();
}

LogicalResult AsyncCopyGlobalToLocalOp::verify() {
  MemDescType dst = getDst().getType();
  Type ptr = getPtr().getType();
  if (failed(verifyMutable(*this, "async_copy_c3", dst)))
    return failure();
  auto pointers = dyn_cast<RankedTensorType>(ptr);
  bool hasPointers = !pointers || !isa_and_nonnull<ThreadLayout>(pointers.getEncoding()) ||
                     pointers.getShape() != dst.getShape() || coversPanels(pointers, dst);
  if (!isWholePanels(dst) || !hasPointers)
    return emitOpError() << "(async_copy_c4) the destination must be whole panels, each of which "
                            "is as many elements of threads, found "
                         << ptr << " and " << dst;
  if (tt::shapeOf(ptr) != dst.getShape() ||
      (getMask() && tt::shapeOf(getMask().getType()) != dst.getShape()))
    return emitOpError() << "(async_copy_c1) pointers, mask and destination must have one shape, "
                            "found "
                         << ptr << " and " << dst;
  if (cast<tt::PointerType>(tt::elementType(ptr)).getPointeeType() != dst.getElementType())
    return emitOpError() << "(async_copy_c2) the pointee must be " << dst.getElementType()
                         << ", found " << ptr;
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions and scans
//===----------------------------------------------------------------------===//

LogicalResult WarpReduceOp::verify() {
  auto refuse = [&](const Twine &found) -> LogicalResult {
    return emitOpError() << "(warp_reduce_c1) operands must have one shape and layout, results "
                            "likewise, and the same ranks and element types, found "
                         << found;
  };
  if (getSrcs().empty() || getSrcs().size() != getResults().size())
    return refuse(Twine(getSrcs().size()) + " operands and " + Twine(getResults().size()) +
                  " results");
  auto sameTile = [](Type a, Type b) {
    auto x = cast<RankedTensorType>(a), y = cast<RankedTensorType>(b);
    return x.getShape() == y.getShape() && x.getEncoding() == y.getEncoding();
  };
  for (auto [src, result] : llvm::zip(getSrcs(), getResults()))
    if (!sameTile(src.getType(), getSrcs()[0].getType()) ||
        !sameTile(result.getType(), getResults()[0].getType()) ||
        tt::elementType(src.getType()) != tt::elementType(result.getType()))
      return refuse("another pair");
  ArrayRef<int64_t> from = tt::shapeOf(getSrcs()[0].getType()),
                    to = tt::shapeOf(getResults()[0].getType());
  bool fits = from.size() == to.size() && getAxis() < from.size();
  for (size_t d = 0; fits && d < from.size(); ++d)
    fits = d == getAxis() || from[d] == to[d];
  return fits ? success() : refuse("other extents");
}

LogicalResult WarpReduceOp::verifyRegions() {
  return cast<tt::Combining>(getOperation()).verifyRegion("warp_reduce_c2");
}

/// `tiles` are of one shape and layout, the results of their types, and `ofParts`, of one layout,
/// have an element a part where the tiles have those of the part.
static LogicalResult verifyParts(Operation *op, OperandRange tiles, TypeRange results,
                                 ValueRange ofParts, unsigned axis, unsigned part) {
  StringRef name = op->getName().stripDialect();
  auto sameTile = [](Value a, Value b) {
    auto x = cast<RankedTensorType>(a.getType()), y = cast<RankedTensorType>(b.getType());
    return x.getShape() == y.getShape() && x.getEncoding() == y.getEncoding();
  };
  if (tiles.empty() || tiles.getTypes() != results ||
      llvm::any_of(tiles, [&](Value tile) { return !sameTile(tile, tiles[0]); }))
    return op->emitOpError() << "(" << name
                             << "_c1) operands must have one shape and layout, and results their "
                                "types, found ("
                             << tiles.getTypes() << ") and (" << results << ")";
  SmallVector<int64_t> shape(tt::shapeOf(tiles[0].getType()));
  bool fits = axis < shape.size() && llvm::isPowerOf2_32(part) && ofParts.size() == tiles.size();
  if (fits)
    shape[axis] = llvm::divideCeil(shape[axis], part);
  for (size_t i = 0; fits && i < tiles.size(); ++i)
    fits = tt::shapeOf(ofParts[i].getType()) == ArrayRef(shape) &&
           sameTile(ofParts[i], ofParts[0]) &&
           tt::elementType(ofParts[i].getType()) == tt::elementType(tiles[i].getType());
  if (fits)
    return success();
  return op->emitOpError() << "(" << name << "_c2) parts of " << part << " elements along axis "
                           << axis << " of (" << tiles.getTypes()
                           << ") must be a power of two long, and there must be an element for "
                              "each, found ("
                           << ofParts.getTypes() << ")";
}

LogicalResult WarpScanOp::verify() {
  return verifyParts(*this, getSrcs(), getScanned().getTypes(), getTotals(), getAxis(), getPart());
}

LogicalResult WarpScanOp::verifyRegions() {
  return cast<tt::Combining>(getOperation()).verifyRegion("warp_scan_c3");
}

LogicalResult JoinScansOp::verify() {
  return verifyParts(*this, getSrcs(), getResultTypes(), getPrefixes(), getAxis(), getPart());
}

LogicalResult JoinScansOp::verifyRegions() {
  return cast<tt::Combining>(getOperation()).verifyRegion("join_scans_c3");
}
