//===- TileValues.cpp - what is asked of one tile value -------------------===//

#include "TileValues.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tritium::cpu {

Type pointeeOf(Value ptr) {
  return cast<tt::PointerType>(tt::elementType(ptr.getType())).getPointeeType();
}

static bool isNarrowFloat(Type element) {
  return tt::isTileFloat(element) && tt::scalarBits(element) < 32;
}

Type evalType(Type element) {
  if (isa<tt::PointerType>(element))
    return IntegerType::get(element.getContext(), 64);
  return isNarrowFloat(element) ? Float32Type::get(element.getContext()) : element;
}

Type storageType(Type element) {
  if (element.isInteger(1))
    return IntegerType::get(element.getContext(), 8);
  if (isa<tt::PointerType>(element) || isNarrowFloat(element))
    return IntegerType::get(element.getContext(), tt::scalarBits(element));
  return element;
}

void forEachTileOperand(Operation *op, llvm::function_ref<void(Value)> fn) {
  auto visit = [&](Value v) {
    if (isa<RankedTensorType>(v.getType()))
      fn(v);
  };
  for (Value v : op->getOperands())
    visit(v);
  if (op->getNumRegions() == 0 || isa<tt::Combining>(op))
    return;
  // To climb from each operand to its ancestors would take cubic time for a chain of branches.
  llvm::SmallPtrSet<Block *, 8> within;
  op->walk([&](Block *block) { within.insert(block); });
  op->walk([&](Operation *inner) {
    if (inner == op)
      return;
    for (Value v : inner->getOperands())
      if (isa<RankedTensorType>(v.getType()) && !within.contains(v.getParentBlock()))
        fn(v);
  });
}

bool isVirtual(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !isa<RankedTensorType>(value.getType()))
    return false;
  return (op->getNumRegions() == 0 || isa<tt::MapElementwiseOp>(op)) &&
         !isa<tt::DotOp, tt::HistogramOp, tt::AtomicRMWOp, tt::AtomicCASOp>(op);
}

bool keepsPlaces(Operation *op) { return !isa<tt::DataMovement>(op); }

bool isPolynomial(Operation *op) {
  return isa<math::MathDialect>(op->getDialect()) &&
         !isa<math::AbsFOp, math::AbsIOp, math::FloorOp, math::CeilOp, math::FmaOp, math::SqrtOp>(
             op);
}

bool isContiguous(Value pointers, int64_t dim, Strides &strides) {
  return strides.modular(pointers, dim) ==
         static_cast<int64_t>(tt::scalarBytes(pointeeOf(pointers)));
}

/// The dimension of `value` along which the first load it is computed from is
/// contiguous.
static std::optional<int64_t> loadDim(Value value, Strides &likely, int depth) {
  constexpr int maxDepth = 12;
  Operation *op = value.getDefiningOp();
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!op || !type || depth > maxDepth || !isVirtual(value))
    return std::nullopt;
  if (auto load = dyn_cast<tt::LoadOp>(op)) {
    for (int64_t d = type.getRank() - 1; d >= 0; --d)
      if (isContiguous(load.getPtr(), d, likely))
        return d;
    return std::nullopt;
  }
  if (auto trans = dyn_cast<tt::TransOp>(op)) {
    std::optional<int64_t> inner = loadDim(trans.getSrc(), likely, depth + 1);
    // A stored operand is contiguous along its last dimension.
    if (!inner && !isVirtual(trans.getSrc()))
      inner = type.getRank() - 1;
    if (!inner)
      return std::nullopt;
    return llvm::find(trans.getOrder(), static_cast<int32_t>(*inner)) - trans.getOrder().begin();
  }
  if (!keepsPlaces(op))
    return std::nullopt;
  for (Value operand : op->getOperands())
    if (auto dim = loadDim(operand, likely, depth + 1))
      return dim;
  return std::nullopt;
}

bool isPositiveZero(Value value) {
  while (auto op = value.getDefiningOp<tt::SplatOp>())
    value = op.getSrc();
  Attribute attribute;
  if (!matchPattern(value, m_Constant(&attribute)))
    return false;
  if (auto elements = dyn_cast<SplatElementsAttr>(attribute))
    attribute = elements.getSplatValue<Attribute>();
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return number.getValue().isPosZero();
  auto integer = dyn_cast<IntegerAttr>(attribute);
  return integer && integer.getValue().isZero();
}

LoadedMatrix loadedMatrix(Value value) {
  if (auto trans = value.getDefiningOp<tt::TransOp>();
      trans && trans.getOrder() == ArrayRef<int32_t>{1, 0})
    return {trans.getSrc().getDefiningOp<tt::LoadOp>(), true};
  return {value.getDefiningOp<tt::LoadOp>(), false};
}

int64_t preferredDim(Value value, Strides &likely) {
  auto type = cast<RankedTensorType>(value.getType());
  if (auto dim = loadDim(value, likely, 0); dim && type.getDimSize(*dim) > 1)
    return *dim;
  int64_t last = type.getRank() - 1;
  for (int64_t d = last; d >= 0; --d)
    if (type.getDimSize(d) > 1)
      return d;
  return last;
}

} // namespace tritium::cpu
