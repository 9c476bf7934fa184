//===- Lexer.cpp - tokens of Python source --------------------------------===//
//
// Works on bytes. Bytes above 0x7f count as letters: whether a non-ASCII character may
// stand in a name does not change what a kernel means.
//
//===----------------------------------------------------------------------===//

#include "tritium/Frontend/Python/Lexer.h"

#include <algorithm>
#include <iterator>

using namespace tritium;
using namespace tritium::frontend;
using namespace tritium::frontend::python;

namespace {
constexpr std::string_view kKeywords[] = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
static_assert(std::is_sorted(std::begin(kKeywords), std::end(kKeywords)));

// Longest first, so that the first match is the right one.
constexpr std::string_view kOperators[] = {
    "**=", "//=", ">>=", "<<=", "...", "!=", "->", ":=", "==", "<=", ">=", "<<",
    ">>",  "**",  "//",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^=", "@=",
    "+",   "-",   "*",   "/",   "%",   "@",  "&",  "|",  "^",  "~",  "<",  ">",
    "(",   ")",   "[",   "]",   "{",   "}",  ",",  ":",  ".",  ";",  "="};

constexpr unsigned kMaxIndents = 100;
constexpr unsigned kMaxBrackets = 200;

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80);
}
bool isNameChar(char c) { return isNameStart(c) || isDigit(c); }

class Lexer {
public:
  Lexer(std::string_view text, uint32_t file, uint32_t begin, bool insideBrackets,
        DiagnosticEngine &diagnostics, std::vector<Token> &tokens)
      : text(text), file(file), pos(begin), insideBrackets(insideBrackets),
        diagnostics(diagnostics), tokens(tokens) {}

  bool run() {
    if (!insideBrackets && !lineStart())
      return false;
    while (pos < text.size())
      if (!next())
        return false;
    if (!brackets.empty())
      return error(brackets.back(), brackets.back() + 1,
                   std::string("'") + text[brackets.back()] + "' is never closed");
    if (!insideBrackets) {
      if (!tokens.empty() && tokens.back().kind != TokenKind::Newline &&
          tokens.back().kind != TokenKind::Dedent)
        add(TokenKind::Newline, pos, pos);
      for (size_t i = 1; i < indents.size(); ++i)
        add(TokenKind::Dedent, pos, pos);
    }
    add(TokenKind::End, pos, pos);
    return true;
  }

private:
  std::string_view text; ///< the file up to the end of the range
  uint32_t file;
  uint32_t pos;
  bool insideBrackets;
  DiagnosticEngine &diagnostics;
  std::vector<Token> &tokens;
  std::vector<int> indents{0};
  std::vector<uint32_t> brackets;

  char peek(uint32_t ahead = 0) const {
    return pos + ahead < text.size() ? text[pos + ahead] : '\0';
  }

  void add(TokenKind kind, uint32_t begin, uint32_t end) { tokens.push_back({kind, begin, end}); }

  bool error(uint32_t begin, uint32_t end, std::string message) {
    diagnostics.error({{file, begin}, {file, end}}, std::move(message));
    return false;
  }

  void skipComment() {
    while (pos < text.size() && text[pos] != '\n')
      ++pos;
  }

  /// At the start of a logical line: skips blank lines, compares the indentation.
  bool lineStart() {
    while (true) {
      uint32_t begin = pos;
      int column = 0;
      for (; peek() == ' ' || peek() == '\t' || peek() == '\f'; ++pos)
        column = peek() == '\t' ? (column / 8 + 1) * 8 : peek() == ' ' ? column + 1 : 0;
      if (pos >= text.size())
        return true;
      if (peek() == '#')
        skipComment();
      if (peek() == '\r' && peek(1) == '\n')
        ++pos;
      if (peek() == '\n') {
        ++pos;
        continue;
      }
      if (pos >= text.size())
        return true;
      if (column > indents.back()) {
        if (indents.size() >= kMaxIndents)
          return error(begin, pos, "blocks are nested too deeply");
        indents.push_back(column);
        add(TokenKind::Indent, begin, pos);
        return true;
      }
      while (column < indents.back()) {
        indents.pop_back();
        add(TokenKind::Dedent, pos, pos);
      }
      if (column != indents.back())
        return error(begin, pos + 1, "this indentation matches no outer block");
      return true;
    }
  }

  bool next() {
    char c = text[pos];
    if (c == ' ' || c == '\t' || c == '\f') {
      ++pos;
      return true;
    }
    if (c == '#') {
      skipComment();
      return true;
    }
    if (c == '\n' || (c == '\r' && peek(1) == '\n')) {
      uint32_t begin = pos;
      pos += c == '\n' ? 1 : 2;
      if (insideBrackets || !brackets.empty())
        return true;
      add(TokenKind::Newline, begin, pos);
      return lineStart();
    }
    if (c == '\\') {
      uint32_t skip = peek(1) == '\n' ? 2 : peek(1) == '\r' && peek(2) == '\n' ? 3 : 0;
      if (skip == 0)
        return error(pos, pos + 1, "'\\' must be the last character of its line");
      pos += skip;
      return true;
    }
    if (isDigit(c) || (c == '.' && isDigit(peek(1))))
      return number();
    if (size_t prefix = stringPrefixLength(text.substr(pos, 4)); prefix != std::string::npos)
      return string(prefix);
    if (isNameStart(c)) {
      uint32_t begin = pos;
      while (pos < text.size() && isNameChar(text[pos]))
        ++pos;
      std::string_view word = text.substr(begin, pos - begin);
      bool isKeyword = std::binary_search(std::begin(kKeywords), std::end(kKeywords), word);
      add(isKeyword ? TokenKind::Keyword : TokenKind::Name, begin, pos);
      return true;
    }
    return punctuation();
  }

