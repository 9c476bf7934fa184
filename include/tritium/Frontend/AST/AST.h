//===- AST.h - syntax trees of kernels --------------------------*- C++ -*-===//
//
// What a parser reads from a kernel's text. Every node has the range of its text. Trees
// own their children, and their height is bounded (kMaxHeight), so that walks may recurse.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_FRONTEND_AST_AST_H
#define TRITIUM_FRONTEND_AST_AST_H

#include "tritium/Frontend/Operators.h"
#include "tritium/Support/Constant.h"
#include "tritium/Support/Diagnostics.h"

#include "llvm/Support/Casting.h"

#include <memory>
#include <string>
#include <vector>

namespace tritium::frontend::ast {

/// The largest height of an expression, and of nested statements.
constexpr unsigned kMaxHeight = 400;

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

enum class ExprKind : uint8_t {
  Literal,
  Ellipsis,
  Name,
  Attribute,
  Subscript,
  Slice,
  Call,
  Unary,
  Binary,
  BoolOp,
  Compare,
  Conditional,
  Tuple,
  Starred,
  Comprehension,
  FString,
  Walrus
};

struct Expr {
  const ExprKind kind;
  uint16_t height = 1;
  SourceRange range;
  virtual ~Expr() = default;

protected:
  Expr(ExprKind kind, SourceRange range) : kind(kind), range(range) {}
};
using ExprPtr = std::unique_ptr<Expr>;

template <ExprKind K> struct ExprNode : Expr {
  explicit ExprNode(SourceRange range) : Expr(K, range) {}
  static bool classof(const Expr *expr) { return expr->kind == K; }
};

/// None, a bool, an integer, a float or a string.
struct Literal : ExprNode<ExprKind::Literal> {
  using ExprNode::ExprNode;
  Constant value;
};

struct EllipsisExpr : ExprNode<ExprKind::Ellipsis> {
  using ExprNode::ExprNode;
};

struct Name : ExprNode<ExprKind::Name> {
  using ExprNode::ExprNode;
  std::string id;
};

/// base.name
struct Attribute : ExprNode<ExprKind::Attribute> {
  using ExprNode::ExprNode;
  ExprPtr base;
  std::string name;
  SourceRange nameRange;
};

/// base[index]; several indices are a Tuple.
struct Subscript : ExprNode<ExprKind::Subscript> {
  using ExprNode::ExprNode;
  ExprPtr base, index;
};

/// lower:upper:step inside a subscript; parts that are left out are null.
struct Slice : ExprNode<ExprKind::Slice> {
  using ExprNode::ExprNode;
  ExprPtr lower, upper, step;
};

struct CallArgument {
  enum Kind : uint8_t { Positional, Keyword, Star, DoubleStar } kind = Positional;
  std::string keyword;
  ExprPtr value;
  SourceRange range;
};

struct Call : ExprNode<ExprKind::Call> {
  using ExprNode::ExprNode;
  ExprPtr callee;
  std::vector<CallArgument> arguments;
};

struct Unary : ExprNode<ExprKind::Unary> {
  using ExprNode::ExprNode;
  UnaryOp op = UnaryOp::Minus;
  ExprPtr operand;
};

struct Binary : ExprNode<ExprKind::Binary> {
  using ExprNode::ExprNode;
  BinaryOp op = BinaryOp::Add;
  SourceRange opRange;
  ExprPtr lhs, rhs;
};

/// a and b and c, or the same with or.
struct BoolOp : ExprNode<ExprKind::BoolOp> {
  using ExprNode::ExprNode;
  LogicalOp op = LogicalOp::And;
  std::vector<ExprPtr> operands;
};

/// operands[0] ops[0] operands[1] ops[1] operands[2] ...
struct Compare : ExprNode<ExprKind::Compare> {
  using ExprNode::ExprNode;
  std::vector<CompareOp> ops;
  std::vector<ExprPtr> operands;
};

/// body if test else orelse
struct Conditional : ExprNode<ExprKind::Conditional> {
  using ExprNode::ExprNode;
  ExprPtr test, body, orelse;
};

/// A tuple, or a list when it was written in brackets.
struct Tuple : ExprNode<ExprKind::Tuple> {
  using ExprNode::ExprNode;
  bool isList = false;
  std::vector<ExprPtr> elements;
};

/// *value inside a tuple.
struct Starred : ExprNode<ExprKind::Starred> {
  using ExprNode::ExprNode;
  ExprPtr value;
};

/// element for target in iterable if conditions...
struct Comprehension : ExprNode<ExprKind::Comprehension> {
  using ExprNode::ExprNode;
  bool isList = false;
  ExprPtr element, target, iterable;
  std::vector<ExprPtr> conditions;
};

struct FStringPart {
  std::string text; ///< literal text; an expression's part has `value`
  ExprPtr value;
  char conversion = 0; ///< 'r', 's', 'a' or 0
  std::string format;  ///< after ':'
};

struct FString : ExprNode<ExprKind::FString> {
  using ExprNode::ExprNode;
  std::vector<FStringPart> parts;
};

/// name := value
struct Walrus : ExprNode<ExprKind::Walrus> {
  using ExprNode::ExprNode;
  std::string name;
  SourceRange nameRange;
  ExprPtr value;
};

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

enum class StmtKind : uint8_t {
  Expression,
  Assign,
  AugAssign,
  AnnAssign,
  If,
  For,
  While,
  Return,
  Assert,
  Pass
};

struct Stmt {
  const StmtKind kind;
  SourceRange range; ///< of a compound statement: its header
  virtual ~Stmt() = default;

protected:
  Stmt(StmtKind kind, SourceRange range) : kind(kind), range(range) {}
};
using StmtPtr = std::unique_ptr<Stmt>;
using Block = std::vector<StmtPtr>;

template <StmtKind K> struct StmtNode : Stmt {
  explicit StmtNode(SourceRange range) : Stmt(K, range) {}
  static bool classof(const Stmt *stmt) { return stmt->kind == K; }
};

struct ExprStmt : StmtNode<StmtKind::Expression> {
  using StmtNode::StmtNode;
  ExprPtr value;
};

/// targets[0] = targets[1] = ... = value
struct Assign : StmtNode<StmtKind::Assign> {
  using StmtNode::StmtNode;
  std::vector<ExprPtr> targets;
  ExprPtr value;
};

/// target op= value
struct AugAssign : StmtNode<StmtKind::AugAssign> {
  using StmtNode::StmtNode;
  ExprPtr target;
  BinaryOp op = BinaryOp::Add;
  SourceRange opRange;
  ExprPtr value;
};

/// target: annotation = value; value may be null.
struct AnnAssign : StmtNode<StmtKind::AnnAssign> {
  using StmtNode::StmtNode;
  ExprPtr target, annotation, value;
};

/// An elif is an If alone in `orelse`.
struct If : StmtNode<StmtKind::If> {
  using StmtNode::StmtNode;
  ExprPtr test;
  Block body, orelse;
};

struct For : StmtNode<StmtKind::For> {
  using StmtNode::StmtNode;
  ExprPtr target, iterable;
  Block body;
};

struct While : StmtNode<StmtKind::While> {
  using StmtNode::StmtNode;
  ExprPtr test;
  Block body;
};

struct Return : StmtNode<StmtKind::Return> {
  using StmtNode::StmtNode;
  ExprPtr value; ///< may be null
};

struct Assert : StmtNode<StmtKind::Assert> {
  using StmtNode::StmtNode;
  ExprPtr test, message; ///< message may be null
};

struct Pass : StmtNode<StmtKind::Pass> {
  using StmtNode::StmtNode;
};

//===----------------------------------------------------------------------===//
// Functions and modules
//===----------------------------------------------------------------------===//

struct Parameter {
  enum Kind : uint8_t { Normal, PositionalOnly, KeywordOnly, VarArgs, VarKeywords } kind = Normal;
  std::string name;
  SourceRange range;
  ExprPtr annotation, defaultValue; ///< may be null
};

struct Function {
  std::string name;
  SourceRange nameRange;
  std::vector<Parameter> parameters;
  Block body;
};

/// One statement at the top level of a file, as far as kernels can refer to it.
struct ModuleItem {
  enum Kind : uint8_t {
    Import,     ///< import module as name
    FromImport, ///< from module import imported as name
    Assign,     ///< name = value
    Function,   ///< def; `range` is its whole text with decorators
    Opaque      ///< defines `name`, but as nothing that a kernel can use
  } kind = Opaque;
  SourceRange range;
  std::string name;
  /// Import, FromImport: dotted path, with the leading dots of a relative import. An
  /// import without `as` binds `name`, the first component of the path.
  std::string module;
  std::string imported;                ///< FromImport: name in the module, "*" for all
  ExprPtr value;                       ///< Assign
  std::vector<std::string> decorators; ///< Function: dotted names, "triton.jit"
  std::string reason;                  ///< Opaque: what it is, "a class", "a dict display"
};

/// A file's top level in order; a later item hides an earlier one of the same name.
struct Module {
  std::vector<ModuleItem> items;
};

/// The tree as an S-expression on one line, for tests and debugging.
std::string dump(const Expr &expr);
std::string dump(const Block &block);
std::string dump(const Function &function);

} // namespace tritium::frontend::ast

#endif // TRITIUM_FRONTEND_AST_AST_H
