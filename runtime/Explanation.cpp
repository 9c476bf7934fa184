//===- Explanation.cpp - what became of a kernel --------------------------===//

#include "Explanation.h"
#include "Signature.h"
#include "TriedChanges.h"

#include "tritium/Explain/Explain.h"

#include "llvm/ADT/StringRef.h"

using namespace tritium;
using namespace tritium::runtime;

namespace json = llvm::json;

/// Of the parameters in order; none if the kernel has no text.
static std::vector<std::string> namesOf(Variant &variant) {
  std::vector<std::string> names;
  CompileError ignored;
  if (const auto &source = variant.recipe().source)
    if (std::optional<KernelSignature> read = readSignature(*source, ignored))
      for (const KernelParameter &parameter : read->parameters)
        names.push_back(parameter.name);
  return names;
}

/// The parameters in order, with what the code was compiled for.
static json::Array signatureOf(Variant &variant, const json::Object &description) {
  json::Array made;
  std::vector<std::string> names = namesOf(variant);
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

static json::Object describe(const LaunchToExplain &launch, const KernelMetadata &metadata) {
  json::Array arguments;
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    const ParameterInfo &parameter = metadata.parameters[i];
    json::Object made{{"name", parameter.name}, {"type", parameter.type.signature()}};
    if (parameter.type.isPointer() && launch.arguments[i].end != UINT64_MAX)
      made["bytes"] = static_cast<int64_t>(launch.arguments[i].end - launch.arguments[i].begin);
    else if (!parameter.type.isPointer() && !isFloat(parameter.type.kind))
      made["value"] = static_cast<int64_t>(launch.arguments[i].slot);
    arguments.push_back(std::move(made));
  }
  return json::Object{{"grid", json::Array{launch.grid[0], launch.grid[1], launch.grid[2]}},
                      {"arguments", std::move(arguments)}};
}

bool tritium::runtime::explainOnce(Variant &asked, const LaunchToExplain *launch, RunLimit limit,
                                   Explained &made, CompileError &error) {
  Variant *fitting = &asked;
  if (launch && !launch->gpu.empty()) {
    const Target &target = asked.metadata().target;
    unsigned capability = target.isGPU() ? target.architecture() : 0;
    if (!tritium::explain::isKnownGPU(capability, launch->gpu)) {
      std::string known = tritium::explain::knownGPUs(capability);
      error = launchError("OptionError", "no GPU '" + launch->gpu +
                                             "' is known of the target; there are: " +
                                             (known.empty() ? "none with a name" : known));
      return false;
    }
  }
  if (launch) {
    if (!asked.checkArguments(launch->arguments, error) ||
        !asked.checkAlignment(launch->arguments, error))
      return false;
    fitting = asked.fitting(launch->arguments, launch->grid, error);
  }
  if (!fitting)
    return false;
  Variant &variant = *fitting;
  made.variant = &variant;
  llvm::Expected<json::Value> parsed = json::parse(variant.describe());
  json::Object description;
  if (!parsed)
    llvm::consumeError(parsed.takeError());
  else if (json::Object *object = parsed->getAsObject())
    description = std::move(*object);
  explain::Subject subject{variant.metadata(), variant.code().remarks};
  bool isGPU = variant.metadata().target.isGPU();
  llvm::SmallVector<const char *, 3> names{"ttir"};
  if (!variant.metadata().target.is(kInterpreter))
    names.append({isGPU ? "ttgir" : "plan", isGPU ? "ptx" : "asm"});
  for (const char *name : names) {
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
    subject.gpu = launch->gpu;
    if (std::optional<CountedRun> run = countRun(variant, *launch, limit, why)) {
      subject.counters = json::Object(run->counters);
      if (!run->hasResults)
        (*subject.launch)["not_tried"] =
            "changes, since it may write memory that is no argument's, which cannot be compared";
      made.run = std::move(*run);
    } else {
      (*subject.launch)["not_counted"] = json::fixUTF8(why);
    }
  }
  made.document = tritium::explain::explain(subject, &made.estimates);
  return true;
}

bool tritium::runtime::explain(Variant &variant, const LaunchToExplain *launch, bool triesChanges,
                               json::Object &made, CompileError &error) {
  Interruptible work;
  Explained explained;
  if (!explainOnce(variant, launch, kLongRun, explained, error))
    return false;
  if (explained.variant->metadata().target.isGPU()) {
    CompileError none;
    explain::addMachineCode(explained.document, explained.variant->stage("cubin", none));
  }
  if (launch && triesChanges && explained.document.getObject("model")) {
    LaunchToExplain named = *launch;
    named.names = namesOf(variant);
    json::Array refused;
    json::Array hints = tryChanges(variant, named, explained, work, refused);
    explained.document["hints"] = std::move(hints);
    if (!refused.empty())
      explained.document["refused"] = std::move(refused);
  }
  // A count that was ended is none.
  if (work.poll()) {
    error = interruptedError(variant.metadata().name);
    return false;
  }
  made = std::move(explained.document);
  return true;
}
