//===- Compare.cpp - two explanations side by side ------------------------===//

#include "tritium/Explain/Compare.h"

#include "CompareLines.h"
#include "Fields.h"

#include "tritium/Explain/Explain.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <set>

namespace json = llvm::json;

namespace tritium::explain {

static llvm::Error refused(llvm::StringRef name, const llvm::Twine &why) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), name + ": " + why);
}

llvm::Expected<json::Object> readAnyVersion(llvm::StringRef text, llvm::StringRef name) {
  llvm::Expected<json::Value> parsed = json::parse(text);
  if (!parsed)
    return refused(name, "is no JSON: " + llvm::toString(parsed.takeError()));
  json::Object *document = parsed->getAsObject();
  if (!document || document->getString("format") != kFormat)
    return refused(name, "is not what tritium explain --json writes: its \"format\" is not \"" +
                             llvm::Twine(kFormat) + "\"");
  return std::move(*document);
}

llvm::Expected<json::Object> readDocument(llvm::StringRef text, llvm::StringRef name) {
  llvm::Expected<json::Object> document = readAnyVersion(text, name);
  if (!document)
    return document;
  std::optional<int64_t> version = document->getInteger("version");
  if (version != kVersion)
    return refused(name, "is of version " + (version ? std::to_string(*version) : "unknown") +
                             ", and this program reads version " + llvm::Twine(kVersion) +
                             "; write it again with tritium explain --json");
  return document;
}

namespace {
class Comparison {
public:
  Comparison(const json::Object &a, const json::Object &b, double slowdown)
      : a(a), b(b), slowdown(slowdown), linesA(lineFacts(a)), linesB(lineFacts(b)) {}

  json::Object run() {
    made["format"] = kComparisonFormat;
    made["version"] = kVersion;
    made["kernel"] = b.getString("kernel").value_or("?");
    made["target"] = b.getString("target").value_or("?");
    addChoices();
    addTime();
    addNumbers();
    addLines();
    made["worse"] = std::move(worse);
    return std::move(made);
  }

private:
  void addChoices();
  void addTime();
  void addNumbers();
  void addLines();
  json::Array changesOf(const LineFacts *lineA, const LineFacts *lineB);
  void addWorse(const char *kind, const llvm::Twine &message, const LineFacts *line = nullptr);

  const json::Object &a, &b;
  double slowdown;
  std::vector<LineFacts> linesA, linesB;
  json::Object made;
  json::Array worse;
};
} // namespace

void Comparison::addWorse(const char *kind, const llvm::Twine &message, const LineFacts *line) {
  json::Object one{{"kind", kind}, {"message", message.str()}};
  if (line)
    one["line"] = line->line;
  worse.push_back(std::move(one));
}

static json::Value orNull(const json::Value *value) {
  return value ? *value : json::Value(nullptr);
}

/// Options, and what parameters are compiled for, by name.
static json::Object choicesOf(const json::Object &document) {
  json::Object made;
  for (const char *name : {"kernel", "target"})
    made[name] = orNull(document.get(name));
  if (const json::Object *options = document.getObject("options"))
    for (const auto &[name, value] : *options)
      made[json::ObjectKey(name.str())] = value;
  for (const json::Object *parameter : objects(document, "signature")) {
    std::string name = parameter->getString("name").value_or("?").str();
    if (const json::Value *value = parameter->get("value")) {
      made[json::ObjectKey(name)] = *value;
      continue;
    }
    std::string type = parameter->getString("type").value_or("?").str();
    if (int64_t divisibility = integer(*parameter, "divisibility"); divisibility > 1)
      type += ":" + std::to_string(divisibility);
    made[json::ObjectKey(name)] = type;
  }
  return made;
}

/// What is in one of both, or in both and different: {name: {a, b}}.
static json::Object differences(const json::Object &a, const json::Object &b) {
  json::Object made;
  auto add = [&](const std::string &name) {
    json::Value left = orNull(a.get(name)), right = orNull(b.get(name));
    if (left != right)
      made[json::ObjectKey(name)] = json::Object{{"a", left}, {"b", right}};
  };
  for (const json::Object *each : {&a, &b})
    for (const auto &[name, value] : *each)
      add(name.str());
  return made;
}

