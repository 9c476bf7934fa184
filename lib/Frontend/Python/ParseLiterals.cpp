//===- ParseLiterals.cpp - numbers, strings, f-strings --------------------===//

#include "ParserImpl.h"

#include "llvm/ADT/APFloat.h"

using namespace tritium;
using namespace tritium::frontend;
using namespace tritium::frontend::ast;
using namespace tritium::frontend::python;

static int hexDigit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  char lower = c | 0x20;
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

ExprPtr Parser::number() {
  const Token &first = token();
  std::string digits;
  for (char c : spelled(first))
    if (c != '_')
      digits.push_back(c);
  auto node = std::make_unique<Literal>(rangeOf(first));
  ++pos;
  if (first.kind == TokenKind::Float) {
    node->value.value = llvm::APFloat(llvm::APFloat::IEEEdouble(), digits).convertToDouble();
    return node;
  }
  unsigned base = 10;
  size_t start = 0;
  if (digits.size() > 2 && digits[0] == '0') {
    char prefix = digits[1] | 0x20;
    base = prefix == 'x' ? 16 : prefix == 'o' ? 8 : prefix == 'b' ? 2 : 10;
    start = base == 10 ? 0 : 2;
  }
  Constant::Int value = 0;
  for (char c : std::string_view(digits).substr(start)) {
    value = value * base + hexDigit(c);
    if (value > Constant::Int{UINT64_MAX})
      return error(node->range, "this integer does not fit into 64 bits");
  }
  node->value.value = value;
  return node;
}

