//===- AST.h - syntax trees of Triton-C -------------------------*- C++ -*-===//
//
// What the parser reads from a preprocessed translation unit. Types are resolved while
// parsing (typedefs and extents are known there); names and expressions are not. Every
// node has the range of its text. Trees own their children, and their height is bounded
// (kMaxHeight), so that walks may recurse.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_FRONTEND_TRITONC_AST_H
#define TRITIUM_FRONTEND_TRITONC_AST_H

#include "tritium/Frontend/AST/Node.h"
#include "tritium/Support/Constant.h"

#include "llvm/Support/Casting.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tritium::frontend::tritonc {

/// The largest height of an expression, and of nested statements.
constexpr unsigned kMaxHeight = 400;

/// A scalar, pointer or tile type. `shape` is empty for a scalar; a tile's element may be
/// a pointer. `const` and the address space say how the memory behind a pointer is used.
struct Type {
  DType element;
  std::vector<int64_t> shape;
  bool isConstantSpace = false; ///< pointer to `__constant__` memory
  bool isVoid() const { return element == DType{DTypeKind::Void}; }
  bool operator==(const Type &) const = default;
};
/// As a user writes it: "int", "float*", "half[64, 32]".
std::string spelling(const Type &type);

/// What attribute macros and prefix specifiers say of a parameter or a variable.
struct Attributes {
  std::optional<int64_t> aligned;    ///< bytes that the address is a multiple of
  std::optional<int64_t> multipleOf; ///< the value is a multiple of this
  bool isReadOnly = false, isWriteOnly = false, isNoAlias = false, isRetune = false;
  SourceRange range; ///< of the first attribute; invalid if there is none
};

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

enum class ExprKind : uint8_t {
  Number,
  Name,
  Call,
  Subscript,
  Unary,
  Dereference,
  Step,
  Cast,
  Bitcast,
  Range,
  Binary,
  Conditional,
  Assign,
  Comma,
  SizeOf
};

struct Expr : Node<ExprKind> {
  using Node::Node;
};
using ExprPtr = std::unique_ptr<Expr>;

template <ExprKind K> using ExprNode = NodeOf<Expr, K>;

/// An integer, character or floating constant of type `dtype`.
struct Number : ExprNode<ExprKind::Number> {
  using NodeOf::NodeOf;
  DType dtype;
  Constant value; ///< Int or double
};

struct Name : ExprNode<ExprKind::Name> {
  using NodeOf::NodeOf;
  std::string id;
};

/// A function of the unit, or a built-in in its modern spelling: the parser rewrites
/// generation A's (`get_range_id`, `__sum(x, axis)`, `trans(x, p...)`, `__atomic_exch`) and
/// the curried `atomic_add(T, M, N)(p, v, m)`. `exp`, `log`, `sqrtf`, `min`, `max` are calls.
/// A library call whose argument is a type or a string (`static_print`) does not exist.
struct Call : ExprNode<ExprKind::Call> {
  using NodeOf::NodeOf;
  std::string callee;
  SourceRange calleeRange;
  std::vector<ExprPtr> arguments;
};

/// One item of `tile[...]`.
struct SubscriptItem {
  enum Kind : uint8_t {
    Keep,    ///< `:`
    NewAxis, ///< `newaxis`
    Sum,     ///< `+`
    Max,     ///< `max`
    Min,     ///< `min`
    Permute, ///< `^axis`
    Element, ///< an expression: a place of the axis, or a tile of places
    Slice    ///< `first:end:step`, parts of which may be missing
  } kind = Keep;
  int64_t axis = 0; ///< Permute
  ExprPtr element;  ///< Element; Slice: its first place
  ExprPtr end, step;
  SourceRange range;
};

struct Subscript : ExprNode<ExprKind::Subscript> {
  using NodeOf::NodeOf;
  ExprPtr base;
  std::vector<SubscriptItem> items;
};

enum class UnaryOp : uint8_t { Plus, Minus, Complement, Not, Transpose, AddressOf };

struct Unary : ExprNode<ExprKind::Unary> {
  using NodeOf::NodeOf;
  UnaryOp op = UnaryOp::Minus;
  ExprPtr operand;
};

/// `*pointer`, or `*?(mask) pointer`.
struct Dereference : ExprNode<ExprKind::Dereference> {
  using NodeOf::NodeOf;
  ExprPtr pointer;
  ExprPtr mask; ///< may be null
};

/// `++x`, `x--`, ...
struct Step : ExprNode<ExprKind::Step> {
  using NodeOf::NodeOf;
  bool isIncrement = true, isPrefix = true;
  ExprPtr operand;
};

/// `(type) operand`.
struct Cast : ExprNode<ExprKind::Cast> {
  using NodeOf::NodeOf;
  Type type;
  ExprPtr operand;
};

/// `bitcast<type>(operand)`.
struct Bitcast : ExprNode<ExprKind::Bitcast> {
  using NodeOf::NodeOf;
  Type type;
  ExprPtr operand;
};

/// `first ... last`: first, first + 1, ..., last - 1.
struct Range : ExprNode<ExprKind::Range> {
  using NodeOf::NodeOf;
  ExprPtr first, last;
};

