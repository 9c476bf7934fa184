//===- Casts.cpp - conversions between element types ----------------------===//

#include "Casts.h"

#include "tritium/Frontend/Sema/Build.h"
#include "tritium/Frontend/Sema/ConstantFold.h"
#include "tritium/Frontend/Sema/DTypes.h"

#include "tritium/Dialect/Tile/IR/Tile.h"

namespace arith = mlir::arith;
using namespace tritium;
using namespace tritium::sema;

static constexpr DType kByte{DTypeKind::UInt8}, kHalfWord{DTypeKind::UInt16};

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
    if (is(from.dtype, DTypeKind::Float8E4B15))
      return sema.cast(halfFromE4B15(sema, from), to);
    if (isBool(to))
      return notZero();
    if (isFloat8(to) && isInteger(from.dtype))
      return intToFloat8();
    if (is(to, DTypeKind::Float8E4B15))
      return floatToE4B15();
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
    if (isFloat8(from.dtype)) // which are not compared
      return via({DTypeKind::Float16});
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

  /// float8e4b15 has the codes of float8e4nv, for numbers that are 2^8 less, but no NaN: where that
  /// one would be, there is the largest number.
  std::optional<Tensor> floatToE4B15() {
    DType scaledType{from.dtype.bits() == 64 ? DTypeKind::Float64 : DTypeKind::Float32};
    Tensor wide = *sema.cast(from, scaledType);
    Tensor scaled = build::arithmetic(sema, BinaryOp::Mul,
                                      {wide, *sema.constant({256.0}, scaledType, wide.shape())});
    Tensor codes = *sema.bitcast(*sema.cast(scaled, {DTypeKind::Float8E4NV}), kByte);
    auto number = [&](int value) {
      return *sema.constant({Constant::Int(value)}, kByte, codes.shape());
    };
    Tensor magnitude = build::arithmetic(sema, BinaryOp::BitAnd, {codes, number(0x7f)});
    Tensor isNaN = build::compare(sema, CompareOp::Eq, {magnitude, number(0x7f)});
    Tensor below = build::arithmetic(sema, BinaryOp::Sub, {codes, number(1)});
    return Tensor{build::select(sema, isNaN, {below, codes}).value, to};
  }

  /// An integer beyond every 8-bit float becomes another one that is, and that float32 has: it
  /// is rounded once.
  std::optional<Tensor> intToFloat8() {
    constexpr Constant::Int kBeyond = Constant::Int(1) << 17;
    Tensor value = from;
    auto limited = [&](bool isMax, Constant::Int limit) {
      Tensor bound = *sema.constant({limit}, from.dtype, from.shape());
      value.value = build::minMax(sema, isMax, false, from.dtype, value.value, bound.value);
    };
    if (from.dtype.bits() > 16)
      limited(false, kBeyond);
    if (from.dtype.bits() > 16 && isSigned(from.dtype))
      limited(true, -kBeyond);
    auto wide = sema.cast(value, {DTypeKind::Float32});
    return wide ? sema.cast(*wide, to) : std::nullopt;
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

/// (x & mask) << shift, or >> -shift
static Tensor field(Sema &sema, const Tensor &x, int mask, int shift) {
  auto number = [&](int value) {
    return *sema.constant({Constant::Int(value)}, x.dtype, x.shape());
  };
  Tensor masked = build::arithmetic(sema, BinaryOp::BitAnd, {x, number(mask)});
  return shift > 0 ? build::arithmetic(sema, BinaryOp::Shl, {masked, number(shift)})
                   : build::arithmetic(sema, BinaryOp::Shr, {masked, number(-shift)});
}

// The exponents of both formats have one bias, and those of the narrow one four bits for five.
Tensor sema::halfFromE4B15(Sema &sema, const Tensor &value) {
  Tensor codes = *sema.cast(Tensor{value.value, kByte}, kHalfWord);
  Tensor bits = build::arithmetic(sema, BinaryOp::BitOr,
                                  {field(sema, codes, 0x80, 8), field(sema, codes, 0x7f, 7)});
  return *sema.bitcast(bits, {DTypeKind::Float16});
}

Tensor sema::e4b15FromHalf(Sema &sema, const Tensor &half) {
  Tensor bits = *sema.bitcast(half, kHalfWord);
  Tensor codes = build::arithmetic(sema, BinaryOp::BitOr,
                                   {field(sema, bits, 0x8000, -8), field(sema, bits, 0x3f80, -7)});
  return {sema.cast(codes, kByte)->value, {DTypeKind::Float8E4B15}};
}

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
  if (is(dtype, DTypeKind::Float8E4B8) || is(dtype, DTypeKind::Float8E5B16)) {
    // There is no negative zero: its code is NaN.
    Tensor negativeZero = *sema.constant({Constant::Int(0x80)}, bitsType, value.shape());
    Tensor zero = *sema.constant({Constant::Int(0)}, bitsType, value.shape());
    Tensor isNone = build::compare(sema, CompareOp::Eq, {{lower, bitsType}, negativeZero});
    lower = build::select(sema, isNone, {zero, {lower, bitsType}}).value;
  }
  Tensor chosen{b.create<arith::SelectOp>(loc, isLarger, lower, bits->value), bitsType};
  return sema.bitcast(chosen, dtype);
}
