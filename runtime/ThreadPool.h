//===- ThreadPool.h - the pool that runs a grid -----------------*- C++ -*-===//
//
// A launch is a few microseconds long, so the pool must be too. Each thread has a share of the
// programs, the same one in each launch: neighbours, which read the same memory, run one after the
// other, and what a thread's programs left in its caches, or first touched in its node's memory, is
// there for those of the next launch. A share is one 64-bit word {first, end} in a line of its own,
// from which its thread takes parts at the front and threads that are done take parts at the back,
// by compare-and-swap. A word that has come back to an earlier value is no danger: all else is
// read behind a claim, which keeps the launch from ending. In the same line stands what to run, so
// that a thread which finds its share has it all.
//
// Completion counts programs, not workers, so a worker that sleeps never delays a launch. Workers
// spin for a while after work, then sleep on a futex; the caller works too.
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
  struct alignas(64) Share {
    std::atomic<uint64_t> left{0}; ///< {end, first} of the units that nobody has claimed
    // Of the launch that `left` belongs to. Written before it, and read behind a claim, which keeps
    // the launch from ending; but for `context`, which may be looked at before.
    RangeFunction function = nullptr;
    std::atomic<void *> context{nullptr};
    int64_t count = 0;
    int64_t unit = 1;                         ///< programs that are claimed together
    alignas(64) std::atomic<uint64_t> ran{0}; ///< units that the thread has run, in all launches
  };
  void work(unsigned self);
  bool claimAndRun(unsigned self);
  bool claimFrom(unsigned victim, unsigned self);
  void publish(int64_t count, RangeFunction function, void *context);
  uint64_t ranByAll() const;

  const unsigned threads;
  std::vector<std::thread> workers;
  std::vector<Share> shares; ///< of the caller, then of the workers

  /// It runs a launch. Apart from `shares`, which workers read as they spin.
  alignas(64) std::atomic<bool> isBusy{false};
  uint64_t toRun = 0; ///< units of the launch that runs now, and all before it

  alignas(64) std::atomic<uint32_t> launches{0}; ///< begun and ended: odd while one runs
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
