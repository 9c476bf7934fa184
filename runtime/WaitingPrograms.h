//===- WaitingPrograms.h - programs that wait for other ones ----*- C++ -*-===//
//
// A grid promises that all of its programs run, not that they run at once. A program that
// waits in a loop, until a lock is free or a counter full, may wait for one that has not begun.
// So each runs on a thread that can be put aside: at most `atOnce` threads have a turn, and a
// program that waits hands its turn to the next one that was put aside.
//
// When all that have begun wait, others begin, on threads of their own: as many as wait, so that
// a chain of any order costs rounds by its logarithm. A kernel of which the programs wait only a
// moment never needs a thread beyond the pool's.
//
// When all wait, none can begin, and none has left its loop for the time of
// TRITIUM_WAIT_SECONDS (10; 0 is for ever), the launch ends with what waits where.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_RUNTIME_WAITINGPROGRAMS_H
#define TRITIUM_RUNTIME_WAITINGPROGRAMS_H

#include "Interrupt.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace tritium::runtime {

/// A program in a loop that waits.
struct WaitSite {
  const char *file = ""; ///< lives as long as the launch
  int line = 0;
  uint32_t pid[3] = {};
};

class WaitingPrograms {
public:
  /// What each thread does: runs the programs that next() gives.
  using Runner = llvm::function_ref<void(WaitingPrograms &)>;

  WaitingPrograms(int64_t programs, unsigned atOnce, Runner runner, Interruptible &work);
  WaitingPrograms(const WaitingPrograms &) = delete;
  WaitingPrograms &operator=(const WaitingPrograms &) = delete;

  /// Runs all programs, on the process's pool, and returns when no thread runs one any more.
  void run();

  /// For a runner: ends the calling thread's program and begins another. False: there is none,
  /// or the work is to end.
  bool next(int64_t &program);

  /// For a program: it has gone `rounds` times round the loop at `site` and waits. Returns when
  /// it should look again; true if it is to end.
  bool wait(const WaitSite &site, uint32_t rounds);

  struct Stuck : WaitSite {
    std::string reason; ///< for a message
  };
  /// Set if the launch was ended because it would have waited for ever.
  const std::optional<Stuck> &stuckAt() const { return stuck; }

private:
  /// A thread that runs programs.
  struct Thread {
    std::condition_variable turn;
    bool hasTurn = true;
    bool isLive = false;     ///< it is in a program
    bool isSpare = false;    ///< made to begin a program, which it has not yet
    uint64_t markedIn = 0;   ///< the latest round in which its program waited
    uint32_t lastRounds = 0; ///< of the program's latest wait
  };
  using Lock = std::unique_lock<std::mutex>;

  void work(Thread &self);
  void startThread();
  void passTurn();
  void awaitTurn(Thread &self, Lock &lock);
  void lookForProgress();
  bool completeRound(const WaitSite &site);
  void describeStuck();

  const int64_t total;
  const unsigned atOnce;
  const Runner runner;
  Interruptible &owner;
  const std::thread::id ownerThread = std::this_thread::get_id();
  const double secondsToWait;

  static thread_local Thread *current;

  std::atomic<int64_t> begun{0}; ///< may be more than there are
  std::atomic<size_t> live{0};
  std::atomic<uint64_t> progress{0}; ///< programs that began, ended, or left a loop

  std::mutex mutex; ///< guards what follows
  int64_t spare = 0;
  size_t marked = 0;
  uint64_t seenProgress = 0;
  uint64_t round = 1;     ///< ends when each live program has waited in it
  unsigned fruitless = 0; ///< rounds since something was got done
  unsigned overdue = 0;   ///< those of them after the time was up
  std::chrono::steady_clock::time_point lastProgress = std::chrono::steady_clock::now();
  std::deque<Thread *> aside; ///< that wait for a turn, the next one first
  std::deque<Thread> made;    ///< beyond the pool's
  std::vector<std::thread> threads;
  size_t running = 0; ///< of `threads`
  std::condition_variable ended;
  bool isFull = false; ///< no more threads are to be had
  std::optional<Stuck> stuck;
};

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_WAITINGPROGRAMS_H
