//===- Interrupt.h - ending from outside what runs on the host --*- C++ -*-===//
//
// Whatever may run for long on the host (a launch, a simulation, tuning, a wait for a GPU)
// stands in an Interruptible. Its `attention` is a word that the work looks at often; it costs
// a load while it is 0. Two set it: cancelAll(), and a thread of ours that finds work of more
// than 50 ms where the host wants to be asked whether to go on (setInterruptCheck). Who sees it
// calls `attend`, and ends if that answers true.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_RUNTIME_INTERRUPT_H
#define TRITIUM_RUNTIME_INTERRUPT_H

#include "tritium/Kernel/CompileError.h"

#include <atomic>
#include <cstdint>

namespace tritium::runtime {

/// Called on the thread whose work lasts, about every 50 ms and not before 50 ms; it may enter
/// the host's interpreter. Not 0: the work is to end.
using InterruptCheck = int (*)(void *user);
/// Null: nobody is asked. Set once, before anything runs.
void setInterruptCheck(InterruptCheck check, void *user);

/// Ends all that runs in an Interruptible now, in all threads. May be called from any thread and
/// from a signal handler.
void cancelAll();

class Interruptible {
public:
  /// The calling thread's work begins; it owns what it does until this is destroyed. Nests: what
  /// ends the outer work ends the inner one.
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible &) = delete;
  Interruptible &operator=(const Interruptible &) = delete;

  /// Whether somebody should call `attend`.
  const std::atomic<uint32_t> &attention() const { return state.attention; }
  /// Whether the work is to end. Called by any thread that takes part in it; the host is asked
  /// by the owner only.
  bool attend();
  /// Both: whether the work is to end, by the latest that is known.
  bool poll() { return attention().load(std::memory_order_relaxed) != 0 && attend(); }
  /// Ends the work.
  void stop();
  bool isStopped() const { return stopped.load(std::memory_order_relaxed); }

  /// What one thread's work looks at.
  struct ThreadState {
    /// In a line of its own, which all threads that take part in the work keep from one launch to
    /// the next: what stands behind it is written in each.
    alignas(64) std::atomic<uint32_t> attention{0};
    /// Odd while the thread works; another number for each piece of work.
    alignas(64) std::atomic<uint64_t> number{0};
    uint64_t seen = 0; ///< the number that the watcher saw last
    unsigned depth = 0;
    uint64_t cancelled = 0; ///< what was cancelled before the work began
    /// The host, which says so once, wants the work to end: inner and outer. Its own thread's.
    bool isEnded = false;
    std::atomic<bool> isFree{false};
    ThreadState *next = nullptr;
  };

private:
  ThreadState &state;
  std::atomic<bool> stopped{false};
};

/// The error of work that was ended from outside. `kernel` may be empty.
CompileError interruptedError(const std::string &kernel);
bool isInterrupted(const CompileError &error);

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_INTERRUPT_H
