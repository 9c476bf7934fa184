//===- AST.h - syntax trees of kernels --------------------------*- C++ -*-===//
//
// What a parser reads from a kernel's text. Every node has the range of its text. Trees
// own their children, and their height is bounded (kMaxHeight), so that walks may recurse.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_FRONTEND_AST_AST_H
#define TRITIUM_FRONTEND_AST_AST_H

#include "tritium/Frontend/AST/Node.h"
#include "tritium/Frontend/Operators.h"
#include "tritium/Support/Constant.h"

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
  Dict,
  Starred,
  Comprehension,
  FString,
  Walrus,
  Lambda
};

struct Expr : Node<ExprKind> {
  using Node::Node;
};
using ExprPtr = std::unique_ptr<Expr>;

template <ExprKind K> using ExprNode = NodeOf<Expr, K>;

/// None, a bool, an integer, a float or a string.
struct Literal : ExprNode<ExprKind::Literal> {
  using NodeOf::NodeOf;
  Constant value;
};

struct EllipsisExpr : ExprNode<ExprKind::Ellipsis> {
  using NodeOf::NodeOf;
};

struct Name : ExprNode<ExprKind::Name> {
  using NodeOf::NodeOf;
  std::string id;
};

/// base.name
struct Attribute : ExprNode<ExprKind::Attribute> {
  using NodeOf::NodeOf;
  ExprPtr base;
  std::string name;
  SourceRange nameRange;
};

/// base[index]; several indices are a Tuple.
struct Subscript : ExprNode<ExprKind::Subscript> {
  using NodeOf::NodeOf;
  ExprPtr base, index;
};

/// lower:upper:step inside a subscript; parts that are left out are null.
struct Slice : ExprNode<ExprKind::Slice> {
  using NodeOf::NodeOf;
  ExprPtr lower, upper, step;
};

struct CallArgument {
  enum Kind : uint8_t { Positional, Keyword, Star, DoubleStar } kind = Positional;
  std::string keyword;
  ExprPtr value;
  SourceRange range;
};

struct Call : ExprNode<ExprKind::Call> {
  using NodeOf::NodeOf;
  ExprPtr callee;
  std::vector<CallArgument> arguments;
};

struct Unary : ExprNode<ExprKind::Unary> {
  using NodeOf::NodeOf;
  UnaryOp op = UnaryOp::Minus;
  ExprPtr operand;
};

struct Binary : ExprNode<ExprKind::Binary> {
  using NodeOf::NodeOf;
  BinaryOp op = BinaryOp::Add;
  SourceRange opRange;
  ExprPtr lhs, rhs;
};

/// a and b and c, or the same with or.
struct BoolOp : ExprNode<ExprKind::BoolOp> {
  using NodeOf::NodeOf;
  LogicalOp op = LogicalOp::And;
  std::vector<ExprPtr> operands;
};

/// operands[0] ops[0] operands[1] ops[1] operands[2] ...
struct Compare : ExprNode<ExprKind::Compare> {
  using NodeOf::NodeOf;
  std::vector<CompareOp> ops;
  std::vector<ExprPtr> operands;
};

/// body if test else orelse
struct Conditional : ExprNode<ExprKind::Conditional> {
  using NodeOf::NodeOf;
  ExprPtr test, body, orelse;
};

/// A tuple, or a list when it was written in brackets.
struct Tuple : ExprNode<ExprKind::Tuple> {
  using NodeOf::NodeOf;
  bool isList = false;
  std::vector<ExprPtr> elements;
};

/// {keys[0]: values[0], ...}
struct Dict : ExprNode<ExprKind::Dict> {
  using NodeOf::NodeOf;
  std::vector<ExprPtr> keys, values;
};

/// *value inside a tuple.
struct Starred : ExprNode<ExprKind::Starred> {
  using NodeOf::NodeOf;
  ExprPtr value;
};

/// for target in iterable if conditions...
struct ComprehensionLoop {
  ExprPtr target, iterable;
  std::vector<ExprPtr> conditions;
};

/// The element for each round of the loops; a later one stands within the one before.
struct Comprehension : ExprNode<ExprKind::Comprehension> {
  using NodeOf::NodeOf;
  bool isList = false;
  ExprPtr element;
  std::vector<ComprehensionLoop> loops;
};

struct FStringPart {
  std::string text; ///< literal text; an expression's part has `value`
  ExprPtr value;
  char conversion = 0; ///< 'r', 's', 'a' or 0
  std::string format;  ///< after ':'
};

struct FString : ExprNode<ExprKind::FString> {
  using NodeOf::NodeOf;
  std::vector<FStringPart> parts;
};

struct Function;

/// A function whose body is one `return`.
struct Lambda : ExprNode<ExprKind::Lambda> {
  using NodeOf::NodeOf;
  std::shared_ptr<Function> function;
};

/// name := value
struct Walrus : ExprNode<ExprKind::Walrus> {
  using NodeOf::NodeOf;
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
  Raise,
  Pass,
  Break,
  Continue,
  FunctionDef
};

struct Stmt : Node<StmtKind> {
  using Node::Node;
};
using StmtPtr = std::unique_ptr<Stmt>;
using Block = std::vector<StmtPtr>;

template <StmtKind K> using StmtNode = NodeOf<Stmt, K>;

struct ExprStmt : StmtNode<StmtKind::Expression> {
  using NodeOf::NodeOf;
  ExprPtr value;
};

/// targets[0] = targets[1] = ... = value
struct Assign : StmtNode<StmtKind::Assign> {
  using NodeOf::NodeOf;
  std::vector<ExprPtr> targets;
  ExprPtr value;
};

/// target op= value
struct AugAssign : StmtNode<StmtKind::AugAssign> {
  using NodeOf::NodeOf;
  ExprPtr target;
  BinaryOp op = BinaryOp::Add;
  SourceRange opRange;
  ExprPtr value;
};

/// target: annotation = value; value may be null.
struct AnnAssign : StmtNode<StmtKind::AnnAssign> {
  using NodeOf::NodeOf;
  ExprPtr target, annotation, value;
};

/// An elif is an If alone in `orelse`.
struct If : StmtNode<StmtKind::If> {
  using NodeOf::NodeOf;
  ExprPtr test;
  Block body, orelse;
};

struct For : StmtNode<StmtKind::For> {
  using NodeOf::NodeOf;
  ExprPtr target, iterable;
  Block body;
};

struct While : StmtNode<StmtKind::While> {
  using NodeOf::NodeOf;
  ExprPtr test;
  Block body;
};

struct Return : StmtNode<StmtKind::Return> {
  using NodeOf::NodeOf;
  ExprPtr value; ///< may be null
};

struct Assert : StmtNode<StmtKind::Assert> {
  using NodeOf::NodeOf;
  ExprPtr test, message; ///< message may be null
};

/// An error where it is reached, and nothing else.
struct Raise : StmtNode<StmtKind::Raise> {
  using NodeOf::NodeOf;
  ExprPtr exception, cause; ///< may be null
};

struct Pass : StmtNode<StmtKind::Pass> {
  using NodeOf::NodeOf;
};

struct Break : StmtNode<StmtKind::Break> {
  using NodeOf::NodeOf;
};

struct Continue : StmtNode<StmtKind::Continue> {
  using NodeOf::NodeOf;
};

/// A function within a function.
struct FunctionDef : StmtNode<StmtKind::FunctionDef> {
  using NodeOf::NodeOf;
  std::shared_ptr<Function> function;
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
  bool isNoinline = false;             ///< Function: a decorator says noinline=True
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
