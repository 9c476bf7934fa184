//===- ThreadPoolTest.cpp -------------------------------------------------===//

#include "ThreadPool.h"
#include "../Support/NoMoreThreads.h"

#include "gtest/gtest.h"

#include <chrono>
#include <optional>
#include <sys/wait.h>
#include <unistd.h>

using namespace tritium::runtime;

namespace {

struct Counts {
  std::vector<std::atomic<uint8_t>> seen;
  explicit Counts(int64_t n) : seen(n) {}
  static void mark(void *self, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      static_cast<Counts *>(self)->seen[i].fetch_add(1);
  }
  bool allOnce() const {
    for (const auto &count : seen)
      if (count != 1)
        return false;
    return true;
  }
};

TEST(ThreadPool, CoversEveryProgramOnce) {
  ThreadPool pool(4);
  for (int64_t n : {1, 2, 3, 7, 16, 255, 1000, 100000}) {
    Counts counts(n);
    pool.run(n, Counts::mark, &counts);
    EXPECT_TRUE(counts.allOnce()) << n;
  }
}

TEST(ThreadPool, ManyShortLaunchesInARow) {
  ThreadPool pool(3);
  std::atomic<int64_t> sum{0};
  auto add = [](void *sum, int64_t begin, int64_t end) {
    *static_cast<std::atomic<int64_t> *>(sum) += end - begin;
  };
  for (int i = 0; i < 20000; ++i)
    pool.run(1 + i % 5, add, &sum);
  EXPECT_EQ(sum, 20000 / 5 * (1 + 2 + 3 + 4 + 5));
}

TEST(ThreadPool, WakesSleepingWorkers) {
  ThreadPool pool(2);
  for (int i = 0; i < 5; ++i) {
    usleep(20000);
    Counts counts(64);
    pool.run(64, Counts::mark, &counts);
    EXPECT_TRUE(counts.allOnce());
  }
}

TEST(ThreadPool, MoreThreadsThanCoresAndThanPrograms) {
  ThreadPool pool(16);
  for (int i = 0; i < 300; ++i) {
    Counts counts(1 + i % 40);
    pool.run(1 + i % 40, Counts::mark, &counts);
    ASSERT_TRUE(counts.allOnce()) << i;
  }
}

/// Threads that are there do what those would that could not be started.
TEST(ThreadPool, WhereTheSystemHasNoMoreThreads) {
  std::optional<ThreadPool> pool;
  {
    tritium::testing::NoMoreThreads none;
    pool.emplace(4);
  }
  for (int64_t n : {1, 7, 1000}) {
    Counts counts(n);
    pool->run(n, Counts::mark, &counts);
    EXPECT_TRUE(counts.allOnce()) << n;
  }
}

/// A thread that is held up keeps what it has claimed; others run the rest of its share.
TEST(ThreadPool, OthersTakeWhatIsLeftOfAShare) {
  constexpr int64_t n = 64;
  ThreadPool pool(2);
  std::atomic<int64_t> done{0};
  auto waitForOthers = [](void *self, int64_t begin, int64_t end) {
    auto &done = *static_cast<std::atomic<int64_t> *>(self);
    auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (begin == 0 && done != n - end && std::chrono::steady_clock::now() < deadline)
      std::this_thread::yield();
    if (begin == 0)
      EXPECT_EQ(done, n - end);
    done += end - begin;
  };
  pool.run(n, waitForOthers, &done);
  EXPECT_EQ(done, n);
}

/// Each thread begins with the same programs in every launch, and neighbours stay together.
TEST(ThreadPool, SharesAreTheSameInEachLaunch) {
  ThreadPool pool(2);
  struct Begin {
    std::thread::id host = std::this_thread::get_id();
    std::atomic<int64_t> ofHost{-1};
  };
  for (int i = 0; i < 50; ++i) {
    Begin first;
    pool.run(
        100,
        [](void *self, int64_t begin, int64_t) {
          auto &first = *static_cast<Begin *>(self);
          int64_t none = -1;
          if (std::this_thread::get_id() == first.host)
            first.ofHost.compare_exchange_strong(none, begin);
        },
        &first);
    // The worker may have taken parts of the host's share, from its end, or all of it.
    EXPECT_TRUE(first.ofHost == 0 || first.ofHost == -1 || first.ofHost >= 50) << first.ofHost;
  }
}

/// More programs than a share can count: they are handed out in larger units.
TEST(ThreadPool, GridsAboveFourBillion) {
  ThreadPool pool(2);
  std::atomic<int64_t> sum{0};
  auto add = [](void *sum, int64_t begin, int64_t end) {
    *static_cast<std::atomic<int64_t> *>(sum) += end - begin;
  };
  int64_t n = (int64_t(5) << 32) + 3;
  pool.run(n, add, &sum);
  EXPECT_EQ(sum, n);
}

TEST(ThreadPool, SeveralThreadsLaunchAtOnce) {
  ThreadPool pool(2);
  std::vector<std::thread> hosts;
  std::atomic<int> good{0};
  for (int t = 0; t < 4; ++t)
    hosts.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        Counts counts(100);
        pool.run(100, Counts::mark, &counts);
        good += counts.allOnce();
      }
    });
  for (std::thread &host : hosts)
    host.join();
  EXPECT_EQ(good, 800);
}

TEST(ThreadPool, AForkedChildGetsItsOwn) {
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "the thread sanitizer allows no threads after a fork";
#endif
  setThreadCount(2);
  Counts before(1000);
  threadPool().run(1000, Counts::mark, &before);
  pid_t child = fork();
  if (child == 0) {
    Counts counts(1000);
    threadPool().run(1000, Counts::mark, &counts);
    _exit(counts.allOnce() && threadPool().size() == 2 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  Counts after(1000);
  threadPool().run(1000, Counts::mark, &after);
  EXPECT_TRUE(before.allOnce() && after.allOnce());
}

TEST(ThreadPool, ThreadCountCanChange) {
  setThreadCount(3);
  EXPECT_EQ(threadCount(), 3u);
  EXPECT_EQ(threadPool().size(), 3u);
  setThreadCount(1);
  EXPECT_EQ(threadPool().size(), 1u);
  ::setenv("TRITIUM_NUM_THREADS", "2", 1);
  setThreadCount(0);
  EXPECT_EQ(threadPool().size(), 2u);
  ::unsetenv("TRITIUM_NUM_THREADS");
}

} // namespace
