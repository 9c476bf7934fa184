//===- TargetInfo.cpp - from a CPU's name to its features -----------------===//

#include "tritium/Target/CPU/TargetInfo.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/Triple.h"

#include <map>
#include <mutex>
#include <vector>

using namespace llvm;

namespace {

/// What code is made for on any host.
constexpr const char *kAArch64Triple = "aarch64-unknown-linux-gnu";

const Target *targetOf(const std::string &triple, std::string &error) {
  static const bool initialized = [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    InitializeNativeTargetAsmParser(); // of a system call
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    LLVMInitializeAArch64AsmParser();
    return true;
  }();
  (void)initialized;
  return TargetRegistry::lookupTarget(triple, error);
}

/// The host's features that its CPU's name does not tell, in a fixed order: the string is
/// part of cache keys, and every function that is compiled parses it.
std::string hostFeatures(const Target &target, const std::string &triple, StringRef cpu) {
  std::unique_ptr<MCSubtargetInfo> implied(target.createMCSubtargetInfo(triple, cpu, ""));
  std::vector<std::string> different;
  for (const auto &feature : sys::getHostCPUFeatures()) {
    std::string name = feature.first().str();
    if (implied->checkFeatures("+" + name) != feature.second)
      different.push_back((feature.second ? "+" : "-") + name);
  }
  llvm::sort(different,
             [](const std::string &a, const std::string &b) { return a.substr(1) < b.substr(1); });
  return join(different, ",");
}

/// Whether code can be generated for the CPU at all: a 32-bit x86 name is known to LLVM
/// but cannot run 64-bit code.
bool isUsable(const Target &target, const std::string &triple, StringRef cpu, bool isX86) {
  if (!isX86)
    return true;
  std::unique_ptr<MCSubtargetInfo> info(target.createMCSubtargetInfo(triple, cpu, ""));
  return info && info->checkFeatures("+64bit");
}

std::string unknownName(const Target &target, const std::string &triple, StringRef cpu, bool isX86,
                        ArrayRef<SubtargetSubTypeKV> known) {
  std::vector<std::pair<unsigned, StringRef>> near;
  for (const SubtargetSubTypeKV &entry : known)
    near.push_back({cpu.edit_distance(entry.Key), entry.Key});
  llvm::sort(near);
  std::string message = "unknown CPU '" + cpu.str() + "' for " + triple + "; near names: ";
  unsigned listed = 0;
  for (const auto &[distance, name] : near) {
    if (listed == 5)
      break;
    if (isUsable(target, triple, name, isX86))
      message += (listed++ ? ", " : "") + name.str();
  }
  return message + "; 'native' is this machine's, 'aarch64' any of ARM's with 64 bits";
}

/// Whether `cpu` is one of the architecture of `triple`.
bool isNameIn(const std::string &triple, const std::string &cpu) {
  std::string error;
  const Target *target = targetOf(triple, error);
  return target && std::unique_ptr<MCSubtargetInfo>(target->createMCSubtargetInfo(triple, "", ""))
                       ->isCPUStringValid(cpu);
}

/// Finds the name, features and triple of `cpu`. Names of the host's architecture come first.
bool findName(const std::string &cpu, tritium::cpu::TargetInfo &info, std::string &error) {
  info.triple = sys::getProcessTriple();
  if (cpu == "aarch64" || (!isNameIn(info.triple, cpu) && isNameIn(kAArch64Triple, cpu)))
    info.triple = kAArch64Triple;
  const Target *target = targetOf(info.triple, error);
  if (!target)
    return false;
  info.isX86 = Triple(info.triple).getArch() == Triple::x86_64;
  if (cpu == "native") {
    info.cpu = sys::getHostCPUName().str();
    info.features = hostFeatures(*target, info.triple, info.cpu);
    return true;
  }
  info.cpu = cpu == "aarch64" ? "generic" : cpu;
  std::unique_ptr<MCSubtargetInfo> generic(target->createMCSubtargetInfo(info.triple, "", ""));
  if (!cpu.empty() && generic->isCPUStringValid(info.cpu) &&
      isUsable(*target, info.triple, info.cpu, info.isX86))
    return true;
  error =
      unknownName(*target, info.triple, cpu, info.isX86, generic->getAllProcessorDescriptions());
  return false;
}

/// Features that code generators use without being asked to; others, such as protection keys, do
/// not matter to a kernel.
bool isOfInstructions(StringRef feature) {
  constexpr StringRef families[] = {"sse", "ssse", "avx", "amx", "sve", "sme"};
  constexpr StringRef names[] = {"fma",    "fma4",  "f16c",    "bmi",      "bmi2",    "lzcnt",
                                 "popcnt", "movbe", "gfni",    "xop",      "tbm",     "cx16",
                                 "lse",    "rcpc",  "fp16fml", "fullfp16", "dotprod", "i8mm",
                                 "bf16",   "rdm",   "crc32"};
  return is_contained(names, feature) ||
         any_of(families, [&](StringRef family) { return feature.starts_with(family); });
}

bool findTarget(const std::string &cpu, tritium::cpu::TargetInfo &info, std::string &error) {
  info = tritium::cpu::TargetInfo();
  if (!findName(cpu, info, error))
    return false;
  const Target *target = targetOf(info.triple, error);
  std::unique_ptr<MCSubtargetInfo> subtarget(
      target->createMCSubtargetInfo(info.triple, info.cpu, info.features));
  auto has = [&](const char *feature) { return subtarget->checkFeatures(feature); };
  if (!info.isX86) {
    info.hasFMA = true;
    info.hasF16C = Triple(info.triple).isAArch64();
    info.hasDotProduct = info.hasF16C && has("+dotprod");
    info.hasBF16Dot = info.hasBF16Blocks = info.hasF16C && has("+bf16");
    info.hasByteBlocks = info.hasF16C && has("+i8mm");
    info.vectorRegisters = 32;
    return true;
  }
  // Only AMD has SSE4A.
  bool isAMD = has("+sse4a");
  info.fetchesRowsToL2 = isAMD;
  info.hasFMA = has("+fma");
  info.hasF16C = has("+f16c");
  info.hasAVX2 = has("+avx2");
  info.hasAVX512 = has("+avx512f") && has("+avx512bw") && has("+avx512dq") && has("+avx512vl");
  if (info.hasAVX512) {
    info.vectorBits = 512;
    info.vectorRegisters = 32;
    // The lowering picks the register width; LLVM's tuning must not split it.
    info.features += info.features.empty() ? "-prefer-256-bit" : ",-prefer-256-bit";
    info.hasBF16Dot = has("+avx512bf16") && isAMD;
    info.hasByteDot = has("+avx512vnni");
    info.hasLargeFirstCache = has("+avx512vbmi2") && !isAMD;
    // Without permission vectors do it, in the same layout.
    bool hasTiles = has("+amx-tile") && Triple(info.triple).isOSLinux();
    info.hasBF16Tiles = hasTiles && has("+amx-bf16") && has("+avx512bf16");
    info.hasByteTiles = hasTiles && has("+amx-int8") && info.hasByteDot;
  } else if (has("+avx")) {
    info.vectorBits = 256;
    info.hasByteDot = has("+avxvnni");
  }
  return true;
}

} // namespace

