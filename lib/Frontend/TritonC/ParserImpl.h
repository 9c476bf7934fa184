//===- ParserImpl.h - the recursive-descent parser of Triton-C --*- C++ -*-===//
//
// A parse function that returns a pointer or an optional reports one error before it
// returns nothing. Statements and declarations at file scope recover: they skip to the
// next `;` or the end of the block, so that one run shows several errors.
//
// What the parser must know of names is whether they are types, and the values of
// tunable constants; everything else about names is IR generation's.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_FRONTEND_TRITONC_PARSERIMPL_H
#define TRITIUM_LIB_FRONTEND_TRITONC_PARSERIMPL_H

#include "tritium/Frontend/TritonC/Parser.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <initializer_list>
#include <map>
#include <set>

namespace tritium::frontend::tritonc {

/// After so many errors no more are reported.
constexpr unsigned kMaxErrors = 20;
/// Bounds of types.
constexpr unsigned kMaxPointerDepth = 8;
constexpr int64_t kMaxElements = INT32_MAX;

/// A word of C that cannot name anything.
bool isKeyword(std::string_view text);
/// `const` and its like.
bool isQualifier(std::string_view text);

/// What stands before the declarators of a declaration.
struct Specifiers {
  Type type;
  Attributes attributes;
  SourceRange range;
  bool hasType = false;
  bool isTypedef = false, isExtern = false, isGlobal = false, isTunable = false;
  bool isConst = false;
};

/// A name with the type that a declarator gives it.
struct Declarator {
  std::string name;
  SourceRange nameRange, range;
  Type type;
  Attributes attributes;
  bool isConst = false; ///< the variable, apart from what it may point to
  bool isFunction = false;
  std::vector<Variable> parameters;
};

class Parser {
public:
  Parser(llvm::ArrayRef<Token> tokens, const SourceUnit &source, DiagnosticEngine &diagnostics);
  std::unique_ptr<Unit> parseUnit();

private:
  //===--- Tokens ---------------------------------------------------------===//

  const Token &peek(size_t ahead = 0) const;
  const Token &previous() const;
  Token take();
  bool isAt(std::string_view text, size_t ahead = 0) const;
  bool isAtEnd() const { return peek().kind == Token::End; }
  bool accept(std::string_view text);
  /// Takes `text` or reports that it is missing after `what`, with a fix-it where
  /// it belongs: behind the last token.
  bool expect(std::string_view text, std::string_view what);
  bool expectClosing(std::string_view text, SourceRange opening);
  std::nullptr_t error(SourceRange range, std::string message);
  /// The next token, for messages.
  std::string found() const;
  /// Adds a note to the error that was reported just before.
  void note(SourceRange range, std::string message);
  SourceRange since(const SourceRange &first) const;
  /// Whether an expression may be assigned to. If it may not, the `*` that starts a line
  /// within it was to start a statement.
  bool checkAssignable(const Expr &target);
  /// Skips to behind the next `;`, or to the `}` that closes the block.
  void skipStatement();
  /// Past the `}` that closes braces that are open.
  void skipBraces();
  /// Null, for a statement that has been skipped already.
  std::nullptr_t skipped();
  /// After an error in the header whose `(` is the token `open`: goes to its body.
  void skipHeader(size_t open, bool isFor);

  /// Counts nesting while it lives.
  struct Level {
    explicit Level(Parser &parser) : parser(parser) { ++parser.depth; }
    ~Level() { --parser.depth; }
    Parser &parser;
  };
  bool checkDepth(SourceRange at);
  /// Sets the height from the children; null after an error, if it is too large.
  ExprPtr finish(ExprPtr expr, std::initializer_list<const Expr *> children);
  StmtPtr finish(StmtPtr stmt, std::initializer_list<const Stmt *> children);

  //===--- File scope (ParseUnit.cpp) --------------------------------------===//

  void parseExternal(Unit &unit);
  bool parseFunction(Unit &unit, const Specifiers &specifiers, Declarator declarator);
  bool parseTunable(Unit &unit, const Declarator &declarator);
  bool parseConstantTable(Unit &unit, const Declarator &declarator);
  bool defineTypedef(const Declarator &declarator);

  //===--- Types and attributes (ParseSpecifiers.cpp) ----------------------===//

  bool isSpecifier(bool isFileScope) const;
  bool startsType() const;
  std::optional<Specifiers> parseSpecifiers(bool isFileScope);
  bool parseTypeWord(struct TypeWords &words);
  bool parsePrefixAttribute(Attributes &attributes);
  bool parseAttributes(Attributes &attributes);
  bool parseAttributeItem(Attributes &attributes);
  bool isPrefixWithArgument() const;
  bool parseAttributeValue(std::string_view attribute, SourceRange name, Attributes &attributes);

