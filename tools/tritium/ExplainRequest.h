//===- ExplainRequest.h - a command line of tritium explain -----*- C++ -*-===//

#ifndef TRITIUM_TOOLS_TRITIUM_EXPLAINREQUEST_H
#define TRITIUM_TOOLS_TRITIUM_EXPLAINREQUEST_H

#include "CompileRequest.h"
#include "MadeArguments.h"

namespace tritium::tool {

struct ExplainRequest {
  CompileRequest compile;
  bool hasTarget = false; ///< --target was given
  std::string json, html;
  bool isComplete = false; ///< shows all lines
  bool keepsOptions = false;
  std::string gpu;
  GivenArguments arguments;
  std::vector<std::string> grid;
  /// --diff: each a file of JSON, or options that are added to the others; empty: no comparison.
  std::vector<std::string> sides;
  std::vector<std::string> failOn; ///< items of --fail-on
  bool asksForHelp = false;

  /// Takes all arguments. Throws UsageError.
  explicit ExplainRequest(const Arguments &arguments);
  /// Checks that a kernel can be explained by it.
  void finish();
  /// The same with what `changes` says in place of what this says, as far as it says anything.
  ExplainRequest with(const ExplainRequest &changes) const;
};

using ExplainedHandle = detail::Handle<tritium_explained, tritium_explained_release>;

/// Compiles the kernel and explains it, with the launch on arguments that are made for it. Throws
/// tritium::Error.
ExplainedHandle explain(const ExplainRequest &request);

/// What is known of a kernel that does not compile for `error`, as far as its compilation got.
/// Throws tritium::Error.
ExplainedHandle explainFailure(const ExplainRequest &request, const std::string &error);

/// What FILE.json, which --json wrote, has. Throws tritium::Error.
ExplainedHandle readExplained(const ExplainRequest &request);

/// The text of a file. Throws Failure.
std::string readFile(const std::string &path);

/// Writes to a file, or to standard output if `path` is "-".
void writeText(const std::string &text, const std::string &path);

/// tritium explain --diff. Returns the exit status.
int compareExplained(const ExplainRequest &request);

/// The exit status of --fail-on, if there is what it asks about.
inline constexpr int kFound = 3;

} // namespace tritium::tool

#endif // TRITIUM_TOOLS_TRITIUM_EXPLAINREQUEST_H
