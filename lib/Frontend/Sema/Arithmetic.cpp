//===- Arithmetic.cpp - binary and unary operators ------------------------===//

#include "DTypes.h"
#include "tritium/Frontend/Sema/ConstantFold.h"

#include "tritium/Dialect/Tile/IR/Tile.h"
#include "tritium/Frontend/Sema/Sema.h"

namespace arith = mlir::arith;
using namespace tritium;
using namespace tritium::sema;

static std::string quoted(BinaryOp op) { return "'" + std::string(spelling(op)) + "'"; }

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

template <typename IntOp, typename FloatOp>
static mlir::Value byKind(Sema &sema, const TensorPair &p) {
  mlir::OpBuilder &b = sema.builder();
  if (isFloat(p.lhs.dtype))
    return b.create<FloatOp>(sema.loc(), p.lhs.value, p.rhs.value);
  return b.create<IntOp>(sema.loc(), p.lhs.value, p.rhs.value);
}

template <typename SignedOp, typename UnsignedOp>
static mlir::Value bySign(Sema &sema, const TensorPair &p) {
  return isSigned(p.lhs.dtype)
             ? mlir::Value(sema.builder().create<SignedOp>(sema.loc(), p.lhs.value, p.rhs.value))
             : mlir::Value(sema.builder().create<UnsignedOp>(sema.loc(), p.lhs.value, p.rhs.value));
}

/// Builds `op` on operands of one type and shape.
static mlir::Value buildNumeric(Sema &sema, BinaryOp op, const TensorPair &p) {
  switch (op) {
  case BinaryOp::Add:
    return byKind<arith::AddIOp, arith::AddFOp>(sema, p);
  case BinaryOp::Sub:
    return byKind<arith::SubIOp, arith::SubFOp>(sema, p);
  case BinaryOp::Mul:
    return byKind<arith::MulIOp, arith::MulFOp>(sema, p);
  case BinaryOp::TrueDiv:
    return sema.builder().create<arith::DivFOp>(sema.loc(), p.lhs.value, p.rhs.value);
  case BinaryOp::FloorDiv:
    return bySign<arith::DivSIOp, arith::DivUIOp>(sema, p);
  case BinaryOp::Mod:
    if (isFloat(p.lhs.dtype))
      return sema.builder().create<arith::RemFOp>(sema.loc(), p.lhs.value, p.rhs.value);
    return bySign<arith::RemSIOp, arith::RemUIOp>(sema, p);
  case BinaryOp::BitAnd:
    return sema.builder().create<arith::AndIOp>(sema.loc(), p.lhs.value, p.rhs.value);
  case BinaryOp::BitOr:
    return sema.builder().create<arith::OrIOp>(sema.loc(), p.lhs.value, p.rhs.value);
  case BinaryOp::BitXor:
    return sema.builder().create<arith::XOrIOp>(sema.loc(), p.lhs.value, p.rhs.value);
  case BinaryOp::Shl:
    return sema.builder().create<arith::ShLIOp>(sema.loc(), p.lhs.value, p.rhs.value);
  case BinaryOp::Shr:
    return bySign<arith::ShRSIOp, arith::ShRUIOp>(sema, p);
  case BinaryOp::Pow:
  case BinaryOp::MatMul:
    break;
  }
  return {};
}

static bool isDivision(BinaryOp op) {
  return op == BinaryOp::TrueDiv || op == BinaryOp::FloorDiv || op == BinaryOp::Mod;
}

static bool needsIntegers(BinaryOp op) { return op >= BinaryOp::BitAnd; }

