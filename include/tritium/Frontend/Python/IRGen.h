//===- IRGen.h - a kernel's text to the tt dialect --------------*- C++ -*-===//

#ifndef TRITIUM_FRONTEND_PYTHON_IRGEN_H
#define TRITIUM_FRONTEND_PYTHON_IRGEN_H

#include "tritium/Frontend/Scope.h"
#include "tritium/Kernel/ArgumentSpec.h"
#include "tritium/Kernel/CompileOptions.h"
#include "tritium/Kernel/KernelSignature.h"
#include "tritium/Support/Diagnostics.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tritium::frontend::python {

struct GenerateOptions {
  bool debug = false;                         ///< assert and device_assert are compiled in
  std::string defaultInputPrecision = "ieee"; ///< of an fp32 dot that names none
  bool sanitizeOverflow = true;               ///< with debug
  HintUse hints = HintUse::Assumed;
  int cudaCapability = 0; ///< 90 for sm_90; 0: no GPU of NVIDIA's
  int numWarps = 4;
  bool hasLines = false; ///< statements and their variables are there, for a debugger
};

/// A module with one public tt.func, the kernel under one specialisation; the functions
/// that it calls are built into it. `arguments` are those of the kernel's parameters in
/// order. Loads the dialects that it needs into the context. Null after an error, which
/// is reported. `printed` receives what static_print wrote, also after an error.
///
/// A `**META` parameter takes a constexpr tuple of (name, value) tuples.
mlir::OwningOpRef<mlir::ModuleOp> generate(mlir::MLIRContext &context, const FunctionSource &source,
                                           const std::vector<ArgumentSpec> &arguments,
                                           SourceManager &sources, DiagnosticEngine &diagnostics,
                                           const GenerateOptions &options, std::string &printed);

/// The kernel's parameters. A `**META` parameter is named with its stars. A default that
/// is not a constant is an error. Nothing after an error, which is reported.
std::optional<KernelSignature> readSignature(const FunctionSource &source, SourceManager &sources,
                                             DiagnosticEngine &diagnostics);

} // namespace tritium::frontend::python

#endif // TRITIUM_FRONTEND_PYTHON_IRGEN_H