void Comparison::addChoices() {
  made["choices"] = differences(choicesOf(a), choicesOf(b));
  const json::Object *launchA = a.getObject("launch"), *launchB = b.getObject("launch");
  if (launchA && launchB)
    made["same_arguments"] = orNull(launchA->get("arguments")) == orNull(launchB->get("arguments"));
}

void Comparison::addTime() {
  const json::Object *modelA = a.getObject("model"), *modelB = b.getObject("model");
  if (!modelA || !modelB)
    return;
  const json::Object *timeA = modelA->getObject("microseconds"),
                     *timeB = modelB->getObject("microseconds");
  double before = timeA ? timeA->getNumber("expected").value_or(0) : 0;
  double after = timeB ? timeB->getNumber("expected").value_or(0) : 0;
  if (before <= 0 || after <= 0)
    return;
  made["time"] = json::Object{{"grade", "estimated"},
                              {"a", json::Object(*timeA)},
                              {"b", json::Object(*timeB)},
                              {"change", after / before - 1}};
  made["bound"] =
      json::Object{{"a", orNull(modelA->get("bound"))}, {"b", orNull(modelB->get("bound"))}};
  json::Object clocksA, clocksB;
  for (auto [model, clocks] : {std::pair(modelA, &clocksA), std::pair(modelB, &clocksB)})
    for (const json::Object *resource : objects(*model, "resources"))
      (*clocks)[json::ObjectKey(resource->getString("name").value_or("?").str())] =
          resource->getNumber("clocks").value_or(0);
  made["clocks"] = differences(clocksA, clocksB);
  if (after > before * slowdown) {
    std::string text;
    llvm::raw_string_ostream(text)
        << llvm::format("%.1f us -> %.1f us, +%.1f %%, more than %.1f %%", before, after,
                        (after / before - 1) * 100, (slowdown - 1) * 100);
    // The line whose part of the time grew most.
    const LineFacts *grown = nullptr;
    double most = 0;
    for (LinePair pair : pairLines(linesA, linesB)) {
      if (pair.b < 0 || linesB[pair.b].line <= 0)
        continue;
      double was = pair.a < 0 ? 0 : std::max(linesA[pair.a].share, 0.0) * before;
      double growth = std::max(linesB[pair.b].share, 0.0) * after - was;
      if (growth > most)
        most = growth, grown = &linesB[pair.b];
    }
    addWorse("time", text, grown);
  }
}

/// Resources, CTAs of a multiprocessor, barriers in the code: numbers of the whole kernel.
static json::Object numbersOf(const json::Object &document, const std::vector<LineFacts> &lines) {
  json::Object made;
  if (const json::Object *resources = document.getObject("resources"))
    for (const auto &[name, number] : *resources)
      if (const json::Object *value = number.getAsObject())
        made[name] = orNull(value->get("value"));
  if (const json::Object *counters = document.getObject("counters")) {
    llvm::SmallVector<const json::Object *> fits = objects(*counters, "occupancy");
    if (!fits.empty())
      made["CTAs_together"] = integer(*fits.front(), "ctas");
  }
  if (document.getArray("barriers")) {
    int64_t barriers = 0;
    for (const LineFacts &line : lines)
      barriers += line.barriers;
    made["barriers"] = barriers;
  }
  return made;
}

