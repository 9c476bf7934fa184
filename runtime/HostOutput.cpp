//===- HostOutput.cpp - what running kernels say --------------------------===//

#include "HostOutput.h"
#include "AssertRecord.h"
#include "Signature.h"

#include "tritium/Support/ForkGate.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <tuple>

using namespace tritium;
using namespace tritium::runtime;

namespace {

std::mutex printerMutex;
Printer currentPrinter = nullptr;
void *printerUser = nullptr;

enum ElementKind { Signed, Unsigned, Float, Pointer };

std::string formatElement(int kind, int bits, int hex, const char *data) {
  uint64_t raw = 0;
  int bytes = bits <= 8 ? 1 : bits / 8;
  std::memcpy(&raw, data, static_cast<size_t>(bytes));
  char text[64];
  if (kind == Pointer || hex) {
    std::snprintf(text, sizeof text, "0x%0*" PRIx64, bytes * 2, raw);
  } else if (kind == Float) {
    double value;
    if (bits == 64) {
      std::memcpy(&value, &raw, sizeof value);
    } else {
      float narrow;
      uint32_t word = static_cast<uint32_t>(raw);
      std::memcpy(&narrow, &word, sizeof narrow);
      value = narrow;
    }
    std::snprintf(text, sizeof text, "%f", value);
  } else if (kind == Unsigned || bits == 1) {
    std::snprintf(text, sizeof text, "%" PRIu64, raw);
  } else {
    int shift = 64 - bits;
    std::snprintf(text, sizeof text, "%" PRId64, static_cast<int64_t>(raw << shift) >> shift);
  }
  return text;
}

} // namespace

void tritium::runtime::setPrinter(Printer printer, void *user) {
  ForkSafeLock lock(printerMutex);
  currentPrinter = printer;
  printerUser = user;
}

void tritium::runtime::printText(const std::string &text) {
  Printer printer;
  void *user;
  {
    ForkSafeLock lock(printerMutex);
    printer = currentPrinter;
    user = printerUser;
  }
  OutsideForkGate outside;
  if (printer) {
    try {
      printer(user, text.data(), text.size());
    } catch (...) { // nothing can be thrown through the compiled kernel that prints
    }
    return;
  }
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

/// One line an element: `pid (0, 0, 0) idx (3) prefix: value`.
void HostOutput::print(void *, const char *prefix, int hex, int kind, int bits, const void *data,
                       const int64_t *shape, int rank, const uint32_t *pid) {
  int64_t count = 1;
  for (int axis = 0; axis < rank; ++axis)
    count *= shape[axis];
  char where[64];
  std::snprintf(where, sizeof where, "pid (%u, %u, %u) idx (", pid[0], pid[1], pid[2]);
  std::string text;
  int bytes = bits <= 8 ? 1 : bits / 8;
  for (int64_t element = 0; element < count; ++element) {
    text += where;
    int64_t stride = count, rest = element;
    for (int axis = 0; axis < rank; ++axis) {
      stride /= shape[axis];
      text += (axis ? ", " : "") + std::to_string(rest / stride);
      rest %= stride;
    }
    text += ")";
    text += prefix && *prefix ? std::string(" ") + prefix : "";
    if (data)
      text += (prefix && *prefix && std::string_view(prefix).ends_with(':') ? " " : ": ") +
              formatElement(kind, bits, hex, static_cast<const char *>(data) + element * bytes);
    text += "\n";
  }
  printText(text);
}

int HostOutput::attend(void *user) { return static_cast<HostOutput *>(user)->work.attend(); }

int HostOutput::wait(void *user, const char *file, int line, uint32_t x, uint32_t y, uint32_t z,
                     uint32_t rounds) {
  auto *host = static_cast<HostOutput *>(user);
  if (!host->waiting)
    return host->work.poll();
  return host->waiting->wait({file ? file : "", line, {x, y, z}}, rounds);
}

thread_local std::jmp_buf *HostOutput::escape = nullptr;

void HostOutput::noteAssert(void *user, const char *message, const char *file, int line,
                            const uint32_t *pid, int kind, const int64_t *shape, int rank,
                            uint32_t element, uint64_t value) {
  static_cast<HostOutput *>(user)->record(
      {{message ? message : "", file ? file : "", line, kind, {shape, shape + rank}},
       {{pid[0], pid[1], pid[2]}, element, value}});
}

void HostOutput::assertFailed(void *user, const char *message, const char *file, int line,
                              const uint32_t *pid, int kind, const int64_t *shape, int rank,
                              uint32_t element, uint64_t value) {
  noteAssert(user, message, file, line, pid, kind, shape, rank, element, value);
  // What the assertion guards must not run. Compiled frames hold nothing to unwind.
  std::longjmp(*escape, 1);
}

void HostOutput::record(FailedAssert found) {
  std::lock_guard lock(mutex);
  auto order = [](const FailedAssert &f) {
    return std::make_tuple(f.failure.pid[2], f.failure.pid[1], f.failure.pid[0]);
  };
  if (!failed || order(found) < order(*failed))
    failed = std::move(found);
}

void HostOutput::run(TritiumCPUEntry entry, const uint64_t *slots, void *scratch, int64_t begin,
                     int64_t end, const uint32_t *grid) {
  std::jmp_buf here, *outer = escape;
  escape = &here;
  if (setjmp(here) == 0)
    entry(slots, scratch, begin, end, grid, &table);
  escape = outer;
}

static CompileError errorAt(const std::string &file, int line, CompileError error) {
  error.file = file;
  error.line = line;
  error.rendered = file + ":" + std::to_string(line) + ": error: " + error.message;
  return error;
}

CompileError tritium::runtime::failureOf(const HostOutput &output, const WaitingPrograms *waiting,
                                         const std::string &kernel) {
  if (const auto &failed = output.failedAssert())
    return assertionError(kernel, failed->site, failed->failure);
  if (waiting && waiting->stuckAt()) {
    const WaitingPrograms::Stuck &stuck = *waiting->stuckAt();
    return errorAt(stuck.file, stuck.line,
                   launchError("DeadlockError", "kernel '" + kernel + "': " + stuck.reason));
  }
  return interruptedError(kernel);
}
