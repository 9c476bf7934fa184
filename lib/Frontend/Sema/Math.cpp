//===- Math.cpp - elementwise functions -----------------------------------===//

#include "BuiltinSupport.h"
#include "Casts.h"

#include "tritium/Frontend/Sema/Build.h"
#include "tritium/Frontend/Sema/DTypes.h"

#include "mlir/IR/Matchers.h"

namespace arith = mlir::arith;
using namespace tritium;
using namespace tritium::sema;

//===----------------------------------------------------------------------===//
// Functions of one operand
//===----------------------------------------------------------------------===//

static bool isFullFloat(DType dtype) {
  return is(dtype, DTypeKind::Float32) || is(dtype, DTypeKind::Float64);
}

static std::nullopt_t typeError(Sema &sema, std::string_view name, const Value &found,
                                std::string_view expected) {
  return sema.error(displayName(name) + " needs " + std::string(expected) + ", found " +
                    describe(found) + "; convert with .to(tl.float32)");
}

/// A constant int counts as float32.
static std::optional<Tensor> floatOperand(Sema &sema, const Value &value, std::string_view name) {
  bool isNumber = value.is<Constant>() && asInt(value);
  auto tensor = isNumber ? coerce(sema, value, {DTypeKind::Float32}) : sema.toTensor(value);
  if (!tensor)
    return std::nullopt;
  if (!isFullFloat(tensor->dtype))
    return typeError(sema, name, value, "float32 or float64");
  return tensor;
}

template <typename Op>
static Result floatUnary(Sema &sema, const BoundArguments &args, std::string_view name) {
  auto tensor = floatOperand(sema, args[0], name);
  if (!tensor)
    return std::nullopt;
  return Value(Tensor{sema.builder().create<Op>(sema.loc(), tensor->value), tensor->dtype});
}

#define TRITIUM_FLOAT_UNARY(name, Op)                                                              \
  static Result name##Of(Sema &sema, const BoundArguments &args) {                                 \
    return floatUnary<mlir::math::Op>(sema, args, #name);                                          \
  }
TRITIUM_FLOAT_UNARY(exp2, Exp2Op)
TRITIUM_FLOAT_UNARY(log, LogOp)
TRITIUM_FLOAT_UNARY(log2, Log2Op)
TRITIUM_FLOAT_UNARY(sin, SinOp)
TRITIUM_FLOAT_UNARY(cos, CosOp)
TRITIUM_FLOAT_UNARY(tanh, TanhOp)
TRITIUM_FLOAT_UNARY(erf, ErfOp)
TRITIUM_FLOAT_UNARY(floor, FloorOp)
TRITIUM_FLOAT_UNARY(ceil, CeilOp)
TRITIUM_FLOAT_UNARY(sqrt, SqrtOp)
TRITIUM_FLOAT_UNARY(rsqrt, RsqrtOp)
#undef TRITIUM_FLOAT_UNARY

mlir::Value build::exp(Sema &sema, mlir::Value x) {
  auto op = sema.builder().create<mlir::math::ExpOp>(sema.loc(), x);
  if (tt::elementType(x.getType()).isF32())
    op->setAttr("tt.rough", sema.builder().getUnitAttr());
  return op;
}

static Result expOf(Sema &sema, const BoundArguments &args) {
  auto x = floatOperand(sema, args[0], "exp");
  return x ? Result(Value(Tensor{build::exp(sema, x->value), x->dtype})) : std::nullopt;
}

/// With all digits, for what the device library promises.
static Result preciseExp(Sema &sema, const BoundArguments &args) {
  return floatUnary<mlir::math::ExpOp>(sema, args, "exp");
}

/// Rounded as IEEE 754 says, where a back end would approximate.
static mlir::Value exact(mlir::Operation *op) {
  op->setAttr("tt.exact", mlir::UnitAttr::get(op->getContext()));
  return op->getResult(0);
}

static Result sqrtRn(Sema &sema, const BoundArguments &args) {
  auto tensor = sema.toTensor(args[0]);
  if (!tensor)
    return std::nullopt;
  if (!is(tensor->dtype, DTypeKind::Float32))
    return typeError(sema, "sqrt_rn", args[0], "float32");
  return Value(Tensor{exact(sema.builder().create<mlir::math::SqrtOp>(sema.loc(), tensor->value)),
                      tensor->dtype});
}

