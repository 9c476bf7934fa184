//===- Math.cpp - mathematical functions ----------------------------------===//
//
// In f32, to which narrower floats are widened, and in f64. exp, sqrt and division of f32
// use the hardware's approximations, which a kernel that asks for rounding (`tt.exact`)
// avoids. What has no good approximation comes from polynomials.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"

#include "tritium/Conversion/Math/DoubleMath.h"
#include "tritium/Conversion/Math/VectorMath.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;

namespace tritium::ttg {

namespace {
constexpr double kLog2E = 1.4426950408889634;

bool isNarrow(Type type) { return type.isF16() || type.isBF16(); }

/// Operations that LLVM lowers to exact instructions for every type.
StringRef exactIntrinsic(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([](math::AbsFOp) { return "llvm.intr.fabs"; })
      .Case([](math::FloorOp) { return "llvm.intr.floor"; })
      .Case([](math::CeilOp) { return "llvm.intr.ceil"; })
      .Case([](math::TruncOp) { return "llvm.intr.trunc"; })
      .Case([](math::RoundEvenOp) { return "llvm.intr.roundeven"; })
      .Case([](math::FmaOp) { return "llvm.intr.fma"; })
      .Case([](math::CopySignOp) { return "llvm.intr.copysign"; })
      .Case([](math::CtPopOp) { return "llvm.intr.ctpop"; })
      .Default([](Operation *) { return ""; });
}

bool computesNarrow(Operation *op) { return isa<math::AbsFOp, math::FmaOp, math::CopySignOp>(op); }
} // namespace

/// One instruction; with subnormal results, which it does not have, it is scaled in three more.
Value ElementwiseLowering::emitExp2(Value x) {
  return intrinsic(options.flushSubnormals ? "llvm.nvvm.ex2.approx.ftz.f"
                                           : "llvm.nvvm.ex2.approx.f",
                   b.getF32Type(), {x});
}

/// 2^(x log2 e), as 2^n 2^f with n the nearest integer, held to -126 .. 126, where 2^n is
/// made of its exponent alone and the product with it gives subnormal results, too. Beyond,
/// f grows until its power overflows or vanishes. f is what is left of x log2 e exactly, and
/// so small that the rounding of log2 e is made up for by one more product.
///
///   c = saturate(x log2(e) / 252 + 1/2), 0 for NaN
///   u = 252 c + 1.5 * 2^23 + 1           whose low bits are n + 127
///
/// Of results in 16 bits the roundings above are no matter.
Value ElementwiseLowering::emitExp(Value x, bool isRough) {
  Type f32 = b.getF32Type();
  auto fma = [&](Value u, Value v, Value w) {
    OperationState state(loc, "llvm.intr.fma", {u, v, w}, {f32});
    return b.create(state)->getResult(0);
  };
  if (isRough)
    return emitExp2(binary<LLVM::FMulOp>(x, number(f32, kLog2E)));
  constexpr double range = 252, shift = 3 << 22;
  Value share = fma(x, number(f32, kLog2E / range), number(f32, 0.5));
  share = intrinsic("llvm.nvvm.saturate.f", f32, {share});
  Value biased = fma(share, number(f32, range), number(f32, shift + 1));
  Value n = binary<LLVM::FSubOp>(biased, number(f32, shift + 127));
  Value negated = b.create<LLVM::FNegOp>(loc, f32, n);
  Value f = fma(x, number(f32, kLog2E), negated);
  f = fma(x, number(f32, kLog2E - double(float(kLog2E))), f);
  Value power = intrinsic("llvm.nvvm.ex2.approx.ftz.f", f32, {f});
  Value scale = bitcast(shl(bitcast(biased, b.getI32Type()), 23), f32);
  // Were this product made again within a sum, too, both factors would stay in registers.
  return intrinsic("llvm.nvvm.mul.rn.f", f32, {power, scale});
}

/// What `emit` builds with operations of other dialects, lowered one by one.
Value ElementwiseLowering::lowerBuilt(ValueRange operands, llvm::function_ref<Value()> emit) {
  Block block;
  Value built;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&block);
    built = emit();
  }
  for (Value x : operands)
    set(x, {x});
  for (Operation &op : block)
    if (failed(lower(&op)))
      return {};
  Value result = scalar(built);
  block.dropAllReferences();
  return result;
}

Value ElementwiseLowering::polynomial(Value x, Value (cpu::VectorMath::*function)(Value)) {
  cpu::TargetInfo target;
  target.hasFMA = true;
  return lowerBuilt(x, [&] {
    cpu::VectorMath math(b, loc, target);
    return (math.*function)(x);
  });
}

