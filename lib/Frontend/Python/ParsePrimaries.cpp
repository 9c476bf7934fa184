//===- ParsePrimaries.cpp - calls, subscripts, names, displays ------------===//

#include "ParserImpl.h"

using namespace tritium;
using namespace tritium::frontend;
using namespace tritium::frontend::ast;
using namespace tritium::frontend::python;

//===----------------------------------------------------------------------===//
// Calls, subscripts, attributes
//===----------------------------------------------------------------------===//

ExprPtr Parser::postfix() {
  if (at("await"))
    return unsupported(rangeOf(token()), "'await'", "call the function directly instead");
  ExprPtr expr = atom();
  while (expr) {
    if (accept("(")) {
      expr = call(std::move(expr));
    } else if (accept("[")) {
      expr = subscript(std::move(expr));
    } else if (accept(".")) {
      auto node = std::make_unique<Attribute>(expr->range);
      if (!expectName(node->name, node->nameRange, "a name after '.'"))
        return nullptr;
      node->range = rangeFrom(expr->range.begin);
      node->base = std::move(expr);
      const Expr *base = node->base.get();
      expr = seal(std::move(node), {base});
    } else {
      break;
    }
  }
  return expr;
}

ExprPtr Parser::call(ExprPtr callee) {
  auto node = std::make_unique<Call>(callee->range);
  const Expr *highest = callee.get();
  SourceLoc begin = callee->range.begin;
  node->callee = std::move(callee);
  bool sawKeyword = false;
  while (!at(")")) {
    CallArgument argument;
    SourceLoc argumentBegin = here();
    if (accept("*")) {
      argument.kind = CallArgument::Star;
      argument.value = expression();
    } else if (accept("**")) {
      argument.kind = CallArgument::DoubleStar;
      argument.value = expression();
      sawKeyword = true;
    } else if (at(TokenKind::Name) && at("=", 1)) {
      argument.kind = CallArgument::Keyword;
      argument.keyword = spelled(token());
      for (const CallArgument &other : node->arguments)
        if (other.kind == CallArgument::Keyword && other.keyword == argument.keyword)
          return error(rangeOf(token()), "argument '" + argument.keyword + "' is given twice");
      pos += 2;
      argument.value = expression();
      sawKeyword = true;
    } else {
      argument.value = namedExpression();
      if (argument.value && at("for"))
        argument.value = comprehension(std::move(argument.value), argumentBegin);
      if (argument.value && sawKeyword)
        return error(argument.value->range, "a positional argument follows a keyword argument");
    }
    if (!argument.value)
      return nullptr;
    argument.range = rangeFrom(argumentBegin);
    if (argument.value->height > highest->height)
      highest = argument.value.get();
    node->arguments.push_back(std::move(argument));
    if (!at(")") && !expect(",", "or ')' in the arguments of a call"))
      return nullptr;
  }
  ++pos;
  node->range = rangeFrom(begin);
  return seal(std::move(node), {highest});
}

ExprPtr Parser::subscript(ExprPtr base) {
  if (at("]"))
    return error(rangeOf(token()), "a subscript needs an index");
  SourceLoc indexBegin = here();
  ExprPtr index = subscriptItem();
  if (index && at(",")) {
    auto tuple = std::make_unique<Tuple>(index->range);
    tuple->elements.push_back(std::move(index));
    while (accept(",")) {
      if (at("]"))
        break;
      ExprPtr next = subscriptItem();
      if (!next)
        return nullptr;
      tuple->elements.push_back(std::move(next));
    }
    tuple->range = rangeFrom(indexBegin);
    Tuple &made = *tuple;
    index = seal(std::move(tuple), made.elements);
  }
  if (!index || !expect("]", "after the index"))
    return nullptr;
  auto node = std::make_unique<Subscript>(rangeFrom(base->range.begin));
  node->base = std::move(base);
  node->index = std::move(index);
  std::initializer_list<const Expr *> children = {node->base.get(), node->index.get()};
  return seal(std::move(node), children);
}

