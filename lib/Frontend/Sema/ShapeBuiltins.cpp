//===- ShapeBuiltins.cpp - library functions that reshape tiles -----------===//

#include "BuiltinSupport.h"
#include "tritium/Frontend/Sema/DTypes.h"

#include "tritium/Dialect/Tile/IR/Tile.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace tritium;
using namespace tritium::sema;

static Result wrap(const std::optional<Tensor> &tensor) {
  return tensor ? Result(Value(*tensor)) : std::nullopt;
}

static Result expandDims(Sema &sema, const BoundArguments &args) {
  auto x = sema.toTensor(args[0]);
  auto axes = x ? constantInts(sema, args[1], "the axis of tl.expand_dims") : std::nullopt;
  if (!axes)
    return std::nullopt;
  int64_t rank = static_cast<int64_t>(x->shape().size() + axes->size());
  for (int64_t &axis : *axes) {
    if (axis < -rank || axis >= rank)
      return sema.error("the axis of tl.expand_dims must be in [" + std::to_string(-rank) + ", " +
                        std::to_string(rank) + ") for a result of rank " + std::to_string(rank) +
                        ", found " + std::to_string(axis));
    axis += axis < 0 ? rank : 0;
  }
  llvm::sort(*axes);
  if (std::adjacent_find(axes->begin(), axes->end()) != axes->end())
    return sema.error("the axes of tl.expand_dims must differ from each other");
  Tensor result = *x;
  for (int64_t axis : *axes)
    result = sema.expandDims(result, static_cast<int>(axis));
  return Value(result);
}

static Result broadcast(Sema &sema, const BoundArguments &args) {
  auto x = sema.toTensor(args[0]);
  auto y = x ? sema.toTensor(args[1]) : std::nullopt;
  auto pair = y ? sema.broadcast(*x, *y) : std::nullopt;
  if (!pair)
    return std::nullopt;
  return Value(Tuple{{Value(pair->lhs), Value(pair->rhs)}, {}});
}

static Result broadcastTo(Sema &sema, const BoundArguments &args) {
  auto x = sema.toTensor(args[0]);
  auto shape = x ? constantInts(sema, spread(args[1]), "the shape") : std::nullopt;
  if (!shape)
    return std::nullopt;
  if (!x->isScalar() && x->shape().size() != shape->size())
    return sema.error("tl.broadcast_to keeps the rank: found shape " + describeShape(x->shape()) +
                      " and target " + describeShape(*shape) +
                      "; insert dimensions with x[:, None] first");
  return wrap(sema.broadcastTo(*x, *shape));
}

static Result reshapeTo(Sema &sema, const BoundArguments &args) {
  auto x = sema.toTensor(args[0]);
  auto shape = x ? constantInts(sema, spread(args[1]), "the shape") : std::nullopt;
  auto reorder = shape ? constantBool(sema, args[2], "'can_reorder'") : std::nullopt;
  return reorder ? wrap(sema.reshape(*x, *shape, *reorder)) : std::nullopt;
}

static Result view(Sema &sema, const BoundArguments &args) {
  sema.warning("tl.view is deprecated; use tl.reshape");
  return reshapeTo(sema, {args[0], args[1], makeBool(false)});
}

static Result ravel(Sema &sema, const BoundArguments &args) {
  auto x = sema.toTensor(args[0]);
  auto reorder = x ? constantBool(sema, args[1], "'can_reorder'") : std::nullopt;
  return reorder ? wrap(sema.reshape(*x, {x->numElements()}, *reorder)) : std::nullopt;
}

static Result permuteBy(Sema &sema, const Tensor &x, const Value &dims, std::string_view name) {
  auto order = constantInts(sema, dims, "the dimensions");
  if (!order)
    return std::nullopt;
  int64_t rank = static_cast<int64_t>(x.shape().size());
  llvm::SmallVector<int32_t> normalized;
  for (int64_t axis : *order)
    normalized.push_back(static_cast<int32_t>(axis < 0 ? axis + rank : axis));
  llvm::SmallVector<int32_t> sorted(normalized), identity(rank);
  llvm::sort(sorted);
  std::iota(identity.begin(), identity.end(), 0);
  if (sorted != identity)
    return sema.error(displayName(name) + " needs a permutation of the " + std::to_string(rank) +
                      " dimensions of shape " + describeShape(x.shape()) + ", found " +
                      describeShape(*order));
  return Value(sema.transpose(x, normalized));
}

