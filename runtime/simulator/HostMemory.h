//===- HostMemory.h - the memory of this process ----------------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_SIMULATOR_HOSTMEMORY_H
#define TRITIUM_RUNTIME_SIMULATOR_HOSTMEMORY_H

#include "Code.h"

namespace tritium::runtime::simulator {

/// `memory` without its empty parts, in its order. What overlaps is one, at the place of its
/// first; a part that may be written makes all of it so.
std::vector<Memory> mergeOverlapping(llvm::ArrayRef<Memory> memory);

/// What of this process's readable memory is not in `known`, which is disjoint.
std::vector<Memory> otherMemory(std::vector<Memory> known);

} // namespace tritium::runtime::simulator

#endif // TRITIUM_RUNTIME_SIMULATOR_HOSTMEMORY_H
