//===- LoopClocks.h - what a round of a loop takes --------------*- C++ -*-===//

#ifndef TRITIUM_LIB_TARGET_CPU_LOOPCLOCKS_H
#define TRITIUM_LIB_TARGET_CPU_LOOPCLOCKS_H

#include "MachineLoops.h"

namespace tritium::cpu {

/// Fills the clocks of `made` and of its lines, which are there, or the reason why not.
void estimateClocks(const MachineLoop &loop, const Assembly &assembly,
                    const InstructionTables &tables, CodeLoop &made);

} // namespace tritium::cpu

#endif // TRITIUM_LIB_TARGET_CPU_LOOPCLOCKS_H
