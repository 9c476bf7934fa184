//===- TriedChanges.cpp - what would make a launch faster -----------------===//
//
// Each change is compiled and counted on the launch's data, alone at first: on a few CTAs, and if
// it may be faster, on more of them, whose results are compared. On top of the best one the next
// ones are tried again: what does not gain beside it is no advice.
//
// What does not wait for another's answer is counted on all cores, each on arrays of its own, where
// these are not too large.
//
//===----------------------------------------------------------------------===//

#include "TriedChanges.h"
#include "Changes.h"
#include "PrivateArrays.h"

#include "tritium/Support/Threads.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Threading.h"

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

Interval intervalOf(const json::Object &document, llvm::StringRef name) {
  const json::Object *model = document.getObject("model");
  const json::Object *time = model ? model->getObject(name) : nullptr;
  if (!time)
    return {};
  auto number = [&](const char *name) { return time->getNumber(name).value_or(0); };
  return {number("best"), number("expected"), number("worst")};
}

/// By which changes are compared: the few CTAs that a trial counts do not make a multiprocessor,
/// of which it could be simulated what they wait for.
Interval timeOf(const json::Object &document) { return intervalOf(document, "by_sums"); }

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

/// A change that was counted.
struct Tried {
  Change change;
  VariantRef variant;
  Explained after;
  Interval glanced, time; ///< on a few CTAs, and on more
};

class Trials {
public:
  Trials(Variant &variant, const LaunchToExplain &launch, const Explained &before,
         Interruptible &work)
      : variant(variant), launch(launch), before(before), work(work) {
    // What copies for all cores may take, with what is saved and compared of each.
    constexpr uint64_t most = 1 << 30;
    areCopied = PrivateArrays::bytesFor(launch.arguments, variant.metadata()) <= most / (3 * cores);
    asItIs.change.recipe = variant.recipe();
    std::copy_n(launch.grid, 3, asItIs.change.grid.begin());
    asItIs.time = timeOf(before.document);
    asItIs.variant = &variant;
    CompileError ignored;
    Explained few;
    if (before.run.hasResults && explainOnce(variant, &launch, kGlance, few, ignored))
      asItIs.glanced = timeOf(few.document);
  }

  json::Array run(json::Array &refused);

private:
  void onAllCores(size_t count, llvm::function_ref<void(size_t)> each);
  void countEach(size_t count, llvm::function_ref<void(size_t)> each);
  std::vector<Tried> compile(std::vector<Change> changes);
  std::optional<Tried> glance(Tried tried, const Tried &old);
  bool count(Tried &tried, RunLimit limit);
  bool countOn(llvm::ArrayRef<BoundArgument> arguments, Tried &tried, RunLimit limit);
  bool countMore(Tried &tried);
  bool isProven(Tried &tried, const Tried &old);
  std::vector<Tried> bestOfEach();
  const CountedRun &reference();
  bool isTheSame(const Tried &tried);
  json::Object hintFor(const Tried &tried) const;
  std::vector<Tried> onTopOfFirst(llvm::ArrayRef<Tried> tried);
  void tryOnTop(std::vector<Tried> &tried, std::vector<double> &together);

  Variant &variant;
  const LaunchToExplain &launch;
  const Explained &before;
  Interruptible &work;
  const size_t cores = llvm::hardware_concurrency().compute_thread_count();
  bool areCopied = false; ///< the arrays, for each trial: several are counted at once
  Tried asItIs;
  std::optional<CountedRun> shortRun; ///< the launch as it is, on as many CTAs as trials run
  json::Array different;
};
} // namespace

const CountedRun &Trials::reference() {
  if (shortRun)
    return *shortRun;
  constexpr uint64_t least = 2;
  uint64_t wanted = std::max(kShortRun.work / workOfCTA(before.run), least);
  std::string why;
  // To count a part anew takes as long as it saves in each trial.
  if (2 * wanted < before.run.number("ctas"))
    shortRun = countRun(variant, launch, {0, wanted}, why);
  if (!shortRun)
    shortRun = before.run;
  return *shortRun;
}

bool Trials::isTheSame(const Tried &tried) {
  if (tried.change.needsAll && !(tried.after.run.isComplete() && reference().isComplete()))
    return false;
  return agree(launch, variant.metadata(), reference(), tried.after.run, tried.change.isInexact);
}

