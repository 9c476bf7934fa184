//===- TritonC.h - what the commands share for Triton-C ---------*- C++ -*-===//

#ifndef TRITIUM_TOOLS_TRITIUM_TRITONC_H
#define TRITIUM_TOOLS_TRITIUM_TRITONC_H

#include "Commands.h"

#include "tritium/tritium.hpp"

#include <functional>
#include <map>
#include <optional>

namespace tritium::tool {

/// Whether a file is in Triton-C, by its name.
bool isTritonC(const std::string &path);

/// The part of a command line that says what a Triton-C kernel is made of.
struct ProgramRequest {
  std::string file, kernel;
  std::vector<std::pair<std::string, std::string>> defines;
  std::vector<std::string> includePaths;
  std::vector<int> numWarps;
  std::vector<std::string> key;

  /// Takes -D, -I, --kernel, --num-warps or --key. False if the option is none of them.
  bool take(CommandLine &options);
};

using ProgramHandle = detail::Handle<tritium_program, tritium_program_release>;

/// Reads the kernel. Throws tritium::Error.
ProgramHandle createProgram(const ProgramRequest &request,
                            const tritium_kernel_config *config = nullptr);

/// The value of an expression over integers: + - * / % ( ), cdiv(a, b), min, max, and
/// names that `lookup` answers for. Throws UsageError.
int64_t evaluate(const std::string &text,
                 const std::function<std::optional<int64_t>(const std::string &)> &lookup);

} // namespace tritium::tool

#endif // TRITIUM_TOOLS_TRITIUM_TRITONC_H
