//===- ParserTestUtil.h - preprocessing and parsing in tests ----*- C++ -*-===//

#ifndef TRITIUM_UNITTESTS_FRONTEND_TRITONC_PARSERTESTUTIL_H
#define TRITIUM_UNITTESTS_FRONTEND_TRITONC_PARSERTESTUTIL_H

#include "tritium/Frontend/TritonC/Parser.h"

#include <gtest/gtest.h>

namespace tritium::frontend::tritonc {

using Defines = std::vector<std::pair<std::string, std::string>>;

/// The tokens with one blank between them, or what was reported.
inline std::string tokens(std::string text, Defines defines = {}) {
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  SourceUnit unit{"k.tc", std::move(text), std::move(defines), {}};
  auto result = preprocess(unit, sources, diagnostics);
  if (!result || !diagnostics.all().empty())
    return diagnostics.render();
  std::string out;
  for (const Token &token : result->tokens)
    out += (out.empty() || token.kind == Token::End ? "" : " ") + std::string(token.text);
  return out;
}

/// The functions as S-expressions, one a line, or what was reported.
inline std::string parsed(std::string text, Defines defines = {}) {
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  SourceUnit source{"k.tc", std::move(text), std::move(defines), {}};
  auto tokens = preprocess(source, sources, diagnostics);
  auto unit = tokens ? parse(*tokens, source, diagnostics) : nullptr;
  if (!unit || !diagnostics.all().empty())
    return diagnostics.render();
  std::string out;
  for (const auto &function : unit->functions)
    out += (out.empty() ? "" : "\n") + dump(*function);
  return out;
}

/// The statements of a function's body, without the braces.
inline std::string body(std::string text, Defines defines = {}) {
  std::string tree = parsed("void f() {\n" + text + "\n}", std::move(defines));
  constexpr std::string_view kBefore = "(function f void () {", kAfter = "})";
  if (!tree.starts_with(kBefore))
    return tree;
  return tree.substr(kBefore.size(), tree.size() - kBefore.size() - kAfter.size());
}

/// One expression.
inline std::string expression(std::string text, Defines defines = {}) {
  return body(std::move(text) + ";", std::move(defines));
}

} // namespace tritium::frontend::tritonc

#endif // TRITIUM_UNITTESTS_FRONTEND_TRITONC_PARSERTESTUTIL_H
