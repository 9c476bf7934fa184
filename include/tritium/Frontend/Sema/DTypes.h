//===- DTypes.h - kinds and ranks of element types --------------*- C++ -*-===//

#ifndef TRITIUM_FRONTEND_SEMA_DTYPES_H
#define TRITIUM_FRONTEND_SEMA_DTYPES_H

#include "tritium/Support/Constant.h"

namespace tritium::sema {

/// bool < integer < floating; pointers and void have no kind in promotion.
enum class Kind { Bool, Integer, Floating, Other };

Kind kindOf(DType type);

inline bool isBool(DType t) { return !t.isPointer() && t.kind == DTypeKind::Int1; }
/// Integers and bool.
bool isInteger(DType t);
/// int8 .. int64. A bool is not signed.
bool isSigned(DType t);
/// uint8 .. uint64 and bool: conversions to wider types extend with zeros.
bool isUnsigned(DType t);
bool isFloat(DType t);
bool isFloat8(DType t);
inline bool is(DType t, DTypeKind kind) { return t == DType{kind}; }

/// What a pointer points to.
DType pointee(DType pointer);
DType pointerTo(DType element, bool isConst = false);
/// The integer type of that width: 8, 16, 32 or 64.
DType integerType(unsigned bits, bool isSigned);

/// The ends of an integer type's range; bool is 0 .. 1.
Constant::Int minValue(DType integer);
Constant::Int maxValue(DType integer);

/// The type in which two tensors are combined; nothing if there is none (8-bit floats
/// with integers). `isDivision`: for `/` and `%`, where halves become float32.
std::optional<DType> commonType(DType a, DType b, bool isDivision);

/// The first of int32, uint32, int64, uint64 that holds the value; nothing if none.
std::optional<DType> smallestInteger(Constant::Int value);
/// float32, or float64 for a value outside the normal range of float32.
DType smallestFloat(double value);
/// The type that a constant has as a tensor: int1, or the smallest that holds it; absent
/// if it is not a number in range.
std::optional<DType> constantType(const Constant &constant);

} // namespace tritium::sema

#endif // TRITIUM_FRONTEND_SEMA_DTYPES_H