static Result absOf(Sema &sema, const BoundArguments &args) {
  auto tensor = sema.toTensor(args[0]);
  if (!tensor)
    return std::nullopt;
  if (isFloat(tensor->dtype) && !isFloat8(tensor->dtype))
    return Value(Tensor{sema.builder().create<mlir::math::AbsFOp>(sema.loc(), tensor->value),
                        tensor->dtype});
  if (is(tensor->dtype, DTypeKind::Float8E4B15)) {
    Tensor magnitude = *sema.constant({Constant::Int(0x7f)}, {DTypeKind::Int8}, tensor->shape());
    return Value(
        Tensor{sema.builder().create<arith::AndIOp>(sema.loc(), tensor->value, magnitude.value),
               tensor->dtype});
  }
  if (isSigned(tensor->dtype))
    return Value(Tensor{sema.builder().create<mlir::math::AbsIOp>(sema.loc(), tensor->value),
                        tensor->dtype});
  if (isUnsigned(tensor->dtype))
    return Value(*tensor);
  return typeError(sema, "abs", args[0], "numbers");
}

/// 1 / (1 + exp(-x))
static Result sigmoid(Sema &sema, const BoundArguments &args) {
  auto x = floatOperand(sema, args[0], "sigmoid");
  if (!x)
    return std::nullopt;
  mlir::OpBuilder &b = sema.builder();
  mlir::Location loc = sema.loc();
  Tensor one = *sema.constant({1.0}, x->dtype, x->shape());
  mlir::Value negated = b.create<arith::NegFOp>(loc, x->value);
  mlir::Value sum = b.create<arith::AddFOp>(loc, one.value, build::exp(sema, negated));
  return Value(Tensor{b.create<arith::DivFOp>(loc, one.value, sum), x->dtype});
}

//===----------------------------------------------------------------------===//
// Functions of several operands
//===----------------------------------------------------------------------===//

static std::optional<TensorPair> promoted(Sema &sema, const Value &x, const Value &y,
                                          std::string_view name, bool isDivision = false) {
  auto pair = sema.promote(x, y, displayName(name), isDivision);
  return pair ? sema.broadcast(pair->lhs, pair->rhs) : std::nullopt;
}

/// A `propagate_nan` argument: true for tl.PropagateNan.ALL.
static std::optional<bool> propagatesNan(Sema &sema, const Value &value) {
  auto text = value.isNone() ? std::string() : asString(value);
  if (text == "" || text == "all")
    return text == "all";
  return sema.error("'propagate_nan' must be tl.PropagateNan.NONE or tl.PropagateNan.ALL, found " +
                    describe(value));
}

mlir::Value build::minMax(Sema &sema, bool isMax, bool propagateNan, DType dtype, mlir::Value x,
                          mlir::Value y) {
  mlir::OpBuilder &b = sema.builder();
  mlir::Location loc = sema.loc();
  if (isFloat(dtype) && propagateNan)
    return isMax ? mlir::Value(b.create<arith::MaximumFOp>(loc, x, y))
                 : mlir::Value(b.create<arith::MinimumFOp>(loc, x, y));
  if (isFloat(dtype))
    return isMax ? mlir::Value(b.create<arith::MaxNumFOp>(loc, x, y))
                 : mlir::Value(b.create<arith::MinNumFOp>(loc, x, y));
  if (isSigned(dtype))
    return isMax ? mlir::Value(b.create<arith::MaxSIOp>(loc, x, y))
                 : mlir::Value(b.create<arith::MinSIOp>(loc, x, y));
  return isMax ? mlir::Value(b.create<arith::MaxUIOp>(loc, x, y))
               : mlir::Value(b.create<arith::MinUIOp>(loc, x, y));
}

template <bool isMax> static Result minMax(Sema &sema, const BoundArguments &args) {
  auto propagate = propagatesNan(sema, args[2]);
  auto pair =
      propagate ? promoted(sema, args[0], args[1], isMax ? "maximum" : "minimum") : std::nullopt;
  if (!pair)
    return std::nullopt;
  // bfloat16 has no such operation: it is computed, and returned, as float32.
  if (isFloat8(pair->lhs.dtype))
    return typeError(sema, isMax ? "maximum" : "minimum", args[0], "float16 or wider");
  if (is(pair->lhs.dtype, DTypeKind::BFloat16))
    pair = TensorPair{*sema.cast(pair->lhs, {DTypeKind::Float32}),
                      *sema.cast(pair->rhs, {DTypeKind::Float32})};
  return Value(Tensor{
      build::minMax(sema, isMax, *propagate, pair->lhs.dtype, pair->lhs.value, pair->rhs.value),
      pair->lhs.dtype});
}

