//===- Settings.cpp - back ends by name, how a launch is simulated --------===//

#include "tritium/Support/Settings.h"
#include "Code.h"
#include "Signature.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace tritium;
using namespace tritium::runtime;

/// What both the compiler and the machine know.
llvm::ArrayRef<unsigned> simulator::architectures() {
  static constexpr unsigned known[] = {75, 80, 86, 89, 90};
  return known;
}

std::optional<Target> simulator::targetNamed(const std::string &name) {
  std::string ignored;
  std::optional<Target> target =
      Target::parse(std::string(kSimulator.name) + ":" + (name.empty() ? "80" : name), ignored);
  if (target && !llvm::is_contained(architectures(), target->architecture()))
    target.reset();
  return target;
}

bool simulator::Settings::fromEnvironment(Settings &result, CompileError &error) {
  auto number = [&](const Setting &setting, uint64_t &value) {
    std::string text = setting.text();
    if (text.empty() || !llvm::StringRef(text).getAsInteger(10, value))
      return true;
    error = launchError("OptionError", setting.variable + ("=" + text) + ": it wants a number");
    return false;
  };
  if (!number(settings::SimulatorSeed, result.seed) ||
      !number(settings::SimulatorStepLimit, result.stepLimit) ||
      !number(settings::SimulatorMultiprocessors, result.multiprocessors))
    return false;
  result.multiprocessors = std::max<uint64_t>(result.multiprocessors, 1);
  result.recordFolder = settings::SimulatorRecord.text();
  const Setting &checks = settings::SimulatorChecks;
  return checks.text().empty() || result.choose(checks.text(), checks.variable, error);
}

bool simulator::Settings::choose(const std::string &checks, const char *option,
                                 CompileError &error) {
  llvm::SmallVector<llvm::StringRef, 4> names;
  llvm::StringRef(checks).split(names, ',', -1, /*KeepEmpty=*/false);
  checkRaces = checkUndefined = false;
  for (llvm::StringRef name : names) {
    name = name.trim();
    if (name == "races" || name == "all")
      checkRaces = true;
    if (name == "undefined" || name == "all")
      checkUndefined = true;
    if (name != "races" && name != "undefined" && name != "all" && name != "none") {
      error = launchError("OptionError", std::string(option) + ": no checks '" + name.str() +
                                             "'; there are: all, none, races, undefined");
      return false;
    }
  }
  return true;
}