/// `each` must not touch the launch's arrays. What has begun is done to its end.
void Trials::onAllCores(size_t count, llvm::function_ref<void(size_t)> each) {
  auto unlessStopped = [&](size_t i) {
    if (!work.isStopped())
      each(i);
  };
  tritium::onAllCores(count, unlessStopped, [&] { work.poll(); });
}

/// The same where each counts the launch.
void Trials::countEach(size_t count, llvm::function_ref<void(size_t)> each) {
  if (areCopied)
    return onAllCores(count, each);
  for (size_t i = 0; i < count && !work.poll(); ++i)
    each(i);
}

bool Trials::countOn(llvm::ArrayRef<BoundArgument> arguments, Tried &tried, RunLimit limit) {
  CompileError ignored;
  LaunchToExplain other = launch;
  other.arguments = arguments;
  other.grid = tried.change.grid.data();
  tried.after = Explained();
  limit.isTimed = false;
  if (!explainOnce(*tried.variant, &other, limit, tried.after, ignored))
    return false;
  tried.time = timeOf(tried.after.document);
  return tried.time.expected > 0;
}

/// In countEach.
bool Trials::count(Tried &tried, RunLimit limit) {
  if (tried.variant->metadata().hasIndirectPointers)
    return false; // what it may write is no argument's
  if (!areCopied)
    return countOn(launch.arguments, tried, limit);
  try {
    return countOn(PrivateArrays(launch.arguments, variant.metadata()).arguments(), tried, limit);
  } catch (const std::exception &) {
    return false; // no memory for it: one that is not tried
  }
}

/// Those of the changes with which the kernel compiles.
std::vector<Tried> Trials::compile(std::vector<Change> changes) {
  std::vector<VariantRef> variants(changes.size());
  onAllCores(changes.size(), [&](size_t i) {
    try {
      Recipe &recipe = changes[i].recipe;
      recipe.isRepeat = true;
      recipe.options.keepStages = {"ttgir"}; // else it is compiled again to be read
      CompileError ignored;
      variants[i] = Variant::create(recipe, ignored);
    } catch (const std::exception &) {
      // No memory for it: one that is not tried.
    }
  });
  std::vector<Tried> tried;
  for (auto [change, changed] : llvm::zip(changes, variants))
    if (changed)
      tried.push_back({std::move(change), std::move(changed), {}, {}, {}});
  return tried;
}

/// What was tried, if a few CTAs do not show that it is no faster than `old`.
std::optional<Tried> Trials::glance(Tried tried, const Tried &old) {
  // How far few CTAs of two grids may be from what all are on average; assumed.
  constexpr double doubt = 1.05;
  bool isSameGrid = tried.change.grid == old.change.grid;
  if (!count(tried, kGlance) ||
      old.glanced.expected * (isSameGrid ? 1 : doubt) < leastGain * tried.time.expected)
    return std::nullopt;
  tried.glanced = tried.time;
  return tried;
}

/// On as many CTAs as there is time for.
bool Trials::countMore(Tried &tried) {
  // The same CTAs where the grid is the same.
  bool isSameGrid = tried.change.grid == asItIs.change.grid;
  RunLimit limit{0, isSameGrid ? reference().number("ctas")
                               : kShortRun.work / workOfCTA(tried.after.run)};
  return tried.after.run.isComplete() || limit.ctas <= tried.after.run.number("ctas") ||
         count(tried, limit);
}

/// Whether what was counted on more CTAs is faster than `old`, and does the same.
bool Trials::isProven(Tried &tried, const Tried &old) {
  if (old.time.expected < leastGain * tried.time.expected)
    return false;
  // What cannot be compared is neither a hint nor an error.
  if (!tried.after.run.hasResults)
    return false;
  if (isTheSame(tried))
    return true;
  // Tiles of another extent, and grids, may just not fit.
  if (tried.change.kind == "option" || tried.change.kind == "promise")
    different.push_back(json::Object{{"title", tried.change.title},
                                     {"reason", "its results are not those of the launch"}});
  return false;
}

json::Object Trials::hintFor(const Tried &tried) const {
  Interval asIs = intervalOf(before.document, "microseconds"), old = timeOf(before.document);
  Interval after{asIs.best * tried.time.best / old.best,
                 asIs.expected * tried.time.expected / old.expected,
                 asIs.worst * tried.time.worst / old.worst};
  json::Object made{{"code", tried.change.code},
                    {"kind", tried.change.kind},
                    {"title", tried.change.title},
                    {"reason", reasonOf(before.document, tried.after.document)},
                    {"certainty", "tried"},
                    {"apply", json::Object(tried.change.apply)},
                    {"gain", old.over(tried.time).toJSON()},
                    {"microseconds", after.toJSON()},
                    {"bound", boundOf(tried.after.document)}};
  if (tried.change.isInexact)
    made["changes_results"] = true;
  return made;
}

