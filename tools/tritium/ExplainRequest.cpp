//===- ExplainRequest.cpp - what is explained, by a command line ----------===//

#include "ExplainRequest.h"
#include "SignatureText.h"

#include "llvm/Support/JSON.h"

#include <algorithm>
#include <cstdio>
#include <fstream>

using namespace tritium;
using namespace tritium::tool;

ExplainRequest::ExplainRequest(const Arguments &given) {
  CommandLine options(given);
  while (options.next()) {
    if (!options.isOption) {
      if (!compile.file.empty())
        throw UsageError("explain: one file at a time, but got '" + compile.file + "' and '" +
                         options.name + "'");
      compile.file = options.name;
    } else if (options.name == "-h" || options.name == "--help") {
      asksForHelp = true;
    } else if (options.name == "--arg") {
      takeArgument(options, arguments);
    } else if (options.name == "--grid") {
      grid = splitItems(options.value());
    } else if (options.name == "-a" || options.name == "--all") {
      options.noValue();
      isComplete = true;
    } else if (options.name == "--keep-options") {
      options.noValue();
      keepsOptions = true;
    } else if (options.name == "--gpu") {
      gpu = options.value();
    } else if (options.name == "--json") {
      json = options.value();
    } else if (options.name == "--html") {
      html = options.value();
    } else if (options.name == "--diff") {
      if (options.hasValue())
        throw UsageError("explain: --diff wants two values: --diff A B");
      sides.clear();
      sides.push_back(options.value());
      sides.push_back(options.value());
    } else if (options.name == "--fail-on") {
      failOn = splitItems(options.value());
    } else {
      hasTarget |= options.name == "--target";
      if (!compile.take(options))
        throw UsageError("explain: no option " + options.name);
    }
  }
}

void ExplainRequest::finish() {
  compile.finish("explain");
  compile.forLaunches = true;
  if (grid.empty() && !arguments.empty())
    throw UsageError("explain: say --grid, too, for a launch with these arguments");
}

/// `added` behind those of `list` that have other names.
template <typename List> static void replace(List &list, const List &added) {
  for (const auto &one : added)
    list.erase(std::remove_if(list.begin(), list.end(),
                              [&](const auto &old) { return old.first == one.first; }),
               list.end());
  list.insert(list.end(), added.begin(), added.end());
}

ExplainRequest ExplainRequest::with(const ExplainRequest &changes) const {
  ExplainRequest made = *this;
  auto take = [](std::string &text, const std::string &changed) {
    if (!changed.empty())
      text = changed;
  };
  take(made.compile.file, changes.compile.file);
  take(made.compile.from, changes.compile.from);
  take(made.compile.signature, changes.compile.signature);
  take(made.compile.program.kernel, changes.compile.program.kernel);
  replace(made.compile.program.defines, changes.compile.program.defines);
  if (!changes.compile.program.includePaths.empty())
    made.compile.program.includePaths = changes.compile.program.includePaths;
  if (!changes.compile.program.numWarps.empty())
    made.compile.program.numWarps = changes.compile.program.numWarps;
  if (changes.hasTarget)
    made.compile.target = changes.compile.target;
  for (const auto &[name, value] : changes.compile.constants)
    made.compile.constants.insert_or_assign(name, value);
  replace(made.compile.options, changes.compile.options);
  replace(made.arguments, changes.arguments);
  take(made.gpu, changes.gpu);
  if (!changes.grid.empty())
    made.grid = changes.grid;
  return made;
}

