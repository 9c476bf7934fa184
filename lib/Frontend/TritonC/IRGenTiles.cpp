//===- IRGenTiles.cpp - subscripts, transposition, matrix product ---------===//
//
//   x[:, newaxis]     tt.expand_dims %x {axis = 1}
//   x[:, +]           tt.reduce along axis 1
//   x[^1, ^0], ^x     tt.trans %x {order = [1, 0]}
//   x[i, 0:8]         tt.gather, as in Sema/Indexing.h; x[...] = v is in IRGenElements.cpp
//   a @ b             tt.dot %a, %b, %zero
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include "tritium/Dialect/Tile/IR/Tile.h"
#include "tritium/Frontend/Sema/Build.h"
#include "tritium/Frontend/Sema/DTypes.h"
#include "tritium/Frontend/Sema/Indexing.h"

namespace tritium::frontend::tritonc {
using namespace tritium::sema;

//===----------------------------------------------------------------------===//
// Subscripts
//===----------------------------------------------------------------------===//

static bool isReducer(SubscriptItem::Kind kind) {
  return kind == SubscriptItem::Sum || kind == SubscriptItem::Max || kind == SubscriptItem::Min;
}

/// Halves are added and compared in float and rounded once; bools are counted in int.
Generator::Value Generator::reduce(const Tensor &tile, int axis, SubscriptItem::Kind kind) {
  if (!isArithmetic(tile.dtype))
    return sema.error("a tile of pointers cannot be reduced, found " + describe(tile));
  bool isSum = kind == SubscriptItem::Sum, isHalf = isFloat(tile.dtype) && tile.dtype.bits() < 32;
  DType dtype = tile.dtype;
  if (isSum && isBool(dtype))
    dtype = {DTypeKind::Int32};
  Tensor input = conversions.convert(tile, isHalf ? DType{DTypeKind::Float32} : dtype);
  Tensor result = isSum ? build::sum(sema, input, axis)
                        : build::extremum(sema, input, axis, kind == SubscriptItem::Max);
  return conversions.convert(result, dtype);
}

/// The items that are not `newaxis` stand for the axes of the tile in order, except that
/// `^k` stands for axis k; each axis is named once.
Generator::Value Generator::subscript(const Subscript &expr) {
  auto base = expression(*expr.base);
  if (!base)
    return std::nullopt;
  sema.setRange(expr.range);
  if (base->isScalar()) {
    bool isPointer = base->dtype.isPointer();
    return sema.error("only tiles can be subscripted, found " + describe(*base) +
                      (isPointer ? "; to access memory write *(p + i)" : ""));
  }
  if (namesElements(expr)) {
    auto indices = elementIndices(expr, *base);
    sema.setRange(expr.range);
    auto elements = indices ? readElements(sema, *base, *indices) : std::nullopt;
    return elements ? Value(fold(elements->get<Tensor>())) : std::nullopt;
  }

  int rank = static_cast<int>(base->shape().size());
  std::vector<int> axes; // of the items but `newaxis`
  std::vector<bool> isNamed(rank, false);
  for (const SubscriptItem &item : expr.items) {
    if (item.kind == SubscriptItem::NewAxis)
      continue;
    int position = static_cast<int>(axes.size());
    int64_t axis = item.kind == SubscriptItem::Permute ? item.axis : position;
    if (position >= rank)
      return error(item.range, "too many subscripts: " + describe(*base) + " has " +
                                   std::to_string(rank) + (rank == 1 ? " axis" : " axes"));
    if (axis < 0 || axis >= rank || isNamed[axis])
      return error(item.range, "a permutation must address every axis of " + describe(*base) +
                                   " once, found axis " + std::to_string(axis) +
                                   (axis < 0 || axis >= rank ? "" : " again"));
    isNamed[axis] = true;
    axes.push_back(static_cast<int>(axis));
  }
  if (static_cast<int>(axes.size()) < rank)
    return sema.error("too few subscripts: " + describe(*base) + " has " + std::to_string(rank) +
                      (rank == 1 ? " axis" : " axes") + ", found " + std::to_string(axes.size()) +
                      "; ':' keeps an axis");

  // The rightmost reduction first, so that the axes before it keep their numbers.
  std::vector<SubscriptItem::Kind> kinds(rank, SubscriptItem::Keep);
  size_t next = 0;
  for (const SubscriptItem &item : expr.items)
    if (item.kind != SubscriptItem::NewAxis)
      kinds[axes[next++]] = item.kind;
  Tensor result = *base;
  for (int axis = rank; axis-- > 0;) {
    if (!isReducer(kinds[axis]))
      continue;
    auto reduced = reduce(result, axis, kinds[axis]);
    if (!reduced)
      return std::nullopt;
    result = *reduced;
  }
  llvm::SmallVector<int32_t> order;
  for (int axis : axes) {
    if (isReducer(kinds[axis]))
      continue;
    int before = 0;
    for (int i = 0; i < axis; ++i)
      before += isReducer(kinds[i]);
    order.push_back(axis - before);
  }
  result = fold(sema.transpose(result, order));
  int at = 0;
  for (const SubscriptItem &item : expr.items) {
    if (item.kind == SubscriptItem::NewAxis)
      result = fold(sema.expandDims(result, at++));
    else if (!isReducer(item.kind))
      ++at;
  }
  return result;
}

/// `^x`: the first axis becomes the last.
Generator::Value Generator::transpose(const Tensor &tile) {
  if (tile.isScalar())
    return sema.error("'^' transposes tiles, found " + describe(tile));
  llvm::SmallVector<int32_t> order;
  int32_t rank = static_cast<int32_t>(tile.shape().size());
  for (int32_t i = 0; i < rank; ++i)
    order.push_back((i + 1) % rank);
  return fold(sema.transpose(tile, order));
}

//===----------------------------------------------------------------------===//
// @
//===----------------------------------------------------------------------===//

std::optional<Type> Generator::productType(const Tensor &a, const Tensor &b) {
  std::string both = describe(a) + " and " + describe(b);
  Shape l = a.shape(), r = b.shape();
  if (l.size() < 2 || l.size() != r.size())
    return sema.error("'@' needs two tiles of rank 2, or of one higher rank, found " + both);
  if (a.dtype != b.dtype)
    return sema.error("the operands of '@' must have one element type, found " + both +
                      "; convert one of them with a cast");
  if (!isArithmetic(a.dtype) || isBool(a.dtype))
    return sema.error("'@' multiplies tiles of numbers, found " + both);
  if (l[1] != r[0])
    return sema.error("'@' contracts axis 1 of the left operand with axis 0 of the right one, "
                      "which are " +
                      std::to_string(l[1]) + " and " + std::to_string(r[0]) + ": found " + both);
  for (size_t i = 2; i < l.size(); ++i)
    if (l[i] != r[i])
      return sema.error("the batch axes of '@', those after the first two, must agree; axis " +
                        std::to_string(i) + " is " + std::to_string(l[i]) + " and " +
                        std::to_string(r[i]) + ": found " + both);
  Type type{a.dtype, {l.begin(), l.end()}, false};
  type.shape[1] = r[1];
  if (isFloat(a.dtype) && a.dtype.bits() < 32)
    type.element = {DTypeKind::Float32};
  else if (isInteger(a.dtype) && a.dtype.bits() == 8)
    type.element = {DTypeKind::Int32};
  return sema.checkShape(type.shape) ? std::optional(type) : std::nullopt;
}

/// Moves the batch axes of [m, n, batch...] to the front, or back to the end.
static Tensor moveBatch(Sema &sema, const Tensor &tile, bool toFront) {
  int32_t rank = static_cast<int32_t>(tile.shape().size());
  int32_t shift = toFront ? 2 : rank - 2;
  llvm::SmallVector<int32_t> order;
  for (int32_t i = 0; i < rank; ++i)
    order.push_back((i + shift) % rank);
  return sema.transpose(tile, order);
}

Generator::Value Generator::matmul(const Tensor &a, const Tensor &b, const Tensor *accumulator) {
  auto type = productType(a, b);
  if (!type)
    return std::nullopt;
  bool isWideInteger = isInteger(a.dtype) && a.dtype.bits() > 8;
  if (isWideInteger) {
    // No such dot: the sum over k of a[m, k, 1, ...] * b[1, k, n, ...].
    auto pair = conversions.broadcast(sema.expandDims(a, 2), sema.expandDims(b, 0));
    if (!pair)
      return std::nullopt;
    Tensor product = build::sum(sema, build::arithmetic(sema, frontend::BinaryOp::Mul, *pair), 1);
    return accumulator ? build::arithmetic(sema, frontend::BinaryOp::Add, {*accumulator, product})
                       : product;
  }
  Tensor c = accumulator ? *accumulator : conversions.zero(*type);
  Tensor product = build::dot(sema, moveBatch(sema, a, true), moveBatch(sema, b, true),
                              fold(moveBatch(sema, c, true)));
  return moveBatch(sema, product, false);
}

} // namespace tritium::frontend::tritonc
