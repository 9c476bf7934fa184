//===- BoundArgument.h - a run-time argument, ready to pass -----*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_BOUNDARGUMENT_H
#define TRITIUM_RUNTIME_BOUNDARGUMENT_H

#include <cstdint>

namespace tritium::runtime {

/// One run-time argument of a launch, ready to pass.
struct BoundArgument {
  uint64_t slot = 0;
  uint64_t begin = 0, end = 0; ///< pointer: the memory behind it; 0 to UINT64_MAX: unknown
  bool isReadOnly = false;
  int device = -1; ///< pointer to memory of a GPU: its number
};

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_BOUNDARGUMENT_H
