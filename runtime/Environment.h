//===- Environment.h - the variables that the runtime heeds -----*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_ENVIRONMENT_H
#define TRITIUM_RUNTIME_ENVIRONMENT_H

#include <string>
#include <vector>

namespace tritium::runtime {

/// The variable's value; empty if it is not set.
std::string variable(const char *name);
/// "1", "true", "on", "yes", "y" in any case.
bool flag(const char *name);

/// TRITON_HOME, or the home directory; empty if there is neither.
std::string homeDirectory();
/// TRITON_CACHE_DIR, or `.tritium/cache` in the home directory; empty: no cache.
std::string cacheDirectory();
/// TRITON_DUMP_DIR, or `.tritium/dump` in the home directory.
std::string dumpDirectory();
/// TRITON_OVERRIDE_DIR, or `.tritium/override` in the home directory.
std::string overrideDirectory();

/// `name=value` of the set variables that change what the compiler generates; part of
/// the key of every cached kernel.
std::vector<std::string> codeVariables();

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_ENVIRONMENT_H
