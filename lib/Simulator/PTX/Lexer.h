//===- Lexer.h - tokens of PTX ----------------------------------*- C++ -*-===//

#ifndef TRITIUM_SIMULATOR_PTX_LEXER_H
#define TRITIUM_SIMULATOR_PTX_LEXER_H

#include "tritium/Simulator/PTX.h"

namespace tritium::sim::ptx {

struct Token {
  enum Kind : uint8_t {
    End,
    Identifier,  ///< add, %r1, $L__BB0_1
    Dotted,      ///< .s32, .L2::128B: text without the dot
    Integer,     ///< value
    Float,       ///< value: bits of a double, or of a float if isSingle
    String,      ///< text without the quotes
    Punctuation, ///< text: one character
    Bad,         ///< text: why
  };
  Kind kind = End;
  bool isSingle = false;
  std::string_view text;
  uint64_t value = 0;
  Position at;

  bool is(char c) const { return kind == Punctuation && text[0] == c; }
  bool isDotted(std::string_view name) const { return kind == Dotted && text == name; }
};

/// Comments and white space separate tokens and mean nothing.
class Lexer {
public:
  explicit Lexer(std::string_view text) : text(text) {}
  Token next();

private:
  Token number();
  void skipSpace(Token &token);
  char peek(size_t ahead = 0) const {
    return position + ahead < text.size() ? text[position + ahead] : '\0';
  }

  std::string_view text;
  size_t position = 0, lineStart = 0;
  uint32_t line = 1;
};

} // namespace tritium::sim::ptx

#endif // TRITIUM_SIMULATOR_PTX_LEXER_H
