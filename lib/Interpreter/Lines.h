//===- Lines.h - statements of a program that may stop ----------*- C++ -*-===//

#ifndef TRITIUM_LIB_INTERPRETER_LINES_H
#define TRITIUM_LIB_INTERPRETER_LINES_H

#include "Shown.h"

#include <optional>

namespace tritium::interpreter {

/// A statement, and where its function's variables are.
struct Line {
  struct Variable {
    std::string name, type;
    Shown value;
    std::optional<Tile> present;
  };
  std::string function;
  unsigned depth = 0;
  Site site;
  std::vector<Variable> variables;
  std::vector<std::pair<std::string, std::string>> known;
};

} // namespace tritium::interpreter

#endif // TRITIUM_LIB_INTERPRETER_LINES_H
