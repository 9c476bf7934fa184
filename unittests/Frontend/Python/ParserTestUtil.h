//===- ParserTestUtil.h - parsing in tests ----------------------*- C++ -*-===//

#ifndef TRITIUM_UNITTESTS_FRONTEND_PYTHON_PARSERTESTUTIL_H
#define TRITIUM_UNITTESTS_FRONTEND_PYTHON_PARSERTESTUTIL_H

#include "tritium/Frontend/Python/Parser.h"

#include <gtest/gtest.h>

namespace tritium::frontend {

/// "line:column: message" of the only error, with which every failed parse ends.
inline std::string onlyError(const SourceManager &sources, const DiagnosticEngine &diagnostics) {
  if (diagnostics.all().size() != 1)
    return std::to_string(diagnostics.all().size()) + " errors";
  const Diagnostic &error = diagnostics.all().front();
  LineColumn at = sources.lineColumn(error.range.begin);
  return std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + error.message;
}

/// The tree of an expression, or its error.
inline std::string expr(std::string text) {
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  uint32_t file = sources.addFile("k.py", std::move(text));
  ast::ExprPtr tree = python::parseExpression(sources, file, diagnostics);
  return tree ? ast::dump(*tree) : onlyError(sources, diagnostics);
}

/// The tree of a function, or its error.
inline std::string function(std::string text) {
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  uint32_t file = sources.addFile("k.py", std::move(text));
  auto tree = python::parseFunction(sources, file, diagnostics);
  return tree ? ast::dump(*tree) : onlyError(sources, diagnostics);
}

/// The tree of `def f():` with these statements, each line indented, or the error.
inline std::string body(std::string_view lines) {
  std::string text = "def f():\n  ";
  for (char c : lines) {
    text += c;
    if (c == '\n')
      text += "  ";
  }
  std::string tree = function(text + "\n");
  constexpr std::string_view kHead = "(def f () ";
  if (!tree.starts_with(kHead))
    return tree;
  return tree.substr(kHead.size(), tree.size() - kHead.size() - 1);
}

} // namespace tritium::frontend

#endif // TRITIUM_UNITTESTS_FRONTEND_PYTHON_PARSERTESTUTIL_H
