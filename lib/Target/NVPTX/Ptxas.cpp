//===- Ptxas.cpp - NVIDIA's assembler -------------------------------------===//

#include "tritium/Target/NVPTX/Ptxas.h"
#include "tritium/Support/Settings.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <map>
#include <mutex>

using namespace llvm;

namespace {

std::string readFile(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

/// A file in the folder for temporary ones that goes with this object.
class TemporaryFile {
public:
  explicit TemporaryFile(const char *suffix) {
    if (sys::fs::createTemporaryFile("tritium", suffix, name))
      name.clear();
  }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;
  ~TemporaryFile() {
    if (!name.empty())
      sys::fs::remove(name);
  }
  bool exists() const { return !name.empty(); }
  StringRef path() const { return name; }
  bool write(StringRef text) const {
    std::error_code failed;
    raw_fd_ostream out(name, failed);
    if (failed)
      return false;
    out << text;
    out.close();
    bool written = !out.has_error();
    out.clear_error();
    return written;
  }

private:
  SmallString<128> name;
};

/// Runs a program with all of its output in `log`. Returns its status, -1 if it cannot run.
int run(const std::string &program, ArrayRef<StringRef> arguments, std::string &log) {
  TemporaryFile output("log");
  if (!output.exists())
    return -1;
  std::optional<StringRef> redirects[] = {StringRef(), output.path(), output.path()};
  std::string failure;
  int status = sys::ExecuteAndWait(program, arguments, std::nullopt, redirects,
                                   /*SecondsToWait=*/0, /*MemoryLimit=*/0, &failure);
  log = readFile(output.path());
  if (status < 0)
    log += failure;
  return status;
}

/// "13.0.88", from "Cuda compilation tools, release 13.0, V13.0.88".
std::string versionOf(const std::string &program) {
  std::string log;
  if (run(program, {program, "--version"}, log) != 0)
    return "";
  StringRef number = StringRef(log).split(", V").second;
  return number.take_while([](char c) { return isDigit(c) || c == '.'; }).str();
}

} // namespace

std::optional<tritium::nvptx::Ptxas> tritium::nvptx::findPtxas() {
  std::string chosen = settings::PtxasPath.text();
  const char *path = std::getenv("PATH");
  static std::mutex mutex;
  static std::map<std::pair<std::string, std::string>, std::optional<Ptxas>> known;
  std::lock_guard lock(mutex);
  auto [entry, isNew] = known.try_emplace({chosen, path ? path : ""});
  if (!isNew)
    return entry->second;
  if (chosen == "none")
    return std::nullopt;
  auto consider = [&](const ErrorOr<std::string> &program) {
    if (entry->second || !program)
      return;
    if (std::string version = versionOf(*program); !version.empty())
      entry->second = Ptxas{*program, version};
  };
  if (!chosen.empty())
    consider(sys::findProgramByName(chosen));
  consider(sys::findProgramByName("ptxas"));
  consider(sys::findProgramByName("ptxas", {"/usr/local/cuda/bin"}));
  return entry->second;
}

bool tritium::nvptx::assemble(const Ptxas &ptxas, const std::string &ptx, const std::string &gpu,
                              const AssembleOptions &options, Assembled &result,
                              std::string &error) {
  result = Assembled();
  TemporaryFile source("ptx"), binary("cubin");
  if (!source.exists() || !binary.exists() || !source.write(ptx)) {
    error = "cannot write a temporary file for ptxas";
    return false;
  }
  std::string architecture = "--gpu-name=" + gpu;
  SmallVector<StringRef, 12> arguments = {ptxas.path, "-v", architecture};
  if (options.lineInfo)
    arguments.push_back("-lineinfo");
  if (!options.fpFusion)
    arguments.push_back("--fmad=false");
  if (!options.optimize)
    arguments.push_back("--opt-level=0");
  for (const std::string &argument : options.extra)
    arguments.push_back(argument);
  arguments.append({source.path(), "-o", binary.path()});
  int status = run(ptxas.path, arguments, result.log);
  result.report = readPtxasLog(result.log);
  if (settings::DumpPtxasLog.isOn())
    errs() << result.log;
  if (status == 0)
    result.cubin = readFile(binary.path());
  if (!result.cubin.empty())
    return true;
  error = "ptxas " + ptxas.version + " (" + ptxas.path + ") failed with status " +
          std::to_string(status) + ": " + StringRef(result.log).trim().str();
  return false;
}

unsigned tritium::nvptx::registersOf(const std::string &ptx, const std::string &target,
                                     const std::string &entry, unsigned architecture,
                                     std::string &reason) {
  std::string gpu = "sm_" + std::to_string(architecture);
  StringRef number = target;
  unsigned least = 0;
  if (!number.consume_front("sm_") || number.consumeInteger(10, least)) {
    reason = "'" + target + "' names no GPU";
    return 0;
  }
  // A letter (sm_90a) stands for features of that architecture alone.
  if (least > architecture || (!number.empty() && least != architecture)) {
    reason = "the PTX is for " + target + ", which " + gpu + " does not run";
    return 0;
  }
  auto ptxas = findPtxas();
  if (!ptxas) {
    reason = "there is no ptxas";
    return 0;
  }
  AssembleOptions options;
  options.lineInfo = false;
  options.extra = {"--entry", entry};
  Assembled assembled;
  if (!assemble(*ptxas, ptx, number.empty() ? gpu : target, options, assembled, reason)) {
    reason = StringRef(reason).split('\n').first.str();
    return 0;
  }
  if (!assembled.report.registers)
    reason = "ptxas " + ptxas->version + " does not say how many registers '" + entry + "' takes";
  return assembled.report.registers;
}
