//===- DoubleMath.h - functions of f64, emitted as IR -----------*- C++ -*-===//
//
// For machines without a libm: IR over one f64 (arith, math and scf dialects), which needs
// a fused multiply-add. At most 1.5 ULP over the whole domain, subnormals, infinities and
// NaN exact; the remainder is exact.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_CONVERSION_MATH_DOUBLEMATH_H
#define TRITIUM_CONVERSION_MATH_DOUBLEMATH_H

#include "mlir/IR/Builders.h"

namespace tritium::cpu {

class DoubleMath {
public:
  DoubleMath(mlir::OpBuilder &builder, mlir::Location loc) : b(builder), loc(loc) {}

  mlir::Value exp(mlir::Value x);
  mlir::Value exp2(mlir::Value x);
  mlir::Value log(mlir::Value x);
  mlir::Value log2(mlir::Value x);
  mlir::Value sin(mlir::Value x);
  mlir::Value cos(mlir::Value x);
  mlir::Value tanh(mlir::Value x);
  mlir::Value erf(mlir::Value x);
  /// x - trunc(x / y) y.
  mlir::Value remainder(mlir::Value x, mlir::Value y);

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
};

} // namespace tritium::cpu

#endif // TRITIUM_CONVERSION_MATH_DOUBLEMATH_H
