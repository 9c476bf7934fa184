//===- Changes.cpp - what could be changed of a launch --------------------===//

#include "Changes.h"
#include "Signature.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace tritium;
using namespace tritium::runtime;

namespace json = llvm::json;

namespace {
class Changes {
public:
  Changes(const Change &base, const KernelMetadata &metadata, const LaunchToExplain &launch,
          const json::Object &document)
      : base(base), metadata(metadata), launch(launch), document(document) {}

  std::vector<Change> run() {
    addPromises();
    addWarps();
    addRegisters();
    // What spills since registers are bounded is tried without the bound first.
    if (option("maxnreg") && spills())
      return std::move(made);
    addStages();
    addPrecision();
    addExtents();
    addGrids();
    return std::move(made);
  }

private:
  Change &add(const char *code, const char *kind, std::string title) {
    Change &change = made.emplace_back(base);
    change.code = code;
    change.kind = kind;
    change.title = std::move(title);
    change.apply = json::Object();
    return change;
  }
  void addOption(const char *name, int64_t value) {
    Change &change = add(name, "option", std::string(name) + "=" + std::to_string(value));
    change.apply[name] = value;
    change.recipe.options.extra[name] = Constant{Constant::Int(value)};
  }
  std::optional<int64_t> option(const char *name) const {
    auto found = base.recipe.options.extra.find(name);
    if (found != base.recipe.options.extra.end())
      if (const auto *value = std::get_if<Constant::Int>(&found->second.value))
        return static_cast<int64_t>(*value);
    return std::nullopt;
  }
  llvm::StringRef stage(const char *name) const {
    const json::Object *stages = document.getObject("stages");
    return stages ? stages->getString(name).value_or("") : "";
  }
  bool spills() const {
    const json::Object *resources = document.getObject("resources");
    const json::Object *bytes = resources ? resources->getObject("spill_bytes") : nullptr;
    return bytes && bytes->getInteger("value").value_or(0) > 0;
  }
  bool hasRemark(llvm::StringRef code) const {
    const json::Array *remarks = document.getArray("remarks");
    return remarks && llvm::any_of(*remarks, [&](const json::Value &remark) {
             return remark.getAsObject()->getString("code") == code;
           });
  }
  void addPromises();
  void addWarps();
  void addStages();
  void addRegisters();
  void addPrecision();
  void addExtents();
  void addExtent(size_t number, const std::string &name, int64_t value);
  std::vector<int64_t> otherExtents(int64_t value) const;
  void addGrids();

  const Change &base;
  const KernelMetadata &metadata;
  const LaunchToExplain &launch;
  const json::Object &document;
  std::vector<Change> made;
};
} // namespace

/// That 16 divides the arguments of which it is true and not promised.
void Changes::addPromises() {
  constexpr int64_t promised = 16;
  Recipe recipe = base.recipe;
  json::Object apply;
  size_t number = 0;
  std::string names;
  for (ArgumentSpec &argument : recipe.arguments) {
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
    apply[parameter.name] = promised;
    names += (names.empty() ? "" : ", ") + parameter.name;
  }
  if (names.empty())
    return;
  Change &change = add("promise-multiple", "promise", "16 divides " + names);
  change.recipe = std::move(recipe);
  change.apply = std::move(apply);
}

void Changes::addWarps() {
  constexpr int64_t usual = 4, most = 16;
  int64_t warps = option("num_warps").value_or(usual);
  for (int64_t other = 1; other <= most; other *= 2)
    // Where registers do not suffice, fewer threads need still more.
    if (other != warps && other <= warps * 4 && other * 4 >= warps && (other > warps || !spills()))
      addOption("num_warps", other);
}

void Changes::addStages() {
  const json::Array *ops = document.getArray("ops");
  bool hasLoop = ops && llvm::any_of(*ops, [](const json::Value &op) {
                   return op.getAsObject()->getInteger("loop").has_value();
                 });
  constexpr int64_t usual = 3, most = 5;
  int64_t stages = option("num_stages").value_or(usual);
  for (int64_t other : {stages - 2, stages - 1, stages + 1, stages + 2})
    if (hasLoop && other >= 1 && other <= most)
      addOption("num_stages", other);
}

