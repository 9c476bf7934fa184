//===- Fingerprint.cpp - what generated code depends on -------------------===//

#include "TargetCompiler.h"

#include "llvm/Config/llvm-config.h"

#include <dlfcn.h>
#include <sys/stat.h>

namespace tritium {

namespace {
/// Tells one build of the compiler from the next: size and time of the file that holds
/// this function.
std::string buildStamp() {
  Dl_info info;
  struct stat file;
  if (!dladdr(reinterpret_cast<void *>(&compilerFingerprint), &info) || !info.dli_fname)
    return "";
  if (stat(info.dli_fname, &file) != 0 && stat("/proc/self/exe", &file) != 0)
    return "";
  return std::to_string(file.st_size) + "." + std::to_string(file.st_mtim.tv_sec) + "." +
         std::to_string(file.st_mtim.tv_nsec);
}
} // namespace

std::string compilerFingerprint(const CompileOptions &options) {
  static const std::string stamp = buildStamp();
  std::string text = "tritium " TRITIUM_VERSION " " + stamp + "; llvm " LLVM_VERSION_STRING;
  const TargetCompiler *target = findTargetCompiler(options.target.kind());
  return text + "; " + (target ? target->fingerprint(options.target) : options.target.str());
}

} // namespace tritium
