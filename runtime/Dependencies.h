//===- Dependencies.h - what a compilation learnt of its host ---*- C++ -*-===//
//
// A kernel's code depends on its text, on how it is specialised, and on what the names
// in it stood for: constants, other functions' texts, results of host functions. While
// a kernel is compiled a Recorder writes each answer down; later the answers are asked
// for again, in the same order, and a cached kernel is used only if all are the same.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_RUNTIME_DEPENDENCIES_H
#define TRITIUM_RUNTIME_DEPENDENCIES_H

#include "Serialization.h"

#include "tritium/Frontend/Scope.h"

#include <map>
#include <mutex>

namespace tritium::runtime {

/// One question that a compilation asked, with its answer.
struct Dependency {
  /// Scopes are numbered as they appear: 0 is the kernel's own; each lookup that
  /// answers with a function or a module opens the next. A call asks host function
  /// number `scope` (numbered likewise).
  uint32_t scope = 0;
  bool isCall = false;
  std::string question; ///< the name, or the serialized arguments
  std::string answer;   ///< serialized, with texts in full
};

class Recorder {
public:
  Recorder();
  ~Recorder();
  Recorder(const Recorder &) = delete;
  Recorder &operator=(const Recorder &) = delete;

  /// `source` with a scope that records what is asked of it. Use it once.
  frontend::FunctionSource record(const frontend::FunctionSource &source);
  std::vector<Dependency> dependencies() const;

private:
  struct State;
  std::shared_ptr<State> state;
};

/// Asks every question again. True if each answer is as recorded.
bool dependenciesHold(const frontend::FunctionSource &source,
                      const std::vector<Dependency> &dependencies);

void write(Writer &writer, const std::vector<Dependency> &dependencies);
std::string hashDependencies(const std::vector<Dependency> &dependencies);
std::vector<Dependency> readDependencies(Reader &reader);

/// A function's own text and where it stands.
void write(Writer &writer, const frontend::FunctionSource &source);

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_DEPENDENCIES_H
