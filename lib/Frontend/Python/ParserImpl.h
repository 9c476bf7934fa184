//===- ParserImpl.h - the parser's state and its families -------*- C++ -*-===//
//
// One class over a token vector; its methods are spread over ParseExpressions.cpp,
// ParsePrimaries.cpp, ParseLiterals.cpp, ParseStatements.cpp, ParseFunction.cpp and
// ParseModule.cpp. A method that fails reports one error and returns null or false, and
// its callers pass that on.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_FRONTEND_PYTHON_PARSERIMPL_H
#define TRITIUM_LIB_FRONTEND_PYTHON_PARSERIMPL_H

#include "tritium/Frontend/Python/Lexer.h"
#include "tritium/Frontend/Python/Parser.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace tritium::frontend::python {

class Parser {
public:
  Parser(const SourceManager &sources, uint32_t file, DiagnosticEngine &diagnostics,
         std::vector<Token> tokens, unsigned depth = 0)
      : sources(sources), file(file), text(sources.text(file)), diagnostics(diagnostics),
        tokens(std::move(tokens)), depth(depth) {}

  std::unique_ptr<ast::Function> function();
  /// One expression that is all of the tokens.
  ast::ExprPtr wholeExpression();
  std::unique_ptr<ast::Module> module();

private:
  const SourceManager &sources;
  uint32_t file;
  std::string_view text;
  DiagnosticEngine &diagnostics;
  std::vector<Token> tokens;
  size_t pos = 0;
  unsigned depth;
  unsigned loops = 0;    ///< around the statement that is read, within the innermost 'with'
  bool isInWith = false; ///< the statement that is read stands in a 'with'

  /// Counts one level of nesting while it lives.
  struct Level {
    explicit Level(Parser &parser) : parser(parser) { ++parser.depth; }
    ~Level() { --parser.depth; }
    Parser &parser;
  };
  /// Reports an error and returns false if there are too many levels.
  bool checkDepth();

  //===--- Tokens ---------------------------------------------------------===//

  const Token &token(size_t ahead = 0) const {
    return tokens[std::min(pos + ahead, tokens.size() - 1)];
  }
  std::string_view spelled(const Token &token) const {
    return text.substr(token.begin, token.end - token.begin);
  }
  /// The token is this operator or keyword.
  bool is(const Token &token, std::string_view what) const {
    return (token.kind == TokenKind::Operator || token.kind == TokenKind::Keyword) &&
           spelled(token) == what;
  }
  bool at(std::string_view what, size_t ahead = 0) const { return is(token(ahead), what); }
  bool at(TokenKind kind, size_t ahead = 0) const { return token(ahead).kind == kind; }
  bool accept(std::string_view what) { return at(what) && (++pos, true); }
  bool expect(std::string_view what, std::string_view where);
  /// A name, else an error that says what was wanted.
  bool expectName(std::string &name, SourceRange &range, std::string_view what);

  SourceRange rangeOf(const Token &token) const { return {{file, token.begin}, {file, token.end}}; }
  /// From the beginning of `begin` to the end of the last token that was read.
  SourceRange rangeFrom(SourceLoc begin) const {
    return {begin, {file, pos > 0 ? tokens[pos - 1].end : 0}};
  }
  SourceLoc here() const { return {file, token().begin}; }

  std::nullptr_t error(SourceRange range, std::string message) {
    diagnostics.error(range, std::move(message));
    return nullptr;
  }
  std::nullptr_t unsupported(SourceRange range, std::string_view what, std::string_view instead);
  std::nullptr_t unexpected(std::string_view wanted);

  //===--- Expressions ----------------------------------------------------===//

