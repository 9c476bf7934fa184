//===- ForkGate.cpp - forks that leave the child working ------------------===//

#include "tritium/Support/ForkGate.h"

#include <atomic>
#include <cstdint>
#include <cxxabi.h>
#include <pthread.h>
#include <utility>

using namespace tritium;

/// The library, which stays loaded as long as a thread has such an end.
extern "C" void *__dso_handle __attribute__((visibility("hidden")));

namespace {

/// How many threads are inside, and whether one forks.
constexpr uint32_t forking = uint32_t(1) << 31;
std::atomic<uint32_t> gate{0};
thread_local unsigned depth = 0;
thread_local bool waitsInFork = false;

/// Waits until no fork is in progress, then adds `amount`.
void add(uint32_t amount) {
  uint32_t seen = gate.load(std::memory_order_relaxed);
  while (true) {
    if (seen & forking) {
      gate.wait(seen);
      seen = gate.load(std::memory_order_relaxed);
    } else if (gate.compare_exchange_weak(seen, seen + amount)) {
      return;
    }
  }
}

void enter() { add(1); }

void leave() {
  if (gate.fetch_sub(1) == (forking | 1))
    gate.notify_all();
}

/// A thread that forks from inside the gate runs another program next: nobody waits for it.
void beforeFork() {
  waitsInFork = depth == 0;
  if (!waitsInFork)
    return;
  add(forking);
  for (uint32_t seen = gate.load(); seen != forking; seen = gate.load())
    gate.wait(seen);
}

void afterForkInParent() {
  if (!waitsInFork)
    return;
  gate.fetch_and(~forking);
  gate.notify_all();
}

void afterForkInChild() { gate.store(depth ? 1 : 0); }

[[maybe_unused]] const int registered =
    pthread_atfork(beforeFork, afterForkInParent, afterForkInChild);

/// What a thread's end destroys comes in the reverse order of its making: of what was made between
/// these two, which it calls as it does destructors, all goes inside the gate. At the end of the
/// process, too, the thread has left before functions of atexit, which may wait for a fork.
thread_local bool leavesAtEnd = false, isEnding = false;

void leaveAtThreadEnd(void *) {
  leavesAtEnd = false;
  if (std::exchange(isEnding, false) && --depth == 0)
    leave();
}

void enterAtThreadEnd(void *) {
  if (std::exchange(isEnding, true) || depth++ > 0)
    return;
  enter();
}

void atThreadEnd(void (*function)(void *)) {
  abi::__cxa_thread_atexit(function, nullptr, &__dso_handle);
}

} // namespace

InsideForkGate::InsideForkGate() {
  if (depth++ == 0)
    enter();
}

InsideForkGate::~InsideForkGate() {
  if (--depth == 0)
    leave();
}

InsideForkGateToCompile::InsideForkGateToCompile() {
  if (!std::exchange(leavesAtEnd, true))
    atThreadEnd(leaveAtThreadEnd);
}

// Each time: there may be caches that were not there the last time.
InsideForkGateToCompile::~InsideForkGateToCompile() { atThreadEnd(enterAtThreadEnd); }

OutsideForkGate::OutsideForkGate() : entered(depth) {
  depth = 0;
  if (entered)
    leave();
}

OutsideForkGate::~OutsideForkGate() {
  if (entered)
    enter();
  depth = entered;
}
