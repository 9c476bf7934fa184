//===- Session.h - what one compilation carries with it ---------*- C++ -*-===//
//
// A context for itself alone, with captured diagnostics, the dump and timing variables of the
// environment, and the way a failure of the compiler itself is reported: never on
// stderr, never by ending the process.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_PIPELINE_SESSION_H
#define TRITIUM_LIB_PIPELINE_SESSION_H

#include "tritium/Pipeline/Compiler.h"
#include "tritium/Support/Settings.h"
#include "tritium/Support/SingleThreadedContext.h"
#include "tritium/Target/NVPTX/Ptxas.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/Timing.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>
#include <optional>

namespace mlir {
class OpPassManager;
}

namespace tritium {

/// A context that compilations use one after another.
struct SharedContext {
  explicit SharedContext(const mlir::DialectRegistry &registry) : context(registry) {}
  SingleThreadedContext context;
  unsigned uses = 0;
};

class Session {
public:
  /// `kernel`: name for dumps, timing and messages.
  Session(std::string kernel, CompileError &error);
  ~Session();

  mlir::MLIRContext &context() { return shared->context; }

  /// Names the running stage: for timing, and for the report of a failure.
  void enter(const char *stage);

  /// Runs passes over the module. On failure the error names the pass.
  bool runPasses(mlir::ModuleOp module, const char *stage,
                 llvm::function_ref<void(mlir::OpPassManager &)> build);

  /// Reports that `what` failed: a bug of the compiler. Writes the module to a file,
  /// whose path goes into the message. Always returns false.
  bool internalError(const std::string &what, mlir::ModuleOp module);

  /// Reports an error in a text that the user gave, from the captured diagnostics.
  void textError(const std::string &fallback);

  /// Moves what passes have remarked to the end of `remarks`, each thing once.
  void takeRemarks(std::vector<Remark> &remarks);

  /// How many remarks there are, and back to an earlier number: what was remarked on an attempt
  /// that is not followed.
  size_t countRemarks() const { return remarks.size(); }
  void dropRemarks(size_t count) { remarks.resize(count); }

  /// Whether `setting` is on, or names the kernel.
  bool wants(const Setting &setting) const;

  /// An assembler that waits for what this compiles; or null.
  std::unique_ptr<nvptx::WaitingPtxas> assembler;

private:
  std::string kernel;
  CompileError &error;
  std::unique_ptr<SharedContext> shared;
  std::vector<std::string> messages; ///< captured errors with their places
  std::vector<Remark> remarks;
  std::optional<mlir::ScopedDiagnosticHandler> handler;
  mlir::DefaultTimingManager timing;
  mlir::TimingScope root, stage;
};

} // namespace tritium

#endif // TRITIUM_LIB_PIPELINE_SESSION_H
