//===- Fields.cpp - reading documents and writing columns -----------------===//

#include "Fields.h"

#include "llvm/Support/Format.h"

#include <cmath>

namespace json = llvm::json;

namespace tritium::explain {

int64_t integer(const json::Object &object, llvm::StringRef name) {
  return object.getInteger(name).value_or(0);
}

std::optional<double> graded(const json::Object &object, llvm::StringRef name) {
  const json::Object *number = object.getObject(name);
  return number ? number->getNumber("value") : std::nullopt;
}

llvm::SmallVector<const json::Object *> objects(const json::Object &object, llvm::StringRef name) {
  llvm::SmallVector<const json::Object *> made;
  if (const json::Array *list = object.getArray(name))
    for (const json::Value &each : *list)
      if (const json::Object *one = each.getAsObject())
        made.push_back(one);
  return made;
}

llvm::SmallVector<const json::Object *> referred(const json::Object &object, llvm::StringRef name,
                                                 const json::Object &document,
                                                 llvm::StringRef list) {
  llvm::SmallVector<const json::Object *> made;
  const json::Array *numbers = object.getArray(name), *all = document.getArray(list);
  if (!numbers || !all)
    return made;
  for (const json::Value &each : *numbers) {
    std::optional<int64_t> number = each.getAsInteger();
    if (!number || *number < 0 || static_cast<size_t>(*number) >= all->size())
      continue;
    if (const json::Object *one = (*all)[static_cast<size_t>(*number)].getAsObject())
      made.push_back(one);
  }
  return made;
}

void wrap(llvm::raw_ostream &out, llvm::StringRef text, size_t indent) {
  size_t column = 0;
  while (!text.empty()) {
    auto [word, rest] = text.split(' ');
    if (column && column + 1 + word.size() > kColumns) {
      out << "\n";
      column = 0;
    }
    if (column) {
      out << ' ';
      ++column;
    } else {
      out.indent(indent);
      column = indent;
    }
    out << word;
    column += word.size();
    text = rest;
  }
  out << "\n";
}

std::string decimal(double value) {
  std::string made;
  bool isWhole = value == std::floor(value) || std::abs(value) >= 1000;
  llvm::raw_string_ostream(made) << llvm::format(isWhole ? "%.0f" : "%.1f", value);
  return made;
}

} // namespace tritium::explain
