//===- InterruptTest.cpp --------------------------------------------------===//

#include "Interrupt.h"
#include "ThreadPool.h"

#include "gtest/gtest.h"

#include <chrono>
#include <csignal>
#include <thread>

using namespace tritium::runtime;

namespace {

/// Polls until the work is to end; false if that does not happen.
bool endsSoon(Interruptible &work) {
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (std::chrono::steady_clock::now() < end)
    if (work.poll())
      return true;
  return false;
}

TEST(Interrupt, CancelEndsWhatRuns) {
  Interruptible work;
  EXPECT_FALSE(work.poll());
  std::thread([] { cancelAll(); }).join();
  EXPECT_TRUE(work.poll());
  EXPECT_TRUE(work.isStopped());
}

TEST(Interrupt, CancelLeavesWhatBeginsLater) {
  {
    Interruptible earlier;
  }
  cancelAll();
  Interruptible work;
  EXPECT_FALSE(work.poll());
  EXPECT_EQ(work.attention().load(), 0u);
}

TEST(Interrupt, OuterAndInnerWorkEndTogether) {
  Interruptible outer;
  {
    Interruptible inner;
    cancelAll();
    EXPECT_TRUE(inner.poll());
  }
  {
    Interruptible next;
    EXPECT_TRUE(next.poll());
  }
  EXPECT_TRUE(outer.poll());
}

TEST(Interrupt, CancelWorksFromASignalHandler) {
  struct sigaction action = {}, previous;
  action.sa_handler = [](int) { cancelAll(); };
  sigaction(SIGUSR1, &action, &previous);
  Interruptible work;
  raise(SIGUSR1);
  EXPECT_TRUE(work.poll());
  sigaction(SIGUSR1, &previous, nullptr);
}

TEST(Interrupt, OtherThreadsOfTheWorkSeeIt) {
  Interruptible work;
  std::thread worker([&] { EXPECT_TRUE(endsSoon(work)); });
  cancelAll();
  worker.join();
  EXPECT_TRUE(work.isStopped());
}

struct Asked {
  std::atomic<int> times{0};
  std::thread::id thread;
  int answer = 0;
  static int check(void *user) {
    auto *self = static_cast<Asked *>(user);
    self->thread = std::this_thread::get_id();
    ++self->times;
    return self->answer;
  }
};

TEST(Interrupt, TheHostIsAskedWhereWorkLasts) {
  Asked asked;
  asked.answer = 1;
  setInterruptCheck(Asked::check, &asked);
  {
    Interruptible work;
    EXPECT_TRUE(endsSoon(work));
  }
  EXPECT_EQ(asked.times, 1);
  EXPECT_EQ(asked.thread, std::this_thread::get_id());
  setInterruptCheck(nullptr, nullptr);
}

/// Which it says once: what Ctrl-C has set is gone when it was asked.
TEST(Interrupt, WhatTheHostEndsIsOuterWorkToo) {
  Asked asked;
  asked.answer = 1;
  setInterruptCheck(Asked::check, &asked);
  {
    Interruptible outer;
    {
      Interruptible inner;
      EXPECT_TRUE(endsSoon(inner));
    }
    asked.answer = 0;
    EXPECT_TRUE(outer.poll());
  }
  Interruptible next;
  EXPECT_FALSE(next.poll());
  setInterruptCheck(nullptr, nullptr);
}

TEST(Interrupt, WorkGoesOnIfTheHostSaysSo) {
  Asked asked;
  setInterruptCheck(Asked::check, &asked);
  Interruptible work;
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (asked.times < 3 && std::chrono::steady_clock::now() < end)
    EXPECT_FALSE(work.poll());
  EXPECT_GE(asked.times, 3);
  setInterruptCheck(nullptr, nullptr);
}

/// The watcher has gone to sleep in between.
TEST(Interrupt, TheHostIsAskedAgainAfterAPause) {
  Asked asked;
  asked.answer = 1;
  setInterruptCheck(Asked::check, &asked);
  for (int i = 0; i < 2; ++i) {
    Interruptible work;
    EXPECT_TRUE(endsSoon(work));
    if (i == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  }
  setInterruptCheck(nullptr, nullptr);
}

TEST(Interrupt, ShortWorkIsNeverAsked) {
  Asked asked;
  setInterruptCheck(Asked::check, &asked);
  auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  while (std::chrono::steady_clock::now() < end) {
    Interruptible work;
    for (int i = 0; i < 100; ++i)
      work.poll();
  }
  // One piece may have lasted, on a machine that is busy elsewhere.
  EXPECT_LE(asked.times, 2);
  setInterruptCheck(nullptr, nullptr);
}

/// The caller waits for a worker, and asks its host meanwhile.
TEST(Interrupt, ACallerOfThePoolPolls) {
  ThreadPool pool(2);
  Interruptible work;
  struct Context {
    Interruptible &work;
    std::thread::id caller;
    std::atomic<bool> began{false};
  } context{work, std::this_thread::get_id()};
  auto run = [](void *user, int64_t, int64_t) {
    auto *context = static_cast<Context *>(user);
    if (std::this_thread::get_id() == context->caller) {
      // Leaves the rest to the worker.
      while (!context->began)
        std::this_thread::yield();
      return;
    }
    context->began = true;
    cancelAll();
    while (!context->work.isStopped())
      std::this_thread::yield();
  };
  pool.run(2, run, &context, &work);
  EXPECT_TRUE(work.isStopped());
}

} // namespace