/// Three operands in one type and shape.
static bool promoteThree(Sema &sema, const Value *const (&values)[3], std::string_view name,
                         std::optional<Tensor> (&out)[3]) {
  // The first pair meets the third, and then takes over what the third brought.
  auto ab = promoted(sema, *values[0], *values[1], name);
  auto ac = ab ? promoted(sema, ab->lhs, *values[2], name) : std::nullopt;
  auto bc = ac ? promoted(sema, ab->rhs, ac->rhs, name) : std::nullopt;
  if (!bc)
    return false;
  out[0] = ac->lhs;
  out[1] = bc->lhs;
  out[2] = bc->rhs;
  return true;
}

static Result fma(Sema &sema, const BoundArguments &args) {
  std::optional<Tensor> operands[3];
  if (!promoteThree(sema, {&args[0], &args[1], &args[2]}, "fma", operands))
    return std::nullopt;
  if (!isFloat(operands[0]->dtype) || isFloat8(operands[0]->dtype))
    return typeError(sema, "fma", args[0], "floats");
  return Value(Tensor{sema.builder().create<mlir::math::FmaOp>(
                          sema.loc(), operands[0]->value, operands[1]->value, operands[2]->value),
                      operands[0]->dtype});
}

static Result clamp(Sema &sema, const BoundArguments &args) {
  auto propagate = propagatesNan(sema, args[3]);
  std::optional<Tensor> operands[3];
  if (!propagate || !promoteThree(sema, {&args[0], &args[1], &args[2]}, "clamp", operands))
    return std::nullopt;
  DType dtype = operands[0]->dtype;
  if (!isFloat(dtype) || isFloat8(dtype))
    return typeError(sema, "clamp", args[0], "floats");
  mlir::Value low =
      build::minMax(sema, true, *propagate, dtype, operands[0]->value, operands[1]->value);
  return Value(
      Tensor{build::minMax(sema, false, *propagate, dtype, low, operands[2]->value), dtype});
}

static Result floatDivision(Sema &sema, const BoundArguments &args, std::string_view name,
                            bool needsFloat32, bool isExact) {
  auto pair = promoted(sema, args[0], args[1], name);
  if (!pair)
    return std::nullopt;
  DType dtype = pair->lhs.dtype;
  if (!isFloat(dtype) || isFloat8(dtype) || (needsFloat32 && !is(dtype, DTypeKind::Float32)))
    return typeError(sema, name, args[0], needsFloat32 ? "float32" : "floats");
  auto quotient =
      sema.builder().create<arith::DivFOp>(sema.loc(), pair->lhs.value, pair->rhs.value);
  return Value(Tensor{isExact ? exact(quotient) : quotient.getResult(), dtype});
}

static Result fdiv(Sema &sema, const BoundArguments &args) {
  auto rounds = constantBool(sema, args[2], "'ieee_rounding'");
  return rounds ? floatDivision(sema, args, "fdiv", false, *rounds) : std::nullopt;
}

static Result divRn(Sema &sema, const BoundArguments &args) {
  return floatDivision(sema, args, "div_rn", true, true);
}

static Result umulhi(Sema &sema, const BoundArguments &args) {
  auto pair = promoted(sema, args[0], args[1], "umulhi");
  if (!pair)
    return std::nullopt;
  DType dtype = pair->lhs.dtype;
  if (!isInteger(dtype) || dtype.bits() < 32)
    return sema.error("tl.umulhi needs 32- or 64-bit integers, found " + describe(args[0]) +
                      " and " + describe(args[1]));
  mlir::Value high = sema.builder().create<tt::MulhiUIOp>(sema.loc(), pair->lhs.value.getType(),
                                                          pair->lhs.value, pair->rhs.value);
  return Value(Tensor{high, dtype});
}

/// (x + (div - 1)) // div
static Result cdiv(Sema &sema, const BoundArguments &args) {
  auto less = sema.binary(BinaryOp::Sub, args[1], makeInt(1));
  auto sum = less ? sema.binary(BinaryOp::Add, args[0], *less) : std::nullopt;
  return sum ? sema.binary(BinaryOp::FloorDiv, *sum, args[1]) : std::nullopt;
}

Tensor build::select(Sema &sema, const Tensor &condition, const TensorPair &values) {
  mlir::Value chosen = sema.builder().create<arith::SelectOp>(sema.loc(), condition.value,
                                                              values.lhs.value, values.rhs.value);
  return {chosen, values.rhs.dtype};
}

