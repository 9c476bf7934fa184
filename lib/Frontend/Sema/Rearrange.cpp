//===- Rearrange.cpp - flip, cat ------------------------------------------===//
//
// Where elements go is known: these are gathers by indices that depend on the place only. An index
// that is the place, but for some bits, is written so (place ^ bits): back ends know it.
//
//===----------------------------------------------------------------------===//

#include "Rearrange.h"

#include "BuiltinSupport.h"
#include "tritium/Frontend/Sema/Build.h"
#include "tritium/Frontend/Sema/DTypes.h"

#include "llvm/Support/MathExtras.h"

namespace arith = mlir::arith;
using namespace tritium;
using namespace tritium::sema;

Tensor sema::positionsAlong(Sema &sema, int64_t extent, int axis, size_t rank) {
  Tensor places = build::range(sema, 0, static_cast<int32_t>(extent));
  for (int d = 0; d < static_cast<int>(rank); ++d)
    if (d != axis)
      places = sema.expandDims(places, d);
  return places;
}

Tensor sema::gatherAlong(Sema &sema, const Tensor &x, int axis, const Tensor &places) {
  llvm::SmallVector<int64_t> shape(x.shape());
  shape[axis] = places.shape()[axis];
  Tensor index = *sema.broadcastTo(places, shape);
  return {sema.builder().create<tt::GatherOp>(sema.loc(), sema.tensorType(x.dtype, shape), x.value,
                                              index.value, axis),
          x.dtype};
}

/// `places` and a constant, combined.
template <typename Op> static Tensor combine(Sema &sema, const Tensor &places, int64_t number) {
  Tensor constant = *sema.constant({Constant::Int(number)}, places.dtype, places.shape());
  return {sema.builder().create<Op>(sema.loc(), places.value, constant.value), places.dtype};
}

Tensor sema::exchangeAlong(Sema &sema, const Tensor &x, int axis, int64_t bits) {
  Tensor places = positionsAlong(sema, x.shape()[axis], axis, x.shape().size());
  return gatherAlong(sema, x, axis, combine<arith::XOrIOp>(sema, places, bits));
}

Tensor sema::firstAlong(Sema &sema, const Tensor &x, int axis, int64_t extent) {
  return gatherAlong(sema, x, axis, positionsAlong(sema, extent, axis, x.shape().size()));
}

/// flip(x, dim)
static Result flip(Sema &sema, const BoundArguments &args) {
  auto x = sema.toTensor(args[0]);
  if (!x)
    return std::nullopt;
  if (x->isScalar())
    return sema.error("tl.flip needs a tile, found " + describe(args[0]));
  int64_t rank = static_cast<int64_t>(x->shape().size());
  auto dim = args[1].isNone() ? std::optional<int>(static_cast<int>(rank) - 1)
                              : axisArgument(sema, args[1], rank, "the dim of tl.flip");
  if (!dim)
    return std::nullopt;
  int64_t extent = x->shape()[*dim];
  if (extent == 1)
    return Value(*x);
  if (llvm::isPowerOf2_64(extent))
    return Value(exchangeAlong(sema, *x, *dim, extent - 1));
  Tensor places = positionsAlong(sema, extent, *dim, rank);
  Tensor last = *sema.constant({Constant::Int(extent - 1)}, places.dtype, places.shape());
  return Value(gatherAlong(sema, *x, *dim, build::arithmetic(sema, BinaryOp::Sub, {last, places})));
}

/// Side by side in a new dimension, which is merged with the one behind it.
static std::optional<Tensor> stacked(Sema &sema, const TensorPair &tiles, int dim) {
  llvm::SmallVector<int64_t> shape(tiles.lhs.shape()), merged(shape);
  shape.insert(shape.begin() + dim, 2);
  merged[dim] *= 2;
  Tensor side = positionsAlong(sema, 2, dim, shape.size());
  Tensor zero = *sema.constant({Constant::Int(0)}, side.dtype, side.shape());
  Tensor isFirst = *sema.broadcastTo(build::compare(sema, CompareOp::Eq, {side, zero}), shape);
  auto spread = [&](const Tensor &x) { return *sema.broadcastTo(sema.expandDims(x, dim), shape); };
  return sema.reshape(build::select(sema, isFirst, {spread(tiles.lhs), spread(tiles.rhs)}), merged);
}

/// Each place takes from both what may be there, and chooses.
static Tensor chosen(Sema &sema, const TensorPair &tiles, int dim) {
  llvm::SmallVector<int64_t> shape(tiles.lhs.shape());
  int64_t first = shape[dim], second = tiles.rhs.shape()[dim];
  shape[dim] = first + second;
  Tensor places = positionsAlong(sema, shape[dim], dim, shape.size());
  Tensor x = gatherAlong(sema, tiles.lhs, dim, combine<arith::MinSIOp>(sema, places, first - 1));
  Tensor y =
      gatherAlong(sema, tiles.rhs, dim,
                  combine<arith::MaxSIOp>(sema, combine<arith::SubIOp>(sema, places, first), 0));
  Tensor bound = *sema.constant({Constant::Int(first)}, places.dtype, places.shape());
  Tensor isFirst = *sema.broadcastTo(build::compare(sema, CompareOp::Lt, {places, bound}), shape);
  return build::select(sema, isFirst, {x, y});
}

/// cat(input, other, can_reorder, dim); elements stay in order.
static Result cat(Sema &sema, const BoundArguments &args) {
  auto x = sema.toTensor(args[0]);
  auto y = x ? sema.toTensor(args[1]) : std::nullopt;
  if (!y || !constantBool(sema, args[2], "'can_reorder'"))
    return std::nullopt;
  if (x->isScalar() || y->isScalar())
    return sema.error("tl.cat needs tiles, found " + describe(args[0]) + " and " +
                      describe(args[1]) + "; tl.full makes a tile of a scalar");
  int64_t rank = static_cast<int64_t>(x->shape().size());
  auto dim = axisArgument(sema, args[3], rank, "the dim of tl.cat");
  if (!dim)
    return std::nullopt;
  llvm::SmallVector<int64_t> expected(x->shape()), shape(x->shape());
  if (y->shape().size() == x->shape().size()) {
    expected[*dim] = y->shape()[*dim];
    shape[*dim] += y->shape()[*dim];
  }
  if (y->shape() != llvm::ArrayRef(expected))
    return sema.error("the tiles of tl.cat must have one rank and, but for dimension " +
                      std::to_string(*dim) + ", one shape: found " + describeShape(x->shape()) +
                      " and " + describeShape(y->shape()));
  auto pair =
      x->dtype == y->dtype ? std::optional(TensorPair{*x, *y}) : sema.promote(*x, *y, "tl.cat");
  if (!pair || !sema.checkShape(shape))
    return std::nullopt;
  if (x->shape() == y->shape()) {
    auto result = stacked(sema, *pair, *dim);
    return result ? Result(Value(*result)) : std::nullopt;
  }
  return Value(chosen(sema, *pair, *dim));
}

void sema::addRearrangeBuiltins(Registry &registry) {
  registry.addMethod("flip", "x, dim=None", flip);
  registry.add("cat", "input, other, can_reorder=False, dim=0", cat);
}