Value ElementwiseLowering::polynomialF64(Operation *op, Value x) {
  using Function = Value (cpu::DoubleMath::*)(Value);
  auto function = llvm::TypeSwitch<Operation *, Function>(op)
                      .Case([](math::ExpOp) { return &cpu::DoubleMath::exp; })
                      .Case([](math::Exp2Op) { return &cpu::DoubleMath::exp2; })
                      .Case([](math::LogOp) { return &cpu::DoubleMath::log; })
                      .Case([](math::Log2Op) { return &cpu::DoubleMath::log2; })
                      .Case([](math::SinOp) { return &cpu::DoubleMath::sin; })
                      .Case([](math::CosOp) { return &cpu::DoubleMath::cos; })
                      .Case([](math::TanhOp) { return &cpu::DoubleMath::tanh; })
                      .Case([](math::ErfOp) { return &cpu::DoubleMath::erf; })
                      .Default([](Operation *) { return nullptr; });
  if (!function)
    return {};
  return lowerBuilt(x, [&] {
    cpu::DoubleMath math(b, loc);
    return (math.*function)(x);
  });
}

/// Between an 8-bit float's bits and f32; to them also from f64.
Value ElementwiseLowering::emitFloat8(Value x, Type element, bool encodes) {
  cpu::TargetInfo target;
  target.hasFMA = true;
  return lowerBuilt(x, [&] {
    cpu::VectorMath math(b, loc, target);
    return !encodes              ? math.decode(x, element)
           : x.getType().isF64() ? math.encodeF64(x, element)
                                 : math.encode(x, element);
  });
}

/// x - trunc(x / y) y, exactly. f32 takes no loop: in f64 the quotient is right to one if it has
/// less than 52 bits, so y is first scaled up until it has.
Value ElementwiseLowering::emitRemainder(Value x, Value y) {
  Type f64 = b.getF64Type();
  if (x.getType().isF64())
    return lowerBuilt({x, y}, [&] { return cpu::DoubleMath(b, loc).remainder(x, y); });
  Value r = fpext(x, f64), divisor = fpext(y, f64);
  auto unary = [&](StringRef name, Value v) {
    OperationState state(loc, name, {v}, {f64});
    return b.create(state)->getResult(0);
  };
  divisor = unary("llvm.intr.fabs", divisor);
  Value magnitude = unary("llvm.intr.fabs", r);
  for (int bits : {250, 200, 150, 100, 50, 0}) {
    Value scaled = binary<LLVM::FMulOp>(divisor, number(f64, std::ldexp(1.0, bits)));
    Value quotient = unary("llvm.intr.trunc", binary<LLVM::FDivOp>(magnitude, scaled));
    OperationState fma(loc, "llvm.intr.fma", {unary("llvm.fneg", quotient), scaled, magnitude},
                       {f64});
    Value rest = b.create(fma)->getResult(0);
    Value below = b.create<LLVM::FCmpOp>(loc, LLVM::FCmpPredicate::olt, rest, number(f64, 0));
    magnitude = select(below, binary<LLVM::FAddOp>(rest, scaled), rest);
  }
  // Of finite x and infinite y the remainder is x.
  Value isInfinite =
      b.create<LLVM::FCmpOp>(loc, LLVM::FCmpPredicate::oeq, divisor, number(f64, INFINITY));
  Value isFinite = b.create<LLVM::FCmpOp>(loc, LLVM::FCmpPredicate::olt, unary("llvm.intr.fabs", r),
                                          number(f64, INFINITY));
  OperationState sign(loc, "llvm.intr.copysign", {magnitude, r}, {f64});
  Value result = select(both(isInfinite, isFinite), r, b.create(sign)->getResult(0));
  return fptrunc(result, x.getType());
}

/// For divisors y that several elements share, k and 1 / (k y), so that x / y is (x k) (1 / (k y))
/// within 2 units in the last place, as div.full. The factor k keeps both the reciprocal and
/// its argument normal, whatever y is; where x k overflows or loses bits, x / y is infinite
/// or zero. There is no k for divisors of which it is known that they need none.
void ElementwiseLowering::shareReciprocals(ArrayRef<Value> divisors, unsigned elements,
                                           bool areNormal) {
  llvm::DenseMap<Value, unsigned> uses;
  // Registers of an operation that has been postponed are not there yet, nor are they alike.
  if (!divisors[0])
    return;
  for (Value y : divisors)
    uses[y] += divisors.size() == 1 ? elements : 1;
  Type f32 = b.getF32Type();
  for (Value y : divisors) {
    if (!y.getType().isF32() || uses[y] < 4 || reciprocals.contains(y))
      continue;
    if (areNormal) {
      reciprocals[y] = {Value(), intrinsic("llvm.nvvm.rcp.approx.ftz.f", f32, {y}), Value()};
      continue;
    }
    OperationState absolute(loc, "llvm.intr.fabs", {y}, {f32});
    Value size = b.create(absolute)->getResult(0);
    auto compares = [&](LLVM::FCmpPredicate predicate, int exponent) -> Value {
      return b.create<LLVM::FCmpOp>(loc, predicate, size, number(f32, std::ldexp(1.0, exponent)));
    };
    Value isLarge = compares(LLVM::FCmpPredicate::ogt, 126);
    Value isSmall = compares(LLVM::FCmpPredicate::olt, -126);
    Value k = select(isLarge, number(f32, 0.25),
                     select(isSmall, number(f32, std::ldexp(1.0, 24)), number(f32, 1)));
    Value inverse = intrinsic("llvm.nvvm.rcp.approx.ftz.f", f32, {binary<LLVM::FMulOp>(y, k)});
    reciprocals[y] = {k, inverse, anyLane(ior(isLarge, isSmall))};
  }
}

