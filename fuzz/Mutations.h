//===- Mutations.h - what can be taken away from PTX ------------*- C++ -*-===//

#ifndef TRITIUM_FUZZ_MUTATIONS_H
#define TRITIUM_FUZZ_MUTATIONS_H

#include <cstddef>
#include <string>
#include <vector>

namespace tritium {

/// PTX without one barrier, fence, wait, arrival, commit or mask.
struct Mutant {
  const char *kind;
  size_t line; ///< of the PTX, from 0
  std::string replacement;

  /// What is gone keeps lanes back; it orders nothing.
  bool isMask() const;
};

std::vector<std::string> linesOf(const std::string &text);
std::vector<Mutant> mutantsOf(const std::vector<std::string> &lines);

} // namespace tritium

#endif // TRITIUM_FUZZ_MUTATIONS_H
