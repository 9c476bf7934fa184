//===- ThreadPool.cpp - the pool that runs a grid -------------------------===//

#include "ThreadPool.h"
#include "Interrupt.h"
#include "Threads.h"

#include "tritium/Support/Settings.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <linux/futex.h>
#include <map>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace tritium::runtime;

namespace {

/// About 50 us on current x86: longer than the gap between launches of a busy host.
constexpr unsigned spinLimit = 2000;

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

void futexWait(std::atomic<uint32_t> &word, uint32_t expected) {
  syscall(SYS_futex, reinterpret_cast<uint32_t *>(&word), FUTEX_WAIT_PRIVATE, expected, nullptr,
          nullptr, 0);
}

void futexWakeAll(std::atomic<uint32_t> &word) {
  syscall(SYS_futex, reinterpret_cast<uint32_t *>(&word), FUTEX_WAKE_PRIVATE,
          std::numeric_limits<int>::max(), nullptr, nullptr, 0);
}

} // namespace

ThreadPool::ThreadPool(unsigned threads) : threads(std::max(1u, threads)) {
  for (unsigned i = 1; i < this->threads; ++i)
    workers.push_back(startThread([this] { work(); }));
}

ThreadPool::~ThreadPool() {
  stopping.store(true);
  wakeups.fetch_add(1);
  futexWakeAll(wakeups);
  for (std::thread &worker : workers)
    worker.join();
}

/// Claims chunks until none is left. Chunks shrink with what remains, so that the
/// threads finish together. Returns whether it ran anything.
bool ThreadPool::claimAndRun() {
  uint64_t seen = ticket.load(std::memory_order_acquire);
  bool ran = false;
  while (uint32_t remaining = static_cast<uint32_t>(seen)) {
    uint32_t chunk = std::min(remaining, std::max(1u, remaining / (2 * threads)));
    if (!ticket.compare_exchange_weak(seen, seen - chunk, std::memory_order_acq_rel))
      continue;
    int64_t begin = static_cast<int64_t>(units - remaining) * unit;
    function(context, begin, std::min(count, begin + static_cast<int64_t>(chunk) * unit));
    done.fetch_add(chunk, std::memory_order_acq_rel);
    ran = true;
    seen = ticket.load(std::memory_order_acquire);
  }
  return ran;
}

void ThreadPool::work() {
  unsigned spins = 0;
  while (!stopping.load(std::memory_order_relaxed)) {
    if (claimAndRun()) {
      spins = 0;
      continue;
    }
    if (spins++ < spinLimit) {
      relax();
      continue;
    }
    // The launcher publishes the ticket before it reads `sleepers`, and this reads the
    // ticket after it has counted itself, so one of the two sees the other.
    uint32_t expected = wakeups.load();
    sleepers.fetch_add(1);
    if (static_cast<uint32_t>(ticket.load()) == 0 && !stopping.load())
      futexWait(wakeups, expected);
    sleepers.fetch_sub(1);
    spins = 0;
  }
}

void ThreadPool::run(int64_t total, RangeFunction newFunction, void *newContext,
                     Interruptible *work) {
  if (total <= 0)
    return;
  if (total == 1 || threads == 1 || isBusy.exchange(true, std::memory_order_acquire))
    return newFunction(newContext, 0, total);

  function = newFunction;
  context = newContext;
  count = total;
  constexpr int64_t most = std::numeric_limits<uint32_t>::max();
  unit = (total + most - 1) / most;
  units = static_cast<uint32_t>((total + unit - 1) / unit);
  done.store(0, std::memory_order_relaxed);
  uint64_t generation = (ticket.load(std::memory_order_relaxed) >> 32) + 1;
  ticket.store(generation << 32 | units);
  if (sleepers.load()) {
    wakeups.fetch_add(1);
    futexWakeAll(wakeups);
  }
  claimAndRun();
  // The last chunks run elsewhere. On a machine with more work than cores their thread
  // may need this core.
  for (unsigned spins = 0; done.load(std::memory_order_acquire) != units; ++spins) {
    if (work)
      work->poll();
    if (spins < spinLimit)
      relax();
    else
      sched_yield();
  }
  isBusy.store(false, std::memory_order_release);
}

//===-- The process's pool ------------------------------------------------===//

namespace {

struct ProcessPool {
  std::mutex mutex;
  std::atomic<ThreadPool *> pool{nullptr};
  std::map<unsigned, ThreadPool *> bySize; ///< pools that were in use stay, asleep
  unsigned requested = 0;
};

/// Never destroyed: a launch may still run while the process exits.
ProcessPool *process = new ProcessPool;

unsigned defaultThreads() {
  std::optional<uint64_t> chosen = tritium::settings::NumThreads.integer();
  if (chosen && *chosen >= 1 && *chosen <= 4096)
    return static_cast<unsigned>(*chosen);
  cpu_set_t cpus;
  if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0)
    return std::max(1, CPU_COUNT(&cpus));
  return std::max(1u, std::thread::hardware_concurrency());
}

/// Only the forking thread exists in the child: the parent's pool is left alone, with
/// whatever state its locks are in, and the child starts afresh.
void forgetPoolAfterFork() {
  unsigned requested = process->requested;
  process = new ProcessPool;
  process->requested = requested;
}

} // namespace

ThreadPool &tritium::runtime::threadPool() {
  if (ThreadPool *pool = process->pool.load(std::memory_order_acquire))
    return *pool;
  std::lock_guard lock(process->mutex);
  if (ThreadPool *pool = process->pool.load())
    return *pool;
  static bool registered = pthread_atfork(nullptr, nullptr, forgetPoolAfterFork) == 0;
  (void)registered;
  unsigned threads = process->requested ? process->requested : defaultThreads();
  ThreadPool *&pool = process->bySize[threads];
  if (!pool)
    pool = new ThreadPool(threads);
  process->pool.store(pool, std::memory_order_release);
  return *pool;
}

void tritium::runtime::setThreadCount(unsigned count) {
  std::lock_guard lock(process->mutex);
  process->requested = std::min(count, 4096u);
  // Another thread may be inside the old pool, so that one is kept.
  process->pool.store(nullptr, std::memory_order_release);
}

unsigned tritium::runtime::threadCount() {
  std::lock_guard lock(process->mutex);
  if (ThreadPool *pool = process->pool.load())
    return pool->size();
  return process->requested ? process->requested : defaultThreads();
}
