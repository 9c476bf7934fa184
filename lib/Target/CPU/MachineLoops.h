//===- MachineLoops.h - innermost loops of an assembly ----------*- C++ -*-===//

#ifndef TRITIUM_LIB_TARGET_CPU_MACHINELOOPS_H
#define TRITIUM_LIB_TARGET_CPU_MACHINELOOPS_H

#include "AssemblyReader.h"

namespace tritium::cpu {

/// Instructions by their numbers, in the order of the assembly.
struct MachineLoop {
  std::vector<size_t> always;    ///< those that run in each round
  std::vector<size_t> sometimes; ///< on paths that some rounds do not take
};

/// The loops that have no loop inside, in the order of the assembly.
std::vector<MachineLoop> innermostLoops(const Assembly &assembly, const InstructionTables &tables);

} // namespace tritium::cpu

#endif // TRITIUM_LIB_TARGET_CPU_MACHINELOOPS_H
