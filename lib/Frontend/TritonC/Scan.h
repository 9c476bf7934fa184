//===- Scan.h - what statements may do, from their syntax -------*- C++ -*-===//

#ifndef TRITIUM_LIB_FRONTEND_TRITONC_SCAN_H
#define TRITIUM_LIB_FRONTEND_TRITONC_SCAN_H

#include "tritium/Frontend/TritonC/AST.h"

#include "llvm/ADT/ArrayRef.h"

#include <set>
#include <string>

namespace tritium::frontend::tritonc {

/// The jumps that leave a statement.
struct Jumps {
  bool breaks = false, continues = false, returns = false;
  bool any() const { return breaks || continues || returns; }
};
Jumps jumpsOf(const Stmt &stmt);
Jumps jumpsOf(llvm::ArrayRef<StmtPtr> statements);

using NameSet = std::set<std::string, std::less<>>;

/// The variables declared outside that the statements of one scope, or an expression, may
/// assign.
NameSet assignedBy(llvm::ArrayRef<StmtPtr> statements);
NameSet assignedBy(const Expr &expr);

/// The same value whenever it is evaluated, as long as the variables that it names are not
/// assigned; these are added to `names`, and functions that it calls as "f()". Memory is not
/// read, unless the file defines a built-in anew.
bool isInvariant(const Expr &expr, NameSet &names);

/// A constant expression: it names no variable, and calls `min` and `max` only.
bool isConstantExpression(const Expr &expr);

} // namespace tritium::frontend::tritonc

#endif // TRITIUM_LIB_FRONTEND_TRITONC_SCAN_H
