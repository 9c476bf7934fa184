//===- Turns.h - threads of the host that take turns ------------*- C++ -*-===//
//
// Steps of a program are closures of the host's stack, so what waits in the middle of them has a
// thread of the host. One of the threads runs at a time: it hands the turn on where it has to wait.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_INTERPRETER_TURNS_H
#define TRITIUM_LIB_INTERPRETER_TURNS_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <condition_variable>
#include <mutex>

namespace tritium::interpreter {

class Turns {
public:
  /// Runs body(0) to body(count - 1), each on a thread of its own; 0 has the first turn, and who
  /// ends hands it on. False if the system has no more threads: nothing has run then.
  bool run(size_t count, llvm::function_ref<void(size_t)> body);

  /// Whose turn it is.
  size_t turn() const { return current; }
  void handTo(size_t next);
  /// Returns when it is the turn of the calling thread, whose number is `self`.
  void await(size_t self);

private:
  static constexpr size_t nobody = -1;

  size_t current = nobody;
  bool isOff = false; ///< there are not all threads
  std::mutex mutex;
  std::condition_variable changed;
};

} // namespace tritium::interpreter

#endif // TRITIUM_LIB_INTERPRETER_TURNS_H