  bool punctuation() {
    std::string_view rest = text.substr(pos);
    for (std::string_view op : kOperators) {
      if (!rest.starts_with(op))
        continue;
      if (op == "(" || op == "[" || op == "{") {
        if (brackets.size() >= kMaxBrackets)
          return error(pos, pos + 1, "brackets are nested too deeply");
        brackets.push_back(pos);
      } else if (op == ")" || op == "]" || op == "}") {
        if (brackets.empty())
          return error(pos, pos + 1, "unmatched '" + std::string(op) + "'");
        char open = text[brackets.back()];
        char wanted = open == '(' ? ')' : open == '[' ? ']' : '}';
        if (op[0] != wanted)
          return error(pos, pos + 1,
                       "'" + std::string(op) + "' closes '" + std::string(1, open) + "'");
        brackets.pop_back();
      }
      add(TokenKind::Operator, pos, pos + op.size());
      pos += op.size();
      return true;
    }
    constexpr char kHex[] = "0123456789abcdef";
    unsigned char byte = static_cast<unsigned char>(text[pos]);
    std::string shown = byte >= 0x20 && byte < 0x7f
                            ? std::string{'\'', text[pos], '\''}
                            : std::string{'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    return error(pos, pos + 1, "unexpected character " + shown);
  }

  /// Digits of a base with single underscores between them; false if there are none.
  template <typename IsDigit> bool digits(IsDigit isDigitOfBase) {
    bool any = false;
    while (isDigitOfBase(peek()) || (any && peek() == '_' && isDigitOfBase(peek(1)))) {
      any |= peek() != '_';
      ++pos;
    }
    return any;
  }

  bool number() {
    uint32_t begin = pos;
    TokenKind kind = TokenKind::Integer;
    char base = peek(1) | 0x20;
    if (peek() == '0' && (base == 'x' || base == 'o' || base == 'b')) {
      pos += 2;
      if (peek() == '_')
        ++pos;
      bool any = digits([base](char c) {
        char lower = c | 0x20;
        return base == 'x'   ? isDigit(c) || (lower >= 'a' && lower <= 'f')
               : base == 'o' ? c >= '0' && c <= '7'
                             : c == '0' || c == '1';
      });
      if (!any)
        return error(begin, pos, "a number needs digits after its base prefix");
    } else {
      digits(isDigit);
      if (peek() == '.') {
        kind = TokenKind::Float;
        ++pos;
        digits(isDigit);
      }
      bool signedExponent = (peek(1) == '+' || peek(1) == '-') && isDigit(peek(2));
      if ((peek() | 0x20) == 'e' && (isDigit(peek(1)) || signedExponent)) {
        kind = TokenKind::Float;
        pos += signedExponent ? 2 : 1;
        digits(isDigit);
      }
      std::string_view spelled = text.substr(begin, pos - begin);
      if (kind == TokenKind::Integer && spelled[0] == '0' &&
          spelled.find_first_not_of("0_") != std::string_view::npos)
        return error(begin, pos, "a decimal number may not start with 0; octal is written 0o17");
    }
    if ((peek() | 0x20) == 'j' && !isNameChar(peek(1))) {
      ++pos;
      kind = TokenKind::Imaginary;
    }
    if (isNameChar(peek()))
      return error(begin, pos + 1, "invalid number");
    add(kind, begin, pos);
    return true;
  }

  bool string(size_t prefix) {
    uint32_t begin = pos;
    bool isF = false;
    for (size_t i = 0; i < prefix; ++i)
      isF |= (text[pos + i] | 0x20) == 'f';
    pos += prefix;
    char quote = peek();
    bool triple = peek(1) == quote && peek(2) == quote;
    pos += triple ? 3 : 1;
    while (true) {
      if (pos >= text.size() || (!triple && peek() == '\n'))
        return error(begin, std::min<uint32_t>(pos, text.size()), "unterminated string");
      if (peek() == '\\') {
        pos += peek(1) == '\r' && peek(2) == '\n' ? 3 : 2;
        continue;
      }
      if (peek() == quote && (!triple || (peek(1) == quote && peek(2) == quote)))
        break;
      ++pos;
    }
    pos += triple ? 3 : 1;
    add(isF ? TokenKind::FString : TokenKind::String, begin, pos);
    return true;
  }
};
} // namespace

size_t python::stringPrefixLength(std::string_view text) {
  size_t length = 0;
  while (length < text.size() && length < 3) {
    char c = text[length];
    if (c == '"' || c == '\'')
      return length;
    char lower = c | 0x20;
    if (length == 2 || !(lower == 'r' || lower == 'b' || lower == 'f' || lower == 'u'))
      return std::string::npos;
    ++length;
  }
  return std::string::npos;
}

bool python::tokenize(const SourceManager &sources, uint32_t file, uint32_t begin, uint32_t end,
                      bool insideBrackets, DiagnosticEngine &diagnostics,
                      std::vector<Token> &tokens) {
  return Lexer(sources.text(file).substr(0, end), file, begin, insideBrackets, diagnostics, tokens)
      .run();
}
