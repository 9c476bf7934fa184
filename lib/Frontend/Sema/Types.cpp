//===- Types.cpp - types in the IR, constants, promotion ------------------===//

#include "tritium/Frontend/Sema/ConstantFold.h"
#include "tritium/Frontend/Sema/DTypes.h"

#include "tritium/Dialect/Tile/IR/Tile.h"
#include "tritium/Frontend/Sema/Sema.h"

using namespace tritium;
using namespace tritium::sema;

mlir::Type Sema::elementType(DType dtype) {
  mlir::OpBuilder &b = opBuilder;
  if (dtype.isPointer())
    return tt::PointerType::get(elementType(pointee(dtype)));
  switch (dtype.kind) {
  case DTypeKind::Int1:
    return b.getI1Type();
  case DTypeKind::Void: // only behind a pointer, which counts bytes
  case DTypeKind::Int8:
  case DTypeKind::UInt8:
  case DTypeKind::Float8E4B15: // MLIR has no such type: it is there as its bits
    return b.getI8Type();
  case DTypeKind::Int16:
  case DTypeKind::UInt16:
    return b.getI16Type();
  case DTypeKind::Int32:
  case DTypeKind::UInt32:
    return b.getI32Type();
  case DTypeKind::Int64:
  case DTypeKind::UInt64:
    return b.getI64Type();
  case DTypeKind::Float8E5:
    return b.getFloat8E5M2Type();
  case DTypeKind::Float8E4NV:
    return b.getFloat8E4M3FNType();
  case DTypeKind::Float8E4B8:
    return b.getFloat8E4M3FNUZType();
  case DTypeKind::Float8E5B16:
    return b.getFloat8E5M2FNUZType();
  case DTypeKind::Float16:
    return b.getF16Type();
  case DTypeKind::BFloat16:
    return b.getBF16Type();
  case DTypeKind::Float32:
    return b.getF32Type();
  case DTypeKind::Float64:
    return b.getF64Type();
  }
  return {};
}

mlir::Type Sema::tensorType(DType dtype, llvm::ArrayRef<int64_t> shape) {
  mlir::Type element = elementType(dtype);
  return shape.empty() ? element : mlir::RankedTensorType::get(shape, element);
}

bool Sema::checkShape(llvm::ArrayRef<int64_t> shape) {
  int64_t elements = 1;
  for (int64_t extent : shape) {
    if (extent < 1) {
      error("a tile's extents must be positive, found shape " + describeShape(shape));
      return false;
    }
    if (extent > tt::kMaxTileElements || (elements *= extent) > tt::kMaxTileElements) {
      error("a tile may have at most " + std::to_string(tt::kMaxTileElements) +
            " elements, found shape " + describeShape(shape) + "; use smaller tiles or a loop");
      return false;
    }
  }
  return true;
}

/// `integer`, which fits 64 bits, as the bits of a type that is `bits` wide.
static llvm::APInt bitsOf(Constant::Int integer, unsigned bits) {
  return llvm::APInt(64, static_cast<uint64_t>(integer)).zextOrTrunc(bits);
}

static llvm::APFloat floatBits(const llvm::fltSemantics &semantics, double value) {
  llvm::APFloat result(value);
  bool losesInfo;
  result.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return result;
}

/// An integer as a float, rounded once.
static llvm::APFloat floatBits(const llvm::fltSemantics &semantics, Constant::Int value) {
  llvm::APFloat result(semantics);
  uint64_t words[2] = {static_cast<uint64_t>(value), static_cast<uint64_t>(value >> 64)};
  result.convertFromAPInt(llvm::APInt(128, words), true, llvm::APFloat::rmNearestTiesToEven);
  return result;
}

/// An 8-bit float of those semantics. Where there is no infinity, what is too large becomes the
/// largest number, as everywhere.
static llvm::APFloat float8Bits(const llvm::fltSemantics &semantics, double value) {
  bool isExact = true;
  llvm::APFloat largest = llvm::APFloat::getLargest(semantics);
  largest.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &isExact);
  double limit = largest.convertToDouble();
  bool hasInfinity = &semantics == &llvm::APFloat::Float8E5M2();
  if (!hasInfinity && std::fabs(value) > limit)
    value = std::copysign(limit, value);
  return floatBits(semantics, value);
}

/// float8e4b15 has the codes of float8e4nv, for numbers that are 2^8 less; what is NaN there is no
/// result of a conversion.
static llvm::APInt float8E4B15Bits(double value) {
  llvm::APInt code = float8Bits(llvm::APFloat::Float8E4M3FN(), value * 256).bitcastToAPInt();
  return (code & 0x7f) == 0x7f ? code - 1 : code;
}

