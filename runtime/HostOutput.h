//===- HostOutput.h - what running kernels say ------------------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_HOSTOUTPUT_H
#define TRITIUM_RUNTIME_HOSTOUTPUT_H

#include "tritium/Pipeline/Compiler.h"

#include <mutex>
#include <optional>

namespace tritium::runtime {

/// Collects what one launch reports. Its calls are made by all threads of the launch.
class HostOutput {
public:
  HostOutput() : table{this, print, assertFailed} {}
  HostOutput(const HostOutput &) = delete;
  HostOutput &operator=(const HostOutput &) = delete;

  const TritiumHostCalls *calls() const { return &table; }

  struct FailedAssert {
    std::string message, file;
    int line;
    uint32_t pid[3];
  };
  /// The first assertion that failed, by program order.
  const std::optional<FailedAssert> &failedAssert() const { return failed; }

private:
  static void print(void *user, const char *prefix, int hex, int kind, int bits, const void *data,
                    const int64_t *shape, int rank, const uint32_t *pid);
  static void assertFailed(void *user, const char *message, const char *file, int line,
                           const uint32_t *pid);

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
