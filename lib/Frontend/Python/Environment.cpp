//===- Environment.cpp - names that statements bind -----------------------===//

#include "Environment.h"

#include "llvm/ADT/StringRef.h"

using namespace tritium;
using namespace tritium::frontend;
using namespace tritium::frontend::ast;
using namespace tritium::frontend::python;

void AssignedNames::add(const std::string &name, bool isConditional) {
  all.insert(name);
  if (!isConditional)
    always.insert(name);
}

void AssignedNames::addTarget(const Expr &target, bool isConditional) {
  if (auto *name = llvm::dyn_cast<Name>(&target))
    add(name->id, isConditional);
  else if (auto *tuple = llvm::dyn_cast<Tuple>(&target))
    for (const ExprPtr &element : tuple->elements)
      addTarget(*element, isConditional);
  else if (auto *starred = llvm::dyn_cast<Starred>(&target))
    addTarget(*starred->value, isConditional);
  else if (auto *subscript = llvm::dyn_cast<Subscript>(&target)) {
    addExpression(*subscript->index, isConditional);
    addTarget(*subscript->base, isConditional); // its name is bound to a new tile
  } else if (auto *attribute = llvm::dyn_cast<Attribute>(&target)) {
    addTarget(*attribute->base, isConditional); // as is that of an aggregate
  }
}

/// A function's defaults are evaluated where it stands; its body is not.
void AssignedNames::addDefaults(const Function &function, bool isConditional) {
  for (const Parameter &parameter : function.parameters)
    if (parameter.defaultValue)
      addExpression(*parameter.defaultValue, isConditional);
}

/// Only `:=` binds names within an expression.
void AssignedNames::addExpression(const Expr &expr, bool isConditional) {
  auto visit = [&](const ExprPtr &child) {
    if (child)
      addExpression(*child, isConditional);
  };
  switch (expr.kind) {
  case ExprKind::Literal:
  case ExprKind::Ellipsis:
  case ExprKind::Name:
    return;
  case ExprKind::Lambda: // what is bound there is bound in the function
    return addDefaults(*llvm::cast<Lambda>(expr).function, isConditional);
  case ExprKind::Attribute:
    return visit(llvm::cast<Attribute>(expr).base);
  case ExprKind::Subscript:
    visit(llvm::cast<Subscript>(expr).base);
    return visit(llvm::cast<Subscript>(expr).index);
  case ExprKind::Slice:
    visit(llvm::cast<Slice>(expr).lower);
    visit(llvm::cast<Slice>(expr).upper);
    return visit(llvm::cast<Slice>(expr).step);
  case ExprKind::Call:
    visit(llvm::cast<Call>(expr).callee);
    for (const CallArgument &argument : llvm::cast<Call>(expr).arguments)
      visit(argument.value);
    return;
  case ExprKind::Unary:
    return visit(llvm::cast<Unary>(expr).operand);
  case ExprKind::Binary:
    visit(llvm::cast<Binary>(expr).lhs);
    return visit(llvm::cast<Binary>(expr).rhs);
  case ExprKind::BoolOp:
    for (const ExprPtr &operand : llvm::cast<BoolOp>(expr).operands)
      visit(operand);
    return;
  case ExprKind::Compare:
    for (const ExprPtr &operand : llvm::cast<Compare>(expr).operands)
      visit(operand);
    return;
  case ExprKind::Conditional:
    visit(llvm::cast<Conditional>(expr).test);
    addExpression(*llvm::cast<Conditional>(expr).body, true);
    return addExpression(*llvm::cast<Conditional>(expr).orelse, true);
  case ExprKind::Tuple:
    for (const ExprPtr &element : llvm::cast<Tuple>(expr).elements)
      visit(element);
    return;
  case ExprKind::Dict:
    for (const ExprPtr &key : llvm::cast<Dict>(expr).keys)
      visit(key);
    for (const ExprPtr &value : llvm::cast<Dict>(expr).values)
      visit(value);
    return;
  case ExprKind::Starred:
    return visit(llvm::cast<Starred>(expr).value);
  case ExprKind::Comprehension:
    for (const ComprehensionLoop &loop : llvm::cast<Comprehension>(expr).loops) {
      addExpression(*loop.iterable, true);
      for (const ExprPtr &condition : loop.conditions)
        addExpression(*condition, true);
    }
    return addExpression(*llvm::cast<Comprehension>(expr).element, true);
  case ExprKind::FString:
    for (const FStringPart &part : llvm::cast<FString>(expr).parts)
      visit(part.value);
    return;
  case ExprKind::Walrus:
    add(llvm::cast<Walrus>(expr).name, isConditional);
    return visit(llvm::cast<Walrus>(expr).value);
  }
}

