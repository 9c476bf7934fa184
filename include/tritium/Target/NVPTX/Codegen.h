//===- Codegen.h - LLVM-dialect module to PTX -------------------*- C++ -*-===//

#ifndef TRITIUM_TARGET_NVPTX_CODEGEN_H
#define TRITIUM_TARGET_NVPTX_CODEGEN_H

#include "tritium/Target/NVPTX/TargetInfo.h"

#include <string>

namespace mlir {
class ModuleOp;
}

namespace tritium::nvptx {

struct EmitOptions {
  std::string kernel;        ///< symbol of the kernel's llvm.func
  unsigned threads = 128;    ///< of a CTA: the kernel is launched with exactly so many
  unsigned clusterCTAs = 1;  ///< of a cluster: likewise
  unsigned maxRegisters = 0; ///< a thread; 0: as many as the assembler thinks best
  unsigned ptxVersion = 84;  ///< 84 for 8.4, which has all instructions that are emitted
  bool lineInfo = true;      ///< .loc lines
  bool wantLLIR = false;
};

struct EmittedCode {
  std::string entry; ///< the kernel's name in the PTX, which has fewer letters than Python
  std::string ptx;
  std::string llir; ///< LLVM IR after optimisation; filled if wanted
};

/// Translates a module in the LLVM and NVVM dialects, runs a short pass list and writes
/// PTX. The kernel takes its run-time parameters by value, pointers as !llvm.ptr<1>;
/// dynamic shared memory is an external global in address space 3. Thread-safe. On
/// failure fills `error`.
bool emitPTX(mlir::ModuleOp module, const TargetInfo &target, const EmitOptions &options,
             EmittedCode &code, std::string &error);

/// Writes PTX from LLVM IR that is optimised already, such as EmittedCode::llir; its kernel is
/// marked as one. Thread-safe. On failure fills `error`.
bool emitPTX(const std::string &llir, const TargetInfo &target, const EmitOptions &options,
             EmittedCode &code, std::string &error);

} // namespace tritium::nvptx

#endif // TRITIUM_TARGET_NVPTX_CODEGEN_H
