//===- GPU.h - the stages of a compilation for a GPU ------------*- C++ -*-===//

#ifndef TRITIUM_LIB_PIPELINE_GPU_H
#define TRITIUM_LIB_PIPELINE_GPU_H

#include "Session.h"

namespace tritium {

/// The options of a launch that code for GPUs depends on.
struct GPUOptions {
  unsigned numWarps = 4, numStages = 3, numCtas = 1;
  unsigned maxRegisters = 0; ///< 0: no limit
  unsigned ptxVersion = kUsualPTXVersion;
  bool fpFusion = true, flushSubnormals = true, lineInfo = true, optimize = true;
  bool programmaticLaunch = false;
  unsigned warpSize = 32;
  std::string architecture;           ///< that the launch names; empty: the GPU's
  std::vector<std::string> assembler; ///< arguments for ptxas
};

/// Reads them from `options` and the environment. On a bad value fills `error`.
bool readGPUOptions(const CompileOptions &options, GPUOptions &result, CompileError &error);

/// ttir -> ttgir -> the LLVM and NVVM dialects -> PTX -> cubin.
bool compileForGPU(Session &session, mlir::ModuleOp module, const CompileOptions &options,
                   CompiledKernel &kernel, CompileError &error);

/// A module with one kernel in the LLVM and NVVM dialects, to PTX and, where there is a
/// ptxas, to a cubin. The metadata says how it is launched.
bool emitForGPU(Session &session, mlir::ModuleOp module, const CompileOptions &options,
                const GPUOptions &gpu, CompiledKernel &kernel, CompileError &error);

/// The only kernel of a module in the LLVM dialect as metadata. Of the module's attributes
/// it reads `ttg.num-warps`, `ttg.num-ctas` and `ttg.shared` (bytes of dynamic shared
/// memory). No name: there is not exactly one kernel.
KernelMetadata describeLLVMKernel(mlir::ModuleOp module, const GPUOptions &gpu);

} // namespace tritium

#endif // TRITIUM_LIB_PIPELINE_GPU_H
