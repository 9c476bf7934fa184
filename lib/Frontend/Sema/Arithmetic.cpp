//===- Arithmetic.cpp - binary and unary operators ------------------------===//

#include "Aggregates.h"
#include "tritium/Frontend/Sema/Build.h"
#include "tritium/Frontend/Sema/ConstantFold.h"
#include "tritium/Frontend/Sema/DTypes.h"

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

Tensor build::arithmetic(Sema &sema, BinaryOp op, const TensorPair &operands) {
  return {buildNumeric(sema, op, operands), operands.lhs.dtype};
}

static bool isDivision(BinaryOp op) {
  return op == BinaryOp::TrueDiv || op == BinaryOp::FloorDiv || op == BinaryOp::Mod;
}

static bool needsIntegers(BinaryOp op) { return op >= BinaryOp::BitAnd; }

/// The rules that look at the operands before they are promoted. False after an error.
static bool checkOperands(Sema &sema, BinaryOp op, const Value &lhs, const Value &rhs) {
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

Tensor build::oversizedShift(Sema &sema, BinaryOp op, const Tensor &value, Constant::Int count) {
  sema.warning("shift count " + Constant{count}.repr() + " is not less than the width of " +
               describeType(value.dtype));
  if (op != BinaryOp::Shr || !isSigned(value.dtype))
    return *sema.constant({Constant::Int(0)}, value.dtype, value.shape());
  auto last = sema.constant({Constant::Int(value.dtype.bits() - 1)}, value.dtype, value.shape());
  return arithmetic(sema, BinaryOp::Shr, {value, *last});
}

/// `lhs >> rhs` in the type that both are converted to. The left operand's own type decides
/// what it fills with: a negative number stays negative, also where the common type is unsigned.
static Tensor shiftRight(Sema &sema, const Value &lhs, const TensorPair &operands) {
  auto *left = lhs.getIf<Tensor>();
  DType type = operands.lhs.dtype;
  if (!left || !isSigned(left->dtype) || isSigned(type))
    return build::arithmetic(sema, BinaryOp::Shr, operands);
  DType signedType = integerType(type.bits(), true);
  Tensor shifted = build::arithmetic(
      sema, BinaryOp::Shr,
      {*sema.cast(operands.lhs, signedType), *sema.cast(operands.rhs, signedType)});
  return *sema.cast(shifted, type);
}

/// x ** n with an integer n >= 1, by multiplications.
static Result powerOfInt(Sema &sema, const Value &x, Constant::Int n) {
  std::optional<Value> result;
  for (Value square = x;;) {
    if (n & 1) {
      auto product = result ? sema.binary(BinaryOp::Mul, *result, square) : square;
      if (!product)
        return std::nullopt;
      result = std::move(product);
    }
    if ((n >>= 1) == 0)
      return result;
    auto next = sema.binary(BinaryOp::Mul, square, square);
    if (!next)
      return std::nullopt;
    square = std::move(*next);
  }
}

/// x ** y. A float to a power that is no small known integer is the device library's pow, halves
/// in float32.
static Result power(Sema &sema, const Value &lhs, const Value &rhs) {
  constexpr Constant::Int kMultiplied = 4; // of floats; their error grows with the power
  auto known = asInt(rhs);
  auto *base = lhs.getIf<Tensor>();
  bool isInteger = base && kindOf(base->dtype) != Kind::Floating;
  if (base && known && *known >= 1 && (isInteger || *known <= kMultiplied))
    return powerOfInt(sema, lhs, *known);
  auto pair = isInteger && known ? std::nullopt : sema.promote(lhs, rhs, quoted(BinaryOp::Pow));
  if (!pair && !(isInteger && known))
    return std::nullopt;
  DType type = pair ? pair->lhs.dtype : base->dtype;
  if (!isFloat(type))
    return sema.error("'**' takes integers to known powers of at least 1, found " + describe(lhs) +
                      " ** " + describe(rhs) + "; convert one of them with .to(tl.float32)");
  DType wide = type.bits() < 32 ? DType{DTypeKind::Float32} : type;
  auto x = sema.cast(pair->lhs, wide), y = x ? sema.cast(pair->rhs, wide) : std::nullopt;
  auto result = y ? sema.callLibrary("libdevice.pow", {{*x, *y}, {}}) : std::nullopt;
  auto narrow = result ? sema.cast(result->get<Tensor>(), type) : std::nullopt;
  return narrow ? Result(Value(*narrow)) : std::nullopt;
}

/// What 8-bit floats give is exact in float32, or rounded there so finely that rounding it again
/// gives the 8-bit float next to it.
static Result inFloat32(Sema &sema, BinaryOp op, const TensorPair &operands) {
  DType narrow = operands.lhs.dtype, wide{DTypeKind::Float32};
  auto lhs = sema.cast(operands.lhs, wide);
  auto rhs = lhs ? sema.cast(operands.rhs, wide) : std::nullopt;
  auto result = rhs ? sema.binary(op, *lhs, *rhs) : std::nullopt;
  auto rounded = result ? sema.cast(result->get<Tensor>(), narrow) : std::nullopt;
  return rounded ? Result(Value(*rounded)) : std::nullopt;
}

static Result numeric(Sema &sema, BinaryOp op, const Value &lhs, const Value &rhs) {
  if (op == BinaryOp::MatMul)
    return sema.callLibrary("dot", {{lhs, rhs}, {}});
  if (op == BinaryOp::Pow)
    return power(sema, lhs, rhs);
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
    return inFloat32(sema, op, *pair);
  bool isShift = op == BinaryOp::Shl || op == BinaryOp::Shr;
  if (auto count = asInt(rhs); isShift && count) {
    if (*count < 0)
      return sema.error("ValueError: negative shift count " + Constant{*count}.repr());
    if (*count >= pair->lhs.dtype.bits())
      return Value(build::oversizedShift(sema, op, pair->lhs, *count));
  }
  if (op == BinaryOp::TrueDiv && !isFloating) {
    DType fp32{DTypeKind::Float32};
    pair = TensorPair{*sema.cast(pair->lhs, fp32), *sema.cast(pair->rhs, fp32)};
  }
  pair = sema.broadcast(pair->lhs, pair->rhs);
  if (!pair)
    return std::nullopt;
  return Value(op == BinaryOp::Shr ? shiftRight(sema, lhs, *pair)
                                   : build::arithmetic(sema, op, *pair));
}

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

Tensor build::pointerOffset(Sema &sema, const Tensor &integer, bool negate) {
  DType wide{DTypeKind::Int64};
  Tensor offset = integer;
  // Unsigned 32-bit values and negated ones need not fit 32 signed bits.
  if (negate || offset.dtype.bits() == 64 || is(offset.dtype, DTypeKind::UInt32))
    offset = *sema.cast(offset, wide);
  else if (offset.dtype.bits() < 32)
    offset = *sema.cast(offset, {DTypeKind::Int32});
  return negate ? build::negate(sema, offset) : offset;
}

Tensor build::addPointer(Sema &sema, const Tensor &pointer, const Tensor &offset) {
  mlir::Value moved = sema.builder().create<tt::AddPtrOp>(sema.loc(), pointer.value.getType(),
                                                          pointer.value, offset.value);
  return {moved, pointer.dtype};
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
  auto integer = sema.toTensor(amount);
  if (!integer)
    return std::nullopt;
  if (!isInteger(integer->dtype))
    return sema.error("a pointer moves by an integer, found " + describe(amount));
  Tensor offset = build::pointerOffset(sema, *integer, isDifference);
  auto pair = sema.broadcast(base.get<Tensor>(), offset);
  if (!pair)
    return std::nullopt;
  return Value(build::addPointer(sema, pair->lhs, pair->rhs));
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

/// Not in what the library computes, nor where nothing can stop: in functions of elements.
static bool checksOverflow(Sema &sema, BinaryOp op, const Value &result) {
  auto *tensor = result.getIf<Tensor>();
  bool canOverflow = op == BinaryOp::Add || op == BinaryOp::Sub || op == BinaryOp::Mul;
  if (!sema.options().sanitizeOverflow || !canOverflow || !tensor || !isInteger(tensor->dtype) ||
      isBool(tensor->dtype) || tensor->dtype.bits() >= 64)
    return false;
  for (const CallFrame &frame : sema.callStack())
    if (frame.isLibrary)
      return false;
  for (mlir::Operation *around = sema.builder().getInsertionBlock()->getParentOp(); around;
       around = around->getParentOp())
    if (mlir::isa<tt::Combining, tt::MapElementwiseOp>(around))
      return false;
  return true;
}

/// Computes again in 64 bits, where nothing overflows but a negative difference of unsigned
/// numbers, which is then above all of 32 bits.
static Result assertInRange(Sema &sema, BinaryOp op, const Value &lhs, const Value &rhs,
                            const Value &result) {
  DType type = result.get<Tensor>().dtype, wide = integerType(64, isSigned(type));
  auto operand = [&](const Value &side) -> Result {
    auto tensor = sema.toTensor(side);
    auto narrow = tensor ? sema.cast(*tensor, type) : std::nullopt;
    auto cast = narrow ? sema.cast(*narrow, wide) : std::nullopt;
    return cast ? Result(Value(*cast)) : std::nullopt;
  };
  auto l = operand(lhs), r = l ? operand(rhs) : std::nullopt;
  auto exact = r ? sema.binary(op, *l, *r) : std::nullopt;
  auto isBelow = exact ? sema.compare(CompareOp::Le, *exact, makeInt(maxValue(type))) : exact;
  auto isAbove = isBelow ? sema.compare(CompareOp::Ge, *exact, makeInt(minValue(type))) : isBelow;
  auto isInRange = isAbove ? sema.binary(BinaryOp::BitAnd, *isBelow, *isAbove) : isAbove;
  if (!isInRange)
    return std::nullopt;
  sema.builder().create<tt::AssertOp>(sema.loc(), isInRange->get<Tensor>().value,
                                      describeType(type) + " overflow of " + quoted(op));
  return result;
}

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

Result Sema::binary(BinaryOp op, const Value &lhs, const Value &rhs, bool mayOverflow) {
  auto lc = asConstant(lhs), rc = asConstant(rhs);
  if (lc && rc) {
    std::string message;
    auto folded = foldBinary(op, *lc, *rc, message);
    if (!folded)
      return error(std::move(message));
    return fromConstant(*folded);
  }
  if (asAggregate(lhs) || asAggregate(rhs))
    return combineAggregates(*this, op, lhs, rhs);
  if (lhs.is<Tuple>() || rhs.is<Tuple>())
    return tupleBinary(*this, op, lhs, rhs);
  if (isPointer(lhs) || isPointer(rhs))
    return pointerArithmetic(*this, op, lhs, rhs);
  auto result = numeric(*this, op, lhs, rhs);
  if (result && !mayOverflow && checksOverflow(*this, op, *result))
    return assertInRange(*this, op, lhs, rhs, *result);
  return result;
}

Tensor build::logicalNot(Sema &sema, const Tensor &boolean) {
  auto one = sema.constant({true}, boolean.dtype, boolean.shape());
  return arithmetic(sema, BinaryOp::BitXor, {boolean, *one});
}

Tensor build::complement(Sema &sema, const Tensor &integer) {
  mlir::Type type = integer.value.getType();
  auto element =
      mlir::IntegerAttr::get(tt::elementType(type), llvm::APInt::getAllOnes(integer.dtype.bits()));
  mlir::TypedAttr attr = element;
  if (auto tile = mlir::dyn_cast<mlir::RankedTensorType>(type))
    attr = mlir::DenseElementsAttr::get(tile, mlir::Attribute(element));
  mlir::Value ones = sema.builder().create<arith::ConstantOp>(sema.loc(), type, attr);
  return arithmetic(sema, BinaryOp::BitXor, {integer, {ones, integer.dtype}});
}

Tensor build::negate(Sema &sema, const Tensor &number) {
  if (isFloat(number.dtype))
    return {sema.builder().create<arith::NegFOp>(sema.loc(), number.value), number.dtype};
  auto zero = sema.constant({Constant::Int(0)}, number.dtype, number.shape());
  return arithmetic(sema, BinaryOp::Sub, {*zero, number});
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
  if (asAggregate(operand))
    return callOperator(*this, operand,
                        op == UnaryOp::Minus  ? "__neg__"
                        : op == UnaryOp::Plus ? "__pos__"
                                              : "__invert__",
                        Arguments{}, "unary '" + std::string(spelling(op)) + "'");
  auto *tensor = operand.getIf<Tensor>();
  std::string name = "unary '" + std::string(spelling(op)) + "'";
  bool isArithmetic = op == UnaryOp::Plus || op == UnaryOp::Minus;
  if (!tensor || kindOf(tensor->dtype) == Kind::Other || (isArithmetic && isFloat8(tensor->dtype)))
    return error("TypeError: " + name + " is not defined on " + describe(operand));
  if (op == UnaryOp::Not)
    return Value(build::logicalNot(*this, *cast(*tensor, {DTypeKind::Int1})));
  if (op == UnaryOp::Plus)
    return operand;
  if (op == UnaryOp::Invert) {
    if (isFloat(tensor->dtype))
      return error("TypeError: " + name + " needs an integer, found " + describe(operand));
    return Value(build::complement(*this, *tensor));
  }
  // As in Python, the negative of a bool is an int.
  auto number = isBool(tensor->dtype) ? cast(*tensor, {DTypeKind::Int32}) : *tensor;
  return Value(build::negate(*this, *number));
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
      build::arithmetic(*this, op == LogicalOp::And ? BinaryOp::BitAnd : BinaryOp::BitOr, *pair));
}