static bool isSame(const Change &a, const Change &b) {
  return a.code == b.code && a.title == b.title;
}

/// What was tried, but the first, once more: on top of the first.
std::vector<Tried> Trials::onTopOfFirst(llvm::ArrayRef<Tried> tried) {
  const Tried &first = tried.front();
  std::vector<Change> changes;
  for (Change &change :
       changesFor(first.change, variant.metadata(), launch, first.after.document)) {
    if (llvm::none_of(tried.drop_front(),
                      [&](const Tried &each) { return isSame(each.change, change); }))
      continue;
    change.isInexact |= first.change.isInexact;
    change.needsAll |= first.change.needsAll;
    changes.push_back(std::move(change));
  }
  return compile(std::move(changes));
}

/// Leaves those that gain beside the first, with the gain of both together.
void Trials::tryOnTop(std::vector<Tried> &tried, std::vector<double> &together) {
  if (tried.empty())
    return;
  std::vector<Tried> pairs = onTopOfFirst(tried), left;
  left.reserve(mostHints); // `first` stays where it is
  double old = timeOf(before.document).expected;
  together.push_back(old / tried.front().time.expected);
  left.push_back(std::move(tried.front()));
  const Tried &first = left.front();
  if (!pairs.empty())
    reference(); // before several threads ask for it
  std::vector<std::optional<Tried>> both(pairs.size());
  countEach(pairs.size(), [&](size_t i) {
    both[i] = glance(std::move(pairs[i]), first);
    if (both[i] && !countMore(*both[i]))
      both[i].reset();
  });
  for (Tried &each : llvm::MutableArrayRef(tried).drop_front()) {
    auto pair = llvm::find_if(both, [&](const std::optional<Tried> &other) {
      return other && isSame(other->change, each.change);
    });
    if (pair == both.end() || left.size() >= mostHints || !isProven(**pair, first))
      continue;
    together.push_back(old / (*pair)->time.expected);
    left.push_back(std::move(each));
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

static bool isFaster(const Tried &a, const Tried &b) { return a.time.expected < b.time.expected; }

/// Of several values of one thing the best, the fastest of all first.
std::vector<Tried> Trials::bestOfEach() {
  std::vector<Tried> all =
      compile(changesFor(asItIs.change, variant.metadata(), launch, before.document));
  std::vector<std::optional<Tried>> glanced(all.size());
  countEach(all.size(), [&](size_t i) { glanced[i] = glance(std::move(all[i]), asItIs); });
  std::vector<Tried> seen, best;
  for (std::optional<Tried> &each : glanced)
    if (each)
      seen.push_back(std::move(*each));
  llvm::stable_sort(seen, isFaster);
  auto known = [&](const Tried &each) {
    return llvm::find_if(best,
                         [&](const Tried &other) { return other.change.code == each.change.code; });
  };
  // Ones that look slower on a few CTAs are seldom faster on more.
  auto isHopeless = [&](const Tried &each) {
    constexpr double near = 1.03;
    return known(each) != best.end() && each.glanced.expected > near * known(each)->time.expected;
  };
  if (!seen.empty())
    reference(); // before several threads ask for it
  size_t together = areCopied ? cores : 1;
  for (size_t next = 0; next < seen.size();) {
    std::vector<Tried *> some;
    for (; next < seen.size() && some.size() < together; ++next)
      if (!isHopeless(seen[next]))
        some.push_back(&seen[next]);
    std::vector<char> isCounted(some.size());
    countEach(some.size(), [&](size_t i) { isCounted[i] = countMore(*some[i]); });
    for (auto [each, counted] : llvm::zip_equal(some, isCounted)) {
      // As if one had been counted after the other.
      if (!counted || isHopeless(*each) || !isProven(*each, asItIs))
        continue;
      auto other = known(*each);
      if (other == best.end())
        best.push_back(std::move(*each));
      else if (isFaster(*each, *other))
        *other = std::move(*each);
    }
  }
  llvm::stable_sort(best, isFaster);
  return best;
}

json::Array Trials::run(json::Array &refused) {
  std::vector<Tried> best;
  if (before.run.hasResults)
    best = bestOfEach();
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
                                         const Explained &before, Interruptible &work,
                                         json::Array &refused) {
  return Trials(variant, launch, before, work).run(refused);
}