void Comparison::addNumbers() {
  json::Object numbersA = numbersOf(a, linesA), numbersB = numbersOf(b, linesB);
  made["numbers"] = differences(numbersA, numbersB);
  std::optional<int64_t> spillA = numbersA.getInteger("spill_bytes"),
                         spillB = numbersB.getInteger("spill_bytes");
  std::optional<int64_t> barriersA = numbersA.getInteger("barriers"),
                         barriersB = numbersB.getInteger("barriers");
  made["judged"] = json::Object{{"spill", spillA && spillB}, {"barrier", barriersA && barriersB}};
  if (spillA && spillB && *spillB > *spillA)
    addWorse("spill",
             llvm::Twine(*spillB) + " bytes are spilled, " + llvm::Twine(*spillA) + " before");
  if (!barriersA || !barriersB || *barriersB <= *barriersA)
    return;
  const LineFacts *most = nullptr;
  int64_t added = 0;
  for (LinePair pair : pairLines(linesA, linesB))
    if (pair.b >= 0)
      if (int64_t more = linesB[pair.b].barriers - (pair.a < 0 ? 0 : linesA[pair.a].barriers);
          more > added)
        added = more, most = &linesB[pair.b];
  addWorse("barrier",
           llvm::Twine(*barriersB) + " barriers in the code, " + llvm::Twine(*barriersA) +
               " before",
           most);
}

json::Array Comparison::changesOf(const LineFacts *lineA, const LineFacts *lineB) {
  static const LineFacts none;
  const LineFacts &before = lineA ? *lineA : none, &after = lineB ? *lineB : none;
  json::Array changes;
  auto add = [&](const std::string &what, json::Value was, json::Value is) {
    if (was != is)
      changes.push_back(json::Object{{"what", what}, {"a", std::move(was)}, {"b", std::move(is)}});
  };
  size_t both = std::min(before.accesses.size(), after.accesses.size());
  for (size_t i = 0; i < both; ++i) {
    auto [kind, was] = before.accesses[i];
    int64_t is = after.accesses[i].second;
    if (kind != after.accesses[i].first)
      continue;
    add(kind + ", bytes a lane", was, is);
    if (is < was)
      addWorse("access",
               "a " + llvm::Twine(kind) + " moves " + llvm::Twine(is) + " bytes a lane, " +
                   llvm::Twine(was) + " before",
               lineB);
  }
  add("barriers in the code", before.barriers, after.barriers);
  std::set<std::string> names;
  for (const LineFacts *line : {&before, &after})
    for (const auto &[name, count] : line->counts)
      names.insert(name);
  for (const std::string &name : names) {
    auto of = [&](const LineFacts &line) {
      auto found = line.counts.find(name);
      return found == line.counts.end() ? 0.0 : found->second;
    };
    add(name == "barriers" ? "barriers_run" : name, of(before), of(after));
  }
  for (const std::string &message : after.missed)
    if (!llvm::is_contained(before.missed, message))
      add("missed", nullptr, message);
  for (const std::string &message : before.missed)
    if (!llvm::is_contained(after.missed, message))
      add("missed", message, nullptr);
  return changes;
}

void Comparison::addLines() {
  json::Array lines;
  int64_t unchanged = 0;
  for (LinePair pair : pairLines(linesA, linesB)) {
    const LineFacts *lineA = pair.a < 0 ? nullptr : &linesA[pair.a],
                    *lineB = pair.b < 0 ? nullptr : &linesB[pair.b];
    json::Array changes = changesOf(lineA, lineB);
    // Code that is at no line has no text either.
    bool isEdited =
        !lineA || !lineB ? (lineA ? lineA : lineB)->line > 0 : lineA->text != lineB->text;
    if (changes.empty() && !isEdited) {
      ++unchanged;
      continue;
    }
    json::Object one{{"changes", std::move(changes)}};
    for (auto [name, line] : {std::pair("a", lineA), std::pair("b", lineB)}) {
      if (!line)
        continue;
      json::Object side{{"line", line->line}, {"text", line->text}};
      if (line->share >= 0)
        side["share"] = line->share;
      one[name] = std::move(side);
    }
    lines.push_back(std::move(one));
  }
  made["lines"] = std::move(lines);
  made["unchanged_lines"] = unchanged;
}

json::Object compare(const json::Object &a, const json::Object &b, double slowdown) {
  return Comparison(a, b, slowdown).run();
}

} // namespace tritium::explain
