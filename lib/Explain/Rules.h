//===- Rules.h - what would change what a kernel loses time by --*- C++ -*-===//
//
// One table of rules: each is for the remarks of a code, or for a pattern of what was counted, says
// which change that asks for, and what the work of the launch would be with it.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_EXPLAIN_RULES_H
#define TRITIUM_LIB_EXPLAIN_RULES_H

#include "Model.h"

#include "tritium/Support/Remark.h"

#include <set>

namespace tritium::explain {

/// The pass of a remark, and of its cases which one it is: "coalesce/narrow".
std::string codeOf(const Remark &remark);

/// What would change what a missed remark is about: {kind, text, apply}.
std::optional<llvm::json::Object> fixOf(const Remark &remark);

/// A line of a launch that was counted.
struct CountedLine {
  llvm::json::Object place;
  Work work;
  const llvm::json::Object *counters = nullptr;
  std::vector<const Remark *> remarks;
  std::set<std::string> operations; ///< names of those of tile IR
};

/// A launch that was counted.
struct CountedLaunch {
  std::vector<CountedLine> lines;
  LaunchFacts facts;
  std::map<std::string, int64_t> values; ///< of integer arguments
};

/// Changes of the source and of the host's program that make the launch faster by the model, as
/// hints: what they gain is estimated, none was made.
llvm::json::Array estimatedHints(const CountedLaunch &launch);

} // namespace tritium::explain

#endif // TRITIUM_LIB_EXPLAIN_RULES_H
