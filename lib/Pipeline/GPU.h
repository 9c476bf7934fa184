//===- GPU.h - the stages of a compilation for a GPU ------------*- C++ -*-===//

#ifndef TRITIUM_LIB_PIPELINE_GPU_H
#define TRITIUM_LIB_PIPELINE_GPU_H

#include "Session.h"

#include "tritium/Target/NVPTX/TargetInfo.h"

#include "mlir/IR/Location.h"

namespace tritium {

/// The options of a launch that code for GPUs depends on.
struct GPUOptions {
  unsigned numWarps = 4, numStages = 3;
  unsigned numCtas = 0;      ///< of a program; 0: as many as its rows need
  unsigned splitK = 1;       ///< parts of a program that adds up over a loop
  bool streamK = false;      ///< programs share the rounds of such a loop out
  unsigned maxRegisters = 0; ///< 0: no limit
  unsigned ptxVersion = kUsualPTXVersion;
  bool fpFusion = true, flushSubnormals = true, lineInfo = true, optimize = true;
  /// Launches overlap where the kernel says; nothing: where that is right for any kernel.
  std::optional<bool> programmaticLaunch;
  std::string specializeWarps = "auto"; ///< never, auto, always: GPUPipelineOptions
  std::string takePrograms = "auto";    ///< never, auto, always: GPUPipelineOptions
  bool tensorCopies = true;             ///< by TMA, whose tensor maps launches make
  std::optional<bool> persistent;       ///< CTAs loop over programs; nothing: where that is faster
  bool cooperative = false;             ///< all programs run at once, and may wait for each other
  unsigned warpSize = 32;
  std::string architecture;           ///< that the launch names; empty: the GPU's
  std::vector<std::string> assembler; ///< arguments for ptxas
  std::string clocks;                 ///< what has some: scopes, lines; empty: nothing
};

/// Reads them from `options` and the environment. On a bad value fills `error`.
bool readGPUOptions(const CompileOptions &options, GPUOptions &result, CompileError &error);

/// Starts the ptxas that assembleForGPU will take, if there is one.
void startAssembler(Session &session, const CompileOptions &options);

/// A module of ttgir -> the LLVM and NVVM dialects -> PTX -> cubin. False, with an error, if the
/// code was compiled for fewer launches than `options` say.
bool compileTileGPU(Session &session, mlir::ModuleOp module, const CompileOptions &options,
                    CompiledKernel &kernel, CompileError &error);

/// ttir -> ttgir -> the LLVM and NVVM dialects -> PTX -> cubin.
bool compileForGPU(Session &session, mlir::ModuleOp module, const CompileOptions &options,
                   CompiledKernel &kernel, CompileError &error);

/// A module with one kernel in the LLVM and NVVM dialects, to PTX and, where there is a
/// ptxas, to a cubin. The metadata says how it is launched.
bool emitForGPU(Session &session, mlir::ModuleOp module, const CompileOptions &options,
                const GPUOptions &gpu, CompiledKernel &kernel, CompileError &error);

/// Assembles the kernel's PTX if there is a ptxas that knows the architecture. `where` is for
/// remarks.
bool assembleForGPU(Session &session, const nvptx::TargetInfo &target, const GPUOptions &gpu,
                    mlir::Location where, CompiledKernel &kernel, CompileError &error);

/// Goes on from the text of the stage "llir" or "ptx"; the metadata says how it is launched.
bool goOnForGPU(Session &session, const std::string &stage, const std::string &text,
                const CompileOptions &options, CompiledKernel &kernel, CompileError &error);

/// The only kernel of a module in the LLVM dialect as metadata. Of the module's attributes
/// it reads `ttg.num-warps`, `ttg.num-ctas` and `ttg.shared` (bytes of dynamic shared
/// memory). None, with a message: there is not exactly one kernel that a host can launch.
std::optional<KernelMetadata> describeLLVMKernel(mlir::ModuleOp module, const GPUOptions &gpu,
                                                 std::string &message);

} // namespace tritium

#endif // TRITIUM_LIB_PIPELINE_GPU_H
