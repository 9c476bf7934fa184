//===- WaitingPrograms.cpp - programs that wait for other ones ------------===//

#include "WaitingPrograms.h"
#include "ThreadPool.h"

#include "tritium/Support/Settings.h"
#include "tritium/Support/Threads.h"

#include <algorithm>
#include <cstdio>
#include <sched.h>
#include <utility>

using namespace tritium;
using namespace tritium::runtime;

namespace {

/// Rounds of a loop in which the program that is waited for may well get done on its own core:
/// some 20 us.
constexpr uint32_t shortWait = 2048;
/// Threads of one launch.
constexpr size_t mostThreads = 4096;
/// How often a waiting owner looks whether the work is to end.
constexpr auto glance = std::chrono::milliseconds(20);

} // namespace

thread_local WaitingPrograms::Thread *WaitingPrograms::current = nullptr;

WaitingPrograms::WaitingPrograms(int64_t programs, unsigned atOnce, Runner runner,
                                 Interruptible &work)
    : total(programs), atOnce(atOnce), runner(runner), owner(work),
      secondsToWait(*tritium::settings::WaitSeconds.number()) {}

//===-- Threads -----------------------------------------------------------===//

void WaitingPrograms::run() {
  auto runUnits = [](void *self, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Thread thread;
      static_cast<WaitingPrograms *>(self)->work(thread);
    }
  };
  threadPool().run(std::min<int64_t>(total, atOnce), runUnits, this, &owner);
  Lock lock(mutex);
  while (running > 0) {
    ended.wait_for(lock, glance);
    lock.unlock();
    owner.poll();
    lock.lock();
    if (owner.isStopped())
      for (Thread *thread : aside)
        thread->turn.notify_one();
  }
  lock.unlock();
  for (std::thread &thread : threads)
    thread.join();
}

/// Runs programs on the calling thread, which has a turn.
void WaitingPrograms::work(Thread &self) {
  Thread *outer = std::exchange(current, &self);
  runner(*this);
  current = outer;
  // A runner may end in the middle of a program, when the work is to end.
  live -= self.isLive;
  Lock lock(mutex);
  passTurn();
}

/// One more thread, which gets its turn after those that are put aside. Called with the lock.
void WaitingPrograms::startThread() {
  Thread &thread = made.emplace_back();
  thread.hasTurn = false;
  thread.isSpare = true;
  try {
    threads.push_back(tritium::startThread([this, &thread] {
      {
        Lock lock(mutex);
        awaitTurn(thread, lock);
      }
      work(thread);
      Lock lock(mutex);
      if (--running == 0)
        ended.notify_one();
    }));
  } catch (const std::system_error &) {
    isFull = true;
    return;
  }
  ++running;
  ++spare;
  isFull = threads.size() == mostThreads;
  aside.push_back(&thread);
}

/// Gives the calling thread's turn to the one that has waited longest. Called with the lock.
void WaitingPrograms::passTurn() {
  if (aside.empty())
    return;
  aside.front()->hasTurn = true;
  aside.front()->turn.notify_one();
  aside.pop_front();
}

void WaitingPrograms::awaitTurn(Thread &self, Lock &lock) {
  bool isOwner = std::this_thread::get_id() == ownerThread;
  while (!self.hasTurn && !owner.isStopped()) {
    if (!isOwner) {
      self.turn.wait(lock);
      continue;
    }
    self.turn.wait_for(lock, glance);
    lock.unlock();
    owner.poll();
    lock.lock();
  }
  if (owner.isStopped()) {
    // Whoever ends it wakes all: each may be the first to see it.
    for (Thread *thread : aside)
      if (thread != &self)
        thread->turn.notify_one();
    std::erase(aside, &self);
  }
}

//===-- Programs ----------------------------------------------------------===//

/// Without the lock: the programs may be many and short.
bool WaitingPrograms::next(int64_t &program) {
  Thread &self = *current;
  if (self.isSpare) {
    Lock lock(mutex);
    self.isSpare = false;
    --spare;
  }
  progress.fetch_add(1, std::memory_order_relaxed);
  program = owner.isStopped() ? total : begun.fetch_add(1, std::memory_order_relaxed);
  bool isLive = program < total;
  if (isLive != self.isLive)
    isLive ? ++live : --live;
  self.isLive = isLive;
  self.lastRounds = 0;
  return isLive;
}

/// Where something was got done since the last look, what waits may find what it waits for.
/// Called with the lock.
void WaitingPrograms::lookForProgress() {
  uint64_t now = progress.load(std::memory_order_relaxed);
  if (now == seenProgress)
    return;
  seenProgress = now;
  lastProgress = std::chrono::steady_clock::now();
  fruitless = overdue = 0;
  ++round;
  marked = 0;
}

/// All live programs wait. Starts others, or finds that there is no hope. Called with the lock;
/// whether to end.
bool WaitingPrograms::completeRound(const WaitSite &site) {
  ++round;
  marked = 0;
  ++fruitless;
  for (size_t more = live; more > 0 && !isFull && begun + spare < total; --more)
    startThread();
  std::chrono::duration<double> waited = std::chrono::steady_clock::now() - lastProgress;
  // A program that has just left its loop is not seen to wait once more.
  if (secondsToWait == 0 || waited.count() < secondsToWait || ++overdue < 3)
    return false;
  stuck = Stuck{site, ""};
  describeStuck();
  owner.stop();
  for (Thread *thread : aside)
    thread->turn.notify_one();
  return true;
}

bool WaitingPrograms::wait(const WaitSite &site, uint32_t rounds) {
  if (owner.poll())
    return true;
  if (rounds < shortWait && atOnce > 1 && total > 1)
    return false;
  Thread &self = *current;
  Lock lock(mutex);
  // It counts from zero again: it has left the loop in which it waited before.
  if (rounds <= self.lastRounds)
    progress.fetch_add(1, std::memory_order_relaxed);
  self.lastRounds = rounds;
  lookForProgress();
  if (self.markedIn != round) {
    self.markedIn = round;
    ++marked;
  }
  if (marked == live && completeRound(site))
    return true;
  if (!aside.empty()) {
    self.hasTurn = false;
    passTurn();
    aside.push_back(&self);
    awaitTurn(self, lock);
    return owner.isStopped();
  }
  // Nobody else wants the turn: what is waited for runs beside this, or is the host's.
  unsigned idle = fruitless;
  lock.unlock();
  if (idle < 64)
    sched_yield();
  else
    std::this_thread::sleep_for(std::chrono::microseconds(std::min(idle, 1000u)));
  return owner.poll();
}

void WaitingPrograms::describeStuck() {
  size_t waiting = live;
  int64_t left = total - begun;
  std::string text = "program (" + std::to_string(stuck->pid[0]) + ", " +
                     std::to_string(stuck->pid[1]) + ", " + std::to_string(stuck->pid[2]) +
                     ") waits in this loop for what no program does: ";
  text += waiting == 1 ? "it is the only one that runs"
                       : "all " + std::to_string(waiting) + " that have begun and not ended wait";
  if (left > 0)
    text += ", and for the other " + std::to_string(left) + " there are no more threads";
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%g", secondsToWait);
  stuck->reason =
      text + "; nothing has got further for " + seconds + " s (TRITIUM_WAIT_SECONDS sets the time)";
}
