//===- Shape.cpp - broadcasting and reshaping -----------------------------===//

#include "tritium/Dialect/Tile/IR/Tile.h"
#include "tritium/Frontend/Sema/Sema.h"

#include "llvm/ADT/STLExtras.h"

using namespace tritium;
using namespace tritium::sema;

/// The shape of both, or nothing. Missing leading dimensions count as 1.
static std::optional<llvm::SmallVector<int64_t>> commonShape(llvm::ArrayRef<int64_t> a,
                                                             llvm::ArrayRef<int64_t> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  llvm::SmallVector<int64_t> shape(a);
  size_t lead = a.size() - b.size();
  for (size_t i = 0; i < b.size(); ++i) {
    int64_t &extent = shape[lead + i];
    if (extent != b[i] && extent != 1 && b[i] != 1)
      return std::nullopt;
    extent = std::max(extent, b[i]);
  }
  return shape;
}

std::optional<Tensor> Sema::broadcastTo(const Tensor &value, llvm::ArrayRef<int64_t> shape) {
  llvm::ArrayRef<int64_t> from = value.shape();
  if (from == shape)
    return value;
  if (commonShape(from, shape) != llvm::SmallVector<int64_t>(shape))
    return error("cannot broadcast shape " + describeShape(from) + " to " + describeShape(shape) +
                 ": each extent must agree or be 1");
  if (!checkShape(shape))
    return std::nullopt;
  mlir::Type type = tensorType(value.dtype, shape);
  if (from.empty())
    return Tensor{opBuilder.createOrFold<tt::SplatOp>(loc(), type, value.value), value.dtype};
  Tensor padded = value;
  while (padded.shape().size() < shape.size())
    padded = expandDims(padded, 0);
  if (padded.shape() == shape)
    return padded;
  return Tensor{opBuilder.create<tt::BroadcastOp>(loc(), type, padded.value), value.dtype};
}

std::optional<TensorPair> Sema::broadcast(const Tensor &lhs, const Tensor &rhs) {
  auto shape = commonShape(lhs.shape(), rhs.shape());
  if (!shape)
    return error("cannot broadcast shapes " + describeShape(lhs.shape()) + " and " +
                 describeShape(rhs.shape()) +
                 ": aligned at the right, each pair of extents must agree or have a 1");
  auto l = broadcastTo(lhs, *shape);
  auto r = l ? broadcastTo(rhs, *shape) : std::nullopt;
  if (!r)
    return std::nullopt;
  return TensorPair{*l, *r};
}

Tensor Sema::expandDims(const Tensor &value, int axis) {
  llvm::SmallVector<int64_t> shape(value.shape());
  shape.insert(shape.begin() + axis, 1);
  mlir::Type type = tensorType(value.dtype, shape);
  if (value.isScalar())
    return {opBuilder.create<tt::SplatOp>(loc(), type, value.value), value.dtype};
  return {opBuilder.create<tt::ExpandDimsOp>(loc(), type, value.value, axis), value.dtype};
}

std::optional<Tensor> Sema::reshape(const Tensor &value, llvm::ArrayRef<int64_t> shape,
                                    bool allowReorder) {
  if (!checkShape(shape))
    return std::nullopt;
  int64_t elements = 1;
  for (int64_t extent : shape)
    elements *= extent;
  if (elements != value.numElements())
    return error("cannot reshape " + describeShape(value.shape()) + " (" +
                 std::to_string(value.numElements()) + " elements) to " + describeShape(shape) +
                 " (" + std::to_string(elements) + " elements)");
  if (value.shape() == shape)
    return value;
  if (shape.empty())
    return item(value);
  if (value.isScalar())
    return broadcastTo(value, shape);
  mlir::Type type = tensorType(value.dtype, shape);
  return Tensor{opBuilder.create<tt::ReshapeOp>(loc(), type, value.value, allowReorder),
                value.dtype};
}

Tensor Sema::transpose(const Tensor &value, llvm::ArrayRef<int32_t> order) {
  if (llvm::is_sorted(order))
    return value;
  llvm::SmallVector<int64_t> shape;
  for (int32_t axis : order)
    shape.push_back(value.shape()[axis]);
  mlir::Type type = tensorType(value.dtype, shape);
  return {opBuilder.create<tt::TransOp>(loc(), type, value.value, order), value.dtype};
}

Tensor Sema::item(const Tensor &value) {
  if (value.isScalar())
    return value;
  if (value.dtype.isPointer()) // reductions are of numbers
    return *cast(item(*cast(value, {DTypeKind::Int64})), value.dtype);
  Tensor flat = *reshape(value, {1});
  // A reduction over one element never combines; the region only names a result.
  auto reduce = opBuilder.create<tt::ReduceOp>(loc(), mlir::TypeRange{elementType(value.dtype)},
                                               mlir::ValueRange{flat.value}, 0);
  mlir::OpBuilder::InsertionGuard guard(opBuilder);
  mlir::Type element = elementType(value.dtype);
  mlir::Block *block =
      opBuilder.createBlock(&reduce.getCombineOp(), {}, {element, element}, {loc(), loc()});
  opBuilder.create<tt::ReduceReturnOp>(loc(), block->getArgument(0));
  return {reduce.getResult()[0], value.dtype};
}
