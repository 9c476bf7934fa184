//===- GPUChoices.h - what was chosen for a GPU and can be left -*- C++ -*-===//
//
// Some choices are tried: where the assembler says that what came out is slow, or shared memory
// does not suffice, a kernel is compiled again without. Each has a question, whether tile IR with
// layouts has it by choice, and what keeps the pipeline from it from now on, with a remark that
// says why.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_PIPELINE_GPUCHOICES_H
#define TRITIUM_LIB_PIPELINE_GPUCHOICES_H

#include "tritium/Pipeline/Passes.h"

namespace tritium {

/// A loop over programs.
bool choseToPersist(mlir::ModuleOp module, const GPUPipelineOptions &pipeline);
void stopPersisting(mlir::ModuleOp module, GPUPipelineOptions &pipeline, const llvm::Twine &reason);

/// Why programs that were to share their rounds out cannot; empty: they do, or were not to.
std::string whyNotShared(mlir::ModuleOp module);
void stopSharing(mlir::ModuleOp module, GPUPipelineOptions &pipeline, const llvm::Twine &reason);

/// Left operands of loops that stay in registers.
bool keepsOperands(mlir::ModuleOp module);
void stopKeepingOperands(mlir::ModuleOp module, GPUPipelineOptions &pipeline,
                         const llvm::Twine &reason);

/// Operands that are computed, and lie in shared memory for dots of warp groups.
bool storesOperands(mlir::ModuleOp module);

/// A warp of its own for copies.
bool choseToSpecialize(mlir::ModuleOp module, const GPUPipelineOptions &pipeline);
void stopSpecializing(mlir::ModuleOp module, GPUPipelineOptions &pipeline,
                      const llvm::Twine &reason);

} // namespace tritium

#endif // TRITIUM_LIB_PIPELINE_GPUCHOICES_H
