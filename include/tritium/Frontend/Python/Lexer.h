//===- Lexer.h - tokens of Python source ------------------------*- C++ -*-===//

#ifndef TRITIUM_FRONTEND_PYTHON_LEXER_H
#define TRITIUM_FRONTEND_PYTHON_LEXER_H

#include "tritium/Support/Diagnostics.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace tritium::frontend::python {

enum class TokenKind : uint8_t {
  Name,
  Keyword,
  Integer,
  Float,
  Imaginary,
  String,  ///< any prefix but f
  FString, ///< with an f in its prefix
  Operator,
  Newline, ///< end of a logical line
  Indent,
  Dedent,
  End
};

struct Token {
  TokenKind kind = TokenKind::End;
  uint32_t begin = 0, end = 0; ///< byte offsets
};

/// Splits [begin, end) of a file into tokens; the last is End. `insideBrackets`: the
/// text continues a bracket, so that line ends and indentation mean nothing. On an
/// error reports it and returns false; `tokens` then holds what was read before it.
bool tokenize(const SourceManager &sources, uint32_t file, uint32_t begin, uint32_t end,
              bool insideBrackets, DiagnosticEngine &diagnostics, std::vector<Token> &tokens);

/// The length of the prefix letters of a string token's text.
size_t stringPrefixLength(std::string_view text);

} // namespace tritium::frontend::python

#endif // TRITIUM_FRONTEND_PYTHON_LEXER_H
