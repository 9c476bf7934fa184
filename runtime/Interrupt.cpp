//===- Interrupt.cpp - ending from outside what runs on the host ----------===//

#include "Interrupt.h"
#include "Signature.h"

#include "tritium/Support/ForkGate.h"
#include "tritium/Support/Threads.h"

#include <chrono>
#include <pthread.h>

using namespace tritium;
using namespace tritium::runtime;

namespace {

using ThreadState = Interruptible::ThreadState;

constexpr auto tick = std::chrono::milliseconds(50);
/// Ticks without any work after which the watcher sleeps until there is some.
constexpr unsigned idleTicks = 20;

std::atomic<InterruptCheck> check{nullptr};
std::atomic<void *> checkUser{nullptr};
std::atomic<uint64_t> cancellations{0};
/// Of all threads that have worked. Grows only; a state whose thread has ended is used again.
std::atomic<ThreadState *> states{nullptr};

//===-- The state of a thread ---------------------------------------------===//

ThreadState &makeState() {
  for (ThreadState *state = states.load(); state; state = state->next) {
    bool isFree = true;
    if (state->isFree.compare_exchange_strong(isFree, false))
      return *state;
  }
  auto *made = new ThreadState;
  made->next = states.load();
  while (!states.compare_exchange_weak(made->next, made)) {
  }
  return *made;
}

struct Holder {
  ThreadState *state = nullptr;
  ~Holder() {
    if (state)
      state->isFree.store(true);
  }
};
thread_local Holder holder;
thread_local ThreadState *current = nullptr;

ThreadState &threadState() {
  if (!current) [[unlikely]]
    current = holder.state = &makeState();
  return *current;
}

//===-- The watcher -------------------------------------------------------===//

/// A thread of its own, which sleeps while nothing runs.
struct Watcher {
  std::atomic<uint32_t> isAsleep{1}; ///< also before it is started
  std::atomic<bool> isStarted{false};

  void wake() {
    if (!isAsleep.exchange(0))
      return;
    if (isStarted.exchange(true)) {
      isAsleep.notify_all();
      return;
    }
    try {
      startThread([this] { watch(); }).detach();
    } catch (const std::system_error &) {
      isStarted = false; // the next piece of work tries again
      isAsleep = 1;
    }
  }

private:
  void watch() {
    for (unsigned idle = 0;; ++idle) {
      std::this_thread::sleep_for(tick);
      if (look())
        idle = 0;
      if (idle < idleTicks)
        continue;
      // Work that begins either sees this, or is seen by one more look.
      isAsleep.store(1);
      if (look())
        isAsleep.store(0);
      isAsleep.wait(1);
      idle = 0;
    }
  }

  /// Calls for attention where work has lasted since the last look. Whether there was any work.
  static bool look() {
    bool isAnyBusy = false;
    for (ThreadState *state = states.load(); state; state = state->next) {
      uint64_t number = state->number.load();
      bool isBusy = number % 2 == 1, isOld = number == state->seen;
      if (isBusy && isOld)
        state->attention.store(1);
      isAnyBusy |= isBusy || !isOld;
      state->seen = number;
    }
    return isAnyBusy;
  }
};

/// Never destroyed: its thread runs until the process ends.
Watcher *watcher = new Watcher;

/// The child has no thread but this one, and no watcher.
[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, [] {
  watcher = new Watcher;
  for (ThreadState *state = states.load(); state; state = state->next)
    if (state != current) {
      state->number.store(0);
      state->depth = 0;
      state->isFree.store(true);
    }
});

} // namespace

//===-- Work --------------------------------------------------------------===//

void tritium::runtime::setInterruptCheck(InterruptCheck newCheck, void *user) {
  checkUser.store(user);
  check.store(newCheck);
}

void tritium::runtime::cancelAll() {
  cancellations.fetch_add(1);
  for (ThreadState *state = states.load(); state; state = state->next)
    state->attention.store(1);
}

Interruptible::Interruptible() : state(threadState()) {
  if (state.depth++ > 0)
    return;
  state.cancelled = cancellations.load(std::memory_order_relaxed);
  state.isEnded = false;
  uint64_t number = state.number.load(std::memory_order_relaxed) + 1;
  if (!check.load(std::memory_order_relaxed)) {
    state.number.store(number, std::memory_order_relaxed);
    return;
  }
  // In one order with the watcher's sleep.
  state.number.store(number);
  if (watcher->isAsleep.load()) [[unlikely]]
    watcher->wake();
}

Interruptible::~Interruptible() {
  if (--state.depth > 0)
    return;
  state.number.store(state.number.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  if (state.attention.load(std::memory_order_relaxed)) [[unlikely]]
    state.attention.store(0);
}

/// Asks the host. An exception, which nothing can throw through a compiled kernel, ends it, too.
static bool hostWantsEnd() {
  OutsideForkGate outside;
  InterruptCheck ask = check.load();
  try {
    return ask && ask(checkUser.load()) != 0;
  } catch (...) {
    return true;
  }
}

bool Interruptible::attend() {
  if (isStopped())
    return true;
  if (&state == current) {
    state.attention.store(0);
    state.isEnded = state.isEnded || hostWantsEnd();
    if (cancellations.load() != state.cancelled || state.isEnded)
      stop();
  } else if (cancellations.load() != state.cancelled) {
    stop();
  }
  return isStopped();
}

void Interruptible::stop() {
  stopped.store(true);
  state.attention.store(1);
}

CompileError tritium::runtime::interruptedError(const std::string &kernel) {
  return launchError("Interrupted", kernel.empty() ? std::string("interrupted")
                                                   : "kernel '" + kernel +
                                                         "' was interrupted; what it has "
                                                         "written so far stays");
}

bool tritium::runtime::isInterrupted(const CompileError &error) {
  return error.kind == "Interrupted";
}
