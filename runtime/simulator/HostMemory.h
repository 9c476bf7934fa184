//===- HostMemory.h - the memory of this process ----------------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_SIMULATOR_HOSTMEMORY_H
#define TRITIUM_RUNTIME_SIMULATOR_HOSTMEMORY_H

#include "Code.h"

namespace tritium::runtime::simulator {

/// Sorts `memory` and merges what overlaps; a part that may be written makes all of it so.
std::vector<Memory> mergeOverlapping(llvm::ArrayRef<Memory> memory);

/// What of this process's readable memory is not in `known`, which is sorted and disjoint.
std::vector<Memory> otherMemory(llvm::ArrayRef<Memory> known);

} // namespace tritium::runtime::simulator

#endif // TRITIUM_RUNTIME_SIMULATOR_HOSTMEMORY_H
