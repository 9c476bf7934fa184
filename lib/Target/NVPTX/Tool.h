//===- Tool.h - running NVIDIA's programs -----------------------*- C++ -*-===//

#ifndef TRITIUM_LIB_TARGET_NVPTX_TOOL_H
#define TRITIUM_LIB_TARGET_NVPTX_TOOL_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Program.h"

#include <optional>
#include <string>
#include <unistd.h>

namespace tritium {
struct Setting;
} // namespace tritium

namespace tritium::nvptx {

/// A file in the folder for temporary ones that goes with this object, but not with a copy of it in
/// a child of a fork.
class TemporaryFile {
public:
  explicit TemporaryFile(const char *suffix);
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;
  ~TemporaryFile();
  bool exists() const { return !name.empty(); }
  llvm::StringRef path() const { return name; }
  bool write(llvm::StringRef text) const;
  /// There is no such file any more.
  void forget() { name.clear(); }
  /// What is in it; "" if it cannot be read.
  std::string read() const;

private:
  llvm::SmallString<128> name;
  pid_t owner = ::getpid();
};

/// A program that runs beside this one. What it writes to its two outputs is kept.
class RunningTool {
public:
  /// Starts it; with `isApart` its standard error is kept apart from its standard output. Nothing
  /// comes from its standard input, unless there is an `input`.
  RunningTool(const std::string &program, llvm::ArrayRef<llvm::StringRef> arguments, bool isApart,
              llvm::StringRef input = {});
  RunningTool(const RunningTool &) = delete;
  RunningTool &operator=(const RunningTool &) = delete;
  /// Ends it if it still runs.
  ~RunningTool();
  bool hasEnded() const;
  /// Waits for its end. Returns its status, negative if it could not run or crashed; `log` has what
  /// it wrote, and why it did not run. So has `problems`, if that is apart.
  int wait(std::string &log, std::string *problems = nullptr);

private:
  TemporaryFile output, errors;
  llvm::sys::ProcessInfo process;
  std::optional<int> status; ///< once its end was waited for
  std::string failure;
};

/// Runs a program with its standard output in `log`, and what it says of errors in `problems`, or
/// both in `log` if that is null. Returns its status, -1 if it cannot run.
int run(const std::string &program, llvm::ArrayRef<llvm::StringRef> arguments, std::string &log,
        std::string *problems = nullptr);

struct Tool {
  std::string path;
  std::string version; ///< "13.0.88"
};

/// The program that `setting` chooses (a file, or a name to search for), else `name` in PATH, else
/// in /usr/local/cuda/bin. Nothing if there is none that tells its version, or if "none" is chosen.
std::optional<Tool> findTool(const Setting &setting, const char *name);

} // namespace tritium::nvptx

#endif // TRITIUM_LIB_TARGET_NVPTX_TOOL_H
