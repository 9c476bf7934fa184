//===- Explain.cpp - tritium explain --------------------------------------===//

#include "ExplainRequest.h"

#include "llvm/Support/JSON.h"

#include <cstdio>
#include <cstdlib>

using namespace tritium;
using namespace tritium::tool;

const char *const tritium::tool::explainHelp =
    R"(usage: tritium explain FILE.py [--kernel NAME] --signature TYPES [OPTION...]
       tritium explain FILE.tc [--kernel NAME] [-DNAME[=TEXT]...] [OPTION...]
       tritium explain FILE.json [-a] [--html FILE]

Says what became of each line of a kernel, and why; or shows what --json wrote.

  --kernel, --signature, --constexpr, --option, --target, --from, --debug
                         what is compiled, as for `tritium compile`, in one configuration
  --arg NAME=VALUE, --grid X[,Y[,Z]]
                         a launch, as for `tritium tune`: what a GPU does for each line is
                         counted on a simulated one, of a large grid for some programs.
                         The grid may name constants of the kernel
  --json FILE            write all of it as JSON, whose fields docs/explain.md has; -: to
                         standard output
  --html FILE            write a page for a browser, which needs no other file; -: to standard
                         output
  --gpu NAME             whose time is estimated, of GPUs that run the code: H100, or H200 (which
                         cuda:90 is)
  --keep-options         try no other options and promises on the launch
  --fail-on 1.1          exit with 3 if a change is shown that makes the launch 1.1 times as fast
  --diff A B             what is different between A and B, each a file that --json wrote
                         (NAME.json), or options that are added to the others, as one
                         argument: --diff "" "--option num_warps=4", or another FILE.py.
                         With it --json writes the comparison
  --diff A B --fail-on worse
                         exit with 3 if B is worse: some of time (estimated, by more than 3 %;
                         time=10% for another share), spill (more bytes), barrier (more in the
                         code), access (a line's is narrower), by commas; worse is all of them
  -a, --all              lines, too, on which there is nothing to say
  -h, --help             show this text

example:
  tritium explain examples/softmax.py --signature "*fp16:16,*fp16:16,i32,i32" \
      --constexpr BLOCK=4096 --target cuda:90 --json softmax.json \
      --arg x=rows*3000 --arg out=rows*3000 --arg rows=1024 --grid rows
)";

/// --fail-on of one kernel: the gain that is too much to leave.
static double readGain(const std::vector<std::string> &items) {
  char *end = nullptr;
  double gain = items.size() == 1 ? std::strtod(items[0].c_str(), &end) : 0;
  if (!(gain > 1 && gain < 1000) || *end)
    throw UsageError("explain: --fail-on wants a gain, as 1.1, or with --diff, what is worse");
  return gain;
}

/// Whether a change is shown that gains as much.
static bool hasHint(const char *text, double gain) {
  llvm::Expected<llvm::json::Value> document = llvm::json::parse(text);
  if (!document)
    throw Failure("explain: " + llvm::toString(document.takeError()));
  const llvm::json::Array *hints = document->getAsObject()->getArray("hints");
  if (!hints)
    throw Failure("explain: --fail-on has no launch on which changes were tried");
  for (const llvm::json::Value &hint : *hints)
    if (const llvm::json::Object *found = hint.getAsObject()->getObject("gain"))
      if (found->getNumber("expected").value_or(0) >= gain)
        return true;
  return false;
}

/// Writes what --json and --html ask for.
static void writeFiles(const ExplainRequest &request, tritium_explained *explained) {
  if (!request.json.empty())
    writeText(std::string(tritium_explained_json(explained)) + "\n", request.json);
  if (!request.html.empty())
    writeText(tritium_explained_html(explained), request.html);
}

/// Explains the kernel. One that does not compile leaves what is known of it, and its error.
static ExplainedHandle explainOrLeave(const ExplainRequest &request) try {
  return explain(request);
} catch (const Error &error) {
  if (!request.json.empty() || !request.html.empty())
    writeFiles(request, explainFailure(request, error.what()).get());
  throw;
}

int tritium::tool::explain(const Arguments &arguments) try {
  ExplainRequest request(arguments);
  if (request.asksForHelp) {
    std::fputs(explainHelp, stdout);
    return 0;
  }
  if (!request.sides.empty())
    return compareExplained(request);
  double gain = request.failOn.empty() ? 0 : readGain(request.failOn);
  bool isRead = llvm::StringRef(request.compile.file).ends_with(".json");
  if (!isRead)
    request.finish();
  ExplainedHandle explained = isRead ? readExplained(request) : explainOrLeave(request);
  if (request.json != "-" && request.html != "-")
    std::fputs(tritium_explained_text(explained.get(), request.isComplete), stdout);
  writeFiles(request, explained.get());
  return gain > 0 && hasHint(tritium_explained_json(explained.get()), gain) ? kFound : 0;
} catch (const Error &error) {
  throw Failure(error.what());
}
