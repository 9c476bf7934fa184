//===- Debugger.h - who stops interpreted programs --------------*- C++ -*-===//
//
// Tile IR that was made for a debugger says where statements begin and what names stand for (the
// dbg dialect). Before each statement a program asks whether it stops there; it stops in any case
// at a breakpoint of its text and where it fails.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_KERNEL_DEBUGGER_H
#define TRITIUM_KERNEL_DEBUGGER_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tritium {

/// A variable, or a part of one as `pair[0]`, in a program that has stopped.
struct StoppedValue {
  enum Kind { Signed, Unsigned, Float, Pointer };
  std::string name, type; ///< the type in the language's words
  Kind kind = Signed;
  int bits = 0; ///< of an element of `data`; floats of less than 32 are widened
  std::vector<int64_t> shape;
  std::vector<char> data;    ///< in row-major order; one byte for elements of less than 8 bits
  std::vector<char> present; ///< 1 for each element that was loaded; empty: all are there
};

/// A function that is being run, where it is, and what its names stand for.
struct StoppedFrame {
  std::string function, file;
  int line = 0, column = 0;
  std::vector<StoppedValue> values;
  std::vector<std::pair<std::string, std::string>> known; ///< at compile time: name and text
};

/// Memory behind an argument.
struct StoppedBuffer {
  std::string name;
  uint64_t address = 0, bytes = 0;
};

struct Stop {
  enum Reason { Line, Breakpoint, Failure } reason = Line;
  std::string message; ///< of a failure
  std::string kernel;
  uint32_t pid[3] = {}, grid[3] = {};
  std::vector<int64_t> index;       ///< of the element that failed, if one has
  std::vector<StoppedFrame> frames; ///< the kernel's first
  std::vector<StoppedBuffer> buffers;
};

/// A statement that is about to run.
struct StopPlace {
  const std::string &file;
  int line;
  unsigned depth; ///< of calls that lead to it
  const uint32_t *pid;
};

class Debugger {
public:
  virtual ~Debugger() = default;
  virtual bool stopsAt(const StopPlace &place) = 0;
  /// Returns when the program goes on; false: the launch ends.
  virtual bool stopped(const Stop &stop) = 0;
  /// A program has come to its end.
  virtual void programEnded() {}
};

} // namespace tritium

#endif // TRITIUM_KERNEL_DEBUGGER_H
