//===- ThreadPool.h - the pool that runs a grid -----------------*- C++ -*-===//
//
// A launch is a few microseconds long, so the pool must be too. Work is handed out
// through one 64-bit ticket {generation, remaining programs}: whoever swaps a smaller
// `remaining` in has claimed a chunk. Completion counts programs, not workers, so a
// worker that sleeps never delays a launch. Workers spin for a while after work, then
// sleep on a futex; the caller works too.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_RUNTIME_THREADPOOL_H
#define TRITIUM_RUNTIME_THREADPOOL_H

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace tritium::runtime {

class Interruptible;

/// Runs the range [begin, end) of a launch.
using RangeFunction = void (*)(void *context, int64_t begin, int64_t end);

class ThreadPool {
public:
  /// `threads` counts the caller: 1 starts none.
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  /// Covers [0, count) with calls of `function`, each part once, and returns when all
  /// have finished. While another thread uses the pool, runs all of it on the caller.
  /// `work`, if there is one, is polled while the caller waits for the others.
  void run(int64_t count, RangeFunction function, void *context, Interruptible *work = nullptr);

  unsigned size() const { return threads; }

private:
  void work();
  bool claimAndRun();

  const unsigned threads;
  std::vector<std::thread> workers;
  std::atomic<bool> isBusy{false}; ///< it runs a launch

  // The launch that runs now. Written before the ticket that publishes it; read only
  // after a claim on that ticket, which keeps the launch from ending.
  RangeFunction function = nullptr;
  void *context = nullptr;
  int64_t count = 0;
  int64_t unit = 1;   ///< programs that one count of the ticket stands for
  uint32_t units = 0; ///< the ticket's first value

  alignas(64) std::atomic<uint64_t> ticket{0};
  alignas(64) std::atomic<uint32_t> done{0};
  alignas(64) std::atomic<uint32_t> sleepers{0};
  alignas(64) std::atomic<uint32_t> wakeups{0}; ///< the futex
  std::atomic<bool> stopping{false};
};

/// The process's pool, built on first use. A forked child gets one of its own.
ThreadPool &threadPool();
/// 0: TRITIUM_NUM_THREADS, or one thread for each core that the process may run on.
/// Takes effect on the next launch that finds the pool idle.
void setThreadCount(unsigned count);
/// What the next launch will use.
unsigned threadCount();

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_THREADPOOL_H
