//===- ASTDump.cpp - syntax trees as S-expressions ------------------------===//

#include "tritium/Frontend/TritonC/AST.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace tritium::frontend::tritonc {
namespace {

class Dumper {
public:
  explicit Dumper(llvm::raw_ostream &out) : out(out) {}
  void print(const Expr *expr);
  void print(const Stmt *stmt);
  void print(const Variable &variable);
  void print(const Function &function);

private:
  void print(const Subscript &subscript);
  void print(const Number &number);
  template <typename... Parts> void list(std::string_view head, const Parts *...parts) {
    out << "(" << head;
    ((out << " ", print(parts)), ...);
    out << ")";
  }

  llvm::raw_ostream &out;
};

const char *spelling(UnaryOp op) {
  switch (op) {
  case UnaryOp::Plus:
    return "+";
  case UnaryOp::Minus:
    return "-";
  case UnaryOp::Complement:
    return "~";
  case UnaryOp::Not:
    return "!";
  case UnaryOp::Transpose:
    return "^";
  case UnaryOp::AddressOf:
    return "&";
  }
  return "?";
}

void Dumper::print(const Number &number) {
  if (auto *integer = std::get_if<Constant::Int>(&number.value.value)) {
    out << llvm::APInt(128, {uint64_t(*integer), uint64_t(*integer >> 64)});
  } else {
    llvm::SmallString<32> text;
    llvm::APFloat(std::get<double>(number.value.value)).toString(text);
    out << text;
  }
  if (!(number.dtype == DType{DTypeKind::Int32}))
    out << ":" << number.dtype.signature();
}

void Dumper::print(const Subscript &subscript) {
  out << "([] ";
  print(subscript.base.get());
  for (const SubscriptItem &item : subscript.items) {
    out << " ";
    switch (item.kind) {
    case SubscriptItem::Keep:
      out << ":";
      break;
    case SubscriptItem::NewAxis:
      out << "newaxis";
      break;
    case SubscriptItem::Sum:
      out << "+";
      break;
    case SubscriptItem::Max:
      out << "max";
      break;
    case SubscriptItem::Min:
      out << "min";
      break;
    case SubscriptItem::Permute:
      out << "^" << item.axis;
      break;
    case SubscriptItem::Element:
      print(item.element.get());
      break;
    case SubscriptItem::Slice:
      out << "(: ";
      print(item.element.get());
      out << " ";
      print(item.end.get());
      out << " ";
      print(item.step.get());
      out << ")";
      break;
    }
  }
  out << ")";
}

void Dumper::print(const Expr *expr) {
  if (!expr) {
    out << "_";
    return;
  }
  switch (expr->kind) {
  case ExprKind::Number:
    return print(*llvm::cast<Number>(expr));
  case ExprKind::Name:
    out << llvm::cast<Name>(expr)->id;
    return;
  case ExprKind::Call: {
    auto *call = llvm::cast<Call>(expr);
    out << "(" << call->callee;
    for (const ExprPtr &argument : call->arguments) {
      out << " ";
      print(argument.get());
    }
    out << ")";
    return;
  }
  case ExprKind::Subscript:
    return print(*llvm::cast<Subscript>(expr));
  case ExprKind::Unary: {
    auto *unary = llvm::cast<Unary>(expr);
    return list(spelling(unary->op), unary->operand.get());
  }
  case ExprKind::Dereference: {
    auto *load = llvm::cast<Dereference>(expr);
    if (load->mask)
      return list("*?", load->mask.get(), load->pointer.get());
    return list("*", load->pointer.get());
  }
  case ExprKind::Step: {
    auto *step = llvm::cast<Step>(expr);
    std::string op = step->isIncrement ? "++" : "--";
    return list(step->isPrefix ? op + "_" : "_" + op, step->operand.get());
  }
  case ExprKind::Cast: {
    auto *cast = llvm::cast<Cast>(expr);
    return list("cast<" + tritonc::spelling(cast->type) + ">", cast->operand.get());
  }
  case ExprKind::Bitcast: {
    auto *cast = llvm::cast<Bitcast>(expr);
    return list("bitcast<" + tritonc::spelling(cast->type) + ">", cast->operand.get());
  }
  case ExprKind::Range: {
    auto *range = llvm::cast<Range>(expr);
    return list("...", range->first.get(), range->last.get());
  }
  case ExprKind::Binary: {
    auto *binary = llvm::cast<Binary>(expr);
    return list(tritonc::spelling(binary->op), binary->lhs.get(), binary->rhs.get());
  }
  case ExprKind::Conditional: {
    auto *c = llvm::cast<Conditional>(expr);
    return list("?:", c->test.get(), c->then.get(), c->otherwise.get());
  }
  case ExprKind::Assign: {
    auto *assign = llvm::cast<Assign>(expr);
    std::string op = assign->op ? std::string(tritonc::spelling(*assign->op)) : "";
    return list(op + "=", assign->target.get(), assign->value.get());
  }
  case ExprKind::Comma: {
    auto *comma = llvm::cast<Comma>(expr);
    return list(",", comma->lhs.get(), comma->rhs.get());
  }
  case ExprKind::SizeOf: {
    auto *size = llvm::cast<SizeOf>(expr);
    if (size->type)
      out << "(sizeof " << tritonc::spelling(*size->type) << ")";
    else
      list("sizeof", size->operand.get());
    return;
  }
  }
}

void Dumper::print(const Variable &variable) {
  const Attributes &attributes = variable.attributes;
  out << "(" << tritonc::spelling(variable.type) << " " << variable.name;
  if (attributes.aligned)
    out << " aligned:" << *attributes.aligned;
  if (attributes.multipleOf)
    out << " multipleof:" << *attributes.multipleOf;
  for (auto [isSet, name] :
       {std::pair(attributes.isReadOnly, " readonly"),
        std::pair(attributes.isWriteOnly, " writeonly"),
        std::pair(attributes.isNoAlias, " noalias"), std::pair(attributes.isRetune, " retune")})
    if (isSet)
      out << name;
  if (variable.init) {
    out << " ";
    print(variable.init.get());
  }
  out << ")";
}

void Dumper::print(const Stmt *stmt) {
  if (!stmt) {
    out << "_";
    return;
  }
  switch (stmt->kind) {
  case StmtKind::Expression:
    return print(llvm::cast<ExprStmt>(stmt)->value.get());
  case StmtKind::Declaration:
    out << "(decl";
    for (const Variable &variable : llvm::cast<DeclStmt>(stmt)->variables) {
      out << " ";
      print(variable);
    }
    out << ")";
    return;
  case StmtKind::Block:
    out << "{";
    llvm::interleave(
        llvm::cast<BlockStmt>(stmt)->body, [&](const StmtPtr &s) { print(s.get()); },
        [&] { out << " "; });
    out << "}";
    return;
  case StmtKind::If: {
    auto *branch = llvm::cast<IfStmt>(stmt);
    if (branch->otherwise)
      return list("if", branch->test.get(), branch->body.get(), branch->otherwise.get());
    return list("if", branch->test.get(), branch->body.get());
  }
  case StmtKind::For: {
    auto *loop = llvm::cast<ForStmt>(stmt);
    return list("for", loop->init.get(), loop->test.get(), loop->step.get(), loop->body.get());
  }
  case StmtKind::While: {
    auto *loop = llvm::cast<WhileStmt>(stmt);
    return list("while", loop->test.get(), loop->body.get());
  }
  case StmtKind::Do: {
    auto *loop = llvm::cast<DoStmt>(stmt);
    return list("do", loop->body.get(), loop->test.get());
  }
  case StmtKind::Break:
    out << "(break)";
    return;
  case StmtKind::Continue:
    out << "(continue)";
    return;
  case StmtKind::Return: {
    auto *result = llvm::cast<ReturnStmt>(stmt);
    if (result->value)
      return list("return", result->value.get());
    out << "(return)";
    return;
  }
  case StmtKind::Predicated: {
    auto *predicated = llvm::cast<PredicatedStmt>(stmt);
    return list("@", predicated->predicate.get(), predicated->value.get());
  }
  case StmtKind::StaticAssert:
    return list("static_assert", llvm::cast<StaticAssertStmt>(stmt)->condition.get());
  case StmtKind::Empty:
    out << ";";
    return;
  }
}

void Dumper::print(const Function &function) {
  out << "(" << (function.isGlobal ? "kernel " : "function ") << function.name << " "
      << tritonc::spelling(function.result) << " (";
  llvm::interleave(function.parameters, [&](const Variable &v) { print(v); }, [&] { out << " "; });
  out << ") ";
  print(function.body.get());
  out << ")";
}

template <typename Node> std::string dumped(const Node &node) {
  std::string text;
  llvm::raw_string_ostream out(text);
  Dumper(out).print(node);
  return text;
}
} // namespace

std::string dump(const Expr &expr) { return dumped(&expr); }
std::string dump(const Stmt &stmt) { return dumped(&stmt); }
std::string dump(const Function &function) { return dumped(function); }

} // namespace tritium::frontend::tritonc
