//===- TileGPUOps.cpp - operations of the ttg dialect ---------------------===//

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tritium;
using namespace tritium::ttg;

#define GET_OP_CLASSES
#include "tritium/Dialect/TileGPU/IR/TileGPUOps.cpp.inc"

LogicalResult ConvertLayoutOp::verify() {
  auto src = cast<RankedTensorType>(getSrc().getType()), dst = cast<RankedTensorType>(getType());
  if (src.getShape() != dst.getShape() || src.getElementType() != dst.getElementType())
    return emitOpError() << "(convert_layout_c1) shape and element type must stay, found " << src
                         << " -> " << dst;
  for (RankedTensorType type : {src, dst})
    if (!type.getEncoding() || !isDistributed(type.getEncoding()) ||
        rankOf(type.getEncoding()) != type.getRank())
      return emitOpError() << "(convert_layout_c1) both sides need a layout of registers of their "
                              "rank, found "
                           << type;
  return success();
}

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  // Of two conversions the first is not needed.
  if (auto inner = getSrc().getDefiningOp<ConvertLayoutOp>()) {
    getSrcMutable().assign(inner.getSrc());
    return getResult();
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

void MemDescIndexOp::build(OpBuilder &builder, OperationState &state, Value src, Value index,
                           std::optional<int> ahead) {
  auto ring = cast<MemDescType>(src.getType());
  build(builder, state,
        MemDescType::get(builder.getContext(), ring.getTileShape(), ring.getElementType(),
                         ring.getEncoding()),
        src, index, ahead ? builder.getI32IntegerAttr(*ahead) : IntegerAttr());
}

LogicalResult MemDescIndexOp::verify() {
  MemDescType src = getSrc().getType(), dst = getType();
  if (src.getShape().size() != src.getTileShape().size() + 1 ||
      dst.getShape() != src.getTileShape() || dst.getElementType() != src.getElementType() ||
      dst.getEncoding() != src.getEncoding())
    return emitOpError() << "(memdesc_index_c1) the result must be one buffer of " << src
                         << ", found " << dst;
  return success();
}

MemDescType MemDescTransOp::transposed(MemDescType type, ArrayRef<int32_t> order) {
  SharedEncodingAttr encoding = type.getEncoding();
  SmallVector<int64_t> shape;
  SmallVector<int32_t> position(order.size()), fastest;
  for (auto [i, d] : llvm::enumerate(order)) {
    shape.push_back(type.getShape()[d]);
    position[d] = i;
  }
  for (int32_t d : encoding.getOrder())
    fastest.push_back(position[d]);
  return MemDescType::get(type.getContext(), shape, type.getElementType(),
                          SharedEncodingAttr::get(type.getContext(), encoding.getVec(),
                                                  encoding.getPerPhase(), encoding.getMaxPhase(),
                                                  fastest));
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
  return success();
}

/// A tile in registers that is moved to or from shared memory.
static LogicalResult verifyMove(Operation *op, StringRef constraint, Type tile, MemDescType memory,
                                bool isPart = false) {
  auto type = cast<RankedTensorType>(tile);
  if ((!isPart && type.getShape() != memory.getShape()) ||
      type.getElementType() != memory.getElementType() || !type.getEncoding() ||
      !isDistributed(type.getEncoding()))
    return op->emitOpError() << "(" << constraint
                             << ") shape and element type must agree and the tile must have a "
                                "layout, found "
                             << type << " and " << memory;
  return success();
}

LogicalResult LocalLoadOp::verify() {
  MemDescType src = getSrc().getType();
  if (failed(verifyMove(*this, "local_load_c1", getType(), src, getOffsets().has_value())))
    return failure();
  if (!getOffsets())
    return success();
  ArrayRef<int64_t> shape = cast<RankedTensorType>(getType()).getShape(), offsets = *getOffsets();
  bool fits = offsets.size() == shape.size() && shape.size() == src.getShape().size();
  for (size_t d = 0; fits && d < shape.size(); ++d)
    fits =
        offsets[d] >= 0 && offsets[d] % shape[d] == 0 && offsets[d] + shape[d] <= src.getShape()[d];
  if (!fits)
    return emitOpError() << "(local_load_c2) a part must lie inside at multiples of its extents, "
                            "found "
                         << getType() << " of " << src;
  return success();
}

LogicalResult LocalStoreOp::verify() {
  return verifyMove(*this, "local_store_c1", getSrc().getType(), getDst().getType());
}

LogicalResult AsyncCopyGlobalToLocalOp::verify() {
  MemDescType dst = getDst().getType();
  Type ptr = getPtr().getType();
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
