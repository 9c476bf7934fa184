//===- ForkGateTest.cpp ---------------------------------------------------===//

#include "tritium/Support/ForkGate.h"

#include "gtest/gtest.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace tritium;

namespace {

int exitStatus(pid_t child) {
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

class ForkGate : public testing::Test {
protected:
  void SetUp() override {
#if __has_feature(thread_sanitizer)
    GTEST_SKIP() << "the thread sanitizer allows no threads after a fork";
#endif
  }
};

/// A lock that another thread holds inside the gate is free in the child.
TEST_F(ForkGate, LocksAreFreeInTheChild) {
  std::mutex mutex;
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      while (!stop)
        ForkSafeLock lock(mutex);
    });
  int bad = 0;
  for (int i = 0; i < 200; ++i) {
    pid_t child = fork();
    if (child == 0) {
      alarm(20);
      {
        ForkSafeLock lock(mutex);
      }
      _exit(0);
    }
    bad += exitStatus(child) != 0;
  }
  stop = true;
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(bad, 0);
}

/// A thread that calls its host does not keep a fork waiting, and comes back inside after it.
TEST_F(ForkGate, AForkDoesNotWaitForCallsOfTheHost) {
  std::atomic<bool> isOutside{false}, isForked{false}, isBack{false};
  std::thread thread([&] {
    InsideForkGate inside, again;
    {
      OutsideForkGate outside;
      isOutside = true;
      while (!isForked)
        std::this_thread::yield();
    }
    isBack = true;
  });
  while (!isOutside)
    std::this_thread::yield();
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    {
      InsideForkGate inside;
    }
    pid_t grandchild = fork();
    if (grandchild == 0)
      _exit(0);
    _exit(exitStatus(grandchild) == 0 ? 0 : 1);
  }
  isForked = true;
  EXPECT_EQ(exitStatus(child), 0);
  thread.join();
  EXPECT_TRUE(isBack);
}

struct CacheOfThread {
  static inline std::atomic<bool> isGoing{false}, isGone{false};
  ~CacheOfThread() {
    isGoing = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    isGone = true;
  }
};

/// A fork waits for the end of a thread that has compiled, where the compiler's caches go.
TEST_F(ForkGate, AForkWaitsForTheEndOfAThreadThatHasCompiled) {
  std::thread thread([] {
    InsideForkGateToCompile inside;
    static thread_local CacheOfThread cache;
    [[maybe_unused]] volatile CacheOfThread *made = &cache;
  });
  while (!CacheOfThread::isGoing)
    std::this_thread::yield();
  pid_t child = fork();
  if (child == 0)
    _exit(CacheOfThread::isGone ? 0 : 1);
  EXPECT_EQ(exitStatus(child), 0);
  thread.join();
  // The thread has left.
  child = fork();
  if (child == 0)
    _exit(0);
  EXPECT_EQ(exitStatus(child), 0);
}

/// Of a thread that has compiled, the end of the process is no end after which it goes on.
TEST_F(ForkGate, FunctionsOfAtexitMayWaitForAFork) {
  std::fflush(nullptr);
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    std::atexit([] {
      std::thread([] {
        pid_t grandchild = fork();
        _exit(grandchild && exitStatus(grandchild) ? 1 : 0);
      }).join();
    });
    {
      InsideForkGateToCompile inside;
    }
    std::exit(2);
  }
  EXPECT_EQ(exitStatus(child), 0);
}

/// Others were inside when it began, and are not there in the child.
TEST_F(ForkGate, AForkFromInsideHasChildrenThatFork) {
  std::atomic<bool> isInside{false}, stop{false};
  std::thread thread([&] {
    InsideForkGate inside;
    isInside = true;
    while (!stop)
      std::this_thread::yield();
  });
  while (!isInside)
    std::this_thread::yield();
  pid_t child;
  {
    InsideForkGate inside;
    child = fork();
  }
  if (child == 0) {
    alarm(20);
    pid_t grandchild = fork();
    if (grandchild == 0)
      _exit(0);
    _exit(exitStatus(grandchild) == 0 ? 0 : 1);
  }
  EXPECT_EQ(exitStatus(child), 0);
  stop = true;
  thread.join();
}

TEST_F(ForkGate, AForkFromInsideDoesNotWaitForItself) {
  InsideForkGate inside;
  pid_t child = fork();
  if (child == 0)
    _exit(0);
  EXPECT_EQ(exitStatus(child), 0);
}

} // namespace
