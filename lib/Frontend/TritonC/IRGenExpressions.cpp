//===- IRGenExpressions.cpp - names, operators, ranges --------------------===//
//
//   a + b      arith.addi %a, %b      after the usual arithmetic conversions
//   p + i      tt.addptr %p, %i       the offset keeps its width
//   a && b     arith.andi             of a != 0 and b != 0; both are evaluated
//   0 ... 8    tt.make_range {start = 0, end = 8}
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include "tritium/Dialect/Tile/IR/Tile.h"
#include "tritium/Frontend/Sema/Build.h"
#include "tritium/Frontend/Sema/DTypes.h"

#include "llvm/ADT/StringExtras.h"

namespace tritium::frontend::tritonc {
using namespace tritium::sema;

Generator::Value Generator::expression(const Expr &expr) {
  auto value = evaluate(expr);
  if (value && !value->value)
    return error(expr.range, "this call returns void, but its value is used");
  return value;
}

Generator::Value Generator::evaluate(const Expr &expr) {
  Level level(*this);
  sema.setRange(expr.range);
  if (!checkLimits())
    return std::nullopt;
  switch (expr.kind) {
  case ExprKind::Number:
    return conversions.constant(llvm::cast<Number>(expr).value, llvm::cast<Number>(expr).dtype);
  case ExprKind::Name:
    return name(llvm::cast<Name>(expr));
  case ExprKind::Call:
    return call(llvm::cast<Call>(expr));
  case ExprKind::Subscript:
    return subscript(llvm::cast<Subscript>(expr));
  case ExprKind::Unary:
    return unary(llvm::cast<Unary>(expr));
  case ExprKind::Dereference: {
    auto at = address(llvm::cast<Dereference>(expr));
    sema.setRange(expr.range);
    return at ? load(*at) : std::nullopt;
  }
  case ExprKind::Step:
    return step(llvm::cast<Step>(expr));
  case ExprKind::Cast: {
    auto &cast = llvm::cast<Cast>(expr);
    auto value = expression(*cast.operand);
    sema.setRange(expr.range);
    return value ? conversions.cast(*value, cast.type) : std::nullopt;
  }
  case ExprKind::Bitcast: {
    auto &cast = llvm::cast<Bitcast>(expr);
    auto value = expression(*cast.operand);
    sema.setRange(expr.range);
    return value ? conversions.bitcast(*value, cast.type) : std::nullopt;
  }
  case ExprKind::Range:
    return range(llvm::cast<Range>(expr));
  case ExprKind::Binary:
    return binary(llvm::cast<Binary>(expr));
  case ExprKind::Conditional:
    return conditional(llvm::cast<Conditional>(expr));
  case ExprKind::Assign:
    return assign(llvm::cast<Assign>(expr));
  case ExprKind::Comma:
    effect(*llvm::cast<Comma>(expr).lhs);
    return evaluate(*llvm::cast<Comma>(expr).rhs);
  case ExprKind::SizeOf:
    return sizeOf(llvm::cast<SizeOf>(expr));
  }
  return std::nullopt;
}

void Generator::effect(const Expr &expr) { evaluate(expr); }

void Generator::inScratch(llvm::function_ref<void()> body) {
  std::vector<mlir::Value> before = snapshot();
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Block scratch;
  builder.setInsertionPointToEnd(&scratch);
  body();
  restore(before);
}

std::optional<Type> Generator::typeOfExpression(const Expr &expr) {
  std::optional<Type> type;
  inScratch([&] {
    if (auto value = expression(expr))
      type = typeOf(*value);
  });
  return type;
}

//===----------------------------------------------------------------------===//
// Names and constants
//===----------------------------------------------------------------------===//

/// Written as macros are: TM, IS_TK_DIV_K.
static bool looksLikeMacro(llvm::StringRef name) {
  return llvm::none_of(name, [](char c) { return llvm::isLower(c); }) &&
         llvm::any_of(name, [](char c) { return llvm::isUpper(c); });
}

std::nullopt_t Generator::undeclared(const Name &name) {
  std::string message = "use of undeclared identifier '" + name.id + "'";
  if (name.id == "INFINITY")
    message += "; define it to suit the type: -DINFINITY=F32_INFINITY or -DINFINITY=F16_INFINITY";
  else if (unit->find(name.id))
    message += "; it is a function, which can only be called";
  else if (looksLikeMacro(name.id))
    message += "; if it is a macro, define it: -D" + name.id + "=...";
  else {
    std::string nearest;
    unsigned best = name.id.size() <= 2 ? 1 : name.id.size() <= 5 ? 2 : 3;
    for (LocalIndex i = frame->firstLocal; i < locals.size(); ++i) {
      unsigned distance = llvm::StringRef(name.id).edit_distance(locals[i].name, true, best);
      if (distance < best && !locals[i].name.empty()) {
        best = distance;
        nearest = locals[i].name;
      }
    }
    if (!nearest.empty())
      message += "; did you mean '" + nearest + "'?";
  }
  return error(name.range, std::move(message));
}

Generator::Value Generator::name(const Name &name) {
  if (auto local = find(name.id)) {
    if (!locals[*local].isBeingInitialised)
      return get(*local);
    error(name.range,
          "'" + name.id + "' is used in its own initialiser, where it has no value yet");
    note(locals[*local].at, "it is declared here");
    return std::nullopt;
  }
  if (auto table = tables.find(name.id); table != tables.end())
    return table->second;
  return undeclared(name);
}

std::optional<int64_t> Generator::constantExpression(const Expr &expr, std::string_view what) {
  auto complain = [&](const std::string &found) {
    return error(expr.range, std::string(what) + " must be an integer constant expression" + found);
  };
  if (!isConstantExpression(expr)) {
    // A name that is not known at all has a better message.
    return typeOfExpression(expr)
               ? complain(", found a value that is known only at run time; use a macro")
               : std::nullopt;
  }
  std::optional<int64_t> result;
  inScratch([&] {
    auto value = expression(expr);
    if (!value)
      return;
    auto known = value->isScalar() ? conversions.knownInt(*value) : std::nullopt;
    if (!known || !isInteger(value->dtype))
      complain(", found " + describe(*value));
    else if (*known > INT64_MAX)
      complain(", found " + Constant{*known}.repr());
    else
      result = static_cast<int64_t>(*known);
  });
  return result;
}

Generator::Value Generator::sizeOf(const SizeOf &expr) {
  Type type;
  if (expr.type) {
    type = *expr.type;
  } else {
    auto found = typeOfExpression(*expr.operand);
    if (!found)
      return std::nullopt;
    type = *found;
  }
  if (type.isVoid())
    return error(expr.range, "'void' has no size");
  int64_t bytes = type.element == DType{DTypeKind::Int1} ? 1 : type.element.bits() / 8;
  for (int64_t extent : type.shape)
    bytes *= extent;
  return conversions.constant({Constant::Int(bytes)}, {DTypeKind::UInt64});
}

Generator::Value Generator::range(const Range &expr) {
  auto first = constantExpression(*expr.first, "the start of a range");
  auto last = first ? constantExpression(*expr.last, "the end of a range") : std::nullopt;
  if (!last)
    return std::nullopt;
  sema.setRange(expr.range);
  if (*first < INT32_MIN || *first > INT32_MAX || *last < INT32_MIN || *last > INT32_MAX)
    return sema.error("the bounds of a range must fit 'int', found " + std::to_string(*first) +
                      " and " + std::to_string(*last));
  if (*last <= *first)
    return sema.error("the end of a range must be greater than its start, found " +
                      std::to_string(*first) + " and " + std::to_string(*last));
  if (!sema.checkShape({*last - *first}))
    return std::nullopt;
  auto type = typeOfExpression(*expr.first);
  return conversions.convert(
      build::range(sema, static_cast<int32_t>(*first), static_cast<int32_t>(*last)),
      promoted(type->element));
}

//===----------------------------------------------------------------------===//
// Unary operators
//===----------------------------------------------------------------------===//

Generator::Value Generator::unary(const Unary &expr) {
  if (expr.op == UnaryOp::AddressOf)
    return error(expr.range, "'&' is not part of Triton-C: values of a kernel have no address");
  auto operand = expression(*expr.operand);
  if (!operand)
    return std::nullopt;
  sema.setRange(expr.range);
  if (expr.op == UnaryOp::Transpose)
    return transpose(*operand);
  if (expr.op == UnaryOp::Not) {
    auto test = conversions.truth(*operand);
    return test ? Value(fold(build::logicalNot(sema, *test))) : std::nullopt;
  }
  bool isAllowed =
      expr.op == UnaryOp::Complement ? isInteger(operand->dtype) : isArithmetic(operand->dtype);
  if (!isAllowed)
    return sema.error("invalid argument of type " + describe(*operand) +
                      " to a unary operator, which needs " +
                      (expr.op == UnaryOp::Complement ? "an integer" : "a number"));
  Tensor value = conversions.promote(*operand);
  if (expr.op == UnaryOp::Plus)
    return value;
  return fold(expr.op == UnaryOp::Minus ? build::negate(sema, value)
                                        : build::complement(sema, value));
}

//===----------------------------------------------------------------------===//
// Binary operators
//===----------------------------------------------------------------------===//

static std::string quoted(BinaryOp op) { return "'" + std::string(spelling(op)) + "'"; }

Generator::Value Generator::binary(const Binary &expr) {
  auto lhs = expression(*expr.lhs);
  auto rhs = lhs ? expression(*expr.rhs) : std::nullopt;
  if (!rhs)
    return std::nullopt;
  sema.setRange(expr.range);
  return binary(expr.op, *lhs, *rhs);
}

static std::optional<frontend::BinaryOp> arithmeticOp(BinaryOp op, bool isFloating) {
  switch (op) {
  case BinaryOp::Add:
    return frontend::BinaryOp::Add;
  case BinaryOp::Sub:
    return frontend::BinaryOp::Sub;
  case BinaryOp::Mul:
    return frontend::BinaryOp::Mul;
  case BinaryOp::Div:
    return isFloating ? frontend::BinaryOp::TrueDiv : frontend::BinaryOp::FloorDiv;
  default:
    break;
  }
  if (isFloating)
    return std::nullopt;
  switch (op) {
  case BinaryOp::Rem:
    return frontend::BinaryOp::Mod;
  case BinaryOp::BitAnd:
    return frontend::BinaryOp::BitAnd;
  case BinaryOp::BitOr:
    return frontend::BinaryOp::BitOr;
  case BinaryOp::BitXor:
    return frontend::BinaryOp::BitXor;
  default:
    return std::nullopt;
  }
}

Generator::Value Generator::binary(BinaryOp op, const Tensor &lhs, const Tensor &rhs) {
  switch (op) {
  case BinaryOp::MatMul:
    return matmul(lhs, rhs, nullptr);
  case BinaryOp::Shl:
  case BinaryOp::Shr:
    return shift(op, lhs, rhs);
  case BinaryOp::Lt:
  case BinaryOp::Gt:
  case BinaryOp::Le:
  case BinaryOp::Ge:
  case BinaryOp::Eq:
  case BinaryOp::Ne:
    return compare(op, lhs, rhs);
  case BinaryOp::LogicalAnd:
  case BinaryOp::LogicalOr:
    return logical(op, lhs, rhs);
  default:
    break;
  }
  bool isAdditive = op == BinaryOp::Add || op == BinaryOp::Sub;
  if (isAdditive && (lhs.dtype.isPointer() || rhs.dtype.isPointer()))
    return pointerArithmetic(op, lhs, rhs);
  auto pair = conversions.usual(lhs, rhs, quoted(op));
  if (!pair)
    return std::nullopt;
  auto built = arithmeticOp(op, isFloat(pair->lhs.dtype));
  if (!built)
    return sema.error("invalid operands to " + quoted(op) +
                      ", which needs integers: " + describe(lhs) + " and " + describe(rhs));
  return fold(build::arithmetic(sema, *built, *pair));
}

Generator::Value Generator::pointerArithmetic(BinaryOp op, const Tensor &lhs, const Tensor &rhs) {
  auto invalid = [&] {
    return sema.error("invalid operands to " + quoted(op) + ": " + describe(lhs) + " and " +
                      describe(rhs));
  };
  for (const Tensor *side : {&lhs, &rhs})
    if (side->dtype.isPointer() && pointee(side->dtype) == DType())
      return sema.error("arithmetic on a pointer to void; cast it to a pointer to elements");
  DType wide{DTypeKind::Int64};
  if (lhs.dtype.isPointer() && rhs.dtype.isPointer()) {
    auto pair = op == BinaryOp::Sub ? conversions.composite(lhs, rhs, quoted(op)) : invalid();
    if (!pair)
      return std::nullopt;
    DType element = pointee(pair->lhs.dtype);
    Tensor l = fold(*sema.cast(pair->lhs, wide)), r = fold(*sema.cast(pair->rhs, wide));
    Tensor bytes = fold(build::arithmetic(sema, frontend::BinaryOp::Sub, {l, r}));
    int64_t size = isBool(element) ? 1 : element.bits() / 8;
    Tensor divisor = conversions.constant({Constant::Int(size)}, wide, bytes.shape());
    return fold(build::arithmetic(sema, frontend::BinaryOp::FloorDiv, {bytes, divisor}));
  }
  bool isLeft = lhs.dtype.isPointer();
  const Tensor &pointer = isLeft ? lhs : rhs, &integer = isLeft ? rhs : lhs;
  if (!isInteger(integer.dtype) || (op == BinaryOp::Sub && !isLeft))
    return invalid();
  Tensor offset = fold(build::pointerOffset(sema, integer, op == BinaryOp::Sub));
  auto pair = conversions.broadcast(pointer, offset);
  return pair ? Value(fold(build::addPointer(sema, pair->lhs, pair->rhs))) : std::nullopt;
}

/// The type is that of the promoted left operand; the count has its own.
Generator::Value Generator::shift(BinaryOp op, const Tensor &lhs, const Tensor &rhs) {
  if (!isInteger(lhs.dtype) || !isInteger(rhs.dtype))
    return sema.error("invalid operands to " + quoted(op) +
                      ", which needs integers: " + describe(lhs) + " and " + describe(rhs));
  Tensor value = conversions.promote(lhs), count = conversions.promote(rhs);
  auto built = op == BinaryOp::Shl ? frontend::BinaryOp::Shl : frontend::BinaryOp::Shr;
  if (auto known = conversions.knownInt(count)) {
    if (*known < 0)
      return sema.error("negative shift count " + Constant{*known}.repr());
    if (*known >= value.dtype.bits()) {
      auto pair = conversions.broadcast(value, count);
      return pair ? Value(fold(build::oversizedShift(sema, built, pair->lhs, *known)))
                  : std::nullopt;
    }
  }
  auto pair = conversions.broadcast(value, conversions.convert(count, value.dtype));
  return pair ? Value(fold(build::arithmetic(sema, built, *pair))) : std::nullopt;
}

static CompareOp compareOp(BinaryOp op) {
  switch (op) {
  case BinaryOp::Lt:
    return CompareOp::Lt;
  case BinaryOp::Gt:
    return CompareOp::Gt;
  case BinaryOp::Le:
    return CompareOp::Le;
  case BinaryOp::Ge:
    return CompareOp::Ge;
  case BinaryOp::Eq:
    return CompareOp::Eq;
  default:
    return CompareOp::Ne;
  }
}

Generator::Value Generator::compare(BinaryOp op, const Tensor &lhs, const Tensor &rhs) {
  auto pair = conversions.composite(lhs, rhs, quoted(op));
  if (!pair)
    return std::nullopt;
  if (pair->lhs.dtype.isPointer()) {
    DType address{DTypeKind::UInt64};
    pair = TensorPair{fold(*sema.cast(pair->lhs, address)), fold(*sema.cast(pair->rhs, address))};
  }
  return fold(build::compare(sema, compareOp(op), *pair));
}

Generator::Value Generator::logical(BinaryOp op, const Tensor &lhs, const Tensor &rhs) {
  auto l = conversions.truth(lhs);
  auto r = l ? conversions.truth(rhs) : std::nullopt;
  auto pair = r ? conversions.broadcast(*l, *r) : std::nullopt;
  if (!pair)
    return std::nullopt;
  auto built = op == BinaryOp::LogicalAnd ? frontend::BinaryOp::BitAnd : frontend::BinaryOp::BitOr;
  return fold(build::arithmetic(sema, built, *pair));
}

} // namespace tritium::frontend::tritonc
