//===- Scan.cpp - what statements may do, from their syntax ---------------===//

#include "Scan.h"

#include "llvm/ADT/STLExtras.h"

namespace tritium::frontend::tritonc {

//===----------------------------------------------------------------------===//
// Jumps
//===----------------------------------------------------------------------===//

static Jumps operator|(Jumps a, Jumps b) {
  return {a.breaks || b.breaks, a.continues || b.continues, a.returns || b.returns};
}

static Jumps ofLoop(const Stmt &body) { return {false, false, jumpsOf(body).returns}; }

Jumps jumpsOf(const Stmt &stmt) {
  switch (stmt.kind) {
  case StmtKind::Break:
    return {true, false, false};
  case StmtKind::Continue:
    return {false, true, false};
  case StmtKind::Return:
    return {false, false, true};
  case StmtKind::Block:
    return jumpsOf(llvm::cast<BlockStmt>(stmt).body);
  case StmtKind::If: {
    auto &branch = llvm::cast<IfStmt>(stmt);
    Jumps all = jumpsOf(*branch.body);
    return branch.otherwise ? all | jumpsOf(*branch.otherwise) : all;
  }
  case StmtKind::For:
    return ofLoop(*llvm::cast<ForStmt>(stmt).body);
  case StmtKind::While:
    return ofLoop(*llvm::cast<WhileStmt>(stmt).body);
  case StmtKind::Do:
    return ofLoop(*llvm::cast<DoStmt>(stmt).body);
  default:
    return {};
  }
}

Jumps jumpsOf(llvm::ArrayRef<StmtPtr> statements) {
  Jumps all;
  for (const StmtPtr &stmt : statements)
    all = all | jumpsOf(*stmt);
  return all;
}

//===----------------------------------------------------------------------===//
// Assigned variables
//===----------------------------------------------------------------------===//

namespace {
/// Collects names that are assigned where no inner declaration hides them.
class AssignmentScan {
public:
  NameSet assigned;

  void visit(const Expr *expr) {
    if (!expr)
      return;
    switch (expr->kind) {
    case ExprKind::Number:
    case ExprKind::Name:
      return;
    case ExprKind::Call:
      for (const ExprPtr &argument : llvm::cast<Call>(expr)->arguments)
        visit(argument.get());
      return;
    case ExprKind::Subscript:
      visit(llvm::cast<Subscript>(expr)->base.get());
      for (const SubscriptItem &item : llvm::cast<Subscript>(expr)->items)
        for (const ExprPtr *part : {&item.element, &item.end, &item.step})
          visit(part->get());
      return;
    case ExprKind::Unary:
      return visit(llvm::cast<Unary>(expr)->operand.get());
    case ExprKind::Dereference:
      visit(llvm::cast<Dereference>(expr)->mask.get());
      return visit(llvm::cast<Dereference>(expr)->pointer.get());
    case ExprKind::Step:
      return target(*llvm::cast<Step>(expr)->operand);
    case ExprKind::Cast:
      return visit(llvm::cast<Cast>(expr)->operand.get());
    case ExprKind::Bitcast:
      return visit(llvm::cast<Bitcast>(expr)->operand.get());
    case ExprKind::Range:
      visit(llvm::cast<Range>(expr)->first.get());
      return visit(llvm::cast<Range>(expr)->last.get());
    case ExprKind::Binary:
      visit(llvm::cast<Binary>(expr)->lhs.get());
      return visit(llvm::cast<Binary>(expr)->rhs.get());
    case ExprKind::Conditional:
      visit(llvm::cast<Conditional>(expr)->test.get());
      visit(llvm::cast<Conditional>(expr)->then.get());
      return visit(llvm::cast<Conditional>(expr)->otherwise.get());
    case ExprKind::Assign:
      visit(llvm::cast<Assign>(expr)->value.get());
      return target(*llvm::cast<Assign>(expr)->target);
    case ExprKind::Comma:
      visit(llvm::cast<Comma>(expr)->lhs.get());
      return visit(llvm::cast<Comma>(expr)->rhs.get());
    case ExprKind::SizeOf:
      return; // not evaluated
    }
  }

