//===- Lexer.cpp - tokens of PTX ------------------------------------------===//

#include "Lexer.h"

#include <bit>
#include <cstdlib>

using namespace tritium::sim::ptx;

static bool isDigit(char c) { return c >= '0' && c <= '9'; }
static bool isWord(char c) {
  return isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}
static int digitValue(char c) {
  if (isDigit(c))
    return c - '0';
  c |= 0x20;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

void Lexer::skipSpace(Token &token) {
  while (position < text.size()) {
    char c = text[position];
    if (c == '\n') {
      ++position, ++line;
      lineStart = position;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++position;
    } else if (c == '/' && peek(1) == '/') {
      while (position < text.size() && text[position] != '\n')
        ++position;
    } else if (c == '/' && peek(1) == '*') {
      Position at{line, uint32_t(position - lineStart + 1)};
      position += 2;
      while (position < text.size() && !(text[position] == '*' && peek(1) == '/')) {
        if (text[position] == '\n') {
          ++line;
          lineStart = position + 1;
        }
        ++position;
      }
      if (position >= text.size()) {
        token.kind = Token::Bad;
        token.text = "this comment is not closed";
        token.at = at;
        return;
      }
      position += 2;
    } else {
      return;
    }
  }
}

// 10, 0x1F, 017, 0b101, each with U; 0f3F800000, 0d3FF0000000000000, 1.5, 1e3.
Token Lexer::number() {
  Token token;
  size_t begin = position;
  char prefix = peek() == '0' ? char(peek(1) | 0x20) : '\0';
  auto bad = [&](std::string_view why) {
    token.kind = Token::Bad;
    token.text = why;
    return token;
  };
  auto digits = [&](unsigned base, unsigned most) -> bool {
    unsigned count = 0;
    for (; digitValue(peek()) < int(base); ++position, ++count)
      token.value = token.value * base + digitValue(peek());
    return count > 0 && count <= most;
  };
  if (prefix == 'f' || prefix == 'd') {
    position += 2;
    size_t start = position;
    unsigned want = prefix == 'f' ? 8 : 16;
    if (!digits(16, want) || position - start != want)
      return bad("a floating-point number by its bits has 8 (0f) or 16 (0d) hexadecimal digits");
    token.kind = Token::Float;
    token.isSingle = prefix == 'f';
  } else if (prefix == 'x' || prefix == 'b') {
    position += 2;
    if (!digits(prefix == 'x' ? 16 : 2, prefix == 'x' ? 16 : 64))
      return bad("this number has no digits or does not fit 64 bits");
    token.kind = Token::Integer;
  } else {
    while (isDigit(peek()))
      ++position;
    bool isFloat = false;
    if (peek() == '.' && isDigit(peek(1))) {
      isFloat = true;
      for (++position; isDigit(peek());)
        ++position;
    }
    if ((peek() | 0x20) == 'e' &&
        (isDigit(peek(1)) || ((peek(1) == '+' || peek(1) == '-') && isDigit(peek(2))))) {
      isFloat = true;
      for (position += 2; isDigit(peek());)
        ++position;
    }
    std::string spelled(text.substr(begin, position - begin));
    if (isFloat) {
      token.kind = Token::Float;
      token.value = std::bit_cast<uint64_t>(std::strtod(spelled.c_str(), nullptr));
    } else {
      token.kind = Token::Integer;
      bool octal = spelled.size() > 1 && spelled[0] == '0';
      for (char c : spelled) {
        uint64_t base = octal ? 8 : 10, digit = c - '0', next;
        if (digit >= base || __builtin_mul_overflow(token.value, base, &next) ||
            __builtin_add_overflow(next, digit, &token.value))
          return bad("this number does not fit 64 bits");
      }
    }
  }
  if (token.kind == Token::Integer && peek() == 'U')
    ++position;
  if (isWord(peek()))
    return bad("a name cannot begin with a digit");
  token.text = text.substr(begin, position - begin);
  return token;
}

Token Lexer::next() {
  Token token;
  skipSpace(token);
  if (token.kind == Token::Bad)
    return token;
  token.at = {line, uint32_t(position - lineStart + 1)};
  if (position >= text.size())
    return token;
  size_t begin = position;
  char c = text[position];
  Position at = token.at;
  if (isDigit(c)) {
    token = number();
    token.at = at;
  } else if (isWord(c) || (c == '%' && isWord(peek(1)))) {
    ++position;
    while (isWord(peek()))
      ++position;
    token.kind = Token::Identifier;
    token.text = text.substr(begin, position - begin);
  } else if (c == '.' && isWord(peek(1))) {
    ++position;
    while (isWord(peek()) || (peek() == ':' && peek(1) == ':' && isWord(peek(2))))
      position += peek() == ':' ? 2 : 1;
    token.kind = Token::Dotted;
    token.text = text.substr(begin + 1, position - begin - 1);
  } else if (c == '"') {
    ++position;
    while (position < text.size() && text[position] != '"' && text[position] != '\n')
      position += text[position] == '\\' && position + 1 < text.size() ? 2 : 1;
    if (peek() != '"') {
      token.kind = Token::Bad;
      token.text = "this string is not closed";
      return token;
    }
    token.kind = Token::String;
    token.text = text.substr(begin + 1, position - begin - 1);
    ++position;
  } else if (std::string_view("{}[]()<>,;:=|!@+-*/~&^?#").find(c) != std::string_view::npos) {
    ++position;
    token.kind = Token::Punctuation;
    token.text = text.substr(begin, 1);
  } else {
    ++position;
    token.kind = Token::Bad;
    token.text = "this character has no place in PTX";
  }
  return token;
}