/// No bound of registers.
void Changes::addRegisters() {
  if (!option("maxnreg"))
    return;
  Change &change = add("maxnreg", "option", "no maxnreg");
  change.recipe.options.extra.erase("maxnreg");
  change.apply["maxnreg"] = nullptr;
}

/// Products of f32 on tensor cores.
void Changes::addPrecision() {
  constexpr const char *name = "default_dot_input_precision", *value = "tf32";
  if (!hasRemark("accelerate-matmul/precision"))
    return;
  Change &change = add("accelerate-matmul/precision", "option",
                       std::string(name) + "=" + value + " (other results)");
  change.apply[name] = value;
  change.recipe.options.extra[name] = Constant{std::string(value)};
  change.isInexact = true;
}

//===-- Extents of tiles --------------------------------------------------===//

/// Half of it, twice as much, and what a number of the launch needs.
std::vector<int64_t> Changes::otherExtents(int64_t value) const {
  constexpr int64_t least = 8, most = 16384, unit = 16;
  std::vector<int64_t> others;
  for (int64_t other : {value / 2, value * 2})
    // Where registers do not suffice, larger tiles take still more.
    if (other >= least && other <= most && value % 2 == 0 && (other < value || !spills()))
      others.push_back(other);
  // Of small ones the next is small, too.
  if (value <= unit)
    others.push_back(value * 4);
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    const ParameterInfo &parameter = metadata.parameters[i];
    if (parameter.type.isPointer() || isFloat(parameter.type.kind))
      continue;
    int64_t wanted = (static_cast<int64_t>(launch.arguments[i].slot) + unit - 1) / unit * unit;
    if (wanted >= least && wanted < value && wanted > value / 2)
      others.push_back(wanted);
  }
  return others;
}

void Changes::addExtent(size_t number, const std::string &name, int64_t value) {
  Change change = base;
  change.recipe.arguments[number].value = Constant{Constant::Int(value)};
  if (launch.gridFor) {
    std::map<std::string, int64_t> constants;
    for (size_t i = 0; i < change.recipe.arguments.size(); ++i)
      if (const ArgumentSpec &argument = change.recipe.arguments[i]; argument.isConstexpr)
        if (const auto *known = std::get_if<Constant::Int>(&argument.value.value))
          constants[launch.names[i]] = static_cast<int64_t>(*known);
    if (!launch.gridFor(constants, change.grid))
      return;
  } else {
    change.needsAll = true;
  }
  change.code = name;
  change.kind = "constant";
  change.title = name + "=" + std::to_string(value);
  change.apply = json::Object{{name, value}};
  made.push_back(std::move(change));
}

void Changes::addExtents() {
  llvm::StringRef text = stage("ttir");
  for (size_t i = 0; i < base.recipe.arguments.size() && i < launch.names.size(); ++i) {
    const ArgumentSpec &argument = base.recipe.arguments[i];
    const auto *value = std::get_if<Constant::Int>(&argument.value.value);
    if (!argument.isConstexpr || !value || *value < 8 || *value > 16384)
      continue;
    int64_t extent = static_cast<int64_t>(*value);
    std::string number = std::to_string(extent) + "x";
    // Constants that no tile has as an extent are something else.
    if (text.contains("<" + number) || text.contains("x" + number))
      for (int64_t other : otherExtents(extent))
        addExtent(i, launch.names[i], other);
  }
}

/// A kernel that asks how many programs there are does the same with another number of them; runs
/// of all of them show whether it does.
void Changes::addGrids() {
  if (!stage("ttir").contains("tt.get_num_programs"))
    return;
  for (uint32_t factor : {2u, 4u, 8u, 16u}) {
    uint64_t programs = uint64_t(base.grid[0]) * factor;
    constexpr uint64_t most = 1 << 16;
    if (programs > most)
      return;
    Change &change = add("programs", "host", std::to_string(programs) + " programs");
    change.grid[0] = static_cast<uint32_t>(programs);
    change.apply["grid"] = static_cast<int64_t>(programs);
    change.needsAll = true;
  }
}

std::vector<Change> tritium::runtime::changesFor(const Change &base, const KernelMetadata &metadata,
                                                 const LaunchToExplain &launch,
                                                 const json::Object &document) {
  return Changes(base, metadata, launch, document).run();
}