  void visit(const Stmt *stmt) {
    if (!stmt)
      return;
    switch (stmt->kind) {
    case StmtKind::Expression:
      return visit(llvm::cast<ExprStmt>(stmt)->value.get());
    case StmtKind::Declaration:
      for (const Variable &variable : llvm::cast<DeclStmt>(stmt)->variables) {
        visit(variable.init.get());
        declared.push_back(&variable.name);
      }
      return;
    case StmtKind::Block:
      return scope([&] {
        for (const StmtPtr &child : llvm::cast<BlockStmt>(stmt)->body)
          visit(child.get());
      });
    case StmtKind::If:
      visit(llvm::cast<IfStmt>(stmt)->test.get());
      scope([&] { visit(llvm::cast<IfStmt>(stmt)->body.get()); });
      return scope([&] { visit(llvm::cast<IfStmt>(stmt)->otherwise.get()); });
    case StmtKind::For:
      return scope([&] {
        auto *loop = llvm::cast<ForStmt>(stmt);
        visit(loop->init.get());
        visit(loop->test.get());
        visit(loop->step.get());
        visit(loop->body.get());
      });
    case StmtKind::While:
      visit(llvm::cast<WhileStmt>(stmt)->test.get());
      return scope([&] { visit(llvm::cast<WhileStmt>(stmt)->body.get()); });
    case StmtKind::Do:
      scope([&] { visit(llvm::cast<DoStmt>(stmt)->body.get()); });
      return visit(llvm::cast<DoStmt>(stmt)->test.get());
    case StmtKind::Return:
      return visit(llvm::cast<ReturnStmt>(stmt)->value.get());
    case StmtKind::Predicated:
      visit(llvm::cast<PredicatedStmt>(stmt)->predicate.get());
      return visit(llvm::cast<PredicatedStmt>(stmt)->value.get());
    case StmtKind::Break:
    case StmtKind::Continue:
    case StmtKind::StaticAssert:
    case StmtKind::Empty:
      return;
    }
  }

private:
  std::vector<const std::string *> declared;

  template <typename F> void scope(F body) {
    size_t size = declared.size();
    body();
    declared.resize(size);
  }

  void target(const Expr &expr) {
    auto *elements = llvm::dyn_cast<Subscript>(&expr);
    if (elements)
      visit(&expr);
    auto *name = llvm::dyn_cast<Name>(elements ? elements->base.get() : &expr);
    if (!name)
      return elements ? void() : visit(&expr);
    if (llvm::none_of(declared, [&](const std::string *inner) { return *inner == name->id; }))
      assigned.insert(name->id);
  }
};
} // namespace

NameSet assignedBy(llvm::ArrayRef<StmtPtr> statements) {
  AssignmentScan scan;
  for (const StmtPtr &stmt : statements)
    scan.visit(stmt.get());
  return std::move(scan.assigned);
}

NameSet assignedBy(const Expr &expr) {
  AssignmentScan scan;
  scan.visit(&expr);
  return std::move(scan.assigned);
}

//===----------------------------------------------------------------------===//
// Invariants
//===----------------------------------------------------------------------===//

bool isInvariant(const Expr &expr, NameSet &names) {
  switch (expr.kind) {
  case ExprKind::Number:
    return true;
  case ExprKind::Name:
    names.insert(llvm::cast<Name>(expr).id);
    return true;
  case ExprKind::SizeOf:
    return true;
  case ExprKind::Unary: {
    auto &unary = llvm::cast<Unary>(expr);
    return unary.op != UnaryOp::AddressOf && isInvariant(*unary.operand, names);
  }
  case ExprKind::Cast:
    return isInvariant(*llvm::cast<Cast>(expr).operand, names);
  case ExprKind::Binary: {
    auto &binary = llvm::cast<Binary>(expr);
    return isInvariant(*binary.lhs, names) && isInvariant(*binary.rhs, names);
  }
  case ExprKind::Conditional: {
    auto &choice = llvm::cast<Conditional>(expr);
    return isInvariant(*choice.test, names) && (!choice.then || isInvariant(*choice.then, names)) &&
           isInvariant(*choice.otherwise, names);
  }
  case ExprKind::Call: {
    auto &call = llvm::cast<Call>(expr);
    bool isPure = call.callee == "min" || call.callee == "max" || call.callee == "get_program_id" ||
                  call.callee == "get_num_programs";
    names.insert(call.callee + "()");
    return isPure && llvm::all_of(call.arguments, [&](const ExprPtr &argument) {
             return isInvariant(*argument, names);
           });
  }
  default:
    return false;
  }
}

bool isConstantExpression(const Expr &expr) {
  NameSet names;
  return isInvariant(expr, names) && llvm::all_of(names, [](const std::string &name) {
           return name == "min()" || name == "max()";
         });
}

} // namespace tritium::frontend::tritonc
