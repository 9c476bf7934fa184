//===- Codegen.h - LLVM-dialect module to CPU object code -------*- C++ -*-===//

#ifndef TRITIUM_TARGET_CPU_CODEGEN_H
#define TRITIUM_TARGET_CPU_CODEGEN_H

#include "tritium/Target/CPU/TargetInfo.h"

#include <string>

namespace mlir {
class ModuleOp;
}

namespace tritium::cpu {

struct EmittedCode {
  std::string object;   ///< relocatable ELF
  std::string llir;     ///< LLVM IR after optimisation; filled if wanted
  std::string assembly; ///< filled if wanted
};

/// Translates a module in the LLVM dialect, runs a short pass list
/// and emits an object. Thread-safe. On failure fills `error`.
bool emitObject(mlir::ModuleOp module, const TargetInfo &target, bool wantLLIR, bool wantAssembly,
                EmittedCode &code, std::string &error);

/// Emits an object from LLVM IR that is optimised already, such as EmittedCode::llir.
/// Thread-safe. On failure fills `error`.
bool emitObject(const std::string &llir, const TargetInfo &target, bool wantAssembly,
                EmittedCode &code, std::string &error);

} // namespace tritium::cpu

#endif // TRITIUM_TARGET_CPU_CODEGEN_H
