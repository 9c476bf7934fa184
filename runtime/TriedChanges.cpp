//===- TriedChanges.cpp - what would make a launch faster -----------------===//
//
// Each change is compiled and counted on the launch's data, alone at first. On top of the best one
// the next ones are tried again: what does not gain beside it is no advice.
//
//===----------------------------------------------------------------------===//

#include "TriedChanges.h"
#include "Changes.h"

#include "llvm/ADT/STLExtras.h"

using namespace tritium;
using namespace tritium::runtime;

namespace json = llvm::json;

namespace {
// Less is not worth a change, nor sure by the model.
constexpr double leastGain = 1.02;
constexpr size_t mostHints = 4;

struct Interval {
  double best = 0, expected = 0, worst = 0;
  json::Object toJSON() const {
    return json::Object{{"best", best}, {"expected", expected}, {"worst", worst}};
  }
  /// This time over another.
  Interval over(const Interval &other) const {
    double a = best / other.best, b = worst / other.worst, c = expected / other.expected;
    return {std::max({a, b, c}), c, std::min({a, b, c})};
  }
};

Interval timeOf(const json::Object &document) {
  const json::Object *model = document.getObject("model");
  const json::Object *time = model ? model->getObject("microseconds") : nullptr;
  if (!time)
    return {};
  auto number = [&](const char *name) { return time->getNumber(name).value_or(0); };
  return {number("best"), number("expected"), number("worst")};
}

std::string boundOf(const json::Object &document) {
  const json::Object *model = document.getObject("model");
  return model ? model->getString("bound").value_or("").str() : "";
}

/// What is different where the change is made.
std::string reasonOf(const json::Object &before, const json::Object &after) {
  std::string made;
  auto clocks = [](const json::Object &document, llvm::StringRef name) {
    const json::Object *model = document.getObject("model");
    for (const json::Value &each : *model->getArray("resources"))
      if (each.getAsObject()->getString("name") == name)
        return each.getAsObject()->getNumber("clocks").value_or(0);
    return 0.0;
  };
  auto add = [&](const std::string &name) {
    made += (made.empty() ? "" : "; ") + name + " " +
            std::to_string(static_cast<int64_t>(clocks(before, name))) + " -> " +
            std::to_string(static_cast<int64_t>(clocks(after, name))) + " clocks";
  };
  std::string first = boundOf(before), second = boundOf(after);
  add(first);
  if (second != first)
    add(second);
  return made;
}

struct Tried {
  Change change;
  json::Object after;
  Interval time;
};

class Trials {
public:
  Trials(Variant &variant, const LaunchToExplain &launch, const Explained &before)
      : variant(variant), launch(launch), before(before) {
    asItIs.recipe = variant.recipe();
    std::copy_n(launch.grid, 3, asItIs.grid.begin());
    reference = shortRun();
  }

  json::Array run(json::Array &refused);

private:
  CountedRun shortRun() const;
  std::optional<Tried> attempt(Change change);
  bool isTheSame(const Change &change, const CountedRun &run);
  json::Object hintFor(const Tried &tried) const;
  void tryOnTop(std::vector<Tried> &tried, std::vector<double> &together);

  Variant &variant;
  const LaunchToExplain &launch;
  const Explained &before;
  Change asItIs;
  CountedRun reference;
  json::Array different;
};
} // namespace

/// The launch as it is, on as many CTAs as trials run.
CountedRun Trials::shortRun() const {
  std::string why;
  uint64_t ran = std::max<uint64_t>(before.run.number("ctas"), 1), each = 1;
  if (const json::Object *total = before.run.counters.getObject("total"))
    each = std::max<uint64_t>(total->getInteger("warp_instructions").value_or(0) / ran, 1);
  constexpr uint64_t least = 2;
  uint64_t wanted = std::max(kShortRun.instructions / each, least);
  if (wanted < ran)
    if (std::optional<CountedRun> run = countRun(variant, launch, {0, wanted}, why))
      return std::move(*run);
  return before.run;
}

bool Trials::isTheSame(const Change &change, const CountedRun &run) {
  if (change.needsAll && !(run.isComplete() && reference.isComplete()))
    return false;
  return agree(launch, variant.metadata(), reference, run, change.isInexact);
}

