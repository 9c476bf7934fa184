//===- HostOutput.h - what running kernels say ------------------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_HOSTOUTPUT_H
#define TRITIUM_RUNTIME_HOSTOUTPUT_H

#include "Interrupt.h"
#include "WaitingPrograms.h"

#include "tritium/Kernel/LaunchABI.h"
#include "tritium/Support/Assertion.h"

#include <csetjmp>
#include <mutex>
#include <optional>

namespace tritium::runtime {

/// What running programs ask of their host. Collects what one launch reports. Its calls are
/// made by all threads of the launch.
class HostOutput {
public:
  explicit HostOutput(Interruptible &work)
      : work(work), table{this, print, assertFailed, attentionOf(work), attend, wait} {}
  HostOutput(const HostOutput &) = delete;
  HostOutput &operator=(const HostOutput &) = delete;

  /// The calls for an interpreter, which ends a program itself.
  TritiumHostCalls interpreterCalls() {
    return {this, print, noteAssert, attentionOf(work), attend, wait};
  }
  /// Whom programs that wait tell of it. Without one they wait as they are.
  void setWaiting(WaitingPrograms *programs) { waiting = programs; }

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

  static int attend(void *user);
  static int wait(void *user, const char *file, int line, uint32_t x, uint32_t y, uint32_t z,
                  uint32_t rounds);
  static const uint32_t *attentionOf(const Interruptible &work) {
    static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t));
    return reinterpret_cast<const uint32_t *>(&work.attention());
  }

  static void noteAssert(void *user, const char *message, const char *file, int line,
                         const uint32_t *pid, int kind, const int64_t *shape, int rank,
                         uint32_t element, uint64_t value);
  void record(FailedAssert found);

  /// Where a failed assertion of this thread's entry goes back to; of the innermost, if a host
  /// launches a kernel in the middle of another.
  static thread_local std::jmp_buf *escape;

  Interruptible &work;
  WaitingPrograms *waiting = nullptr;
  TritiumHostCalls table;
  std::mutex mutex;
  std::optional<FailedAssert> failed;
};

/// The error of a launch of `kernel` that did not end as it should; see reportFailure().
CompileError failureOf(const HostOutput &output, const WaitingPrograms *waiting,
                       const std::string &kernel);
/// Whether the launch of `kernel` did not end as it should: an assertion failed, its programs wait
/// for ever (`waiting` may be null), or it was interrupted. Then fills `error`.
inline bool reportFailure(const HostOutput &output, const WaitingPrograms *waiting,
                          const Interruptible &work, const std::string &kernel,
                          CompileError &error) {
  if (!output.failedAssert() && !(waiting && waiting->stuckAt()) && !work.isStopped()) [[likely]]
    return false;
  error = failureOf(output, waiting, kernel);
  return true;
}

/// Where device_print writes; null means standard output.
using Printer = void (*)(void *user, const char *text, size_t size);
void setPrinter(Printer printer, void *user);
/// Writes `text` there.
void printText(const std::string &text);

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_HOSTOUTPUT_H
