//===- ParseStatements.cpp - statements -----------------------------------===//

#include "ParserImpl.h"

using namespace tritium;
using namespace tritium::frontend;
using namespace tritium::frontend::ast;
using namespace tritium::frontend::python;

//===----------------------------------------------------------------------===//
// What kernels may not use
//===----------------------------------------------------------------------===//

namespace {
struct Unsupported {
  std::string_view keyword, what, instead;
};
constexpr Unsupported kUnsupportedStatements[] = {
    {"try", "'try'", "nothing in a kernel raises; test the condition with 'if' instead"},
    {"raise", "'raise'", "use tl.static_assert or tl.device_assert instead"},
    {"async", "'async'", "write a plain loop or function instead"},
    {"del", "'del'", "names end with their function; leave it out"},
    {"import", "'import'", "import at module level instead"},
    {"from", "'import'", "import at module level instead"},
    {"global", "'global'", "pass the value as an argument and return it instead"},
    {"nonlocal", "'nonlocal'", "pass the value as an argument and return it instead"},
    {"with", "'with'", "write its body on its own instead"},
    {"class", "a class", "define it outside of the kernel instead"},
    {"yield", "'yield'", "return a tuple instead"}};
} // namespace

/// `match` is no keyword: it is the statement if its line ends in ':' and a block follows.
bool Parser::atMatchStatement() const {
  if (!at(TokenKind::Name) || spelled(token()) != "match" || at("=", 1) || at(".", 1) || at(":", 1))
    return false;
  size_t end = pos;
  while (tokens[end].kind != TokenKind::Newline && tokens[end].kind != TokenKind::End)
    ++end;
  return is(tokens[end - 1], ":") && end + 1 < tokens.size() &&
         tokens[end + 1].kind == TokenKind::Indent;
}