std::optional<Tried> Trials::attempt(Change change) {
  CompileError ignored;
  change.recipe.isRepeat = true;
  VariantRef changed = Variant::create(change.recipe, ignored);
  if (!changed)
    return std::nullopt;
  LaunchToExplain other = launch;
  other.grid = change.grid.data();
  // The same CTAs where the grid is the same.
  bool isSameGrid = llvm::equal(change.grid, asItIs.grid);
  Explained made;
  if (!explainOnce(*changed, &other,
                   {kShortRun.instructions, isSameGrid ? reference.number("ctas") : 0}, made,
                   ignored))
    return std::nullopt;
  Tried tried{std::move(change), std::move(made.document), {}};
  tried.time = timeOf(tried.after);
  if (tried.time.expected <= 0 ||
      timeOf(before.document).expected < leastGain * tried.time.expected)
    return std::nullopt;
  if (isTheSame(tried.change, made.run))
    return tried;
  // Tiles of another extent, and grids, may just not fit.
  if (tried.change.kind == "option" || tried.change.kind == "promise")
    different.push_back(json::Object{{"title", tried.change.title},
                                     {"reason", "its results are not those of the launch"}});
  return std::nullopt;
}

json::Object Trials::hintFor(const Tried &tried) const {
  json::Object made{{"code", tried.change.code},
                    {"kind", tried.change.kind},
                    {"title", tried.change.title},
                    {"reason", reasonOf(before.document, tried.after)},
                    {"certainty", "tried"},
                    {"apply", json::Object(tried.change.apply)},
                    {"gain", timeOf(before.document).over(tried.time).toJSON()},
                    {"microseconds", tried.time.toJSON()},
                    {"bound", boundOf(tried.after)}};
  if (tried.change.isInexact)
    made["changes_results"] = true;
  return made;
}

/// Leaves those that gain beside the first, with the gain of both together.
void Trials::tryOnTop(std::vector<Tried> &tried, std::vector<double> &together) {
  std::vector<Tried> left;
  double old = timeOf(before.document).expected;
  for (Tried &each : tried) {
    if (left.empty()) {
      together.push_back(old / each.time.expected);
      left.push_back(std::move(each));
      continue;
    }
    if (left.size() >= mostHints)
      break;
    Explained first;
    first.document = json::Object(left.front().after);
    for (Change &change :
         changesFor(left.front().change, variant.metadata(), launch, first.document))
      if (change.code == each.change.code && change.title == each.change.title) {
        change.isInexact |= left.front().change.isInexact;
        change.needsAll |= left.front().change.needsAll;
        std::optional<Tried> both = attempt(std::move(change));
        if (both && left.front().time.expected >= leastGain * both->time.expected) {
          together.push_back(old / both->time.expected);
          left.push_back(std::move(each));
        }
        break;
      }
  }
  tried = std::move(left);
}

/// How far a hint is to be trusted, and how little it asks for.
static double rankOf(const json::Object &hint) {
  const json::Object *gain = hint.getObject("gain");
  constexpr double exact = 0.9, estimated = 0.6;
  double certainty = hint.getString("certainty") == "estimated" ? estimated
                     : hint.getString("kind") == "promise"      ? exact
                                                                : 1;
  return gain ? (gain->getNumber("expected").value_or(1) - 1) * certainty : 0;
}

json::Array Trials::run(json::Array &refused) {
  std::vector<Tried> tried;
  for (Change &change : changesFor(asItIs, variant.metadata(), launch, before.document))
    if (std::optional<Tried> found = attempt(std::move(change)))
      tried.push_back(std::move(*found));
  llvm::stable_sort(
      tried, [](const Tried &a, const Tried &b) { return a.time.expected < b.time.expected; });
  // Of several values of one thing the best.
  std::vector<Tried> best;
  for (Tried &each : tried)
    if (llvm::none_of(best,
                      [&](const Tried &other) { return other.change.code == each.change.code; }))
      best.push_back(std::move(each));
  std::vector<double> together;
  tryOnTop(best, together);
  std::vector<json::Object> hints;
  for (auto [each, both] : llvm::zip(best, together)) {
    json::Object hint = hintFor(each);
    if (&each != &best.front())
      hint["together"] = both;
    hints.push_back(std::move(hint));
  }
  for (const json::Value &estimate : before.estimates)
    hints.push_back(json::Object(*estimate.getAsObject()));
  llvm::stable_sort(
      hints, [](const json::Object &a, const json::Object &b) { return rankOf(a) > rankOf(b); });
  json::Array made;
  for (size_t i = 0; i < std::min(hints.size(), mostHints); ++i)
    made.push_back(std::move(hints[i]));
  refused = std::move(different);
  return made;
}

json::Array tritium::runtime::tryChanges(Variant &variant, const LaunchToExplain &launch,
                                         const Explained &before, json::Array &refused) {
  return Trials(variant, launch, before).run(refused);
}
