//===- Parser.h - Triton-C's syntax -----------------------------*- C++ -*-===//

#ifndef TRITIUM_FRONTEND_TRITONC_PARSER_H
#define TRITIUM_FRONTEND_TRITONC_PARSER_H

#include "tritium/Frontend/TritonC/AST.h"
#include "tritium/Frontend/TritonC/Preprocessor.h"

namespace tritium::frontend::tritonc {

/// Parses a unit. `defines` answers for tunables. Null after errors, which have been
/// reported; the parser goes on after an error at the next statement to find more.
std::unique_ptr<Unit> parse(const PreprocessedUnit &tokens, const SourceUnit &source,
                            DiagnosticEngine &diagnostics);

/// The kernel of a unit: the function `name`, or if it is empty the first `__global__` function, or
/// else the first that returns void. Null after an error.
const Function *findKernel(const Unit &unit, std::string_view name, const SourceUnit &source,
                           DiagnosticEngine &diagnostics);

} // namespace tritium::frontend::tritonc

#endif // TRITIUM_FRONTEND_TRITONC_PARSER_H
