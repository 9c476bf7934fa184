//===- Explanation.cpp - what became of a kernel --------------------------===//

#include "Explanation.h"
#include "SavedBuffers.h"
#include "Signature.h"
#include "TriedChanges.h"

#include "tritium/Explain/Explain.h"

#include "llvm/ADT/StringRef.h"

using namespace tritium;
using namespace tritium::runtime;

namespace json = llvm::json;

/// The parameters in order, with what the code was compiled for.
static json::Array signatureOf(Variant &variant, const json::Object &description) {
  json::Array made;
  std::vector<std::string> names;
  CompileError ignored;
  if (const auto &source = variant.recipe().source)
    if (std::optional<KernelSignature> read = readSignature(*source, ignored))
      for (const KernelParameter &parameter : read->parameters)
        names.push_back(parameter.name);
  const json::Array *constants = description.getArray("constants");
  const json::Array *parameters = description.getArray("parameters");
  size_t runTime = 0;
  for (size_t i = 0; constants && i < constants->size(); ++i) {
    if ((*constants)[i].kind() == json::Value::Null) {
      if (parameters && runTime < parameters->size())
        made.push_back((*parameters)[runTime++]);
      continue;
    }
    json::Object constant{{"value", (*constants)[i]}};
    if (i < names.size())
      constant["name"] = names[i];
    made.push_back(std::move(constant));
  }
  for (; parameters && runTime < parameters->size(); ++runTime)
    made.push_back((*parameters)[runTime]);
  return made;
}

//===-- Counting ----------------------------------------------------------===//

/// Runs a launch and puts its memory back. Nothing, with why, if it cannot be counted.
static std::optional<json::Object> countOnce(Variant &variant, const LaunchToExplain &launch,
                                             uint64_t mostCTAs, std::string &why) {
  constexpr uint64_t mostSteps = 400'000'000;
  const KernelMetadata &metadata = variant.metadata();
  SavedBuffers saved;
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    const BoundArgument &argument = launch.arguments[i];
    if (!metadata.parameters[i].type.isPointer() || !argument.slot)
      continue;
    if (argument.end == UINT64_MAX || argument.memory != TRITIUM_HOST_MEMORY) {
      why = "the memory behind '" + metadata.parameters[i].name + "' " +
            (argument.end == UINT64_MAX ? "has no known extent" : "is not the host's");
      return std::nullopt;
    }
    if (metadata.parameters[i].isWritten)
      saved.add(argument.begin, argument.end, SavedBuffers::BeforeRun::Restore);
  }
  if (metadata.hasIndirectPointers || metadata.mayWait) {
    why = metadata.mayWait ? "its programs wait for one another"
                           : "it follows pointers in memory, whose extents are not known";
    return std::nullopt;
  }
  if (!saved.save()) {
    why = "there is no memory to save its arrays in";
    return std::nullopt;
  }
  const auto &source = variant.recipe().source;
  CountRequest request{variant.code(),   source ? &*source : nullptr,
                       launch.arguments, launch.grid,
                       mostCTAs,         mostSteps};
  json::Object counters;
  CompileError error;
  bool isCounted = backendThatCounts(metadata.target)->count(request, counters, error);
  if (!saved.restore() || !isCounted) {
    why = isCounted ? "its memory cannot be put back" : error.message;
    return std::nullopt;
  }
  return counters;
}

/// All CTAs, if that takes no more than a few seconds, or some of them.
static std::optional<json::Object> count(Variant &variant, const LaunchToExplain &launch,
                                         std::string &why) {
  constexpr uint64_t atFirst = 2, mostInstructions = 8'000'000;
  if (!backendThatCounts(variant.metadata().target)) {
    why = "only what GPUs do is counted";
    return std::nullopt;
  }
  std::optional<json::Object> counters = countOnce(variant, launch, atFirst, why);
  if (!counters)
    return std::nullopt;
  auto number = [](const json::Object &object, const char *name) {
    return static_cast<uint64_t>(std::max<int64_t>(object.getInteger(name).value_or(0), 0));
  };
  uint64_t grid = number(*counters, "grid"), each = 1;
  if (const json::Object *total = counters->getObject("total"))
    each = std::max<uint64_t>(number(*total, "warp_instructions") / atFirst, 1);
  uint64_t affordable = mostInstructions / each;
  if (grid <= atFirst || affordable <= atFirst)
    return counters;
  return countOnce(variant, launch, affordable, why);
}

static json::Object describe(const LaunchToExplain &launch, const KernelMetadata &metadata) {
  json::Array arguments;
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    const ParameterInfo &parameter = metadata.parameters[i];
    json::Object made{{"name", parameter.name}, {"type", parameter.type.signature()}};
    if (parameter.type.isPointer())
      made["bytes"] = static_cast<int64_t>(launch.arguments[i].end - launch.arguments[i].begin);
    else if (!isFloat(parameter.type.kind))
      made["value"] = static_cast<int64_t>(launch.arguments[i].slot);
    arguments.push_back(std::move(made));
  }
  return json::Object{{"grid", json::Array{launch.grid[0], launch.grid[1], launch.grid[2]}},
                      {"arguments", std::move(arguments)}};
}

bool tritium::runtime::explainOnce(Variant &asked, const LaunchToExplain *launch,
                                   json::Object &made, CompileError &error) {
  Variant *fitting = &asked;
  if (launch) {
    if (!asked.checkArguments(launch->arguments, error) ||
        !asked.checkAlignment(launch->arguments, error))
      return false;
    fitting = asked.fitting(launch->arguments, launch->grid, error);
  }
  if (!fitting)
    return false;
  Variant &variant = *fitting;
  llvm::Expected<json::Value> parsed = json::parse(variant.describe());
  json::Object description;
  if (!parsed)
    llvm::consumeError(parsed.takeError());
  else if (json::Object *object = parsed->getAsObject())
    description = std::move(*object);
  explain::Subject subject{variant.metadata(), variant.code().remarks};
  bool isGPU = variant.metadata().target.isGPU();
  for (const char *name : {"ttir", isGPU ? "ttgir" : "plan", isGPU ? "ptx" : "asm"}) {
    const std::string *text = variant.stage(name, error);
    if (!text)
      return false;
    subject.stages[name] = *text;
  }
  if (json::Object *options = description.getObject("options"))
    subject.options = std::move(*options);
  subject.signature = signatureOf(variant, description);
  if (const auto &source = variant.recipe().source) {
    subject.path = source->file;
    subject.source = source->text;
    subject.firstLine = source->firstLine;
  }
  if (launch) {
    std::string why;
    subject.launch = describe(*launch, variant.metadata());
    subject.counters = count(variant, *launch, why);
    if (!subject.counters)
      (*subject.launch)["not_counted"] = json::fixUTF8(why);
  }
  made = tritium::explain::explain(subject);
  return true;
}

bool tritium::runtime::explain(Variant &variant, const LaunchToExplain *launch, bool triesChanges,
                               json::Object &made, CompileError &error) {
  if (!explainOnce(variant, launch, made, error))
    return false;
  if (launch && triesChanges && made.getObject("model"))
    made["hints"] = tryChanges(variant, *launch, made);
  return true;
}
