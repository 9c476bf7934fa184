//===- ConstantExpression.cpp - integers that are known while parsing -----===//
//
// With C's types: unsigned arithmetic wraps, and what does not fit a signed type is an
// error instead of C's undefined behaviour.
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

#include "llvm/ADT/StringRef.h"

namespace tritium::frontend::tritonc {

using Kind = DTypeKind;
using Int = __int128;

static bool isUnsigned(Kind kind) { return kind >= Kind::UInt8 && kind <= Kind::UInt64; }
static Kind promoted(Kind kind) { return DType{kind}.bits() < 32 ? Kind::Int32 : kind; }

static Kind commonKind(Kind a, Kind b) {
  a = promoted(a), b = promoted(b);
  unsigned bitsA = DType{a}.bits(), bitsB = DType{b}.bits();
  if (bitsA != bitsB)
    return bitsA > bitsB ? a : b;
  return isUnsigned(a) ? a : b;
}

/// Modulo the width of `kind`, as by a cast.
static Int wrapped(Int value, Kind kind) {
  if (kind == Kind::Int1)
    return value != 0;
  unsigned bits = DType{kind}.bits();
  Int modulus = Int(1) << bits, low = value & (modulus - 1);
  return !isUnsigned(kind) && (low >> (bits - 1)) ? low - modulus : low;
}

std::nullopt_t Parser::notConstant(const Expr &expr) {
  std::string message = constantName + " must be an integer constant";
  if (auto *name = llvm::dyn_cast<Name>(&expr)) {
    llvm::StringRef id = name->id;
    bool looksLikeMacro = id.upper() == id;
    message += ", found '" + name->id + "'";
    if (looksLikeMacro)
      message += "; if it is a macro, define it with -D" + name->id + "=...";
  }
  error(expr.range, std::move(message));
  return std::nullopt;
}

std::optional<Parser::Integer> Parser::inRange(Int value, Kind kind, const Expr &expr) {
  Integer result{wrapped(value, kind), kind};
  if (result.value == value || isUnsigned(kind))
    return result;
  error(expr.range, constantName + " does not fit in " + std::to_string(DType{kind}.bits()) +
                        " bits; it is an '" + spelling(Type{DType{kind}, {}, false}) + "'");
  return std::nullopt;
}

std::optional<Parser::Integer> Parser::evaluate(const Expr &expr) {
  if (auto *number = llvm::dyn_cast<Number>(&expr)) {
    auto *value = std::get_if<Int>(&number->value.value);
    return value ? std::optional<Integer>({*value, number->dtype.kind}) : notConstant(expr);
  }
  if (auto *cast = llvm::dyn_cast<Cast>(&expr)) {
    DType to = cast->type.element;
    if (to.isPointer() || !cast->type.shape.empty() || to.kind > Kind::UInt64 ||
        to.kind == Kind::Void)
      return notConstant(expr);
    auto value = evaluate(*cast->operand);
    if (!value)
      return std::nullopt;
    return Integer{wrapped(value->value, to.kind), to.kind};
  }
  if (auto *size = llvm::dyn_cast<SizeOf>(&expr)) {
    if (!size->type || size->type->isVoid())
      return notConstant(expr);
    Int bytes = std::max(1u, size->type->element.bits() / 8);
    for (int64_t extent : size->type->shape)
      bytes *= extent;
    return inRange(bytes, Kind::UInt64, expr);
  }
  if (auto *conditional = llvm::dyn_cast<Conditional>(&expr)) {
    auto test = evaluate(*conditional->test);
    if (!test)
      return std::nullopt;
    if (test->value && !conditional->then)
      return test;
    return evaluate(test->value ? *conditional->then : *conditional->otherwise);
  }
  if (auto *unary = llvm::dyn_cast<Unary>(&expr))
    return evaluate(*unary);
  if (auto *binary = llvm::dyn_cast<Binary>(&expr))
    return evaluate(*binary);
  if (auto *call = llvm::dyn_cast<Call>(&expr))
    return evaluate(*call);
  return notConstant(expr);
}

std::optional<Parser::Integer> Parser::evaluate(const Unary &expr) {
  if (expr.op == UnaryOp::Transpose || expr.op == UnaryOp::AddressOf)
    return notConstant(expr);
  auto operand = evaluate(*expr.operand);
  if (!operand)
    return std::nullopt;
  Kind kind = promoted(operand->kind);
  switch (expr.op) {
  case UnaryOp::Minus:
    return inRange(-operand->value, kind, expr);
  case UnaryOp::Complement:
    return inRange(~operand->value, kind, expr);
  case UnaryOp::Not:
    return Integer{operand->value == 0, Kind::Int32};
  default:
    return Integer{operand->value, kind};
  }
}

/// The built-ins that are macros of constants in old preludes.
std::optional<Parser::Integer> Parser::evaluate(const Call &expr) {
  bool isMin = expr.callee == "min";
  if ((!isMin && expr.callee != "max") || functions.contains(expr.callee) ||
      expr.arguments.size() != 2)
    return notConstant(expr);
  auto a = evaluate(*expr.arguments[0]), b = a ? evaluate(*expr.arguments[1]) : std::nullopt;
  if (!b)
    return std::nullopt;
  Kind kind = commonKind(a->kind, b->kind);
  Int x = wrapped(a->value, kind), y = wrapped(b->value, kind);
  return Integer{(x < y) == isMin ? x : y, kind};
}

std::optional<Parser::Integer> Parser::shift(const Binary &expr, Integer lhs, Integer rhs) {
  lhs.kind = promoted(lhs.kind);
  unsigned bits = DType{lhs.kind}.bits();
  if (rhs.value < 0 || rhs.value >= bits) {
    error(expr.opRange, "a shift of '" + spelling(Type{DType{lhs.kind}, {}, false}) +
                            "' must be from 0 to " + std::to_string(bits - 1) + " bits, found " +
                            Constant{rhs.value}.repr());
    return std::nullopt;
  }
  unsigned count = static_cast<unsigned>(rhs.value);
  if (expr.op == BinaryOp::Shl)
    return inRange(lhs.value * (Int(1) << count), lhs.kind, expr);
  return Integer{lhs.value >> count, lhs.kind};
}

std::optional<Parser::Integer> Parser::evaluate(const Binary &expr) {
  if (expr.op == BinaryOp::MatMul)
    return notConstant(expr);
  auto lhs = evaluate(*expr.lhs);
  if (!lhs)
    return std::nullopt;
  // What the left side decides leaves the right one unread.
  bool isAnd = expr.op == BinaryOp::LogicalAnd, isOr = expr.op == BinaryOp::LogicalOr;
  if ((isAnd && lhs->value == 0) || (isOr && lhs->value != 0))
    return Integer{isOr, Kind::Int32};
  auto rhs = evaluate(*expr.rhs);
  if (!rhs)
    return std::nullopt;
  if (isAnd || isOr)
    return Integer{rhs->value != 0, Kind::Int32};
  if (expr.op == BinaryOp::Shl || expr.op == BinaryOp::Shr)
    return shift(expr, *lhs, *rhs);

  Kind kind = commonKind(lhs->kind, rhs->kind);
  Int a = wrapped(lhs->value, kind), b = wrapped(rhs->value, kind);
  switch (expr.op) {
  case BinaryOp::Add:
    return inRange(a + b, kind, expr);
  case BinaryOp::Sub:
    return inRange(a - b, kind, expr);
  case BinaryOp::Mul:
    // The product of two unsigned longs may not fit Int; of its low bits nothing is lost.
    if (isUnsigned(kind))
      return Integer{wrapped(static_cast<Int>(static_cast<unsigned __int128>(a) *
                                              static_cast<unsigned __int128>(b)),
                             kind),
                     kind};
    return inRange(a * b, kind, expr);
  case BinaryOp::Div:
  case BinaryOp::Rem:
    if (b == 0) {
      error(expr.opRange, constantName + " divides by zero");
      return std::nullopt;
    }
    return inRange(expr.op == BinaryOp::Div ? a / b : a % b, kind, expr);
  case BinaryOp::BitAnd:
    return Integer{a & b, kind};
  case BinaryOp::BitOr:
    return Integer{a | b, kind};
  case BinaryOp::BitXor:
    return Integer{a ^ b, kind};
  case BinaryOp::Lt:
    return Integer{a < b, Kind::Int32};
  case BinaryOp::Gt:
    return Integer{a > b, Kind::Int32};
  case BinaryOp::Le:
    return Integer{a <= b, Kind::Int32};
  case BinaryOp::Ge:
    return Integer{a >= b, Kind::Int32};
  case BinaryOp::Eq:
    return Integer{a == b, Kind::Int32};
  case BinaryOp::Ne:
    return Integer{a != b, Kind::Int32};
  default:
    return notConstant(expr);
  }
}

std::optional<int64_t> Parser::parseConstant(std::string_view what) {
  ExprPtr expr = parseConditional();
  if (!expr)
    return std::nullopt;
  std::string outer = std::exchange(constantName, std::string(what));
  auto value = evaluate(*expr);
  if (value && value->value > INT64_MAX) {
    error(expr->range, constantName + " does not fit in a long");
    value.reset();
  }
  constantName = std::move(outer);
  return value ? std::optional<int64_t>(static_cast<int64_t>(value->value)) : std::nullopt;
}

} // namespace tritium::frontend::tritonc
