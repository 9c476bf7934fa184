//===- HostMemory.h - the memory of this process ----------------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_BACKENDS_SIMULATOR_HOSTMEMORY_H
#define TRITIUM_RUNTIME_BACKENDS_SIMULATOR_HOSTMEMORY_H

#include "Code.h"

namespace tritium::runtime::simulator {

/// Gives each memory an offset, such that a kernel meets the same addresses in every process:
/// what overlaps or touches keeps its distances, the rest lies far apart in the order of
/// `memory`, at multiples of 512 plus what the host's address is above a multiple of 16, the
/// largest power that kernels are compiled for.
void placeAtFixedAddresses(llvm::MutableArrayRef<Memory> memory);

/// `memory` without its empty parts, in its order. What overlaps is one, at the place of its
/// first; a part that may be written makes all of it so. What overlaps has one offset.
std::vector<Memory> mergeOverlapping(llvm::ArrayRef<Memory> memory);

/// What of this process's readable memory is not in `known`, which is disjoint. `isCopy`: the
/// process is another one's copy, so what it shares with others is not to be written.
std::vector<Memory> otherMemory(std::vector<Memory> known, bool isCopy);

} // namespace tritium::runtime::simulator

#endif // TRITIUM_RUNTIME_BACKENDS_SIMULATOR_HOSTMEMORY_H
