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
