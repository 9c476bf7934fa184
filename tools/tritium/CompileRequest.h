//===- CompileRequest.h - a command line of tritium compile -----*- C++ -*-===//

#ifndef TRITIUM_TOOLS_TRITIUM_COMPILEREQUEST_H
#define TRITIUM_TOOLS_TRITIUM_COMPILEREQUEST_H

#include "TritonC.h"

#include "tritium/Kernel/Target.h"

namespace tritium::tool {

struct CompileRequest {
  std::string file, kernel, from, emit, output;
  Target target;
  std::string header; ///< where to write the C header, too
  std::string signature;
  bool onlySyntax = false;
  bool forLaunches = false; ///< by Tritium, which makes tensor maps and counts programs
  bool remarks = false, allRemarks = false; ///< to be written to standard error
  ProgramRequest program;                   ///< of a file in Triton-C
  std::map<std::string, Value> constants;
  std::vector<std::pair<std::string, Value>> options;

  /// Takes an option that says what is compiled. False if the option is none of them.
  bool take(CommandLine &options);
  /// Checks what was taken, for `command`.
  void finish(const std::string &command);
  bool isBinary() const { return emit == "obj" || emit == "cubin"; }
  std::vector<tritium_option> nativeOptions() const;
};

using CompiledHandle = detail::Handle<tritium_compiled, tritium_compiled_release>;

/// Compiles a kernel of a Python file, or what --from names. Throws tritium::Error.
CompiledHandle compileRequest(const CompileRequest &request);

/// Writes what is asked for to standard error.
void writeRemarks(const tritium_compiled *compiled, const CompileRequest &request);

/// Writes a stage to a file, or to standard output if `output` is empty or "-".
void writeStage(tritium_compiled *compiled, const std::string &stage, const std::string &output);

/// Compiles the kernel of a file in Triton-C that has one configuration. Throws tritium::Error.
CompiledHandle compileOneTritonC(const CompileRequest &request, const std::string &command);

/// tritium compile of a file in Triton-C: each of its choices. Returns the exit status.
int compileTritonC(const CompileRequest &request);

} // namespace tritium::tool

#endif // TRITIUM_TOOLS_TRITIUM_COMPILEREQUEST_H