/// The rules that look at the operands before they are promoted. False after an error.
static bool checkOperands(Sema &sema, BinaryOp op, const Value &lhs, const Value &rhs) {
  if (op == BinaryOp::MatMul) {
    sema.error("'@' is not an operator on tensors; write tl.dot(a, b)");
    return false;
  }
  if (op == BinaryOp::Pow) {
    sema.error("'**' is not an operator on tensors; multiply, or use tl.exp2(y * tl.log2(x))");
    return false;
  }
  auto *l = lhs.getIf<Tensor>(), *r = rhs.getIf<Tensor>();
  bool mixed = l && r && kindOf(l->dtype) == Kind::Integer && kindOf(r->dtype) == Kind::Integer &&
               isSigned(l->dtype) != isSigned(r->dtype);
  if (mixed && isDivision(op)) {
    sema.error("TypeError: " + quoted(op) + " cannot combine " + describeType(l->dtype) + " and " +
               describeType(r->dtype) +
               ", which differ in signedness; convert one of them with .to()");
    return false;
  }
  return true;
}

/// A shift by a constant that is not less than the width: the sign or zero.
static Result oversizedShift(Sema &sema, BinaryOp op, const Tensor &lhs, Constant::Int count) {
  sema.warning("shift count " + Constant{count}.repr() + " is not less than the width of " +
               describeType(lhs.dtype));
  if (op == BinaryOp::Shr && isSigned(lhs.dtype)) {
    auto last = sema.constant({Constant::Int(lhs.dtype.bits() - 1)}, lhs.dtype, lhs.shape());
    return Value(Tensor{sema.builder().create<arith::ShRSIOp>(sema.loc(), lhs.value, last->value),
                        lhs.dtype});
  }
  return Value(*sema.constant({Constant::Int(0)}, lhs.dtype, lhs.shape()));
}

static Result numeric(Sema &sema, BinaryOp op, const Value &lhs, const Value &rhs) {
  if (!checkOperands(sema, op, lhs, rhs))
    return std::nullopt;
  auto pair = sema.promote(lhs, rhs, quoted(op), isDivision(op));
  if (!pair)
    return std::nullopt;
  bool isFloating = isFloat(pair->lhs.dtype);
  if (isFloating && (needsIntegers(op) || op == BinaryOp::FloorDiv))
    return sema.error("TypeError: " + quoted(op) + " needs integers, found " + describe(lhs) +
                      " and " + describe(rhs) +
                      (op == BinaryOp::FloorDiv ? "; use tl.floor(x / y)" : ""));
  if (isFloating && isFloat8(pair->lhs.dtype))
    return sema.error("TypeError: " + quoted(op) + " is not defined on " +
                      describeType(pair->lhs.dtype) + "; convert with .to(tl.float16)");
  bool isShift = op == BinaryOp::Shl || op == BinaryOp::Shr;
  if (auto count = asInt(rhs); isShift && count) {
    if (*count < 0)
      return sema.error("ValueError: negative shift count " + Constant{*count}.repr());
    if (*count >= pair->lhs.dtype.bits())
      return oversizedShift(sema, op, pair->lhs, *count);
  }
  if (op == BinaryOp::TrueDiv && !isFloating) {
    DType fp32{DTypeKind::Float32};
    pair = TensorPair{*sema.cast(pair->lhs, fp32), *sema.cast(pair->rhs, fp32)};
  }
  pair = sema.broadcast(pair->lhs, pair->rhs);
  if (!pair)
    return std::nullopt;
  return Value(Tensor{buildNumeric(sema, op, *pair), pair->lhs.dtype});
}

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

/// An offset as addptr takes it: signed, of 32 or 64 bits.
static std::optional<Tensor> pointerOffset(Sema &sema, const Value &value, bool negate) {
  auto offset = sema.toTensor(value);
  if (!offset)
    return std::nullopt;
  DType dtype = offset->dtype;
  if (!isInteger(dtype))
    return sema.error("a pointer moves by an integer, found " + describe(value));
  DType wide{DTypeKind::Int64};
  // Unsigned 32-bit values and negated ones need not fit 32 signed bits.
  if (negate || dtype.bits() == 64 || is(dtype, DTypeKind::UInt32))
    offset = sema.cast(*offset, wide);
  else if (dtype.bits() < 32)
    offset = sema.cast(*offset, {DTypeKind::Int32});
  if (!offset || !negate)
    return offset;
  auto zero = sema.constant({Constant::Int(0)}, wide, offset->shape());
  return Tensor{sema.builder().create<arith::SubIOp>(sema.loc(), zero->value, offset->value), wide};
}

