//===- ParseExpressions.cpp - operators -----------------------------------===//

#include "ParserImpl.h"

namespace tritium::frontend::tritonc {

namespace {
struct Operator {
  std::string_view text;
  unsigned precedence; ///< larger binds tighter
  BinaryOp op;
};
constexpr unsigned kRangePrecedence = 12;
constexpr Operator kOperators[] = {
    {"||", 1, BinaryOp::LogicalOr}, {"&&", 2, BinaryOp::LogicalAnd}, {"|", 3, BinaryOp::BitOr},
    {"^", 4, BinaryOp::BitXor},     {"&", 5, BinaryOp::BitAnd},      {"==", 6, BinaryOp::Eq},
    {"!=", 6, BinaryOp::Ne},        {"<", 7, BinaryOp::Lt},          {">", 7, BinaryOp::Gt},
    {"<=", 7, BinaryOp::Le},        {">=", 7, BinaryOp::Ge},         {"<<", 8, BinaryOp::Shl},
    {">>", 8, BinaryOp::Shr},       {"+", 9, BinaryOp::Add},         {"-", 9, BinaryOp::Sub},
    {"*", 10, BinaryOp::Mul},       {"/", 10, BinaryOp::Div},        {"%", 10, BinaryOp::Rem},
    {"@", 11, BinaryOp::MatMul},
};

const Operator *findOperator(const Token &token) {
  if (token.kind != Token::Punctuator)
    return nullptr;
  for (const Operator &op : kOperators)
    if (op.text == token.text)
      return &op;
  return nullptr;
}

/// The operator of `op=`; nothing for `=`. `isAssignment` says whether it is either.
std::optional<BinaryOp> assignmentOperator(const Token &token, bool &isAssignment) {
  isAssignment = false;
  if (token.kind != Token::Punctuator || !token.text.ends_with('='))
    return std::nullopt;
  std::string_view text = token.text.substr(0, token.text.size() - 1);
  if (text.empty()) {
    isAssignment = true;
    return std::nullopt;
  }
  for (const Operator &op : kOperators)
    if (op.text == text && op.precedence >= 3 && op.precedence != 6 && op.precedence != 7 &&
        op.op != BinaryOp::MatMul) {
      isAssignment = true;
      return op.op;
    }
  return std::nullopt;
}
} // namespace

ExprPtr Parser::parseExpression() {
  ExprPtr lhs = parseAssignment();
  while (lhs && accept(",")) {
    auto comma = std::make_unique<Comma>(lhs->range);
    comma->lhs = std::move(lhs);
    comma->rhs = parseAssignment();
    if (!comma->rhs)
      return nullptr;
    comma->range = since(comma->range);
    const Expr *l = comma->lhs.get(), *r = comma->rhs.get();
    lhs = finish(std::move(comma), {l, r});
  }
  return lhs;
}

ExprPtr Parser::parseAssignment() {
  Level level(*this);
  if (!checkDepth(peek().range))
    return nullptr;
  ExprPtr target = parseConditional();
  if (!target)
    return nullptr;
  bool isAssignment = false;
  auto op = assignmentOperator(peek(), isAssignment);
  if (!isAssignment)
    return target;
  if (!checkAssignable(*target))
    return nullptr;
  auto assign = std::make_unique<Assign>(target->range);
  assign->op = op;
  assign->opRange = take().range;
  assign->target = std::move(target);
  assign->value = parseAssignment();
  if (!assign->value)
    return nullptr;
  assign->range = since(assign->range);
  const Expr *l = assign->target.get(), *r = assign->value.get();
  return finish(std::move(assign), {l, r});
}

ExprPtr Parser::parseConditional() {
  ExprPtr test = parseBinary(1);
  if (!test || !isAt("?"))
    return test;
  Level level(*this);
  if (!checkDepth(peek().range))
    return nullptr;
  take();
  auto result = std::make_unique<Conditional>(test->range);
  result->test = std::move(test);
  if (!isAt(":") && !(result->then = parseExpression()))
    return nullptr;
  if (!expect(":", "the middle of '?:'") || !(result->otherwise = parseConditional()))
    return nullptr;
  result->range = since(result->range);
  const Expr *a = result->test.get(), *b = result->then.get(), *c = result->otherwise.get();
  return finish(std::move(result), {a, b, c});
}

ExprPtr Parser::parseBinary(unsigned minPrecedence) {
  ExprPtr lhs = parseCast();
  while (lhs) {
    if (isAt("...") && kRangePrecedence >= minPrecedence) {
      take();
      auto range = std::make_unique<Range>(lhs->range);
      range->first = std::move(lhs);
      if (!(range->last = parseCast()))
        return nullptr;
      range->range = since(range->range);
      const Expr *l = range->first.get(), *r = range->last.get();
      lhs = finish(std::move(range), {l, r});
      continue;
    }
    const Operator *op = findOperator(peek());
    if (!op || op->precedence < minPrecedence)
      return lhs;
    if (peek().isLineStart)
      lineStartOperator = position;
    auto binary = std::make_unique<Binary>(lhs->range);
    binary->op = op->op;
    binary->opRange = take().range;
    binary->lhs = std::move(lhs);
    if (!(binary->rhs = parseBinary(op->precedence + 1)))
      return nullptr;
    binary->range = since(binary->range);
    const Expr *l = binary->lhs.get(), *r = binary->rhs.get();
    lhs = finish(std::move(binary), {l, r});
  }
  return nullptr;
}

ExprPtr Parser::parseCast() {
  Level level(*this);
  if (!checkDepth(peek().range))
    return nullptr;
  if (!isAt("("))
    return parseUnary();
  size_t start = position;
  SourceRange opening = take().range;
  if (!startsType()) {
    position = start;
    return parseUnary();
  }
  auto type = parseTypeName();
  if (!type || !expectClosing(")", opening))
    return nullptr;
  if (isAt("{"))
    return error(peek().range, "a cast is followed by the value to convert, not by a list");
  auto cast = std::make_unique<Cast>(opening);
  cast->type = std::move(*type);
  if (!(cast->operand = parseCast()))
    return nullptr;
  cast->range = since(opening);
  const Expr *operand = cast->operand.get();
  return finish(std::move(cast), {operand});
}

ExprPtr Parser::parseDereference() {
  SourceRange first = take().range;
  auto result = std::make_unique<Dereference>(first);
  if (accept("?")) {
    SourceRange opening = peek().range;
    if (!expect("(", "'*?'"))
      return nullptr;
    if (!(result->mask = parseExpression()) || !expectClosing(")", opening))
      return nullptr;
  }
  if (!(result->pointer = parseCast()))
    return nullptr;
  result->range = since(first);
  const Expr *pointer = result->pointer.get(), *mask = result->mask.get();
  return finish(std::move(result), {pointer, mask});
}

ExprPtr Parser::parseSizeOf() {
  SourceRange first = take().range;
  auto result = std::make_unique<SizeOf>(first);
  if (isAt("(")) {
    size_t start = position;
    SourceRange opening = take().range;
    if (startsType()) {
      result->type = parseTypeName();
      if (!result->type || !expectClosing(")", opening))
        return nullptr;
      result->range = since(first);
      return finish(std::move(result), {});
    }
    position = start;
  }
  if (!(result->operand = parseUnary()))
    return nullptr;
  result->range = since(first);
  const Expr *operand = result->operand.get();
  return finish(std::move(result), {operand});
}

ExprPtr Parser::parseUnary() {
  const Token &token = peek();
  if (token.kind == Token::Identifier && token.text == "sizeof")
    return parseSizeOf();
  if (token.kind != Token::Punctuator)
    return parsePostfix();
  if (token.text == "*")
    return parseDereference();
  SourceRange first = token.range;
  if (token.text == "++" || token.text == "--") {
    auto step = std::make_unique<Step>(first);
    step->isIncrement = take().text == "++";
    if (!(step->operand = parseCast()))
      return nullptr;
    step->range = since(first);
    const Expr *operand = step->operand.get();
    return finish(std::move(step), {operand});
  }
  static constexpr std::pair<std::string_view, UnaryOp> kUnary[] = {
      {"+", UnaryOp::Plus}, {"-", UnaryOp::Minus},     {"~", UnaryOp::Complement},
      {"!", UnaryOp::Not},  {"^", UnaryOp::Transpose}, {"&", UnaryOp::AddressOf},
  };
  for (auto [text, op] : kUnary)
    if (token.text == text) {
      take();
      auto unary = std::make_unique<Unary>(first);
      unary->op = op;
      if (!(unary->operand = parseCast()))
        return nullptr;
      unary->range = since(first);
      const Expr *operand = unary->operand.get();
      return finish(std::move(unary), {operand});
    }
  return parsePostfix();
}

} // namespace tritium::frontend::tritonc
