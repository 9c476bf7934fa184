//===- DescriptorOps.cpp - blocks of arrays in memory ---------------------===//

#include "tritium/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace tritium::tt;

namespace {
/// `name` is that of the operation in its constraints.
LogicalResult verifyIndices(Operation *op, StringRef name, TensorDescType desc, ValueRange indices,
                            std::optional<ArrayRef<bool>> inBounds) {
  auto rank = static_cast<size_t>(desc.getRank());
  if (indices.size() != rank)
    return op->emitOpError() << "(" << name << "_c1) needs one index for each dimension of " << desc
                             << ", found " << indices.size();
  if (inBounds && inBounds->size() != rank)
    return op->emitOpError() << "(" << name << "_c2) 'in_bounds' needs one element for each "
                             << "dimension of " << desc << ", found " << inBounds->size();
  return success();
}

LogicalResult verifyRows(Operation *op, StringRef name, TensorDescType desc, Type tile) {
  if (desc.getRank() != 2 || desc.getBlockShape()[0] != 1)
    return op->emitOpError() << "(" << name << "_c1) the block must be one row, 1xC, found "
                             << desc;
  ArrayRef<int64_t> shape = shapeOf(tile);
  if (shape.size() != 2 || shape[1] != desc.getBlockShape()[1] ||
      elementType(tile) != desc.getElementType())
    return op->emitOpError() << "(" << name << "_c2) the tile must be rows of " << desc
                             << ", found " << tile;
  return success();
}
} // namespace

LogicalResult MakeTensorDescriptorOp::verify() {
  if (static_cast<int64_t>(getShape().size()) != getType().getRank())
    return emitOpError() << "(make_tensor_descriptor_c1) needs one extent and one stride for each "
                         << "dimension of " << getType() << ", found " << getShape().size();
  return success();
}

void DescriptorLoadOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getDescMutable());
  if (getIsVolatile())
    effects.emplace_back(MemoryEffects::Write::get());
}

LogicalResult DescriptorLoadOp::verify() {
  return verifyIndices(*this, "descriptor_load", getDesc().getType(), getIndices(), getInBounds());
}

LogicalResult DescriptorStoreOp::verify() {
  return verifyIndices(*this, "descriptor_store", getDesc().getType(), getIndices(), getInBounds());
}

std::optional<MemSemantic> DescriptorReduceOp::getAtomicOrder() { return MemSemantic::RELAXED; }

LogicalResult DescriptorReduceOp::verify() {
  if (failed(verifyIndices(*this, "descriptor_reduce", getDesc().getType(), getIndices(), {})))
    return failure();
  Type element = getDesc().getType().getElementType();
  RMWOp kind = getKind();
  bool isOrdered = kind == RMWOp::MAX || kind == RMWOp::MIN;
  bool fits = kind == RMWOp::FADD ? isTileFloat(element)
                                  : isTileInt(element) || (isOrdered && isTileFloat(element) &&
                                                           scalarBits(element) >= 16);
  if (!fits || kind == RMWOp::XCHG)
    return emitOpError() << "(descriptor_reduce_c2) '" << stringifyRMWOp(kind)
                         << "' does not apply to " << element;
  return success();
}

LogicalResult DescriptorGatherOp::verify() {
  return verifyRows(*this, "descriptor_gather", getDesc().getType(), getType());
}

LogicalResult DescriptorScatterOp::verify() {
  return verifyRows(*this, "descriptor_scatter", getDesc().getType(), getValue().getType());
}
