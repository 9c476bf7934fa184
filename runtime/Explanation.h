//===- Explanation.h - what became of a kernel ------------------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_EXPLANATION_H
#define TRITIUM_RUNTIME_EXPLANATION_H

#include "Variant.h"

namespace tritium::runtime {

/// Fills `made` with what tritium_compiled_explain answers. On failure fills `error`.
bool explain(Variant &variant, llvm::json::Object &made, CompileError &error);

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_EXPLANATION_H
