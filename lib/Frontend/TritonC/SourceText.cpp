//===- SourceText.cpp - text as clang's lexer shall see it ----------------===//

#include "SourceText.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace tritium::frontend::tritonc;

/// The most operators and parentheses in one directive.
static constexpr unsigned kMaxDirectiveOperators = 500;

uint32_t SeparatedText::original(uint32_t offset) const {
  auto after = std::lower_bound(blanks.begin(), blanks.end(), offset);
  return offset - static_cast<uint32_t>(after - blanks.begin());
}

namespace {
/// One walk over the text, which tells numbers from what comments, names and literals hold.
class Separator {
public:
  explicit Separator(std::string_view text) : text(text) { result.text.reserve(text.size() + 16); }

  SeparatedText run() {
    while (pos < text.size())
      step();
    return std::move(result);
  }

private:
  std::string_view text;
  size_t pos = 0;
  bool atLineStart = true, inDirective = false;
  unsigned operators = 0;
  SeparatedText result;

  char at(size_t ahead) const { return pos + ahead < text.size() ? text[pos + ahead] : '\0'; }
  static bool isWord(char c) {
    return llvm::isAlnum(c) || c == '_' || c == '$' || static_cast<unsigned char>(c) >= 0x80;
  }

  void copy(size_t count) {
    count = std::min(count, text.size() - pos);
    result.text.append(text.substr(pos, count));
    pos += count;
  }

  void step() {
    char c = at(0);
    if (c == '\n') {
      bool spliced = pos > 0 && (text[pos - 1] == '\\' ||
                                 (text[pos - 1] == '\r' && pos > 1 && text[pos - 2] == '\\'));
      if (!spliced) {
        atLineStart = true;
        inDirective = false;
        operators = 0;
      }
      return copy(1);
    }
    if (c == '/' && at(1) == '/')
      return lineComment();
    if (c == '/' && at(1) == '*') {
      size_t end = text.find("*/", pos + 2);
      return copy(end == text.npos ? text.size() - pos : end + 2 - pos);
    }
    if (llvm::isSpace(c))
      return copy(1);
    if (atLineStart && c == '#')
      inDirective = true;
    atLineStart = false;
    if (c == '"' || c == '\'')
      return literal(c);
    if (llvm::isDigit(c) || (c == '.' && llvm::isDigit(at(1))))
      return number();
    if (isWord(c)) {
      size_t length = 1;
      while (pos + length < text.size() && isWord(at(length)))
        ++length;
      return copy(length);
    }
    if (c == '.' && at(1) == '.' && at(2) == '.')
      return copy(3);
    if (inDirective && std::string_view("(!~-+?:").find(c) != std::string_view::npos &&
        ++operators > kMaxDirectiveOperators && !result.deepDirective)
      result.deepDirective = static_cast<uint32_t>(result.text.size());
    copy(1);
  }

  void lineComment() {
    size_t length = 0;
    while (pos + length < text.size()) {
      if (at(length) == '\n' && text[pos + length - 1] != '\\')
        break;
      ++length;
    }
    copy(length);
  }

  /// A literal ends with its line at the latest.
  void literal(char quote) {
    size_t length = 1;
    while (pos + length < text.size() && at(length) != quote && at(length) != '\n')
      length += at(length) == '\\' ? 2 : 1;
    copy(length < text.size() - pos && at(length) == quote ? length + 1 : length);
  }

  void number() {
    size_t length = 1;
    while (pos + length < text.size()) {
      char c = at(length), last = at(length - 1);
      if (c == '.' && at(length + 1) == '.')
        break;
      bool isExponent =
          (c == '+' || c == '-') && (last == 'e' || last == 'E' || last == 'p' || last == 'P');
      if (!isWord(c) && c != '.' && !isExponent)
        break;
      ++length;
    }
    copy(length);
    if (at(0) == '.' && at(1) == '.') {
      result.blanks.push_back(static_cast<uint32_t>(result.text.size()));
      result.text += ' ';
    }
  }
};
} // namespace

SeparatedText tritium::frontend::tritonc::separateRanges(std::string_view text) {
  return Separator(text).run();
}
