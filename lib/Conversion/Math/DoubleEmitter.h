//===- DoubleEmitter.h - arithmetic on one f64, emitted as IR ---*- C++ -*-===//

#ifndef TRITIUM_LIB_CONVERSION_MATH_DOUBLEEMITTER_H
#define TRITIUM_LIB_CONVERSION_MATH_DOUBLEEMITTER_H

#include "VectorEmitter.h"

namespace tritium::cpu {

/// A machine with a fused multiply-add, of which nothing else is known.
inline const TargetInfo &fusingTarget() {
  static const TargetInfo target = [] {
    TargetInfo info;
    info.hasFMA = true;
    return info;
  }();
  return target;
}

class DoubleEmitter : public VectorEmitter {
public:
  DoubleEmitter(mlir::OpBuilder &b, mlir::Location loc) : VectorEmitter(b, loc, fusingTarget()) {}

  Value number(double value) {
    return b.create<mlir::arith::ConstantOp>(loc, b.getF64FloatAttr(value));
  }
  Value integer(uint64_t value) {
    return b.create<mlir::arith::ConstantOp>(loc, b.getI64IntegerAttr(int64_t(value)));
  }
  Value asF64(Value bits) { return bitcast(bits, b.getF64Type()); }
  Value negate(Value x) { return b.create<mlir::arith::NegFOp>(loc, x); }
  Value divide(Value x, Value y) { return b.create<mlir::arith::DivFOp>(loc, x, y); }
  Value isBelow(Value x, double bound) { return cmp(FP::OLT, x, number(bound)); }

  /// Bounds that let NaN through.
  Value atMost(Value x, double bound) {
    return select(cmp(FP::OGT, x, number(bound)), number(bound), x);
  }
  Value atLeast(Value x, double bound) { return select(isBelow(x, bound), number(bound), x); }

  /// c[0] + c[1] x + c[2] x^2 + ...
  Value polynomial(Value x, llvm::ArrayRef<double> coefficients) {
    Value sum = number(coefficients.back());
    for (double c : llvm::reverse(coefficients.drop_back()))
      sum = mulAdd(sum, x, number(c));
    return sum;
  }

  /// round(x * factor) where that is below 2^50.
  Rounded roundProduct(Value x, double factor) {
    // Adding 1.5 * 2^52 leaves the rounded value in the low bits of the sum.
    Value magic = number(0x1.8p52);
    Value sum = mulAdd(x, number(factor), magic);
    return {sub(sum, magic), isub(bits(sum), integer(0x4338000000000000))};
  }

  /// 2^n for a normal result.
  Value powerOfTwo(Value n) { return asF64(shl(iadd(n, integer(1023)), 52)); }
};

} // namespace tritium::cpu

#endif // TRITIUM_LIB_CONVERSION_MATH_DOUBLEEMITTER_H