static Result permute(Sema &sema, const BoundArguments &args) {
  auto x = sema.toTensor(args[0]);
  return x ? permuteBy(sema, *x, spread(args[1]), "permute") : std::nullopt;
}

static Result trans(Sema &sema, const BoundArguments &args) {
  auto x = sema.toTensor(args[0]);
  if (!x)
    return std::nullopt;
  Value dims = spread(args[1]);
  if (auto *tuple = dims.getIf<Tuple>(); tuple && !tuple->elements.empty())
    return permuteBy(sema, *x, dims, "trans");
  size_t rank = x->shape().size();
  if (rank < 2)
    return sema.error("tl.trans needs a tile of rank 2 or more, found " + describe(args[0]));
  llvm::SmallVector<int32_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[rank - 2], order[rank - 1]);
  return Value(sema.transpose(*x, order));
}

static Result squeeze(Sema &sema, const BoundArguments &args) {
  auto x = sema.toTensor(args[0]);
  auto axis =
      x ? axisArgument(sema, args[1], x->shape().size(), "the dim of tl.squeeze") : std::nullopt;
  if (!axis)
    return std::nullopt;
  llvm::SmallVector<int64_t> shape(x->shape());
  if (shape[*axis] != 1)
    return sema.error("tl.squeeze needs a dimension of extent 1, found " +
                      std::to_string(shape[*axis]) + " in shape " + describeShape(shape));
  shape.erase(shape.begin() + *axis);
  return wrap(sema.reshape(*x, shape));
}

/// Elements of `src` along an axis, at the positions that `index` holds.
static Result gather(Sema &sema, const BoundArguments &args) {
  auto src = sema.toTensor(args[0]);
  auto index = src ? sema.toTensor(args[1]) : std::nullopt;
  if (!index)
    return std::nullopt;
  int64_t rank = static_cast<int64_t>(src->shape().size());
  if (rank == 0)
    return sema.error("tl.gather needs a tile, found " + describe(args[0]) +
                      "; a tile of one value is made by tl.full");
  if (!isInteger(index->dtype))
    return sema.error("the index of tl.gather must hold integers, found " + describe(args[1]) +
                      (isFloat(index->dtype) ? "; convert it with .to(tl.int32)" : ""));
  auto axis = axisArgument(sema, args[2], rank, "the axis of tl.gather");
  if (!axis)
    return std::nullopt;
  llvm::SmallVector<int64_t> expected(src->shape());
  if (index->shape().size() == src->shape().size())
    expected[*axis] = index->shape()[*axis];
  if (index->shape() != llvm::ArrayRef(expected))
    return sema.error("the index of tl.gather must have the rank of what it is gathered from and, "
                      "but for axis " +
                      std::to_string(*axis) + ", its extents: found shape " +
                      describeShape(index->shape()) + " for " + describeShape(src->shape()) +
                      (index->shape().empty() ? "; tl.full makes a tile of it"
                                              : "; tl.broadcast_to gives it others"));
  Tensor wide = index->dtype.bits() < 32 ? *sema.cast(*index, {DTypeKind::Int32}) : *index;
  mlir::Type type = sema.tensorType(src->dtype, index->shape());
  return Value(
      Tensor{sema.builder().create<tt::GatherOp>(sema.loc(), type, src->value, wide.value, *axis),
             src->dtype});
}

static Result item(Sema &sema, const BoundArguments &args) {
  auto x = sema.toTensor(args[0]);
  if (!x)
    return std::nullopt;
  if (x->numElements() != 1)
    return sema.error("item() needs a tile of one element, found " + describe(args[0]));
  return Value(sema.item(*x));
}

void sema::addShapeBuiltins(Registry &registry) {
  registry.addMethod("expand_dims", "input, axis", expandDims);
  registry.add("unsqueeze", "x, dim", expandDims);
  registry.add("squeeze", "x, dim", squeeze);
  registry.add("broadcast", "input, other", broadcast);
  registry.addMethod("broadcast_to", "input, *shape", broadcastTo);
  registry.addMethod("reshape", "input, *shape, can_reorder=False", reshapeTo);
  registry.addMethod("view", "input, *shape", view);
  registry.addMethod("ravel", "x, can_reorder=False", ravel);
  registry.addMethod("permute", "input, *dims", permute);
  registry.addMethod("trans", "input, *dims", trans);
  registry.addMethod("gather", "src, index, axis", gather);
  registry.addMethod("item", "input", item);
}
