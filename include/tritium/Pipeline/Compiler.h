//===- Compiler.h - from a kernel's text to code ----------------*- C++ -*-===//
//
// The compiler as one function call. Thread-safe: every call has its own context. It
// includes no MLIR header, so that hosts and the runtime can use it.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_PIPELINE_COMPILER_H
#define TRITIUM_PIPELINE_COMPILER_H

#include "tritium/Frontend/Scope.h"
#include "tritium/Kernel/ArgumentSpec.h"
#include "tritium/Kernel/CompileError.h"
#include "tritium/Kernel/CompileOptions.h"
#include "tritium/Kernel/CompiledKernel.h"
#include "tritium/Kernel/KernelSignature.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tritium {

/// Compiles `source` for one specialisation. On failure fills `error`, returns null.
std::unique_ptr<CompiledKernel> compileKernel(const frontend::FunctionSource &source,
                                              const std::vector<ArgumentSpec> &arguments,
                                              const CompileOptions &options, CompileError &error);

/// Goes on from a textual stage: `text` is a ttir module with one kernel. `file`: what errors and
/// remarks call the text.
std::unique_ptr<CompiledKernel> compileTileIR(const std::string &text, const std::string &file,
                                              const CompileOptions &options, CompileError &error);

/// Reads a kernel's parameter list. On failure fills `error`.
std::optional<KernelSignature> readSignature(const frontend::FunctionSource &source,
                                             CompileError &error);

/// Changes with everything that affects generated code: the version of the compiler
/// and of LLVM, and the features of the CPU that `options` names. Part of cache keys.
std::string compilerFingerprint(const CompileOptions &options);

/// Prints what MLIR_ENABLE_DIAGNOSTICS asks for: "remarks" what was missed, "applied" what was
/// done, "warnings" those of the front end. Compiling does it; for a kernel that was kept its
/// owner does.
void printRemarks(const std::vector<Remark> &remarks);

} // namespace tritium

#endif // TRITIUM_PIPELINE_COMPILER_H