enum class BinaryOp : uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  Rem,
  MatMul,
  Shl,
  Shr,
  BitAnd,
  BitOr,
  BitXor,
  Lt,
  Gt,
  Le,
  Ge,
  Eq,
  Ne,
  LogicalAnd,
  LogicalOr
};
std::string_view spelling(BinaryOp op);

struct Binary : ExprNode<ExprKind::Binary> {
  using NodeOf::NodeOf;
  BinaryOp op = BinaryOp::Add;
  SourceRange opRange;
  ExprPtr lhs, rhs;
};

/// `test ? then : otherwise`; `then` is null in `test ?: otherwise`.
struct Conditional : ExprNode<ExprKind::Conditional> {
  using NodeOf::NodeOf;
  ExprPtr test, then, otherwise;
};

/// `target = value`, or `target op= value`.
struct Assign : ExprNode<ExprKind::Assign> {
  using NodeOf::NodeOf;
  ExprPtr target, value;
  std::optional<BinaryOp> op;
  SourceRange opRange;
};

struct Comma : ExprNode<ExprKind::Comma> {
  using NodeOf::NodeOf;
  ExprPtr lhs, rhs;
};

/// `sizeof(type)`, or sizeof an expression: bytes, unsigned long.
struct SizeOf : ExprNode<ExprKind::SizeOf> {
  using NodeOf::NodeOf;
  std::optional<Type> type;
  ExprPtr operand; ///< null if `type` is set
};

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

enum class StmtKind : uint8_t {
  Expression,
  Declaration,
  Block,
  If,
  For,
  While,
  Do,
  Break,
  Continue,
  Return,
  Predicated,
  StaticAssert,
  Empty
};

struct Stmt : Node<StmtKind> {
  using Node::Node;
};
using StmtPtr = std::unique_ptr<Stmt>;

template <StmtKind K> using StmtNode = NodeOf<Stmt, K>;

struct ExprStmt : StmtNode<StmtKind::Expression> {
  using NodeOf::NodeOf;
  ExprPtr value;
};

/// One declared variable.
struct Variable {
  std::string name;
  SourceRange nameRange;
  Type type;
  Attributes attributes;
  bool isConst = false; ///< itself, apart from what it may point to
  ExprPtr init;         ///< may be null; `{x}` is x
};

struct DeclStmt : StmtNode<StmtKind::Declaration> {
  using NodeOf::NodeOf;
  std::vector<Variable> variables;
};

struct BlockStmt : StmtNode<StmtKind::Block> {
  using NodeOf::NodeOf;
  std::vector<StmtPtr> body;
};

struct IfStmt : StmtNode<StmtKind::If> {
  using NodeOf::NodeOf;
  ExprPtr test;
  StmtPtr body, otherwise; ///< `otherwise` may be null
};

struct ForStmt : StmtNode<StmtKind::For> {
  using NodeOf::NodeOf;
  StmtPtr init;       ///< DeclStmt or ExprStmt; may be null
  ExprPtr test, step; ///< may be null
  StmtPtr body;
};

struct WhileStmt : StmtNode<StmtKind::While> {
  using NodeOf::NodeOf;
  ExprPtr test;
  StmtPtr body;
};

struct DoStmt : StmtNode<StmtKind::Do> {
  using NodeOf::NodeOf;
  StmtPtr body;
  ExprPtr test;
};

struct BreakStmt : StmtNode<StmtKind::Break> {
  using NodeOf::NodeOf;
};

struct ContinueStmt : StmtNode<StmtKind::Continue> {
  using NodeOf::NodeOf;
};

struct ReturnStmt : StmtNode<StmtKind::Return> {
  using NodeOf::NodeOf;
  ExprPtr value; ///< may be null
};

/// `@predicate target = value;`
struct PredicatedStmt : StmtNode<StmtKind::Predicated> {
  using NodeOf::NodeOf;
  ExprPtr predicate, value;
};

struct StaticAssertStmt : StmtNode<StmtKind::StaticAssert> {
  using NodeOf::NodeOf;
  ExprPtr condition;
  std::string message;
};

struct EmptyStmt : StmtNode<StmtKind::Empty> {
  using NodeOf::NodeOf;
};

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

/// A function definition. Prototypes leave no trace.
struct Function {
  std::string name;
  SourceRange nameRange;
  Type result;
  bool isGlobal = false; ///< `__global__`, `kernel`
  std::vector<Variable> parameters;
  std::unique_ptr<BlockStmt> body;
};

/// A table in constant memory, filled by the host by name.
struct ConstantTable {
  std::string name;
  SourceRange nameRange;
  DType element; ///< what it points to
  uint64_t bytes = 0;
};

/// `const tunable int NAME = {values...};`
struct Tunable {
  std::string name;
  SourceRange nameRange;
  std::vector<int64_t> values; ///< empty: the host must define it
};

struct Unit {
  std::vector<std::unique_ptr<Function>> functions;
  std::vector<ConstantTable> tables;
  std::vector<Tunable> tunables;
  std::vector<std::unique_ptr<StaticAssertStmt>> assertions; ///< at file scope
  const Function *find(std::string_view name) const;
};

/// The tree as an S-expression on one line, for tests and debugging.
std::string dump(const Expr &expr);
std::string dump(const Stmt &stmt);
std::string dump(const Function &function);

} // namespace tritium::frontend::tritonc

#endif // TRITIUM_FRONTEND_TRITONC_AST_H
