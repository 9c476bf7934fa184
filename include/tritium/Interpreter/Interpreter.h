//===- Interpreter.h - reference semantics of tt ----------------*- C++ -*-===//
//
// Runs a kernel's ttir as it reads, one program after another. It is the oracle that
// every back end is compared with: simple, deterministic, bounds-checked.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_INTERPRETER_INTERPRETER_H
#define TRITIUM_INTERPRETER_INTERPRETER_H

#include "tritium/Pipeline/Compiler.h"

#include <string>
#include <vector>

namespace tritium {

/// Memory that a kernel may touch.
struct BufferRange {
  uint64_t address = 0;
  uint64_t bytes = 0;
  bool writable = true;
};

struct InterpreterOptions {
  /// Every access must fall into one of these; empty: nothing may be accessed.
  std::vector<BufferRange> buffers;
  bool checkBounds = true;
  TritiumHostCalls host = {}; ///< print and assertFailed; null members: stderr
};

/// Runs all programs of `grid` of the one kernel in the module `ttir` (text).
/// `args`: one 8-byte slot a run-time parameter, as for TritiumCPUEntry.
/// Returns an empty string, or the error: an access out of bounds with program id,
/// lane, address and line, a failed assertion, ...
std::string interpret(const std::string &ttir, const std::vector<uint64_t> &args,
                      const uint32_t grid[3], const InterpreterOptions &options);

} // namespace tritium

#endif // TRITIUM_INTERPRETER_INTERPRETER_H
