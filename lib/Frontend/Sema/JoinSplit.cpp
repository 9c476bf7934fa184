//===- JoinSplit.cpp - join, split, interleave ----------------------------===//
//
// Two tiles are joined in a new last dimension of 2 by choosing between their broadcasts.
// Split takes them apart: of each pair the element that is not wanted counts as 0, and the
// two are united bit by bit, which keeps every bit of the other one.
//
//===----------------------------------------------------------------------===//

#include "BuiltinSupport.h"
#include "tritium/Frontend/Sema/Build.h"
#include "tritium/Frontend/Sema/DTypes.h"

namespace arith = mlir::arith;
using namespace tritium;
using namespace tritium::sema;

/// True at the first element of each pair along the last dimension of `shape`, which is 2.
static Tensor isFirst(Sema &sema, llvm::ArrayRef<int64_t> shape) {
  Tensor range = build::range(sema, 0, 2);
  Tensor zero = *sema.constant({Constant::Int(0)}, range.dtype, {2});
  return *sema.broadcastTo(build::compare(sema, CompareOp::Eq, {range, zero}), shape);
}

static std::optional<Tensor> joined(Sema &sema, const BoundArguments &args, std::string_view what) {
  auto pair = sema.promote(args[0], args[1], what);
  auto same = pair ? sema.broadcast(pair->lhs, pair->rhs) : std::nullopt;
  if (!same)
    return std::nullopt;
  llvm::SmallVector<int64_t> shape(same->lhs.shape());
  shape.push_back(2);
  if (!sema.checkShape(shape))
    return std::nullopt;
  auto spread = [&](const Tensor &x) {
    Tensor last = x.isScalar() ? x : sema.expandDims(x, static_cast<int>(x.shape().size()));
    return *sema.broadcastTo(last, shape);
  };
  return build::select(sema, isFirst(sema, shape), {spread(same->lhs), spread(same->rhs)});
}

static Result join(Sema &sema, const BoundArguments &args) {
  auto tile = joined(sema, args, "tl.join");
  return tile ? Result(Value(*tile)) : std::nullopt;
}

static Result interleave(Sema &sema, const BoundArguments &args) {
  auto tile = joined(sema, args, "tl.interleave");
  if (!tile)
    return std::nullopt;
  llvm::SmallVector<int64_t> shape(tile->shape());
  if (shape.size() > 1) {
    shape.pop_back();
    shape.back() *= 2;
  }
  auto flat = sema.reshape(*tile, shape);
  return flat ? Result(Value(*flat)) : std::nullopt;
}

static Result split(Sema &sema, const BoundArguments &args) {
  auto x = sema.toTensor(args[0]);
  if (!x)
    return std::nullopt;
  llvm::ArrayRef<int64_t> shape = x->shape();
  if (shape.empty() || shape.back() != 2)
    return sema.error("tl.split needs a tile whose last dimension is 2, found " +
                      describe(args[0]) + "; reshape and permute it first");
  DType type = isBool(x->dtype) ? DType{DTypeKind::Int8} : integerType(x->dtype.bits(), true);
  auto bits = isBool(x->dtype) ? sema.cast(*x, type) : sema.bitcast(*x, type);
  if (!bits)
    return std::nullopt;
  Tensor first = isFirst(sema, shape);
  Tensor zero = *sema.constant({Constant::Int(0)}, type, shape);
  Tuple halves;
  for (bool wantsFirst : {true, false}) {
    TensorPair values = wantsFirst ? TensorPair{*bits, zero} : TensorPair{zero, *bits};
    Tensor kept = build::select(sema, first, values);
    Tensor half = build::reduce(sema, kept, static_cast<int>(shape.size()) - 1,
                                [&](mlir::Value a, mlir::Value b) -> mlir::Value {
                                  return sema.builder().create<arith::OrIOp>(sema.loc(), a, b);
                                });
    auto result = isBool(x->dtype) ? sema.cast(half, x->dtype) : sema.bitcast(half, x->dtype);
    if (!result)
      return std::nullopt;
    halves.elements.push_back(*result);
  }
  return Value(std::move(halves));
}

void sema::addJoinBuiltins(Registry &registry) {
  registry.add("join", "a, b", join);
  registry.add("interleave", "a, b", interleave);
  registry.addMethod("split", "a", split);
}