static bool isPointer(const Value &value) {
  auto *tensor = value.getIf<Tensor>();
  return tensor && tensor->dtype.isPointer();
}

static Result pointerArithmetic(Sema &sema, BinaryOp op, const Value &lhs, const Value &rhs) {
  if (isPointer(lhs) && isPointer(rhs))
    return sema.error("TypeError: " + quoted(op) + " cannot combine two pointers, " +
                      describe(lhs) + " and " + describe(rhs));
  bool isSum = op == BinaryOp::Add, isDifference = op == BinaryOp::Sub && isPointer(lhs);
  if (!isSum && !isDifference)
    return sema.error("TypeError: " + quoted(op) + " is not defined on " + describe(lhs) + " and " +
                      describe(rhs) + "; pointers take '+' and '-' of an integer");
  const Value &base = isPointer(lhs) ? lhs : rhs;
  const Value &amount = isPointer(lhs) ? rhs : lhs;
  if (auto constant = asInt(amount); constant && isDifference && smallestInteger(*constant))
    return pointerArithmetic(sema, BinaryOp::Add, base, makeInt(-*constant));
  auto offset = pointerOffset(sema, amount, isDifference);
  if (!offset)
    return std::nullopt;
  auto pair = sema.broadcast(base.get<Tensor>(), *offset);
  if (!pair)
    return std::nullopt;
  mlir::Value moved = sema.builder().create<tt::AddPtrOp>(sema.loc(), pair->lhs.value.getType(),
                                                          pair->lhs.value, pair->rhs.value);
  return Value(Tensor{moved, pair->lhs.dtype});
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

/// Tuples that hold tensors: `+` joins, `*` repeats.
static Result tupleBinary(Sema &sema, BinaryOp op, const Value &lhs, const Value &rhs) {
  auto *l = lhs.getIf<Tuple>(), *r = rhs.getIf<Tuple>();
  Tuple result;
  if (op == BinaryOp::Add && l && r) {
    result.elements = l->elements;
    result.elements.insert(result.elements.end(), r->elements.begin(), r->elements.end());
    return Value(std::move(result));
  }
  auto count = asInt(l ? rhs : lhs);
  if (op != BinaryOp::Mul || !count)
    return sema.error("TypeError: " + quoted(op) + " is not defined on " + describe(lhs) + " and " +
                      describe(rhs));
  const auto &elements = (l ? l : r)->elements;
  constexpr size_t kMaxElements = 1 << 16;
  if (*count > Constant::Int(kMaxElements / std::max<size_t>(elements.size(), 1)))
    return sema.error("a tuple may have at most " + std::to_string(kMaxElements) + " elements");
  for (Constant::Int i = 0; i < *count; ++i)
    result.elements.insert(result.elements.end(), elements.begin(), elements.end());
  return Value(std::move(result));
}

Result Sema::binary(BinaryOp op, const Value &lhs, const Value &rhs) {
  auto lc = asConstant(lhs), rc = asConstant(rhs);
  if (lc && rc) {
    std::string message;
    auto folded = foldBinary(op, *lc, *rc, message);
    if (!folded)
      return error(std::move(message));
    return fromConstant(*folded);
  }
  if (lhs.is<Tuple>() || rhs.is<Tuple>())
    return tupleBinary(*this, op, lhs, rhs);
  if (isPointer(lhs) || isPointer(rhs))
    return pointerArithmetic(*this, op, lhs, rhs);
  return numeric(*this, op, lhs, rhs);
}

/// `not x`, element by element.
static Result logicalNot(Sema &sema, const Tensor &operand) {
  auto isTrue = sema.cast(operand, {DTypeKind::Int1});
  if (!isTrue)
    return std::nullopt;
  auto one = sema.constant({true}, isTrue->dtype, isTrue->shape());
  return Value(Tensor{sema.builder().create<arith::XOrIOp>(sema.loc(), isTrue->value, one->value),
                      isTrue->dtype});
}

Result Sema::unary(UnaryOp op, const Value &operand) {
  if (auto constant = asConstant(operand)) {
    std::string message;
    auto folded = foldUnary(op, *constant, message);
    if (!folded)
      return error(std::move(message));
    return fromConstant(*folded);
  }
  if (op == UnaryOp::Not && !operand.is<Tensor>()) {
    auto known = truth(operand);
    return known ? Result(makeBool(!std::get<bool>(*known))) : std::nullopt;
  }
  auto *tensor = operand.getIf<Tensor>();
  std::string name = "unary '" + std::string(spelling(op)) + "'";
  bool isArithmetic = op == UnaryOp::Plus || op == UnaryOp::Minus;
  if (!tensor || kindOf(tensor->dtype) == Kind::Other || (isArithmetic && isFloat8(tensor->dtype)))
    return error("TypeError: " + name + " is not defined on " + describe(operand));
  if (op == UnaryOp::Not)
    return logicalNot(*this, *tensor);
  if (op == UnaryOp::Plus)
    return operand;
  if (op == UnaryOp::Invert) {
    if (isFloat(tensor->dtype))
      return error("TypeError: " + name + " needs an integer, found " + describe(operand));
    mlir::Type type = tensor->value.getType();
    mlir::Value ones = opBuilder.create<arith::ConstantOp>(loc(), type, [&]() -> mlir::TypedAttr {
      auto element = mlir::IntegerAttr::get(tt::elementType(type),
                                            llvm::APInt::getAllOnes(tensor->dtype.bits()));
      if (auto tile = mlir::dyn_cast<mlir::RankedTensorType>(type))
        return mlir::DenseElementsAttr::get(tile, mlir::Attribute(element));
      return element;
    }());
    return Value(
        Tensor{opBuilder.create<arith::XOrIOp>(loc(), tensor->value, ones), tensor->dtype});
  }
  if (isFloat(tensor->dtype))
    return Value(Tensor{opBuilder.create<arith::NegFOp>(loc(), tensor->value), tensor->dtype});
  // As in Python, the negative of a bool is an int.
  auto number = isBool(tensor->dtype) ? cast(*tensor, {DTypeKind::Int32}) : *tensor;
  auto zero = constant({Constant::Int(0)}, number->dtype, number->shape());
  return Value(
      Tensor{opBuilder.create<arith::SubIOp>(loc(), zero->value, number->value), number->dtype});
}

Result Sema::logical(LogicalOp op, const Value &lhs, const Value &rhs) {
  auto toBool = [&](const Value &side) -> std::optional<Tensor> {
    if (auto *tensor = side.getIf<Tensor>())
      return cast(*tensor, {DTypeKind::Int1});
    auto known = truth(side);
    return known ? constant({std::get<bool>(*known)}, {DTypeKind::Int1}) : std::nullopt;
  };
  auto l = toBool(lhs);
  auto r = l ? toBool(rhs) : std::nullopt;
  if (!r)
    return std::nullopt;
  if (!l->isScalar() || !r->isScalar())
    warning("'" + std::string(spelling(op)) + "' on tiles works element by element; write '" +
            (op == LogicalOp::And ? "&" : "|") + "'");
  auto pair = broadcast(*l, *r);
  if (!pair)
    return std::nullopt;
  return Value(
      Tensor{buildNumeric(*this, op == LogicalOp::And ? BinaryOp::BitAnd : BinaryOp::BitOr, *pair),
             pair->lhs.dtype});
}
