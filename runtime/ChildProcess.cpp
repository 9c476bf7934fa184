//===- ChildProcess.cpp - work on a copy of this process's memory ---------===//

#include "ChildProcess.h"
#include "HostOutput.h"
#include "Interrupt.h"

#include "tritium/Support/ForkGate.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tritium;
using namespace tritium::runtime;

namespace {

/// Behind all that a child has to say: without it, it has ended early.
constexpr char endMark = '.';

bool writeAll(int file, const char *data, size_t size) {
  while (size) {
    ssize_t written = write(file, data, size);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    data += written;
    size -= static_cast<size_t>(written);
  }
  return true;
}

std::optional<std::string> readAll(int file) {
  off_t size = lseek(file, 0, SEEK_END);
  if (size <= 0)
    return std::nullopt;
  std::string text(static_cast<size_t>(size), '\0');
  for (size_t at = 0; at < text.size();) {
    ssize_t got = pread(file, text.data() + at, text.size() - at, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return std::nullopt;
    at += static_cast<size_t>(got);
  }
  if (text.back() != endMark)
    return std::nullopt;
  text.pop_back();
  return text;
}

/// Handlers are the host's, and may wait for threads that are not here.
void dropSignalHandlers() {
  for (int number = 1; number < SIGRTMIN; ++number) {
    struct sigaction action;
    if (sigaction(number, nullptr, &action) != 0 || action.sa_handler == SIG_IGN)
      continue;
    action = {};
    action.sa_handler = SIG_DFL;
    sigaction(number, &action, nullptr);
  }
}

/// What `work` printed in front of what it says, for the parent's printer.
std::string printedAndSaid(const std::function<std::string()> &work) {
  std::string printed;
  setPrinter([](void *user, const char *text,
                size_t size) { static_cast<std::string *>(user)->append(text, size); },
             &printed);
  std::string said = work();
  return std::to_string(printed.size()) + '\n' + printed + said + endMark;
}

[[noreturn]] void workAsChild(const std::function<std::string()> &work, int file,
                              const sigset_t &signals) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dropSignalHandlers();
  pthread_sigmask(SIG_SETMASK, &signals, nullptr);
  // Nobody is to wait for the end of a pipe that is open here alone.
  auto kept = static_cast<unsigned>(file);
  if (kept > STDERR_FILENO + 1)
    close_range(STDERR_FILENO + 1, kept - 1, 0);
  close_range(kept + 1, ~0u, 0);
  // The host's locks may be held by threads that are not here.
  setInterruptCheck(nullptr, nullptr);
  bool isDone = false;
  try {
    std::string text = printedAndSaid(work);
    isDone = writeAll(file, text.data(), text.size());
  } catch (...) { // no memory; the mark is missing
  }
  _exit(isDone ? 0 : 1);
}

/// Until the child has ended. Its status; 0 if the host, which may wait for all children, has it.
int waitFor(pid_t child, Interruptible &interruptible) {
  int status = 0;
  while (true) {
    pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child)
      return status;
    if (ended < 0 && errno != EINTR)
      return 0;
    if (interruptible.poll())
      kill(child, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

} // namespace

std::optional<std::string>
tritium::runtime::inChildProcess(const std::function<std::string()> &work, std::string &why) {
  int file = memfd_create("tritium", MFD_CLOEXEC);
  if (file < 0) {
    why = std::string("no file for what a child process says: ") + std::strerror(errno);
    return std::nullopt;
  }
  pid_t child;
  sigset_t all, signals;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &signals);
  {
    OutsideForkGate outside; // a fork waits until nobody is inside
    child = fork();
  }
  if (child == 0)
    workAsChild(work, file, signals);
  pthread_sigmask(SIG_SETMASK, &signals, nullptr);
  if (child < 0)
    why = std::string("no child process: ") + std::strerror(errno);
  std::optional<std::string> made;
  if (child > 0) {
    Interruptible interruptible;
    int status = waitFor(child, interruptible);
    made = readAll(file);
    if (interruptible.isStopped())
      why = interruptedError("").message;
    else if (!made)
      why = WIFSIGNALED(status)
                ? std::string("a child process ended by ") + strsignal(WTERMSIG(status))
                : "a child process ended early";
    if (interruptible.isStopped())
      made.reset();
    if (made) {
      size_t size = std::stoul(*made), begin = made->find('\n') + 1;
      if (size)
        printText(made->substr(begin, size));
      made->erase(0, begin + size);
    }
  }
  close(file);
  return made;
}