void AssignedNames::addBlock(llvm::ArrayRef<StmtPtr> block, bool isConditional) {
  for (const StmtPtr &stmt : block) {
    switch (stmt->kind) {
    case StmtKind::Expression:
      addExpression(*llvm::cast<ExprStmt>(*stmt).value, isConditional);
      break;
    case StmtKind::Assign:
      addExpression(*llvm::cast<Assign>(*stmt).value, isConditional);
      for (const ExprPtr &target : llvm::cast<Assign>(*stmt).targets)
        addTarget(*target, isConditional);
      break;
    case StmtKind::AugAssign:
      addExpression(*llvm::cast<AugAssign>(*stmt).value, isConditional);
      addTarget(*llvm::cast<AugAssign>(*stmt).target, isConditional);
      break;
    case StmtKind::AnnAssign:
      if (auto &assign = llvm::cast<AnnAssign>(*stmt); assign.value) {
        addExpression(*assign.value, isConditional);
        addTarget(*assign.target, isConditional);
      }
      break;
    case StmtKind::If:
      addExpression(*llvm::cast<If>(*stmt).test, isConditional);
      addBlock(llvm::cast<If>(*stmt).body, true);
      addBlock(llvm::cast<If>(*stmt).orelse, true);
      break;
    case StmtKind::For:
      addExpression(*llvm::cast<For>(*stmt).iterable, isConditional);
      addTarget(*llvm::cast<For>(*stmt).target, isConditional);
      addBlock(llvm::cast<For>(*stmt).body, isConditional);
      break;
    case StmtKind::While:
      addExpression(*llvm::cast<While>(*stmt).test, isConditional);
      addBlock(llvm::cast<While>(*stmt).body, isConditional);
      break;
    case StmtKind::Return:
      if (auto &value = llvm::cast<Return>(*stmt).value)
        addExpression(*value, isConditional);
      break;
    case StmtKind::Assert:
      addExpression(*llvm::cast<Assert>(*stmt).test, isConditional);
      if (auto &message = llvm::cast<Assert>(*stmt).message)
        addExpression(*message, isConditional);
      break;
    case StmtKind::FunctionDef:
      addDefaults(*llvm::cast<FunctionDef>(*stmt).function, isConditional);
      add(llvm::cast<FunctionDef>(*stmt).function->name, isConditional);
      break;
    case StmtKind::Raise:
    case StmtKind::Pass:
    case StmtKind::Break:
    case StmtKind::Continue:
      break;
    }
  }
}

/// `inLoop`: a `break` or `continue` here ends within the block that is asked about.
static bool mayLeave(llvm::ArrayRef<StmtPtr> block, bool inLoop) {
  return llvm::any_of(block, [&](const StmtPtr &stmt) {
    switch (stmt->kind) {
    case StmtKind::Return:
      return true;
    case StmtKind::Break:
    case StmtKind::Continue:
      return !inLoop;
    case StmtKind::If:
      return mayLeave(llvm::cast<If>(*stmt).body, inLoop) ||
             mayLeave(llvm::cast<If>(*stmt).orelse, inLoop);
    case StmtKind::For:
      return mayLeave(llvm::cast<For>(*stmt).body, true);
    case StmtKind::While:
      return mayLeave(llvm::cast<While>(*stmt).body, true);
    default:
      return false;
    }
  });
}

bool python::mayLeave(llvm::ArrayRef<StmtPtr> block) { return ::mayLeave(block, false); }

std::string python::nearestName(std::string_view name, llvm::ArrayRef<std::string> candidates) {
  llvm::StringRef wanted(name.data(), name.size());
  unsigned best = name.size() <= 2 ? 1 : name.size() <= 5 ? 2 : 3;
  std::string nearest;
  for (const std::string &candidate : candidates) {
    unsigned distance =
        wanted.equals_insensitive(candidate) ? 0 : wanted.edit_distance(candidate, true, best);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}
