//===- Explanation.cpp - what became of a kernel --------------------------===//

#include "Explanation.h"

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

bool tritium::runtime::explain(Variant &variant, json::Object &made, CompileError &error) {
  llvm::Expected<json::Value> parsed = json::parse(variant.describe());
  json::Object description;
  if (!parsed)
    llvm::consumeError(parsed.takeError());
  else if (json::Object *object = parsed->getAsObject())
    description = std::move(*object);
  explain::Subject subject{variant.metadata(), variant.allRemarks()};
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
  made = tritium::explain::explain(subject);
  return true;
}
