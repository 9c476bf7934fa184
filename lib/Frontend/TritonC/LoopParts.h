//===- LoopParts.h - the parts of a loop ------------------------*- C++ -*-===//

#ifndef TRITIUM_LIB_FRONTEND_TRITONC_LOOPPARTS_H
#define TRITIUM_LIB_FRONTEND_TRITONC_LOOPPARTS_H

#include "Generator.h"

namespace tritium::frontend::tritonc {

/// A loop of any kind.
struct Generator::Loop {
  const Expr *test = nullptr, *step = nullptr; ///< may be null
  llvm::ArrayRef<StmtPtr> body;                ///< statements of one scope
  bool isDo = false;                           ///< the test stands after the body
  SourceRange range;
};

/// `for (...; k < bound; k += by)`, or `while (k < bound) { ...; k += by; }`, where the rest of
/// the body changes neither k nor the bound.
struct Generator::Counted {
  Loop loop;
  LocalIndex variable = 0;
  bool isVariableOwn = false;                 ///< the loop declares it
  const Expr *bound = nullptr, *by = nullptr; ///< `by` null: 1
  bool isUp = true;                           ///< the variable is added to, and less than the bound
  bool includesBound = false;                 ///< <= or >=
};

} // namespace tritium::frontend::tritonc

#endif // TRITIUM_LIB_FRONTEND_TRITONC_LOOPPARTS_H
