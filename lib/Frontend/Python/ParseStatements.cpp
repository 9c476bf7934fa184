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
    {"async", "'async'", "write a plain loop or function instead"},
    {"del", "'del'", "names end with their function; leave it out"},
    {"import", "'import'", "import at module level instead"},
    {"from", "'import'", "import at module level instead"},
    {"global", "'global'", "pass the value as an argument and return it instead"},
    {"nonlocal", "'nonlocal'", "pass the value as an argument and return it instead"},
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
  if (at("return") && isInWith)
    return unsupported(rangeOf(token()), "'return' within a 'with' block",
                       "bind a name there and return it behind the block instead");
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
  if (accept("raise")) {
    auto node = std::make_unique<Raise>(rangeFrom(begin));
    if (!atExpressionEnd() && !(node->exception = expression()))
      return nullptr;
    if (node->exception && accept("from") && !(node->cause = expression()))
      return nullptr;
    return node;
  }
  return expressionStatement();
}

StmtPtr Parser::jumpStatement() {
  SourceRange range = rangeOf(token());
  bool isBreak = at("break");
  ++pos;
  if (loops == 0 && isInWith)
    return unsupported(
        range, isBreak ? "'break' out of a 'with' block" : "'continue' out of a 'with' block",
        "put the 'with' around the loop instead");
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
  else if (at("while")) {
    auto loop = whileStatement();
    ast::Block *body = loop ? &loop->body : nullptr;
    return body && addLoop(block, std::move(loop), *body);
  } else if (at("for")) {
    auto loop = forStatement();
    ast::Block *body = loop ? &loop->body : nullptr;
    return body && addLoop(block, std::move(loop), *body);
  } else if (at("with"))
    return withStatement(block);
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
  return isRead;
}

static ExprPtr nameAt(const std::string &id, SourceRange range) {
  auto node = std::make_unique<Name>(range);
  node->id = id;
  return node;
}

static StmtPtr makeAssign(ExprPtr target, ExprPtr value) {
  auto node = std::make_unique<Assign>(value->range);
  node->targets.push_back(std::move(target));
  node->value = std::move(value);
  return node;
}

static StmtPtr assignBool(const std::string &name, bool value, SourceRange range) {
  auto literal = std::make_unique<Literal>(range);
  literal->value = Constant{value};
  return makeAssign(nameAt(name, range), std::move(literal));
}

/// Has `name` be False where a `break` leaves the loop with this body; returns whether one does.
static bool markBreaks(Block &body, const std::string &name) {
  bool hasBreak = false;
  for (size_t i = 0; i < body.size(); ++i) {
    if (auto *branch = llvm::dyn_cast<If>(body[i].get())) {
      hasBreak |= markBreaks(branch->body, name);
      hasBreak |= markBreaks(branch->orelse, name);
    } else if (body[i]->kind == StmtKind::Break) {
      body.insert(body.begin() + i, assignBool(name, false, body[i]->range));
      ++i;
      hasBreak = true;
    }
  }
  return hasBreak;
}

/// `else` runs where no `break` has left the loop:
///
///   for ..: .. break ..     ->   ended = True; for ..: .. ended = False; break ..
///   else: s                      if ended: s
bool Parser::addLoop(Block &block, StmtPtr loop, Block &body) {
  if (!at("else")) {
    block.push_back(std::move(loop));
    return true;
  }
  SourceRange range = rangeOf(token());
  ++pos;
  std::string ended = "(ended " + std::to_string(range.begin.offset) + ")";
  if (!markBreaks(body, ended)) {
    block.push_back(std::move(loop));
    return suite(block, "'else'");
  }
  block.push_back(assignBool(ended, true, loop->range));
  block.push_back(std::move(loop));
  auto orelse = std::make_unique<If>(range);
  orelse->test = nameAt(ended, range);
  if (!suite(orelse->body, "'else'"))
    return false;
  block.push_back(std::move(orelse));
  return true;
}

static ExprPtr callMethod(const std::string &object, const char *method, SourceRange range,
                          unsigned nones) {
  auto attribute = std::make_unique<Attribute>(range);
  attribute->base = nameAt(object, range);
  attribute->name = method;
  attribute->nameRange = range;
  auto call = std::make_unique<Call>(range);
  call->callee = std::move(attribute);
  for (unsigned i = 0; i < nones; ++i)
    call->arguments.push_back(
        {CallArgument::Positional, "", std::make_unique<Literal>(range), range});
  return call;
}

/// Nothing in a kernel raises, and nothing leaves the block but at its end:
///
///   with a as x: s     ->   manager = a; x = manager.__enter__(); s
///                           manager.__exit__(None, None, None)
bool Parser::withStatement(Block &block) {
  ++pos;
  std::vector<std::pair<std::string, SourceRange>> managers;
  do {
    SourceLoc begin = here();
    ExprPtr context = expression();
    if (!context)
      return false;
    SourceRange range = context->range;
    managers.emplace_back("(with " + std::to_string(begin.offset) + ")", range);
    const std::string &manager = managers.back().first;
    block.push_back(makeAssign(nameAt(manager, range), std::move(context)));
    ExprPtr entered = callMethod(manager, "__enter__", range, 0);
    if (!accept("as")) {
      auto statement = std::make_unique<ExprStmt>(range);
      statement->value = std::move(entered);
      block.push_back(std::move(statement));
      continue;
    }
    ExprPtr target = postfix();
    if (!target || !checkTarget(*target))
      return false;
    block.push_back(makeAssign(std::move(target), std::move(entered)));
  } while (accept(","));
  unsigned around = std::exchange(loops, 0);
  bool wasInWith = std::exchange(isInWith, true);
  bool isRead = suite(block, "'with'");
  loops = around;
  isInWith = wasInWith;
  size_t last = pos;
  while (last > 0 && (tokens[last - 1].kind == TokenKind::Dedent ||
                      tokens[last - 1].kind == TokenKind::Newline))
    --last;
  // What leaves is called with the block as its range: tl.scope has its lines from there.
  for (auto manager = managers.rbegin(); isRead && manager != managers.rend(); ++manager) {
    auto statement = std::make_unique<ExprStmt>(manager->second);
    SourceRange all = {manager->second.begin, {file, tokens[last - 1].end}};
    statement->value = callMethod(manager->first, "__exit__", all, 3);
    block.push_back(std::move(statement));
  }
  return isRead;
}

std::unique_ptr<While> Parser::whileStatement() {
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

std::unique_ptr<For> Parser::forStatement() {
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
