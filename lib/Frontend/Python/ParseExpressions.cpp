//===- ParseExpressions.cpp - operators -----------------------------------===//
//
// Python's expression grammar by recursive descent, down to the operands, which are in
// ParsePrimaries.cpp; the binary operators from `|` to `@` by precedence climbing.
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

using namespace tritium;
using namespace tritium::frontend;
using namespace tritium::frontend::ast;
using namespace tritium::frontend::python;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

bool Parser::checkDepth() {
  if (depth <= kMaxHeight)
    return true;
  error(rangeOf(token()), "this is nested too deeply");
  return false;
}

ExprPtr Parser::seal(ExprPtr node, std::initializer_list<const Expr *> children) {
  unsigned height = 0;
  for (const Expr *child : children)
    if (child)
      height = std::max<unsigned>(height, child->height);
  if (height >= kMaxHeight)
    return error(node->range, "this expression is nested too deeply; split it with names");
  node->height = height + 1;
  return node;
}

ExprPtr Parser::seal(ExprPtr node, const std::vector<ExprPtr> &children) {
  const Expr *highest = nullptr;
  for (const ExprPtr &child : children)
    if (child && (!highest || child->height > highest->height))
      highest = child.get();
  return seal(std::move(node), {highest});
}

static std::string describeToken(TokenKind kind, std::string_view text) {
  switch (kind) {
  case TokenKind::Newline:
    return "the end of the line";
  case TokenKind::Indent:
    return "an indented line";
  case TokenKind::Dedent:
    return "the end of the block";
  case TokenKind::End:
    return "the end of the text";
  default:
    return "'" + std::string(text.substr(0, 40)) + "'";
  }
}

std::nullptr_t Parser::unexpected(std::string_view wanted) {
  return error(rangeOf(token()), "expected " + std::string(wanted) + ", found " +
                                     describeToken(token().kind, spelled(token())));
}

std::nullptr_t Parser::unsupported(SourceRange range, std::string_view what,
                                   std::string_view instead) {
  diagnostics.error(range,
                    std::string(what) + " is not supported in a kernel; " + std::string(instead),
                    kUnsupported);
  return nullptr;
}

bool Parser::expect(std::string_view what, std::string_view where) {
  if (accept(what))
    return true;
  unexpected("'" + std::string(what) + "' " + std::string(where));
  return false;
}

bool Parser::expectName(std::string &name, SourceRange &range, std::string_view what) {
  if (!at(TokenKind::Name)) {
    unexpected(what);
    return false;
  }
  name = spelled(token());
  range = rangeOf(token());
  ++pos;
  return true;
}

//===----------------------------------------------------------------------===//
// From the loosest operators to the tightest
//===----------------------------------------------------------------------===//

ExprPtr Parser::wholeExpression() {
  ExprPtr expr = expressionList();
  if (!expr)
    return nullptr;
  while (at(TokenKind::Newline))
    ++pos;
  if (!at(TokenKind::End))
    return unexpected("an operator or the end");
  return expr;
}

ExprPtr Parser::namedExpression() {
  if (!at(TokenKind::Name) || !at(":=", 1))
    return expression();
  auto walrus = std::make_unique<Walrus>(rangeOf(token()));
  walrus->name = spelled(token());
  walrus->nameRange = rangeOf(token());
  pos += 2;
  walrus->value = expression();
  if (!walrus->value)
    return nullptr;
  walrus->range.end = walrus->value->range.end;
  const Expr *value = walrus->value.get();
  return seal(std::move(walrus), {value});
}

ExprPtr Parser::expression() {
  Level level(*this);
  if (!checkDepth())
    return nullptr;
  if (at("lambda"))
    return lambda();
  ExprPtr body = logical(LogicalOp::Or);
  if (!body || !accept("if"))
    return body;
  auto conditional = std::make_unique<Conditional>(body->range);
  conditional->body = std::move(body);
  conditional->test = logical(LogicalOp::Or);
  if (!conditional->test || !expect("else", "of this conditional expression"))
    return nullptr;
  conditional->orelse = expression();
  if (!conditional->orelse)
    return nullptr;
  conditional->range.end = conditional->orelse->range.end;
  std::initializer_list<const Expr *> children = {conditional->test.get(), conditional->body.get(),
                                                  conditional->orelse.get()};
  return seal(std::move(conditional), children);
}

ExprPtr Parser::logical(LogicalOp op) {
  bool isOr = op == LogicalOp::Or;
  auto operand = [&] { return isOr ? logical(LogicalOp::And) : negation(); };
  ExprPtr first = operand();
  if (!first || !at(spelling(op)))
    return first;
  auto node = std::make_unique<BoolOp>(first->range);
  node->op = op;
  node->operands.push_back(std::move(first));
  while (accept(spelling(op))) {
    ExprPtr next = operand();
    if (!next)
      return nullptr;
    node->range.end = next->range.end;
    node->operands.push_back(std::move(next));
  }
  BoolOp &made = *node;
  return seal(std::move(node), made.operands);
}