std::string tool::readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw Failure(path + ": cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

void tool::writeText(const std::string &text, const std::string &path) {
  if (path == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return;
  }
  std::ofstream file(path, std::ios::binary);
  if (!file.write(text.data(), static_cast<std::streamsize>(text.size())).flush())
    throw Failure(path + ": cannot be written");
}

namespace {
/// Run-time parameters and integer constants, as the metadata of compiled code has them.
struct Parameters {
  std::vector<Declaration> runTime;
  Numbers constants;
};

Parameters parametersOf(tritium_compiled *compiled, const CompileRequest &request) {
  Parameters made;
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(tritium_compiled_metadata(compiled));
  if (!parsed)
    throw Failure("the metadata of the kernel cannot be read");
  for (const llvm::json::Value &each : *parsed->getAsObject()->getArray("parameters")) {
    const llvm::json::Object &parameter = *each.getAsObject();
    std::string type = parameter.getString("type").value_or("").str();
    made.runTime.push_back(
        {parameter.getString("name").value_or("").str(), type, parseSignatureItem(type).type});
  }
  // Macros of Triton-C whose texts are numbers.
  for (const auto &[name, text] : request.program.defines)
    if (int64_t number = 0; !llvm::StringRef(text).getAsInteger(0, number))
      made.constants[name] = number;
  for (const auto &[name, value] : request.constants)
    if (value.get().kind == TRITIUM_INT)
      made.constants[name] = static_cast<int64_t>(value.get().as.integer.low);
  return made;
}

/// A launch on arguments that are made for it.
struct MadeLaunch {
  const ExplainRequest &request;
  std::vector<MadeArgument> made;
  std::vector<tritium_argument> arguments;
  Numbers numbers;
  tritium_explanation what = {};

  MadeLaunch(const ExplainRequest &request, tritium_compiled *compiled) : request(request) {
    if (request.grid.empty())
      return;
    Parameters parameters = parametersOf(compiled, request.compile);
    numbers = parameters.constants;
    made = makeArguments(request.compile.kernel, parameters.runTime, request.arguments, numbers);
    for (const MadeArgument &one : made)
      arguments.push_back(one.argument);
    what.arguments = arguments.data();
    what.count = arguments.size();
    what.keeps_options = request.keepsOptions;
    what.gpu = request.gpu.empty() ? nullptr : request.gpu.c_str();
    evaluate(numbers, what.grid);
    what.user = this;
    what.grid_for = [](void *user, const char *const *names, const int64_t *values, size_t count,
                       uint32_t grid[3]) {
      auto *self = static_cast<MadeLaunch *>(user);
      Numbers changed = self->numbers;
      for (size_t i = 0; i < count; ++i)
        changed[names[i]] = values[i];
      try {
        self->evaluate(changed, grid);
        return 1;
      } catch (const UsageError &) {
        return 0;
      }
    };
  }

  void evaluate(const Numbers &known, uint32_t grid[3]) const {
    evaluateGrid(
        request.grid,
        [&](const std::string &name) -> std::optional<int64_t> {
          auto found = known.find(name);
          return found == known.end() ? std::nullopt : std::optional(found->second);
        },
        grid);
  }
};

} // namespace

ExplainedHandle tool::explain(const ExplainRequest &request) {
  bool isC = request.compile.from.empty() && isTritonC(request.compile.file);
  CompiledHandle compiled =
      isC ? compileOneTritonC(request.compile, "explain") : compileRequest(request.compile);
  MadeLaunch launch(request, compiled.get());
  tritium_error error = {};
  ExplainedHandle explained(tritium_compiled_explain(compiled.get(), &launch.what, &error));
  if (!explained)
    throw Error(error);
  return explained;
}

ExplainedHandle tool::readExplained(const ExplainRequest &request) {
  const CompileRequest &compile = request.compile;
  if (!compile.signature.empty() || !compile.from.empty() || !compile.program.kernel.empty() ||
      !compile.constants.empty() || !compile.options.empty() || !request.grid.empty() ||
      !request.arguments.empty() || request.hasTarget)
    throw UsageError("explain: " + compile.file +
                     " is explained already: -a, --html, --json and --fail-on go with it");
  tritium_error error = {};
  ExplainedHandle read(
      tritium_explanation_read(readFile(compile.file).c_str(), compile.file.c_str(), &error));
  if (!read)
    throw Error(error);
  return read;
}
