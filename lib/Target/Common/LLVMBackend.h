//===- LLVMBackend.h - what all targets do with LLVM ------------*- C++ -*-===//

#ifndef TRITIUM_LIB_TARGET_COMMON_LLVMBACKEND_H
#define TRITIUM_LIB_TARGET_COMMON_LLVMBACKEND_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CodeGen.h"

#include <memory>
#include <string>

namespace llvm {
class TargetMachine;
}
namespace mlir {
class ModuleOp;
}

namespace tritium::target {

/// Makes LLVM's errors in `context` text in `error`; by default they end the process.
void collectErrors(llvm::LLVMContext &context, std::string &error);

/// A module in the LLVM dialect as LLVM IR. Null with `error` on failure.
std::unique_ptr<llvm::Module> translate(mlir::ModuleOp module, llvm::LLVMContext &context,
                                        std::string &error);

/// LLVM IR from its text. Null with `error` on failure.
std::unique_ptr<llvm::Module> parse(const std::string &text, llvm::LLVMContext &context,
                                    std::string &error);

/// Runs passes, in the syntax of LLVM's `opt -passes=`.
bool runPasses(llvm::Module &module, llvm::TargetMachine &machine, const char *pipeline,
               std::string &error);

/// Generates code. The module is changed on the way. `error` also receives what
/// collectErrors reports meanwhile. `leftOut`: passes of the code generator that are not
/// run, by the names that `llc -debug-pass=Structure` gives them.
bool generate(llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType type,
              std::string &out, std::string &error, llvm::ArrayRef<llvm::StringRef> leftOut = {});

} // namespace tritium::target

#endif // TRITIUM_LIB_TARGET_COMMON_LLVMBACKEND_H
