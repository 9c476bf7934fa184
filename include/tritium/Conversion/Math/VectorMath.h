//===- VectorMath.h - math on registers, emitted as IR ----------*- C++ -*-===//
//
// Element-wise functions and format conversions for the CPU lowering, as IR over scalars or
// 1-D vectors of any length (arith, math, vector and LLVM dialects). It is straight-line
// code, but for sin and cos, which enter a loop if some lane is beyond 2^18. No function
// emits a call for f32. The insertion point must be inside a function of a module: sin and
// cos allocate at the function's entry, and the f64 functions declare libm's in the module.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_CONVERSION_MATH_VECTORMATH_H
#define TRITIUM_CONVERSION_MATH_VECTORMATH_H

#include "tritium/Target/CPU/TargetInfo.h"

#include "mlir/IR/Builders.h"

namespace tritium::cpu {

class VectorMath {
public:
  VectorMath(mlir::OpBuilder &builder, mlir::Location loc, const TargetInfo &target)
      : b(builder), loc(loc), target(target) {}

  /// f32: own polynomials, <= 1.5 ULP over the whole domain, subnormals, infinities and
  /// NaN exact. f64: calls of libm, one a lane.
  mlir::Value exp(mlir::Value x);
  mlir::Value exp2(mlir::Value x);
  mlir::Value log(mlir::Value x);
  mlir::Value log2(mlir::Value x);
  mlir::Value sin(mlir::Value x);
  mlir::Value cos(mlir::Value x);
  mlir::Value tanh(mlir::Value x);
  mlir::Value erf(mlir::Value x);

  /// x / y of f32 with one y, a scalar from 1 to 2^32 or NaN, for all lanes of x, which are at most
  /// 2^64 in magnitude, and not -0. Correctly rounded where |x| is 2^-102 at least, or 0; elsewhere
  /// one unit in the last place may be missing.
  mlir::Value divideByOne(mlir::Value x, mlir::Value y);

  /// Narrow floats are computed with as f32. decode: the bits of an f16, bf16 or f8
  /// (`element`), as iN scalar or vector, to f32. encode: f32 to such bits, round to
  /// nearest even, NaN stays NaN; 8-bit floats without infinity saturate. round: f32 to the nearest
  /// f32 that is representable in `element`.
  mlir::Value decode(mlir::Value bits, mlir::Type element);
  mlir::Value encode(mlir::Value f32, mlir::Type element);
  mlir::Value round(mlir::Value f32, mlir::Type element);
  /// f64 to the bits of a narrow float with one rounding.
  mlir::Value encodeF64(mlir::Value f64, mlir::Type element);

private:
  /// Calls `name` of libm on an f64 or on every lane of a vector; declares it in the module.
  mlir::Value callLibm(llvm::StringRef name, mlir::Value x);

  mlir::OpBuilder &b;
  mlir::Location loc;
  const TargetInfo &target;
};

} // namespace tritium::cpu

#endif // TRITIUM_CONVERSION_MATH_VECTORMATH_H
