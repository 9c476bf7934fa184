//===- StageSeal.h - what written-out code says of itself -------*- C++ -*-===//
//
// LLVM IR and PTX do not say what their launches need to know: which parameters are pointers and
// what happens through them, how much shared memory or scratch there must be, what the code takes
// for granted. So the texts of these stages end in a comment with the kernel's metadata:
//
//   // tritium: AQAAAAAAAAA...
//
// With it a kernel can go on from there, in this process or another.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_RUNTIME_STAGESEAL_H
#define TRITIUM_RUNTIME_STAGESEAL_H

#include "tritium/Kernel/CompileOptions.h"
#include "tritium/Kernel/CompiledKernel.h"

#include <optional>

namespace tritium::runtime {

/// Adds the comment to the stages of a kernel that was compiled with `options`.
void seal(CompiledKernel &kernel, const CompileOptions &options);

/// What the comment says.
struct Sealed {
  std::string stage; ///< "llir" or "ptx"
  KernelMetadata metadata;
  bool mayAlias = false, isUnconditional = false, debug = false; ///< of CompileOptions
};
/// Reads the comment at the end of a text. None: it has none, or it is damaged.
std::optional<Sealed> unseal(const std::string &text);

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_STAGESEAL_H
