//===- ExplainDiff.cpp - tritium explain --diff ---------------------------===//

#include "ExplainRequest.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/StringSaver.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>

using namespace tritium;
using namespace tritium::tool;

namespace {

/// What makes the second of two explanations worse.
struct Guard {
  std::vector<std::string> kinds;
  double slowdown = 0; ///< 0: as usual
  bool has(llvm::StringRef kind) const {
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  }

  explicit Guard(const std::vector<std::string> &items) {
    static constexpr const char *all[] = {"time", "spill", "barrier", "access"};
    for (const std::string &item : items) {
      auto [name, value] = llvm::StringRef(item).split('=');
      if (item == "worse") {
        kinds.assign(std::begin(all), std::end(all));
        continue;
      }
      if (std::find(std::begin(all), std::end(all), name) == std::end(all) ||
          (name != "time" && item.find('=') != std::string::npos))
        throw UsageError("explain: --fail-on of --diff has no '" + item +
                         "'; it has worse, time, time=5%, spill, barrier, access");
      kinds.push_back(name.str());
      double percent = 0;
      if (name.size() == item.size())
        continue;
      value.consume_back("%");
      if (value.trim().getAsDouble(percent) || !(percent > 0))
        throw UsageError("explain: --fail-on time=" + value.str() + ": it wants a share, as 5%");
      slowdown = 1 + percent / 100;
    }
  }
};

/// The JSON of one side.
std::string jsonOf(const std::string &side, const ExplainRequest &common) {
  if (llvm::StringRef(side).ends_with(".json"))
    return readFile(side);
  llvm::BumpPtrAllocator memory;
  llvm::StringSaver saver(memory);
  llvm::SmallVector<const char *> words;
  llvm::cl::TokenizeGNUCommandLine(side, saver, words);
  ExplainRequest own(Arguments(words.begin(), words.end()));
  if (!own.sides.empty() || !own.json.empty() || !own.html.empty() || !own.failOn.empty())
    throw UsageError("explain: '" + side + "': a side of --diff has what is compiled and launched");
  ExplainRequest request = common.with(own);
  request.finish();
  request.keepsOptions = true;
  return tritium_explained_json(explain(request).get());
}

using ComparedHandle = detail::Handle<tritium_compared, tritium_compared_release>;

/// What of the comparison the guard asks about: that it is worse, or cannot be judged.
int judge(const llvm::json::Object &comparison, const Guard &guard) {
  if (guard.has("time") && !comparison.getObject("time"))
    throw Failure("explain: --fail-on time: not both have a launch that was counted");
  for (const char *kind : {"spill", "barrier"})
    if (const llvm::json::Object *judged = comparison.getObject("judged");
        guard.has(kind) && !(judged && judged->getBoolean(kind).value_or(false)))
      throw Failure("explain: --fail-on " + std::string(kind) +
                    ": not both say how many there are");
  for (const llvm::json::Value &each : *comparison.getArray("worse"))
    if (guard.has(each.getAsObject()->getString("kind").value_or("")))
      return kFound;
  return 0;
}

} // namespace

int tritium::tool::compareExplained(const ExplainRequest &request) {
  Guard guard(request.failOn);
  std::vector<std::string> names, texts;
  for (const std::string &side : request.sides) {
    names.push_back(side);
    texts.push_back(jsonOf(side, request));
  }
  tritium_error error = {};
  ComparedHandle compared(tritium_explanations_compare(texts[0].c_str(), names[0].c_str(),
                                                       texts[1].c_str(), names[1].c_str(),
                                                       guard.slowdown, &error));
  if (!compared)
    throw Error(error);
  std::string text = tritium_compared_json(compared.get());
  if (request.json != "-")
    std::fputs(tritium_compared_text(compared.get()), stdout);
  if (!request.json.empty())
    writeText(text + "\n", request.json);
  llvm::Expected<llvm::json::Value> comparison = llvm::json::parse(text);
  if (!comparison)
    throw Failure("explain: " + llvm::toString(comparison.takeError()));
  return judge(*comparison->getAsObject(), guard);
}
