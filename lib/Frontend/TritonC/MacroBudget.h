//===- MacroBudget.h - bounds on what macros make ---------------*- C++ -*-===//
//
// A few macros can make more text than any memory holds, and nest deeper than any stack.
// clang's preprocessor has no bounds and cannot be stopped from a callback. This one
// takes the macros away instead once they made too much: what is left then ends soon.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_FRONTEND_TRITONC_MACROBUDGET_H
#define TRITIUM_LIB_FRONTEND_TRITONC_MACROBUDGET_H

#include "clang/Basic/SourceLocation.h"

#include <cstdint>

namespace clang {
class MacroArgs;
class MacroInfo;
class Preprocessor;
class Token;
} // namespace clang

namespace tritium::frontend::tritonc {

/// Ends the file that is read, also within a directive.
void cutOff(clang::Preprocessor &preprocessor);

class MacroBudget {
public:
  explicit MacroBudget(clang::Preprocessor &preprocessor) : preprocessor(preprocessor) {}

  /// Before the expansion of each macro.
  void expand(const clang::Token &name, const clang::MacroInfo &macro,
              const clang::MacroArgs *arguments);
  /// After each `#if` and `#elif`, whose expressions clang reads with recursion.
  void endDirective() { inDirective = 0; }

  /// Where the bounds were passed; invalid if they were not.
  clang::SourceLocation exceededAt() const { return exceeded; }

private:
  clang::Preprocessor &preprocessor;
  uint64_t tokens = 0, inDirective = 0;
  unsigned depth = 0;
  clang::SourceLocation exceeded;

  void remove(const clang::Token &name);
};

} // namespace tritium::frontend::tritonc

#endif // TRITIUM_LIB_FRONTEND_TRITONC_MACROBUDGET_H
