//===- DTypes.cpp - kinds and ranks of element types ----------------------===//

#include "tritium/Frontend/Sema/DTypes.h"

#include <cfloat>
#include <cmath>

using namespace tritium;
using namespace tritium::sema;

Kind sema::kindOf(DType type) {
  if (isBool(type))
    return Kind::Bool;
  if (isInteger(type))
    return Kind::Integer;
  return isFloat(type) ? Kind::Floating : Kind::Other;
}

static bool within(DType t, DTypeKind first, DTypeKind last) {
  return !t.isPointer() && t.kind >= first && t.kind <= last;
}

bool sema::isInteger(DType t) { return within(t, DTypeKind::Int1, DTypeKind::UInt64); }
bool sema::isSigned(DType t) { return within(t, DTypeKind::Int8, DTypeKind::Int64); }
bool sema::isUnsigned(DType t) { return isInteger(t) && !isSigned(t); }
bool sema::isFloat(DType t) { return within(t, DTypeKind::Float8E5, DTypeKind::Float64); }
bool sema::isFloat8(DType t) { return within(t, DTypeKind::Float8E5, DTypeKind::Float8E5B16); }

DType sema::pointee(DType pointer) {
  DType result = pointer;
  --result.pointerDepth;
  result.isConst = false;
  return result;
}

DType sema::pointerTo(DType element, bool isConst) {
  DType result = element;
  ++result.pointerDepth;
  result.isConst = isConst;
  return result;
}

DType sema::integerType(unsigned bits, bool isSigned) {
  switch (bits) {
  case 8:
    return {isSigned ? DTypeKind::Int8 : DTypeKind::UInt8};
  case 16:
    return {isSigned ? DTypeKind::Int16 : DTypeKind::UInt16};
  case 32:
    return {isSigned ? DTypeKind::Int32 : DTypeKind::UInt32};
  default:
    return {isSigned ? DTypeKind::Int64 : DTypeKind::UInt64};
  }
}

Constant::Int sema::minValue(DType integer) {
  return isSigned(integer) ? -(Constant::Int(1) << (integer.bits() - 1)) : Constant::Int(0);
}

Constant::Int sema::maxValue(DType integer) {
  unsigned bits = isSigned(integer) ? integer.bits() - 1 : integer.bits();
  return (Constant::Int(1) << bits) - 1;
}

static DType commonInteger(DType a, DType b) {
  if (isSigned(a) == isSigned(b))
    return a.bits() >= b.bits() ? a : b;
  DType u = isSigned(a) ? b : a, s = isSigned(a) ? a : b;
  return u.bits() >= s.bits() ? u : s;
}

std::optional<DType> sema::commonType(DType a, DType b, bool isDivision) {
  auto either = [&](DTypeKind kind) { return is(a, kind) || is(b, kind); };
  if (!isFloat(a) && !isFloat(b))
    return commonInteger(a, b);
  bool both = isFloat(a) && isFloat(b);
  if ((isFloat8(a) || isFloat8(b)) && !both)
    return std::nullopt;
  if (either(DTypeKind::Float64))
    return DType{DTypeKind::Float64};
  if (either(DTypeKind::Float32) || isDivision)
    return DType{DTypeKind::Float32};
  if (either(DTypeKind::Float16))
    return DType{DTypeKind::Float16};
  if (either(DTypeKind::BFloat16))
    return DType{both && (isFloat8(a) || isFloat8(b)) ? DTypeKind::Float32 : DTypeKind::BFloat16};
  return a == b ? a : DType{DTypeKind::Float16};
}

std::optional<DType> sema::smallestInteger(Constant::Int value) {
  for (DTypeKind kind : {DTypeKind::Int32, DTypeKind::UInt32, DTypeKind::Int64, DTypeKind::UInt64})
    if (value >= minValue({kind}) && value <= maxValue({kind}))
      return DType{kind};
  return std::nullopt;
}

DType sema::smallestFloat(double value) {
  double magnitude = std::fabs(value);
  bool fits =
      magnitude == 0 || !std::isfinite(value) || (magnitude >= FLT_MIN && magnitude <= FLT_MAX);
  return {fits ? DTypeKind::Float32 : DTypeKind::Float64};
}

std::optional<DType> sema::constantType(const Constant &constant) {
  if (std::holds_alternative<bool>(constant.value))
    return DType{DTypeKind::Int1};
  if (auto *i = std::get_if<Constant::Int>(&constant.value))
    return smallestInteger(*i);
  if (auto *d = std::get_if<double>(&constant.value))
    return smallestFloat(*d);
  return std::nullopt;
}
