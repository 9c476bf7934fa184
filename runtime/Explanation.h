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

/// Fills `made` with what tritium_compiled_explain answers. `launch` may be null. On failure fills
/// `error`.
bool explain(Variant &variant, const LaunchToExplain *launch, llvm::json::Object &made,
             CompileError &error);

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_EXPLANATION_H
