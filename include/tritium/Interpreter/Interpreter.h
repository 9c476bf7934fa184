//===- Interpreter.h - reference semantics of tt ----------------*- C++ -*-===//
//
// Runs a kernel's ttir as it reads, one program after another. It is the oracle that
// every back end is compared with: simple, deterministic, bounds-checked. Tile IR with layouts
// (ttgir) has threads: asynchronous copies arrive as late as they may, and accesses that nothing
// puts in order are errors.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_INTERPRETER_INTERPRETER_H
#define TRITIUM_INTERPRETER_INTERPRETER_H

#include "tritium/Kernel/LaunchABI.h"
#include "tritium/Support/Assertion.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tritium {

/// Memory that a kernel may touch.
struct BufferRange {
  uint64_t address = 0;
  uint64_t bytes = 0;
  bool writable = true;
};

class Debugger;

struct InterpreterOptions {
  /// Every access must fall into one of these; empty: nothing may be accessed.
  std::vector<BufferRange> buffers;
  bool checkBounds = true;
  /// Of tile IR with layouts: accesses of one program's threads that nothing puts in order are
  /// errors. False for IR in which barriers are not placed yet.
  bool checkRaces = true;
  TritiumHostCalls host = {}; ///< null print and assertFailed: stderr
  /// Whom programs with lines (the dbg dialect) ask whether they stop; null: nobody.
  Debugger *debugger = nullptr;
};

namespace interpreter {
struct Program;
}
/// The one kernel in the module `ttir` (text), ready to be run. Those of the latest texts are
/// kept. Null with `error`.
std::shared_ptr<const interpreter::Program> loadProgram(const std::string &ttir,
                                                        std::string &error);

/// All kernels in the module, in its order; they are not kept.
std::vector<std::shared_ptr<const interpreter::Program>> loadPrograms(const std::string &text,
                                                                      std::string &error);

/// Runs the programs of `grid` that `next` gives, by their numbers (x fastest), one after another
/// on the calling thread, until it answers false or the host ends them. `args`: one 8-byte slot
/// a run-time parameter, as for TritiumCPUEntry. Returns an empty string, or the error: an access
/// out of bounds with program id, lane, address and line, a failed assertion, ...
std::string interpret(const interpreter::Program &program, const std::vector<uint64_t> &args,
                      const uint32_t grid[3], const InterpreterOptions &options,
                      const std::function<bool(int64_t &number)> &next);

/// Runs all programs of `grid`, in order.
std::string interpret(const interpreter::Program &program, const std::vector<uint64_t> &args,
                      const uint32_t grid[3], const InterpreterOptions &options);

/// The same of the one kernel in the module `ttir`.
std::string interpret(const std::string &ttir, const std::vector<uint64_t> &args,
                      const uint32_t grid[3], const InterpreterOptions &options);

} // namespace tritium

#endif // TRITIUM_INTERPRETER_INTERPRETER_H
