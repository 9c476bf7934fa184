//===- Instructions.h - which PTX is whose ----------------------*- C++ -*-===//

#ifndef TRITIUM_LIB_EXPLAIN_INSTRUCTIONS_H
#define TRITIUM_LIB_EXPLAIN_INSTRUCTIONS_H

#include "Operations.h"

#include "tritium/Simulator/MatrixUse.h"

namespace tritium::explain {

/// Lines of a text, from 1, the last one included.
struct LineRange {
  unsigned first, last;
};

using sim::MatrixUse;

/// The instructions of a text in assembly, by the author's place that they are for.
struct Instructions {
  std::map<SourcePlace, std::vector<LineRange>> ranges;
  std::map<SourcePlace, unsigned> counts;
  std::map<std::pair<std::string, unsigned>, MatrixUse> products; ///< by file and line
};

/// Nothing if the text cannot be read.
std::optional<Instructions> readPTX(const std::string &ptx);

} // namespace tritium::explain

#endif // TRITIUM_LIB_EXPLAIN_INSTRUCTIONS_H