ExprPtr Parser::negation() {
  if (!at("not"))
    return comparison();
  Level level(*this);
  if (!checkDepth())
    return nullptr;
  auto node = std::make_unique<Unary>(rangeOf(token()));
  ++pos;
  node->op = UnaryOp::Not;
  node->operand = negation();
  if (!node->operand)
    return nullptr;
  node->range.end = node->operand->range.end;
  const Expr *operand = node->operand.get();
  return seal(std::move(node), {operand});
}

bool Parser::compareOperator(CompareOp &op) {
  constexpr CompareOp kSimple[] = {CompareOp::Eq, CompareOp::Ne, CompareOp::Lt, CompareOp::Le,
                                   CompareOp::Gt, CompareOp::Ge, CompareOp::In};
  for (CompareOp candidate : kSimple) {
    if (accept(spelling(candidate))) {
      op = candidate;
      return true;
    }
  }
  if (at("not") && at("in", 1)) {
    pos += 2;
    op = CompareOp::NotIn;
    return true;
  }
  if (accept("is")) {
    op = accept("not") ? CompareOp::IsNot : CompareOp::Is;
    return true;
  }
  return false;
}

ExprPtr Parser::comparison() {
  ExprPtr first = binary(0);
  CompareOp op;
  if (!first || !compareOperator(op))
    return first;
  auto node = std::make_unique<Compare>(first->range);
  node->operands.push_back(std::move(first));
  do {
    ExprPtr next = binary(0);
    if (!next)
      return nullptr;
    node->ops.push_back(op);
    node->range.end = next->range.end;
    node->operands.push_back(std::move(next));
  } while (compareOperator(op));
  Compare &made = *node;
  return seal(std::move(node), made.operands);
}

namespace {
struct BinaryOperator {
  BinaryOp op;
  int precedence;
};
constexpr BinaryOperator kBinaryOperators[] = {
    {BinaryOp::BitOr, 0},   {BinaryOp::BitXor, 1},   {BinaryOp::BitAnd, 2}, {BinaryOp::Shl, 3},
    {BinaryOp::Shr, 3},     {BinaryOp::Add, 4},      {BinaryOp::Sub, 4},    {BinaryOp::Mul, 5},
    {BinaryOp::TrueDiv, 5}, {BinaryOp::FloorDiv, 5}, {BinaryOp::Mod, 5},    {BinaryOp::MatMul, 5}};
} // namespace

ExprPtr Parser::binary(int minimum) {
  ExprPtr lhs = unary();
  while (lhs && at(TokenKind::Operator)) {
    const BinaryOperator *found = nullptr;
    for (const BinaryOperator &candidate : kBinaryOperators)
      if (spelled(token()) == spelling(candidate.op))
        found = &candidate;
    if (!found || found->precedence < minimum)
      break;
    auto node = std::make_unique<Binary>(lhs->range);
    node->op = found->op;
    node->opRange = rangeOf(token());
    ++pos;
    node->lhs = std::move(lhs);
    node->rhs = binary(found->precedence + 1);
    if (!node->rhs)
      return nullptr;
    node->range.end = node->rhs->range.end;
    std::initializer_list<const Expr *> children = {node->lhs.get(), node->rhs.get()};
    lhs = seal(std::move(node), children);
  }
  return lhs;
}

ExprPtr Parser::unary() {
  UnaryOp op;
  if (at("-"))
    op = UnaryOp::Minus;
  else if (at("+"))
    op = UnaryOp::Plus;
  else if (at("~"))
    op = UnaryOp::Invert;
  else
    return power();
  Level level(*this);
  if (!checkDepth())
    return nullptr;
  auto node = std::make_unique<Unary>(rangeOf(token()));
  ++pos;
  node->op = op;
  node->operand = unary();
  if (!node->operand)
    return nullptr;
  node->range.end = node->operand->range.end;
  const Expr *operand = node->operand.get();
  return seal(std::move(node), {operand});
}

ExprPtr Parser::power() {
  ExprPtr base = postfix();
  if (!base || !at("**"))
    return base;
  Level level(*this);
  if (!checkDepth())
    return nullptr;
  auto node = std::make_unique<Binary>(base->range);
  node->op = BinaryOp::Pow;
  node->opRange = rangeOf(token());
  ++pos;
  node->lhs = std::move(base);
  node->rhs = unary();
  if (!node->rhs)
    return nullptr;
  node->range.end = node->rhs->range.end;
  std::initializer_list<const Expr *> children = {node->lhs.get(), node->rhs.get()};
  return seal(std::move(node), children);
}
