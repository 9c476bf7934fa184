//===- ArgumentSpec.cpp - how a parameter is specialised ------------------===//

#include "tritium/Kernel/ArgumentSpec.h"

using namespace tritium;

static void addRunTime(const ArgumentSpec &argument, std::vector<const ArgumentSpec *> &result) {
  for (const ArgumentSpec &part : argument.parts)
    addRunTime(part, result);
  if (argument.parts.empty() && !argument.isConstexpr)
    result.push_back(&argument);
}

std::vector<const ArgumentSpec *>
tritium::runTimeArguments(const std::vector<ArgumentSpec> &arguments) {
  std::vector<const ArgumentSpec *> result;
  for (const ArgumentSpec &argument : arguments)
    addRunTime(argument, result);
  return result;
}
