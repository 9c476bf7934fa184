//===- TriedChanges.cpp - what would make a launch faster -----------------===//

#include "TriedChanges.h"
#include "Signature.h"

#include "llvm/ADT/STLExtras.h"

using namespace tritium;
using namespace tritium::runtime;

namespace json = llvm::json;

namespace {

struct Change {
  std::string code, kind, title;
  json::Object apply;
  Recipe recipe;
};

struct Interval {
  double best = 0, expected = 0, worst = 0;
  json::Object toJSON() const {
    return json::Object{{"best", best}, {"expected", expected}, {"worst", worst}};
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

/// The value of an integer option; `usual` where it is not given.
int64_t optionOf(const Recipe &recipe, const std::string &name, int64_t usual) {
  auto found = recipe.options.extra.find(name);
  if (found != recipe.options.extra.end())
    if (const auto *value = std::get_if<Constant::Int>(&found->second.value))
      return static_cast<int64_t>(*value);
  return usual;
}

void addOption(const Recipe &recipe, const char *name, int64_t value,
               std::vector<Change> &changes) {
  Change &made = changes.emplace_back();
  made.code = name;
  made.kind = "option";
  made.title = std::string(name) + "=" + std::to_string(value);
  made.apply[name] = value;
  made.recipe = recipe;
  made.recipe.options.extra[name] = Constant{Constant::Int(value)};
}

/// That 16 divides the arguments of which it is true and not promised.
void addPromises(const Recipe &recipe, const KernelMetadata &metadata,
                 const LaunchToExplain &launch, std::vector<Change> &changes) {
  constexpr int64_t promised = 16;
  Change made;
  made.recipe = recipe;
  size_t number = 0;
  std::string names;
  for (ArgumentSpec &argument : made.recipe.arguments) {
    // Tuples have several run-time arguments, whose order is not this list's.
    if (!argument.parts.empty())
      return;
    if (argument.isConstexpr)
      continue;
    if (number >= launch.arguments.size())
      return;
    uint64_t slot = launch.arguments[number].slot;
    const ParameterInfo &parameter = metadata.parameters[number++];
    bool isNumber = !isFloat(parameter.type.kind) || parameter.type.isPointer();
    if (!isNumber || argument.divisibility >= promised || slot % promised || !slot)
      continue;
    argument.divisibility = promised;
    made.apply[parameter.name] = promised;
    names += (names.empty() ? "" : ", ") + parameter.name;
  }
  if (names.empty())
    return;
  made.code = "promise-multiple";
  made.kind = "promise";
  made.title = "16 divides " + names;
  changes.push_back(std::move(made));
}

std::vector<Change> changesFor(Variant &variant, const LaunchToExplain &launch,
                               const json::Object &before) {
  const Recipe &recipe = variant.recipe();
  std::vector<Change> changes;
  addPromises(recipe, variant.metadata(), launch, changes);
  constexpr int64_t usualWarps = 4, usualStages = 3, mostWarps = 16, mostStages = 5;
  int64_t warps = optionOf(recipe, "num_warps", usualWarps);
  if (warps * 2 <= mostWarps)
    addOption(recipe, "num_warps", warps * 2, changes);
  if (warps > 1)
    addOption(recipe, "num_warps", warps / 2, changes);
  const json::Array *ops = before.getArray("ops");
  bool hasLoop = ops && llvm::any_of(*ops, [](const json::Value &op) {
                   return op.getAsObject()->getInteger("loop").has_value();
                 });
  int64_t stages = optionOf(recipe, "num_stages", usualStages);
  if (hasLoop && stages < mostStages)
    addOption(recipe, "num_stages", stages + 1, changes);
  if (hasLoop && stages > 1)
    addOption(recipe, "num_stages", stages - 1, changes);
  return changes;
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
  std::string first = boundOf(before), second = boundOf(after);
  auto add = [&](const std::string &name) {
    made += (made.empty() ? "" : "; ") + name + " " +
            std::to_string(static_cast<int64_t>(clocks(before, name))) + " -> " +
            std::to_string(static_cast<int64_t>(clocks(after, name))) + " clocks";
  };
  add(first);
  if (second != first)
    add(second);
  return made;
}

} // namespace

json::Array tritium::runtime::tryChanges(Variant &variant, const LaunchToExplain &launch,
                                         const json::Object &before) {
  // Less is not worth a change, nor sure by the model.
  constexpr double leastGain = 1.02;
  constexpr size_t most = 4;
  struct Tried {
    double gain;
    json::Object hint;
  };
  std::vector<Tried> tried;
  Interval old = timeOf(before);
  for (Change &change : changesFor(variant, launch, before)) {
    CompileError ignored;
    change.recipe.isRepeat = true;
    json::Object after;
    VariantRef changed = Variant::create(std::move(change.recipe), ignored);
    if (!changed || !explainOnce(*changed, &launch, after, ignored))
      continue;
    Interval time = timeOf(after);
    if (time.expected <= 0 || old.expected / time.expected < leastGain)
      continue;
    double a = old.best / time.best, b = old.worst / time.worst, c = old.expected / time.expected;
    Interval gain{std::max({a, b, c}), c, std::min({a, b, c})};
    tried.push_back({gain.expected, json::Object{{"code", change.code},
                                                 {"kind", change.kind},
                                                 {"title", change.title},
                                                 {"reason", reasonOf(before, after)},
                                                 {"certainty", "tried"},
                                                 {"apply", std::move(change.apply)},
                                                 {"gain", gain.toJSON()},
                                                 {"microseconds", time.toJSON()},
                                                 {"bound", boundOf(after)}}});
  }
  std::vector<size_t> order(tried.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  llvm::stable_sort(order, [&](size_t a, size_t b) { return tried[a].gain > tried[b].gain; });
  json::Array hints;
  for (size_t number : llvm::ArrayRef(order).take_front(most))
    hints.push_back(std::move(tried[number].hint));
  return hints;
}
