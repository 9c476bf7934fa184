//===- Explanation.h - what became of a kernel ------------------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_EXPLANATION_H
#define TRITIUM_RUNTIME_EXPLANATION_H

#include "Variant.h"

namespace tritium::runtime {

/// A launch whose work is counted.
struct LaunchToExplain {
  llvm::ArrayRef<BoundArgument> arguments;
  const uint32_t *grid;
};

/// Fills `made` with what tritium_compiled_explain answers. `launch` may be null. With
/// `triesChanges` a launch that can be counted is tried with other options and promises. On failure
/// fills `error`.
bool explain(Variant &variant, const LaunchToExplain *launch, bool triesChanges,
             llvm::json::Object &made, CompileError &error);
/// The same without trying.
bool explainOnce(Variant &variant, const LaunchToExplain *launch, llvm::json::Object &made,
                 CompileError &error);

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_EXPLANATION_H
