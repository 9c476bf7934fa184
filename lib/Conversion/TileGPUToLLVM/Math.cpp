//===- Math.cpp - mathematical functions ----------------------------------===//
//
// In f32; narrower floats are widened first. exp, log, sqrt and division use the hardware's
// approximations (at most 2 ulp), which a kernel that asks for rounding (`tt.exact`) avoids.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tritium::ttg {

namespace {
constexpr double kLog2E = 1.4426950408889634, kLn2 = 0.6931471805599453;

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

Value Lowering::emitFloatDivision(Value x, Value y, bool isExact) {
  Type type = x.getType(), f32 = b.getF32Type();
  if (isNarrow(type))
    return fptrunc(emitFloatDivision(fpext(x, f32), fpext(y, f32), isExact), type);
  if (type.isF64() || isExact)
    return binary<LLVM::FDivOp>(x, y);
  return assembly(type, "div.full.f32 $0, $1, $2;", "=f,f,f", {x, y}, /*hasSideEffects=*/false);
}

Value Lowering::emitMath(Operation *op, ValueRange operands) {
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
  if (isa<math::AbsIOp>(op)) {
    Value x = operands[0];
    Value isNegative = cmp(LLVM::ICmpPredicate::slt, x, constant(type, 0));
    return select(isNegative, sub(constant(type, 0), x), x);
  }
  std::string name = op->getName().getStringRef().str();
  (void)unsupported(op, "'" + name + "' on this type");
  return {};
}

Value Lowering::emitMathF32(Operation *op, ArrayRef<Value> operands) {
  Type f32 = b.getF32Type();
  Value x = operands[0];
  bool isExact = op->hasAttr("tt.exact");
  if (StringRef name = exactIntrinsic(op); !name.empty()) {
    OperationState state(loc, name, operands, {f32});
    return b.create(state)->getResult(0);
  }
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](math::ExpOp) {
        return intrinsic("llvm.nvvm.ex2.approx.f", f32,
                         {binary<LLVM::FMulOp>(x, number(f32, kLog2E))});
      })
      .Case([&](math::Exp2Op) { return intrinsic("llvm.nvvm.ex2.approx.f", f32, {x}); })
      .Case([&](math::LogOp) {
        return binary<LLVM::FMulOp>(intrinsic("llvm.nvvm.lg2.approx.f", f32, {x}),
                                    number(f32, kLn2));
      })
      .Case([&](math::Log2Op) { return intrinsic("llvm.nvvm.lg2.approx.f", f32, {x}); })
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