static Result where(Sema &sema, const BoundArguments &args) {
  auto condition = sema.toTensor(args[0]);
  if (!condition)
    return std::nullopt;
  if (!isBool(condition->dtype)) {
    if (!args[0].is<Constant>())
      sema.warning("the condition of tl.where should be bool, found " + describe(args[0]));
    condition = sema.cast(*condition, {DTypeKind::Int1});
  }
  auto *x = args[1].getIf<Tensor>(), *y = args[2].getIf<Tensor>();
  bool pointers = x && y && x->dtype.isPointer() && x->dtype == y->dtype;
  auto pair =
      pointers ? std::optional(TensorPair{*x, *y}) : sema.promote(args[1], args[2], "tl.where");
  pair = pair ? sema.broadcast(pair->lhs, pair->rhs) : std::nullopt;
  auto first = pair ? sema.broadcast(*condition, pair->lhs) : std::nullopt;
  auto second = first ? sema.broadcastTo(pair->rhs, first->rhs.shape()) : std::nullopt;
  if (!second)
    return std::nullopt;
  return Value(build::select(sema, first->lhs, {first->rhs, *second}));
}

template <BinaryOp op> static Result operatorFunction(Sema &sema, const BoundArguments &args) {
  auto isChecked = constantBool(sema, args[2], "'sanitize_overflow'");
  return isChecked ? sema.binary(op, args[0], args[1], !*isChecked) : std::nullopt;
}

template <LogicalOp op> static Result logicalFunction(Sema &sema, const BoundArguments &args) {
  BinaryOp bitwise = op == LogicalOp::And ? BinaryOp::BitAnd : BinaryOp::BitOr;
  auto toBool = [&](const Value &value) -> Result {
    auto tensor = sema.toTensor(value);
    auto result = tensor ? sema.cast(*tensor, {DTypeKind::Int1}) : std::nullopt;
    return result ? Result(Value(*result)) : std::nullopt;
  };
  auto l = toBool(args[0]);
  auto r = l ? toBool(args[1]) : std::nullopt;
  return r ? sema.binary(bitwise, *l, *r) : std::nullopt;
}

static Result logicalNot(Sema &sema, const BoundArguments &args) {
  return sema.unary(UnaryOp::Not, args[0]);
}

void sema::addMathBuiltins(Registry &registry) {
  registry.addMethod("exp", "x", expOf);
  registry.addMethod("exp2", "x", exp2Of);
  registry.addMethod("log", "x", logOf);
  registry.addMethod("log2", "x", log2Of);
  registry.addMethod("sin", "x", sinOf);
  registry.addMethod("cos", "x", cosOf);
  registry.add("_exp", "x", preciseExp);
  registry.add("_tanh", "x", tanhOf);
  registry.addMethod("erf", "x", erfOf);
  registry.addMethod("floor", "x", floorOf);
  registry.addMethod("ceil", "x", ceilOf);
  registry.addMethod("sqrt", "x", sqrtOf);
  registry.addMethod("rsqrt", "x", rsqrtOf);
  registry.addMethod("sqrt_rn", "x", sqrtRn);
  registry.addMethod("abs", "x", absOf);
  registry.addMethod("sigmoid", "x", sigmoid);
  registry.add("maximum", "x, y, propagate_nan=tl.PropagateNan.NONE", minMax<true>);
  registry.add("minimum", "x, y, propagate_nan=tl.PropagateNan.NONE", minMax<false>);
  registry.add("clamp", "x, min, max, propagate_nan=tl.PropagateNan.NONE", clamp);
  registry.add("fma", "x, y, z", fma);
  registry.add("fdiv", "x, y, ieee_rounding=False", fdiv);
  registry.add("div_rn", "x, y", divRn);
  registry.add("umulhi", "x, y", umulhi);
  registry.addMethod("cdiv", "x, div", cdiv);
  registry.add("where", "condition, x, y", where);
  registry.add("add", "x, y, sanitize_overflow=True", operatorFunction<BinaryOp::Add>);
  registry.add("sub", "x, y, sanitize_overflow=True", operatorFunction<BinaryOp::Sub>);
  registry.add("mul", "x, y, sanitize_overflow=True", operatorFunction<BinaryOp::Mul>);
  registry.addMethod("logical_and", "self, other", logicalFunction<LogicalOp::And>);
  registry.addMethod("logical_or", "self, other", logicalFunction<LogicalOp::Or>);
  registry.addMethod("__not__", "self", logicalNot);
}