bool Parser::unsupportedStatement() {
  for (const Unsupported &entry : kUnsupportedStatements) {
    if (at(entry.keyword)) {
      unsupported(rangeOf(token()), entry.what, entry.instead);
      return true;
    }
  }
  if (atMatchStatement()) {
    unsupported(rangeOf(token()), "'match'", "use if, elif and else instead");
    return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Simple statements
//===----------------------------------------------------------------------===//

bool Parser::checkTarget(const Expr &target) {
  switch (target.kind) {
  case ExprKind::Name:
  case ExprKind::Attribute:
  case ExprKind::Subscript:
    return true;
  case ExprKind::Tuple: {
    bool hasStar = false;
    for (const ExprPtr &element : llvm::cast<Tuple>(target).elements) {
      auto *starred = llvm::dyn_cast<Starred>(element.get());
      if (starred && hasStar)
        return error(starred->range, "a second starred target in one assignment") != nullptr;
      hasStar |= starred != nullptr;
      if (!checkTarget(starred ? *starred->value : *element))
        return false;
    }
    return true;
  }
  case ExprKind::Starred:
    error(target.range, "a starred target stands in a tuple or a list of targets");
    return false;
  default:
    error(target.range, "this cannot be assigned to");
    return false;
  }
}

bool python::augmentedOperator(std::string_view text, BinaryOp &op) {
  if (text.size() < 2 || text.back() != '=')
    return false;
  text.remove_suffix(1);
  for (BinaryOp candidate :
       {BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::TrueDiv, BinaryOp::FloorDiv,
        BinaryOp::Mod, BinaryOp::Pow, BinaryOp::MatMul, BinaryOp::BitAnd, BinaryOp::BitOr,
        BinaryOp::BitXor, BinaryOp::Shl, BinaryOp::Shr}) {
    if (text == spelling(candidate)) {
      op = candidate;
      return true;
    }
  }
  return false;
}

StmtPtr Parser::expressionStatement() {
  SourceLoc begin = here();
  ExprPtr first = at(TokenKind::Name) && at(":=", 1) ? namedExpression() : expressionList();
  if (!first)
    return nullptr;

  if (accept(":")) {
    auto node = std::make_unique<AnnAssign>(first->range);
    if (first->kind != ExprKind::Name)
      return error(first->range, "only a name can be annotated");
    node->target = std::move(first);
    node->annotation = expression();
    if (!node->annotation)
      return nullptr;
    if (accept("=")) {
      node->value = expressionList();
      if (!node->value)
        return nullptr;
    }
    node->range = rangeFrom(begin);
    return node;
  }

  BinaryOp op;
  if (at(TokenKind::Operator) && augmentedOperator(spelled(token()), op)) {
    auto node = std::make_unique<AugAssign>(first->range);
    if (first->kind == ExprKind::Tuple)
      return error(first->range, "a tuple cannot be the target of an augmented assignment");
    if (!checkTarget(*first))
      return nullptr;
    node->op = op;
    node->opRange = rangeOf(token());
    ++pos;
    node->target = std::move(first);
    node->value = expressionList();
    if (!node->value)
      return nullptr;
    node->range = rangeFrom(begin);
    return node;
  }

  if (!at("=")) {
    auto node = std::make_unique<ExprStmt>(first->range);
    node->value = std::move(first);
    return node;
  }
  auto node = std::make_unique<Assign>(first->range);
  node->value = std::move(first);
  while (accept("=")) {
    if (!checkTarget(*node->value))
      return nullptr;
    node->targets.push_back(std::move(node->value));
    node->value = expressionList();
    if (!node->value)
      return nullptr;
  }
  node->range = rangeFrom(begin);
  return node;
}

StmtPtr Parser::simpleStatement() {
  SourceLoc begin = here();
  if (unsupportedStatement())
    return nullptr;
  if (accept("pass"))
    return std::make_unique<Pass>(rangeFrom(begin));
  if (at("break") || at("continue"))
    return jumpStatement();
  if (accept("return")) {
    auto node = std::make_unique<Return>(rangeFrom(begin));
    if (!atExpressionEnd()) {
      node->value = expressionList();
      if (!node->value)
        return nullptr;
    }
    node->range = rangeFrom(begin);
    return node;
  }
  if (accept("assert")) {
    auto node = std::make_unique<Assert>(rangeFrom(begin));
    node->test = expression();
    if (!node->test)
      return nullptr;
    if (accept(",")) {
      node->message = expression();
      if (!node->message)
        return nullptr;
    }
    node->range = rangeFrom(begin);
    return node;
  }
  return expressionStatement();
}

StmtPtr Parser::jumpStatement() {
  SourceRange range = rangeOf(token());
  bool isBreak = at("break");
  ++pos;
  if (loops == 0)
    return error(range, isBreak ? "'break' is not in a loop" : "'continue' is not in a loop");
  if (isBreak)
    return std::make_unique<Break>(range);
  return std::make_unique<Continue>(range);
}

/// Statements with `;` between them up to the end of the line.
bool Parser::simpleStatements(Block &block) {
  while (true) {
    StmtPtr next = simpleStatement();
    if (!next)
      return false;
    block.push_back(std::move(next));
    bool more = accept(";");
    if (at(TokenKind::Newline)) {
      ++pos;
      return true;
    }
    if (!more) {
      unexpected("an operator or the end of the line");
      return false;
    }
  }
}

//===----------------------------------------------------------------------===//
// Compound statements
//===----------------------------------------------------------------------===//

bool Parser::suite(Block &block, std::string_view after) {
  if (!expect(":", "after " + std::string(after)))
    return false;
  if (!at(TokenKind::Newline))
    return simpleStatements(block);
  ++pos;
  if (!at(TokenKind::Indent)) {
    unexpected("an indented block after " + std::string(after));
    return false;
  }
  ++pos;
  while (!at(TokenKind::Dedent) && !at(TokenKind::End))
    if (!statement(block))
      return false;
  if (at(TokenKind::Dedent))
    ++pos;
  return true;
}

bool Parser::statement(Block &block) {
  Level level(*this);
  if (!checkDepth())
    return false;
  StmtPtr node;
  if (at("if"))
    node = ifStatement();
  else if (at("while"))
    node = whileStatement();
  else if (at("for"))
    node = forStatement();
  else if (at("def") || at("@"))
    node = nestedFunction();
  else if (at(TokenKind::Indent))
    return error(rangeOf(token()), "unexpected indentation") != nullptr;
  else
    return simpleStatements(block);
  if (!node)
    return false;
  block.push_back(std::move(node));
  return true;
}

StmtPtr Parser::ifStatement() {
  Level level(*this);
  if (!checkDepth())
    return nullptr;
  SourceLoc begin = here();
  std::string_view keyword = at("elif") ? "'elif'" : "'if'";
  ++pos;
  auto node = std::make_unique<If>(SourceRange{});
  node->test = namedExpression();
  if (!node->test)
    return nullptr;
  node->range = rangeFrom(begin);
  if (!suite(node->body, keyword))
    return nullptr;
  if (at("elif")) {
    StmtPtr nested = ifStatement();
    if (!nested)
      return nullptr;
    node->orelse.push_back(std::move(nested));
  } else if (accept("else")) {
    if (!suite(node->orelse, "'else'"))
      return nullptr;
  }
  return node;
}

/// Its decorators are ignored, as those of the kernel are.
StmtPtr Parser::nestedFunction() {
  while (at("@"))
    skipLine();
  SourceLoc begin = here();
  std::unique_ptr<Function> function = definition();
  if (!function)
    return nullptr;
  auto node = std::make_unique<FunctionDef>(SourceRange{begin, function->nameRange.end});
  node->function = std::move(function);
  return node;
}

bool Parser::loopSuite(Block &block, std::string_view after) {
  ++loops;
  bool isRead = suite(block, after);
  --loops;
  if (!isRead || !at("else"))
    return isRead;
  unsupported(rangeOf(token()), "'else' after a loop",
              "set a name before 'break' and test it after the loop instead");
  return false;
}

StmtPtr Parser::whileStatement() {
  SourceLoc begin = here();
  ++pos;
  auto node = std::make_unique<While>(SourceRange{});
  node->test = namedExpression();
  if (!node->test)
    return nullptr;
  node->range = rangeFrom(begin);
  if (!loopSuite(node->body, "'while'"))
    return nullptr;
  return node;
}

StmtPtr Parser::forStatement() {
  SourceLoc begin = here();
  ++pos;
  auto node = std::make_unique<For>(SourceRange{});
  node->target = loopTarget();
  if (!node->target || !checkTarget(*node->target) || !expect("in", "of 'for'"))
    return nullptr;
  node->iterable = expressionList();
  if (!node->iterable)
    return nullptr;
  node->range = rangeFrom(begin);
  if (!loopSuite(node->body, "'for'"))
    return nullptr;
  return node;
}
