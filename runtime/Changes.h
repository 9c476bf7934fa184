//===- Changes.h - what could be changed of a launch ------------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_CHANGES_H
#define TRITIUM_RUNTIME_CHANGES_H

#include "Explanation.h"

#include <array>

namespace tritium::runtime {

/// The kernel compiled in another way, or launched on another grid.
struct Change {
  std::string code;  ///< what is changed: of several of one code one is made
  std::string kind;  ///< "option", "promise", "constant", "host"
  std::string title; ///< "num_warps=8"
  llvm::json::Object apply;
  Recipe recipe;
  std::array<uint32_t, 3> grid;
  bool isInexact = false; ///< products are rounded to tf32
  bool needsAll = false;  ///< only runs of all CTAs show that it does the same
};

/// What is worth a try, by what was explained of the launch as it is (`document`): its options, the
/// promises that it keeps, extents of its tiles, its grid. `base`: with what is decided already.
std::vector<Change> changesFor(const Change &base, const KernelMetadata &metadata,
                               const LaunchToExplain &launch, const llvm::json::Object &document);

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_CHANGES_H
