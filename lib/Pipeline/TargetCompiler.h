//===- TargetCompiler.h - what the pipeline asks of a target ----*- C++ -*-===//
//
// A kind of target is compiled for by one object, which stands in a table by its kind. The
// pipeline's way to tile IR is the same for all; what follows is the object's.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_PIPELINE_TARGETCOMPILER_H
#define TRITIUM_LIB_PIPELINE_TARGETCOMPILER_H

#include "Session.h"

namespace tritium {

/// Each step fills the stages and metadata of `kernel`; false: `error` says why.
class TargetCompiler {
public:
  explicit TargetCompiler(const TargetKind &kind) : kind(kind) {}
  virtual ~TargetCompiler() = default;

  /// What code depends on beside the compiler itself: features of a CPU, an assembler's version.
  virtual std::string fingerprint(const Target &target) const { return target.str(); }
  /// Of an fp32 dot that names no precision.
  virtual const char *dotPrecision() const { return "ieee"; }
  /// Whether hints are checked, also where no debugging is asked for.
  virtual bool checksHints() const { return false; }
  /// Whether programs can stop for a debugger.
  virtual bool stops() const { return false; }
  /// Whether tile IR may move blocks of arrays by descriptors; else it has pointers instead.
  virtual bool takesDescriptors() const { return false; }
  /// Whether tile IR may have a GPU's assembly in it.
  virtual bool takesAssembly() const { return false; }

  /// A compilation of tile IR begins: starts what can get ready meanwhile.
  virtual void prepare(Session &, const CompileOptions &) const {}

  /// From tile IR to the last stage.
  virtual bool fromTileIR(Session &session, mlir::ModuleOp module, const CompileOptions &options,
                          CompiledKernel &kernel, CompileError &error) const = 0;
  /// From tile IR with layouts. Refuses, unless the kind has it.
  virtual bool fromTileGPU(Session &session, mlir::ModuleOp module, const CompileOptions &options,
                           CompiledKernel &kernel, CompileError &error) const;
  /// From a kernel in the LLVM dialect. Refuses, unless the kind can do that.
  virtual bool fromLLVMDialect(Session &session, mlir::ModuleOp module,
                               const CompileOptions &options, CompiledKernel &kernel,
                               CompileError &error) const;
  /// From the text of `stage`, "llir" or "ptx", whose metadata the kernel has. Refuses, unless
  /// the kind has it.
  virtual bool fromText(Session &session, const std::string &stage, const std::string &text,
                        const CompileOptions &options, CompiledKernel &kernel,
                        CompileError &error) const;

  const TargetKind &kind;
};

/// Adds one to the table, and its kind to the targets that can be named. It lives for ever.
void addTargetCompiler(const TargetCompiler &compiler);
/// Who compiles for a kind; null: nobody.
const TargetCompiler *findTargetCompiler(const TargetKind &kind);
/// The same; null with an error that says for what there is one.
const TargetCompiler *targetCompiler(const Target &target, CompileError &error);

/// Fills `error` with a CompilationError; false.
bool refuse(CompileError &error, std::string message);

// Those of the table, each in its own file.
const TargetCompiler &cpuCompiler();
const TargetCompiler &interpreterCompiler();
const TargetCompiler &cudaCompiler();
const TargetCompiler &simulatorCompiler();

} // namespace tritium

#endif // TRITIUM_LIB_PIPELINE_TARGETCOMPILER_H
