//===- ThreadPool.cpp - the pool that runs a grid -------------------------===//

#include "ThreadPool.h"
#include "Interrupt.h"
#include "MemoryNodes.h"

#include "tritium/Support/Settings.h"
#include "tritium/Support/Threads.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <linux/futex.h>
#include <map>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>

using namespace tritium;
using namespace tritium::runtime;

namespace {

/// About 50 us on current x86: longer than the gap between launches of a busy host.
constexpr unsigned spinLimit = 2000;
/// A thread that has run its share lets the others run theirs for so long, a microsecond or two,
/// before it looks at them: to look is to take their lines, in the middle of a short launch.
constexpr unsigned spinsBetweenLookouts = 32;
/// The same of the launching thread, which runs at once what nobody may be awake for.
constexpr unsigned spinsBeforeTaking = 12;

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

/// Of what ThreadPool::launches was.
bool isRunning(uint32_t launches) { return launches % 2; }

/// By the only thread that writes it now.
void advance(std::atomic<uint32_t> &count) {
  count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

/// Where thread `i` of so many runs: nodes have as many of them as they have cores.
const cpu_set_t &nodeOf(unsigned i, unsigned threads, const std::vector<cpu_set_t> &nodes) {
  uint64_t cores = 0;
  for (const cpu_set_t &node : nodes)
    cores += CPU_COUNT(&node);
  uint64_t core = i * cores / threads;
  for (const cpu_set_t &node : nodes) {
    uint64_t count = CPU_COUNT(&node);
    if (core < count)
      return node;
    core -= count;
  }
  return nodes.back();
}

} // namespace

ThreadPool::ThreadPool(unsigned threads)
    : threads(std::max(1u, threads)), shares(std::max(1u, threads)) {
  std::vector<cpu_set_t> nodes = this->threads > 1 ? memoryNodes() : std::vector<cpu_set_t>();
  for (unsigned i = 1; i < this->threads; ++i) {
    try {
      workers.push_back(startThread([this, i] { work(i); }));
    } catch (const std::system_error &) {
      break; // those that are there take the shares of the others
    }
    // Neighbours share memory, so they stay at one node.
    if (nodes.size() > 1) {
      const cpu_set_t &node = nodeOf(i, this->threads, nodes);
      pthread_setaffinity_np(workers.back().native_handle(), sizeof(node), &node);
    }
  }
}

ThreadPool::~ThreadPool() {
  stopping.store(true);
  wakeups.fetch_add(1);
  futexWakeAll(wakeups);
  for (std::thread &worker : workers)
    worker.join();
}

/// Runs a part of the share of `victim`: half of what is left of it, so that others find some and
/// the threads finish together. Returns whether there was one.
bool ThreadPool::claimFrom(unsigned victim, unsigned self) {
  Share &share = shares[victim];
  std::atomic<uint64_t> &left = share.left;
  uint64_t seen = left.load(); // in one order with `sleepers`
  while (true) {
    uint32_t first = static_cast<uint32_t>(seen), end = static_cast<uint32_t>(seen >> 32);
    if (first >= end)
      return false;
    // A claim waits until this thread alone has the share's line. What the programs read first
    // comes meanwhile.
    auto *context = static_cast<const char *>(share.context.load(std::memory_order_relaxed));
    __builtin_prefetch(context);
    __builtin_prefetch(context + 64);
    uint32_t part = (end - first + 1) / 2;
    bool isOwn = victim == self;
    uint64_t rest = isOwn ? seen + part : seen - (static_cast<uint64_t>(part) << 32);
    if (!left.compare_exchange_weak(seen, rest, std::memory_order_acq_rel))
      continue;
    int64_t begin = static_cast<int64_t>(isOwn ? first : end - part) * share.unit;
    int64_t behind = begin + static_cast<int64_t>(part) * share.unit;
    share.function(share.context.load(std::memory_order_relaxed), begin,
                   std::min(share.count, behind));
    shares[self].ran.fetch_add(part, std::memory_order_release);
    return true;
  }
}

/// Runs the thread's share, then parts of those of the threads behind it, until there are none.
bool ThreadPool::claimAndRun(unsigned self) {
  bool ran = false;
  for (unsigned behind = 0; behind < threads; ++behind)
    while (claimFrom((self + behind) % threads, self))
      ran = true;
  return ran;
}

void ThreadPool::work(unsigned self) {
  unsigned spins = 0;
  uint32_t looked = 0; // the launch whose shares it has looked at
  while (!stopping.load(std::memory_order_relaxed)) {
    // A thread looks at its own share, whose line nobody else has, and now and then whether a
    // launch runs of which it has not looked at the others' shares. Once is enough: they shrink.
    bool isLookout = spins % spinsBetweenLookouts == spinsBetweenLookouts - 1;
    uint32_t launch = isLookout ? launches.load(std::memory_order_acquire) : looked;
    bool ran = claimFrom(self, self);
    if (isRunning(launch) && launch != looked) {
      looked = launch;
      ran |= claimAndRun(self);
    }
    spins = ran ? 0 : spins + 1;
    if (spins < spinLimit) {
      relax();
      continue;
    }
    // The launcher publishes the shares before it reads `sleepers`, and this reads them after it
    // has counted itself, so one of the two sees the other.
    uint32_t expected = wakeups.load();
    sleepers.fetch_add(1);
    if (!claimAndRun(self) && !stopping.load())
      futexWait(wakeups, expected);
    sleepers.fetch_sub(1);
    claimAndRun(self);
    spins = 0;
  }
}

/// Deals out the units: neighbours to one thread, no thread more than one unit more than another.
/// One barrier behind all stores: the lines, which the threads look at, come here side by side,
/// and with them that of `launches`.
void ThreadPool::publish(int64_t count, RangeFunction function, void *context) {
  constexpr int64_t most = std::numeric_limits<uint32_t>::max();
  int64_t unit = (count + most - 1) / most;
  auto units = static_cast<uint32_t>((count + unit - 1) / unit);
  toRun += units;
  uint32_t first = 0;
  for (unsigned i = 0; i < threads && first < units; ++i) {
    uint32_t end = static_cast<uint32_t>(uint64_t(units) * (i + 1) / threads);
    // A grid smaller than the pool goes to its first threads.
    if (units < threads)
      end = i + 1;
    Share &share = shares[i];
    share.function = function;
    share.context.store(context, std::memory_order_relaxed);
    share.count = count;
    share.unit = unit;
    share.left.store(static_cast<uint64_t>(end) << 32 | first, std::memory_order_release);
    first = end;
  }
  advance(launches);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

uint64_t ThreadPool::ranByAll() const {
  uint64_t sum = 0;
  for (const Share &share : shares)
    sum += share.ran.load(std::memory_order_acquire);
  return sum;
}

void ThreadPool::run(int64_t count, RangeFunction function, void *context, Interruptible *work) {
  if (count <= 0)
    return;
  if (count == 1 || threads == 1 || isBusy.exchange(true, std::memory_order_acquire))
    return function(context, 0, count);

  publish(count, function, context);
  bool someSleep = sleepers.load() != 0;
  if (someSleep) {
    wakeups.fetch_add(1);
    futexWakeAll(wakeups);
  }
  while (claimFrom(0, 0)) {
  }
  // The last parts run elsewhere. On a machine with more work than cores their thread may need
  // this core.
  unsigned patience = someSleep ? 0 : spinsBeforeTaking;
  for (unsigned spins = 0; ranByAll() != toRun; ++spins) {
    if (spins == patience)
      claimAndRun(0);
    if (work)
      work->poll();
    if (spins < spinLimit)
      relax();
    else
      sched_yield();
  }
  advance(launches);
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
