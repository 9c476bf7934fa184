//===- VectorMathDivide.cpp - many quotients by one divisor ---------------===//
//
// A division of a register takes 5 to 16 cycles, a multiplication half of one. Where one divisor
// serves all elements its reciprocal does (Markstein): with r = 1 / y, correctly rounded,
//
//   q = x * r    rest = x - q * y    x / y = q + rest * r
//
// rounds as the division does, since `rest` is exact, as long as nothing is subnormal on the way or
// overflows. Here x lies between 0 and 1, and y is 1 at least, or NaN: of infinite x, `rest` would
// be NaN.
//
//===----------------------------------------------------------------------===//

#include "VectorEmitter.h"
#include "tritium/Conversion/Math/VectorMath.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tritium::cpu;

Value VectorMath::divideByOne(Value x, Value y) {
  VectorEmitter e(b, loc, target);
  auto repeat = [&](Value scalar) -> Value {
    return b.create<vector::BroadcastOp>(loc, x.getType(), scalar);
  };
  Value divisor = repeat(y);
  if (!target.hasFMA)
    return b.create<arith::DivFOp>(loc, x, divisor);
  Value reciprocal = repeat(b.create<arith::DivFOp>(loc, e.f32(1, y), y));
  Value quotient = e.mul(x, reciprocal);
  Value rest = e.mulAdd(b.create<arith::NegFOp>(loc, quotient), divisor, x);
  return e.mulAdd(rest, reciprocal, quotient);
}
