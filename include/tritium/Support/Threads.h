//===- Threads.h - threads of our own ---------------------------*- C++ -*-===//

#ifndef TRITIUM_SUPPORT_THREADS_H
#define TRITIUM_SUPPORT_THREADS_H

#include "tritium/Support/ForkGate.h"

#include <csignal>
#include <cstddef>
#include <functional>
#include <pthread.h>
#include <thread>
#include <utility>

namespace tritium {

/// Starts a thread that takes none of the host's signals, which belong to the host's own
/// threads, except for its own faults. A fork waits meanwhile: the C library (glibc 2.36) frees
/// what it knows of an ended thread's stack before it has it marked for the new one, and a child
/// frees that again with its first thread. Throws std::system_error if the system has no more.
template <typename Function> std::thread startThread(Function &&function) {
  sigset_t all, previous;
  sigfillset(&all);
  for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL})
    sigdelset(&all, fault);
  pthread_sigmask(SIG_SETMASK, &all, &previous);
  struct Restore {
    sigset_t &mask;
    ~Restore() { pthread_sigmask(SIG_SETMASK, &mask, nullptr); }
  } restore{previous};
  InsideForkGate inside;
  return std::thread(std::forward<Function>(function));
}

/// Calls `work` with each number below `count`, on a thread for each core that the process may run
/// on, and returns when all of them have. `work` must not throw. Meanwhile `poll` is called on the
/// caller's thread. Where the system has no thread for it, the caller does the work.
void onAllCores(
    size_t count, const std::function<void(size_t)> &work,
    const std::function<void()> &poll = [] {});

} // namespace tritium

#endif // TRITIUM_SUPPORT_THREADS_H
