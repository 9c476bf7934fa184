//===- Conversions.cpp - C's conversions, and broadcasting ----------------===//

#include "Conversions.h"

#include "tritium/Frontend/Sema/Build.h"
#include "tritium/Frontend/Sema/DTypes.h"

#include "mlir/IR/Matchers.h"

namespace tritium::frontend::tritonc {
using namespace tritium::sema;

Type typeOf(const Tensor &value) {
  Shape shape = value.shape();
  return {value.dtype, std::vector<int64_t>(shape.begin(), shape.end()), false};
}

std::string describe(const Tensor &value) { return "'" + spelling(typeOf(value)) + "'"; }

static std::string quoted(const Type &type) { return "'" + spelling(type) + "'"; }

bool isArithmetic(DType type) { return isInteger(type) || isFloat(type); }

DType promoted(DType type) {
  return isInteger(type) && type.bits() < 32 ? DType{DTypeKind::Int32} : type;
}

DType commonType(DType a, DType b) {
  a = promoted(a);
  b = promoted(b);
  if (a == b)
    return a;
  if (isFloat(a) && isFloat(b)) {
    // half and bfloat16 have one rank, and neither holds the other's values.
    if (a.bits() == b.bits())
      return {DTypeKind::Float32};
    return a.bits() > b.bits() ? a : b;
  }
  if (isFloat(a) || isFloat(b))
    return isFloat(a) ? a : b;
  if (a.bits() != b.bits())
    return a.bits() > b.bits() ? a : b;
  return isSigned(a) ? b : a;
}

//===----------------------------------------------------------------------===//
// Known values
//===----------------------------------------------------------------------===//

Tensor Conversions::fold(const Tensor &value) {
  mlir::OpBuilder &b = sema.builder();
  mlir::Operation *op = value.value.getDefiningOp();
  llvm::SmallVector<mlir::Value> results;
  // Only what was built just now: a variable may hold an older value.
  if (!op || op->getBlock() != b.getInsertionBlock() || op != &op->getBlock()->back() ||
      op->getNumResults() != 1 || failed(b.tryFold(op, results)) || results.empty())
    return value;
  if (op->use_empty())
    op->erase();
  return {results.front(), value.dtype};
}

std::optional<Constant::Int> Conversions::knownInt(const Tensor &value) {
  llvm::APInt bits;
  if (!mlir::matchPattern(value.value, mlir::m_ConstantInt(&bits)))
    return std::nullopt;
  return isSigned(value.dtype) ? Constant::Int(bits.getSExtValue())
                               : Constant::Int(bits.getZExtValue());
}

Tensor Conversions::constant(Constant value, DType dtype, Shape shape) {
  return *sema.constant(value, dtype, shape);
}

Tensor Conversions::zero(const Type &type) {
  if (!type.element.isPointer())
    return constant({Constant::Int(0)}, type.element, type.shape);
  Tensor address = constant({Constant::Int(0)}, {DTypeKind::Int64}, type.shape);
  return *sema.cast(address, type.element);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Tensor Conversions::convert(const Tensor &value, DType dtype) {
  return value.dtype == dtype ? value : fold(*sema.cast(value, dtype));
}

Tensor Conversions::promote(const Tensor &value) { return convert(value, promoted(value.dtype)); }

static bool isVoidPointer(DType type) {
  return type.pointerDepth == 1 && type.kind == DTypeKind::Void;
}

static bool samePointer(DType a, DType b) {
  a.isConst = b.isConst = false;
  return a == b;
}

std::optional<Tensor> Conversions::assignElements(const Tensor &value, DType to,
                                                  std::string_view what) {
  DType from = value.dtype;
  if (from == to)
    return value;
  if (isArithmetic(from) && isArithmetic(to))
    return convert(value, to);
  if (from.isPointer() && to.isPointer() &&
      (samePointer(from, to) || isVoidPointer(from) || isVoidPointer(to)))
    return fold(*sema.cast(value, to));
  if (from.isPointer() && isBool(to))
    return truth(value);
  if (to.isPointer() && isInteger(from) && knownInt(value) == Constant::Int(0))
    return zero({to, {}, false});
  return sema.error("cannot " + std::string(what) + " of type " + quoted({to, {}, false}) +
                    " with a value of type " + quoted({from, {}, false}) +
                    (to.isPointer() || from.isPointer() ? "; write a cast if that is meant" : ""));
}

std::optional<Tensor> Conversions::castElements(const Tensor &value, DType to) {
  DType from = value.dtype, wide{DTypeKind::Int64};
  if (isArithmetic(from) && isArithmetic(to))
    return convert(value, to);
  if (from.isPointer() && to.isPointer())
    return fold(*sema.cast(value, to));
  if (from.isPointer() && isBool(to))
    return truth(value);
  if (from.isPointer() && isInteger(to))
    return convert(*sema.cast(value, wide), to);
  if (to.isPointer() && isInteger(from))
    return fold(*sema.cast(convert(value, wide), to));
  return sema.error("cannot cast from " + quoted({from, {}, false}) + " to " +
                    quoted({to, {}, false}));
}

std::optional<Tensor> Conversions::truth(const Tensor &value) {
  if (value.dtype.isPointer())
    return fold(*sema.cast(fold(*sema.cast(value, {DTypeKind::Int64})), {DTypeKind::Int1}));
  return convert(value, {DTypeKind::Int1});
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

std::optional<llvm::SmallVector<int64_t>> Conversions::commonShape(Shape a, Shape b) {
  Shape longer = a.size() >= b.size() ? a : b, shorter = a.size() >= b.size() ? b : a;
  llvm::SmallVector<int64_t> shape(longer);
  size_t lead = longer.size() - shorter.size();
  for (size_t i = 0; i < shorter.size(); ++i) {
    int64_t &extent = shape[lead + i];
    if (extent != shorter[i] && extent != 1 && shorter[i] != 1)
      return sema.error("cannot broadcast dimension " + std::to_string(lead + i) + " of shapes " +
                        describeShape(a) + " and " + describeShape(b) + ": " +
                        std::to_string(extent) + " and " + std::to_string(shorter[i]) +
                        " differ, and neither is 1");
    extent = std::max(extent, shorter[i]);
  }
  return sema.checkShape(shape) ? std::optional(shape) : std::nullopt;
}

Tensor Conversions::splat(const Tensor &value, Shape shape) {
  return value.shape() == shape ? value : fold(*sema.broadcastTo(value, shape));
}

std::optional<TensorPair> Conversions::broadcast(const Tensor &a, const Tensor &b) {
  auto shape = commonShape(a.shape(), b.shape());
  if (!shape)
    return std::nullopt;
  Tensor l = splat(a, *shape);
  return TensorPair{l, splat(b, *shape)};
}

static int64_t elements(Shape shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

/// Broadcasts; a tile of higher rank is flattened if it has as many elements.
std::optional<Tensor> Conversions::reshapeTo(const Tensor &value, Shape to, std::string_view what) {
  Shape from = value.shape();
  if (from == to)
    return value;
  if (from.size() > to.size()) {
    if (elements(from) == elements(to))
      return fold(*sema.reshape(value, to));
    std::string reason = to.empty() ? "only a tile of one element converts to a scalar"
                                    : "a tile becomes one of lower rank only with as many elements";
    return sema.error("cannot " + std::string(what) + " of type " +
                      quoted({value.dtype, to.vec(), false}) + " with a value of type " +
                      describe(value) + ": " + reason);
  }
  size_t lead = to.size() - from.size();
  for (size_t i = 0; i < from.size(); ++i)
    if (from[i] != 1 && from[i] != to[lead + i])
      return sema.error("cannot " + std::string(what) + " of type " +
                        quoted({value.dtype, to.vec(), false}) + " with a value of type " +
                        describe(value) + ": dimension " + std::to_string(lead + i) + " is " +
                        std::to_string(from[i]) + ", which does not broadcast to " +
                        std::to_string(to[lead + i]));
  if (!sema.checkShape(to))
    return std::nullopt;
  return splat(value, to);
}

//===----------------------------------------------------------------------===//
// Both
//===----------------------------------------------------------------------===//

std::optional<Tensor> Conversions::assign(const Tensor &value, const Type &to,
                                          std::string_view what) {
  auto converted = assignElements(value, to.element, what);
  return converted ? reshapeTo(*converted, to.shape, what) : std::nullopt;
}

std::optional<Tensor> Conversions::cast(const Tensor &value, const Type &to) {
  auto converted = castElements(value, to.element);
  return converted ? reshapeTo(*converted, to.shape, "make a tile") : std::nullopt;
}

std::optional<Tensor> Conversions::bitcast(const Tensor &value, const Type &to) {
  Tensor shaped = value;
  if (value.isScalar() && !to.shape.empty()) {
    if (!sema.checkShape(to.shape))
      return std::nullopt;
    shaped = splat(value, to.shape);
  }
  if (shaped.dtype.bits() != to.element.bits() || to.isVoid())
    return sema.error("bitcast needs types of one width, found " + describe(value) + " (" +
                      std::to_string(value.dtype.bits()) + " bits) and " + quoted(to) + " (" +
                      std::to_string(to.element.bits()) + " bits an element)");
  if (shaped.shape() != Shape(to.shape) && elements(shaped.shape()) != elements(to.shape))
    return sema.error("bitcast keeps the number of elements, found " + describe(value) + " and " +
                      quoted(to));
  if (shaped.shape() != Shape(to.shape))
    shaped = fold(*sema.reshape(shaped, to.shape));
  auto result = sema.bitcast(shaped, to.element);
  return result ? std::optional(fold(*result)) : std::nullopt;
}

std::optional<TensorPair> Conversions::usual(const Tensor &a, const Tensor &b,
                                             std::string_view op) {
  if (!isArithmetic(a.dtype) || !isArithmetic(b.dtype))
    return sema.error("invalid operands to " + std::string(op) + ": " + describe(a) + " and " +
                      describe(b));
  DType common = commonType(a.dtype, b.dtype);
  Tensor l = convert(a, common);
  return broadcast(l, convert(b, common));
}

std::optional<TensorPair> Conversions::composite(const Tensor &a, const Tensor &b,
                                                 std::string_view what) {
  if (!a.dtype.isPointer() && !b.dtype.isPointer())
    return usual(a, b, what);
  auto isNull = [&](const Tensor &value) {
    return isInteger(value.dtype) && knownInt(value) == Constant::Int(0);
  };
  DType to = a.dtype.isPointer() && !isVoidPointer(a.dtype) ? a.dtype : b.dtype;
  if (!to.isPointer())
    to = a.dtype;
  to.isConst = (a.dtype.isPointer() && a.dtype.isConst) || (b.dtype.isPointer() && b.dtype.isConst);
  for (const Tensor *side : {&a, &b}) {
    bool fits = side->dtype.isPointer() ? samePointer(side->dtype, to) || isVoidPointer(side->dtype)
                                        : isNull(*side);
    if (!fits)
      return sema.error("invalid operands to " + std::string(what) + ": " + describe(a) + " and " +
                        describe(b));
  }
  auto convertSide = [&](const Tensor &side) {
    return side.dtype.isPointer() ? fold(*sema.cast(side, to)) : zero({to, {}, false});
  };
  Tensor l = convertSide(a);
  return broadcast(l, convertSide(b));
}

} // namespace tritium::frontend::tritonc
