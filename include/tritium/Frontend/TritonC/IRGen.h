//===- IRGen.h - a Triton-C kernel to the tt dialect ------------*- C++ -*-===//

#ifndef TRITIUM_FRONTEND_TRITONC_IRGEN_H
#define TRITIUM_FRONTEND_TRITONC_IRGEN_H

#include "tritium/Frontend/Scope.h"
#include "tritium/Kernel/ArgumentSpec.h"
#include "tritium/Kernel/CompileOptions.h"
#include "tritium/Kernel/KernelSignature.h"
#include "tritium/Support/Diagnostics.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tritium::frontend::tritonc {

struct GenerateOptions {
  bool debug = false;               ///< assertions are compiled in
  HintUse hints = HintUse::Assumed; ///< also of promises of attributes
  bool hasLines = false;            ///< statements and their variables, for a debugger
};

/// A module with one public tt.func, the kernel under one specialisation. `arguments` are those of
/// the kernel's parameters in order, and of its constant tables after them. Loads the
/// dialects that it needs into the context. Null after an error, which is reported.
mlir::OwningOpRef<mlir::ModuleOp> generate(mlir::MLIRContext &context, const FunctionSource &source,
                                           const std::vector<ArgumentSpec> &arguments,
                                           SourceManager &sources, DiagnosticEngine &diagnostics,
                                           const GenerateOptions &options);

/// The kernel's parameters, tables and tunables; every function of the file is parsed,
/// none is checked. Nothing after an error, which is reported.
std::optional<KernelSignature> readSignature(const FunctionSource &source, SourceManager &sources,
                                             DiagnosticEngine &diagnostics);

} // namespace tritium::frontend::tritonc

#endif // TRITIUM_FRONTEND_TRITONC_IRGEN_H
