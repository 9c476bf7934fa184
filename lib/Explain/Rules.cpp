//===- Rules.cpp - what would change what a kernel loses time by ----------===//

#include "Rules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace json = llvm::json;

namespace tritium::explain {

namespace {
/// What a rule looks at, and changes as its change would.
struct Case {
  const CountedLine *line;      ///< null: the whole launch
  const Remark *remark;         ///< null: a rule for what was counted
  const CountedLaunch &counted; ///< as it is
  Work work;
  LaunchFacts launch;
  double part = 1; ///< of its work that a program does

  double argument(const char *name) const {
    double value = 0;
    auto found = remark->arguments.find(name);
    bool isNumber =
        found != remark->arguments.end() && !llvm::StringRef(found->second).getAsDouble(value);
    return isNumber ? value : 0;
  }
  /// Instead of those that there are; the first cache has no more of them than before.
  void takeSectors(double sectors) {
    work.sectors = sectors;
    work.farSectors = std::min(work.farSectors, sectors);
    work.l2Sectors = std::min(work.l2Sectors, work.farSectors);
  }
  double ofClass(const char *name) const {
    const json::Object *classes = line->counters->getObject("classes");
    double all = static_cast<double>(line->counters->getInteger("warp_instructions").value_or(0));
    double own = classes ? static_cast<double>(classes->getInteger(name).value_or(0)) : 0;
    return all > 0 ? work.instructions * own / all : 0;
  }
  double fewestSectors() const {
    double found = static_cast<double>(line->counters->getInteger("global_sectors").value_or(0));
    double least =
        static_cast<double>(line->counters->getInteger("global_sectors_ideal").value_or(0));
    return found > 0 ? work.sectors * std::min(least / found, 1.0) : work.sectors;
  }
};

struct Rule {
  const char *code; ///< of the remarks that it is for, or of its own
  enum { OfRemark, OfLine, OfLaunch } scope;
  const char *kind;
  const char *text; ///< {name}: an argument of the remark
  /// Names of arguments: those of the remark of which the option's value, or the names of promises
  /// are. Null: the author does it.
  const char *option = nullptr, *value = nullptr;
  /// False: it does not apply, or what it gains is not known without trying.
  bool (*change)(Case &) = nullptr;
};

//===-- What a change does to the work ------------------------------------===//

/// Wide accesses: as few sectors as hold the bytes, and instructions by the width. Some of a
/// line's instructions are there for its addresses once, whatever the width; assumed.
bool widen(Case &now) {
  constexpr double leastPart = 0.3;
  double bytes = now.argument("bytes"), possible = now.argument("possible");
  if (bytes <= 0 || possible <= bytes)
    return false;
  double part = std::max(bytes / possible, leastPart);
  now.takeSectors(now.fewestSectors());
  for (double Work::*field :
       {&Work::requests, &Work::instructions, &Work::integers, &Work::converts})
    now.work.*field *= part;
  return true;
}

/// Whether the launch has a number that is no multiple, of those that the remark names.
bool breaksMultiples(const Case &now, int64_t divisor) {
  auto named = now.remark->arguments.find("multiples");
  if (named == now.remark->arguments.end() || divisor <= 0)
    return false;
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(named->second).split(names, ',');
  return llvm::any_of(names, [&](llvm::StringRef name) {
    auto value = now.counted.values.find(name.str());
    return value != now.counted.values.end() && value->second % divisor != 0;
  });
}

/// The same where launches do not keep what it takes.
bool widenIfKept(Case &now) {
  constexpr int64_t promised = 16;
  return breaksMultiples(now, promised) && widen(now);
}

/// Code has a version that is wide, and the launch does not take it.
bool takeWideVersion(Case &now) {
  return breaksMultiples(now, static_cast<int64_t>(now.argument("elements"))) && widen(now);
}

bool widenBySource(Case &now) { return !now.remark->arguments.count("multiples") && widen(now); }

bool gatherSectors(Case &now) {
  double least = now.fewestSectors();
  bool isLess = least < now.work.sectors;
  now.takeSectors(least);
  return isLess;
}

/// On tensor cores instead of in threads. `padding`: the part of the result that is wanted.
bool multiplyOnTensorCores(Case &now, double padding) {
  const Rates &rate = ratesOf(now.launch.capability, now.launch.gpu);
  if (now.work.floats <= 0)
    return false;
  constexpr double slownessOfWords = 2; // tf32, to f16
  bool isF32 = llvm::StringRef(now.remark->arguments.at("element")).ends_with("f32");
  double operations = 2 * now.work.floats / padding;
  now.work.matrixClocks +=
      operations * (isF32 ? slownessOfWords : 1) / (rate.tensorOperations * rate.mmaShare);
  now.work.instructions = std::max(now.work.instructions - now.work.floats / 32, 0.0);
  now.work.floats = 0;
  return true;
}
bool padProduct(Case &now) { return multiplyOnTensorCores(now, 0.5); }
bool takeOtherType(Case &now) { return multiplyOnTensorCores(now, 1); }

/// No exchange of the tile through shared memory.
bool dropExchange(Case &now) {
  if (now.work.wavefronts <= 0)
    return false;
  now.work.instructions -=
      now.ofClass("shared_load") + now.ofClass("shared_store") + now.ofClass("barrier");
  now.work.wavefronts = now.work.ownWavefronts = 0;
  now.work.barriers = now.work.exchanges = now.work.nearWaits = now.work.farWaits =
      now.work.commonWaits = 0;
  return true;
}

/// What lies in one sector is changed once a program.
bool changeMemoryOnce(Case &now) {
  double once = std::min(now.work.atomics, now.work.atomicSectors);
  if (now.work.atomicSectors <= 0 || once * 2 > now.work.atomics)
    return false;
  double part = once / now.work.atomics;
  now.work.atomics = once;
  now.work.floatAtomics *= part;
  now.work.atomicChanges = std::min(now.work.atomicChanges, once);
  now.takeSectors(now.work.sectors * part);
  now.work.requests *= part;
  return true;
}

/// Lanes that ask for the same bytes do so once.
bool loadOnce(Case &now) {
  double found = static_cast<double>(now.line->counters->getInteger("global_sectors").value_or(0));
  double held =
      static_cast<double>(now.line->counters->getInteger("global_sectors_ideal").value_or(0));
  constexpr double fewTimes = 2;
  if (found <= 0 || now.line->operations.count("tt.load") == 0 || held < fewTimes * found)
    return false;
  for (double Work::*field : {&Work::requests, &Work::instructions, &Work::integers})
    now.work.*field *= found / held;
  return true;
}

/// Whether the line's exponentials have all digits, as the device library's: six operations and a
/// shift beside the instruction, which takes powers of two.
bool hasWholeExponentials(const Case &now) {
  constexpr double ofWhole = 6;
  return now.line->operations.count("math.exp") && now.work.specials > 0 &&
         now.work.floats >= ofWhole * now.work.specials;
}

void dropOperations(Case &now, double floats, double instructions) {
  now.work.floats = std::max(now.work.floats - floats * now.work.specials, 0.0);
  now.work.instructions =
      std::max(now.work.instructions - instructions * now.work.specials / 32, 0.0);
}

/// tl.exp multiplies in their place.
bool takeRoughExponentials(Case &now) {
  if (!hasWholeExponentials(now))
    return false;
  dropOperations(now, 5, 6);
  return true;
}

/// tl.exp2 does not multiply.
bool takePowersOfTwo(Case &now) {
  if (!now.line->operations.count("math.exp") || now.work.specials <= 0 ||
      hasWholeExponentials(now))
    return false;
  dropOperations(now, 1, 1);
  return true;
}

/// Twice as many programs, each of which does half.
bool halvePrograms(Case &now) {
  if (now.launch.ctas * 2 > now.launch.multiprocessors)
    return false;
  now.part = 0.5;
  now.launch.ctas *= 2;
  now.launch.bytesInFlight *= now.part;
  return true;
}

/// No multiprocessor has more to do than others.
bool fillWaves(Case &now) {
  now.launch.isEven = true;
  return now.launch.ctas > now.launch.multiprocessors;
}

//===-- The table ---------------------------------------------------------===//

constexpr Rule rules[] = {
    {"coalesce/narrow", Rule::OfRemark, "promise", "16 divides {multiples}", nullptr, "multiples"},
    {"coalesce/mask", Rule::OfRemark, "promise", "16 divides {multiples}", nullptr, "multiples"},
    {"coalesce/narrow", Rule::OfRemark, "host", "pass multiples of 16 as {multiples}", nullptr,
     nullptr, widenIfKept},
    {"coalesce/narrow", Rule::OfRemark, "source",
     "say that offsets are multiples: tl.multiple_of(offsets, {elements})", nullptr, nullptr,
     widenBySource},
    {"coalesce/mask", Rule::OfRemark, "source",
     "{access} without this mask, and choose by tl.where; or let it be the same for {elements} "
     "neighbours",
     nullptr, nullptr, widenBySource},
    {"coalesce/scattered", Rule::OfRemark, "source",
     "let neighbours in the tile be neighbours in memory: {access} whole runs, and rearrange them "
     "by tl.split, tl.trans or tl.gather",
     nullptr, nullptr, gatherSectors},
    {"version-tails", Rule::OfRemark, "host", "pass multiples of {elements} as {multiples}",
     nullptr, nullptr, takeWideVersion},
    {"idle-threads", Rule::OfRemark, "option", "num_warps={enough}", "num_warps", "enough"},
    {"reduce", Rule::OfRemark, "option", "num_warps=1", "num_warps", "1"},
    {"pipeline/stages", Rule::OfRemark, "option", "num_stages={stages}", "num_stages", "stages"},
    {"accelerate-matmul/precision", Rule::OfRemark, "option",
     "default_dot_input_precision=tf32 (other results)", "default_dot_input_precision", "tf32"},
    {"accelerate-matmul/shape", Rule::OfRemark, "source", "pad the product to 16x8 or more",
     nullptr, nullptr, padProduct},
    {"accelerate-matmul/type", Rule::OfRemark, "source",
     "multiply in a type that tensor cores take (other results)", nullptr, nullptr, takeOtherType},
    {"convert-layout/in-loop", Rule::OfRemark, "source",
     "compute this tile before the loop, or on tiles of one shape and order", nullptr, nullptr,
     dropExchange},
    {"convert-layout/turned", Rule::OfRemark, "host",
     "store the array transposed, so that its stride along K is 1", nullptr, nullptr, dropExchange},
    {"tile-to-cpu/gathered", Rule::OfRemark, "source",
     "let neighbours in the tile be neighbours in memory, with a stride that is known"},
    {"tile-to-cpu/scattered", Rule::OfRemark, "source",
     "let neighbours in the tile be neighbours in memory, with a stride that is known"},
    {"tile-to-cpu/scratch", Rule::OfRemark, "source", "smaller tiles"},
    {"atomics", Rule::OfLine, "source",
     "add up within the program (tl.sum, tl.histogram), and change memory once a program", nullptr,
     nullptr, changeMemoryOnce},
    {"repeated-load", Rule::OfLine, "source",
     "load each number once, [M, 1] or [1, N], and let it be broadcast", nullptr, nullptr,
     loadOnce},
    {"exp", Rule::OfLine, "source",
     "tl.exp for the device library's exp (results differ in the last digits)", nullptr, nullptr,
     takeRoughExponentials},
    {"exp2", Rule::OfLine, "source",
     "tl.exp2 of what is multiplied by 1 / ln 2 anyway (results differ in the last bits)", nullptr,
     nullptr, takePowersOfTwo},
    {"few-programs", Rule::OfLaunch, "host",
     "twice as many programs, with half the tile or half of the loop each (where it adds up, "
     "split_k=2 does): multiprocessors are idle",
     nullptr, nullptr, halvePrograms},
    {"last-wave", Rule::OfLaunch, "host",
     "as many programs as fill all multiprocessors evenly: the last ones run alone", nullptr,
     nullptr, fillWaves},
};

/// `text` with the remark's arguments in it.
std::string filled(llvm::StringRef text, const Remark *remark) {
  std::string made;
  while (!text.empty()) {
    auto [before, rest] = text.split('{');
    auto [name, after] = rest.split('}');
    made += before;
    if (remark)
      if (auto found = remark->arguments.find(name.str()); found != remark->arguments.end())
        made += found->second;
    text = after;
  }
  return made;
}

/// Whether what the rule's text names is known.
bool isFor(const Rule &rule, const Remark &remark) {
  if (rule.scope != Rule::OfRemark || codeOf(remark) != rule.code)
    return false;
  for (llvm::StringRef text = rule.text; text.contains('{');) {
    auto [name, rest] = text.split('{').second.split('}');
    if (!remark.arguments.count(name.str()))
      return false;
    text = rest;
  }
  return true;
}

/// Names and values of options, or of promises.
json::Object applied(const Rule &rule, const Remark &remark) {
  json::Object made;
  if (!rule.value)
    return made;
  auto found = remark.arguments.find(rule.value);
  llvm::StringRef value(rule.value);
  if (found != remark.arguments.end())
    value = found->second;
  int64_t number = 0;
  if (!rule.option) {
    llvm::SmallVector<llvm::StringRef> names;
    value.split(names, ',');
    for (llvm::StringRef name : names)
      made[json::ObjectKey(name.str())] = 16;
  } else if (value.getAsInteger(10, number)) {
    made[rule.option] = value;
  } else {
    made[rule.option] = number;
  }
  return made;
}
} // namespace

std::string codeOf(const Remark &remark) {
  auto found = remark.arguments.find("case");
  return found == remark.arguments.end() ? remark.pass : remark.pass + "/" + found->second;
}

std::optional<json::Object> fixOf(const Remark &remark) {
  if (remark.kind != "missed")
    return std::nullopt;
  for (const Rule &rule : rules)
    if (isFor(rule, remark))
      return json::Object{{"kind", rule.kind},
                          {"text", filled(rule.text, &remark)},
                          {"apply", applied(rule, remark)}};
  return std::nullopt;
}

//===-- Estimates ---------------------------------------------------------===//

static json::Object interval(double a, double b, double c) {
  return json::Object{
      {"best", std::max({a, b, c})}, {"expected", b}, {"worst", std::min({a, b, c})}};
}

/// A hint, if the change of `now` gains enough. What a change that is not made would be simulated
/// to take is not known: what it gains is by what adds up, before and after. `asIs`: how long the
/// kernel takes.
static std::optional<json::Object> weigh(const Rule &rule, const Case &now,
                                         const Prediction &before, const Prediction &asIs) {
  constexpr double leastGain = 1.02;
  Work total;
  for (const CountedLine &line : now.counted.lines)
    total.add(&line == now.line ? now.work : line.work);
  total.scale(now.part);
  Prediction after = predict(total, now.launch);
  if (before.expected < leastGain * after.expected)
    return std::nullopt;
  json::Object made{
      {"code", rule.code},
      {"kind", rule.kind},
      {"title", filled(rule.text, now.remark)},
      {"certainty", "estimated"},
      {"apply", json::Object{}},
      {"gain", interval(before.best / after.best, before.expected / after.expected,
                        before.worst / after.worst)},
      {"microseconds", json::Object{{"best", asIs.best * after.best / before.best},
                                    {"expected", asIs.expected * after.expected / before.expected},
                                    {"worst", asIs.worst * after.worst / before.worst}}},
      {"bound", nameOf(after.order[0])}};
  std::string first = nameOf(before.order[0]);
  auto clocks = [](const Prediction &prediction, Resource resource) {
    return std::to_string(static_cast<int64_t>(prediction.clocks[size_t(resource)]));
  };
  made["reason"] = first + " " + clocks(before, before.order[0]) + " -> " +
                   clocks(after, before.order[0]) + " clocks" +
                   (now.remark ? "; " + now.remark->message : "");
  if (now.line)
    made["place"] = json::Object(now.line->place);
  return made;
}

json::Array estimatedHints(const CountedLaunch &launch) {
  Work total;
  for (const CountedLine &line : launch.lines)
    total.add(line.work);
  Prediction asIs = predict(total, launch.facts);
  LaunchFacts facts = launch.facts;
  facts.isSimulated = false;
  Prediction before = predict(total, facts);
  json::Array made;
  auto tryRule = [&](const Rule &rule, const CountedLine *line, const Remark *remark) {
    Case now{line, remark, launch, line ? line->work : Work(), facts, 1};
    if (!rule.change || !rule.change(now))
      return false;
    std::optional<json::Object> hint = weigh(rule, now, before, asIs);
    if (hint)
      made.push_back(std::move(*hint));
    return hint.has_value();
  };
  for (const Rule &rule : rules) {
    if (rule.scope == Rule::OfLaunch)
      tryRule(rule, nullptr, nullptr);
    for (const CountedLine &line : launch.lines) {
      if (rule.scope == Rule::OfLine && line.counters)
        tryRule(rule, &line, nullptr);
      // Of accesses of one line, once: counts are the line's.
      for (const Remark *remark : line.remarks)
        if (line.counters && isFor(rule, *remark) && tryRule(rule, &line, remark))
          break;
    }
  }
  return made;
}

} // namespace tritium::explain
