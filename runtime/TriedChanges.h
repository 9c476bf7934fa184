//===- TriedChanges.h - what would make a launch faster ---------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_TRIEDCHANGES_H
#define TRITIUM_RUNTIME_TRIEDCHANGES_H

#include "Explanation.h"

namespace tritium::runtime {

/// Compiles the kernel again with other options, and with promises that hold for the launch,
/// counts the launch with each, and returns those that are faster by the model, at most four, the
/// best first. `before`: what is explained of the launch as it is.
llvm::json::Array tryChanges(Variant &variant, const LaunchToExplain &launch,
                             const llvm::json::Object &before);

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_TRIEDCHANGES_H
