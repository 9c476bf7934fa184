//===- Shown.h - values as hosts are shown them -----------------*- C++ -*-===//

#ifndef TRITIUM_LIB_INTERPRETER_SHOWN_H
#define TRITIUM_LIB_INTERPRETER_SHOWN_H

#include "Machine.h"

#include "tritium/Kernel/Debugger.h"

namespace tritium::interpreter {

/// A value for TritiumHostCalls::print and for a debugger: packed elements, narrow floats as f32.
struct Shown {
  Tile tile;
  StoppedValue::Kind kind = StoppedValue::Signed;
  int bits = 0;
  std::vector<int64_t> shape;

  Shown(Tile tile, std::vector<int64_t> shape, bool isSigned);
  std::vector<char> packed(Machine &m) const;
};

} // namespace tritium::interpreter

#endif // TRITIUM_LIB_INTERPRETER_SHOWN_H
