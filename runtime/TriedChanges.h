//===- TriedChanges.h - what would make a launch faster ---------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_TRIEDCHANGES_H
#define TRITIUM_RUNTIME_TRIEDCHANGES_H

#include "CountedRun.h"
#include "Interrupt.h"

namespace tritium::runtime {

/// A launch as it is explained.
struct Explained {
  Variant *variant = nullptr; ///< that the launch runs
  llvm::json::Object document;
  llvm::json::Array estimates; ///< hints of what cannot be tried
  CountedRun run;
};
/// Without trying anything. `launch` may be null.
bool explainOnce(Variant &variant, const LaunchToExplain *launch, RunLimit limit, Explained &made,
                 CompileError &error);

/// Compiles the kernel again with other options, constants, and promises that hold for the launch,
/// counts the launch with each, and returns those that are faster by the model and leave the same
/// results, with what `before` estimates: at most four, the best first. `refused`: options and
/// promises that are faster and leave other results, which is an error of the compiler's. Where
/// `work` is ended, what is known by then.
llvm::json::Array tryChanges(Variant &variant, const LaunchToExplain &launch,
                             const Explained &before, Interruptible &work,
                             llvm::json::Array &refused);

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_TRIEDCHANGES_H
