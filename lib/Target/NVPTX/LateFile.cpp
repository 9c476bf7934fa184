//===- LateFile.cpp - a file that is opened before it is written ----------===//

#include "LateFile.h"

#include "llvm/Support/FileSystem.h"

#include <chrono>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace llvm;

namespace tritium::nvptx {

LateFile::LateFile(const char *suffix) : waiting(suffix), written(suffix) {
  if (!waiting.exists() || !written.exists())
    return;
  std::string name = waiting.path().str();
  if (!sys::fs::remove(name) && ::mkfifo(name.c_str(), 0600) == 0)
    pipe = ::open(name.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
}

LateFile::~LateFile() { close(); }

void LateFile::close() {
  if (pipe >= 0)
    ::close(pipe);
  pipe = -1;
}

bool LateFile::write(StringRef text, function_ref<bool()> isOver) {
  constexpr size_t usual = 65536;
  constexpr std::chrono::microseconds betweenLooks(50);
  if (!exists() || (text.size() > usual && ::fcntl(pipe, F_SETPIPE_SZ, int(text.size())) < 0) ||
      !written.write(text) || ::write(pipe, text.data(), text.size()) != ssize_t(text.size()))
    return false;
  auto isRead = [&] {
    int left = 0;
    return ::ioctl(pipe, FIONREAD, &left) == 0 && left == 0;
  };
  while (!isRead()) {
    if (isOver() && !isRead())
      return false;
    std::this_thread::sleep_for(betweenLooks);
  }
  bool isReplaced = !sys::fs::rename(written.path(), waiting.path());
  close();
  return isReplaced;
}

} // namespace tritium::nvptx
