//===- AssemblyLines.cpp - where inline assembly comes from ---------------===//

#include "tritium/Kernel/AssemblyLines.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace tritium;
using llvm::StringRef;

static constexpr llvm::StringLiteral kAt = "// written at ";

std::string tritium::assemblyAt(std::string_view file, unsigned line, unsigned column) {
  // What would end the comment, name a register, or is no character of PTX: as in an URL.
  std::string text = kAt.str();
  for (char c : file)
    text += llvm::isPrint(c) && c != '$' && c != '%' ? std::string(1, c)
                                                     : "%" + llvm::toHex(StringRef(&c, 1));
  return text + ":" + std::to_string(line) + ":" + std::to_string(column) + "\n\t";
}

static std::string decoded(StringRef text) {
  std::string result;
  for (; !text.empty(); text = text.drop_front()) {
    std::string byte;
    if (text.front() == '%' && llvm::tryGetFromHex(text.substr(1, 2), byte) && byte.size() == 1)
      text = text.drop_front(2);
    else
      byte = text.front();
    result += byte;
  }
  return result;
}

std::string tritium::placeOfAssembly(std::string_view ptx, unsigned line) {
  llvm::SmallVector<StringRef> lines;
  StringRef(ptx).split(lines, '\n');
  constexpr unsigned justBehind = 3;
  unsigned ends = 0;
  for (unsigned i = std::min<size_t>(line, lines.size()); i-- > 0;) {
    StringRef text = lines[i].trim();
    if (text == "// end inline asm" && (++ends > 1 || line - i > justBehind))
      return "";
    if (text == "// begin inline asm")
      return "";
    if (text.consume_front(kAt))
      return decoded(text);
  }
  return "";
}

std::string tritium::assemblyError(std::string_view log, std::string_view ptx) {
  for (StringRef rest = log; !rest.empty();) {
    auto [text, next] = rest.split('\n');
    rest = next;
    StringRef number = text.split(", line ").second;
    unsigned line = 0;
    if (number.consumeInteger(10, line))
      continue;
    std::string place = placeOfAssembly(ptx, line);
    StringRef what = number.split(':').second.trim();
    if (!place.empty())
      return place + ": error: the assembler does not take this assembly: " + what.str();
  }
  return "";
}
