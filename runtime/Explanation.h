//===- Explanation.h - what became of a kernel ------------------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_EXPLANATION_H
#define TRITIUM_RUNTIME_EXPLANATION_H

#include "Variant.h"

#include <array>
#include <functional>
#include <map>

namespace tritium::runtime {

/// A launch whose work is counted.
struct LaunchToExplain {
  llvm::ArrayRef<BoundArgument> arguments;
  const uint32_t *grid;
  /// The grid where integer constants have other values, by name; false: there is none. Null: the
  /// grid does not depend on them.
  std::function<bool(const std::map<std::string, int64_t> &, std::array<uint32_t, 3> &)> gridFor;
  std::string gpu = {};                ///< whose times are estimated; empty: the target's newest
  std::vector<std::string> names = {}; ///< of the kernel's parameters
};

/// Fills `made` with what tritium_compiled_explain answers. `launch` may be null. With
/// `triesChanges` a launch that can be counted is tried with changes. On failure fills `error`.
bool explain(Variant &variant, const LaunchToExplain *launch, bool triesChanges,
             llvm::json::Object &made, CompileError &error);

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_EXPLANATION_H