std::optional<Tensor> Sema::constant(const Constant &value, DType dtype,
                                     llvm::ArrayRef<int64_t> shape) {
  mlir::Type type = tensorType(dtype, shape), element = elementType(dtype);
  auto integer = integerOf(value);
  mlir::TypedAttr attr;
  if (is(dtype, DTypeKind::Float8E4B15) && floatOf(value)) {
    attr = mlir::IntegerAttr::get(element, float8E4B15Bits(*floatOf(value)));
  } else if (isFloat8(dtype) && floatOf(value)) {
    auto &semantics = mlir::cast<mlir::FloatType>(element).getFloatSemantics();
    attr = mlir::FloatAttr::get(element, float8Bits(semantics, *floatOf(value)));
  } else if (isFloat(dtype) && floatOf(value)) {
    auto &semantics = mlir::cast<mlir::FloatType>(element).getFloatSemantics();
    attr = mlir::FloatAttr::get(element, integer ? floatBits(semantics, *integer)
                                                 : floatBits(semantics, *floatOf(value)));
  } else if (isBool(dtype) && floatOf(value)) {
    attr = opBuilder.getBoolAttr(isTrue(value));
  } else if (isInteger(dtype) && integer) {
    if (*integer < minValue(dtype) || *integer > maxValue(dtype))
      return error("ValueError: the constant " + value.repr() + " is out of the range of " +
                   describeType(dtype) + " (" + Constant{minValue(dtype)}.repr() + " to " +
                   Constant{maxValue(dtype)}.repr() + ")");
    attr = mlir::IntegerAttr::get(element, bitsOf(*integer, dtype.bits()));
  } else {
    return error("cannot make a value of type " + describeType(dtype) + " from " + describe(value));
  }
  if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type))
    attr = mlir::DenseElementsAttr::get(tensor, mlir::Attribute(attr));
  return Tensor{opBuilder.create<mlir::arith::ConstantOp>(loc(), type, attr), dtype};
}

std::optional<Tensor> Sema::toTensor(const Value &value) {
  if (auto *tensor = value.getIf<Tensor>())
    return *tensor;
  auto *constantValue = value.getIf<Constant>();
  if (!constantValue || !floatOf(*constantValue))
    return error("a number or a tensor is needed here, found " + describe(value));
  auto dtype = constantType(*constantValue);
  if (!dtype)
    return error("ValueError: the constant " + constantValue->repr() + " does not fit 64 bits");
  return constant(*constantValue, *dtype);
}

/// The common type of a tensor and a constant: the constant takes no part unless it is
/// of a higher kind.
static std::optional<DType> commonWithConstant(DType tensor, const Constant &value,
                                               bool isDivision) {
  auto own = constantType(value);
  if (own && kindOf(*own) > kindOf(tensor))
    return commonType(tensor, *own, isDivision);
  bool isHalf = is(tensor, DTypeKind::Float16) || is(tensor, DTypeKind::BFloat16);
  return isDivision && (isHalf || isFloat8(tensor)) ? DType{DTypeKind::Float32} : tensor;
}

std::optional<TensorPair> Sema::promote(const Value &lhs, const Value &rhs, std::string_view what,
                                        bool isDivision) {
  for (const Value *side : {&lhs, &rhs}) {
    auto *tensor = side->getIf<Tensor>();
    auto *constantValue = side->getIf<Constant>();
    if ((!tensor || kindOf(tensor->dtype) == Kind::Other) &&
        (!constantValue || !floatOf(*constantValue)))
      return error(std::string(what) + " needs numbers or tensors of numbers, found " +
                   describe(lhs) + " and " + describe(rhs));
  }
  auto *lt = lhs.getIf<Tensor>(), *rt = rhs.getIf<Tensor>();
  auto *lc = lhs.getIf<Constant>(), *rc = rhs.getIf<Constant>();
  std::optional<DType> common;
  if (lt && rt) {
    common = commonType(lt->dtype, rt->dtype, isDivision);
  } else if (lt || rt) {
    common = commonWithConstant((lt ? lt : rt)->dtype, *(lt ? rc : lc), isDivision);
  } else {
    auto l = constantType(*lc), r = constantType(*rc);
    if (!l || !r)
      return error("ValueError: the constant " + (l ? rc : lc)->repr() + " does not fit 64 bits");
    common = commonType(*l, *r, isDivision);
  }
  if (!common)
    return error("TypeError: " + std::string(what) + " cannot combine " + describe(lhs) + " and " +
                 describe(rhs) + "; convert one of them with .to()");
  auto convert = [&](const Value &side) -> std::optional<Tensor> {
    if (auto *tensor = side.getIf<Tensor>())
      return cast(*tensor, *common);
    return constant(side.get<Constant>(), *common);
  };
  auto l = convert(lhs);
  auto r = l ? convert(rhs) : std::nullopt;
  if (!r)
    return std::nullopt;
  return TensorPair{*l, *r};
}
