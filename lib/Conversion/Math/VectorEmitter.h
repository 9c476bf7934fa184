//===- VectorEmitter.h - arithmetic on lanes, emitted as IR -----*- C++ -*-===//
//
// Short spellings for the ops that the math library emits. Every value is a scalar or a
// 1-D vector; constants and results take the shape of the operands.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_CONVERSION_MATH_VECTOREMITTER_H
#define TRITIUM_LIB_CONVERSION_MATH_VECTOREMITTER_H

#include "tritium/Target/CPU/TargetInfo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace tritium::cpu {

class VectorEmitter {
public:
  using Value = mlir::Value;
  using FP = mlir::arith::CmpFPredicate;
  using IP = mlir::arith::CmpIPredicate;

  VectorEmitter(mlir::OpBuilder &b, mlir::Location loc, const TargetInfo &target)
      : b(b), loc(loc), target(target) {}

  /// `element` in the shape of `shape`.
  mlir::Type typeLike(mlir::Type element, Value shape) const;
  /// Lanes of a vector, 0 of a scalar.
  static int64_t lanes(Value x);

  // Constants in the shape of `shape`. f32 takes the value rounded to f32.
  Value f32(double value, Value shape);
  Value f64(double value, Value shape);
  Value i32(int64_t value, Value shape);
  Value i64(int64_t value, Value shape);

  Value add(Value x, Value y);
  Value sub(Value x, Value y);
  Value mul(Value x, Value y);
  /// x * y + z, fused where the CPU can.
  Value mulAdd(Value x, Value y, Value z);
  /// c[0] + c[1] x + c[2] x^2 + ...
  Value polynomial(Value x, llvm::ArrayRef<float> coefficients);

  Value iadd(Value x, Value y);
  Value isub(Value x, Value y);
  Value imul(Value x, Value y);
  Value iand(Value x, Value y);
  Value ior(Value x, Value y);
  Value ixor(Value x, Value y);
  Value umin(Value x, Value y);
  Value shl(Value x, int64_t amount);
  Value shr(Value x, int64_t amount); ///< zeros come in
  Value sra(Value x, int64_t amount); ///< the sign comes in

  Value cmp(FP predicate, Value x, Value y);
  Value cmp(IP predicate, Value x, Value y);
  Value select(Value condition, Value x, Value y);
  /// Bounds that let NaN through.
  Value atMost(Value x, double bound);
  Value atLeast(Value x, double bound);

  /// Reinterprets the bits as `element`, of the same width.
  Value bitcast(Value x, mlir::Type element);
  Value bits(Value x);                         ///< of an f32 as i32, of an f64 as i64
  Value asF32(Value x);                        ///< i32 bits
  Value abs(Value x);                          ///< f32
  Value withSign(Value magnitude, Value sign); ///< f32
  Value zext(Value x, mlir::Type element);
  Value trunc(Value x, mlir::Type element);
  Value toF64(Value x); ///< from f32
  Value toF32(Value x); ///< from f64, or a signed i32 value

  /// round(x) for |x| < 2^22, as a float and as i32.
  struct Rounded {
    Value value, integer;
  };
  /// round(x * factor).
  Rounded roundProduct(Value x, double factor);

  /// Whether `x` can go through 16-lane AVX-512 intrinsics.
  bool isAVX512Shape(Value x) const;
  /// Calls an intrinsic that takes 16 f32 lanes of each of `xs` (all of one shape) and then
  /// `tail`, for as many lanes as there are.
  Value intrinsic16(llvm::StringRef name, llvm::ArrayRef<Value> xs,
                    llvm::function_ref<void(llvm::SmallVectorImpl<Value> &)> tail);
  Value scalarI16(int64_t value);
  Value scalarI32(int64_t value);

  mlir::OpBuilder &b;
  mlir::Location loc;
  const TargetInfo &target;

private:
  Value constant(mlir::TypedAttr value, Value shape);
};

} // namespace tritium::cpu

#endif // TRITIUM_LIB_CONVERSION_MATH_VECTOREMITTER_H
