//===- Prelude.h - what stands before every file ----------------*- C++ -*-===//

#ifndef TRITIUM_LIB_FRONTEND_TRITONC_PRELUDE_H
#define TRITIUM_LIB_FRONTEND_TRITONC_PRELUDE_H

#include "tritium/Frontend/TritonC/Preprocessor.h"

namespace tritium::frontend::tritonc {

/// The macros that a file may rely on, and none that clang has beyond those of
/// C. Typedefs and built-in functions are names that the parser knows.
std::string_view prelude();

/// `#define` lines for the definitions, in their order. Nothing after an error, which is reported.
std::optional<std::string> defineLines(const SourceUnit &unit, DiagnosticEngine &diagnostics);

/// The name that a definition defines: that before the parameters.
std::string_view definedName(std::string_view name);

} // namespace tritium::frontend::tritonc

#endif // TRITIUM_LIB_FRONTEND_TRITONC_PRELUDE_H
