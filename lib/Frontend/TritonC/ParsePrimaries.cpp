//===- ParsePrimaries.cpp - names, calls, subscripts ----------------------===//

#include "ParserImpl.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"

namespace tritium::frontend::tritonc {

/// The spelling of today for a built-in function's name of an older generation.
static std::string_view modernName(std::string_view name) {
  return llvm::StringSwitch<std::string_view>(name)
      .Case("get_range_id", "get_program_id")
      .Case("get_num_program", "get_num_programs")
      .Case("__atomic_cas", "atomic_cas")
      .Cases("__atomic_exch", "__atomic_exchg", "atomic_xchg")
      .Cases("__atomic_add", "f32_atomic_add", "atomic_add")
      .StartsWith("atomic_add_", "atomic_add")
      .Default(name);
}

ExprPtr Parser::parsePostfix() {
  ExprPtr base = parsePrimary();
  while (base) {
    if (isAt("[")) {
      base = parseSubscript(std::move(base));
    } else if (isAt("++") || isAt("--")) {
      auto step = std::make_unique<Step>(base->range);
      step->isIncrement = take().text == "++";
      step->isPrefix = false;
      step->operand = std::move(base);
      step->range = since(step->range);
      const Expr *operand = step->operand.get();
      base = finish(std::move(step), {operand});
    } else if (isAt("(")) {
      return error(base->range, "only functions can be called");
    } else if (isAt(".") || isAt("->")) {
      return error(peek().range, "there are no structures in Triton-C");
    } else {
      return base;
    }
  }
  return nullptr;
}

ExprPtr Parser::parsePrimary() {
  const Token &token = peek();
  switch (token.kind) {
  case Token::Identifier:
    return parseName();
  case Token::Number:
    return parseNumber(take());
  case Token::Character:
    return parseCharacter(take());
  case Token::String:
    return error(token.range, "a string stands only in static_assert");
  case Token::End:
    return error(token.range, "the file ends where an expression was expected");
  case Token::Punctuator:
    break;
  }
  if (token.text == "(") {
    SourceRange opening = take().range;
    ExprPtr inner = parseExpression();
    if (!inner || !expectClosing(")", opening))
      return nullptr;
    inner->range = since(opening);
    return inner;
  }
  if (token.text == "?" && position > 0)
    return error(token.range,
                 "'?' cannot start an operand; a load under a mask is '*?(mask) pointer'");
  return error(token.range, "expected an expression, found '" + std::string(token.text) + "'");
}

ExprPtr Parser::parseName() {
  const Token name = take();
  if (name.text == "bitcast" && isAt("<"))
    return parseBitcast();
  if (name.text == "get_global_range")
    return parseGlobalRange(name);
  if (isAt("("))
    return parseCall(name);
  if (isKeyword(name.text) || findTypedef(name.text))
    return error(name.range, "expected an expression, found '" + std::string(name.text) + "'");
  if (auto constant = constants.find(name.text);
      constant != constants.end() && !isHidden(name.text)) {
    auto number = std::make_unique<Number>(name.range);
    number->dtype = {DTypeKind::Int32};
    number->value.value = Constant::Int(constant->second);
    return number;
  }
  auto result = std::make_unique<Name>(name.range);
  result->id = name.text;
  return result;
}

ExprPtr Parser::parseBitcast() {
  SourceRange first = previous().range, opening = take().range;
  auto result = std::make_unique<Bitcast>(first);
  auto type = parseTypeName();
  if (!type || !expectClosing(">", opening))
    return nullptr;
  result->type = std::move(*type);
  opening = peek().range;
  if (!expect("(", "the type of 'bitcast'") || !(result->operand = parseExpression()) ||
      !expectClosing(")", opening))
    return nullptr;
  result->range = since(first);
  const Expr *operand = result->operand.get();
  return finish(std::move(result), {operand});
}

/// `get_global_range[N](axis)`: get_program_id(axis) * N + (0 ... N). Without [N], N is
/// the extent of the tile that is initialised.
ExprPtr Parser::parseGlobalRange(const Token &name) {
  std::optional<int64_t> extent;
  SourceRange opening = peek().range;
  if (accept("[")) {
    extent = parseConstant("the extent of 'get_global_range'");
    if (!extent || !expectClosing("]", opening))
      return nullptr;
  } else if (initialized && initialized->shape.size() == 1) {
    extent = initialized->shape.front();
  }
  if (!extent || *extent < 1)
    return error(name.range, "'get_global_range' needs an extent of at least 1: write "
                             "'get_global_range[N](axis)'");
  Token programId = name;
  programId.text = "get_program_id";
  if (!isAt("("))
    return error(peek().range, "expected '(' and the axis after 'get_global_range'");
  ExprPtr id = parseCall(programId);
  if (!id)
    return nullptr;
  SourceRange range = since(name.range);
  auto number = [&](int64_t value) {
    auto result = std::make_unique<Number>(range);
    result->dtype = {DTypeKind::Int32};
    result->value.value = Constant::Int(value);
    return result;
  };
  auto binary = [&](BinaryOp op, ExprPtr lhs, ExprPtr rhs) {
    auto result = std::make_unique<Binary>(range);
    result->op = op;
    result->opRange = range;
    result->lhs = std::move(lhs);
    result->rhs = std::move(rhs);
    const Expr *l = result->lhs.get(), *r = result->rhs.get();
    return finish(std::move(result), {l, r});
  };
  auto indices = std::make_unique<Range>(range);
  indices->first = number(0);
  indices->last = number(*extent);
  indices->height = 2;
  ExprPtr start = binary(BinaryOp::Mul, std::move(id), number(*extent));
  return start ? binary(BinaryOp::Add, std::move(start), std::move(indices)) : nullptr;
}

/// The first group of `atomic_add(T, M, N)(pointers, values, mask)`, which says the same
/// as the types of the second.
bool Parser::skipTypeArguments() {
  SourceRange opening = take().range;
  if (!parseTypeName())
    return false;
  while (accept(","))
    if (!parseConstant("an extent of 'atomic_add'"))
      return false;
  return expectClosing(")", opening);
}

ExprPtr Parser::parseCall(const Token &name) {
  auto call = std::make_unique<Call>(name.range);
  call->calleeRange = name.range;
  call->callee = name.text;
  if (!functions.contains(name.text))
    call->callee = modernName(name.text);
  if (call->callee == "atomic_add" && isAt("(")) {
    size_t start = position;
    take();
    bool isCurried = startsType();
    position = start;
    if (isCurried && !skipTypeArguments())
      return nullptr;
  }
  SourceRange opening = peek().range;
  if (!expect("(", "'" + call->callee + "'"))
    return nullptr;
  unsigned height = 0;
  while (!isAt(")")) {
    ExprPtr argument = parseAssignment();
    if (!argument)
      return nullptr;
    height = std::max<unsigned>(height, argument->height);
    call->arguments.push_back(std::move(argument));
    if (!accept(","))
      break;
    if (isAt(")"))
      return error(peek().range, "expected an argument after ','");
  }
  if (!expectClosing(")", opening))
    return nullptr;
  call->range = since(call->range);
  if (call->arguments.empty())
    return call;
  const Expr *tallest = nullptr;
  for (const ExprPtr &argument : call->arguments)
    if (argument->height == height)
      tallest = argument.get();
  return finish(std::move(call), {tallest});
}

ExprPtr Parser::parseSubscript(ExprPtr base) {
  SourceRange opening = take().range;
  auto result = std::make_unique<Subscript>(base->range);
  result->base = std::move(base);
  const Expr *tallest = result->base.get();
  while (!isAt("]")) {
    SubscriptItem item;
    if (!parseSubscriptItem(item))
      return nullptr;
    for (const ExprPtr *part : {&item.element, &item.end, &item.step})
      if (*part && (*part)->height > tallest->height)
        tallest = part->get();
    result->items.push_back(std::move(item));
    if (!accept(","))
      break;
    if (isAt("]"))
      return error(peek().range, "expected a subscript after ','");
  }
  if (!expectClosing("]", opening))
    return nullptr;
  if (result->items.empty())
    return error(since(opening), "a subscript needs one item for each axis: ':' keeps it");
  result->range = since(result->range);
  return finish(std::move(result), {tallest});
}

bool Parser::parseSubscriptItem(SubscriptItem &item) {
  SourceRange first = peek().range;
  item.range = first;
  bool isAlone = isAt(",", 1) || isAt("]", 1);
  if (isAlone) {
    static constexpr std::pair<std::string_view, SubscriptItem::Kind> kItems[] = {
        {":", SubscriptItem::Keep},  {"newaxis", SubscriptItem::NewAxis}, {"+", SubscriptItem::Sum},
        {"max", SubscriptItem::Max}, {"min", SubscriptItem::Min},
    };
    for (auto [text, kind] : kItems)
      if (isAt(text)) {
        take();
        item.kind = kind;
        return true;
      }
    if (isAt("-")) {
      error(first, "'-' does not reduce; the reductions are '+', 'max' and 'min'");
      return false;
    }
  }
  if (accept("^")) {
    item.kind = SubscriptItem::Permute;
    auto axis = parseConstant("the axis of a permutation");
    if (!axis)
      return false;
    item.axis = *axis;
    item.range = since(first);
    return true;
  }
  item.kind = SubscriptItem::Element;
  auto isColon = [&] { return isAt(":") || isAt("::"); };
  ExprPtr *parts[] = {&item.element, &item.end, &item.step};
  for (size_t at = 0;;) {
    bool isLeftOut = isColon() || (at > 0 && (isAt(",") || isAt("]")));
    if (!isLeftOut && !(*parts[at] = parseConditional()))
      return false;
    if (!isColon())
      break;
    item.kind = SubscriptItem::Slice;
    at += isAt("::") ? 2 : 1;
    if (at > 2) {
      error(peek().range, "a slice has three parts, 'first:end:step'");
      return false;
    }
    take();
  }
  item.range = since(first);
  return true;
}

} // namespace tritium::frontend::tritonc
