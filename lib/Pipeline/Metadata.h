//===- Metadata.h - what a ttir module says of its kernel -------*- C++ -*-===//

#ifndef TRITIUM_LIB_PIPELINE_METADATA_H
#define TRITIUM_LIB_PIPELINE_METADATA_H

#include "tritium/Conversion/TileGPUToLLVM/TileGPUToLLVM.h"
#include "tritium/Dialect/Tile/IR/Tile.h"
#include "tritium/Pipeline/Compiler.h"

#include "mlir/IR/BuiltinOps.h"

namespace tritium {

/// The one kernel of a ttir module; null, with a message, if there is not exactly one.
tt::FuncOp onlyKernel(mlir::ModuleOp module, std::string &message);

/// The element type of a parameter of that type, without signs; a pointer of the LLVM dialect is
/// one to bytes. None: no host can pass one.
std::optional<DType> dtypeOf(mlir::Type type);

/// Name and parameters of a kernel as far as the IR shows them: types without signs.
KernelMetadata describeKernel(tt::FuncOp kernel);

/// Fills in what the kernel does through its pointer parameters. Calls are inlined.
void describePointers(tt::FuncOp kernel, KernelMetadata &metadata);

/// Fills in the tensors that launches describe. readPromises comes first.
void describeTensorMaps(GPULaunchInfo launch, KernelMetadata &metadata);

/// Passes make no copies by TMA where the options refuse them.
void refuseCopies(mlir::ModuleOp module, const CompileOptions &options);

/// Why what kernels say of their launches cannot be read; empty if it can.
std::string reasonAgainstPromises(mlir::ModuleOp module);

/// Fills in what the code of a kernel relies on, so that its launches look. There is no reason
/// against that.
void readPromises(mlir::ModuleOp module, KernelMetadata &metadata);

} // namespace tritium

#endif // TRITIUM_LIB_PIPELINE_METADATA_H