static void appendUtf8(std::string &out, uint32_t code) {
  auto put = [&](uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

bool Parser::unescape(std::string_view body, bool raw, uint32_t offset, std::string &out) {
  for (size_t i = 0; i < body.size();) {
    if (raw || body[i] != '\\' || i + 1 >= body.size()) {
      out.push_back(body[i++]);
      continue;
    }
    char c = body[i + 1];
    size_t start = i;
    i += 2;
    constexpr std::string_view kEscapes = "\\'\"abfnrtv";
    constexpr std::string_view kValues = "\\'\"\a\b\f\n\r\t\v";
    if (size_t at = kEscapes.find(c); at != std::string_view::npos) {
      out.push_back(kValues[at]);
    } else if (c == '\n') {
      continue;
    } else if (c == '\r' && i < body.size() && body[i] == '\n') {
      ++i;
    } else if (c >= '0' && c <= '7') {
      unsigned value = c - '0';
      for (int n = 0; n < 2 && i < body.size() && body[i] >= '0' && body[i] <= '7'; ++n)
        value = value * 8 + (body[i++] - '0');
      appendUtf8(out, value);
    } else if (c == 'x' || c == 'u' || c == 'U') {
      size_t wanted = c == 'x' ? 2 : c == 'u' ? 4 : 8;
      uint32_t value = 0;
      size_t n = 0;
      for (; n < wanted && i < body.size() && hexDigit(body[i]) >= 0; ++n)
        value = value * 16 + hexDigit(body[i++]);
      if (n != wanted || value > 0x10FFFF) {
        SourceLoc begin{file, static_cast<uint32_t>(offset + start)};
        error({begin, {file, static_cast<uint32_t>(offset + i)}}, "invalid escape in a string");
        return false;
      }
      appendUtf8(out, value);
    } else {
      out.push_back('\\');
      out.push_back(c);
    }
  }
  return true;
}

namespace {
/// A string token taken apart: flags of its prefix, and its text between the quotes.
struct StringParts {
  bool raw = false, bytes = false;
  uint32_t begin, end; ///< of the text, in the file
};
} // namespace

static StringParts takeApart(std::string_view text, uint32_t offset) {
  StringParts parts;
  size_t prefix = stringPrefixLength(text);
  for (char c : text.substr(0, prefix)) {
    parts.raw |= (c | 0x20) == 'r';
    parts.bytes |= (c | 0x20) == 'b';
  }
  char quote = text[prefix];
  bool triple = text.size() >= prefix + 6 && text[prefix + 1] == quote && text[prefix + 2] == quote;
  uint32_t quotes = triple ? 3 : 1;
  parts.begin = offset + prefix + quotes;
  parts.end = offset + text.size() - quotes;
  return parts;
}

static void appendText(std::vector<FStringPart> &parts, std::string &text) {
  if (text.empty())
    return;
  if (parts.empty() || parts.back().value)
    parts.emplace_back();
  parts.back().text += text;
  text.clear();
}

ExprPtr Parser::strings() {
  SourceLoc begin = here();
  std::vector<FStringPart> parts;
  bool isFormatted = false;
  for (; at(TokenKind::String) || at(TokenKind::FString); ++pos) {
    if (at(TokenKind::FString)) {
      isFormatted = true;
      if (!formatted(token(), parts))
        return nullptr;
      continue;
    }
    StringParts string = takeApart(spelled(token()), token().begin);
    if (string.bytes)
      return unsupported(rangeOf(token()), "a bytes literal", "write a string or integers instead");
    std::string literal;
    if (!unescape(text.substr(string.begin, string.end - string.begin), string.raw, string.begin,
                  literal))
      return nullptr;
    appendText(parts, literal);
  }
  if (!isFormatted) {
    auto node = std::make_unique<Literal>(rangeFrom(begin));
    node->value.value = parts.empty() ? std::string() : std::move(parts.front().text);
    return node;
  }
  auto node = std::make_unique<FString>(rangeFrom(begin));
  const Expr *highest = nullptr;
  for (const FStringPart &part : parts)
    if (part.value && (!highest || part.value->height > highest->height))
      highest = part.value.get();
  node->parts = std::move(parts);
  return seal(std::move(node), {highest});
}

/// f"text{expression!r:spec}text": alternates literal text and fields.
bool Parser::formatted(const Token &token, std::vector<FStringPart> &parts) {
  StringParts string = takeApart(spelled(token), token.begin);
  uint32_t at = string.begin, literalBegin = at;
  std::string literal;
  auto flush = [&](uint32_t end) {
    return unescape(text.substr(literalBegin, end - literalBegin), string.raw, literalBegin,
                    literal);
  };
  while (at < string.end) {
    char c = text[at];
    bool doubled = at + 1 < string.end && text[at + 1] == c;
    if (c == '\\' && !string.raw) {
      at += 2;
    } else if (c != '{' && c != '}') {
      ++at;
    } else if (doubled) {
      if (!flush(at + 1))
        return false;
      literalBegin = at += 2;
    } else if (c == '}') {
      error({{file, at}, {file, at + 1}}, "'}' in an f-string must be doubled");
      return false;
    } else {
      if (!flush(at))
        return false;
      FStringPart field;
      if (!formatField(at, string.end, field, literal))
        return false;
      appendText(parts, literal);
      parts.push_back(std::move(field));
      literalBegin = at;
    }
  }
  if (!flush(string.end))
    return false;
  appendText(parts, literal);
  return true;
}

/// Reads `{expression=!r:spec}` from `at`, which is left after it. The text that `=`
/// asks for is added to `debugText`.
bool Parser::formatField(uint32_t &at, uint32_t end, FStringPart &part, std::string &debugText) {
  uint32_t begin = at + 1, stop = begin;
  unsigned brackets = 0;
  char quote = 0;
  bool hasEquals = false;
  for (; stop < end; ++stop) {
    char c = text[stop], next = stop + 1 < end ? text[stop + 1] : '\0';
    if (quote) {
      quote = c == quote ? 0 : quote;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(' || c == '[' || c == '{') {
      ++brackets;
    } else if (brackets && (c == ')' || c == ']' || c == '}')) {
      --brackets;
    } else if (!brackets && (c == '!' || c == '=' || c == '<' || c == '>') && next == '=') {
      ++stop;
    } else if (!brackets && (c == '}' || c == '!' || c == ':')) {
      break;
    } else if (!brackets && c == '=') {
      hasEquals = true;
      break;
    }
  }
  uint32_t expressionEnd = stop;
  auto fail = [&](std::string message) {
    error({{file, at}, {file, std::min(stop + 1, end)}}, std::move(message));
    return false;
  };
  if (hasEquals) {
    ++stop;
    while (stop < end && text[stop] == ' ')
      ++stop;
    debugText.append(text.substr(begin, stop - begin));
  }
  if (stop < end && text[stop] == '!') {
    part.conversion = stop + 1 < end ? text[stop + 1] : '\0';
    if (std::string_view("rsa").find(part.conversion) == std::string_view::npos)
      return fail("an f-string knows the conversions !r, !s and !a");
    stop += 2;
  } else if (hasEquals) {
    part.conversion = 'r';
  }
  if (stop < end && text[stop] == ':') {
    size_t close = text.find('}', stop);
    if (close >= end)
      close = end;
    part.format = text.substr(stop + 1, close - stop - 1);
    if (part.format.find('{') != std::string::npos)
      return fail("a format specification must be plain text");
    if (hasEquals && part.conversion == 'r')
      part.conversion = 0;
    stop = close;
  }
  if (stop >= end || text[stop] != '}')
    return fail("'{' of an f-string is never closed");

  std::vector<Token> inner;
  if (!tokenize(sources, file, begin, expressionEnd, /*insideBrackets=*/true, diagnostics, inner))
    return false;
  if (inner.size() == 1)
    return fail("an f-string has an empty expression");
  Level level(*this);
  if (!checkDepth())
    return false;
  part.value = Parser(sources, file, diagnostics, std::move(inner), depth).wholeExpression();
  at = stop + 1;
  return part.value != nullptr;
}