  //===--- Declarations (ParseDeclarations.cpp) ----------------------------===//

  bool parsePointers(Type &type, bool &isConst, Attributes *attributes);
  std::optional<Declarator> parseDeclarator(const Specifiers &specifiers, bool isParameter);
  bool parseShape(std::vector<int64_t> &shape);
  bool parseParameters(std::vector<Variable> &parameters);
  std::optional<Type> parseTypeName();
  ExprPtr parseInitializer(const Type &type);
  std::unique_ptr<DeclStmt> parseDeclaration();

  //===--- Statements (ParseStatements.cpp) --------------------------------===//

  std::unique_ptr<BlockStmt> parseBlock();
  std::unique_ptr<BlockStmt> parseBraces();
  void parseBlockItems(BlockStmt &block);
  StmtPtr parseStatement();
  StmtPtr parseStatementOrDeclaration();
  StmtPtr parseIf();
  StmtPtr parseFor();
  bool parseForHeader(ForStmt &stmt);
  StmtPtr parseBody();
  StmtPtr parseWhile();
  StmtPtr parseDo();
  StmtPtr parsePredicated();
  StmtPtr parseReturn();
  StmtPtr parseExpressionStatement();
  std::unique_ptr<StaticAssertStmt> parseStaticAssert();
  ExprPtr parseCondition(std::string_view keyword);

  //===--- Expressions (ParseExpressions.cpp, ParsePrimaries.cpp) ----------===//

  ExprPtr parseExpression();
  ExprPtr parseAssignment();
  ExprPtr parseConditional();
  ExprPtr parseBinary(unsigned minPrecedence);
  ExprPtr parseCast();
  ExprPtr parseUnary();
  ExprPtr parseDereference();
  ExprPtr parseSizeOf();
  ExprPtr parsePostfix();
  ExprPtr parsePrimary();
  ExprPtr parseName();
  ExprPtr parseBitcast();
  ExprPtr parseGlobalRange(const Token &name);
  ExprPtr parseCall(const Token &name);
  ExprPtr parseSubscript(ExprPtr base);
  bool parseSubscriptItem(SubscriptItem &item);
  bool skipTypeArguments();
  ExprPtr parseNumber(const Token &token);
  ExprPtr parseCharacter(const Token &token);

  //===--- Constants (ConstantExpression.cpp) ------------------------------===//

  /// An integer constant expression; `what` is for the message.
  std::optional<int64_t> parseConstant(std::string_view what);
  /// An integer with its type of C.
  struct Integer {
    __int128 value = 0;
    DTypeKind kind = DTypeKind::Int32;
  };
  std::optional<Integer> evaluate(const Expr &expr);
  std::optional<Integer> evaluate(const Unary &expr);
  std::optional<Integer> evaluate(const Binary &expr);
  std::optional<Integer> evaluate(const Call &expr);
  std::optional<Integer> shift(const Binary &expr, Integer lhs, Integer rhs);
  std::optional<Integer> inRange(__int128 value, DTypeKind kind, const Expr &expr);
  std::nullopt_t notConstant(const Expr &expr);

  //===--- Names ----------------------------------------------------------===//

  /// The type that `name` stands for here, if it is a typedef's.
  const Type *findTypedef(std::string_view name) const;
  /// Reports a second declaration in one scope.
  void declare(const std::string &name, SourceRange range);
  /// Whether a declaration of the program hides a name that every file has.
  bool isHidden(std::string_view name) const;

  struct Scope {
    Scope(Parser &parser) : parser(parser) { parser.scopes.emplace_back(); }
    ~Scope() { parser.scopes.pop_back(); }
    Parser &parser;
  };

  llvm::ArrayRef<Token> tokens;
  size_t position = 0;
  size_t lineStartOperator = 0; ///< the last binary operator at the start of a line
  size_t resumeAt = 0;          ///< where the statement after one without `;` starts
  const SourceUnit &source;
  DiagnosticEngine &diagnostics;
  unsigned depth = 0, errors = 0;
  Diagnostic *lastError = nullptr; ///< valid until the next one
  struct Declared {
    std::optional<Type> type; ///< a typedef's; nothing for a variable, which may hide one
    SourceRange range;
  };
  std::vector<std::map<std::string, Declared, std::less<>>> scopes;
  std::map<std::string, int64_t, std::less<>> constants; ///< values of tunables
  std::set<std::string, std::less<>> functions;
  std::string constantName;          ///< what the constant that is being evaluated is
  const Type *initialized = nullptr; ///< the type of the variable whose initialiser is read
};

} // namespace tritium::frontend::tritonc

#endif // TRITIUM_LIB_FRONTEND_TRITONC_PARSERIMPL_H
