//===- Fingerprint.cpp - what generated code depends on -------------------===//

#include "tritium/Pipeline/Compiler.h"
#include "tritium/Target/CPU/TargetInfo.h"
#include "tritium/Target/NVPTX/Ptxas.h"

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
  if (isGPUTarget(options.target) && !isSimulatedTarget(options.target)) {
    std::optional<nvptx::Ptxas> ptxas = nvptx::findPtxas();
    return text + "; " + options.target + "; ptxas " + (ptxas ? ptxas->version : "none");
  }
  if (options.target != "cpu")
    return text + "; " + options.target;
  cpu::TargetInfo target;
  std::string error;
  if (!cpu::resolveTarget(options.cpu, target, error))
    return text + "; cpu " + options.cpu + " (unknown)";
  return text + "; " + target.triple + " " + target.cpu + " " + target.features + " " +
         std::to_string(target.vectorBits);
}

} // namespace tritium
