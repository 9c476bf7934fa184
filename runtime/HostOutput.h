//===- HostOutput.h - what running kernels say ------------------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_HOSTOUTPUT_H
#define TRITIUM_RUNTIME_HOSTOUTPUT_H

#include "tritium/Pipeline/Compiler.h"

#include <csetjmp>
#include <mutex>
#include <optional>

namespace tritium::runtime {

/// Collects what one launch reports. Its calls are made by all threads of the launch.
class HostOutput {
public:
  HostOutput() : table{this, print, assertFailed} {}
  HostOutput(const HostOutput &) = delete;
  HostOutput &operator=(const HostOutput &) = delete;

  /// The calls for an interpreter, which ends a program itself.
  TritiumHostCalls interpreterCalls() { return {this, print, noteAssert}; }

  /// Calls `entry` for the programs [begin, end). A failed assertion is recorded and
  /// ends the call: neither the rest of its program nor the programs behind it run.
  void run(TritiumCPUEntry entry, const uint64_t *slots, void *scratch, int64_t begin, int64_t end,
           const uint32_t *grid);

  struct FailedAssert {
    AssertSite site;
    FailedAssertion failure;
  };
  /// The first assertion that failed, by program order.
  const std::optional<FailedAssert> &failedAssert() const { return failed; }

private:
  static void print(void *user, const char *prefix, int hex, int kind, int bits, const void *data,
                    const int64_t *shape, int rank, const uint32_t *pid);
  static void assertFailed(void *user, const char *message, const char *file, int line,
                           const uint32_t *pid, int kind, const int64_t *shape, int rank,
                           uint32_t element, uint64_t value);
  static void noteAssert(void *user, const char *message, const char *file, int line,
                         const uint32_t *pid, int kind, const int64_t *shape, int rank,
                         uint32_t element, uint64_t value);
  void record(FailedAssert found);

  /// Where a failed assertion of this thread's entry goes back to.
  static thread_local std::jmp_buf escape;

  TritiumHostCalls table;
  std::mutex mutex;
  std::optional<FailedAssert> failed;
};

/// Where device_print writes; null means standard output.
using Printer = void (*)(void *user, const char *text, size_t size);
void setPrinter(Printer printer, void *user);
/// Writes `text` there.
void printText(const std::string &text);

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_HOSTOUTPUT_H
