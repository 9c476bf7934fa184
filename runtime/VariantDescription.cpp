//===- VariantDescription.cpp - what can be shown of a variant ------------===//

#include "GPUSlots.h"
#include "Signature.h"
#include "Variant.h"
#include "WorkClaim.h"
#include "ahead/CHeader.h"

#include "tritium/Support/ForkGate.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

using namespace tritium;
using namespace tritium::runtime;

const std::string *Variant::stage(const std::string &name, CompileError &error) {
  auto kept = compiled->stages.find(name);
  if (kept != compiled->stages.end())
    return &kept->second;
  auto findLater = [&]() -> const std::string * {
    ForkSafeLock lock(mutex);
    auto later = laterStages.find(name);
    return later == laterStages.end() ? nullptr : &later->second;
  };
  if (const std::string *text = findLater())
    return text;
  bool isListed = llvm::any_of(backend->stages(), [&](const char *known) { return name == known; });
  bool hasMaps = !metadata().tensorMaps.empty();
  bool hasParts = metadata().hasParts();
  if (isListed && name == "header" && (hasMaps || hasParts || metadata().isPersistent)) {
    std::string takes = hasMaps    ? "tensor maps, which only the runtime makes"
                        : hasParts ? "memory for its sums, which the runtime has"
                                   : "the grid as parameters, as it loops over programs";
    std::string without = hasMaps              ? "tensor_copies=False"
                          : metadata().streamK ? "stream_k=False"
                          : hasParts           ? "split_k=1"
                                               : "persistent=False";
    error =
        launchError("OptionError", "kernel '" + metadata().name + "' takes " + takes +
                                       ": there is no header for it; compile it with " + without);
    return nullptr;
  }
  if (isListed && name == "header") {
    std::string text = cHeader(metadata(), origin.options);
    ForkSafeLock lock(mutex);
    return &laterStages.emplace(name, std::move(text)).first->second;
  }
  // Whatever else is listed was kept when it was made, if it was.
  if (isListed && llvm::is_contained({"ttgir", "plan", "llir", "asm", "obj"}, name)) {
    WorkClaim claim(&laterStages, "stages");
    if (const std::string *text = findLater())
      return text;
    InsideForkGateToCompile inside;
    Recipe recipe = origin;
    recipe.options.target = backend->targetOfStages(recipe.options.target);
    recipe.options.keepStages = {"ttgir", "plan", "llir", "asm"};
    std::unique_ptr<CompiledKernel> again = compile(recipe, nullptr, error);
    if (!again)
      return nullptr;
    ForkSafeLock lock(mutex);
    for (auto &[stageName, text] : again->stages)
      laterStages.emplace(stageName, std::move(text));
  }
  if (const std::string *text = findLater())
    return text;
  error = launchError("OptionError", backend->whyNoStage(name));
  return nullptr;
}

static llvm::json::Value toJSON(const Constant &constant) {
  if (constant.isNone())
    return nullptr;
  if (const bool *flag = std::get_if<bool>(&constant.value))
    return *flag;
  if (auto *integer = std::get_if<Constant::Int>(&constant.value))
    if (*integer == static_cast<int64_t>(*integer))
      return static_cast<int64_t>(*integer);
  if (auto *string = std::get_if<std::string>(&constant.value))
    return *string;
  return constant.repr();
}

/// As in the attribute tt.conditions.
static llvm::json::Array toJSON(llvm::ArrayRef<ScalarStep> steps) {
  llvm::json::Array numbers;
  for (const ScalarStep &step : steps) {
    numbers.push_back(step.kind | step.bits << 8);
    numbers.push_back(step.value);
  }
  return numbers;
}

static llvm::json::Object toJSON(const TensorMapParameter &map, const KernelMetadata &metadata) {
  llvm::json::Array shape, strides;
  for (const std::vector<ScalarStep> &steps : map.shape)
    shape.push_back(toJSON(steps));
  for (const std::vector<ScalarStep> &steps : map.strides)
    strides.push_back(toJSON(steps));
  return llvm::json::Object{{"parameter", metadata.parameters[map.base].name},
                            {"start", toJSON(map.start)},
                            {"element_bytes", map.elementBytes},
                            {"rounds_to_tf32", map.roundsToTF32},
                            {"swizzle", map.swizzle},
                            {"box", llvm::json::Array(map.box)},
                            {"shape", std::move(shape)},
                            {"strides", std::move(strides)}};
}

static llvm::json::Object toJSON(const LaunchRule &rule, const KernelMetadata &metadata) {
  static const char *const kinds[] = {"grid_not_empty", "grid_in_limits", "multiple",
                                      "at_least_one",   "does_not_wrap",  "no_overlap"};
  llvm::json::Object object{{"kind", kinds[rule.kind]}, {"text", rule.text}};
  auto name = [&](size_t parameter) { return metadata.parameters[parameter].name; };
  switch (rule.kind) {
  case LaunchRule::GridIsNotEmpty:
    break;
  case LaunchRule::GridIsInLimits: {
    GridLimits limits = gridLimits(metadata);
    object["limits"] = llvm::json::Array(limits.dimension);
    break;
  }
  case LaunchRule::IsMultiple:
    object["parameter"] = name(rule.parameter);
    object["divisor"] = rule.divisor;
    break;
  case LaunchRule::IsAtLeastOne:
  case LaunchRule::DoesNotWrap:
    object["steps"] = toJSON(*rule.condition);
    break;
  case LaunchRule::DoNotOverlap:
    object["parameters"] = llvm::json::Array{name(rule.parameter), name(rule.other)};
    break;
  }
  return object;
}

