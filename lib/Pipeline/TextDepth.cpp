//===- TextDepth.cpp - how deeply the text of a module nests --------------===//

#include "TextDepth.h"

using namespace tritium;

std::optional<unsigned> tritium::lineNestedTooDeeply(llvm::StringRef text) {
  unsigned line = 1, brackets = 0, signs = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\n')
      ++line;
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n')
      continue;
    llvm::StringRef rest = text.drop_front(i);
    bool isSign = false;
    if (rest.starts_with("//")) {
      i = std::min(text.find('\n', i), text.size()) - 1;
      continue;
    }
    if (rest.starts_with("->") || rest.starts_with(">=") || rest.starts_with("<=")) {
      ++i;
    } else if (c == '"') {
      for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i)
        i += text[i] == '\\';
    } else if (c == '(' || c == '[' || c == '{' || c == '<') {
      ++brackets;
    } else if (c == ')' || c == ']' || c == '}' || c == '>') {
      brackets -= brackets > 0;
    } else {
      isSign = c == '-';
    }
    signs = isSign ? signs + 1 : 0;
    if (brackets + signs > kMaxTextDepth)
      return line;
  }
  return std::nullopt;
}
