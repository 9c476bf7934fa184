//===- Explain.cpp - tritium explain --------------------------------------===//

#include "CompileRequest.h"
#include "MadeArguments.h"
#include "SignatureText.h"

#include "llvm/Support/JSON.h"

#include <cstdio>
#include <fstream>

using namespace tritium;
using namespace tritium::tool;

const char *const tritium::tool::explainHelp =
    R"(usage: tritium explain FILE.py [--kernel NAME] --signature TYPES [OPTION...]

Says what became of each line of a kernel, and why.

  --kernel, --signature, --constexpr, --option, --target, --from, --debug
                         what is compiled, as for `tritium compile`
  --arg NAME=VALUE, --grid X[,Y[,Z]]
                         a launch, as for `tritium tune`: what a GPU does for each line is
                         counted on a simulated one, of a large grid for some programs.
                         The grid may name constants of the kernel
  --json FILE            write all of it as JSON, whose fields docs/explain.md has; -: to
                         standard output
  --html FILE            write a page for a browser, which needs no other file; -: to standard
                         output
  --keep-options         try no other options and promises on the launch
  -a, --all              lines, too, on which there is nothing to say
  -h, --help             show this text

example:
  tritium explain examples/softmax.py --signature "*fp16:16,*fp16:16,i32,i32" \
      --constexpr BLOCK=4096 --target cuda:90 --json softmax.json \
      --arg x=rows*3000 --arg out=rows*3000 --arg rows=1024 --grid rows
)";

namespace {

struct ExplainRequest {
  CompileRequest compile;
  std::string json, html;
  bool isComplete = false; ///< shows all lines
  bool keepsOptions = false;
  GivenArguments arguments;
  std::vector<std::string> grid;
};

using ExplainedHandle = detail::Handle<tritium_explained, tritium_explained_release>;

bool parse(const Arguments &arguments, ExplainRequest &request) {
  CommandLine options(arguments);
  while (options.next()) {
    if (!options.isOption) {
      if (!request.compile.file.empty())
        throw UsageError("explain: one file at a time, but got '" + request.compile.file +
                         "' and '" + options.name + "'");
      request.compile.file = options.name;
    } else if (options.name == "-h" || options.name == "--help") {
      std::fputs(explainHelp, stdout);
      return false;
    } else if (options.name == "--arg") {
      takeArgument(options, request.arguments);
    } else if (options.name == "--grid") {
      request.grid = splitItems(options.value());
    } else if (options.name == "-a" || options.name == "--all") {
      options.noValue();
      request.isComplete = true;
    } else if (options.name == "--keep-options") {
      options.noValue();
      request.keepsOptions = true;
    } else if (options.name == "--json") {
      request.json = options.value();
    } else if (options.name == "--html") {
      request.html = options.value();
    } else if (!request.compile.take(options)) {
      throw UsageError("explain: no option " + options.name);
    }
  }
  request.compile.finish("explain");
  request.compile.forLaunches = true;
  if (request.grid.empty() && !request.arguments.empty())
    throw UsageError("explain: say --grid, too, for a launch with these arguments");
  return true;
}

void writeText(const std::string &text, const std::string &path) {
  if (path == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return;
  }
  std::ofstream file(path, std::ios::binary);
  if (!file.write(text.data(), static_cast<std::streamsize>(text.size())).flush())
    throw Failure(path + ": cannot be written");
}

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
  for (const auto &[name, value] : request.constants)
    if (value.get().kind == TRITIUM_INT)
      made.constants[name] = static_cast<int64_t>(value.get().as.integer.low);
  return made;
}

/// A launch on arguments that are made for it.
struct MadeLaunch {
  std::vector<MadeArgument> made;
  std::vector<tritium_argument> arguments;
  tritium_explanation what = {};

  MadeLaunch(const ExplainRequest &request, tritium_compiled *compiled) {
    if (request.grid.empty())
      return;
    Parameters parameters = parametersOf(compiled, request.compile);
    Numbers numbers = parameters.constants;
    made = makeArguments(request.compile.kernel, parameters.runTime, request.arguments, numbers);
    for (const MadeArgument &one : made)
      arguments.push_back(one.argument);
    what.arguments = arguments.data();
    what.count = arguments.size();
    what.keeps_options = request.keepsOptions;
    evaluateGrid(
        request.grid,
        [&](const std::string &name) -> std::optional<int64_t> {
          auto known = numbers.find(name);
          return known == numbers.end() ? std::nullopt : std::optional(known->second);
        },
        what.grid);
  }
};

} // namespace

int tritium::tool::explain(const Arguments &arguments) try {
  ExplainRequest request;
  if (!parse(arguments, request))
    return 0;
  CompiledHandle compiled = compileRequest(request.compile);
  MadeLaunch launch(request, compiled.get());
  tritium_error error = {};
  ExplainedHandle explained(tritium_compiled_explain(compiled.get(), &launch.what, &error));
  if (!explained)
    throw Error(error);
  if (request.json != "-" && request.html != "-")
    std::fputs(tritium_explained_text(explained.get(), request.isComplete), stdout);
  if (!request.json.empty())
    writeText(std::string(tritium_explained_json(explained.get())) + "\n", request.json);
  if (!request.html.empty())
    writeText(tritium_explained_html(explained.get()), request.html);
  return 0;
} catch (const Error &error) {
  throw Failure(error.what());
}
