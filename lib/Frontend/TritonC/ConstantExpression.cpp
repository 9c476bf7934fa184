//===- ConstantExpression.cpp - integers that are known while parsing -----===//

#include "ParserImpl.h"

#include "llvm/ADT/StringRef.h"

namespace tritium::frontend::tritonc {
namespace {
using Int = __int128;

bool fits64(Int value) { return value >= INT64_MIN && value <= Int(UINT64_MAX); }
} // namespace

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

std::optional<__int128> Parser::evaluate(const Expr &expr) {
  auto checked = [&](Int value) -> std::optional<Int> {
    if (fits64(value))
      return value;
    error(expr.range, constantName + " does not fit in 64 bits");
    return std::nullopt;
  };
  if (auto *number = llvm::dyn_cast<Number>(&expr)) {
    auto *value = std::get_if<Constant::Int>(&number->value.value);
    return value ? std::optional<Int>(*value) : notConstant(expr);
  }
  if (auto *cast = llvm::dyn_cast<Cast>(&expr)) {
    DType to = cast->type.element;
    if (to.isPointer() || !cast->type.shape.empty() || to.kind > DTypeKind::UInt64 ||
        to.kind == DTypeKind::Void)
      return notConstant(expr);
    auto value = evaluate(*cast->operand);
    if (!value)
      return std::nullopt;
    if (to.kind == DTypeKind::Int1)
      return *value != 0;
    Int modulus = Int(1) << to.bits(), low = ((*value % modulus) + modulus) % modulus;
    bool isSigned = to.kind <= DTypeKind::Int64;
    return isSigned && low >= modulus / 2 ? low - modulus : low;
  }
  if (auto *size = llvm::dyn_cast<SizeOf>(&expr)) {
    if (!size->type)
      return notConstant(expr);
    Int bytes = std::max(1u, size->type->element.bits() / 8);
    for (int64_t extent : size->type->shape)
      bytes *= extent;
    return checked(bytes);
  }
  if (auto *unary = llvm::dyn_cast<Unary>(&expr)) {
    auto value = evaluate(*unary->operand);
    if (!value)
      return std::nullopt;
    switch (unary->op) {
    case UnaryOp::Plus:
      return value;
    case UnaryOp::Minus:
      return checked(-*value);
    case UnaryOp::Complement:
      return ~*value;
    case UnaryOp::Not:
      return *value == 0;
    case UnaryOp::Transpose:
    case UnaryOp::AddressOf:
      return notConstant(expr);
    }
  }
  if (auto *conditional = llvm::dyn_cast<Conditional>(&expr)) {
    auto test = evaluate(*conditional->test);
    if (!test)
      return std::nullopt;
    if (*test && !conditional->then)
      return test;
    return evaluate(*test ? *conditional->then : *conditional->otherwise);
  }
  auto *binary = llvm::dyn_cast<Binary>(&expr);
  if (!binary || binary->op == BinaryOp::MatMul)
    return notConstant(expr);
  auto lhs = evaluate(*binary->lhs);
  if (!lhs)
    return std::nullopt;
  if (binary->op == BinaryOp::LogicalAnd && *lhs == 0)
    return 0;
  if (binary->op == BinaryOp::LogicalOr && *lhs != 0)
    return 1;
  auto rhs = evaluate(*binary->rhs);
  if (!rhs)
    return std::nullopt;
  Int a = *lhs, b = *rhs;
  switch (binary->op) {
  case BinaryOp::Add:
    return checked(a + b);
  case BinaryOp::Sub:
    return checked(a - b);
  case BinaryOp::Mul: {
    Int product;
    if (__builtin_mul_overflow(a, b, &product))
      return checked(Int(1) << 100);
    return checked(product);
  }
  case BinaryOp::Div:
  case BinaryOp::Rem:
    if (b == 0) {
      error(binary->opRange, constantName + " divides by zero");
      return std::nullopt;
    }
    return binary->op == BinaryOp::Div ? a / b : a % b;
  case BinaryOp::Shl:
  case BinaryOp::Shr:
    if (b < 0 || b > 63) {
      error(binary->opRange,
            "a shift must be from 0 to 63 bits, found " + std::to_string(static_cast<int64_t>(b)));
      return std::nullopt;
    }
    return binary->op == BinaryOp::Shl ? checked(a * (Int(1) << b)) : std::optional<Int>(a >> b);
  case BinaryOp::BitAnd:
    return a & b;
  case BinaryOp::BitOr:
    return a | b;
  case BinaryOp::BitXor:
    return a ^ b;
  case BinaryOp::Lt:
    return a < b;
  case BinaryOp::Gt:
    return a > b;
  case BinaryOp::Le:
    return a <= b;
  case BinaryOp::Ge:
    return a >= b;
  case BinaryOp::Eq:
    return a == b;
  case BinaryOp::Ne:
    return a != b;
  case BinaryOp::LogicalAnd:
  case BinaryOp::LogicalOr:
    return b != 0;
  case BinaryOp::MatMul:
    break;
  }
  return notConstant(expr);
}

std::optional<int64_t> Parser::parseConstant(std::string_view what) {
  ExprPtr expr = parseConditional();
  if (!expr)
    return std::nullopt;
  std::string outer = std::exchange(constantName, std::string(what));
  auto value = evaluate(*expr);
  if (value && (*value > INT64_MAX || *value < INT64_MIN)) {
    error(expr->range, constantName + " does not fit in 64 bits");
    value.reset();
  }
  constantName = std::move(outer);
  return value ? std::optional<int64_t>(static_cast<int64_t>(*value)) : std::nullopt;
}

} // namespace tritium::frontend::tritonc
