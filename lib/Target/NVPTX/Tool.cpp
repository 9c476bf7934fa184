//===- Tool.cpp - running NVIDIA's programs -------------------------------===//

#include "Tool.h"

#include "tritium/Support/ForkGate.h"
#include "tritium/Support/Settings.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <map>
#include <mutex>
#include <sys/wait.h>
#include <tuple>
#include <unistd.h>

using namespace llvm;

namespace tritium::nvptx {

TemporaryFile::TemporaryFile(const char *suffix) {
  if (sys::fs::createTemporaryFile("tritium", suffix, name))
    name.clear();
}

TemporaryFile::~TemporaryFile() {
  // A folder for temporary files is cleared by others, too.
  if (!name.empty() && owner == ::getpid()) [[maybe_unused]]
    std::error_code ignored = sys::fs::remove(name);
}

bool TemporaryFile::write(StringRef text) const {
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

std::string TemporaryFile::read() const {
  auto buffer = MemoryBuffer::getFile(name, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

/// This process's variables, and one by which the C library gives out memory by large pages and
/// keeps what is free: a third of what ptxas takes for a small kernel is the operating system's
/// work on pages of 4 KB, of which it touches thousands. What the user has set stays.
static SmallVector<StringRef, 64> environmentOfTools() {
  SmallVector<StringRef, 64> variables;
  for (char **variable = environ; variable && *variable; ++variable)
    variables.push_back(*variable);
  if (none_of(variables, [](StringRef each) { return each.starts_with("GLIBC_TUNABLES="); }))
    variables.push_back("GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.top_pad=16777216:"
                        "glibc.malloc.mmap_threshold=33554432");
  return variables;
}

RunningTool::RunningTool(const std::string &program, ArrayRef<StringRef> arguments, bool isApart,
                         StringRef input)
    : output("log"), errors("log") {
  if (!output.exists() || !errors.exists()) {
    status = -1;
    return;
  }
  std::optional<StringRef> redirects[] = {input, output.path(),
                                          isApart ? errors.path() : output.path()};
  SmallVector<StringRef, 64> environment = environmentOfTools();
  process = sys::ExecuteNoWait(program, arguments, ArrayRef<StringRef>(environment), redirects,
                               /*MemoryLimit=*/0, &failure);
  if (process.Pid == sys::ProcessInfo::InvalidPid)
    status = -1;
}

RunningTool::~RunningTool() {
  if (status)
    return;
  if (!hasEnded())
    ::kill(process.Pid, SIGKILL);
  sys::Wait(process, /*SecondsToWait=*/std::nullopt, &failure);
}

bool RunningTool::hasEnded() const {
  if (status)
    return true;
  // Not sys::Wait, which would take an alarm that the host has set.
  siginfo_t seen = {};
  int failed = ::waitid(P_PID, process.Pid, &seen, WEXITED | WNOHANG | WNOWAIT);
  return failed ? errno != EINTR : seen.si_pid == process.Pid;
}

int RunningTool::wait(std::string &log, std::string *problems) {
  if (!status) {
    sys::ProcessInfo ended = sys::Wait(process, /*SecondsToWait=*/std::nullopt, &failure);
    status = ended.Pid == process.Pid ? ended.ReturnCode : -1;
  }
  log = output.read();
  if (problems)
    *problems = errors.read();
  if (*status < 0)
    (problems ? *problems : log) += failure;
  return *status;
}

int run(const std::string &program, ArrayRef<StringRef> arguments, std::string &log,
        std::string *problems) {
  return RunningTool(program, arguments, /*isApart=*/problems != nullptr).wait(log, problems);
}

/// "13.0.88", from "Cuda compilation tools, release 13.0, V13.0.88".
static std::string versionOf(const std::string &program) {
  std::string log;
  if (run(program, {program, "--version"}, log) != 0)
    return "";
  StringRef number = StringRef(log).split(", V").second;
  return number.take_while([](char c) { return isDigit(c) || c == '.'; }).str();
}

std::optional<Tool> findTool(const Setting &setting, const char *name) {
  std::string chosen = setting.text();
  const char *path = std::getenv("PATH");
  static std::mutex mutex;
  static std::map<std::tuple<std::string, std::string, std::string>, std::optional<Tool>> known;
  ForkSafeLock lock(mutex); // also where nobody compiles, as in what forks to count
  auto [entry, isNew] = known.try_emplace({name, chosen, path ? path : ""});
  if (!isNew)
    return entry->second;
  if (chosen == "none")
    return std::nullopt;
  auto consider = [&](const ErrorOr<std::string> &program) {
    if (entry->second || !program)
      return;
    if (std::string version = versionOf(*program); !version.empty())
      entry->second = Tool{*program, version};
  };
  if (!chosen.empty())
    consider(sys::findProgramByName(chosen));
  consider(sys::findProgramByName(name));
  consider(sys::findProgramByName(name, {"/usr/local/cuda/bin"}));
  return entry->second;
}

} // namespace tritium::nvptx