ExprPtr Parser::subscriptItem() {
  SourceLoc begin = here();
  ExprPtr lower;
  if (!at(":")) {
    lower = at("*") ? listElement() : namedExpression();
    if (!lower || !at(":"))
      return lower;
  }
  ++pos;
  auto slice = std::make_unique<Slice>(SourceRange{});
  slice->lower = std::move(lower);
  auto part = [&](ExprPtr &out) {
    if (at(":") || at(",") || at("]"))
      return true;
    out = expression();
    return out != nullptr;
  };
  if (!part(slice->upper) || (accept(":") && !part(slice->step)))
    return nullptr;
  slice->range = rangeFrom(begin);
  std::initializer_list<const Expr *> children = {slice->lower.get(), slice->upper.get(),
                                                  slice->step.get()};
  return seal(std::move(slice), children);
}

//===----------------------------------------------------------------------===//
// Atoms, displays, comprehensions
//===----------------------------------------------------------------------===//

ExprPtr Parser::atom() {
  const Token &first = token();
  auto literal = [&](Constant value) {
    auto node = std::make_unique<Literal>(rangeOf(first));
    node->value = std::move(value);
    ++pos;
    return node;
  };
  switch (first.kind) {
  case TokenKind::Name: {
    auto node = std::make_unique<Name>(rangeOf(first));
    node->id = spelled(first);
    ++pos;
    return node;
  }
  case TokenKind::Integer:
  case TokenKind::Float:
    return number();
  case TokenKind::Imaginary:
    return unsupported(rangeOf(first), "a complex number",
                       "carry the real and the imaginary part in two names instead");
  case TokenKind::String:
  case TokenKind::FString:
    return strings();
  case TokenKind::Keyword:
    if (at("True") || at("False"))
      return literal({at("True")});
    if (at("None"))
      return literal({Constant::None{}});
    if (at("yield"))
      return unsupported(rangeOf(first), "'yield'", "return a tuple instead");
    if (at("lambda") || at("await"))
      return expression();
    break;
  case TokenKind::Operator:
    if (at("("))
      return parenthesised();
    if (at("["))
      return bracketed();
    if (at("{"))
      return braced();
    if (accept("..."))
      return std::make_unique<EllipsisExpr>(rangeOf(tokens[pos - 1]));
    break;
  default:
    break;
  }
  return unexpected("an expression");
}

ExprPtr Parser::listElement() {
  if (!at("*"))
    return namedExpression();
  auto node = std::make_unique<Starred>(rangeOf(token()));
  ++pos;
  node->value = binary(0);
  if (!node->value)
    return nullptr;
  node->range.end = node->value->range.end;
  const Expr *value = node->value.get();
  return seal(std::move(node), {value});
}

bool Parser::atExpressionEnd() const {
  return at(TokenKind::Newline) || at(TokenKind::End) || at("=") || at(")") || at("]") || at(":") ||
         at(";") || at("}");
}

ExprPtr Parser::expressionList() {
  SourceLoc begin = here();
  ExprPtr first = listElement();
  if (!first)
    return nullptr;
  if (!at(",")) {
    if (first->kind == ExprKind::Starred)
      return error(first->range, "'*' is not allowed here; it stands in a tuple or a call");
    return first;
  }
  auto tuple = std::make_unique<Tuple>(first->range);
  tuple->elements.push_back(std::move(first));
  while (accept(",")) {
    if (atExpressionEnd())
      break;
    ExprPtr next = listElement();
    if (!next)
      return nullptr;
    tuple->elements.push_back(std::move(next));
  }
  tuple->range = rangeFrom(begin);
  Tuple &made = *tuple;
  return seal(std::move(tuple), made.elements);
}

ExprPtr Parser::parenthesised() {
  SourceLoc begin = here();
  ++pos;
  if (accept(")"))
    return std::make_unique<Tuple>(rangeFrom(begin));
  ExprPtr inner;
  if (at("yield"))
    return unsupported(rangeOf(token()), "'yield'", "return a tuple instead");
  inner = expressionList();
  if (inner && at("for"))
    inner = comprehension(std::move(inner), begin);
  if (!inner || !expect(")", "to close '('"))
    return nullptr;
  inner->range = rangeFrom(begin);
  return inner;
}

