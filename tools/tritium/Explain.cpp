//===- Explain.cpp - tritium explain --------------------------------------===//

#include "CompileRequest.h"

#include <cstdio>
#include <fstream>

using namespace tritium;
using namespace tritium::tool;

const char *const tritium::tool::explainHelp =
    R"(usage: tritium explain FILE.py [--kernel NAME] --signature TYPES [OPTION...]

Says what became of each line of a kernel, and why.

  --kernel, --signature, --constexpr, --option, --target, --from, --debug
                         what is compiled, as for `tritium compile`
  --json FILE            write all of it as JSON, whose fields docs/explain.md has; -: to
                         standard output
  -h, --help             show this text

example:
  tritium explain examples/softmax.py --signature "*fp16:16,*fp16:16,i32,i32" \
      --constexpr BLOCK=4096 --target cuda:90 --json softmax.json
)";

namespace {

struct ExplainRequest {
  CompileRequest compile;
  std::string json;
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
    } else if (options.name == "--json") {
      request.json = options.value();
    } else if (!request.compile.take(options)) {
      throw UsageError("explain: no option " + options.name);
    }
  }
  request.compile.finish("explain");
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

} // namespace

int tritium::tool::explain(const Arguments &arguments) try {
  ExplainRequest request;
  if (!parse(arguments, request))
    return 0;
  CompiledHandle compiled = compileRequest(request.compile);
  tritium_error error = {};
  ExplainedHandle explained(tritium_compiled_explain(compiled.get(), &error));
  if (!explained)
    throw Error(error);
  if (!request.json.empty())
    writeText(std::string(tritium_explained_json(explained.get())) + "\n", request.json);
  return 0;
} catch (const Error &error) {
  throw Failure(error.what());
}
