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
#include <string>
#include <unordered_map>
#include <vector>

namespace clang {
class MacroArgs;
class MacroInfo;
class Preprocessor;
class Token;
} // namespace clang

namespace tritium::frontend::tritonc {

/// Why a run must not go on; the first reason counts. What clang reports after it is an echo.
struct Stop {
  clang::SourceLocation at;
  std::string why; ///< empty: the run goes on
  explicit operator bool() const { return !why.empty(); }
  void set(clang::SourceLocation where, std::string reason) {
    if (why.empty()) {
      at = where;
      why = std::move(reason);
    }
  }
};

/// Ends the file that is read, also within a directive.
void cutOff(clang::Preprocessor &preprocessor);

class MacroBudget {
public:
  MacroBudget(clang::Preprocessor &preprocessor, Stop &stop)
      : preprocessor(preprocessor), stop(stop) {}

  /// Before the expansion of each macro.
  void expand(const clang::Token &name, const clang::MacroInfo &macro,
              const clang::MacroArgs *arguments);
  /// After each `#if` and `#elif`, whose expressions clang reads with recursion.
  void endDirective() { inDirective = 0; }

private:
  /// What a macro's body does with its arguments.
  struct Body {
    std::vector<uint64_t> uses; ///< of each parameter
    uint64_t pastes = 0;        ///< `##`
    bool joins = false;         ///< `##` or `#`: characters of arguments become one token
  };

  clang::Preprocessor &preprocessor;
  Stop &stop;
  std::unordered_map<const clang::MacroInfo *, Body> bodies; ///< stay where they are
  uint64_t tokens = 0, bytes = 0, inDirective = 0;
  unsigned depth = 0;

  const Body &bodyOf(const clang::MacroInfo &macro);
  uint64_t joined(const Body &body, const clang::MacroArgs &arguments);
  void remove(const clang::Token &name);
};

} // namespace tritium::frontend::tritonc

#endif // TRITIUM_LIB_FRONTEND_TRITONC_MACROBUDGET_H