/// LLVM tells what a CPU of x86 lacks; of AArch64 it tells only what there is.
std::string tritium::cpu::lackedByHost(const std::string &cpu) {
  TargetInfo info;
  std::string error;
  if (cpu == "native" || !resolveTarget(cpu, info, error))
    return "";
  if (Triple(info.triple).getArch() != Triple(sys::getProcessTriple()).getArch())
    return Triple(info.triple).getArchName().str();
  const Target *target = targetOf(info.triple, error);
  std::unique_ptr<MCSubtargetInfo> subtarget(
      target->createMCSubtargetInfo(info.triple, info.cpu, info.features));
  std::vector<std::string> lacked;
  for (const auto &feature : sys::getHostCPUFeatures())
    if (!feature.second && isOfInstructions(feature.first()) &&
        subtarget->checkFeatures("+" + feature.first().str()))
      lacked.push_back(feature.first().str());
  llvm::sort(lacked);
  return join(lacked, ", ");
}

bool tritium::cpu::resolveTarget(const std::string &cpu, TargetInfo &info, std::string &error) {
  // To ask the host for its features takes longer than to lower a small kernel.
  static std::mutex mutex;
  // Never destroyed: other threads may compile while the process exits.
  static auto &known = *new std::map<std::string, TargetInfo>;
  std::lock_guard lock(mutex);
  if (auto found = known.find(cpu); found != known.end()) {
    info = found->second;
    return true;
  }
  if (!findTarget(cpu, info, error))
    return false;
  known[cpu] = info;
  return true;
}