SmallVector<Value> ElementwiseLowering::divideAll(ArrayRef<Value> dividends, const Reciprocal &by) {
  SmallVector<Value> scaled(dividends);
  if (by.scale)
    scaled = branchAround(by.isScaled, dividends, [&] {
      return llvm::map_to_vector(
          dividends, [&](Value x) -> Value { return binary<LLVM::FMulOp>(x, by.scale); });
    });
  for (Value &x : scaled)
    x = binary<LLVM::FMulOp>(x, by.inverse);
  return scaled;
}

Value ElementwiseLowering::emitFloatDivision(Value x, Value y, bool isExact) {
  Type type = x.getType(), f32 = b.getF32Type();
  if (isNarrow(type))
    return fptrunc(emitFloatDivision(fpext(x, f32), fpext(y, f32), isExact), type);
  if (type.isF64() || isExact)
    return binary<LLVM::FDivOp>(x, y);
  if (auto it = reciprocals.find(y); it != reciprocals.end()) {
    Value scaled = it->second.scale ? binary<LLVM::FMulOp>(x, it->second.scale) : x;
    return binary<LLVM::FMulOp>(scaled, it->second.inverse);
  }
  return assembly(type, "div.full.f32 $0, $1, $2;", "=f,f,f", {x, y}, /*hasSideEffects=*/false);
}

Value ElementwiseLowering::emitMath(Operation *op, ValueRange operands) {
  Type type = lowered(tt::elementType(op->getResult(0).getType())), f32 = b.getF32Type();
  if (isNarrow(type) && !computesNarrow(op)) {
    SmallVector<Value> wide;
    for (Value x : operands)
      wide.push_back(fpext(x, f32));
    Value result = emitMathF32(op, wide);
    return result ? fptrunc(result, type) : Value();
  }
  if (StringRef name = exactIntrinsic(op); !name.empty()) {
    OperationState state(loc, name, operands, {type});
    return b.create(state)->getResult(0);
  }
  if (type.isF32())
    return emitMathF32(op, SmallVector<Value>(operands));
  if (type.isF64() && isa<math::SqrtOp>(op))
    return intrinsic("llvm.nvvm.sqrt.rn.d", type, operands);
  if (type.isF64() && isa<math::RsqrtOp>(op))
    return binary<LLVM::FDivOp>(number(type, 1), intrinsic("llvm.nvvm.sqrt.rn.d", type, operands));
  if (type.isF64())
    if (Value result = polynomialF64(op, operands[0]))
      return result;
  if (isa<math::AbsIOp>(op)) {
    Value x = operands[0];
    Value isNegative = cmp(LLVM::ICmpPredicate::slt, x, constant(type, 0));
    return select(isNegative, sub(constant(type, 0), x), x);
  }
  std::string name = op->getName().getStringRef().str();
  (void)unsupported(op, "'" + name + "' on this type");
  return {};
}

Value ElementwiseLowering::emitMathF32(Operation *op, ArrayRef<Value> operands) {
  Type f32 = b.getF32Type();
  Value x = operands[0];
  bool isExact = op->hasAttr("tt.exact");
  if (StringRef name = exactIntrinsic(op); !name.empty()) {
    OperationState state(loc, name, operands, {f32});
    return b.create(state)->getResult(0);
  }
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](math::ExpOp) {
        return emitExp(x, isNarrow(tt::elementType(op->getResult(0).getType())) ||
                              op->hasAttr("tt.rough"));
      })
      .Case([&](math::Exp2Op) { return emitExp2(x); })
      .Case([&](math::LogOp) { return polynomial(x, &cpu::VectorMath::log); })
      .Case([&](math::Log2Op) { return polynomial(x, &cpu::VectorMath::log2); })
      .Case([&](math::SinOp) { return polynomial(x, &cpu::VectorMath::sin); })
      .Case([&](math::CosOp) { return polynomial(x, &cpu::VectorMath::cos); })
      .Case([&](math::TanhOp) { return polynomial(x, &cpu::VectorMath::tanh); })
      .Case([&](math::ErfOp) { return polynomial(x, &cpu::VectorMath::erf); })
      .Case([&](math::SqrtOp) {
        return intrinsic(isExact ? "llvm.nvvm.sqrt.rn.f" : "llvm.nvvm.sqrt.approx.f", f32, {x});
      })
      .Case([&](math::RsqrtOp) { return intrinsic("llvm.nvvm.rsqrt.approx.f", f32, {x}); })
      .Default([&](Operation *op) -> Value {
        (void)unsupported(op, "'" + op->getName().getStringRef() + "' yet");
        return {};
      });
}

} // namespace tritium::ttg
