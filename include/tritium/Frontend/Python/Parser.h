//===- Parser.h - Python source to syntax trees -----------------*- C++ -*-===//
//
// A recursive-descent parser for the part of Python that kernels may use. What is
// Python, but not for kernels, gets an error that says what to write instead. No input
// overflows the stack: nesting and the height of trees are bounded.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_FRONTEND_PYTHON_PARSER_H
#define TRITIUM_FRONTEND_PYTHON_PARSER_H

#include "tritium/Frontend/AST/AST.h"

namespace tritium::frontend::python {

/// The `kind` of diagnostics about constructs that kernels may not use.
inline constexpr const char *kUnsupported = "UnsupportedLanguageConstruct";

/// Parses a file that holds one function: decorators, which are skipped, `def` and the
/// body. Null after an error, which is reported.
std::unique_ptr<ast::Function> parseFunction(const SourceManager &sources, uint32_t file,
                                             DiagnosticEngine &diagnostics);

/// Parses a file that holds one expression. Null after an error, which is reported.
ast::ExprPtr parseExpression(const SourceManager &sources, uint32_t file,
                             DiagnosticEngine &diagnostics);

/// Reads the top level of a file. Function bodies are not parsed, and what kernels
/// cannot refer to becomes Opaque items, so only a file that is no Python at all is an
/// error. Null after an error, which is reported.
std::unique_ptr<ast::Module> parseModule(const SourceManager &sources, uint32_t file,
                                         DiagnosticEngine &diagnostics);

} // namespace tritium::frontend::python

#endif // TRITIUM_FRONTEND_PYTHON_PARSER_H
