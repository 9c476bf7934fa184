//===- Casts.cpp - conversions between element types ----------------------===//

#include "Casts.h"

#include "tritium/Frontend/Sema/ConstantFold.h"
#include "tritium/Frontend/Sema/DTypes.h"

#include "tritium/Dialect/Tile/IR/Tile.h"

namespace arith = mlir::arith;
using namespace tritium;
using namespace tritium::sema;

namespace {
/// Builds conversions of one tensor at Sema's position.
class Caster {
public:
  Caster(Sema &sema, const Tensor &from, DType to)
      : sema(sema), builder(sema.builder()), loc(sema.loc()), from(from), to(to),
        type(tt::withElement(from.value.getType(), sema.elementType(to))) {}

  std::optional<Tensor> convert() {
    if (from.dtype == to)
      return from;
    if (from.dtype.isPointer() || to.isPointer())
      return convertPointer();
    if (kindOf(from.dtype) == Kind::Other || kindOf(to) == Kind::Other)
      return sema.error("cannot convert " + describe(from) + " to " + describeType(to));
    if (isBool(to))
      return notZero();
    if (isFloat(from.dtype))
      return isFloat(to) ? floatToFloat() : floatToInt();
    return isFloat(to) ? intToFloat() : intToInt();
  }

private:
  Sema &sema;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  Tensor from;
  DType to;
  mlir::Type type;

  template <typename Op> Tensor make() { return {builder.create<Op>(loc, type, from.value), to}; }

  std::optional<Tensor> via(DType middle) {
    auto half = sema.cast(from, middle);
    return half ? sema.cast(*half, to) : std::nullopt;
  }

  std::optional<Tensor> convertPointer() {
    DType int64{DTypeKind::Int64};
    if (from.dtype.isPointer() && to.isPointer())
      return from.value.getType() == type ? Tensor{from.value, to} : make<tt::BitcastOp>();
    if (from.dtype.isPointer()) {
      if (to.bits() == 64 && isInteger(to))
        return make<tt::PtrToIntOp>();
      if (isBool(to))
        return via(int64);
      return sema.error("a pointer converts to a 64-bit integer only, not to " + describeType(to));
    }
    if (!isInteger(from.dtype))
      return sema.error("only integers convert to pointers, found " + describe(from));
    return from.dtype.bits() == 64 ? make<tt::IntToPtrOp>() : via(int64);
  }

  std::optional<Tensor> notZero() {
    auto zero = isFloat(from.dtype) ? sema.constant({0.0}, from.dtype, from.shape())
                                    : sema.constant({Constant::Int(0)}, from.dtype, from.shape());
    if (isFloat(from.dtype))
      return Tensor{
          builder.create<arith::CmpFOp>(loc, arith::CmpFPredicate::UNE, from.value, zero->value),
          to};
    return Tensor{
        builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, from.value, zero->value), to};
  }

  std::optional<Tensor> floatToFloat() {
    unsigned fromBits = from.dtype.bits(), toBits = to.bits();
    if (fromBits == toBits) // neither of the two formats holds the other's values
      return via({fromBits == 8 ? DTypeKind::Float16 : DTypeKind::Float32});
    return fromBits > toBits ? make<arith::TruncFOp>() : make<arith::ExtFOp>();
  }

  Tensor floatToInt() { return isSigned(to) ? make<arith::FPToSIOp>() : make<arith::FPToUIOp>(); }

  Tensor intToFloat() {
    return isSigned(from.dtype) ? make<arith::SIToFPOp>() : make<arith::UIToFPOp>();
  }

  Tensor intToInt() {
    unsigned fromBits = from.dtype.bits(), toBits = to.bits();
    if (fromBits == toBits)
      return {from.value, to};
    if (fromBits > toBits)
      return make<arith::TruncIOp>();
    return isSigned(from.dtype) ? make<arith::ExtSIOp>() : make<arith::ExtUIOp>();
  }
};
} // namespace

std::optional<Tensor> Sema::cast(const Tensor &value, DType dtype) {
  return Caster(*this, value, dtype).convert();
}

std::optional<Tensor> Sema::bitcast(const Tensor &value, DType dtype) {
  if (value.dtype == dtype)
    return value;
  if (value.dtype.isPointer() || dtype.isPointer())
    return cast(value, dtype);
  if (value.dtype.bits() != dtype.bits() || kindOf(dtype) == Kind::Other)
    return error("a bitcast needs types of one width, found " + describe(value) + " (" +
                 std::to_string(value.dtype.bits()) + " bits) and " + describeType(dtype) + " (" +
                 std::to_string(dtype.bits()) + " bits)");
  mlir::Type type = tt::withElement(value.value.getType(), elementType(dtype));
  if (type == value.value.getType())
    return Tensor{value.value, dtype};
  return Tensor{opBuilder.create<tt::BitcastOp>(loc(), type, value.value), dtype};
}

std::optional<Tensor> sema::coerce(Sema &sema, const Value &value, DType dtype) {
  auto *constant = value.getIf<Constant>();
  auto integer = constant ? integerOf(*constant) : std::nullopt;
  bool isNumber = constant && floatOf(*constant) && kindOf(dtype) != Kind::Other;
  bool wraps = integer && isInteger(dtype) && !isBool(dtype) &&
               (*integer < minValue(dtype) || *integer > maxValue(dtype));
  bool truncates = !integer && isInteger(dtype) && !isBool(dtype);
  if (isNumber && !wraps && !truncates)
    return sema.constant(*constant, dtype);
  auto tensor = sema.toTensor(value);
  return tensor ? sema.cast(*tensor, dtype) : std::nullopt;
}

std::optional<Tensor> sema::truncateTowardsZero(Sema &sema, const Tensor &value, DType dtype) {
  // Rounding to nearest is at most one step further from zero than truncation; floats of
  // one sign are ordered as their bits, so that step is a decrement.
  auto rounded = sema.cast(value, dtype);
  auto back = rounded ? sema.cast(*rounded, value.dtype) : std::nullopt;
  if (!back)
    return std::nullopt;
  mlir::OpBuilder &b = sema.builder();
  mlir::Location loc = sema.loc();
  mlir::Value isLarger = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OGT,
                                                 b.create<mlir::math::AbsFOp>(loc, back->value),
                                                 b.create<mlir::math::AbsFOp>(loc, value.value));
  DType bitsType = integerType(dtype.bits(), false);
  auto bits = sema.bitcast(*rounded, bitsType);
  auto one = sema.constant({Constant::Int(1)}, bitsType, value.shape());
  mlir::Value lower = b.create<arith::SubIOp>(loc, bits->value, one->value);
  Tensor chosen{b.create<arith::SelectOp>(loc, isLarger, lower, bits->value), bitsType};
  return sema.bitcast(chosen, dtype);
}
