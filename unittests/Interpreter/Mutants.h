//===- Mutants.h - kernels without one of their operations ------*- C++ -*-===//

#ifndef TRITIUM_UNITTESTS_INTERPRETER_MUTANTS_H
#define TRITIUM_UNITTESTS_INTERPRETER_MUTANTS_H

#include "Run.h"

namespace tritium::testing {

struct Outcome {
  std::vector<float> x, y;
  std::vector<int32_t> counter;
  std::string error;
  bool operator==(const Outcome &) const = default;
};

/// Runs two programs of a kernel of two or three pointers: x holds a pattern, the others 0.
Outcome runMutant(const std::string &text);

/// The kernel runs as it is; without one of its lines that hold one of `operations`, `count` in
/// all, it is refused or the outcome is another.
void expectAllNeeded(const std::string &text, const std::vector<std::string> &operations,
                     size_t count);

} // namespace tritium::testing

#endif // TRITIUM_UNITTESTS_INTERPRETER_MUTANTS_H