ExprPtr Parser::bracketed() {
  SourceLoc begin = here();
  ++pos;
  auto list = std::make_unique<Tuple>(SourceRange{});
  list->isList = true;
  while (!at("]")) {
    ExprPtr element = listElement();
    if (!element)
      return nullptr;
    if (at("for") && list->elements.empty()) {
      ExprPtr node = comprehension(std::move(element), begin);
      if (!node || !expect("]", "to close '['"))
        return nullptr;
      llvm::cast<Comprehension>(*node).isList = true;
      node->range = rangeFrom(begin);
      return node;
    }
    list->elements.push_back(std::move(element));
    if (!at("]") && !expect(",", "or ']' in a list"))
      return nullptr;
  }
  ++pos;
  list->range = rangeFrom(begin);
  Tuple &made = *list;
  return seal(std::move(list), made.elements);
}

/// A dict display.
ExprPtr Parser::braced() {
  Token open = token();
  ++pos;
  auto dict = std::make_unique<Dict>(SourceRange{});
  const Expr *highest = nullptr;
  while (!at("}")) {
    if (at("**"))
      return unsupported(rangeOf(token()), "'**' in a dict display", "write its entries instead");
    ExprPtr key = expression();
    if (!key)
      return nullptr;
    if (at(",") || at("}") || at("for"))
      return unsupported(rangeOf(open), "a set", "use a tuple instead");
    if (!expect(":", "after the key of a dict"))
      return nullptr;
    ExprPtr value = expression();
    if (!value)
      return nullptr;
    if (at("for"))
      return unsupported(rangeOf(open), "a comprehension of a dict", "write its entries instead");
    for (const Expr *child : {key.get(), value.get()})
      if (!highest || child->height > highest->height)
        highest = child;
    dict->keys.push_back(std::move(key));
    dict->values.push_back(std::move(value));
    if (!at("}") && !expect(",", "or '}' in a dict"))
      return nullptr;
  }
  ++pos;
  dict->range = rangeFrom(rangeOf(open).begin);
  return seal(std::move(dict), {highest});
}

ExprPtr Parser::loopTarget() {
  SourceLoc begin = here();
  bool isTuple = false;
  auto tuple = std::make_unique<Tuple>(SourceRange{});
  while (true) {
    SourceLoc star = here();
    bool isStarred = accept("*");
    ExprPtr target = postfix();
    if (!target)
      return nullptr;
    if (isStarred) {
      auto starred = std::make_unique<Starred>(rangeFrom(star));
      starred->value = std::move(target);
      const Expr *value = starred->value.get();
      target = seal(std::move(starred), {value});
    }
    tuple->elements.push_back(std::move(target));
    if (!accept(","))
      break;
    isTuple = true;
    if (at("in"))
      break;
  }
  if (!isTuple)
    return std::move(tuple->elements.front());
  tuple->range = rangeFrom(begin);
  Tuple &made = *tuple;
  return seal(std::move(tuple), made.elements);
}

ExprPtr Parser::comprehension(ExprPtr element, SourceLoc begin) {
  auto node = std::make_unique<Comprehension>(element->range);
  node->element = std::move(element);
  const Expr *highest = node->element.get();
  auto hold = [&](ExprPtr &to, ExprPtr from) {
    to = std::move(from);
    if (to && to->height > highest->height)
      highest = to.get();
    return to != nullptr;
  };
  while (accept("for")) {
    ComprehensionLoop &loop = node->loops.emplace_back();
    if (!hold(loop.target, loopTarget()) || !checkTarget(*loop.target) ||
        !expect("in", "of the comprehension") || !hold(loop.iterable, logical(LogicalOp::Or)))
      return nullptr;
    while (accept("if"))
      if (!hold(loop.conditions.emplace_back(), logical(LogicalOp::Or)))
        return nullptr;
  }
  if (at("async"))
    return unsupported(rangeOf(token()), "'async'", "write a plain 'for' instead");
  node->range = rangeFrom(begin);
  return seal(std::move(node), {highest});
}

ExprPtr Parser::lambda() {
  SourceLoc begin = here();
  SourceRange keyword = rangeOf(token());
  ++pos;
  auto node = std::make_unique<Lambda>(keyword);
  node->function = std::make_shared<Function>();
  node->function->name = "<lambda>";
  node->function->nameRange = keyword;
  if (!parameters(node->function->parameters, ":"))
    return nullptr;
  ExprPtr value = expression();
  if (!value)
    return nullptr;
  const Expr *body = value.get();
  auto result = std::make_unique<Return>(value->range);
  result->value = std::move(value);
  node->function->body.push_back(std::move(result));
  node->range = rangeFrom(begin);
  return seal(std::move(node), {body});
}
