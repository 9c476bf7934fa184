//===- Settings.cpp - back ends by name, how a launch is simulated --------===//

#include "../Environment.h"
#include "../Signature.h"
#include "Code.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace tritium;
using namespace tritium::runtime;

/// What both the compiler and the machine know.
static constexpr unsigned architectures[] = {75, 80, 86, 89, 90};

unsigned simulator::architectureOf(const std::string &target) {
  unsigned number = 0;
  llvm::StringRef(target).drop_front(4).getAsInteger(10, number);
  return number;
}

std::string simulator::targetNamed(const std::string &backend) {
  llvm::StringRef text(backend);
  if (!text.consume_front("sim"))
    return "";
  unsigned number = 80;
  if (!text.empty()) {
    if (!text.consume_front(":"))
      return "";
    text.consume_front("sm_");
    if (text.getAsInteger(10, number) || !llvm::is_contained(architectures, number))
      return "";
  }
  return "sim:" + std::to_string(number);
}

bool simulator::Settings::fromEnvironment(Settings &settings, CompileError &error) {
  auto number = [&](const char *name, uint64_t &value) {
    std::string text = variable(name);
    if (text.empty() || !llvm::StringRef(text).getAsInteger(10, value))
      return true;
    error = launchError("OptionError", std::string(name) + "=" + text + ": it wants a number");
    return false;
  };
  if (!number("TRITIUM_SIM_SEED", settings.seed) ||
      !number("TRITIUM_SIM_STEP_LIMIT", settings.stepLimit))
    return false;
  settings.recordFolder = variable("TRITIUM_SIM_RECORD");
  std::string checks = variable("TRITIUM_SIM_CHECKS");
  return checks.empty() || settings.choose(checks, "TRITIUM_SIM_CHECKS", error);
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
