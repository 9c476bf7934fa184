//===- IRGenMemory.cpp - dereferences, and ?: as a conditional load -------===//
//
//   *p              tt.load %p
//   *?(m) p         tt.load %p, %m, %zero
//   m ? *p : 0      %v = tt.load %p, %m, %zero ; arith.select %m, %v, %zero
//
// An arm of `?:` is evaluated under its condition: every load in it gets the condition as
// mask, together with its own, so that disabled lanes never touch memory.
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include "tritium/Dialect/Tile/IR/Tile.h"
#include "tritium/Frontend/Sema/Build.h"
#include "tritium/Frontend/Sema/DTypes.h"

namespace tritium::frontend::tritonc {
using namespace tritium::sema;

std::optional<Tensor> Generator::bothMasks(const std::optional<Tensor> &a,
                                           const std::optional<Tensor> &b) {
  if (!a || !b)
    return a ? a : b;
  auto pair = conversions.broadcast(*a, *b);
  if (!pair)
    return std::nullopt;
  return fold(build::arithmetic(sema, frontend::BinaryOp::BitAnd, *pair));
}

void Generator::under(const Tensor &arm, llvm::function_ref<void()> body) {
  std::optional<Tensor> outer = mask;
  mask = bothMasks(outer, arm);
  ++arms;
  if (mask)
    body();
  --arms;
  mask = outer;
}

std::optional<Generator::Address> Generator::address(const Dereference &expr) {
  std::optional<Tensor> own;
  if (expr.mask) {
    auto value = expression(*expr.mask);
    sema.setRange(expr.mask->range);
    own = value ? conversions.truth(*value) : std::nullopt;
    if (!own)
      return std::nullopt;
  }
  auto pointer = expression(*expr.pointer);
  if (!pointer)
    return std::nullopt;
  sema.setRange(expr.range);
  if (!pointer->dtype.isPointer())
    return sema.error("'*' needs a pointer or a tile of pointers, found " + describe(*pointer));
  if (pointee(pointer->dtype) == DType())
    return sema.error("a pointer to void cannot be dereferenced; cast it to a pointer to elements");
  return Address{*pointer, own};
}

/// The mask of an arm for an access of shape `shape`. What several lanes share is
/// accessed if one of them counts.
std::optional<Tensor> Generator::armMaskFor(Shape shape) {
  Tensor result = *mask;
  auto combine = [&](mlir::Value a, mlir::Value b) -> mlir::Value {
    return builder.create<mlir::arith::OrIOp>(sema.loc(), a, b);
  };
  while (result.shape().size() > shape.size())
    result = build::reduce(sema, result, 0, combine);
  size_t lead = shape.size() - result.shape().size();
  for (size_t i = 0; i < result.shape().size(); ++i) {
    if (shape[lead + i] != 1 || result.shape()[i] == 1)
      continue;
    result = build::reduce(sema, result, static_cast<int>(i), combine);
    result = sema.expandDims(result, static_cast<int>(i));
  }
  if (!conversions.commonShape(result.shape(), shape))
    return std::nullopt;
  return conversions.splat(result, shape);
}

/// The address and all of its masks in one shape.
std::optional<Generator::Address> Generator::masked(const Address &address) {
  Address result = address;
  if (address.mask) {
    auto pair = conversions.broadcast(address.pointer, *address.mask);
    if (!pair)
      return std::nullopt;
    result = {pair->lhs, pair->rhs};
  }
  if (!mask)
    return result;
  auto arm = armMaskFor(result.pointer.shape());
  if (!arm)
    return std::nullopt;
  result.mask = bothMasks(result.mask, arm);
  return result;
}

Generator::Value Generator::load(const Address &from) {
  auto at = masked(from);
  if (!at)
    return std::nullopt;
  std::optional<Tensor> other;
  if (at->mask) {
    Type type = typeOf(at->pointer);
    type.element = pointee(type.element);
    other = conversions.zero(type);
  }
  return build::load(sema, at->pointer, at->mask, other);
}

Generator::Value Generator::store(const Address &to, const Tensor &value) {
  DType element = pointee(to.pointer.dtype);
  if (to.pointer.dtype.isConst)
    return sema.error("cannot store through a pointer to const");
  auto at = masked(to);
  if (!at)
    return std::nullopt;
  Shape shape = at->pointer.shape();
  auto converted = conversions.assign(
      value, {element, std::vector<int64_t>(shape.begin(), shape.end()), false}, "store to memory");
  if (!converted)
    return std::nullopt;
  build::store(sema, at->pointer, *converted, at->mask);
  return converted;
}

//===----------------------------------------------------------------------===//
// ?:
//===----------------------------------------------------------------------===//

Generator::Value Generator::conditional(const Conditional &expr) {
  auto testValue = expression(*expr.test);
  sema.setRange(expr.test->range);
  auto test = testValue ? conversions.truth(*testValue) : std::nullopt;
  if (!test)
    return std::nullopt;
  auto known = test->isScalar() ? conversions.knownInt(*test) : std::nullopt;
  Value arms[2];
  for (int i = 0; i < 2; ++i) {
    const Expr *arm = i == 0 ? expr.then.get() : expr.otherwise.get();
    if (!arm) {
      arms[i] = testValue;
    } else if (known) {
      // Of two arms one is evaluated; the other has a part in the type only.
      if ((*known != 0) == (i == 0))
        arms[i] = expression(*arm);
      else if (auto type = typeOfExpression(*arm))
        arms[i] = conversions.zero(*type);
    } else {
      sema.setRange(arm->range);
      Tensor counts = i == 0 ? *test : fold(build::logicalNot(sema, *test));
      under(counts, [&] { arms[i] = expression(*arm); });
    }
    if (!arms[i])
      return std::nullopt;
  }
  sema.setRange(expr.range);
  auto pair = conversions.composite(*arms[0], *arms[1], "'?:'");
  auto shape = pair ? conversions.commonShape(test->shape(), pair->lhs.shape()) : std::nullopt;
  if (!shape)
    return std::nullopt;
  Tensor l = conversions.splat(pair->lhs, *shape), r = conversions.splat(pair->rhs, *shape);
  return fold(build::select(sema, conversions.splat(*test, *shape), {l, r}));
}

} // namespace tritium::frontend::tritonc