  ast::ExprPtr namedExpression();
  ast::ExprPtr expression();
  ast::ExprPtr logical(LogicalOp op);
  ast::ExprPtr negation();
  ast::ExprPtr comparison();
  ast::ExprPtr binary(int minimum);
  ast::ExprPtr unary();
  ast::ExprPtr power();
  ast::ExprPtr postfix();
  ast::ExprPtr call(ast::ExprPtr callee);
  ast::ExprPtr subscript(ast::ExprPtr base);
  ast::ExprPtr subscriptItem();
  ast::ExprPtr atom();
  ast::ExprPtr parenthesised();
  ast::ExprPtr bracketed();
  ast::ExprPtr braced();
  /// Expressions with commas between them, a Tuple if there is a comma.
  ast::ExprPtr expressionList();
  ast::ExprPtr listElement();
  /// `for target in iterable if ...` after its element.
  ast::ExprPtr comprehension(ast::ExprPtr element, SourceLoc begin);
  ast::ExprPtr lambda();
  /// A target of `for`: names with commas between them.
  ast::ExprPtr loopTarget();
  bool atExpressionEnd() const;
  bool compareOperator(CompareOp &op);

  /// Sets the height from the children; null after an error if it is too large.
  ast::ExprPtr seal(ast::ExprPtr node, std::initializer_list<const ast::Expr *> children);
  ast::ExprPtr seal(ast::ExprPtr node, const std::vector<ast::ExprPtr> &children);

  ast::ExprPtr number();
  ast::ExprPtr strings();
  /// The text of a literal with its escapes replaced; `offset` is where it begins.
  bool unescape(std::string_view body, bool raw, uint32_t offset, std::string &out);
  bool formatted(const Token &token, std::vector<ast::FStringPart> &parts);
  bool formatField(uint32_t &at, uint32_t end, ast::FStringPart &part, std::string &debugText);

  //===--- Statements -----------------------------------------------------===//

  bool statement(ast::Block &block);
  bool simpleStatements(ast::Block &block);
  ast::StmtPtr simpleStatement();
  ast::StmtPtr expressionStatement();
  ast::StmtPtr ifStatement();
  std::unique_ptr<ast::While> whileStatement();
  std::unique_ptr<ast::For> forStatement();
  /// The body of a loop.
  bool loopSuite(ast::Block &block, std::string_view after);
  /// Adds a loop, and its 'else' if there is one.
  bool addLoop(ast::Block &block, ast::StmtPtr loop, ast::Block &body);
  bool withStatement(ast::Block &block);
  ast::StmtPtr jumpStatement();
  /// `:` and an indented block, or simple statements on the same line.
  bool suite(ast::Block &block, std::string_view after);
  bool checkTarget(const ast::Expr &target);
  /// Reports a statement that kernels may not use; false if it is not one.
  bool unsupportedStatement();
  bool atMatchStatement() const;
  ast::StmtPtr nestedFunction();
  /// Up to `end`, which is read; ":" ends those of a lambda, which have no annotations.
  bool parameters(std::vector<ast::Parameter> &parameters, std::string_view end);
  bool parameter(std::vector<ast::Parameter> &parameters, bool &afterStar, bool isAnnotated);
  /// From `def` on, without what follows.
  std::unique_ptr<ast::Function> definition();

  //===--- Modules --------------------------------------------------------===//

  /// Skips the logical line and the block below it.
  void skipStatement();
  void skipLine();
  void moduleStatement(ast::Module &module, bool conditional);
  ast::ExprPtr subexpression(size_t begin, size_t end);
  bool importStatement(ast::Module &module);
  bool fromImport(ast::Module &module);
  bool dottedName(std::string &name);
  void definition(ast::Module &module, bool conditional);
  void assignment(ast::Module &module, bool conditional);
  void compound(ast::Module &module);
  void opaque(ast::Module &module, std::string name, SourceRange range, std::string reason);
};

/// True if `text` is an operator with `=`, which is then stored in `op`.
bool augmentedOperator(std::string_view text, BinaryOp &op);

} // namespace tritium::frontend::python

#endif // TRITIUM_LIB_FRONTEND_PYTHON_PARSERIMPL_H