static llvm::json::Object toJSON(const ParameterInfo &parameter) {
  return llvm::json::Object{{"name", parameter.name},
                            {"type", parameter.type.signature()},
                            {"read", parameter.isRead},
                            {"written", parameter.isWritten},
                            {"divisibility", parameter.divisibility}};
}

static llvm::json::Object toJSON(const Remark &remark) {
  llvm::json::Object values;
  for (const auto &[name, value] : remark.arguments)
    values[name] = value;
  return llvm::json::Object{{"pass", remark.pass},
                            {"kind", remark.kind},
                            {"message", llvm::json::fixUTF8(remark.message)},
                            {"file", llvm::json::fixUTF8(remark.file)},
                            {"line", remark.line},
                            {"column", remark.column},
                            {"arguments", std::move(values)},
                            {"rendered", llvm::json::fixUTF8(remark.rendered)}};
}

const std::string &Variant::remarks(bool all) {
  ForkSafeLock lock(mutex);
  std::string &text = remarkTexts[all];
  if (text.empty())
    for (const Remark &remark : compiled->remarks)
      if (all || remark.kind != "applied")
        text += remark.rendered;
  return text;
}

std::vector<Remark> Variant::remarksOnBroken(const std::set<std::string> &places,
                                             llvm::ArrayRef<BoundArgument> arguments,
                                             const uint32_t grid[3]) const {
  llvm::SmallVector<uint64_t, 24> slots = slotsOf(arguments);
  std::array<uint32_t, 3> launched = gridOfParts(metadata(), grid);
  llvm::SmallBitVector broken = conditions.broken(slots, launched.data());
  std::vector<LaunchRule> rules = launchRules(metadata(), origin.options.mayAlias);
  // The first of so many; then the tensors.
  auto whyOf = [&](auto isWanted, auto isWantedMap) -> std::string {
    for (unsigned number : broken.set_bits())
      for (const LaunchRule &rule : rules)
        if (rule.condition == &metadata().conditions[number] && isWanted(number))
          return "it breaks the rule that " + rule.text;
    std::string why;
    for (auto [number, map] : llvm::enumerate(metadata().tensorMaps))
      if (isWantedMap(number) && !valuesOf(map, slots, launched.data(), &why))
        return "of the tensor at '" + metadata().parameters[map.base].name + "' " + why;
    return why;
  };
  std::vector<Remark> remarks;
  auto add = [&](const std::string &where, const std::string &message) {
    Remark &remark = remarks.emplace_back();
    remark.pass = "tensor-copies";
    remark.kind = "missed";
    remark.message = message;
    remark.rendered = where + ": remark: " + message + " [" + remark.pass + "]\n";
  };
  if (places.empty()) {
    auto isAny = [](uint64_t) { return true; };
    add("kernel '" + metadata().name + "'",
        "TMA copies no tile in a launch like this one: " + whyOf(isAny, isAny));
  }
  for (const CopyNeeds &copy : metadata().copies)
    if (places.contains(copy.place)) {
      auto isIn = [](const std::vector<uint64_t> &list) {
        return [&](uint64_t number) { return llvm::is_contained(list, number); };
      };
      add(copy.place, "TMA does not copy this tile in a launch like this one: " +
                          whyOf(isIn(copy.conditions), isIn(copy.tensorMaps)));
    }
  return remarks;
}

const std::string &Variant::describe() {
  ForkSafeLock lock(mutex);
  std::string &text = descriptions[executable->hasLearnt()];
  if (!text.empty())
    return text;
  llvm::json::Array parameters, rules, tensorMaps, remarks;
  for (const ParameterInfo &parameter : metadata().parameters)
    parameters.push_back(toJSON(parameter));
  for (const LaunchRule &rule : launchRules(metadata(), origin.options.mayAlias))
    rules.push_back(toJSON(rule, metadata()));
  for (const TensorMapParameter &map : metadata().tensorMaps)
    tensorMaps.push_back(toJSON(map, metadata()));
  for (const Remark &remark : compiled->remarks)
    remarks.push_back(toJSON(remark));
  llvm::json::Object options;
  for (const auto &[name, value] : origin.options.extra)
    options[name] = toJSON(value);
  // By position: a compile-time value as text, null for an argument of each launch.
  llvm::json::Array constants;
  for (const ArgumentSpec &argument : origin.arguments)
    constants.push_back(argument.isConstexpr ? llvm::json::fixUTF8(argument.value.repr())
                                             : llvm::json::Value(nullptr));
  llvm::json::Object all{{"name", metadata().name},
                         {"entry", metadata().entry},
                         {"target", metadata().target.platform()},
                         {"cpu", metadata().cpu},
                         {"hash", hash},
                         {"parameters", std::move(parameters)},
                         {"constants", std::move(constants)},
                         {"launch_rules", std::move(rules)},
                         {"tensor_maps", std::move(tensorMaps)},
                         {"scratch_bytes", static_cast<int64_t>(metadata().scratchBytes)},
                         {"debug", origin.options.debug},
                         {"options", std::move(options)},
                         {"remarks", std::move(remarks)},
                         {"printed", llvm::json::fixUTF8(compiled->printed)},
                         {"cached", fromCache},
                         {"compile_ms", compileMilliseconds}};
  executable->describe(all);
  std::string written;
  llvm::raw_string_ostream(written) << llvm::json::Value(std::move(all));
  text = std::move(written);
  return text;
}
