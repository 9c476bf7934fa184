//===- Environment.cpp - the variables that the runtime heeds -------------===//

#include "Environment.h"

#include <algorithm>
#include <cstdlib>

using namespace tritium;

std::string runtime::variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

bool runtime::flag(const char *name) {
  std::string value = variable(name);
  std::transform(value.begin(), value.end(), value.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return value == "1" || value == "true" || value == "on" || value == "yes" || value == "y";
}

std::string runtime::homeDirectory() {
  std::string home = variable("TRITON_HOME");
  return home.empty() ? variable("HOME") : home;
}

static std::string directory(const char *name, const char *underHome) {
  std::string chosen = runtime::variable(name);
  if (!chosen.empty())
    return chosen;
  std::string home = runtime::homeDirectory();
  return home.empty() ? home : home + "/.tritium/" + underHome;
}

std::string runtime::cacheDirectory() { return directory("TRITON_CACHE_DIR", "cache"); }
std::string runtime::dumpDirectory() { return directory("TRITON_DUMP_DIR", "dump"); }
std::string runtime::overrideDirectory() { return directory("TRITON_OVERRIDE_DIR", "override"); }

std::vector<std::string> runtime::codeVariables() {
  std::vector<std::string> set;
  for (const char *name :
       {"TRITON_ALLOW_NON_CONSTEXPR_GLOBALS", "TRITON_DEFAULT_FP_FUSION", "TRITON_F32_DEFAULT",
        "TRITON_DISABLE_LINE_INFO", "TRITON_PTXAS_PATH", "DISABLE_PTXAS_OPT", "PTXAS_OPTIONS"})
    if (std::string value = variable(name); !value.empty())
      set.push_back(std::string(name) + "=" + value);
  return set;
}
