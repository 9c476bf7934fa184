//===- GPUSharedMemory.h - a kernel that fits shared memory -----*- C++ -*-===//

#ifndef TRITIUM_LIB_PIPELINE_GPUSHAREDMEMORY_H
#define TRITIUM_LIB_PIPELINE_GPUSHAREDMEMORY_H

#include "tritium/Pipeline/Passes.h"

namespace tritium {
class Session;

/// The module becomes what `input`, a copy of it, is.
void restore(mlir::ModuleOp module, mlir::ModuleOp input);

/// ttir -> ttgir. What loops load ahead is planned before it is known what else a program keeps in
/// shared memory. If all that is too much, choices are left, one after the other, and at last loops
/// get fewer stages; `pipeline` says what has been left. `input`: a copy of the module.
bool lowerToTileGPU(Session &session, mlir::ModuleOp module, mlir::ModuleOp input,
                    GPUPipelineOptions &pipeline);

} // namespace tritium

#endif // TRITIUM_LIB_PIPELINE_GPUSHAREDMEMORY_H
