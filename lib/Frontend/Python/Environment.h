//===- Environment.h - what the names of a function mean --------*- C++ -*-===//

#ifndef TRITIUM_LIB_FRONTEND_PYTHON_ENVIRONMENT_H
#define TRITIUM_LIB_FRONTEND_PYTHON_ENVIRONMENT_H

#include "tritium/Frontend/AST/AST.h"
#include "tritium/Frontend/Sema/Value.h"

#include "llvm/ADT/ArrayRef.h"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace tritium::frontend::python {

/// Why a name that was bound somewhere cannot be used here.
struct Poison {
  std::string message;
  std::vector<Diagnostic> notes;
  /// The variable of a loop that has ended: makes its value in the last round, where the name is
  /// used. In Python the name still has it.
  std::function<sema::Value()> lastValue;
};

/// What a local name stands for at one point of the function.
struct Binding {
  sema::Value value;
  SourceRange at;                       ///< where it was bound
  unsigned version = 0;                 ///< unique for each time that a name is bound
  bool isConstexpr = false;             ///< declared `name: tl.constexpr`
  std::shared_ptr<const Poison> poison; ///< set: `value` means nothing
};

using Environment = std::map<std::string, Binding, std::less<>>;

/// The names that statements may bind.
struct AssignedNames {
  std::set<std::string, std::less<>> all;
  /// Of these, the ones that are bound whenever the statements run to their end.
  std::set<std::string, std::less<>> always;

  void addTarget(const ast::Expr &target, bool isConditional);
  void addExpression(const ast::Expr &expr, bool isConditional);
  void addBlock(llvm::ArrayRef<ast::StmtPtr> block, bool isConditional);

private:
  void add(const std::string &name, bool isConditional);
  void addDefaults(const ast::Function &function, bool isConditional);
};

/// The names that a comprehension binds for itself.
struct ComprehensionScope {
  AssignedNames names;
  std::shared_ptr<const ComprehensionScope> outer;
  bool hasEnded = false;
};

/// True if a `return`, or a `break` or `continue` of the loop around the block, stands in it.
bool mayLeave(llvm::ArrayRef<ast::StmtPtr> block);

/// The candidate that `name` may be a misspelling of; empty if none is near.
std::string nearestName(std::string_view name, llvm::ArrayRef<std::string> candidates);

} // namespace tritium::frontend::python

#endif // TRITIUM_LIB_FRONTEND_PYTHON_ENVIRONMENT_H
