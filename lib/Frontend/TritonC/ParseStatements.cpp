//===- ParseStatements.cpp - statements -----------------------------------===//

#include "ParserImpl.h"

namespace tritium::frontend::tritonc {

std::unique_ptr<BlockStmt> Parser::parseBlock() {
  Scope scope(*this);
  return parseBraces();
}

/// A block in the scope of what stands before it.
std::unique_ptr<BlockStmt> Parser::parseBraces() {
  auto block = std::make_unique<BlockStmt>(peek().range);
  SourceRange opening = take().range;
  parseBlockItems(*block);
  if (!expectClosing("}", opening))
    return nullptr;
  return block;
}

/// Statements up to the closing brace, going on after errors.
void Parser::parseBlockItems(BlockStmt &block) {
  while (!isAt("}") && !isAtEnd()) {
    size_t start = position;
    if (StmtPtr stmt = parseStatementOrDeclaration()) {
      block.height = std::max<unsigned>(block.height, stmt->height + 1);
      block.body.push_back(std::move(stmt));
      continue;
    }
    skipStatement();
    if (position == start)
      return;
  }
}

StmtPtr Parser::parseStatementOrDeclaration() {
  if (isSpecifier(/*isFileScope=*/false))
    return parseDeclaration();
  return parseStatement();
}

StmtPtr Parser::parseStatement() {
  Level level(*this);
  const Token &token = peek();
  SourceRange range = token.range;
  if (!checkDepth(range))
    return nullptr;
  auto jump = [&](StmtPtr stmt, std::string_view name) -> StmtPtr {
    take();
    return expect(";", name) ? std::move(stmt) : nullptr;
  };
  if (token.kind == Token::Punctuator) {
    if (token.text == "{")
      return parseBlock();
    if (token.text == "@")
      return parsePredicated();
    if (accept(";"))
      return std::make_unique<EmptyStmt>(range);
  }
  if (token.kind != Token::Identifier)
    return parseExpressionStatement();
  if (token.text == "if")
    return parseIf();
  if (token.text == "for")
    return parseFor();
  if (token.text == "while")
    return parseWhile();
  if (token.text == "do")
    return parseDo();
  if (token.text == "return")
    return parseReturn();
  if (token.text == "break")
    return jump(std::make_unique<BreakStmt>(range), "'break'");
  if (token.text == "continue")
    return jump(std::make_unique<ContinueStmt>(range), "'continue'");
  if (token.text == "_Static_assert" || token.text == "static_assert")
    return parseStaticAssert();
  if (token.text == "goto" || isAt(":", 1))
    return error(range, "there is no 'goto' in Triton-C; use loops with 'break' and 'continue'");
  if (token.text == "switch" || token.text == "case" || token.text == "default")
    return error(range, "there is no 'switch' in Triton-C; use 'if' and 'else if'");
  if (token.text == "else")
    return error(range, "'else' without an 'if' before it");
  if (isSpecifier(/*isFileScope=*/false))
    return error(range, "a declaration cannot stand here; put it in braces");
  return parseExpressionStatement();
}

StmtPtr Parser::parseExpressionStatement() {
  const Token &first = peek(), &second = peek(1);
  if (first.kind == Token::Identifier && second.kind == Token::Identifier && !isKeyword(first.text))
    return error(first.range, "unknown type '" + std::string(first.text) +
                                  "'; if it is a macro, define it with -D" +
                                  std::string(first.text) + "=...");
  auto stmt = std::make_unique<ExprStmt>(first.range);
  if (!(stmt->value = parseExpression()) || !expect(";", "an expression"))
    return nullptr;
  stmt->range = stmt->value->range;
  return stmt;
}

ExprPtr Parser::parseCondition(std::string_view keyword) {
  SourceRange opening = peek().range;
  if (!expect("(", keyword))
    return nullptr;
  ExprPtr test = parseExpression();
  return test && expectClosing(")", opening) ? std::move(test) : nullptr;
}

/// What a header is about. After an error it has been skipped.
StmtPtr Parser::parseBody() {
  StmtPtr body = parseStatement();
  if (!body)
    skipStatement();
  return body;
}

StmtPtr Parser::parseIf() {
  auto stmt = std::make_unique<IfStmt>(take().range);
  size_t open = position;
  if (!(stmt->test = parseCondition("'if'")))
    skipHeader(open, /*isFor=*/false);
  stmt->body = parseBody();
  bool hasElse = accept("else");
  if (hasElse)
    stmt->otherwise = parseBody();
  if (!stmt->test || !stmt->body || (hasElse && !stmt->otherwise))
    return skipped();
  const Stmt *body = stmt->body.get(), *otherwise = stmt->otherwise.get();
  return finish(std::move(stmt), {body, otherwise});
}

bool Parser::parseForHeader(ForStmt &stmt) {
  SourceRange opening = peek().range;
  if (!expect("(", "'for'"))
    return false;
  if (isSpecifier(/*isFileScope=*/false)) {
    if (!(stmt.init = parseDeclaration()))
      return false;
  } else if (!accept(";") && !(stmt.init = parseExpressionStatement())) {
    return false;
  }
  if (!isAt(";") && !(stmt.test = parseExpression()))
    return false;
  if (!expect(";", "the condition of 'for'"))
    return false;
  if (!isAt(")") && !(stmt.step = parseExpression()))
    return false;
  return expectClosing(")", opening);
}

StmtPtr Parser::parseFor() {
  auto stmt = std::make_unique<ForStmt>(take().range);
  Scope scope(*this);
  size_t open = position;
  bool isGood = parseForHeader(*stmt);
  if (!isGood)
    skipHeader(open, /*isFor=*/true);
  stmt->body = parseBody();
  if (!isGood || !stmt->body)
    return skipped();
  const Stmt *body = stmt->body.get();
  return finish(std::move(stmt), {body});
}

StmtPtr Parser::parseWhile() {
  auto stmt = std::make_unique<WhileStmt>(take().range);
  size_t open = position;
  if (!(stmt->test = parseCondition("'while'")))
    skipHeader(open, /*isFor=*/false);
  stmt->body = parseBody();
  if (!stmt->test || !stmt->body)
    return skipped();
  const Stmt *body = stmt->body.get();
  return finish(std::move(stmt), {body});
}

StmtPtr Parser::parseDo() {
  auto stmt = std::make_unique<DoStmt>(take().range);
  stmt->body = parseBody();
  if (!expect("while", "the body of 'do'") || !(stmt->test = parseCondition("'while'")) ||
      !expect(";", "'do ... while (...)'"))
    return nullptr;
  if (!stmt->body)
    return skipped();
  const Stmt *body = stmt->body.get();
  return finish(std::move(stmt), {body});
}

StmtPtr Parser::parseReturn() {
  auto stmt = std::make_unique<ReturnStmt>(take().range);
  if (!isAt(";") && !(stmt->value = parseExpression()))
    return nullptr;
  return expect(";", "'return'") ? std::move(stmt) : nullptr;
}

/// `@predicate statement;`. The predicate is a name or stands in parentheses.
StmtPtr Parser::parsePredicated() {
  auto stmt = std::make_unique<PredicatedStmt>(take().range);
  if (peek().kind != Token::Identifier && !isAt("("))
    return error(peek().range, "expected the predicate after '@': a name, or an expression in "
                               "parentheses");
  if (!(stmt->predicate = parsePrimary()) || !(stmt->value = parseExpression()) ||
      !expect(";", "an expression"))
    return nullptr;
  stmt->range = since(stmt->range);
  return stmt;
}

std::unique_ptr<StaticAssertStmt> Parser::parseStaticAssert() {
  auto stmt = std::make_unique<StaticAssertStmt>(take().range);
  SourceRange opening = peek().range;
  if (!expect("(", "'static_assert'") || !(stmt->condition = parseConditional()))
    return nullptr;
  if (accept(",")) {
    if (peek().kind != Token::String)
      return error(peek().range, "the message of 'static_assert' is a string");
    while (peek().kind == Token::String) {
      std::string_view text = take().text;
      stmt->message += text.size() >= 2 ? text.substr(1, text.size() - 2) : text;
    }
  }
  if (!expectClosing(")", opening) || !expect(";", "'static_assert'"))
    return nullptr;
  return stmt;
}

} // namespace tritium::frontend::tritonc
