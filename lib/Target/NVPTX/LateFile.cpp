//===- LateFile.cpp - a file that is opened before it is written ----------===//

#include "LateFile.h"

#include "tritium/Support/ForkGate.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/FileSystem.h"

#include <chrono>
#include <fcntl.h>
#include <mutex>
#include <pthread.h>
#include <sys/ioctl.h>
#include <thread>
#include <unistd.h>

using namespace llvm;

namespace tritium::nvptx {

namespace {

/// Those with a pipe. Lives for ever, as forks do not end before the process. Locked inside the
/// fork gate: a fork waits until it is free.
struct OpenFiles {
  std::mutex mutex;
  SmallPtrSet<LateFile *, 8> files;
};

OpenFiles &openFiles() {
  static auto *open = new OpenFiles;
  return *open;
}

} // namespace

/// A thread that forks from inside the gate, and may have come between, runs another program next.
void LateFile::closeAll() {
  std::unique_lock lock(openFiles().mutex, std::try_to_lock);
  if (!lock)
    return;
  for (LateFile *file : openFiles().files) {
    ::close(file->readEnd);
    ::close(file->writeEnd);
    file->readEnd = file->writeEnd = -1;
  }
  openFiles().files.clear();
}

/// An end of a pipe, which is none of the standard ones.
static int aside(int end) {
  int other = ::fcntl(end, F_DUPFD_CLOEXEC, 3);
  ::close(end);
  return other;
}

LateFile::LateFile(const char *suffix) : link(suffix), written(suffix) {
  [[maybe_unused]] static const int watches = pthread_atfork(nullptr, nullptr, closeAll);
  std::string name = link.path().str();
  if (!link.exists() || !written.exists() || sys::fs::remove(name) ||
      ::symlink("/proc/self/fd/0", name.c_str()) != 0)
    return;
  ForkSafeLock lock(openFiles().mutex);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return;
  readEnd = aside(ends[0]), writeEnd = aside(ends[1]);
  ::fcntl(writeEnd, F_SETFL, O_NONBLOCK);
  openFiles().files.insert(this);
}

LateFile::~LateFile() { close(); }

void LateFile::close() {
  ForkSafeLock lock(openFiles().mutex);
  if (!openFiles().files.erase(this))
    return;
  ::close(readEnd);
  ::close(writeEnd);
  readEnd = writeEnd = -1;
}

std::string LateFile::input() const { return "/proc/self/fd/" + std::to_string(readEnd); }

bool LateFile::write(StringRef text, function_ref<bool()> isOver) {
  constexpr size_t usual = 65536, most = size_t(1) << 30;
  constexpr std::chrono::microseconds betweenLooks(50);
  if (!exists() || text.size() > most ||
      (text.size() > usual && ::fcntl(writeEnd, F_SETPIPE_SZ, int(text.size())) < 0) ||
      !written.write(text) || ::write(writeEnd, text.data(), text.size()) != ssize_t(text.size()))
    return false;
  auto isRead = [&] {
    int left = 0;
    return ::ioctl(writeEnd, FIONREAD, &left) == 0 && left == 0;
  };
  while (!isRead()) {
    if (isOver() && !isRead())
      return false;
    std::this_thread::sleep_for(betweenLooks);
  }
  bool isReplaced = !sys::fs::rename(written.path(), link.path());
  if (isReplaced)
    written.forget();
  close();
  return isReplaced;
}

} // namespace tritium::nvptx
