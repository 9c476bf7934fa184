//===- CompileTritonC.cpp - tritium compile of Triton-C -------------------===//

#include "CompileRequest.h"
#include "SignatureText.h"

#include <cctype>
#include <cstdio>
#include <filesystem>

using namespace tritium;
using namespace tritium::tool;

/// What each parameter is a multiple of, by the items of --signature: `:16`, a type with
/// or without it (which must be the declared one), or nothing.
static std::vector<int64_t> parseHints(const CompileRequest &request, tritium_program *program) {
  std::vector<int64_t> hints;
  std::string text = request.signature;
  size_t count = tritium_program_parameter_count(program);
  for (const std::string &item : splitItems(text)) {
    size_t index = hints.size();
    if (index >= count)
      throw UsageError("the signature has more items than the kernel's " + std::to_string(count) +
                       " parameters");
    if (item.empty() || item == ":16") {
      hints.push_back(item.empty() ? 1 : 16);
      continue;
    }
    SignatureItem parsed = parseSignatureItem(item);
    tritium_declaration declared = tritium_program_parameter(program, index);
    if (parsed.value || parsed.type.kind != declared.dtype.kind ||
        parsed.type.pointer_depth != declared.dtype.pointer_depth)
      throw UsageError("signature item '" + item + "' is for parameter '" + declared.name +
                       "', which is " + declared.type + "; say :16, or nothing");
    hints.push_back(parsed.divisibility);
  }
  return hints;
}

/// "out.s" for the choice "TM=64, num_warps=4": "out.TM64-num_warps4.s".
static std::string outputFor(const std::string &output, const std::string &label) {
  std::string name;
  for (char c : label) {
    if (c == ',')
      name += '-';
    else if (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.')
      name += c;
    else if (c != '=' && c != ' ')
      name += '_';
  }
  std::filesystem::path path = output;
  std::string extension = path.extension();
  return path.replace_extension("." + name + extension).string();
}

namespace {
/// A kernel's program, and what its parameters are multiples of.
struct ReadProgram {
  ProgramHandle program;
  std::vector<int64_t> hints;

  ReadProgram(const CompileRequest &request, const std::string &command, bool onlyTileIR) {
    if (!request.constants.empty())
      throw UsageError(command + ": --constexpr is for Python kernels; a Triton-C file takes "
                                 "-DNAME=TEXT");
    tritium_kernel_config config = {};
    config.interpret = onlyTileIR ? 1 : -1;
    program = createProgram(request.program, &config);
    if (*tritium_program_warning(program.get()))
      std::fprintf(stderr, "warning: %s\n", tritium_program_warning(program.get()));
    hints = parseHints(request, program.get());
  }
  size_t choices() const { return tritium_program_choice_count(program.get()); }

  /// Null with `error`.
  CompiledHandle compile(const CompileRequest &request, size_t choice, tritium_error &error) const {
    std::vector<tritium_option> options = request.nativeOptions();
    if (const char *warps = tritium_program_choice_value(program.get(), choice, "num_warps"))
      options.push_back({"num_warps", Value(std::atoi(warps)).get()});
    return CompiledHandle(tritium_program_specialize(program.get(), choice, hints.data(),
                                                     hints.size(), options.data(), options.size(),
                                                     request.target.str().c_str(), &error));
  }
};
} // namespace

CompiledHandle tool::compileOneTritonC(const CompileRequest &request, const std::string &command) {
  ReadProgram read(request, command, /*onlyTileIR=*/false);
  if (read.choices() != 1)
    throw UsageError(command + ": the lists make " + std::to_string(read.choices()) +
                     " configurations; give one value each");
  tritium_error error = {};
  CompiledHandle compiled = read.compile(request, 0, error);
  if (!compiled)
    throw Error(error);
  return compiled;
}

int tool::compileTritonC(const CompileRequest &request) {
  ReadProgram read(request, "compile", request.emit == "ttir" && request.header.empty());
  size_t choices = read.choices();
  bool isMany = choices > 1;
  if (isMany && !request.onlySyntax && (request.output.empty() || request.output == "-"))
    throw UsageError("compile: the lists make " + std::to_string(choices) +
                     " configurations; say -o FILE, and each is written to a file that its "
                     "values name");
  size_t failures = 0;
  for (size_t choice = 0; choice < choices; ++choice) {
    std::string label = tritium_program_choice_label(read.program.get(), choice);
    tritium_error error = {};
    CompiledHandle compiled = read.compile(request, choice, error);
    if (!compiled) {
      if (!isMany)
        throw Error(error);
      std::fprintf(stderr, "%s:\n%s\n", label.c_str(), Error(error).what());
      ++failures;
      continue;
    }
    writeRemarks(compiled.get(), request);
    if (request.onlySyntax)
      continue;
    std::string output = isMany ? outputFor(request.output, label) : request.output;
    writeStage(compiled.get(), request.emit, output);
    if (!request.header.empty())
      writeStage(compiled.get(), "header",
                 isMany ? outputFor(request.header, label) : request.header);
    if (isMany)
      std::printf("%s: %s\n", label.c_str(), output.c_str());
  }
  if (failures)
    throw Failure(std::to_string(failures) + " of " + std::to_string(choices) +
                  " configurations do not compile");
  return 0;
}
