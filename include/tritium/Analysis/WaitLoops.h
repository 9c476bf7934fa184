//===- WaitLoops.h - loops that wait for memory to change -------*- C++ -*-===//

#ifndef TRITIUM_ANALYSIS_WAITLOOPS_H
#define TRITIUM_ANALYSIS_WAITLOOPS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tritium {

/// Whether `loop` may go on until another program changes memory: whether its condition is
/// computed, in whatever way, from memory that the loop itself reads. True also for loops that
/// only walk through memory.
bool waitsForMemory(mlir::scf::WhileOp loop);

/// Whether what others do to memory may be over behind `op`, as by a loop that waits for memory, or
/// a volatile load; atomics aside.
bool waitsForOthers(mlir::Operation *op);

} // namespace tritium

#endif // TRITIUM_ANALYSIS_WAITLOOPS_H
