//===- TritonCTestUtil.h - preprocessing and parsing in tests ---*- C++ -*-===//

#ifndef TRITIUM_UNITTESTS_FRONTEND_TRITONCTESTUTIL_H
#define TRITIUM_UNITTESTS_FRONTEND_TRITONCTESTUTIL_H

#include "tritium/Frontend/TritonC/Preprocessor.h"

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

} // namespace tritium::frontend::tritonc

#endif // TRITIUM_UNITTESTS_FRONTEND_TRITONCTESTUTIL_H
